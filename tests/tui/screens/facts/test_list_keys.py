"""Columns, views and files of the list by their keys, in a real app."""

import json
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.views import saved_views
from core.views.saved_views import LensParts, SavedView
from tests.tui.sample import sample_project
from tests.tui.screens.facts.making import opened, until
from tests.tui.seeing import send, settled, text
from tui.app.app import LostkeysApp
from tui.dialogs.columns_dialog import ColumnOffer, ColumnsDialog
from tui.dialogs.views_dialog import ViewsDialog
from tui.screens.facts.screen import FactsScreen

pytestmark = pytest.mark.slow

WHOLE = "grade of mc reverse natural, thinking off"
"""The longest of what is told of a column."""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database of one's own in the folder where the program was started, nobody's settings."""
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("LOSTKEYS_STATE", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    return sample_project(tmp_path / "sample.db")


async def press(pilot: Pilot[None], *keys: str) -> str:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)
    return text(pilot.app)


def titles(screen: FactsScreen) -> list[str]:
    view = screen.list.view
    assert view.listing is not None
    assert view.snapshot is not None
    return [view.snapshot.headings[place].title for place in view.listing.places.tolist()]


async def test_a_view_is_saved_altered_and_switched_to(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        await press(pilot, "s", "s")
        await press(pilot, "|", "space", "j", "j", ")", "enter")
        columns = screen.list.asking.columns
        assert columns is not None
        assert "profile" not in columns
        seen = await press(pilot, "V", "+", *"mine", "tab", "space", "enter")
        assert "saved as mine  alt+1" in seen
        assert "Facts  mine " in seen
        found = saved_views.find("mine")
        assert (found.sort, found.columns, found.lens.model) == ("views-", columns, "gemma3-27b")
        before = titles(screen)
        assert "Facts  mine* " in await press(pilot, "S")
        assert titles(screen) != before
        seen = await press(pilot, "alt+1")
        assert "Facts  mine " in seen
        assert titles(screen) == before
        assert "no view 2" in await press(pilot, "alt+2")


async def test_a_view_brings_its_lens_and_search(path: Path) -> None:
    saved_views.save(SavedView("small", where="search:of", lens=LensParts("gemma3-4b", tau=0.75)))
    saved_views.save(SavedView("of nobody", lens=LensParts("no such model")))
    async with opened(path) as (pilot, screen):
        await press(pilot, "V", "1")
        lens = screen.lostkeys.lens
        assert lens is not None
        assert (lens.model, lens.policy.tau) == ("gemma3-4b", 0.75)
        assert screen.list.asking.search == "of"
        assert "no answers here of no such model" in await press(pilot, "escape", "V", "2")
        assert lens == screen.lostkeys.lens


async def test_views_are_shown_with_their_rows_named_and_removed(path: Path) -> None:
    saved_views.save(SavedView("every one"))
    async with opened(path) as (pilot, _):
        seen = await press(pilot, "V")
        await until(pilot, lambda: " 12 " in text(pilot.app).partition("every one")[2][:110])
        assert "ready-made" in seen
        assert "lostkeys export facts -o FILE --view 'every one'" in seen
        seen = await press(pilot, "e", *"all", "enter")
        assert [view.name for view in saved_views.load().views] == ["all"]
        await press(pilot, "delete", "y")
        assert saved_views.load().views == ()
        assert "none saved yet" in text(pilot.app)


async def test_a_list_goes_by_the_name_that_its_view_has_now(path: Path) -> None:
    async with opened(path) as (pilot, _):
        await press(pilot, "V", "+", *"mine", "enter", "S")
        await press(pilot, "V", "e", *"ours", "enter")
        seen = await press(pilot, "escape")
        assert "Facts  ours* " in seen, "it is altered as it was"
        assert "Facts  ours " in await press(pilot, "S")
        await press(pilot, "V", "delete", "y")
        seen = await press(pilot, "escape")
        assert "ours" not in seen
        saved_views.save(SavedView("theirs"))
        await press(pilot, "V", "1")
        saved_views.remove(SavedView("theirs"))
        await press(pilot, "V")
        dialog = pilot.app.screen
        assert isinstance(dialog, ViewsDialog)
        assert dialog.views.view is not None, "the cursor is on a view though that one is gone"


async def test_keys_sent_at_once_put_a_view_two_places_later(path: Path) -> None:
    for name in ("a", "b", "c"):
        saved_views.save(SavedView(name))
    async with opened(path) as (pilot, _):
        await press(pilot, "V")
        assert isinstance(pilot.app, LostkeysApp)
        send(pilot.app, ")", ")")
        await settled(pilot)
        assert [one.name for one in saved_views.load().list_views("facts")] == ["b", "c", "a"]
        dialog = pilot.app.screen
        assert isinstance(dialog, ViewsDialog)
        assert dialog.views.view is not None
        assert dialog.views.view.name == "a"


async def test_the_list_is_written_once_and_over_only_when_asked(path: Path) -> None:
    file = path.with_name("rows.csv")
    async with opened(path) as (pilot, screen):
        for answer in ((), ("n",), ("y",)):
            await press(pilot, "s", "W", *"rows.csv", "enter", *answer)
            await until(pilot, file.exists)
        await until(pilot, lambda: "12 rows in rows.csv" in text(pilot.app))
        assert len(file.read_text().splitlines()) == 1 + len(titles(screen))
        about = json.loads(path.with_name("rows.csv.meta.json").read_bytes())
        assert about["sort"] == screen.list.asking.words.sort
        seen = await press(pilot, "W", *"rows.txt", "enter")
        assert "must end in" in seen
        assert "enter writes it   esc closes" in seen
        assert "must end in" not in await press(pilot, *["backspace"] * 2, "s", "v", "enter")
        await until(pilot, path.with_name("rows.tsv").exists)
        await press(pilot, "W", *"rows.txt", "enter")
        seen = await press(pilot, "escape", "W", *"nowhere/x.md", "enter")
        assert "is not a folder" in seen
        assert "nowhere/x.md" in seen, "what was typed can be mended"
        await press(pilot, "escape")
        seen = await press(pilot, "Y")
        assert "copied 12 rows" in seen
        assert pilot.app.clipboard.splitlines()[0].startswith("profile\ttitle")


async def test_nothing_is_named_that_cannot_be_saved(path: Path) -> None:
    file = saved_views.path()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("[[view")
    async with opened(path) as (pilot, _):
        seen = await press(pilot, "V", "+")
        assert "nothing is saved: " in seen
        assert "Save what is seen" not in seen
    assert file.read_text() == "[[view"


async def test_what_columns_hold_is_told_in_full_beside_long_names(path: Path) -> None:
    async with opened(path, (80, 24)) as (pilot, _):
        offers = [ColumnOffer("title", "title of the document"), ColumnOffer("m" * 90, WHOLE)]
        pilot.app.push_screen(ColumnsDialog(offers, ("title",), None))
        seen = await settled(pilot)
    assert f"{WHOLE} " in seen
    assert "title of the document " in seen
    assert "esc leaves it " in seen


async def test_queues_are_written_too(path: Path) -> None:
    async with opened(path) as (pilot, _):
        for key, name in (("f4", "disagreements"), ("f5", "questions")):
            await press(pilot, key, "W", "enter")
            await until(pilot, path.with_name(f"{name}.csv").exists)
            assert "copied" in await press(pilot, "Y")
