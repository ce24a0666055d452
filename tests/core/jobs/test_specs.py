"""Specs keep through the file, and unknown ones are said in one line."""

from importlib import import_module
from inspect import signature

import pytest

from core.errors import LostkeysError
from core.jobs.job_run import JobRun
from core.scoring.policy import Policy
from core.specs.answer_specs import AnsweringSpec, ArmsSpec, DemoSpec, GradingSpec, ScoringSpec
from core.specs.file_specs import (
    ExportingSpec,
    FilesSpec,
    ImportingSpec,
    ImportWords,
    TuningSpec,
)
from core.specs.job_kinds import KINDS, JobKind, Spec
from core.specs.stored_specs import as_json, from_json
from core.vocabulary import Strategy, Task

SPECS: list[tuple[Spec, str]] = [
    (
        AnsweringSpec(
            "openai:m@http://h:1/v1",
            "openai:m@http://h:1/v1",
            tasks=(Task.DIRECT,),
            where="category:Arts",
            graders=("lexical",),
            curtailed=Policy(0.75, Strategy.PARTIAL, 0.5, ("lexical",)),
            only_failed=True,
            timeout=7.5,
            in_flight=3,
        ),
        "m",
    ),
    (AnsweringSpec("embedded:smollm2-135m", "mine"), "mine"),
    (DemoSpec(3), "smollm2-135m"),
    (GradingSpec(("exact", "lexical")), "exact, lexical"),
    (GradingSpec(("exact",), timeout=30.0, in_flight=2), "exact"),
    (ImportingSpec("/a/b.csv"), "b.csv"),
    (
        ImportingSpec(
            "/a/b.eval",
            words=ImportWords(scores=("match",), thinking="on", correct_at=0.5, pool=True),
            more=("/a/c.eval", "/a/d.eval"),
        ),
        "b.eval and 2 more",
    ),
    (ImportingSpec("/a/b.csv", words=ImportWords("s", "name", ("born=P569", "city"))), "b.csv"),
    (ScoringSpec("embedded:smollm2-135m", "embedded:smollm2-135m"), "smollm2-135m"),
    (
        ScoringSpec("openai:m", "mine", ("born",), "s", (1, 5), injects=(None, "unknown:1:block")),
        "mine",
    ),
    (
        ArmsSpec("openai:m", "mine", ("zero-shot", "5-shot:known"), known_by="em"),
        "mine, zero-shot, 5-shot:known",
    ),
    (TuningSpec("openai:m@http://host/v1", "f.jsonl"), "m"),
    (TuningSpec("openai:m", "f.jsonl", "v.jsonl", 3, "mine"), "m"),
    (FilesSpec("/a/reqs", "file:base", "file:base", engine="vllm", shards=3, plan="0f"), "base"),
    (FilesSpec("/a/reqs", "openai:m", "mine", tasks=(Task.DIRECT,)), "mine"),
    (ExportingSpec("profiles", "p.csv", ("m",), "flagged", Policy(0.9), True), "p.csv"),
]


@pytest.mark.parametrize(("spec", "name"), SPECS)
def test_a_spec_comes_back_as_it_was(spec: Spec, name: str) -> None:
    assert from_json(as_json(spec)) == spec
    assert as_json(from_json(as_json(spec))) == as_json(spec)
    assert spec.subject == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        pytest.param("[" * 200_000, id="deep"),
        '{"kind": "bake"}',
        '{"kind": "run"}',
        '{"kind": "grade", "tau": 1}',
        '{"kind": "grade", "graders": [1]}',
        '{"kind": "import", "file": 5}',
        '{"kind": "demo", "facts": true}',
        '{"kind": "run", "model": 5, "label": "a"}',
        '{"kind": "run", "model": "a", "label": "\\ud800"}',
        '{"kind": "run", "model": "a", "label": "a", "via": "post"}',
        '{"kind": "run", "model": "a", "label": "a", "samples": "8"}',
        '{"kind": "run", "model": "a", "label": "a", "thinking": "on"}',
    ],
)
def test_what_is_not_known_is_one_line(text: str) -> None:
    with pytest.raises(LostkeysError, match="cannot be read"):
        from_json(text)


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_every_kind_has_what_does_it(kind: JobKind) -> None:
    (work, spec) = signature(import_module(kind.module).run).parameters.values()
    assert (work.annotation, spec.annotation) == (JobRun, kind.spec)
    assert kind.name in {one.kind for one, _ in SPECS} | {"build"}
