"""The Profiles screen in the running app: every key, every empty state, what opens in Facts."""

import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.demo.demo_setup import read_facts
from core.errors import LostkeysError
from core.project import OpenProject
from core.results.profile_summary import profiles
from core.results.saved_policies import read_policies
from core.settings.preferences import Settings
from core.views.lens import TAUS
from core.views.profiles.profile_rows import RowKind, RowOrder
from core.vocabulary import CODE_ORDER, Strategy
from tests.core.making import Row as Stored
from tests.core.making import new_project, put_facts, put_rows
from tests.core.views.making import change_graders
from tests.tui.sample import FACTS, A, B, sample_project
from tests.tui.screens.profiles.driver import Driver
from tests.tui.seeing import settled
from tui.app.app import LostkeysApp
from tui.screens.profiles.widgets import ProfilesPanes
from tui.widgets.line_widget import ClickableLine
from tui.widgets.text_field import TextField


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_project(tmp_path_factory.mktemp("profiles") / "sample.db")


@pytest.fixture
def database(made: Path, tmp_path: Path) -> Path:
    shutil.copy(made, tmp_path / "sample.db")
    return tmp_path / "sample.db"


@pytest.fixture
async def at(database: Path) -> AsyncIterator[Driver]:
    app = LostkeysApp(database, Settings(name="mira"))
    async with app.run_test(size=(120, 36)) as pilot:
        driver = Driver(app, pilot)
        await driver.open()
        yield driver


def expected(path: Path, driver: Driver) -> dict[str, object]:
    """What the report counts under the lens of the screen."""
    lens = driver.app.lens
    assert lens is not None
    with OpenProject(path) as project:
        return dict(profiles(project, replace(lens.policy, graders=lens.ranked)).models)


def summaries(driver: Driver) -> dict[str, object]:
    return {row.name: row.now.summary for row in driver.screen.panes.main.rows}


@pytest.mark.slow
async def test_every_lens_key_is_seen_at_once_and_right(at: Driver, database: Path) -> None:
    for key in ("]", "]", "[", "}", "{", ".", ".", ">", "<", ",", "="):
        name = {"]": "right_square_bracket", "[": "left_square_bracket"}.get(key, key)
        at.app.simulate_key(name)
        await at.pilot.pause()
        assert summaries(at) == expected(database, at), key


@pytest.mark.slow
async def test_a_key_does_not_wait_for_the_snapshot(at: Driver) -> None:
    snapshot = at.app.snapshot
    at.app.action_tau(1)
    assert at.app.snapshot is snapshot
    assert at.app.lens is not None
    assert at.app.lens.policy.tau == TAUS[TAUS.index(0.5) + 1]
    assert summaries(at) != {row.name: row.start.summary for row in at.screen.panes.main.rows}
    await at.until(lambda: at.app.snapshot is not snapshot)
    assert at.app.snapshot is not None
    assert at.app.snapshot.lens.policy.tau == 0.75


