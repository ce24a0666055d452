"""Splits move by key and mouse on every screen, one pane is seen alone, and both are kept."""

import shutil
from pathlib import Path

import pytest
from textual.events import MouseDown, MouseMove, MouseUp
from textual.screen import Screen

from core.settings.preferences import Settings
from tests.marks import slow
from tests.tui.sample import sample_project
from tests.tui.screens.jobs.making import VIEWS, ShowingApp
from tests.tui.seeing import settled, text
from tui.app.app import LostkeysApp
from tui.screens.base_screen import BaseScreen
from tui.widgets.pane import Pane

SPLITS = [
    ("f1", "list", "right"),
    ("f2", "answers", "right"),
    ("f4", "queue", "left"),
    ("f4", "upper", "down"),
    ("f5", "review-queue", "right"),
    ("f5", "review-rate", "up"),
    ("f6", "left", "left"),
    ("f6", "stages", "up"),
    ("f7", "figures", "right"),
]
"""The key of a screen, the pane that grows or shrinks there, and which way the split moves."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_project(tmp_path_factory.mktemp("panes") / "sample.db")


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path / "mine.db"))


def opened(path: Path) -> LostkeysApp:
    return LostkeysApp(path, Settings(name="mira"))


def size_of(app: LostkeysApp, pane: str, rows: bool = False) -> int:
    size = app.screen.query_one(f"#{pane}").outer_size
    return size.height if rows else size.width


def panes_seen(app: LostkeysApp) -> list[str]:
    return [str(one.id) for one in app.screen.query(Pane) if one.region.area]


@pytest.mark.parametrize("size", [(200, 60), slow((80, 24))], ids=["wide", "narrow"])
async def test_panes_have_their_width_from_the_first_frame(
    path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened(path)
    seen: dict[str, list[dict[str, tuple[int, int]]]] = {}
    display = app._display

    def displayed(screen: Screen[object], update: object) -> None:
        if isinstance(screen, BaseScreen):
            seen.setdefault(screen.tab, []).append(
                {str(one.id): one.region.column_span for one in screen.query(Pane)}
            )
        display(screen, update)  # type: ignore[arg-type]

    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        monkeypatch.setattr(app, "_display", displayed)
        for key in ("f2", "f4"):
            await pilot.press(key)
            await settled(pilot)
    assert list(seen) == ["task", "confusion"]
    for frames in seen.values():
        assert [one for one in frames if one != frames[-1]] == []


@pytest.mark.parametrize("cases", [SPLITS[:1], slow(SPLITS[1:])], ids=["first", "others"])
async def test_a_split_moves_by_four(path: Path, cases: list[tuple[str, str, str]]) -> None:
    app = ShowingApp(path, VIEWS, Settings(name="mira"))  # panes of Jobs stand with jobs in them
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        for screen, pane, way in cases:
            rows = way in ("up", "down")
            await pilot.press(screen)
            await settled(pilot)
            before = size_of(app, pane, rows)
            await pilot.press(f"ctrl+{way}")
            await settled(pilot)
            assert abs(size_of(app, pane, rows) - before) == 4, pane
            back = {"left": "right", "right": "left", "up": "down", "down": "up"}[way]
            await pilot.press(f"ctrl+{back}")
            await settled(pilot)
            assert size_of(app, pane, rows) == before, pane


async def test_the_mouse_drags_a_split_and_both_sides_keep_their_least(path: Path) -> None:
    app = opened(path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        edge = size_of(app, "list")
        await pilot.mouse_down(offset=(edge - 1, 20))
        await pilot.hover(offset=(edge + 9, 25))
        await settled(pilot)
        assert size_of(app, "list") == edge + 10
        await pilot.hover(offset=(2, 20))
        await pilot.mouse_up(offset=(2, 20))
        await settled(pilot)
        assert size_of(app, "list") == 24
        await pilot.hover(offset=(60, 20))
        await settled(pilot)
        assert size_of(app, "list") == 24, "it was let go"


async def test_a_quick_hand_drags_a_split_and_lets_it_go(path: Path) -> None:
    app = opened(path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        edge = size_of(app, "list")
        for kind, x in ((MouseDown, edge), (MouseMove, edge + 8), (MouseUp, edge + 8)):
            app.post_message(kind(None, x, 20, 0, 0, 1, False, False, False, x, 20))
        await settled(pilot)
        assert size_of(app, "list") == edge + 8
        assert app.mouse_captured is None, "the next click is one"
        await pilot.hover(offset=(60, 20))
        await settled(pilot)
        assert size_of(app, "list") == edge + 8, "it was let go"


async def test_a_press_where_nothing_stands_holds_nothing(path: Path) -> None:
    app = opened(path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        edge = size_of(app, "list")
        for kind, x in ((MouseDown, 500), (MouseMove, 60), (MouseUp, 60)):
            app.post_message(kind(None, x, 20, 0, 0, 1, False, False, False, x, 20))
        await settled(pilot)
        assert size_of(app, "list") == edge


async def test_one_pane_is_seen_alone_and_escape_gives_the_others_back(path: Path) -> None:
    app = opened(path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        before = text(app)
        await pilot.press("z")
        await settled(pilot)
        assert panes_seen(app) == ["list"]
        assert size_of(app, "list") == 120
        assert "esc all panes" in text(app)
        await pilot.press("tab")
        await settled(pilot)
        assert panes_seen(app) == ["fact"], "the pane with the focus"
        await pilot.press("shift+tab", "escape")
        await settled(pilot)
        assert text(app) == before


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_every_pane_alone_and_back_is_as_before(path: Path, size: tuple[int, int]) -> None:
    app = opened(path)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        for tab in ("f1", "f2", "f3", "f4", "f5", "f6", "f7"):
            await pilot.press(tab)
            await settled(pilot)
            for _ in range(min(4, len(app.screen.query(Pane)))):
                await pilot.press("tab")
                app.clear_said()
                await pilot.pause()
                before = text(app).splitlines()[:-2]
                await pilot.press("z")
                await pilot.pause()
                assert len(panes_seen(app)) == 1
                await pilot.press("z")
                app.clear_said()
                await pilot.pause()
                assert text(app).splitlines()[:-2] == before


@pytest.mark.slow
async def test_layouts_are_kept_by_width_class_and_fit_a_smaller_terminal(path: Path) -> None:
    app = opened(path)
    async with app.run_test(size=(200, 60)) as pilot:
        await settled(pilot)
        wide = size_of(app, "list")
        for _ in range(30):
            await pilot.press("ctrl+right")
        await settled(pilot)
        assert size_of(app, "list") == 200 - 24
        app.session.look()
    app = opened(path)
    async with app.run_test(size=(160, 40)) as pilot:
        await settled(pilot)
        assert size_of(app, "list") == 160 - 24
        await pilot.resize_terminal(120, 40)
        await settled(pilot)
        assert size_of(app, "list") < wide
        await pilot.press("z")
        await settled(pilot)
        await pilot.resize_terminal(200, 60)
        await settled(pilot)
        assert size_of(app, "list") == 200 - 24, "alone at the other width only"
        app.session.look()
    app = opened(path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert panes_seen(app) == ["list"]


async def test_a_text_field_keeps_its_keys(path: Path) -> None:
    app = opened(path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        before = size_of(app, "list")
        await pilot.press("slash", *"ab zz", "ctrl+left", "x")
        await settled(pilot)
        assert "ab xzz" in text(app)
        assert isinstance(app.screen, BaseScreen)
        assert size_of(app, "list") == before


@pytest.mark.slow
@pytest.mark.parametrize(("keys", "pane"), [(("4", "enter"), "text"), (("f4", "enter"), "context")])
async def test_a_third_column_stands_from_160_columns(
    path: Path, keys: tuple[str, ...], pane: str
) -> None:
    app = opened(path)
    async with app.run_test(size=(120, 40)) as pilot:
        for key in keys:
            await settled(pilot)
            await pilot.press(key)
        await settled(pilot)
        assert pane not in panes_seen(app)
        await pilot.resize_terminal(200, 60)
        await settled(pilot)
        assert pane in panes_seen(app)
        wanted = ("in the text", "alike, over all models", "all models on this question")
        assert all(words in text(app) for words in wanted)
        await pilot.press("j")
        await settled(pilot)
        assert all(words in text(app) for words in wanted), "of the next one, too"


@pytest.mark.slow
async def test_blind_no_labels_stand_around_a_card(path: Path) -> None:
    app = opened(path)
    async with app.run_test(size=(200, 60)) as pilot:
        for key in ("f4", "B", "enter"):
            await settled(pilot)
            await pilot.press(key)
        await settled(pilot)
        assert "in the text" in text(app)
        assert "alike" not in text(app)
        assert "all models on" not in text(app)
        assert "the other questions" not in text(app)
        await pilot.press("c", "k")
        await settled(pilot)
        assert "alike, over all models" in text(app)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "words"),
    [
        (("f4", "enter"), ("your decision", "CORRECT", "INCORRECT", "skip")),
        (("f5", "enter"), ("your decision", "accept", "reject", "edit")),
        (("4", "enter", "enter"), ("your label", "correct", "incorrect", "partially")),
    ],
    ids=["confusion", "review", "task"],
)
async def test_a_decision_stays_in_sight_while_what_is_read_scrolls(
    tmp_path: Path, way: tuple[str, ...], words: tuple[str, ...]
) -> None:
    app = LostkeysApp(sample_project(tmp_path / "sample.db"), Settings(name="mira"))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press(*way)
        shown = (await settled(pilot)).splitlines()
        await pilot.press("end")
        scrolled = (await settled(pilot)).splitlines()
        assert shown[2:6] != scrolled[2:6] or "4" in way  # the page of Task fits
        at = next(row for row, line in enumerate(scrolled) if words[0] in line)
        assert scrolled[at:22] == shown[at:22]
        assert all(word in "\n".join(scrolled[at:22]) for word in words)
