"""Rubrics, trials, probes, proposals and tuning against a server that grades."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from core.alignment.label_probes import probe_version
from core.alignment.reference_draw import draw_set
from core.alignment.reference_set import answer_rows, find_set, read_set
from core.alignment.rubric_proposals import ProposalError, suggest_rubric
from core.alignment.rubric_versions import find_rubric, keep_rubric, list_versions, make_examples
from core.alignment.set_report import report_set
from core.alignment.trials import make_trial_spec
from core.errors import LostkeysError, UsageError
from core.grading.prompt_rubric import PromptRubric
from core.jobs.grader_adoption import preview_adoption
from core.jobs.job_run import JobContext
from core.jobs.job_service import Jobs
from core.jobs.rubric_rounds import tune_rubric
from core.project import OpenProject
from core.specs.answer_specs import GradingSpec
from tests.core.alignment.grader_server import RULES, GraderServer, shared_beginning
from tests.core.alignment.making import ANN, make_project
from tests.core.making import merged_lines
from tests.fakes.service import in_thread
from tests.patience import PATIENCE
from tui.cli.main import cli


@pytest.fixture
def server() -> Iterator[GraderServer]:
    fake = GraderServer()
    with in_thread(fake):
        yield fake


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A project with a set of all its 120 answers, which Ann has labelled."""
    with make_project(tmp_path / "a.db") as project:
        draw_set(project, "june", size=120)
    return tmp_path / "a.db"


def model_of(server: GraderServer) -> str:
    return f"openai:m@{server.base_url}"


def run_spec(path: Path, spec: GradingSpec, max_cost: float | None = None) -> str:
    jobs = Jobs(path, means=JobContext())
    job = jobs.start(spec, max_cost)
    assert jobs.wait(job, PATIENCE)
    return jobs.result(job).said


def try_out(path: Path, server: GraderServer, rubric: str | None = None, part: str = "tune") -> str:
    with OpenProject(path, "write") as project:
        spec = make_trial_spec(project, "june", f"llm:{model_of(server)}", rubric, (part,))
    return run_spec(path, spec)


def grading_of(server: GraderServer) -> list[dict[str, Any]]:
    """The requests that grade answers of the set."""
    return [
        one
        for one in server.bodies
        if "answer " in one["messages"][-1]["content"]
        and not one["messages"][-1]["content"].startswith("Rubric: ")
    ]


def texts_of(path: Path, parts: tuple[str, ...]) -> set[str]:
    with OpenProject(path) as project:
        found = read_set(project, find_set(project, "june"))
        return {row["response"].strip() for row in answer_rows(project, found, found.places(parts))}


@pytest.mark.slow
def test_a_rubric_is_a_version_of_its_own_and_prompts_begin_alike(
    path: Path, server: GraderServer
) -> None:
    assert "graded" in try_out(path, server)
    plain = grading_of(server)
    server.bodies.clear()
    with OpenProject(path, "write") as project:
        found = read_set(project, find_set(project, "june"))
        tune = found.slots[found.places(("tune",))].tolist()
        examples = make_examples(project, found, ANN, tune[:2])
        check = found.slots[found.places(("check",))].tolist()
        with pytest.raises(UsageError, match="an answer of check cannot be an example"):
            make_examples(project, found, ANN, check[:1])
        rubric = PromptRubric(RULES, tuple(examples))
        keep_rubric(project, "mine", rubric, ANN, "brackets")
    try_out(path, server, "mine")
    asked = grading_of(server)
    assert len(asked) == len(plain)
    # All but the last message is the same for all answers, so that services can cache it.
    assert {len(one["messages"]) for one in asked} == {len(plain[0]["messages"]) + 4}
    assert shared_beginning(asked) == len(asked[0]["messages"]) - 1
    assert RULES in asked[0]["messages"][0]["content"]
    shown = [one["content"] for one in asked[0]["messages"]]
    assert examples[0].answer in shown[-5]
    assert f"<answer_1>{examples[0].label}</answer_1>" in shown[-4]
    with OpenProject(path) as project:
        report = report_set(project, read_set(project, find_set(project, "june")), ANN)
        bare, ruled = report["versions"]
        assert (bare["rubric"], bare["parent"]) == (None, None)
        assert ruled["rubric"] == f"mine#{rubric.version}"
        assert (ruled["parent"], ruled["why"]) == (bare["grader"], "brackets")
        assert ruled["parts"]["tune"]["accuracy"] == 1.0 > bare["parts"]["tune"]["accuracy"]
        assert ruled["parts"]["check"]["n"] == 0
        lost, won = ruled["parts"]["tune"]["discordant"]
        assert lost == 0 < won
        preview = preview_adoption(
            project, read_set(project, find_set(project, "june")), ruled["grader"]
        )
        assert preview["rubric"] == ruled["rubric"]
        assert preview["left"]["answers"] == 24 * 6 - bare["parts"]["tune"]["n"]


