"""Options as a tree of tokens: where they begin to count, what is shared, what is asked of a model.

ZP-LKE, section 3.2 (equation 2): the log probability of an option is the sum over its tokens. They
count from the border on, the longest token prefix common to all options that ends inside the input.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from core.errors import LostkeysError

Tokens = tuple[int, ...]
Logprobs = Mapping[int, float]
"""Log probabilities by token id."""

Float32 = npt.NDArray[np.float32]


class TokenizationError(LostkeysError):
    """The tokens of a text do not say where in it they end, or leave an option without a token."""


@dataclass(frozen=True, slots=True)
class TokenText:
    """A text as tokens. `ends` are the bytes of the text up to the end of each."""

    ids: Tokens
    ends: Tokens


@dataclass(frozen=True)
class OptionTree:
    """What follows the border, as a tree.

    `prefix` are the tokens up to the border, `options` those of each option after it, in the order
    in which options were given.
    """

    prefix: Tokens
    options: tuple[Tokens, ...] = field(repr=False)

    @cached_property
    def nodes(self) -> Mapping[Tokens, Tokens]:
        """What may follow each path after the border, depth first; the empty path comes first."""
        children: dict[Tokens, dict[int, None]] = {}
        for option in self.options:
            for at, token in enumerate(option):
                children.setdefault(option[:at], {})[token] = None
        found: dict[Tokens, Tokens] = {}
        waiting: list[Tokens] = [()]
        while waiting:
            path = waiting.pop()
            if path in children:
                found[path] = tuple(children[path])
                waiting += [(*path, token) for token in reversed(found[path])]
        return found

    def total(self, values: Mapping[Tokens, Logprobs]) -> Float32:
        """The log probability of each option, from those of each node's children.

        NaN where one is missing.
        """
        sums = [
            math.fsum(
                values.get(option[:at], {}).get(token, math.nan) for at, token in enumerate(option)
            )
            for option in self.options
        ]
        return np.array(sums, np.float32)


def option_tree(texts: Sequence[TokenText], inside: int) -> OptionTree:
    """The tree of options, each of which is tokenised with the input before it.

    `inside`: bytes of the input.
    """
    return tree_of([one.ids for one in texts], lambda count: texts[0].ends[count - 1] <= inside)


def tree_of(texts: Sequence[Tokens], is_inside: Callable[[int], bool]) -> OptionTree:
    """The tree of tokenised options; `is_inside` says whether so many tokens end in the input.

    Raises `TokenizationError` where an option has no token of its own, or where nothing stands
    before the options, so that no model can say how probable their first token is.
    """
    border = shared_length(texts)
    while border and not is_inside(border):
        border -= 1
    if not border:
        raise TokenizationError(
            "no token stands before the options: the model knows no begin token, and the input is "
            "too short"
        )
    if any(len(one) == border for one in texts):
        raise TokenizationError("an option has no token of its own")
    return OptionTree(tuple(texts[0][:border]), tuple(tuple(one[border:]) for one in texts))


def shared_length(texts: Sequence[Tokens]) -> int:
    """How many tokens all begin with."""
    first, last = min(texts), max(texts)
    length = min(len(first), len(last))
    return next((at for at in range(length) if first[at] != last[at]), length)


def locate_tokens(
    text: str, ids: Sequence[int], pieces: Sequence[bytes], begin: int = 0
) -> TokenText:
    """Tokens with the places at which they end.

    `pieces` are the bytes of each; the first `begin` tokens stand for no text. A space that a
    tokeniser puts before every text counts as none of it. Raises `TokenizationError` where the
    pieces do not join to the text.
    """
    written = text.encode()
    joined = b"".join(pieces[begin:])
    if joined not in (written, b" " + written):
        raise TokenizationError("the texts of the tokens do not join to the input")
    place = len(written) - len(joined)
    ends = [0] * begin
    for piece in pieces[begin:]:
        place += len(piece)
        ends.append(place)
    return TokenText(tuple(ids), tuple(ends))


def most_mass(values: Mapping[Tokens, Logprobs]) -> float:
    """The most that the children of one node have of all probability; above 1 it is none.

    Infinite where a number is too large for any.
    """
    numbers = [[one for one in node.values() if not math.isnan(one)] for node in values.values()]
    if any(one > 1 for node in numbers for one in node):
        return math.inf
    return max(math.fsum(map(math.exp, node)) for node in numbers)
