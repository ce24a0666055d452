"""A comparison in the running app: choosing, the bracket, opening facts, empty states."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from core.demo.demo_setup import read_facts
from core.project import OpenProject
from core.results import saved_policies
from core.scoring.policy import Policy
from core.settings.preferences import Settings
from core.views.profiles.profile_comparison import ComparisonTarget
from core.vocabulary import Outcome
from tests.core.making import Row, new_project, put_facts, put_rows
from tests.tui.sample import A, sample_project
from tests.tui.screens.profiles.driver import Driver
from tests.tui.seeing import picture, settled
from tui.app.app import LostkeysApp
from tui.screens.profiles.render_flow import FlowCell


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_project(tmp_path_factory.mktemp("comparing") / "sample.db")


@pytest.fixture
def database(made: Path, tmp_path: Path) -> Path:
    shutil.copy(made, tmp_path / "sample.db")
    return tmp_path / "sample.db"


@pytest.fixture
async def at(database: Path) -> AsyncIterator[Driver]:
    app = LostkeysApp(database, Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        driver = Driver(app, pilot)
        await driver.open()
        yield driver


async def compare(at: Driver, *words: str) -> None:
    """Choose what is found by typing; wait until it is in sight."""
    await at.press("C")
    await at.until(lambda: "Compare with" in at.seen())
    await at.press(*words, "enter")
    await at.until(lambda: at.screen.state.crossed is not None)
    await at.until(lambda: at.screen.focused in (at.screen.panes.flow, at.screen.panes.numbers))


async def test_a_cell_opens_its_facts_live_under_the_lens(at: Driver) -> None:
    await compare(at)
    before = at.screen.panes.flow.table
    await at.press("right_square_bracket", "right_square_bracket")
    table, found = at.screen.panes.flow.table, at.screen.state.crossed
    assert table is not None
    assert found is not None
    assert before is not None
    assert before.tolist() != table.tolist()
    assert found.found.a.policy.tau == 0.9
    places = [FlowCell(a, b) for a in range(6) for b in range(6) if a != b and table[a, b]]
    at.screen.panes.flow.bracket = FlowCell(0, 0)
    down, right = places[0]
    await at.press(*["j"] * down, *["l"] * right)
    assert at.screen.panes.flow.bracket == places[0]
    assert f"{table[places[0]]} fact" in at.seen()
    await at.press("enter")
    await at.until(lambda: at.app.tab == "facts" and len(at.listed) == table[places[0]])
    await at.press("f3", "escape")
    assert not at.screen.state.comparing
    assert at.screen.panes.main.row is not None


@pytest.mark.slow
async def test_numbers_get_their_tests_and_open_what_differs(at: Driver) -> None:
    await compare(at)
    await at.until(lambda: at.screen.state.tested is not None)
    assert "chance, p" in at.seen()
    await at.press("tab", "end", "up")
    change = at.screen.panes.numbers.change
    assert change is not None
    assert change.number == "knows"
    count = change.only_a + change.only_b
    assert count
    await at.press("enter")
    await at.until(lambda: at.app.tab == "facts" and len(at.listed) == count)


@pytest.mark.slow
async def test_a_saved_policy_is_the_other_side(at: Driver, database: Path) -> None:
    with OpenProject(database, "write") as project:
        saved_policies.save(project, "strict [b]", Policy(tau=0.9, graders=("lexical", A)[1:]))
    at.screen.reload()
    await at.until(lambda: bool(at.material.names))
    await compare(at, *"strict")
    assert "B under strict [b]" in at.seen()
    await at.press("left_square_bracket")
    found = at.screen.state.crossed
    assert found is not None
    assert (found.found.a.policy.tau, found.found.b.policy.tau) == (0.25, 0.9)


@pytest.mark.slow
async def test_one_model_on_both_sides_says_what_to_do(at: Driver) -> None:
    await compare(at)
    found = at.screen.state.crossed
    assert found is not None
    at.app.look_at(found.b)
    await at.until(lambda: "is on both sides" in at.seen())
    await at.press("j", "l", "enter", "y", "tab", "enter")
    assert at.app.tab == "profiles"
    await at.press("escape")
    assert at.screen.panes.main.rows


def asked(model: str) -> list[Row]:
    """One fact answered rightly, without thinking."""
    fact = read_facts()[0]
    right = {A: Outcome.CORRECT}
    return [Row(fact.fact_id, task, model, False, 0, right) for task in fact.questions]


@pytest.mark.slow
async def test_the_only_model_has_nothing_to_be_compared_with(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    with new_project(path) as project:
        put_facts(project, read_facts()[:2])
        put_rows(project, asked("m"))
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        at = Driver(app, pilot)
        await at.open()
        await at.press("C")
        assert at.app.status.said is not None
        assert "m is the only model here" in at.app.status.said.text
        with OpenProject(path, "write") as project:
            put_rows(project, asked("n"))
        at.app.poll()
        await at.until(lambda: len(at.screen.panes.main.rows) == 2)
        await compare(at)
        assert "No profiles: m and n were not asked with thinking" in at.seen()
        assert at.screen.focused is at.screen.panes.numbers


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (40, 10), (120, 24), (200, 60)])
async def test_all_sizes(database: Path, size: tuple[int, int]) -> None:
    app = LostkeysApp(database, Settings(name="mira"))
    async with app.run_test(size=size) as pilot:
        at = Driver(app, pilot)
        await at.open()
        await compare(at)
        assert at.screen.panes.flow.size.height >= min(8, size[1] - 9)
        await at.press("home", "end", "tab", "j")
        assert at.screen.focused is at.screen.panes.numbers
        assert at.screen.panes.numbers.size.height >= 1
        await at.press("slash", *"qqxzzq", "enter")
        await at.until(lambda: "Nothing matches" in at.seen())
        assert at.screen.panes.main.display
        await at.press("F")
        await at.until(lambda: at.screen.state.comparing)
        await pilot.resize_terminal(120, 40)
        await at.press("escape")
        assert not at.screen.state.comparing


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "theme"),
    [((80, 24), "dark"), ((120, 40), "dark"), ((200, 60), "dark"), ((120, 40), "ansi")],
    ids=str,
)
async def test_as_it_stands(
    database: Path, size: tuple[int, int], theme: str, snapshot: SnapshotAssertion
) -> None:
    """After a wanted change: `--snapshot-update`, and look at the difference."""
    app = LostkeysApp(database, Settings(name="mira", theme=theme))
    async with app.run_test(size=size) as pilot:
        at = Driver(app, pilot)
        await at.open()
        await compare(at)
        await at.until(lambda: at.screen.state.tested is not None)
        await settled(pilot)
        assert picture(app) == snapshot


@pytest.mark.slow
async def test_what_becomes_of_the_file_is_said_and_what_is_shown_stays(
    at: Driver, database: Path, made: Path
) -> None:
    await compare(at)
    table = at.screen.panes.flow.table
    assert table is not None
    aside = database.with_name("aside.db")
    database.rename(aside)
    await at.press("slash", *"a", "enter")
    await at.until(lambda: "is gone" in at.seen())
    assert at.screen.state.comparing
    assert at.screen.panes.flow.table is not None
    shutil.copy(made, database)  # another file
    at.app.poll()
    await at.press("ctrl+r")
    await at.until(lambda: "is gone" not in at.seen() and "replaced" not in at.seen())
    await at.press("F", "escape")
    await at.until(lambda: not at.screen.state.comparing and bool(at.screen.panes.main.rows))


@pytest.mark.slow
async def test_a_model_that_is_gone_is_said(at: Driver) -> None:
    await compare(at)
    at.screen.state.compare(ComparisonTarget("[/red] gone"))
    at.screen.paint()
    await at.until(lambda: "[/red] gone cannot be compared with any more" in at.seen())
    await at.press("enter", "y", "h", "tab", "enter")
    assert at.app.tab == "profiles"


@pytest.mark.slow
async def test_undo_and_a_policy_saved_twice_keep_the_comparison(
    at: Driver, database: Path
) -> None:
    await compare(at)
    for key in ("right_square_bracket", "right_square_bracket"):
        await at.press(key, "w")
        await at.until(lambda: "carry its name" in at.seen())
        await at.press(*"same", "enter")
        await at.until(lambda: "Lens  same" in at.seen())
    await at.press("u")
    assert at.screen.state.comparing
    with OpenProject(database, "read") as project:
        assert {name: one.tau for name, one in saved_policies.read_policies(project).items()} == {
            "same": 0.9
        }
