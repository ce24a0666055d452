"""Logs of other tools as they were found: their counts, texts and labels."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import db.response_sources
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.specs.file_specs import ImportWords
from core.transfer.import_report import ImportReport
from core.transfer.imports import import_file
from tests.core.making import new_project

INSPECT, LM_EVAL = "data/peer_logs/inspect/", "data/peer_logs/lm_eval/"
MIND = f"{INSPECT}2025-09-23T08-09-58-04-00_theory-of-mind_bbB4eRCx2rFJLyPH42Cj9r.eval"
GUIDE = f"{INSPECT}2025-09-23T08-09-58-04-00_security-guide_LuxZJVwvymC3S3SyoJczxB.eval"
SEARCH = f"{INSPECT}2025-11-07T10-59-47-05-00_websearch-addition-problem_LqPDntDnkk4h2fSqQ8i6CE"
POPULARITY = f"{INSPECT}2025-02-11T15-17-00-05-00_popularity_dPiJifoWeEQBrfWsAopzWr.eval"
MATH = f"{LM_EVAL}samples_math_perturbed_full_2026-01-21T03-44-18.458309.jsonl"
TRUTHFUL = f"{LM_EVAL}samples_truthfulqa_gen_2025-05-31T14-30-51.983293.jsonl"
TRIVIA = f"{LM_EVAL}pretrained=EleutherAI__pythia-2.8b_trivia_qa_unfiltered.nocontext.jsonl"
NARRATIVE = "data/peer_logs/helm/narrative_qa_openai_gpt2_scenario_state.json"

GPT = "openai/gpt-4o-mini"
LOGS: tuple[tuple[str, str, int, str, bool, dict[str, int]], ...] = (
    (MIND, "inspect", 100, GPT, True, {"C inspect:model_graded_fact": 83, "I": 17}),
    (GUIDE, "inspect", 16, GPT, False, {"C inspect:model_graded_fact": 11, "I": 5}),
    (
        f"{SEARCH}.eval",
        "inspect",
        1,
        "anthropic/claude-sonnet-4-5",
        False,
        {"C inspect:match": 1},
    ),
    (POPULARITY, "inspect", 10, GPT, False, {}),
    (
        f"{INSPECT}drop.json",
        "inspect",
        5,
        "hf/Qwen/Qwen2.5-7B-Instruct",
        False,
        {"C inspect:f1": 1, "I": 4},
    ),
    (
        f"{INSPECT}data_arc_sonnet.json",
        "inspect",
        5,
        "anthropic/claude-sonnet-4-0",
        False,
        {"C inspect:choice": 5},
    ),
    (
        MATH,
        "lm-eval",
        10,
        "RylanSchaeffer/mem_Qwen3-93M_minerva_math_rep_0_sbst_1.0000_epch_1_ot_1",
        False,
        {"I lm-eval:exact_match": 10},
    ),
    (NARRATIVE, "helm", 5, "openai/gpt2", False, {"I helm:exact_match": 5}),
)


@pytest.fixture
def project(tmp_path: Path) -> OpenProject:
    return new_project(tmp_path / "o.db")


def labels_of(project: OpenProject) -> Counter[str]:
    rows = project.connection.execute("SELECT label, grader FROM v_labels")
    return Counter(f"{label[0]} {grader}" for label, grader in rows)


def answers_of(project: OpenProject) -> list[tuple[Any, ...]]:
    return project.connection.execute(
        "SELECT fact_id, task, model, thinking, response FROM v_responses"
    ).fetchall()


def check_sound(project: OpenProject, report: ImportReport, name: str) -> None:
    """Every answer has a source, and the same file brings nothing new."""
    slots = [key for (key,) in project.connection.execute("SELECT id FROM response")]
    sources = db.response_sources.read_sources(project.connection, slots)
    assert set(sources) == set(slots)
    assert {one.file.name for one in sources.values()} == {Path(name).name}
    assert report.added == report.read - report.bad


@pytest.mark.parametrize(("name", "form", "rows", "model", "thinking", "labels"), LOGS)
def test_a_log_comes_in_with_its_texts_and_labels(
    name: str,
    form: str,
    rows: int,
    model: str,
    thinking: bool,
    labels: dict[str, int],
    shared: Callable[[str], Path],
    project: OpenProject,
) -> None:
    path = shared(name)
    with project:
        report = import_file(project, path)
        assert (report.format, report.read, report.bad) == (form, rows, 0)
        answers = answers_of(project)
        assert len(answers) == rows
        assert {(one[2], bool(one[3])) for one in answers} == {(model, thinking)}
        grader = next((key.split(" ", 1)[1] for key in labels if " " in key), "")
        expected = {key if " " in key else f"{key} {grader}": n for key, n in labels.items()}
        found = {key: n for key, n in labels_of(project).items() if key.endswith(f" {grader}")}
        assert found == expected
        check_sound(project, report, name)
        again = import_file(project, path)
        assert (again.added, again.unchanged) == (0, rows)


def test_metrics_that_are_no_grades_are_counted(
    shared: Callable[[str], Path], project: OpenProject
) -> None:
    with project:
        report = import_file(project, shared(TRUTHFUL), words=ImportWords(as_label="m"))
        assert (report.read, report.bad) == (20, 0)
        assert ("lm-eval:hallucination", "not a grade", 20) in report.unlabelled
        outside = {grader for grader, reason, _ in report.unlabelled if reason != "not a grade"}
        assert outside == {
            f"lm-eval:{name}_{part}"
            for name in ("bleu", "rouge1", "rouge2", "rougeL")
            for part in ("max", "diff")
        }
        assert all(one[4].startswith("\nA:") for one in answers_of(project)[:1])
        golds = project.connection.execute("SELECT text, aliases FROM gold").fetchall()
        assert golds[0][0] == "The watermelon seeds pass through your digestive system"
        assert "Nothing happens." in golds[0][1]


def test_rows_of_2023_have_neither_filter_nor_metrics(
    shared: Callable[[str], Path], project: OpenProject
) -> None:
    with project:
        report = import_file(project, shared(TRIVIA), words=ImportWords(as_label="pythia"))
        assert (report.read, report.bad, report.unlabelled) == (
            2,
            0,
            [("lm-eval:f1", "not a grade", 2)],
        )
        assert labels_of(project) == {"I lm-eval:acc": 2}


@pytest.mark.parametrize("name", [TRUTHFUL, TRIVIA])
def test_a_log_without_a_model_asks_for_one(
    name: str, shared: Callable[[str], Path], project: OpenProject
) -> None:
    with project, pytest.raises(UsageError, match="--as NAME"):
        import_file(project, shared(name))


def test_a_log_without_samples_lands_nothing(
    shared: Callable[[str], Path], project: OpenProject
) -> None:
    with project, pytest.raises(LostkeysError, match="holds no samples"):
        import_file(project, shared(f"{INSPECT}data_with_llm_scoring.json"))


def test_files_beside_a_log_are_not_imported_themselves(
    shared: Callable[[str], Path], project: OpenProject
) -> None:
    path = shared(NARRATIVE)
    other = path.with_name(path.name.replace("scenario_state", "run_spec"))
    with project, pytest.raises(LostkeysError, match="is read beside"):
        import_file(project, other)


def test_f1_of_helm_is_partial(shared: Callable[[str], Path], project: OpenProject) -> None:
    with project:
        import_file(project, shared(NARRATIVE))
        found = labels_of(project)
        assert (found["P helm:f1_score"], found["I helm:f1_score"]) == (2, 3)
        ids = {one[0].partition("/")[0] for one in answers_of(project)}
        assert ids == {"narrative_qa"}
