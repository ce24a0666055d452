"""Sets to fine-tune with, and what is wrong with a file of them."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import LostkeysError, UsageError
from core.fact_bench.bench_evidence import BenchChoice, BenchEvidence
from core.fact_bench.set_preparation import DEFAULT
from core.fact_bench.stored_sets import prepare_set
from core.fact_bench.tuning_check import (
    EXPLAINED,
    KnownQuestions,
    TuningProblem,
    check_examples,
    read_reported,
)
from core.fact_bench.tuning_set import (
    META,
    TuningForm,
    TuningKind,
    choose_examples,
    choose_validation,
    write_examples,
)
from core.project import OpenProject
from core.transfer.imports import import_file
from tests.core.making import new_project

NONE = KnownQuestions(())


@pytest.fixture
def project(tmp_path: Path) -> Iterator[OpenProject]:
    """Forty triples: ten train, ten in the subset; `m` knows every other one."""
    rows = [
        {"id": f"t{n:02}", "subject": f"S{n}", "relation": "father", "object": f"Bo {n}"}
        | {"question": f"Who is the father of S{n}?"}
        for n in range(40)
    ]
    answers = [
        {"fact_id": f"t{n:02}", "task": "direct", "model": "m#zero-shot", "thinking": False}
        | {"sample": 0, "response": f"Bo {n}" if n % 2 else "no"}
        for n in range(40)
    ]
    with new_project(tmp_path / "some.db") as made:
        for name, lines in (("triples", rows), ("responses", answers)):
            file = tmp_path / f"{name}.jsonl"
            file.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
            if name == "responses":
                prepare_set(made, None, replace(DEFAULT, subset=10))
            assert import_file(made, file, name).bad == 0
        yield made


def evidence(project: OpenProject) -> BenchEvidence:
    return BenchEvidence(project, BenchChoice(known_by="em"))


def test_what_is_reported_is_never_trained_on(project: OpenProject) -> None:
    found = evidence(project)
    said = dict(zip((one.fact for one in found.triples.rows), found.triples.prepared, strict=True))
    for kind in TuningKind:
        examples = choose_examples(found, kind, "m", None)
        assert examples
        held = choose_validation(found, examples, 5)
        splits = {said[one.triple.fact].split for one in examples}
        assert splits == ({"eval"} if kind.needs_model else {"train"})
        assert not any(said[one.triple.fact].subset for one in (*examples, *held))
        assert not {one.triple.fact for one in examples} & {one.triple.fact for one in held}


def test_half_of_a_mixed_set_is_known(project: OpenProject) -> None:
    examples = choose_examples(evidence(project), TuningKind.MIXED, "m", 7)
    knows = [int(one.triple.fact_id[1:]) % 2 for one in examples]
    assert (len(knows), sum(knows)) == (7, 4)
    known = choose_examples(evidence(project), TuningKind.KNOWN, "m", 400)
    assert all(int(one.triple.fact_id[1:]) % 2 for one in known)
    assert len(known) < 20


def test_an_answer_that_is_not_so_is_that_of_another(project: OpenProject) -> None:
    examples = choose_examples(evidence(project), TuningKind.COUNTERFACTUAL, None, None)
    assert len(examples) == 10
    assert all(one.answer_of.fact != one.triple.fact for one in examples)


def test_sets_that_cannot_be(project: OpenProject) -> None:
    with pytest.raises(UsageError, match="name with --model"):
        choose_examples(evidence(project), TuningKind.KNOWN, None, None)
    with pytest.raises(UsageError, match="run --model other --mode zero-shot --split eval"):
        choose_examples(evidence(project), TuningKind.UNKNOWN, "other", None)
    prepare_set(project, None, DEFAULT)
    with pytest.raises(UsageError, match="prepare --subset N"):
        choose_examples(evidence(project), TuningKind.KNOWN, "m", None)


def test_a_file_says_beside_it_what_it_holds(project: OpenProject, tmp_path: Path) -> None:
    examples = choose_examples(evidence(project), TuningKind.REGULAR, None, None)
    out = tmp_path / "out.jsonl"
    write_examples(out, examples, {"kind": "regular"})
    said = json.loads(out.with_name(out.name + META).read_text())
    assert said == {"kind": "regular", "facts": [one.triple.fact_id for one in examples]}
    first = json.loads(out.read_text().splitlines()[0])["messages"]
    assert first[0]["content"].endswith(f"Question: {examples[0].triple.asked}\nAnswer:")
    assert first[1]["content"] == examples[0].triple.object
    path = tmp_path / "some.db"
    assert check_examples(out, read_reported(path, None, None)).errors == []
    leaks = check_examples(out, read_reported(path, None, "train")).errors
    assert [one.line for one in leaks] == list(range(1, 11))
    with pytest.raises(LostkeysError, match="is not a folder"):
        write_examples(tmp_path / "none" / "out.jsonl", examples, {})


def test_without_a_database_nothing_is_reported(tmp_path: Path) -> None:
    assert not read_reported(tmp_path / "none.db", None, None).stand_in("Who?")
    new_project(tmp_path / "new.db").close()
    assert not read_reported(tmp_path / "new.db", None, None).stand_in("Who?")
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(UsageError, match="no set named some"):
        read_reported(tmp_path / "new.db", "some", None)


def example(*texts: str, role: str = "user") -> str:
    roles = [role, "assistant"] * len(texts)
    messages = [{"role": one, "content": text} for one, text in zip(roles, texts, strict=False)]
    return json.dumps({"messages": messages})


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "json"),
        ("[]", "json"),
        ("\u00ff", None),
        ("{}", "keys"),
        ('{"messages": [], "n": 1}', "keys"),
        ('{"messages": {}}', "messages"),
        ('{"messages": []}', "messages"),
        (example("x"), "messages"),
        ('{"messages": [{"role": "user"}, {"role": "assistant", "content": "x"}]}', "messages"),
        ('{"messages": [{"role": "user", "content": 1}, 2]}', "messages"),
        (example("x", "y", role="robot"), "role"),
        (example("x", " \n"), "empty"),
        (example("x", "y", "z"), "order"),
        (example("x", "y", role="assistant"), "order"),
        (example("x", "y", role="system"), "order"),
        (example("x", "y", "z", "a"), None),
    ],
)
def test_a_line_that_no_service_takes_is_named(
    tmp_path: Path, line: str, problem: str | None
) -> None:
    file = tmp_path / "f.jsonl"
    good = [example(f"q{n}", "a") for n in range(10)]
    if line == "\u00ff":
        file.write_bytes("\n".join(good).encode() + b"\n\xff\n")
        problem = "json"
    else:
        file.write_text("\n".join([*good, "", line]) + "\n", encoding="utf-8")
    report = check_examples(file, NONE)
    assert report.examples == 11
    assert [one.problem.value for one in report.errors] == ([problem] if problem else [])
    assert report.warnings == []


def test_prompts_that_come_again(tmp_path: Path) -> None:
    file = tmp_path / "f.jsonl"
    lines = [example("q", one) for one in ("a", "b", "a", "c")]
    file.write_text("\n".join(lines), encoding="utf-8")
    report: Any = check_examples(file, NONE).as_json()
    found = [(one["line"], one["problem"]) for one in report["warnings"]]
    assert found == [(2, "conflict"), (3, "duplicate"), (4, "conflict")]
    assert report["errors"] == [{"line": 0, "problem": "too_few"}]
    with pytest.raises(LostkeysError, match="No such file"):
        check_examples(tmp_path / "none.jsonl", NONE)


def test_questions_are_found_within_texts() -> None:
    known = KnownQuestions(
        ["Who?", "In which city was Ada born?", "In which city was Bo born?", "?"]
    )
    assert known.stand_in("Say it: in which city was ADA born")
    assert known.stand_in("who")
    assert not known.stand_in("In which city was Cy born?")
    assert not known.stand_in("whom")
    assert not known.stand_in("")


def test_every_problem_is_explained() -> None:
    assert EXPLAINED.keys() == {*TuningProblem}


def test_examples_for_a_base_model_are_prompt_and_completion(
    project: OpenProject, tmp_path: Path
) -> None:
    found = choose_examples(evidence(project), TuningKind.REGULAR, None, None)
    chat, plain = tmp_path / "chat.jsonl", tmp_path / "plain.jsonl"
    write_examples(chat, found, {})
    write_examples(plain, found, {}, TuningForm.PROMPT_COMPLETION)
    rows = zip(
        *(map(json.loads, one.read_text().splitlines()) for one in (chat, plain)), strict=True
    )
    for asked, one in rows:
        prompt, answer = (message["content"] for message in asked["messages"])
        assert one == {"prompt": prompt, "completion": f" {answer}"}
        assert one["prompt"].endswith("\nAnswer:")
    nothing = KnownQuestions(())
    assert check_examples(plain, nothing).as_json() == check_examples(chat, nothing).as_json()
    plain.write_text('{"prompt": "Q", "completion": " "}\n{"prompt": 1, "completion": "a"}\n')
    told = [one.problem.value for one in check_examples(plain, nothing).errors]
    assert told == ["empty", "messages", "too_few"]