@pytest.mark.slow
def test_no_text_of_check_or_final_reaches_a_proposal_or_an_example(
    path: Path, server: GraderServer
) -> None:
    told: list[str] = []
    model = model_of(server)
    found = tune_rubric(
        path,
        "june",
        f"llm:{model}",
        "mine",
        model,
        3,
        lambda spec, cost: run_spec(path, spec, cost),
        tell=told.append,
        person=ANN,
    )
    assert [row["kept"] for row in found["rounds"]] == [True]
    assert told[1:] == [
        f"round {number}: {found['grader']} missed nothing on tune of june" for number in (2, 3)
    ]
    best = found["report"]["versions"][-1]
    assert best["grader"] == found["grader"]
    assert best["parts"]["check"]["accuracy"] == 1.0
    sealed, final = texts_of(path, ("check", "final")), texts_of(path, ("final",))
    proposals = [
        place
        for place, body in enumerate(server.bodies)
        if body["messages"][-1]["content"].startswith("Rubric: ")
    ]
    assert len(proposals) == 1
    for place, body in enumerate(server.bodies):
        *before, last = [one["content"] for one in body["messages"]]
        graded_at_the_end = place > max(proposals) and place not in proposals
        hidden = final if graded_at_the_end else sealed
        assert not [text for text in hidden if text in last]
        assert not [text for text in sealed for one in before if text in one]
    tune = texts_of(path, ("tune",))
    shown = server.bodies[proposals[0]]["messages"][-1]["content"]
    assert any(text in shown for text in tune)


@pytest.mark.slow
def test_a_proposal_is_a_draft_that_grades_nothing(path: Path, server: GraderServer) -> None:
    try_out(path, server)
    with OpenProject(path, "write") as project:
        found = read_set(project, find_set(project, "june"))
        grader = f"llm:{model_of(server)}"
        graded = len(project.graders())
        before, draft, used = suggest_rubric(project, found, "mine", model_of(server), grader, ANN)
        assert before is None
        assert (draft.rules, draft.author) == (RULES, model_of(server))
        assert used.requests >= 1
        assert len(project.graders()) == graded
        asked = len(server.bodies)
        server.says = None
        server.normal = lambda body: {  # type: ignore[method-assign]
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"content": "No."}}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1},
        }
        with pytest.raises(ProposalError, match="wrote no rubric in 3 replies"):
            suggest_rubric(project, found, "mine", model_of(server), grader, ANN)
        assert len(server.bodies) == asked + 3
        assert len(list_versions(project, "mine")) == 1


@pytest.mark.slow
def test_probes_count_labels_that_change(path: Path, server: GraderServer) -> None:
    try_out(path, server)
    with OpenProject(path) as project:
        found = read_set(project, find_set(project, "june"))
        document = probe_version(project, found, f"llm:{model_of(server)}")
        assert document["answers"] == found.parts.count("tune")
        for probe in ("again", "reversed", "alone", "hedged"):
            row = document["probes"][probe]
            assert (row["n"], row["changed"], row["unlabelled"]) == (document["answers"], 0, 0)
        assert sum(row["n"] for row in document["probes"]["alone"]["by_label"].values()) == len(
            found.places(("tune",))
        )
        with pytest.raises(UsageError, match="judge is no model"):
            probe_version(project, found, "judge")


