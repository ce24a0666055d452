"""Fields keep what a text needs though it is not seen, show it, and lose nothing that is pasted."""

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tests.tui.seeing import rows
from tui.text.inert_text import replace_unseen
from tui.theme.themes import themes
from tui.widgets.text_box import TextBox
from tui.widgets.text_field import TextField

PERSIAN = "می\u200cخواهم"
"""A word with a non-joiner, without which it is another."""

BENGALI = "র\u200d\u09cdয"
"""A word with a joiner, and after it a mark that sits on the letter before."""

FAMILY = "👩\u200d👧 ❤\ufe0f"


WAYS = ("typed", "pasted")


class Fields(App[None]):
    """A field of each kind."""

    def __init__(self) -> None:
        super().__init__()
        for theme in themes(()):
            self.register_theme(theme)
        self.theme = next(iter(themes(()))).name
        self.line, self.box = TextField(), TextBox()

    def compose(self) -> ComposeResult:
        yield self.line
        yield self.box


async def enter_text(pilot: Pilot[None], way: str, text: str) -> None:
    """Bring a text into the field with the focus."""
    app = pilot.app
    if way == "pasted":
        app.post_message(events.Paste(text))
    else:
        for char in text:
            app.post_message(events.Key(char, char))
    await pilot.pause()


def shown(app: Fields) -> str:
    """The first row of the screen."""
    return "".join(segment.text for segment in rows(app)[0]).rstrip()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("text", [PERSIAN, BENGALI, FAMILY])
async def test_what_joins_letters_stays_in_the_value(text: str, way: str) -> None:
    app = Fields()
    async with app.run_test() as pilot:
        await enter_text(pilot, way, text)
        app.box.focus()
        await enter_text(pilot, way, text)
        assert (app.line.value, app.box.value) == (text, text)
        assert shown(app) == replace_unseen(text)


async def test_a_joiner_is_one_step_and_one_character_to_take_out() -> None:
    app = Fields()
    async with app.run_test(size=(40, 4)) as pilot:
        await enter_text(pilot, "pasted", "ab\u200cd")
        cursor = app.cursor_position.x
        await pilot.press("left", "left")
        assert cursor - app.cursor_position.x == len("\\u200cd") + 1  # it stands behind the last
        await pilot.press("X", "delete")
        assert app.line.value == "abXd"


async def test_cursor_and_click_are_where_the_stand_in_is() -> None:
    app = Fields()
    async with app.run_test(size=(40, 4)) as pilot:
        await enter_text(pilot, "pasted", "ab\u200cd")
        found = {}
        for cell in range(10):
            await pilot.click(TextField, offset=(cell, 0))
            found[cell] = app.line.cursor_position
        assert list(found.values()) == [0, 1, *[2] * 6, 3, 4]
        await pilot.click(TextField, offset=(5, 0))
        assert "\\u200c" in [segment.text for segment in rows(app)[0]]  # all of it is marked


@pytest.mark.parametrize(
    ("pasted", "value"),
    [
        ("one\ntwo\r\n\n  three\n", "one two three"),
        ("/a/path of mine.csv\n", "/a/path of mine.csv"),
        ("a\tb\x1b[31m[/red]", "a b␛[31m[/red]"),
        ("שלום \u202eabc", "שלום \\u202eabc"),
        ("x" * 10_000, "x" * 10_000),
    ],
)
async def test_all_that_is_pasted_is_there(pasted: str, value: str) -> None:
    app = Fields()
    async with app.run_test(size=(40, 4)) as pilot:
        await enter_text(pilot, "pasted", pasted)
        assert app.line.value == value
        assert app.line.cursor_at_end
