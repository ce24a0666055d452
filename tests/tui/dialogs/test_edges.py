"""What stands in the bottom edge of dialogs: keys in one style, errors whole."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.settings.preferences import Settings
from core.views.filter_choices import Choices
from core.views.saved_views import SavedView
from core.views.session import Session
from tests.patience import until
from tests.tui.sample import sample_project
from tests.tui.seeing import send, settled
from tui.app.app import LostkeysApp
from tui.dialogs.choice_dialog import Options
from tui.dialogs.dialog import Dialog
from tui.dialogs.input_dialog import AskLine
from tui.dialogs.note_dialog import NoteDialog, NoteSubject
from tui.dialogs.undo_history_dialog import ActsDialog
from tui.dialogs.views_dialog import ViewsDialog
from tui.text.line import Line
from tui.widgets.text_field import TextField

REASONS = [f"reason-{number}." for number in range(30)]
"""Words of an error that is longer than any dialog is wide."""


@pytest.fixture
def app(tmp_path: Path) -> LostkeysApp:
    return LostkeysApp(sample_project(tmp_path / "p.db"), Settings(name="ada"))


@pytest.mark.slow
@pytest.mark.parametrize("width", [80, 120, 200])
async def test_a_long_error_is_wrapped_and_the_keys_stay(app: LostkeysApp, width: int) -> None:
    async with app.run_test(size=(width, 24)) as pilot:
        await settled(pilot)
        dialog = AskLine("name", "Its name:")
        app.push_screen(dialog)
        await settled(pilot)
        dialog.edge(Line(" ".join(REASONS), "label-i"))
        shown = await settled(pilot)
        assert [one for one in REASONS if one not in shown] == []
        assert "enter keeps it   esc closes" in shown
        dialog.edge(Line("a short one", "label-i"))
        shown = await settled(pilot)
        assert "reason" not in shown
        assert "a short one" in shown


@pytest.mark.slow
@pytest.mark.parametrize("key", ["ctrl+p", "f", "m"])
async def test_lists_that_are_searched_say_that_arrows_choose(app: LostkeysApp, key: str) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press(key)
        assert "↑ ↓ choose" in await settled(pilot)
        await pilot.press("escape")


@pytest.mark.slow
async def test_keys_of_every_dialog_stand_in_the_accent(app: LostkeysApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        for key in ("ctrl+p", "ctrl+o", "f", "g", "m", "V", "|", "W"):
            await pilot.press(key)
            await settled(pilot)
            dialog = app.screen
            assert isinstance(dialog, Dialog)
            keys = [one for one in dialog.hint_line.spans if one.role == "accent bold"]
            assert keys[-1].text == "esc", key
            await pilot.press("escape")
            await settled(pilot)


@pytest.mark.slow
async def test_the_palette_names_each_group_once(app: LostkeysApp) -> None:
    """On an open card keys of two screens take turns in the table of keys."""
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        for key in ("f4", "enter", "ctrl+p"):
            await pilot.press(key)
            await settled(pilot)
        groups = [row for row in app.screen.query_one(Options).rows if isinstance(row, str)]
        assert len(groups) > 3
        assert len(groups) == len(set(groups))


@pytest.mark.slow
@pytest.mark.parametrize("width", [40, 60])
async def test_another_size_cuts_no_key_and_keeps_what_is_typed(
    app: LostkeysApp, width: int
) -> None:
    async with app.run_test(size=(200, 60)) as pilot:
        await settled(pilot)
        app.push_screen(AskLine("name", "Its name:", proposal="root"))
        await settled(pilot)
        await pilot.press(*"mira")
        await pilot.resize_terminal(width, 15)
        small = " ".join((await settled(pilot)).replace("│", " ").split())
        for words in ("enter keeps it", "tab takes what is proposed", "esc closes", "mira"):
            assert small.count(words) == 1, words
        await pilot.resize_terminal(80, 24)
        assert "enter keeps it   tab takes what is proposed   esc closes" in await settled(pilot)


@pytest.mark.slow
async def test_what_is_written_and_not_kept_is_said(app: LostkeysApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        dialogs: list[tuple[Callable[[], Dialog[Any]], str, str]] = [
            (lambda: NoteDialog([NoteSubject("on 5", "old")]), "new", "not kept: new"),
            (lambda: AskLine("reject", "Why?"), "[/red]", "not kept: [/red]"),
        ]
        for make, keys, said in dialogs:
            app.push_screen(make())
            await settled(pilot)
            await pilot.press("escape")
            assert said[:12] not in await settled(pilot)
            app.push_screen(make())
            await settled(pilot)
            send(app, *keys)
            await settled(pilot)
            await pilot.press("escape")
            assert said in await settled(pilot)


@pytest.mark.slow
async def test_where_there_is_nothing_only_keys_that_act_are_named(app: LostkeysApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        app.push_screen(ActsDialog([]))
        shown = await settled(pilot)
        assert "labels, decisions and edits stand here" in shown
        assert "undoes it" not in shown
        await pilot.press("escape")
        lens = app.lens
        assert lens is not None
        app.push_screen(ViewsDialog("Views of Bench", SavedView("", "bench"), [], [], lens))
        shown = " ".join((await settled(pilot)).replace("│", " ").split())
        assert "A view is a list under a name" in shown
        assert "+ saves what is seen esc closes" in shown
        assert "order esc" not in shown
        await pilot.press("escape")
        await pilot.press("f6")
        assert "f log" not in await settled(pilot)


@pytest.mark.slow
async def test_keys_wait_for_the_dialog_that_what_is_read_opens(
    app: LostkeysApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, choices = threading.Event(), Session.choices

    def wait(session: Session) -> Choices:
        assert held.wait(30)
        return choices(session)

    monkeypatch.setattr(Session, "choices", wait)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert app.lens is not None
        before = app.lens.policy.tau
        send(app, "f", "[", "z")
        try:
            await until(
                lambda: app.key_queue.next_key == "left_square_bracket",
                str,
                lambda: pilot.pause(0.02),
            )
        finally:
            held.set()
        await settled(pilot)
        assert app.screen.query_one(TextField).value == "[z"
        assert app.lens.policy.tau == before
