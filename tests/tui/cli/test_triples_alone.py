"""A set of triples can have no profiles: whoever asks for them is told, and what asks triples."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from core.figures.figure_table import find_missing
from core.jobs.job_service import Jobs
from core.project import OpenProject
from core.providers.base import Draw, Reply
from core.sampling.sample_plan import Plan, find_unprofiled_facts
from core.settings.preferences import Settings
from core.specs.answer_specs import AnsweringSpec
from core.vocabulary import TASKS, Task
from tests.core.fact_bench.arms_making import new_set
from tests.core.jobs.making import asking, ended
from tests.core.making import Row, a_fact, put_facts, put_rows
from tests.core.sampling.scripted import Scripted
from tests.tui.seeing import settled, text
from tui.app.app import LostkeysApp
from tui.cli.main import cli

MODEL = "embedded:smollm2-135m"
LACK = "5 facts lack encoding or reverse questions: no run gives them a profile"
OFFER = "`lostkeys fact-bench run` asks triples in modes of their own"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with new_set(tmp_path / "some.db", []):
        return tmp_path / "some.db"


def run(path: Path, *words: str) -> Result:
    return CliRunner().invoke(cli, ["--db", str(path), *words], catch_exceptions=False)


def put_answer(path: Path) -> None:
    """A model is asked about a triple by `run`."""
    with OpenProject(path, "write") as project:
        put_rows(project, [Row("a", Task.DIRECT, "m", False, 0)])


@pytest.mark.parametrize("asked", [False, True])
def test_profiles_and_report_say_it_once(path: Path, tmp_path: Path, asked: bool) -> None:
    if asked:
        put_answer(path)
    said = " ".join(run(path, "profiles").stdout.split())
    assert "no run gives them a profile" in said
    assert said.endswith(f"{OFFER}.")
    assert len(json.loads(run(path, "profiles", "--json").stdout)["models"]) == asked
    out = tmp_path / "report.html"
    run(path, "report", "-o", str(out))
    page = out.read_text(encoding="utf-8")
    # The profile section, and one line for each of the three themes of profiles.
    assert page.count(LACK) == 4


def test_figures_of_profiles_lack_it_and_others_do_not(path: Path) -> None:
    put_answer(path)
    with OpenProject(path, "read") as project:
        missing = find_missing(project)
    told = [name for name, words in missing.items() if words == f"{LACK}; {OFFER}."]
    assert "profiles" in told
    assert "recovery" in told
    assert not {"availability", "bootstrap", "dataset"} & set(told)


def test_an_estimate_says_it_where_profiles_are_meant(path: Path) -> None:
    with OpenProject(path, "write") as project:
        every = project.index.ids > 0
        found = find_unprofiled_facts(project, Plan(MODEL, MODEL, 8, every))
        assert found is not None
        assert found.describe() == LACK
        some = Plan(MODEL, MODEL, 8, every, tasks=(Task.DIRECT,))
        assert find_unprofiled_facts(project, some) is None
        put_facts(project, [a_fact("whole", TASKS)])
        with_whole = Plan(MODEL, MODEL, 8, project.index.ids > 0)
        assert find_unprofiled_facts(project, with_whole) is None
    shown = run(path, "run", "--model", MODEL, "--where", "number:1-5", "--dry-run")
    assert shown.stderr.strip() == f"warning: {LACK}; {OFFER}"


def test_request_files_say_it_before_any_is_written(path: Path, tmp_path: Path) -> None:
    words = ("requests", "--model", "file:M", "--engine", "plain")
    shown = run(path, *words, "--dry-run")
    assert shown.stderr.strip() == f"warning: {LACK}; {OFFER}"
    written = run(path, *words, "-o", str(tmp_path / "plan"))
    assert written.exit_code == 0
    assert f"{LACK}; {OFFER}" in written.stderr
    assert LACK not in run(path, *words, "--tasks", "direct", "--dry-run").stderr


def test_a_run_says_it_before_anything_is_asked(path: Path) -> None:
    model = Scripted(lambda request: Reply((Draw("no", "stop"),)))
    jobs = Jobs(path, means=asking(model))
    spec = AnsweringSpec(MODEL, "m", samples=1, thinking=(False,), unchecked=True)
    view = ended(jobs, jobs.start(spec))
    said = [line.text for line in jobs.log(view.id) if line.kind == "warn"]
    assert said[0] == f"{LACK}; {OFFER}"


@pytest.mark.slow
@pytest.mark.parametrize("asked", [False, True])
async def test_the_profile_screen_says_it(path: Path, asked: bool) -> None:
    if asked:
        put_answer(path)
    app = LostkeysApp(path, Settings(name="mira", remember=False))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("f3")
        await settled(pilot)
        assert LACK in text(app)
        assert "r and fact-bench asks triples" in text(app)