@pytest.mark.slow
async def test_held_keys_ask_for_one_snapshot(at: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    ask = at.app.ask

    def noting(key: str, *rest: object, **more: object) -> None:
        asked.append(key)
        ask(key, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(at.app, "ask", noting)
    for _ in range(10):
        at.screen.action_nudge(1)
    assert at.app.lens is not None
    assert at.app.lens.policy.tau == 0.6
    await at.until(lambda: at.app.snapshot is not None and at.app.snapshot.lens.policy.tau == 0.6)
    assert asked.count("snapshot") == 1


@pytest.mark.slow
async def test_an_older_snapshot_does_not_take_the_lens_back(at: Driver) -> None:
    at.app.action_tau(1)
    at.app.flush_lens()  # its snapshot is on the way
    at.app.action_tau(1)
    await at.until(lambda: at.app.snapshot is not None and at.app.snapshot.lens.policy.tau == 0.9)
    assert at.app.lens is not None
    assert at.app.lens.policy.tau == 0.9


@pytest.mark.slow
async def test_the_hundredths_end_at_both_ends(at: Driver) -> None:
    assert at.app.lens is not None
    at.app.set_lens(at.app.lens.with_policy(tau=0.99))
    at.screen.action_nudge(1)
    assert "highest" in at.app.status.said.text if at.app.status.said else False
    at.app.set_lens(at.app.lens.with_policy(tau=0.005))
    at.screen.action_nudge(-1)
    assert at.app.lens.policy.tau == 0.0


async def test_a_threshold_is_typed(at: Driver) -> None:
    await at.press("number_sign")
    await at.until(lambda: "is above" in at.seen())
    await at.press(*"1.5")
    assert "outside" in at.seen()
    await at.press("enter")
    assert "outside" in at.seen()
    await at.press(*["backspace"] * 3, *"abc", "enter")
    assert "give a number" in at.seen()
    await at.press(*["backspace"] * 3, *".625", "enter")
    assert at.app.lens is not None
    assert at.app.lens.policy.tau == 0.625
    assert "τ .625 was .50" in at.seen()


@pytest.mark.slow
async def test_differences_and_what_moved(at: Driver) -> None:
    assert "at the start" in at.seen()
    await at.press("M")
    assert at.app.status.said is not None
    assert "nothing has moved" in at.app.status.said.text
    for _ in range(3):
        await at.press("right_square_bracket")
    row = at.screen.panes.main.row
    assert row is not None
    assert row.moved > 0
    assert "thin line at τ .50" in at.seen()
    assert "was .50" in at.seen()
    await at.press("M")
    await at.until(lambda: at.app.tab == "facts" and len(at.listed) == row.moved)
    assert " moved " in at.seen()
    await at.press("F")
    await at.until(lambda: len(at.listed) == FACTS)


@pytest.mark.slow
@pytest.mark.parametrize("by", list(RowKind))
async def test_a_segment_opens_its_facts(at: Driver, by: RowKind) -> None:
    await at.press("right_square_bracket", "right_square_bracket")
    while at.screen.state.by is not by:
        await at.press("v")
    for _ in range(4):
        at.screen.action_side(-1)
    await at.press("j", "l")
    row, code = at.screen.panes.main.row, at.screen.panes.main.chosen
    assert row is not None
    assert code is not None
    count = row.now.by_code[CODE_ORDER.index(code)]
    assert count > 0
    await at.press("enter")
    await at.until(lambda: at.app.tab == "facts" and len(at.listed) == count)
    snapshot = at.app.snapshot
    assert snapshot is not None
    assert snapshot.lens.policy.tau == 0.9
    assert snapshot.models[row.place] == snapshot.lens.model
    for fact in at.listed:
        place = snapshot.place(fact)
        assert place is not None
        assert snapshot.code(place) == code
    assert "esc Profiles" in at.seen()
    await at.press("escape")
    await at.until(lambda: at.app.tab == "profiles" and len(at.listed) == FACTS)
    assert at.screen.panes.main.chosen == code
    assert at.screen.panes.main.row is not None
    assert at.screen.panes.main.row.name == row.name


@pytest.mark.slow
async def test_the_lens_follows_the_cursor(at: Driver) -> None:
    first = at.screen.panes.main.row
    assert first is not None
    await at.press("j")
    other = at.screen.panes.main.row
    assert other is not None
    assert other.name != first.name
    assert at.app.lens is not None
    assert at.app.lens.model == other.name
    await at.press("v")
    assert f"{other.name} by topic" in at.seen()
    await at.press("escape")
    assert at.screen.state.by is RowKind.MODELS
    assert at.screen.panes.main.row is not None
    assert at.screen.panes.main.row.name == other.name


@pytest.mark.slow
async def test_rows_are_sorted_on_request_only(at: Driver) -> None:
    names = [row.name for row in at.screen.panes.main.rows]
    for order in (*list(RowOrder)[1:], RowOrder.KNOWS_THINKING):
        await at.press("s")
        assert at.screen.state.order is order
        assert f"by {order.value}" in at.seen()
    assert [row.name for row in at.screen.panes.main.rows] == names
    at.screen.state.standing[RowKind.MODELS] = names[::-1]
    await at.press("right_square_bracket")
    assert [row.name for row in at.screen.panes.main.rows] == names[::-1]


@pytest.mark.slow
async def test_graders_and_people(at: Driver, database: Path) -> None:
    before = summaries(at)
    assert at.app.lens is not None
    at.app.set_lens(change_graders(at.app.lens, a=B, b=A))
    await at.until(
        lambda: (
            at.screen.state.material is not None and at.screen.state.material.now.graders[-1] == B
        )
    )
    assert summaries(at) == expected(database, at)
    assert summaries(at) != before
    assert f"thin line at human:* then {A}" in at.seen()
    await at.press("=")
    await at.until(lambda: summaries(at) == before)
    assert "since" not in at.seen()


@pytest.mark.slow
async def test_subsets(at: Driver) -> None:
    await at.press("f")
    await at.until(lambda: "topic ─" in at.seen())
    assert "direct recall   " not in at.seen().split("topic ─")[0].split("facts ─")[-1]
    await at.press("enter")
    await at.until(
        lambda: (
            at.screen.state.material is not None
            and bool(at.screen.state.material.wanted.filters.count)
        )
    )
    found = at.material
    size = int(found.facts.sum())
    assert 0 < size < FACTS
    assert f"{size} of {FACTS}" in at.seen()
    assert {row.now.summary.total for row in at.screen.panes.main.rows} == {size}
    await at.press("F")
    await at.until(lambda: f"all {FACTS}" in at.seen())


@pytest.mark.slow
async def test_a_search_is_a_subset_and_opens_as_one(at: Driver) -> None:
    subject = read_facts()[3].subject
    await at.press("slash")
    await at.until(lambda: "Only facts in which" in at.seen())
    at.app.screen.query_one(TextField).value = subject
    await at.press("enter")
    await at.until(
        lambda: (
            at.screen.state.material is not None
            and at.screen.state.material.wanted.search == subject
        )
    )
    found = at.material
    size = int(found.facts.sum())
    assert 0 < size < FACTS
    code = at.screen.panes.main.chosen
    await at.press("enter")
    await at.until(lambda: at.app.tab == "facts" and 0 < len(at.listed) <= size)
    assert code is not None
    assert at.listed <= found.ids(found.facts)


@pytest.mark.slow
async def test_nothing_in_the_subset_says_so(at: Driver) -> None:
    await at.press("slash")
    await at.until(lambda: "Only facts in which" in at.seen())
    await at.press(*"qqxzzq", "enter")
    await at.until(lambda: "Nothing matches `qqxzzq`" in at.seen())
    assert not at.screen.panes.main.rows
    await at.press("right_square_bracket", "h", "l", "v", "s", "I", "y", "enter", "M", "escape")
    assert "Nothing matches `qqxzzq`" in at.seen()
    await at.press("F")
    await at.until(lambda: len(at.screen.panes.main.rows) == 2)


@pytest.mark.slow
async def test_a_policy_is_named_saved_and_shown(at: Driver, database: Path) -> None:
    await at.press("right_square_bracket", "w")
    await at.until(lambda: "carry its name" in at.seen())
    await at.press("enter")
    assert "no name" in at.seen()
    await at.press(*"strict", "enter")
    await at.until(lambda: "Lens  strict" in at.seen())
    with OpenProject(database) as project:
        policy = read_policies(project)["strict"]
    assert (policy.tau, policy.strategy) == (0.75, Strategy.PAIR)
    await at.press("left_square_bracket")
    assert "Lens  strict" not in at.seen()


@pytest.mark.slow
async def test_intervals_stand_beside_the_numbers(at: Driver) -> None:
    await at.press("I")
    await at.until(lambda: bool(at.screen.state.sure))
    assert "±" in at.seen()
    assert "95%" in at.seen()
    assert "over facts, as graded" in at.seen()
    before = list(at.screen.state.sure.values())
    await at.press("right_square_bracket")
    stands = at.screen.state.sure.values()
    assert not any(one is other for one in stands for other in before)  # of another threshold
    await at.until(lambda: bool(at.screen.state.sure))
    await at.press("I")
    assert "as graded" not in at.seen()


@pytest.mark.slow
async def test_the_table_is_copied(at: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []
    monkeypatch.setattr(at.app, "copy_to_clipboard", copied.append)
    await at.press("y")
    assert copied[0].splitlines()[2].startswith("model\tdirect_recall\t")
    assert len(copied[0].splitlines()) == 3 + len(at.screen.panes.main.rows)


@pytest.mark.slow
async def test_a_label_written_elsewhere_is_counted(at: Driver, database: Path) -> None:
    before = summaries(at)
    with OpenProject(database, "write") as project:
        put_rows(
            project,
            [
                Stored(fact.fact_id, task, "new-model", False, 0, {A: 1})  # type: ignore[dict-item]
                for fact in read_facts()[:FACTS]
                for task in fact.questions
            ],
        )
    at.app.poll()
    await at.until(lambda: len(at.screen.panes.main.rows) == 3)
    assert {name: at_ for name, at_ in summaries(at).items() if name in before} == before
    assert "thinking not measured" in at.seen()


@pytest.mark.slow
async def test_a_doubtful_model_is_marked_and_says_why(at: Driver) -> None:
    row = at.screen.panes.main.row
    assert row is not None
    at.screen.loader._take_doubts(
        {row.name: "thinking was not off: 3 of [b]9 answers show reasoning"}
    )
    await at.pilot.pause()
    assert f"{row.name} !" in at.seen()
    assert "! thinking was not off: 3 of [b]9 answers show reasoning" in at.seen()
    await at.press("j")
    assert "thinking was not off" not in at.seen()


@pytest.mark.slow
async def test_clicks(at: Driver) -> None:
    pilot, screen = at.pilot, at.screen
    await pilot.click("#policy", offset=(13 + 20, 0))
    assert at.app.lens is not None
    assert at.app.lens.policy.tau == 0.8
    line = screen.query_one("#rest", ClickableLine).line.text
    await pilot.click("#rest", offset=(line.index("topics"), 0))
    assert screen.state.by.value == "topics"
    await pilot.click("#rest", offset=(line.index("models"), 0))
    assert screen.state.by.value == "models"
    drawn = screen.query_one("#policy", ClickableLine).line.text
    await pilot.click("#policy", offset=(drawn.index("partial"), 0))
    assert at.app.lens.policy.strategy is Strategy.PARTIAL
    await pilot.click("#columns", offset=(4, 0))
    assert screen.state.order is RowOrder.KNOWS


@pytest.mark.slow
async def test_what_cannot_be_read_is_said_and_what_is_shown_stays(
    at: Driver, database: Path
) -> None:
    rows = list(at.screen.panes.main.rows)
    at.screen.loader._say_trouble(LostkeysError("the disk [bold] is gone"))
    await at.until(lambda: "the disk [bold] is gone; ctrl+r tries again" in at.seen())
    assert list(at.screen.panes.main.rows) == rows


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (60, 20), (40, 10), (120, 24), (200, 60), (100, 30)])
async def test_all_sizes(database: Path, size: tuple[int, int]) -> None:
    app = LostkeysApp(database, Settings(name="mira"))
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot)
        await driver.open()
        await driver.press("right_square_bracket", "j", "l", "v", "v", "v", "v", "tab", "l", "h")
        for row in driver.seen().splitlines():
            assert len(row) <= size[0]
        assert driver.screen.panes.main.rows


