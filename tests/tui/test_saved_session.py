"""A database is shown as it was left, and what cannot be taken up falls back part by part."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path

import orjson
import pytest
from textual.pilot import Pilot

from core.scoring.policy import Policy
from core.settings.paths import state_folder
from core.settings.preferences import Settings
from tests.patience import until
from tests.tui.sample import sample_project
from tests.tui.screens.bench.making import bench_project
from tests.tui.seeing import is_waiting, settled, text
from tui.app.app import LostkeysApp
from tui.screens.facts.screen import FactsScreen

STANDS = 3
"""How often a screen that stands is found settled."""

SIZES = [(80, 24), (120, 40), (200, 60)]

WALKS = {
    "facts": ("j", "j", "s", "]", "l", "5", "space"),
    "search": ("slash", *"ma", "enter", "j"),
    "filters": ("f", "enter", "j"),
    "task": ("j", "4", "enter", "enter", "j", "j", "v"),
    "task by its key": ("f2", "3", "j", "enter", "j"),
    "profiles": ("f3", "v", "j", "s", "l", "I"),
    "comparison": ("f3", "C", "enter", "l", "j"),
    "moved": ("f3", "]", "]", "M"),
    "confusion": ("f4", "v", "j", "j", "j", "enter", "B"),
    "cell": ("f4", "tab", "tab", "l", "enter", "j"),
    "from a card": ("f4", "j", "enter", "enter"),
    "review": ("f5", "v", "v", "v", "v"),
    "figures": ("f7", "j", "j", "I", "j"),
    "jobs": ("f6", "f"),
}


LATE = ("comparison", "moved")
"""Walks that end in a list that knows its first row only as it is painted."""

KEPT = b'{"kept": "by another program"}'


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_project(tmp_path_factory.mktemp("left") / "sample.db")


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path / "mine.db"))


@asynccontextmanager
async def opened(
    path: Path, size: tuple[int, int] = (120, 40), fresh: bool = False, remembers: bool = True
) -> AsyncIterator[tuple[LostkeysApp, Pilot[None]]]:
    app = LostkeysApp(path, Settings(name="mira", remember=remembers), fresh=fresh)
    async with app.run_test(size=size) as pilot:
        await until(lambda: app.snapshot is not None, lambda: text(app), lambda: pilot.pause(0.02))
        await settled(pilot)
        yield app, pilot
        app.session.look()


def frame(app: LostkeysApp) -> list[str]:
    """The screen without its status line, which says for some seconds that it is as it was left."""
    lines = text(app).splitlines()
    return [*lines[:-2], lines[-1]]


async def last_frame(pilot: Pilot[None]) -> None:
    """Wait until the screen stands: intervals and figures come a little after the rest."""
    for _ in range(STANDS):
        await settled(pilot)


def has_found_all(app: LostkeysApp) -> bool:
    """Whether what is searched in the list of facts has been searched in all answers too."""
    facts = app.tab_screen("facts")
    assert isinstance(facts, FactsScreen)
    return facts.listing is None or not facts.asked.searching or facts.listing.complete


def saved() -> list[Path]:
    return sorted((state_folder() / "sessions").glob("*"))


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("walk", WALKS)
async def test_quitting_and_starting_again_shows_the_same(
    path: Path, walk: str, size: tuple[int, int]
) -> None:
    kept = await leave_and_come_back(path, WALKS[walk], size)
    assert kept or walk in LATE


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
async def test_arms_stand_as_they_were_left(tmp_path: Path, size: tuple[int, int]) -> None:
    keys = ("f9", "j", "enter", "v", "j", "enter", "j", "z")
    await leave_and_come_back(bench_project(tmp_path / "mine.db"), keys, size)


async def leave_and_come_back(path: Path, keys: tuple[str, ...], size: tuple[int, int]) -> bool:
    """What is left is there again; gives whether who then touches nothing leaves its file alone.

    Another program may have kept something else there meanwhile.
    """
    async with opened(path, size) as (app, pilot):
        for key in keys:
            await pilot.press(key)
            await settled(pilot)
        await until(lambda: not is_waiting(app), lambda: text(app), lambda: pilot.pause(0.02))
        await until(lambda: has_found_all(app), lambda: text(app), lambda: pilot.pause(0.02))
        await settled(pilot)  # what takes long, as intervals do, comes a little after the rest
        app.clear_said()
        before, out = frame(app), app.places.way_out

    def parted() -> str:
        return "\n".join(unified_diff(before, frame(app), "as it was left", "as it is"))

    async with opened(path, size) as (app, pilot):
        # What takes long, as a figure does, comes a little after the rest.
        await until(lambda: frame(app) == before, parted, lambda: pilot.pause(0.02))
        assert app.places.way_out == out
        await until(lambda: not is_waiting(app), lambda: text(app), lambda: pilot.pause(0.02))
        await last_frame(pilot)
        (file,) = saved()
        file.write_bytes(KEPT)
    return file.read_bytes() == KEPT


@pytest.mark.slow
async def test_it_is_said_how_it_was_left_and_the_start_values_are_the_databases(
    path: Path,
) -> None:
    async with opened(path) as (app, pilot):
        start = app.lens
        await pilot.press("]", "f", "enter")
        await settled(pilot)
    async with opened(path) as (app, pilot):
        said = app.status.said
        assert said is not None
        assert said.text.startswith("as you left it, ")
        assert "τ .75" in said.text
        assert said.text.endswith("= start values  F all facts")
        assert app.start_lens == start
        await pilot.press("=")
        await settled(pilot)
        assert app.lens == start


@pytest.mark.slow
async def test_without_a_session_nothing_is_as_it_was_left(path: Path) -> None:
    async with opened(path) as (app, pilot):
        await pilot.press("f4")
        await settled(pilot)
    async with opened(path, fresh=True) as (app, _):
        assert (app.tab, app.status.said) == ("facts", None)
    async with opened(path, remembers=False) as (app, pilot):
        assert app.tab == "facts"
        kept = {one: one.read_bytes() for one in saved()}
        await pilot.press("f5")
        await settled(pilot)
    assert {one: one.read_bytes() for one in saved()} == kept


@pytest.mark.slow
async def test_what_is_gone_is_named(path: Path) -> None:
    async with opened(path) as (app, pilot):
        await pilot.press("j", "]")
        await settled(pilot)
    [file] = saved()
    found = orjson.loads(file.read_bytes())
    found["session"]["lens"] |= {"model": "\x1b[31mghost", "compared": ["nobody"]}
    found["session"]["screens"]["facts"]["fact"] = "no such fact"
    file.write_bytes(orjson.dumps(found))
    async with opened(path) as (app, _):
        assert app.lens is not None
        assert app.lens.policy.tau == 0.75
        assert app.lens.model == "gemma3-27b"
        assert app.status.said is not None
        assert "gone: " in app.status.said.text
        for name in ("ghost", "nobody", "no such fact"):
            assert name in app.status.said.text
        assert "\x1b" not in text(app)


@pytest.mark.slow
@pytest.mark.parametrize(
    "damage",
    [
        lambda old: old[: len(old) // 2],
        lambda old: old.replace(b'"version":1', b'"version":2'),
        lambda old: b"",
        lambda old: b"[" * 5_000,
        lambda old: b'{"version":1,"saved":1,"session":{"tab":"nowhere","screens":{"facts":3}}}',
        lambda old: old + b" " * 10_000_000,
    ],
)
async def test_a_damaged_file_costs_the_session_alone(path: Path, damage: object) -> None:
    async with opened(path) as (app, pilot):
        await pilot.press("f4")
        await settled(pilot)
    [file] = saved()
    file.write_bytes(damage(file.read_bytes()))  # type: ignore[operator]
    async with opened(path) as (app, _):
        assert app.tab == "facts"
        assert app.lens == app.start_lens
        assert "12 facts" in text(app) or app.status.said is not None


@pytest.mark.slow
async def test_where_nothing_can_be_written_all_else_goes_on(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    monkeypatch.setenv("LOSTKEYS_STATE", str(blocked))
    async with opened(path) as (app, pilot):
        await pilot.press("f4")
        await settled(pilot)
        app.session.write_now()
        await until(
            lambda: "how you leave this is not kept" in text(app),
            lambda: text(app),
            lambda: pilot.pause(0.05),
        )
        assert "Not a directory" in text(app)
        assert app.tab == "confusion"
    assert blocked.is_file()


async def test_a_session_that_is_not_kept_waits_until_a_message_has_been_read(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    monkeypatch.setenv("LOSTKEYS_STATE", str(blocked))
    async with opened(path) as (app, _pilot):
        app.session.look()
        app.session.write_now()
        app.say("off 1 is CORRECT")
        written = app.session._written_by
        assert written is not None
        written.result()
        app.session.poll()
        assert app.status.said is not None
        assert app.status.said.text == "off 1 is CORRECT"
        app.status.clear()
        app.session.poll()
        assert app.status.said is not None
        assert app.status.said.text.startswith("how you leave this is not kept: ")


@pytest.mark.slow
async def test_nothing_is_written_where_nothing_changed(path: Path) -> None:
    async with opened(path) as (_app, pilot):
        await pilot.press("j")
        await settled(pilot)
    [file] = saved()
    os.utime(file, (1, 1))
    async with opened(path) as (_, pilot):
        await pilot.press("k", "j")
        await settled(pilot)
    assert file.stat().st_mtime == 1


@pytest.mark.slow
async def test_keys_pressed_while_it_opens_win(path: Path) -> None:
    async with opened(path) as (app, pilot):
        await pilot.press("f4")
        await settled(pilot)
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await app.action_visit("profiles")
        await until(lambda: app.snapshot is not None, lambda: text(app), lambda: pilot.pause(0.02))
        await settled(pilot)
        assert app.tab == "profiles"


@pytest.mark.slow
async def test_what_a_jump_changed_is_given_back_and_what_was_changed_since_stays(
    path: Path,
) -> None:
    async with opened(path) as (app, pilot):
        facts = app.tab_screen("facts")
        assert isinstance(facts, FactsScreen)
        asked = facts.asked
        await pilot.press("f3", "]", "M")
        await settled(pilot)
        assert app.tab == "facts"
        assert facts.asked.filters.only is not None
        assert app.places.way_out == "Profiles"
        await pilot.press("s", "]")
        await settled(pilot)
        await pilot.press("escape")
        await settled(pilot)
        assert app.tab == "profiles"
        assert facts.asked.filters == asked.filters
        assert facts.asked.order is not asked.order
        assert app.lens is not None
        assert app.lens.policy == replace(app.lens.policy, tau=0.9)
        assert Policy().tau == 0.5
