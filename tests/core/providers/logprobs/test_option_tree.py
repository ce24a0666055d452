"""Options as a tree of tokens: the border, the nodes, the sums."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.providers.logprobs.option_tree import (
    OptionTree,
    TokenizationError,
    TokenText,
    locate_tokens,
    most_mass,
    option_tree,
    shared_length,
)

BEGIN = 9_999


class Tokenizer:
    """The longest pieces that there are, from left to right; else single bytes."""

    def __init__(self, *pieces: str, begin: bool = False, space: bool = False) -> None:
        self._pieces = sorted((piece.encode() for piece in pieces), key=len, reverse=True)
        self._begin, self._space = begin, space

    def read(self, text: str) -> TokenText:
        rest, found = text.encode(), list[bytes]()
        if self._space:
            rest = b" " + rest
        while rest:
            piece = next((one for one in self._pieces if rest.startswith(one)), rest[:1])
            found.append(piece)
            rest = rest[len(piece) :]
        ids = [256 + self._pieces.index(one) if one in self._pieces else one[0] for one in found]
        begin = [BEGIN] * self._begin
        return locate_tokens(text, [*begin, *ids], [b""] * len(begin) + found, len(begin))

    def tree(self, text: str, options: Sequence[str]) -> OptionTree:
        return option_tree([self.read(f"{text}{one}") for one in options], len(text.encode()))

    def said(self, tokens: Sequence[int]) -> str:
        """What tokens stand for."""
        known = (b"" if one == BEGIN else self._piece(one) for one in tokens)
        return b"".join(known).decode(errors="replace")

    def _piece(self, token: int) -> bytes:
        return bytes([token]) if token < 256 else self._pieces[token - 256]


def test_the_border_is_the_end_of_the_input_where_tokens_end_there() -> None:
    tokens = Tokenizer("Bohr", " 18", " 19")
    tree = tokens.tree("Bohr", [" 1885", " 1918", " 1899"])
    assert tokens.said(tree.prefix) == "Bohr"
    assert [tokens.said(one) for one in tree.options] == [" 1885", " 1918", " 1899"]


def test_what_options_share_after_the_input_counts() -> None:
    tokens = Tokenizer("Bohr")
    tree = tokens.tree("Bohr", [" 1885", " 1886"])
    assert tokens.said(tree.prefix) == "Bohr"
    assert [len(children) for children in tree.nodes.values()] == [1, 1, 1, 1, 2]


@pytest.mark.parametrize("begin", [False, True])
@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize(
    ("pieces", "text", "options", "prefix"),
    [
        (["b1", "b2", "bo"], "bob", ["1885", "2"], "bo"),  # no space: options take a letter along
        (["b1", "bo"], "bob", ["1885", "2"], "bo"),  # one of them does
        (["東京", "京都"], "東京", ["都", "は"], "東京"),
        (["東京都"], "東京", ["都", "は"], ""),  # the first option takes all of it
        (["京都"], "東京", ["都", "は"], "東"),
        (["e\u0301"], "cafe", ["\u0301s", "\u0301"], "caf"),  # the accent goes with the letter
        (["e\u0301"], "cafe", ["\u0301s", "s"], "caf"),
        (["👩\u200d🔬"], "x 👩", ["\u200d🔬", "\u200d🎨"], "x "),
        ([], "x 👩", ["🏽", "🏿"], "x 👩"),  # bytes that the skin colours share are not the input's
        ([], "京", ["都", "郁"], "京"),
    ],
)
def test_the_border_is_the_last_one_common_to_all_inside_the_input(
    pieces: list[str], text: str, options: list[str], prefix: str, begin: bool, space: bool
) -> None:
    tokens = Tokenizer(*pieces, begin=begin, space=space)
    if not prefix and not begin and not space:
        with pytest.raises(TokenizationError, match="no token stands before"):
            tokens.tree(text, options)
        return
    tree = tokens.tree(text, options)
    lead = " " if space else ""
    assert tokens.said(tree.prefix) == f"{lead}{prefix}"
    for option, found in zip(options, tree.options, strict=True):
        assert tokens.said([*tree.prefix, *found]) == f"{lead}{text}{option}"


@pytest.mark.parametrize("begin", [False, True])
def test_without_a_token_before_it_the_first_has_no_probability(begin: bool) -> None:
    tokens = Tokenizer("a1", "a2", begin=begin)
    if begin:
        assert tokens.tree("a", ["1", "2"]).prefix == (BEGIN,)
    else:
        with pytest.raises(TokenizationError, match="no token stands before the options"):
            tokens.tree("a", ["1", "2"])


def test_an_option_that_begins_another_ends_at_its_node() -> None:
    tokens = Tokenizer("x", " a", " b")
    tree = tokens.tree("x", [" a", " a b", " b"])
    a, b = tree.options[0][0], tree.options[2][0]
    assert tree.nodes == {(): (a, b), (a,): (b,)}
    values = {(): {a: math.log(0.5), b: math.log(0.25)}, (a,): {b: math.log(0.5)}}
    assert np.exp(tree.total(values)) == pytest.approx([0.5, 0.25, 0.25])
    assert most_mass(values) == pytest.approx(0.75)


def test_a_value_that_is_missing_is_no_number() -> None:
    tree = OptionTree((1,), ((2, 3), (4,)))
    assert np.isnan(tree.total({(): {2: -1.0, 4: -2.0}})).tolist() == [True, False]
    assert tree.total({}).dtype == np.float32


def test_texts_of_tokens_join_to_the_input() -> None:
    with pytest.raises(TokenizationError, match="do not join"):
        locate_tokens("Zürich", [1, 2], [b"Z", b"urich"])


OPTIONS = st.lists(st.text("ab1 ", min_size=1, max_size=6), min_size=1, max_size=12, unique=True)


@given(st.text("ab ", min_size=1, max_size=6), OPTIONS, st.lists(st.text("ab1 ", min_size=2)))
def test_trees_lose_nothing(text: str, options: list[str], pieces: list[str]) -> None:
    tokens = Tokenizer(*pieces, begin=True)
    tree = tokens.tree(text, options)
    assert [tokens.said([*tree.prefix, *one]) for one in tree.options] == [
        f"{text}{one}" for one in options
    ]
    assert text.startswith(tokens.said(tree.prefix))
    edges = {(path, child) for path, children in tree.nodes.items() for child in children}
    assert edges == {(one[:at], token) for one in tree.options for at, token in enumerate(one)}
    assert len(edges) == sum(map(len, tree.nodes.values()))
    seen: set[tuple[int, ...]] = set()
    for path in tree.nodes:  # each after the one that it goes on from
        assert not path or path[:-1] in seen
        seen.add(path)
    longer = (*tree.prefix, tree.options[0][0])
    texts = [tokens.read(f"{text}{one}") for one in options]
    assert any(one.ids[: len(longer)] != longer for one in texts) or texts[0].ends[
        len(longer) - 1
    ] > len(text.encode()), "no longer prefix is common to all and ends inside the input"


@given(st.lists(st.lists(st.integers(0, 2), max_size=5).map(tuple), min_size=1, max_size=5))
def test_shared_length(texts: list[tuple[int, ...]]) -> None:
    length = shared_length(texts)
    assert len({one[:length] for one in texts}) == 1
    assert len({one[: length + 1] for one in texts}) > 1 or min(map(len, texts)) == length
