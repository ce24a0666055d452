"""An estimate in words: for `--dry-run`, for the Start dialog, before a run."""

from typing import NamedTuple

from core.estimates.estimate import NONE, Estimate, QuantityRange
from core.pricing.budget import dollars
from core.stats.number_format import format_amount, format_duration, format_large

NAME, WHAT = 11, 24
"""Cells of the first two columns of `make_lines`."""


class EstimateRow(NamedTuple):
    """One thing that a run makes or takes: its name, the number, and what stands beside it."""

    name: str
    what: str
    beside: str = ""


NO_TIME = EstimateRow("time", "not known", "it has not been asked enough here yet")
"""The time of a run with a model whose rate nobody knows."""


def make_lines(estimate: Estimate) -> list[str]:
    """The estimate as it is printed."""
    return [
        f"{row.name:<{NAME}}{row.what:<{WHAT}}{row.beside}".rstrip() for row in make_rows(estimate)
    ]


def make_rows(estimate: Estimate) -> list[EstimateRow]:
    """Questions, answers, time and cost; answers to grade where nothing is drawn."""
    if not estimate.questions:
        spared = [_savings(estimate)] if estimate.spared else []
        time = [_grading_time(estimate)] if estimate.parts else []
        return [_to_grade(estimate), *spared, *time, _cost(estimate)]
    out = [_out(estimate)] if estimate.out else []
    return [_questions(estimate), *out, _answers(estimate), _time(estimate), _cost(estimate)]


def _questions(estimate: Estimate) -> EstimateRow:
    here = estimate.here
    if here == estimate.questions:
        return EstimateRow("questions", f"{here:,}", "all are here already: nothing is asked")
    return EstimateRow(
        "questions",
        f"{estimate.questions:,}",
        f"{_format_here(here)} not asked again" if here else "",
    )


def _out(estimate: Estimate) -> EstimateRow:
    what = format_amount(estimate.out, "answer")
    return EstimateRow("out", what, f"{_choose_verb(estimate.out)} out in files and not asked for")


def _format_here(count: int) -> str:
    return f"{count:,} {'is' if count == 1 else 'are'} here already and {_choose_verb(count)}"


def _choose_verb(count: int) -> str:
    return "is" if count == 1 else "are"


def _answers(estimate: Estimate) -> EstimateRow:
    answers = estimate.answers
    what = f"{round(answers.high):,}"
    if answers.low != answers.high:
        what = f"{round(answers.low):,} to {what}"
    return EstimateRow("answers", what, _tokens(estimate))


def _to_grade(estimate: Estimate) -> EstimateRow:
    done, several = estimate.grades_here, len(estimate.labels) > 1
    by = [f"{count:,} by {name}" for name, count in estimate.labels if several]
    there = (
        f"{done:,} {_choose_verb(done)} {'here' if several else 'graded'} already" if done else ""
    )
    beside = ", ".join(filter(None, (*by, there, _tokens(estimate))))
    if several:  # an answer gets one of each grader
        return EstimateRow("labels", f"{estimate.graded:,} to give", beside)
    return EstimateRow("answers", f"{estimate.graded:,} to grade", beside)


def _savings(estimate: Estimate) -> EstimateRow:
    asked = f"about {format_amount(estimate.spared, 'answer')}"
    sure = f"{_choose_verb(estimate.spared)} sure without a model, as a sample says"
    return EstimateRow("saved", asked, sure)


def _tokens(estimate: Estimate) -> str:
    if estimate.input_tokens == NONE:
        return ""
    into, out = estimate.input_tokens, estimate.output_tokens
    return f"about {_format_range(into)} tokens in, {_format_range(out)} out"


def _format_range(span: QuantityRange) -> str:
    if span.high < 1.5 * span.low:
        return format_large((span.low + span.high) / 2)
    low, high = format_large(span.low), format_large(span.high)
    unit = high[-2:]
    return f"{low.removesuffix(unit) if low.endswith(unit) else low} to {high}"


def _time(estimate: Estimate) -> EstimateRow:
    if not estimate.answers.high:
        return EstimateRow("time", "none")
    if estimate.batch:
        return EstimateRow("time", "up to a day", "a batch is answered when the service has room")
    if estimate.seconds is None or not estimate.rate:
        return NO_TIME
    rate = f"{estimate.rate:,.1f}" if estimate.rate < 100 else f"{estimate.rate:,.0f}"
    return EstimateRow(
        "time",
        f"about {format_duration(estimate.seconds)}",
        f"at {rate} questions a second, as last time",
    )


def _grading_time(estimate: Estimate) -> EstimateRow:
    if estimate.seconds is None:
        return NO_TIME
    return EstimateRow("time", f"about {format_duration(estimate.seconds)}", "as fast as last time")


def _cost(estimate: Estimate) -> EstimateRow:
    cost = estimate.cost
    if cost is None:
        return EstimateRow(
            "cost", "not known", f"no price of {estimate.unpriced[0]}: prices.toml can say"
        )
    low, high = dollars(cost.low), dollars(cost.high)
    what = high if low == high else f"{low} to {high}"
    return EstimateRow("cost", what, _name_paid(estimate))


def _name_paid(estimate: Estimate) -> str:
    """Which of answers and grading are paid for."""
    answers = [part for part in estimate.parts if not part.grades]
    drawn = bool(answers) and all(part.free for part in answers)
    graded = all(part.free for part in estimate.parts if part.grades)
    if not estimate.graded:
        return ("answers are local" if drawn else "answers cost") if answers else ""
    if not answers:
        return "grading is local" if graded else "grading costs"
    if drawn and graded:
        return "answers and grading are local"
    said = (
        f"answers {'are local' if drawn else 'cost'}; grading {'is local' if graded else 'costs'}"
    )
    return f"{said}, as a batch" if estimate.batch and not drawn else said
