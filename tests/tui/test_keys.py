"""The key table: no key has two meanings in one place, and all of it is bound."""

from collections import Counter
from collections.abc import Callable

import pytest
from textual.binding import Binding

from core.errors import LostkeysError
from tui import keys
from tui.app.app import LostkeysApp
from tui.app.screen_controller import make_screen
from tui.app.tab_table import TABS
from tui.dialogs.dialog import Dialog
from tui.keys import KEYS, Key, caps, merge_keys
from tui.screens.base_screen import BaseScreen
from tui.theme import glyphs
from tui.widgets.line_view import LineView

SPLITS = ["ctrl+left", "ctrl+right", "ctrl+up", "ctrl+down"]


def test_ids_are_unique() -> None:
    assert [name for name, count in Counter(key.id for key in KEYS).items() if count > 1] == []


def test_signs_are_shown_as_signs() -> None:
    names = [binding.key for key in KEYS for binding in Binding.make_bindings([(key.keys, "", "")])]
    assert [name for name in names if "_" in keys.cap(name)] == []


def test_no_key_has_two_meanings_in_one_place() -> None:
    keys.check({})


def test_no_letter_has_two_meanings_on_any_screen() -> None:
    found = keys.list_letters()
    assert {*"cipodnexuabfsvgGJN&1+="} <= found.keys()
    for letter, meant in found.items():
        assert len({key.meaning for key in meant}) == 1, f"`{letter}`: {[key.id for key in meant]}"


@pytest.mark.parametrize(
    "name",
    [
        *("reject", "also", "skip", "note", "edit", "flag", "undo", "withdraw", "filter"),
        *("unfilter", "sort", "compare", "intervals", "set", "open", "search"),
    ],
)
def test_what_can_be_done_on_several_screens_has_one_key(name: str) -> None:
    assert len({key.keys for key in KEYS if key.id.rpartition(".")[2] == name}) == 1


def test_no_capital_stands_beside_a_letter_that_writes() -> None:
    judging = {"verdict", "decision", "answer", "audit"}
    writing = {key.keys for key in KEYS if judging & {*key.places} and key.keys in "abcdeiopx"}
    assert writing == {*"abcdeiopx"}
    beside = [key.id for key in KEYS if judging & {*key.places} and key.keys.lower() in writing]
    assert [one for one in beside if keys.BY_ID[one].keys.isupper()] == []


def test_a_change_that_gives_a_key_two_meanings_is_refused() -> None:
    with pytest.raises(LostkeysError, match=r"`f` cannot mean both facts.search and facts.filter"):
        keys.check({"facts.search": "f"})
    keys.check({"facts.search": "f12"})


def test_every_key_is_bound_where_the_table_says() -> None:
    for key in KEYS:
        for place in key.places:
            assert key.id in {getattr(one, "id", None) for one in keys.bindings(place)}


def test_everything_that_works_everywhere_is_there() -> None:
    for owner, place in ((LostkeysApp, "everywhere"), (LineView, "list"), (Dialog, "dialog")):
        for key in KEYS:
            if place in key.places:
                name = key.action.split("(")[0]
                at = BaseScreen if name.startswith("screen.") else owner
                assert hasattr(at, f"action_{name.removeprefix('screen.')}"), key


def test_screens_do_what_their_keys_say() -> None:
    for place in TABS:
        screen = make_screen(place)
        for key in KEYS:
            name = key.action.split("(")[0]
            if place.tab in key.places and "." not in name:
                assert hasattr(screen, f"action_{name}"), (place, key)


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["j", "k"], "j/k"),
        (["left_square_bracket", "right_square_bracket"], "[ ]"),
        (["c", "i", "p", "o"], "c i p o"),
        (list("1234567890"), "1-0"),
        (["f1"], "F1"),
        (["ctrl+p"], "ctrl+p"),
        (["question_mark"], "?"),
        (["alt+left"], "alt+←"),
        (SPLITS, "ctrl+← → ↑ ↓"),
    ],
)
def test_keys_are_written_as_people_know_them(names: list[str], shown: str) -> None:
    assert caps(names) == shown


@pytest.mark.parametrize("draw", [glyphs.draw_ascii, glyphs.draw_spoken])
def test_arrows_are_words_where_none_can_be_drawn(draw: Callable[[], None]) -> None:
    draw()
    assert caps(SPLITS) == "ctrl+left/right/up/down"
    assert caps(["left"]) == "left"


def test_neighbours_with_the_same_words_are_one() -> None:
    def key(name: str) -> tuple[Key, str]:
        found = keys.BY_ID[name]
        return found, found.keys.split(",")[0]

    shown = merge_keys(
        map(key, ["list.up", "help", "list.down", "facts.search", "task.1", "task.2"])
    )
    assert [(names, key.words) for names, key in shown] == [
        (["j", "k"], "move"),
        (["1", "2"], "task"),
        (["slash"], "search"),
        (["?"], "help"),
    ]


def test_of_keys_that_clash_the_last_is_left_out_and_the_others_hold() -> None:
    assert keys.resolve_keys({"help": "f12"}) == ({"help": "f12"}, [])
    swapped = {"facts.search": "f", "facts.filter": "slash"}
    assert keys.resolve_keys(swapped) == (swapped, [])
    kept, faults = keys.resolve_keys({**swapped, "facts.sort": "f", "help": "f12"})
    assert kept == {**swapped, "help": "f12"}
    assert len(faults) == 1
    assert "`f` cannot mean both" in faults[0]