def test_what_cannot_be_a_rubric(tmp_path: Path) -> None:
    with make_project(tmp_path / "a.db") as project:
        for rules, said in (("  \n", "is empty"), ("x" * 20_001, "20,001 letters")):
            with pytest.raises(UsageError, match=said):
                PromptRubric(rules)
        with pytest.raises(UsageError, match="no # or comma"):
            keep_rubric(project, "a#b", PromptRubric("- a"), ANN)
        with pytest.raises(UsageError, match="no rubric named mine"):
            find_rubric(project, "mine")
        first = keep_rubric(project, "mine", PromptRubric("- a"), ANN)
        second = keep_rubric(project, "mine", PromptRubric("- b"), ANN, "other\nwords")
        assert keep_rubric(project, "mine", PromptRubric("- a"), ANN) == first
        assert (second.parent, second.why) == (first.id, "other words")
        assert find_rubric(project, f"mine#{first.version[:6]}") == first
        draw_set(project, "june", size=20)
        with pytest.raises(UsageError, match="judge is no model and takes no rubric"):
            make_trial_spec(project, "june", "judge", "mine")
        with pytest.raises(UsageError, match="final is tried alone"):
            make_trial_spec(project, "june", "lexical", None, ("check", "final"))


def test_rubrics_and_trials_are_merged(tmp_path: Path) -> None:
    paths = [tmp_path / "a.db", tmp_path / "b.db"]
    for place, each in enumerate(paths):
        with make_project(each) as project:
            draw_set(project, "june", size=20)
            first = keep_rubric(project, "mine", PromptRubric("- a"), ANN)
            if place:
                keep_rubric(project, "mine", PromptRubric("- b"), ANN, "better", first)
                spec = make_trial_spec(project, "june", "lexical")
        if place:
            run_spec(each, spec)
    assert merged_lines(paths, tmp_path / "c.db") == []
    with OpenProject(tmp_path / "c.db") as merged:
        first, second = list_versions(merged, "mine")
        assert second.parent == first.id
        report = report_set(merged, read_set(merged, find_set(merged, "june")), ANN)
        assert [one["grader"].partition("#")[0] for one in report["versions"]] == ["lexical"]


def test_rubrics_in_the_shell(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSTKEYS_USER", "ann")

    def run(*words: str) -> str:
        done = CliRunner().invoke(cli, ("--db", str(path), "align", *words), catch_exceptions=False)
        return done.stdout

    rules = tmp_path / "rules.md"
    rules.write_text("- a year is enough for a date\n")
    assert "by human:ann: dates" in run("rubric", "mine", "--from", str(rules), "--why", "dates")
    rows = json.loads(run("next", "june", "--all", "--json"))["rows"]
    chosen = [row for row in rows if row["part"] == "tune"][:1]
    file = tmp_path / "examples.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in chosen))
    shown = run("rubric", "mine", "--examples", str(file), "--set", "june")
    assert f"example: {chosen[0]['response'].strip()} is " in shown
    document = json.loads(run("rubric", "mine", "--json"))
    first = document["versions"][0]
    assert document["parent"] == f"mine#{first}"
    rules.write_text("- a year is not enough\n")
    run("rubric", "mine", "--from", str(rules))
    diff = run("rubric", "mine", "--diff", first[:8]).splitlines()
    assert diff[-2:] == ["-- a year is enough for a date", "+- a year is not enough"]
    file.write_text("{}\n")
    with pytest.raises(LostkeysError, match="names no answer"):
        run("rubric", "mine", "--examples", str(file), "--set", "june")
