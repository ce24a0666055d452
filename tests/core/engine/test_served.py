"""What is said of the names by which a model is served."""

import pytest

from core.engine.run_counters import SERVED
from core.engine.served_names import ServedNames, difference
from core.providers.base import Draw, Reply, ServedModel


def reply(*served: ServedModel | None) -> Reply:
    return Reply(tuple(Draw("yes", served=one) for one in served))


@pytest.mark.parametrize(
    ("model", "served"),
    [
        ("openai:gpt-5-mini", "gpt-5-mini"),
        ("openai:Qwen/Qwen3-8B@http://h/v1", "qwen3-8b"),
        ("openai:qwen3-8b@http://h/v1", "/models/Qwen3-8B.gguf"),
        ("openai:qwen3-8b@http://h/v1", "C:\\models\\qwen3-8b.GGUF"),
        ("gemini:gemini-2.5-flash", "models/gemini-2.5-flash"),
        ("embedded:smollm2-135m", "whatever"),
        ("replay:file.jsonl", "whatever"),
    ],
)
def test_the_same_model_in_another_spelling_is_nothing_to_say(model: str, served: str) -> None:
    assert difference(model, served) is None


@pytest.mark.parametrize(
    ("model", "served", "kind"),
    [
        ("openai:gpt-5-mini", "gpt-5-mini-2026-01-01", "job"),
        ("openai:gpt-4", "gpt-4-0613", "job"),
        ("gemini:gemini-2.5-flash", "gemini-2.5-flash-001", "job"),
        ("openai:gpt-5", "gpt-5-mini", SERVED),
        ("openai:qwen3-8b@http://h/v1", "/models/qwen3-8b-q4_k_m.gguf", SERVED),
    ],
)
def test_another_model_than_asked_for_is_told(model: str, served: str, kind: str) -> None:
    told = difference(model, served)
    assert told is not None
    assert told[0] == kind
    assert served in told[1]


def test_each_thing_is_said_once() -> None:
    names = ServedNames()
    first, other, third = ServedModel("a", "f1"), ServedModel("b", "f1"), ServedModel("b", "f2")
    model = "openai:a"
    assert names.look(model, reply(first, first)) == []
    said = [
        line
        for one in (other, third, first, other, third)
        for line in names.look(model, reply(one))
    ]
    assert [line for _, line in said] == [
        "asked for a, served by b: check which model the server runs",
        "the served model changed from a to b",
        "the served fingerprint changed from f1 to f2",
    ]
    assert names.look(model, reply(None)) == []


def test_a_change_since_an_earlier_run_is_told() -> None:
    names = ServedNames([ServedModel("m", "f0"), ServedModel("m", "f1")])
    assert names.look("openai:m", reply(ServedModel("m", "f2"))) == [
        (SERVED, "the served fingerprint changed from f1 to f2")
    ]


def test_another_model_than_asked_for_is_told_in_each_run() -> None:
    served = ServedModel("b", "")
    for known in ((), (served,)):
        names = ServedNames(known)
        assert names.look("openai:a", reply(served)) == [
            (SERVED, "asked for a, served by b: check which model the server runs")
        ]
        assert names.look("openai:a", reply(served)) == []
