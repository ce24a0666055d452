"""Sheets: answers to one question that are graded by one request, and what becomes of them."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import unescape

from core.grading import grading_prompt
from core.grading.model_grader import ModelGrader
from core.providers.base import Draw, Reply, Request
from core.vocabulary import LABELS, Label, Outcome
from prompts.reply_shape import ReplyForm, ReplyShape, ShapeError

# Reading a grader's reply: one label per numbered answer, or nothing at all.
#
# A reply that is off its form anywhere is not read in part: a label that may belong to another
# answer is worse than none. A reason may quote an answer; where it holds a tag, or closes the JSON
# that it stands in, nobody can tell what is the grader's own.

LONGEST_WHY = 300
"""Characters of a reason that are kept."""

_TAG = re.compile(r"<[^\w<>]*(?:answer|completion|why|think|thought|reasoning)", re.IGNORECASE)
"""What begins like a tag of a reply, or like a mark of a model's own reasoning."""

_NUMBERED = re.compile(r"(?:answer|completion|why)_\d")
"""A tag of a reply in a bare text."""

_KEY = re.compile(r'"(?:label|reason)"')
"""A key of a reply's shape in a text as `_keep_quotes` leaves it."""

_QUOTES = str.maketrans(dict.fromkeys("'`´‘’‚‛“”„‟«»‹›", '"'))

_ESCAPE = re.compile(r"\\u([0-9a-f]{4})", re.IGNORECASE)


class UnreadableError(Exception):
    """The reply is not in the form that was asked for; the message says where it is off."""


@dataclass(frozen=True, slots=True)
class ParsedLabel:
    """A label, and why where the grader says so."""

    label: Label
    why: str | None = None


def read_labels(reply: str, noun: str, count: int) -> tuple[ParsedLabel, ...]:
    """The verdicts on `count` answers, in their order.

    `noun` is what the tags are called: `answer` or `completion`. Raises `UnreadableError` for
    numbers that are missing, doubled, out of order or invented, for anything but the four
    labels, for a tag in a reason, and for text around the tags.
    """
    found: list[ParsedLabel] = []
    place = 0
    for number in range(1, count + 1):
        match = _form(noun, number).match(reply, place)
        if match is None:
            raise UnreadableError(f"{noun} {number} of {count} does not stand in its place")
        label, why = match["label"].strip(), match["why"]
        if label not in LABELS:
            raise UnreadableError(f"{noun} {number} has no label of the four")
        if why is not None and _TAG.search(why):
            raise UnreadableError(f"the reason for {noun} {number} holds a tag")
        found.append(ParsedLabel(Label(label), _why(why)))
        place = match.end()
    if reply[place:].strip():
        raise UnreadableError(f"there is other text after {count} labels")
    return tuple(found)


@cache
def _form(noun: str, number: int) -> re.Pattern[str]:
    """What a reply holds of one answer."""
    return re.compile(
        rf"\s*<{noun}_{number}>(?P<label>[^<>]*)</{noun}_{number}>"
        rf"(?:\s*<why_{number}>(?P<why>.*?)</why_{number}>)?",
        re.DOTALL,
    )


def read_shape(reply: str, shape: ReplyShape) -> tuple[ParsedLabel, ...]:
    """The verdicts of a reply of a shape: one object, or one for each answer, in their order.

    Raises `UnreadableError` for whatever else it is.
    """
    try:
        found = shape.read_reply(reply)
    except ShapeError as error:
        raise UnreadableError(str(error)) from None
    if isinstance(found, dict):
        return (ParsedLabel(_YES_NO[found["label"]]),)
    return tuple(ParsedLabel(Label(one["label"]), _why(one["reason"])) for one in found)


_YES_NO = {"yes": Label.CORRECT, "no": Label.INCORRECT}


def holds_key(*texts: str) -> bool:
    """Whether a grader that quotes one of these texts could write a key of its reply's shape."""
    return any(_KEY.search(_keep_quotes(text)) for text in texts)


def holds_value(label: str, *texts: str) -> bool:
    """Whether this label stands in one of these texts, with a quotation mark, beside such a key.

    Then nobody can tell whether the grader gives it or quotes it.
    """
    plain = [text for text in map(_keep_quotes, texts) if _KEY.search(text)]
    return any(f'{label.casefold()}"' in text for text in plain)