@pytest.mark.slow
async def test_the_second_pane_breaks_the_model_down(database: Path) -> None:
    app = LostkeysApp(database, Settings(name="mira"))
    async with app.run_test(size=(200, 60)) as pilot:
        at = Driver(app, pilot)
        await at.open()
        assert "by topic" in at.seen()
        assert {row.name for row in at.screen.panes.main.rows} == set(expected(database, at))
        await at.press("v")
        assert "by type" in at.seen()
        await at.press("tab")
        assert at.screen.panes.leading is at.screen.panes.groups
        row, code = at.screen.panes.groups.row, at.screen.panes.groups.chosen
        assert row is not None
        await at.press("enter")
        await at.until(lambda: at.app.tab == "facts" and bool(at.listed))
        snapshot = at.app.snapshot
        assert snapshot is not None
        for fact in at.listed:
            place = snapshot.place(fact)
            assert place is not None
            assert (snapshot.index.object_types[place] or "unknown") == row.name
            assert snapshot.code(place) == code


@pytest.mark.slow
async def test_nobody_has_been_asked(tmp_path: Path) -> None:
    with new_project(tmp_path / "facts.db") as project:
        put_facts(project, read_facts()[:3])
    assert "No model has been asked yet. r asks one." in await shown(tmp_path / "facts.db")


