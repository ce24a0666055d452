"""Graders that answer nonsense, refuse, fail, or may not be asked: no label is made up."""

from pathlib import Path

import pytest

from core.errors import ProviderError, UsageError
from core.jobs.job_run import JobContext
from core.jobs.job_service import Jobs
from core.pricing import OverBudgetError
from core.providers.base import (
    Draw,
    FatalError,
    Reply,
    Request,
    TransientError,
    UnanswerableError,
)
from core.scoring.policy import Policy
from core.specs.answer_specs import AnsweringSpec, GradingSpec
from tests.core.grading.making import (
    ALL,
    EMBEDDED,
    GRADER,
    MODEL,
    Grader,
    count,
    graded,
    honest,
    outcomes,
    prompt,
)
from tests.core.making import OBJECT
from tests.patience import PATIENCE


def off_form(request: Request) -> list[str]:
    """The ways in which a reply to several answers is off its form."""
    lines = honest(request).splitlines()
    number = len(lines) + 1
    noun = "answer" if "answer" in lines[0] else "completion"
    whole = "\n".join(lines)
    return [
        "I cannot say.",
        lines[0],
        f"{whole}\n{lines[-1]}",
        f"{whole}\n<{noun}_{number}>CORRECT</{noun}_{number}>",
        "\n".join(reversed(lines)),
        f"Here you are:\n{whole}",
        f"{whole}\nThat is all.",
        whole.replace("CORRECT", "RIGHT"),
        whole.replace("_2>", "_3>"),
        whole[: len(whole) // 2],
        "",
    ]


@pytest.mark.parametrize("way", range(11))
def test_what_cannot_be_read_is_asked_again_in_parts(path: Path, way: int) -> None:
    def say(request: Request, number: int) -> str:
        several = prompt(request).count("\nAnswer ") + prompt(request).count("\nCompletion ") > 1
        return off_form(request)[way] if several else honest(request)

    grader = Grader(say)
    result, view = graded(path, grader)
    assert sorted(grader.answers) == [1] * 8 + [2] * 4
    assert outcomes(path) == {OBJECT: {"CORRECT"}, "Narva": {"INCORRECT"}, "": {"OTHER"}}
    assert result.failed == 0
    (stage,) = view.stages
    assert (stage.done, stage.waiting, stage.running, stage.failed) == (ALL, 0, 0, 0)


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("all of them are CORRECT", "unparsed"),
        ("", "refused"),
        (Reply((Draw("I will not", "content_filter"),), 9, 3), "refused"),
        (UnanswerableError("the prompt is against the rules"), "refused"),
    ],
)
def test_three_times_in_vain_is_a_state_and_no_label(
    path: Path, said: str | Reply | Exception, state: str
) -> None:
    grader = Grader(lambda request, number: said)
    result, view = graded(path, grader)
    assert sum(grader.answers) == 3 * 8
    assert outcomes(path) == {OBJECT: {state}, "Narva": {state}, "": {"OTHER"}}
    assert result.failed == ALL * 3 / 4
    assert f"24 {state}" in result.said
    (stage,) = view.stages
    assert (stage.done, stage.waiting, stage.running, stage.failed) == (8, 0, 0, 24)
    again = Grader()
    result, _ = graded(path, again)
    assert again.answers == [2] * 4
    assert outcomes(path) == {OBJECT: {"CORRECT"}, "Narva": {"INCORRECT"}, "": {"OTHER"}}
    assert result.failed == 0
    assert count(path, "SELECT count(*) FROM grade") == ALL


def test_one_answer_that_breaks_the_grader_harms_no_other(path: Path) -> None:
    grader = Grader(lambda request, number: "?" if "Narva" in prompt(request) else honest(request))
    result, _ = graded(path, grader)
    assert outcomes(path) == {OBJECT: {"CORRECT"}, "Narva": {"unparsed"}, "": {"OTHER"}}
    assert result.failed == 8


def test_a_request_that_keeps_failing_is_an_error(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.engine.retry.Retry.wait", lambda self, attempt: 0.0)

    def say(request: Request, number: int) -> str | Exception:
        if "f1 direct" in prompt(request):
            return TransientError("the connection was reset")
        return honest(request)

    result, view = graded(path, Grader(say))
    assert outcomes(path) == {
        OBJECT: {"CORRECT", "error"},
        "Narva": {"INCORRECT", "error"},
        "": {"OTHER"},
    }
    assert result.failed == view.stages[0].failed == 6
    assert view.stages[0].reasons == {"the connection was reset": 6}
    graded(path, Grader())
    assert outcomes(path) == {OBJECT: {"CORRECT"}, "Narva": {"INCORRECT"}, "": {"OTHER"}}


def test_a_server_that_refuses_for_good_ends_it(path: Path) -> None:
    with pytest.raises(FatalError, match="wrong key"):
        graded(path, Grader(lambda request, number: FatalError("wrong key")))
    assert set(outcomes(path)) == {""}


def test_a_budget_ends_it_and_more_goes_on(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path))
    (tmp_path / "prices.toml").write_text(f'["{MODEL}"]\ninput = 1000.0\noutput = 1000.0\n')
    dear = Grader(lambda request, number: Reply((Draw(honest(request), "stop"),), 3_000, 9))
    with pytest.raises(OverBudgetError):
        graded(path, dear, GRADER, max_cost=8.0 + 18.06)  # with what the trial costs
    done = count(path, "SELECT count(*) FROM grade")
    assert done == 8 + 2 * 6
    _, view = graded(path, Grader(), GRADER, max_cost=1_000.0)
    assert count(path, "SELECT count(*) FROM grade") == ALL
    assert view.spends[0].cost is not None


@pytest.mark.parametrize("name", ["llm:", "llm:nonsense", "llm:gemini:../x", "judge:openai:"])
def test_a_grader_without_a_model_is_refused(path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        graded(path, Grader(), name)


def test_a_model_is_tried_first(path: Path) -> None:
    grader = Grader(lambda request, number: FatalError("no such model"))
    with pytest.raises(ProviderError, match="no such model"):
        graded(path, grader, GRADER)
    assert count(path, "SELECT count(*) FROM grader") == 0


def test_a_model_that_refuses_temperature_0_is_asked_at_its_own(path: Path) -> None:
    def say(request: Request, number: int) -> str | Exception:
        cold = request.temperature == 0
        return FatalError("temperature 0 is not supported") if cold else honest(request)

    grader = Grader(say)
    jobs = Jobs(path, means=JobContext(lambda model: grader))
    job = jobs.start(GradingSpec((GRADER,)))
    assert jobs.wait(job, PATIENCE)
    assert jobs.result(job).failed == 0
    assert any("refuses temperature 0" in line.text for line in jobs.log(job))
    assert {one.temperature for one in grader.seen[-4:]} == {1.0}
    again = Grader(say)
    result, _ = graded(path, again, GRADER)
    assert again.seen == []
    assert "already" in result.said


FIRST_ROW = 1


def test_a_curtailed_run_by_a_model_is_refused(path: Path) -> None:
    jobs = Jobs(path, means=JobContext(lambda model: Grader()))
    spec = AnsweringSpec(
        MODEL, "m", graders=(EMBEDDED,), curtailed=Policy(graders=(EMBEDDED,)), unchecked=True
    )
    job = jobs.start(spec)
    assert jobs.wait(job, PATIENCE)
    (view,) = jobs.views()
    assert view.id < 0
    for known_as in (job, view.id, FIRST_ROW):  # whoever asks early is given the id of its row
        with pytest.raises(UsageError, match="curtail by lexical"):
            jobs.result(known_as)
