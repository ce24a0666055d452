"""Sheets: answers to one question that are graded by one request, and what becomes of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.grading import grading_prompt, reply_parser
from core.grading.model_grader import ModelGrader
from core.grading.reply_parser import UnreadableError
from core.providers.base import Draw, Reply, Request
from core.vocabulary import Label, Outcome
from prompts.reply_shape import ReplyForm

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
    by_key = form == "schema" and reply_parser.holds_key(*texts)
    return by_key or reply_parser.holds_tag(*texts)


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


def _read_labels(sheet: AnswerBatch, draw: Draw) -> Sequence[reply_parser.ParsedLabel]:
    if draw.finish == "length":
        raise UnreadableError("the reply is cut off")
    quotable = (sheet.answers[0].text, sheet.subject.text, *sheet.subject.golds)
    if sheet.form == "schema":
        shape = sheet.grader.shape(sheet.subject.completion, len(sheet.answers))
        found = reply_parser.read_shape(draw.text, shape)
        given = _GIVEN[found[0].label] if sheet.grader.is_judge else found[0].label
        if len(found) == 1 and reply_parser.holds_value(given, *quotable):
            raise UnreadableError("the label may be a quote")
        return found
    if sheet.grader.is_judge:
        return (reply_parser.read_judge(draw.text),)
    noun = grading_prompt.NOUNS[sheet.grader.template(sheet.subject.completion)]
    found = reply_parser.read_labels(draw.text, noun, len(sheet.answers))
    if len(found) == 1 and reply_parser.holds_verdict(found[0], noun, 1, *quotable):
        raise UnreadableError(f"the label of {noun} 1 may be a quote")
    return found