@pytest.mark.slow
async def test_nobody_has_graded(tmp_path: Path) -> None:
    with new_project(tmp_path / "facts.db") as project:
        put_facts(project, read_facts()[:3])
        fact = read_facts()[0]
        put_rows(project, [Stored(fact.fact_id, task, "m", False, 0) for task in fact.questions])
    assert "No answer has a label that counts. r has answers graded" in await shown(
        tmp_path / "facts.db"
    )


@pytest.mark.slow
async def test_no_facts(tmp_path: Path) -> None:
    assert "No facts here yet. F1" in await shown(tmp_path / "none.db")


async def shown(path: Path) -> str:
    """The screen on a database, after every key that might do something there."""
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("f3")
        await settled(pilot)
        for key in (
            "j",
            "h",
            "l",
            "v",
            "s",
            "i",
            "M",
            "y",
            "enter",
            "w",
            "}",
            "right_square_bracket",
            ".",
        ):
            await pilot.press(key)
            await pilot.pause()
        return await settled(pilot)


@pytest.mark.slow
async def test_a_high_screen_breaks_the_model_down_in_every_way(tmp_path: Path) -> None:
    """Types and tiers stand below topics, whole or not at all; `v` brings one of them up."""
    app = LostkeysApp(sample_project(tmp_path / "sample.db"), Settings(name="mira"))
    async with app.run_test(size=(200, 60)) as pilot:
        await settled(pilot)
        await pilot.press("f3")
        await settled(pilot)
        panes = app.screen.query_one(ProfilesPanes)
        lines = [line.text.split() for line in panes.others.fitting]
        assert [line[0] for line in lines if line and line[0] in ("types", "tiers")] == [
            "types",
            "tiers",
        ]
        await pilot.press("v", "v")
        await settled(pilot)
        assert [line.text.split()[:1] for line in panes.others.fitting][1] == ["topics"]
        await pilot.resize_terminal(200, 51)
        await settled(pilot)
        assert len(panes.others.fitting) <= panes.others.size.height
