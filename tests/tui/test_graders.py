"""Labels that the lens does not show, in the program: told of as a job ends, counted by `g`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core.curation.response_discards import discard
from core.demo.demo_setup import read_facts
from core.project import OpenProject
from core.settings.preferences import Settings
from core.specs.answer_specs import GradingSpec
from core.views.grader_labels import GraderOverview
from tests.core.making import put_facts
from tests.tui.sample import A, B, sample_project
from tests.tui.screens.facts.making import until
from tests.tui.seeing import settled, text
from tui.app.app import LostkeysApp
from tui.dialogs.graders_dialog import GradersDialog

pytestmark = pytest.mark.slow


@pytest.fixture
def app(tmp_path: Path) -> LostkeysApp:
    return LostkeysApp(sample_project(tmp_path / "sample.db"), Settings(name="mira"))


def said(app: LostkeysApp) -> str:
    return "" if app.status.said is None else app.status.said.text


async def graded(app: LostkeysApp, pilot: Pilot[None]) -> None:
    """Have a job of another grader done, and wait until it is told of."""
    app.jobs.start(GradingSpec(("lexical",)))
    await until(pilot, lambda: "lexical has labelled 1,920 answers" in said(app))


async def test_a_grader_joins_last_where_nobody_has_set_the_list(app: LostkeysApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await graded(app, pilot)
        assert "joins the list, last" in said(app)
        assert app.lens is not None
        assert (app.lens.ranked, app.lens.chosen) == (("human:*", A, "lexical"), False)
        assert app.lens.compared == (A, B)


async def test_a_list_that_a_person_has_set_stays(app: LostkeysApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("g", "(", "j", "(", "enter")
        await until(pilot, lambda: app.lens is not None and app.lens.ranked == (A, "human:*"))
        await graded(app, pilot)
        assert f"the lens shows {A}" in said(app)
        assert app.lens is not None
        assert app.lens.ranked == (A, "human:*")


async def test_a_model_whose_answers_another_program_sets_aside_is_told_of(
    app: LostkeysApp,
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert app.lens is not None
        model = app.lens.model
        with OpenProject(app.path, "write") as other:
            ids = other.connection.execute("SELECT id FROM response").fetchall()
            discard(other, [key for (key,) in ids], "misconfigured")
        await until(pilot, lambda: said(app) == f"no answers of {model} are left")


async def test_the_dialog_counts(app: LostkeysApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("g")
        await settled(pilot)
        shown = text(app)
        assert "Complete so: 12 of 12 facts" in shown
        assert f"--grader human:*,{A}" in shown
        assert isinstance(app.screen, GradersDialog)
        overview: GraderOverview = app.screen.view.overview
        assert [one.labels for one in overview.graders] == [0, 1920, 1920, 1536]
        await pilot.press("space", "home", "space", "enter")
        assert "a list needs a grader" in text(app)
        assert isinstance(app.screen, GradersDialog)


async def test_what_was_counted_after_it_closed_is_dropped(
    app: LostkeysApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        late: dict[str, Callable[[Any], None]] = {}
        monkeypatch.setattr(app, "ask", lambda key, work, then, failed: late.update({key: then}))
        await pilot.press("g")
        await pilot.pause()
        assert isinstance(app.screen, GradersDialog)
        dialog, overview = app.screen, app.screen.view.overview
        await pilot.press("escape")
        await settled(pilot)
        late["graders"](overview)
        late["complete facts"]([12])
        assert not dialog.is_open
        assert not isinstance(app.screen, GradersDialog)


async def test_gg_leads_to_the_first_row_and_changes_no_grader(app: LostkeysApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("G")
        assert "12 of 12" in await settled(pilot)
        lens = app.lens
        await pilot.press("g", "g")
        assert "1 of 12" in await settled(pilot)
        assert not isinstance(app.screen, GradersDialog)
        assert app.lens == lens


async def test_gg_leads_there_where_there_is_no_grader_to_choose(tmp_path: Path) -> None:
    with OpenProject(tmp_path / "facts.db", "create") as project:
        put_facts(project, read_facts()[:3])
    app = LostkeysApp(tmp_path / "facts.db", Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("G", "g")
        assert "no answer has been graded yet" in await settled(pilot)
        await pilot.press("g")
        assert "1 of 3" in await settled(pilot)
