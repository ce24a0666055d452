"""The answer in a response, as each mode of asking has it, and its four scores.

FACT-BENCH, section 3.1 (metrics) and section 4.3 (recite, then answer, and its raw scores).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.graders.em.normal_form import AnswerKind, gold_forms

RECITE = "recite"
_LEAD = re.compile(r"\W*answer:", re.IGNORECASE)
_LAST = re.compile(r"answer:", re.IGNORECASE)
_MARKDOWN = " \t*_`#"
MOST_BRACKETS = 8
"""Pairs of brackets around an answer that are taken off."""

_BRACKETS = (("[", "]"), ("(", ")"), ("{", "}"), ("<", ">"))


def answer_of(response: str, mode: str = "") -> str:
    """The answer in a response that was given in a mode; empty for a blank one.

    The first line with text, without a leading `Answer:`. After a recitation the first line with
    text behind the last `answer:`, else the last one, without markdown and brackets around it.
    """
    if not mode.startswith(RECITE):
        lead = _LEAD.match(response)
        return next(iter(_lines(response[lead.end() :] if lead else response)), "")
    ends = [match.end() for match in _LAST.finditer(response)]
    lines = _lines(response[ends[-1] :] if ends else response)
    return _bare(lines[0] if ends else lines[-1]) if lines else ""


def answer_span(response: str, mode: str = "") -> tuple[int, int] | None:
    """Where the answer in a response stands; None for a blank one."""
    answer = answer_of(response, mode)
    if not answer:
        return None
    if not mode.startswith(RECITE):
        lead = _LEAD.match(response)
        start = response.find(answer, lead.end() if lead else 0)
    else:
        ends = [match.end() for match in _LAST.finditer(response)]
        start = response.find(answer, ends[-1]) if ends else response.rfind(answer)
    return start, start + len(answer)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _bare(line: str) -> str:
    """A line without markdown and brackets around it."""
    line = line.strip(_MARKDOWN)
    for _ in range(MOST_BRACKETS):
        if any(line.startswith(left) and line.endswith(right) for left, right in _BRACKETS):
            line = line[1:-1].strip(_MARKDOWN)
    return line


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """Exact matches are 1 or 0, F1 is a fraction; all are 0 for a blank answer."""

    answer: str
    em: int
    f1: float
    em_raw: int
    f1_raw: float


@dataclass(frozen=True, slots=True)
class GoldMatch:
    """The gold that an answer comes nearest to, with what F1 counts as shared by both."""

    gold: str
    shared: tuple[str, ...]


def find_gold(answer: str, golds: Sequence[str], kind: AnswerKind) -> GoldMatch | None:
    """The first gold with the best scores; None where an answer has no word of any."""
    scored = [(gold, gold_forms((gold,), kind)) for gold in golds]
    best = max(scored, key=lambda one: one[1].score(answer), default=None)
    if best is None or not best[1].score(answer)[1]:
        return None
    return GoldMatch(best[0], best[1].shared_words(answer))


def score_response(
    response: str, golds: Sequence[str], kind: AnswerKind, mode: str = ""
) -> AnswerScores:
    """The scores of a response against an object and its aliases."""
    known = gold_forms(tuple(golds), kind)
    answer = answer_of(response, mode)
    of_answer = known.score(answer)
    whole = response.strip()
    return AnswerScores(answer, *of_answer, *(of_answer if whole == answer else known.score(whole)))