def holds_tag(*texts: str) -> bool:
    """Whether a grader that quotes one of these texts could write a tag, in whatever form."""
    return any(_NUMBERED.search(_keep_letters(text)) for text in texts)


def holds_verdict(verdict: ParsedLabel, noun: str, number: int, *texts: str) -> bool:
    """Whether the label stands in one of these texts with the tag that has to follow it.

    Then nobody can tell whether the grader gives it or quotes it.
    """
    given = f"{verdict.label}{noun}_{number}".casefold()
    return any(given in _keep_letters(text) for text in texts)


def read_judge(reply: str) -> ParsedLabel:
    """The verdict of a reply that has to be Yes or No; raises `UnreadableError` for all else."""
    said = reply.strip().rstrip(".").lower()
    if said not in ("yes", "no"):
        raise UnreadableError("neither Yes nor No")
    return ParsedLabel(Label.CORRECT if said == "yes" else Label.INCORRECT)


def _why(text: str | None) -> str | None:
    line = " ".join((text or "").split())
    return line[:LONGEST_WHY] or None


def _keep_letters(text: str) -> str:
    """The letters, digits and underscores of a text, however its brackets are written."""
    return re.sub(r"\W+", "", _undo_escapes(text))


def _keep_quotes(text: str) -> str:
    """The same with its quotation marks, all of one kind."""
    return re.sub(r"[^\w\"]+", "", _undo_escapes(text).translate(_QUOTES))


def _undo_escapes(text: str) -> str:
    plain = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), unescape(text))
    return unicodedata.normalize("NFKC", plain).casefold()


TRIES = 3
"""Times that an answer is asked about: once, and twice more where the reply cannot be read."""


@dataclass(frozen=True, slots=True)
class DistinctAnswer:
    """One text, and the numbers of the responses that consist of it."""

    text: str
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """What answers are judged by: a question, or (`completion`) the text to be continued."""

    key: int
    completion: bool
    text: str
    golds: tuple[str, ...]


_GIVEN = {Label.CORRECT: "yes", Label.INCORRECT: "no"}
"""What a judge gives for its labels."""

Group = tuple[DistinctAnswer, ...]


