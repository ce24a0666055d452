"""The text that an arm sends: an instruction, exemplars or a passage, and the question.

FACT-BENCH, tables 7 to 11, and appendix A.1 (passages). It is one text: a raw endpoint gets it as
it is, a chat as the one message of the user.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.modes import READING, ArmMode, AskingWay
from core.sampling.arm_form import ArmForm
from prompts import RenderedText, join_texts, load

QUESTION, CONTEXT = "{QUESTION}", "{CONTEXT}"
"""Stand where each question goes, and its passage, in the prompt of an arm as shown and kept."""

TOKENS, RECITE_TOKENS = 32, 256
"""Tokens that an answer may take, and one with a recitation before it."""

PARTING = "\n\n"
"""What stands between two exemplars, as `join_texts` puts it."""

_PLACES = re.compile("|".join(map(re.escape, (QUESTION, CONTEXT))))

AROUND, BEGINNING = 300, 600
"""Characters before and after a gold in a passage, and those of one without."""

_TEMPLATES = {
    AskingWay.ZERO_SHOT: "zero-shot",
    AskingWay.READING: "reading-check",
    AskingWay.FEW_SHOT: "few-shot",
    AskingWay.RECITE: "recite",
}


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """An exemplar as it is shown; `recitation` is said before the answer where a mode recites."""

    question: str
    answer: str
    recitation: str = ""


def make_form(
    mode: ArmMode, shown: RenderedText, passages: Mapping[int, str] | None = None
) -> ArmForm:
    """How a mode puts its questions after exemplars as they are shown.

    `passages` are by fact (id), of `reading`.
    """
    template = _TEMPLATES[mode.way]
    if not mode.shots:
        return ArmForm(mode, template, TOKENS, passages=passages)
    tokens = RECITE_TOKENS if mode.recites else TOKENS
    return ArmForm(mode, template, tokens, (_name_part(mode),), {"exemplars": shown})


def _name_part(mode: ArmMode) -> str:
    """The template of an exemplar."""
    return "recited-exemplar" if mode.recites else "exemplar"


def find_shown(mode: ArmMode, kept: str, folder: Path | None = None) -> RenderedText:
    """The exemplars of an arm as its kept prompt shows them, whatever has changed since.

    Where the templates are others now it is the whole prompt: such an arm is asked no more.
    """
    if not mode.shots:
        return RenderedText("")
    place = make_form(mode, RenderedText("\0")).write(QUESTION, "", folder)
    before, _, after = place.partition("\0")
    if kept.startswith(before) and kept.endswith(after):
        return RenderedText(kept[len(before) : len(kept) - len(after)])
    return RenderedText(kept)


def _show(one: AnsweredQuestion, mode: ArmMode, folder: Path | None) -> RenderedText:
    said = {"recitation": one.recitation} if mode.recites else {}
    part = load(_name_part(mode), folder)
    return part.render_text(question=one.question, answer=one.answer, **said)


def write_prompt(
    mode: ArmMode,
    exemplars: Sequence[AnsweredQuestion],
    question: str,
    folder: Path | None = None,
) -> str:
    """The prompt of a mode for a question; with a place for the passage where it has one."""
    shown = join_texts(_show(one, mode, folder) for one in exemplars)
    read: Mapping[int, str] | None = {} if mode == READING else None
    return make_form(mode, shown, read).write(question, CONTEXT, folder)


def fill_prompt(
    mode: ArmMode, kept: str, question: str, passage: str | None = None, folder: Path | None = None
) -> str:
    """The prompt of an arm as kept (`write_prompt`) with a question, and its passage, in it.

    A passage that is not there leaves its place as it stands.
    """
    quote = load(_TEMPLATES[mode.way], folder).quote
    if mode == READING:
        texts = {QUESTION: quote(question)} | ({} if passage is None else {CONTEXT: quote(passage)})
        return _PLACES.sub(lambda found: texts.get(found[0], found[0]), kept)
    before, place, after = kept.rpartition(QUESTION)
    return f"{before}{quote(question) if place else ''}{after}"


def find_answers(
    mode: ArmMode, kept: str, exemplars: Sequence[tuple[str, str]], folder: Path | None = None
) -> list[tuple[int, int] | None]:
    """Where the answers of exemplars (question, answer) stand in the prompt of an arm as kept.

    None for one that is not found there. The places are those of the filled prompt too, as long
    as the question stands behind the exemplars.
    """
    quote = load("recited-exemplar" if mode.recites else "exemplar", folder).quote
    end, at = max(0, kept.rfind(QUESTION)), 0
    asked: list[tuple[int, int]] = []
    for question, _ in exemplars:
        start = kept.find(quote(question), at, end)
        at = at if start < 0 else start + len(quote(question))
        asked.append((start, at))
    found: list[tuple[int, int] | None] = []
    for place, (_, answer) in enumerate(exemplars):
        start, behind = asked[place]
        following = min((one for one, _ in asked[place + 1 :] if one >= 0), default=end)
        parted = kept.rfind(PARTING, behind, following)
        shown = quote(answer)
        there = kept.rfind(shown, behind, following if parted < 0 else parted)
        found.append((there, there + len(shown)) if shown and start >= 0 <= there else None)
    return found


def find_passage(text: str, golds: Sequence[str]) -> str:
    """What of a document is read: around the first gold that stands in it, else its beginning."""
    for gold in filter(str.strip, golds):
        found = re.search(_match_whole(gold), text, re.IGNORECASE)
        if found is not None:
            return text[max(0, found.start() - AROUND) : found.end() + AROUND]
    return text[:BEGINNING]


def _match_whole(gold: str) -> str:
    """A pattern for a text as whole words, however its words are parted."""
    words = r"\s+".join(map(re.escape, gold.split()))
    return rf"(?<!\w){words}(?!\w)"
