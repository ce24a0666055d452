"""Scores of options, long inputs, models and forms: files in, bad rows named, and out again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import db.integrity
import db.option_scores
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.specs.file_specs import ImportWords
from core.transfer.exports import Subset, export
from core.transfer.imports import import_file
from core.zero_prompt import score_writer
from core.zero_prompt.analyses import LATENT_ANALYSES
from core.zero_prompt.latent_evidence import LatentEvidence, ScoreChoice
from core.zero_prompt.score_matrix import Setup
from db.connection import write_transaction
from tests.core.making import new_project

Jsonl = Callable[..., Path]
YEARS = {"Feynman": 1918, "Bohr": 1885, "Einstein": 1879, "Noether": 1882, "Meitner": 1878}
TRIPLES = [
    {"id": name, "subject": name, "relation": "birth year", "object": str(year), "split": "eval"}
    for name, year in YEARS.items()
]
SCORE: dict[str, Any] = {
    "id": "Einstein",
    "model": "alpha",
    "n": 2,
    "options": ["1882", "1879", "1918"],
    "logprobs": [-2.0, -0.5, -1.5],
    "response": " 1879 and",
}
PLACE = {"subject": "Bohr", "object": "1885", "kind": "clean", "logprob": -1.5}


@pytest.fixture
def years(project: OpenProject, jsonl: Jsonl) -> OpenProject:
    """A project with five years of birth."""
    second = {"id": "again", "subject": "Meitner", "relation": "birth year", "object": "1968"}
    assert import_file(project, jsonl("years.jsonl", *TRIPLES, second)).bad == 0
    return project


def exported(project: OpenProject, what: str, folder: Path) -> list[dict[str, Any]]:
    path = folder / f"{what}.jsonl"
    export(project, what, path)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def accuracy(project: OpenProject, options: int = 3) -> list[dict[str, Any]]:
    evidence = LatentEvidence(project, ScoreChoice(Setup(n=2, options=options)))
    rows = LATENT_ANALYSES["accuracy"].as_json(evidence)["rows"]
    assert isinstance(rows, list)
    return rows


def test_scores_whose_options_hold_each_other_are_kept_and_counted(
    years: OpenProject, jsonl: Jsonl
) -> None:
    """exp(-0.1) + exp(-0.7) + exp(-3) = 0.905 + 0.497 + 0.050 = 1.451; as 1 beside 18 and 1879."""
    over = {**SCORE, "options": ["1", "1879", "18"], "logprobs": [-0.1, -0.7, -3.0]}
    report = import_file(years, jsonl("over.jsonl", over, {**SCORE, "id": "Einstein", "n": 3}))
    (notice,) = report.notices
    assert notice.startswith("line 1: the options' probabilities sum above 1")
    (row,) = accuracy(years)
    assert row["overlapping"] == 1
    assert row["mass"] == pytest.approx(1.4512, abs=1e-4)
    evidence = LatentEvidence(years, ScoreChoice(Setup(n=2, options=3)))
    assert LATENT_ANALYSES["at-k"].as_json(evidence)["overlapping"] == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"id": "Curie"}, "unknown fact 'Curie': import its triples first"),
        ({"id": ""}, "missing: id"),
        ({"model": None}, "missing: model"),
        ({"n": None}, "missing: n"),
        ({"n": -1}, "n is -1, not a whole number from 0"),
        ({"n": 2.5}, "n is 2.5, not a whole number from 0"),
        ({"seed": "x"}, "seed is 'x', not a whole number from"),
        ({"inject": "wrong:2:block"}, "injection 'wrong:2:block': write incorrect:40:scattered"),
        ({"options": ["1882", "1885", "1918"]}, "the gold '1879' is not among the options"),
        ({"options": ["1879", " 1879", "1918"]}, "the gold '1879' stands twice among the options"),
        ({"options": ["1879", "1918", "1918"]}, "option '1918' stands twice"),
        ({"options": ["1879", "1918"]}, "2 options with 3 logprobs"),
        ({"options": ["1879", 5, "1918"]}, "options has 5, not a text"),
        ({"options": None}, "missing: options"),
        ({"logprobs": None}, "missing: logprobs"),
        ({"logprobs": ["a", -1, -2]}, "logprobs has 'a', not a number or null"),
        ({"logprobs": [True, -1, -2]}, "logprobs has True, not a number or null"),
        ({"options": None, "logprobs": None, "response": None}, "neither options with logprobs"),
        ({"response": 5}, "response is 5, not a text"),
        (
            {"id": "Meitner", "options": ["1878", "1968", "1918"]},
            "option '1968' is another right object",
        ),
    ],
)
def test_a_bad_row_is_named_and_the_good_ones_land(
    years: OpenProject, jsonl: Jsonl, change: dict[str, Any], reason: str
) -> None:
    report = import_file(years, jsonl("s.jsonl", {**SCORE, **change}, SCORE), "zp-scores")
    assert (report.added, report.bad, report.problems[0].line) == (1, 1, 1)
    assert report.problems[0].reason.startswith(reason)
    assert [row["correct"] for row in accuracy(years)] == [1]


def test_the_same_file_changes_nothing(years: OpenProject, jsonl: Jsonl) -> None:
    path = jsonl("s.jsonl", SCORE, {**SCORE, "model": "beta", "response": None})
    assert import_file(years, path).added == 2
    before = list(years.connection.iterdump())
    again = import_file(years, path)
    assert (again.format, again.unchanged, again.bad) == ("zp-scores", 2, 0)
    assert list(years.connection.iterdump()) == before
    assert db.integrity.faults(years.connection) == []


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"logprobs": [-2.0, -0.5, -1.25]}, "other numbers"),
        ({"logprobs": [-2.0, -0.5, None]}, "other numbers"),
        ({"options": ["1882", "1879", "1885"]}, "other options"),
        ({"response": "1918"}, "another response"),
    ],
)
def test_the_same_key_with_other_numbers_is_refused(
    years: OpenProject, jsonl: Jsonl, change: dict[str, Any], what: str
) -> None:
    report = import_file(years, jsonl("s.jsonl", SCORE, {**SCORE, **change}))
    assert (report.added, report.bad) == (1, 1)
    assert what in report.problems[0].reason


def test_options_come_in_any_order(years: OpenProject, jsonl: Jsonl, tmp_path: Path) -> None:
    turned = {**SCORE, "options": SCORE["options"][::-1], "logprobs": SCORE["logprobs"][::-1]}
    assert import_file(years, jsonl("s.jsonl", SCORE, turned)).unchanged == 1
    import_file(years, jsonl("t.jsonl", {**turned, "model": "beta"}))
    first, second = exported(years, "zp-scores", tmp_path)
    assert first["options"] == second["options"] == ["1879", "1882", "1918"]
    assert first["logprobs"] == second["logprobs"] == [-0.5, -2.0, -1.5]


@pytest.mark.parametrize("value", [None, 0.5, 1e300, -1e300])
def test_numbers_that_are_none_fail_and_are_asked_again(
    years: OpenProject, jsonl: Jsonl, value: float | None
) -> None:
    failed = {**SCORE, "logprobs": [-2.0, value, -1.5]}
    assert import_file(years, jsonl("s.jsonl", failed)).added == 1
    (row,) = accuracy(years)
    assert (row["n"], row["failed"], row["accuracy"], row["response_n"]) == (0, 1, None, 1)
    assert import_file(years, jsonl("s.jsonl", failed)).unchanged == 1
    assert import_file(years, jsonl("t.jsonl", SCORE)).added == 1
    (row,) = accuracy(years)
    assert (row["n"], row["failed"], row["correct"]) == (1, 0, 1)
    assert import_file(years, jsonl("s.jsonl", failed)).bad == 1


def test_responses_come_apart_from_options(years: OpenProject, jsonl: Jsonl) -> None:
    alone = {key: SCORE[key] for key in ("id", "model", "n", "response")}
    other = {**alone, "id": "Bohr", "response": "no idea"}
    import_file(years, jsonl("r.jsonl", alone, other))
    (row,) = accuracy(years)
    assert (row["n"], row["response_n"], row["response_accuracy"]) == (0, 2, 0.5)
    import_file(years, jsonl("s.jsonl", {**SCORE, "response": None}))
    (row,) = accuracy(years)
    assert (row["n"], row["correct"], row["response_n"]) == (1, 1, 2)
    assert accuracy(years, options=4)[0]["n"] == 0
    assert import_file(years, jsonl("t.jsonl", SCORE)).added == 1
    assert accuracy(years)[0]["response_accuracy"] == 0.5


def test_both_tests_of_a_fact_are_one_row(years: OpenProject, jsonl: Jsonl, tmp_path: Path) -> None:
    """As a run leaves them: the response in a series of its own."""
    alone = {key: SCORE[key] for key in ("id", "model", "n", "response")}
    other = {**alone, "id": "Bohr", "response": "no idea"}
    import_file(years, jsonl("r.jsonl", alone, other, {**alone, "n": 1}))
    import_file(years, jsonl("s.jsonl", {**SCORE, "response": None}))
    rows = exported(years, "zp-scores", tmp_path)
    told = [(row["id"], row["n"], "options" in row, row["response"]) for row in rows]
    assert sorted(told) == [
        ("Bohr", 2, False, "no idea"),
        ("Einstein", 1, False, SCORE["response"]),
        ("Einstein", 2, True, SCORE["response"]),
    ]
    with new_project(tmp_path / "again.db") as again:
        import_file(again, jsonl("years.jsonl", *TRIPLES))
        import_file(again, tmp_path / "zp-scores.jsonl")
        assert accuracy(again) == accuracy(years)
        assert exported(again, "zp-scores", tmp_path) == rows


def test_a_response_of_another_length_has_a_row_of_its_own(
    years: OpenProject, jsonl: Jsonl
) -> None:
    alone = {key: SCORE[key] for key in ("id", "model", "n", "response")}
    assert import_file(years, jsonl("r.jsonl", {**alone, "tokens": 64})).added == 1
    wrong = jsonl(
        "w.jsonl", {**SCORE, "tokens": 20}, {**alone, "tokens": 0}, {**alone, "tokens": 65}
    )
    found = import_file(years, wrong)
    assert (found.added, [one.reason for one in found.problems]) == (
        0,
        [
            "options beside tokens 20: give such a response a row of its own",
            "tokens is 0, not 1 to 64",
            "tokens is 65, not 1 to 64",
        ],
    )


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
def test_what_is_exported_is_what_was_imported(
    years: OpenProject, jsonl: Jsonl, tmp_path: Path, ending: str
) -> None:
    rows = [
        SCORE,
        {**SCORE, "model": "beta", "seed": 3, "order": 1, "inject": "unknown:1:block"},
        {
            **SCORE,
            "id": "Bohr",
            "form": "hgp-1",
            "options": ["1885", "1918"],
            "logprobs": [-1, None],
        },
        {"id": "Noether", "model": "beta", "n": 0, "response": "=1882\n\"'"},
    ]
    import_file(years, jsonl("s.jsonl", *rows), "zp-scores")
    first = exported(years, "zp-scores", tmp_path)
    assert len(first) == 4
    path = tmp_path / f"scores{ending}"
    export(years, "zp-scores", path)
    with OpenProject(tmp_path / "other.db", "create") as other:
        import_file(other, jsonl("years.jsonl", *TRIPLES))
        report = import_file(other, path)
        assert (report.format, report.added, report.bad) == ("zp-scores", 4, 0)
        assert exported(other, "zp-scores", tmp_path) == first


def test_only_some_models_are_exported(years: OpenProject, jsonl: Jsonl, tmp_path: Path) -> None:
    import_file(years, jsonl("s.jsonl", SCORE, {**SCORE, "model": "beta"}))
    assert export(years, "zp-scores", tmp_path / "s.csv", subset=Subset(["beta"])) == 1


def test_arrays_follow_from_the_scores(years: OpenProject, jsonl: Jsonl) -> None:
    import_file(
        years, jsonl("s.jsonl", SCORE, {**SCORE, "id": "Bohr", "options": ["1885", "1", "2"]})
    )
    assert not score_writer.arrays_are_stale(years)
    with write_transaction(years.connection):
        years.connection.execute("DELETE FROM score_change")
    assert score_writer.arrays_are_stale(years)
    score_writer.repair(years)
    assert not score_writer.arrays_are_stale(years)
    assert accuracy(years)[0]["n"] == 2


POSITIONS: dict[str, Any] = {
    "relation": "birth year",
    "model": "alpha",
    "n": 2,
    "seed": 0,
    "inject": "unknown:1:block",
    "positions": [PLACE, {**PLACE, "kind": "unknown", "logprob": None}],
}


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
def test_long_inputs_come_and_go(
    years: OpenProject, jsonl: Jsonl, tmp_path: Path, ending: str
) -> None:
    import_file(years, jsonl("p.jsonl", POSITIONS, {**POSITIONS, "inject": None}))
    path = tmp_path / f"positions{ending}"
    export(years, "zp-positions", path)
    again = import_file(years, path)
    assert (again.format, again.unchanged, again.bad) == ("zp-positions", 2, 0)
    found = exported(years, "zp-positions", tmp_path)
    assert found[0]["positions"][0] == PLACE
    assert found[0]["positions"][1]["logprob"] is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"relation": "capital"}, "relation 'capital': import its triples"),
        ({"n": 3}, "2 positions of 3: each example has one"),
        ({"positions": [PLACE, 5]}, "positions has 5, not an object"),
        ({"positions": [PLACE, {**PLACE, "kind": "odd"}]}, "kind is 'odd', not one of clean"),
        ({"positions": [PLACE, PLACE]}, "this input is there with other positions"),
    ],
)
def test_a_bad_long_input_is_named(
    years: OpenProject, jsonl: Jsonl, change: dict[str, Any], reason: str
) -> None:
    report = import_file(years, jsonl("p.jsonl", POSITIONS, {**POSITIONS, **change}))
    assert (report.added, report.bad) == (1, 1)
    assert report.problems[0].reason.startswith(reason)


def test_models_have_families(years: OpenProject, jsonl: Jsonl, tmp_path: Path) -> None:
    alpha = {"model": "alpha", "family": "one", "parameters": 135_000_000, "base": "beta"}
    rows = [alpha, {"model": "beta"}, {**alpha, "family": "two"}, {"model": "c", "parameters": "x"}]
    report = import_file(years, jsonl("m.jsonl", *rows))
    assert (report.format, report.added, report.bad) == ("zp-models", 2, 2)
    assert [one.reason for one in report.problems] == [
        "model 'alpha' is there otherwise: the first is kept",
        "parameters is 'x', not a whole number",
    ]
    assert exported(years, "zp-models", tmp_path) == [alpha, {"model": "beta"}]


def test_forms_have_templates(years: OpenProject, jsonl: Jsonl, tmp_path: Path) -> None:
    rows = [
        {"name": "hgp-x", "template": "{subject} was born in", "outer": "\n"},
        {"relation": "birth year", "pattern": "[X] was born in [Y] ."},
        {"relation": "birth year", "pattern": "[Y] is when [X] was born"},
        {"relation": "birth year", "pattern": "nobody was born"},
        {"name": "hgp-x", "template": "{subject} came in"},
    ]
    report = import_file(years, jsonl("f.jsonl", *rows), "zp-templates")
    assert (report.added, report.bad) == (2, 3)
    assert [one.reason for one in report.problems] == [
        "template '[Y] is when [X] was born': [Y] stands before [X]",
        "template 'nobody was born': has neither {subject} nor [X]",
        "form 'hgp-x' is there otherwise: the first is kept",
    ]
    found = exported(years, "zp-templates", tmp_path)
    assert [(row["name"], row["template"], row["outer"]) for row in found] == [
        ("hgp-x", "{subject} was born in", "\n"),
        ("hgp-1", "{subject} was born in", " "),
    ]
    assert import_file(years, tmp_path / "zp-templates.jsonl").unchanged == 2


def test_a_filter_of_scores_takes_a_model_that_has_nothing_else(
    years: OpenProject, jsonl: Jsonl, tmp_path: Path
) -> None:
    options = ["1879", *(f"year {number}" for number in range(99))]
    row = {"id": "Einstein", "model": "alpha", "n": 50, "options": options}
    scored = {**row, "logprobs": [-0.5, *[-9.0] * 99]}
    assert import_file(years, jsonl("scores.jsonl", scored), "zp-scores").added == 1

    def named(where: str, model: str) -> list[str]:
        path = tmp_path / "facts.jsonl"
        export(years, "facts", path, subset=Subset([model], where))
        lines = path.read_text(encoding="utf-8").splitlines()
        return [json.loads(line)["fact_id"] for line in lines]

    assert named("zp:known", "alpha") == ["Einstein"]
    assert named("zp:unknown", "alpha") == []
    for where, model in (("zp:known", "beta"), ("Einstein", "alpha")):
        with pytest.raises(UsageError, match="no responses of a model named"):
            named(where, model)


def test_zero_prompt_is_a_form_of_its_own_kind(years: OpenProject, jsonl: Jsonl) -> None:
    rows = [
        {"name": "zero-prompt", "template": "{subject} was born in"},
        {"name": "zero-prompt", "kind": "zero-prompt", "template": "{subject}", "outer": "\n"},
        {"name": "zero-prompt", "kind": "mmp", "template": "{subject}"},
        {"name": "other", "kind": "zero-prompt", "template": "{subject} was born in"},
        {"name": "zero-prompt", "kind": "zero-prompt", "template": "{subject}"},
    ]
    report = import_file(years, jsonl("f.jsonl", *rows), "zp-templates")
    assert (report.added, report.bad) == (1, 4)
    assert {one.reason for one in report.problems} == {
        "zero-prompt is the name and kind of the form without words: choose another"
    }


def reference(folder: Path, **changes: Any) -> Path:
    """A file as the reference code writes it: products of probabilities, the gold last."""
    path = folder / "random_seed-0.json"
    content = {
        "base_prompts": ["Bohr 1885 , Einstein ", "Bohr 1885 , Noether ", "Bohr 1885 , Nobody "],
        "post_processed_outputs": [[0.1, 0.2, 0.3], [0.1, 0.3, 0.0], [0.1, 0.1, 0.1]],
        "accuracy": 0.5,
    }
    path.write_text(json.dumps(content | changes))
    return path


def test_files_of_the_reference_code(years: OpenProject, tmp_path: Path) -> None:
    words = ImportWords(relation="birth year", model="llama", examples=2)
    path = reference(tmp_path)
    report = import_file(years, path, "zp-reference", words=words)
    assert (report.added, report.bad) == (2, 1)
    assert report.problems[0].reason == "no subject of birth year stands at the end of the input"
    (row,) = accuracy(years)
    assert (row["n"], row["failed"], row["correct"]) == (1, 1, 1)
    assert row["p_gold"] == pytest.approx(0.5)
    assert import_file(years, path, "zp-reference", words=words).unchanged == 2
    assert exported(years, "zp-scores", tmp_path) == [], "their options have no texts"


def test_a_reference_file_says_neither_model_nor_relation(
    years: OpenProject, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="needs --relation, --model and --examples"):
        import_file(years, reference(tmp_path), "zp-reference")
    words = ImportWords(relation="birth year", model="llama", examples=2)
    short = reference(tmp_path, base_prompts=["Bohr "])
    with pytest.raises(LostkeysError, match="1 base_prompts with 3 post_processed_outputs"):
        import_file(years, short, "zp-reference", words=words)
