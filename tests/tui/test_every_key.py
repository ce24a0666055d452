"""Every key of the key table reaches its action in the place that it is for."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from textual.actions import parse

from core.errors import LostkeysError
from core.settings.preferences import Settings
from tests.tui.sample import sample_project
from tests.tui.screens.bench.making import bench_project
from tests.tui.screens.jobs.making import VIEWS, ShowingApp
from tests.tui.screens.latent.making import latent_project
from tests.tui.seeing import settled
from tui.keys import KEYS

WAYS: dict[str, tuple[str, ...]] = {
    "everywhere": (),
    "list": (),
    "facts": ("l",),
    "search": ("slash",),
    "task": ("4", "4"),
    "jobs": ("f6",),
    "profiles": ("f3", "v"),
    "flow": ("f3", "C", "enter"),
    "confusion": ("f4",),
    "review": ("f5",),
    "verdict": ("f5", "enter"),
    "editor": ("f5", "enter", "e"),
    "figures": ("f7",),
    "latent": ("f8",),
    "bench": ("f9",),
    "decision": ("f4", "enter"),
    "audits": ("f4", "v"),
    "audit": ("f4", "v", "+", "m", "enter", "enter"),
    "align": ("f4", "v", "v", "v"),
    "line": ("f3", "number_sign"),
    "note": ("f4", "enter", "n"),
    "acts": ("x", "ctrl+p", "w", "h", "a", "t", "space", "I", "enter"),
    "answer": ("4", "4", "enter"),
    "dialog": ("question_mark",),
    "found": ("m",),
    "choices": ("m",),
    "words": ("question_mark",),
    "graders": ("g",),
    "columns": ("|",),
    "views": ("V",),
    "parts": ("V", "+", "tab"),
    "offers": (),
    "picker": ("down", "enter"),
    "seen": (),
    "small": (),
    "confirm": ("f6", "X"),
    "quitting": ("q",),
    "form": ("r",),
}
"""Keys that lead from the first screen to a place."""

WORKING = ("jobs", "confirm", "quitting")
"""Places that there are only with a job."""

EMPTY = ("offers", "picker")
"""Places where there are no facts yet."""

FILTER = ("f", "enter")
FIRST: dict[str, tuple[str, ...]] = {
    "facts.unfilter": FILTER,
    "profiles.unfilter": FILTER,
    "review.reason.1": ("d",),
    "review.sample": ("v",),
    "figures.set": ("end",),
    "confusion.same": ("enter", "a", "escape"),
    "confusion.unfilter": FILTER,
}
"""Keys that do something only after others."""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_project(tmp_path_factory.mktemp("keys") / "sample.db")


class Expecting(ShowingApp):
    """The app, perhaps with a job; the action that is expected is noted instead of done."""

    expected: tuple[str, tuple[Any, ...]] | None = None
    came = False

    async def _dispatch_action(
        self, namespace: Any, action_name: str, params: Any, *rest: Any
    ) -> bool:
        if (action_name, tuple(params)) != self.expected:
            return await super()._dispatch_action(namespace, action_name, params, *rest)
        self.came = True
        return True


def test_every_place_is_known() -> None:
    assert {place for key in KEYS for place in key.places} == set(WAYS)


@pytest.mark.slow
@pytest.mark.parametrize("place", WAYS)
async def test_keys(place: str, database: Path, tmp_path: Path) -> None:
    path = tmp_path / "none.db" if place in EMPTY else database
    if place == "audit":
        path = Path(shutil.copy(database, tmp_path / "audited.db"))
    if place == "latent":
        path = latent_project(tmp_path / "latent.db")
    if place == "bench":
        path = bench_project(tmp_path / "bench.db")
    app = Expecting(path, VIEWS if place in WORKING else (), Settings(name="mira"))
    size = (36, 8) if place == "small" else (120, 40)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        if place == "seen":
            app.fail(LostkeysError("something is wrong"))
        for step in WAYS[place]:
            await pilot.press(step)
            await settled(pilot)
        for key in (one for one in KEYS if place in one.places):
            for first in FIRST.get(key.id, ()):
                await pilot.press(first)
                await settled(pilot)
            _, name, params = parse(key.action)
            for pressed in key.keys.split(","):
                app.expected, app.came = (name, tuple(params)), False
                await pilot.press(pressed)
                await pilot.pause()
                assert app.came, f"{key.id}: {pressed}"
            app.expected = None