@dataclass(frozen=True, slots=True, eq=False)
class AnswerBatch:
    """One request for labels. `later` are further groups of the same question, with their tries.

    `form` is that of the reply: the grader's, or `text` where its schema was refused. It is an
    `Item` of the engine, of which one draw brings labels of several responses.
    """

    grader: ModelGrader
    subject: Subject
    answers: Group
    request: Request
    tries: int = 0
    later: tuple[tuple[Group, int], ...] = ()
    form: ReplyForm = "text"

    @property
    def stage(self) -> str:
        """The stage that counts it."""
        return self.grader.stage

    @property
    def channel(self) -> str:
        """The channel it is asked in."""
        return self.grader.name

    @property
    def things(self) -> int:
        """Responses that it grades."""
        return sum(len(answer.places) for answer in self.answers)

    def make_next(self) -> "AnswerBatch | None":
        """The sheet that follows this one when it is done with."""
        return _first(self.grader, self.subject, self.later, self.form)

    def make_text(self) -> "AnswerBatch | None":
        """The same as text, where it was asked for with a schema."""
        if self.form == "text":
            return None
        groups = ((self.answers, self.tries), *self.later)
        return _first(self.grader, self.subject, groups, "text")

    def make_retry(self) -> "AnswerBatch | None":
        """The same answers once more: in halves first, then each alone.

        So what one of them did to the grader is not borne by the others.
        """
        tries = self.tries + 1
        size = 1 if tries == TRIES - 1 else -(-len(self.answers) // 2)
        parts = tuple((part, tries) for part in _parts(self.answers, size))
        return _first(self.grader, self.subject, (*parts, *self.later), self.form)


def sheet_of(
    grader: ModelGrader, subject: Subject, answers: Sequence[DistinctAnswer]
) -> AnswerBatch | None:
    """The first sheet for these answers, which brings the others with it; None without any.

    An answer stands alone if a grader that quotes it (or its question) would write a tag, or a key
    of its reply's JSON: where the reply then ended, that would pass for the label of the next one.
    """
    form = grader.recipe.replies
    everywhere = _may_break(form, subject.text, *subject.golds)
    alone = [one for one in answers if everywhere or _may_break(form, one.text)]
    others = [one for one in answers if one not in alone]
    parts = (*_parts(others, grader.most_answers), *_parts(alone, 1))
    return _first(grader, subject, tuple((part, 0) for part in parts), form)


def _may_break(form: ReplyForm, *texts: str) -> bool:
    """Whether a quote of these may be read as labels; what a schema asks for may become text."""
    by_key = form == "schema" and holds_key(*texts)
    return by_key or holds_tag(*texts)


def _parts(answers: Sequence[DistinctAnswer], size: int) -> Iterator[Group]:
    for start in range(0, len(answers), size):
        yield tuple(answers[start : start + size])


def _first(
    grader: ModelGrader,
    subject: Subject,
    groups: tuple[tuple[Group, int], ...],
    form: ReplyForm,
) -> AnswerBatch | None:
    if not groups:
        return None
    (answers, tries), *later = groups
    texts = [answer.text for answer in answers]
    request = grader.request(subject.completion, subject.text, subject.golds, texts, form)
    return AnswerBatch(grader, subject, answers, request, tries, tuple(later), form)


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """What one answer came to, with the grader's reason."""

    answer: DistinctAnswer
    outcome: Outcome
    why: str | None = None


@dataclass(frozen=True, slots=True)
class BatchLabels:
    """What a reply came to: answers that are done with, and the sheet to be asked next.

    `again`: how many responses of the sheet are asked about once more.
    """

    graded: tuple[GradedAnswer, ...]
    next: AnswerBatch | None
    again: int = 0


def apply_reply(sheet: AnswerBatch, reply: Reply) -> BatchLabels:
    """What a reply to a sheet comes to. It is read as a whole, or not at all."""
    draw = reply.draws[0]
    if draw.finish == "content_filter" or not draw.text.strip():
        return apply_no_label(sheet, Outcome.REFUSED)
    try:
        found = _read_labels(sheet, draw)
    except UnreadableError:
        return apply_no_label(sheet, Outcome.UNPARSED)
    graded = [
        GradedAnswer(answer, Outcome.from_label(verdict.label), verdict.why)
        for answer, verdict in zip(sheet.answers, found, strict=True)
    ]
    return BatchLabels(tuple(graded), sheet.make_next())


def apply_no_label(sheet: AnswerBatch, outcome: Outcome) -> BatchLabels:
    """No label came: once more while there are tries, then this state of the grading."""
    if sheet.tries + 1 < TRIES:
        return BatchLabels((), sheet.make_retry(), sheet.things)
    return give_up(sheet, outcome)


def give_up(sheet: AnswerBatch, outcome: Outcome) -> BatchLabels:
    """No label came, and none will."""
    return BatchLabels(
        tuple(GradedAnswer(one, outcome) for one in sheet.answers), sheet.make_next()
    )


def _read_labels(sheet: AnswerBatch, draw: Draw) -> Sequence[ParsedLabel]:
    if draw.finish == "length":
        raise UnreadableError("the reply is cut off")
    quotable = (sheet.answers[0].text, sheet.subject.text, *sheet.subject.golds)
    if sheet.form == "schema":
        shape = sheet.grader.shape(sheet.subject.completion, len(sheet.answers))
        found = read_shape(draw.text, shape)
        given = _GIVEN[found[0].label] if sheet.grader.is_judge else found[0].label
        if len(found) == 1 and holds_value(given, *quotable):
            raise UnreadableError("the label may be a quote")
        return found
    if sheet.grader.is_judge:
        return (read_judge(draw.text),)
    noun = grading_prompt.NOUNS[sheet.grader.template(sheet.subject.completion)]
    found = read_labels(draw.text, noun, len(sheet.answers))
    if len(found) == 1 and holds_verdict(found[0], noun, 1, *quotable):
        raise UnreadableError(f"the label of {noun} 1 may be a quote")
    return found
