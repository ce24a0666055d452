"""Building from the Start dialog: the form, and a build from documents to the Jobs screen."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.estimates.estimate import Estimate
from core.jobs.job_progress import State
from core.jobs.job_run import JobContext
from core.jobs.start_options import ModelOffer, StartOptions
from core.project import OpenProject
from core.settings.preferences import Settings
from core.specs.build_specs import BuildingSpec
from core.specs.file_specs import ImportingSpec
from tests.core.pipeline.making import MODEL, Builder, documents, made, with_shares
from tests.tui.dialogs.test_start import NAMES, checked, opened
from tests.tui.screens.facts.making import until
from tests.tui.seeing import settled, text
from tui.app.app import LostkeysApp
from tui.dialogs.import_dialog import ImportFile
from tui.dialogs.start import form_controller
from tui.dialogs.start.form import Form, FormContext, choose, groups, options, type_char
from tui.dialogs.start.form_fields import Do, Field
from tui.dialogs.start.form_spec import make_import_spec, spec
from tui.dialogs.start.start_context import fill_to_build
from tui.dialogs.start.start_dialog import Start
from tui.dialogs.start.validation import faults, max_cost
from tui.screens.jobs.job_dialogs import LostUnits

OFFER = ModelOffer(MODEL, MODEL)
GIVEN = FormContext(StartOptions(documents=7, offers=(OFFER,)))
FORM = Form(do=Do.BUILD, offer=OFFER)


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path))
    monkeypatch.setattr(form_controller, "PAUSE", 0.0)
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "handbook"
    found.mkdir()
    for number, one in enumerate(documents(6)):
        (found / f"page-{number}.md").write_text(f"# {one.title}\n\n{one.paragraphs[0].text}\n")
    return found


def fields(form: Form) -> list[Field]:
    return [one for group in groups(form) for one in group]


def test_what_is_asked_for() -> None:
    assert spec(FORM, GIVEN) == BuildingSpec(MODEL)
    four = type_char(FORM, Field.TARGET, "4")
    assert four is not None
    forty = type_char(four, Field.TARGET, "0")
    assert forty is not None
    some = choose(forty, Field.GROUNDING, 1, GIVEN)
    assert spec(some, GIVEN) == BuildingSpec(MODEL, "gemini", target=40)
    assert type_char(some, Field.TARGET, "") == replace(some, wanted="4")
    ruled = choose(some, Field.BY, 1, GIVEN)
    assert spec(ruled, GIVEN) == BuildingSpec()
    assert fields(ruled) == [Field.DO, Field.DOCUMENTS, Field.BY]
    assert set(fields(some)) - set(fields(ruled)) == {
        Field.MODEL,
        Field.GROUNDING,
        Field.TARGET,
        Field.BUDGET,
        Field.MORE,
    }
    assert make_import_spec(FORM) is None
    with_files = replace(FORM, documents=Path("/somewhere/handbook"))
    assert make_import_spec(with_files) == ImportingSpec(
        "/somewhere/handbook", "documents", lenient=True
    )
    assert make_import_spec(replace(with_files, do=Do.GRADE)) is None


def test_what_is_wrong_with_it() -> None:
    nothing = FormContext(StartOptions())
    assert faults(FORM, GIVEN) == {}
    assert list(faults(FORM, nothing)) == [Field.DOCUMENTS]
    assert faults(replace(FORM, documents=Path("x")), nothing) == {}
    assert faults(FORM, FormContext(StartOptions(facts=1))) == {}
    assert list(faults(replace(FORM, offer=None), GIVEN)) == [Field.MODEL]
    assert faults(replace(FORM, offer=None, ruled=True), GIVEN) == {}
    no_key = faults(replace(FORM, grounding="gemini"), GIVEN)
    assert "GEMINI_API_KEY" in no_key[Field.GROUNDING]


@pytest.mark.parametrize(
    "wanted",
    [
        BuildingSpec(MODEL),
        BuildingSpec(MODEL, "gemini:gemini-2.5-pro", "limits", None, 30, 5, "all"),
        BuildingSpec(only="length"),
    ],
)
def test_a_build_that_is_gone_on_with_stays_as_it_is(wanted: BuildingSpec) -> None:
    form = fill_to_build(wanted, OFFER if wanted.model else None, 2.5)
    assert spec(form, GIVEN) == wanted
    assert max_cost(form) == (2.5 if wanted.model else None)
    assert wanted.grounding in options(form, Field.GROUNDING, GIVEN)


@asynccontextmanager
async def building(
    path: Path, size: tuple[int, int] = (120, 40), hostile: float = 0.1
) -> AsyncIterator[tuple[Pilot[None], LostkeysApp, Start]]:
    """The app with the dialog open on a build; the model answers in this process."""
    app = LostkeysApp(path, Settings(theme="dark"))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.facts is not None)
        app.jobs.service.means = JobContext(lambda name: Builder(with_shares(0.1, hostile)))
        start = await opened(pilot, app)
        while start.form.do is not Do.BUILD:
            later = list(Do).index(start.form.do) > list(Do).index(Do.BUILD)
            await pilot.press("h" if later else "l")
        yield pilot, app, start


@pytest.mark.slow
async def test_documents_are_imported_built_from_and_seen(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "new.db"
    async with building(path) as (pilot, app, start):
        await until(pilot, lambda: "enter chooses a file or a folder" in text(app))
        await pilot.press("j", "enter")
        await until(pilot, lambda: isinstance(app.screen, ImportFile))
        await pilot.press(*(NAMES.get(char, char) for char in f"{folder}/"))
        await until(pilot, lambda: "6 documents would be added" in text(app))
        assert "all texts in handbook" in text(app)
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is start and start.seen.usable)
        await until(pilot, checked(start))
        assert start.seen.ready, start.seen.faults
        await until(pilot, lambda: "6 documents would be added" in text(app))
        await pilot.press("ctrl+s")
        await until(pilot, lambda: done(app))
        await until(pilot, lambda: app.snapshot is not None and len(app.snapshot.index) > 0)
        await pilot.press("f6")
        await until(pilot, lambda: "classify" in text(app))
        shown = await settled(pilot)
        assert "build smollm2-135m" in shown
        assert "import handbook" in shown
    with OpenProject(path) as project:
        assert len(project.index) > 0


def done(app: LostkeysApp) -> bool:
    views = app.jobs.service.views()
    return len(views) == 2 and all(one.state is State.FINISHED for one in views)


async def test_the_estimate_is_of_a_build(tmp_path: Path) -> None:
    path = made(tmp_path / "p.db", documents(12))
    async with building(path) as (pilot, _, start):
        await until(pilot, lambda: start.seen.estimate is not None)
        shown = await settled(pilot)
        assert "the 12 that are here" in shown
        assert "requests" in shown
        assert "by how many candidates the stages keep" in shown
        assert isinstance(start.seen.estimate, Estimate)
        before = start.seen.estimate.answers
        while start.view.field is not Field.TARGET:
            await pilot.press("tab")
        await pilot.press("2")
        await until(pilot, smaller(start, before.high))
        await until(pilot, lambda: "2 candidates" in text(pilot.app))


def smaller(start: Start, than: float) -> Callable[[], bool]:
    def has() -> bool:
        found = start.seen.estimate
        return isinstance(found, Estimate) and found.answers.high < than

    return has


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_what_another_program_lost_is_told_and_opens(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    from core.jobs.job_service import Jobs

    path = made(tmp_path / "p.db", documents(24))
    jobs = Jobs(path, means=JobContext(lambda name: Builder(with_shares(0.15, 0.15))))
    job = jobs.start(BuildingSpec(MODEL))
    assert jobs.wait(job, 60)
    stage = next(one for one in jobs.view(job).stages if one.name == "entities")
    assert stage.reasons
    app = LostkeysApp(path, Settings(theme="dark"))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.facts is not None)
        await pilot.press("f6")
        await until(pilot, lambda: "entities" in text(app))
        await pilot.press("down", "down")
        await until(pilot, lambda: reasons(app, "entities") == dict(stage.reasons))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, LostUnits))
        shown = await settled(pilot)
        assert next(iter(stage.reasons))[:20] in shown
        assert f"{stage.dropped} dropped" in shown
        assert any(f"{one.title} " in f"{shown} " for one in documents(24))
        await pilot.press("enter")
        await until(pilot, lambda: "doc-" in text(app))
        await pilot.press("enter", "end", "enter", "escape")
        await until(pilot, lambda: not isinstance(app.screen, LostUnits))


def reasons(app: LostkeysApp, stage: str) -> dict[str, int]:
    screen = app.tab_screen("jobs")
    views = screen.jobs.views  # type: ignore[attr-defined]
    return {
        reason: count
        for one in views[0].stages
        if one.name == stage
        for reason, count in one.reasons.items()
    }


@pytest.mark.slow
async def test_hostile_replies_are_shown_as_they_are(tmp_path: Path) -> None:
    path = made(tmp_path / "p.db", documents(12))
    from core.jobs.job_service import Jobs

    jobs = Jobs(path, means=JobContext(lambda name: Builder(with_shares(0.0, 1.0))))
    job = jobs.start(BuildingSpec(MODEL))
    assert jobs.wait(job, 60)
    app = LostkeysApp(path, Settings(theme="dark"))
    async with app.run_test(size=(120, 60)) as pilot:
        await until(pilot, lambda: app.facts is not None)
        await pilot.press("f6")
        await until(pilot, lambda: "classify" in text(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, LostUnits))
        for _ in range(12):
            await pilot.press("enter", "down")
        shown = await settled(pilot)
        assert "failed: off format" in shown
        assert "\x1b" not in shown
        assert json.dumps(shown)
