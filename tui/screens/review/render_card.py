"""The card of one question: what it is, what strong models say, how it came to be, what to do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from core.curation.question_reviews import RejectReason
from core.scoring.precedence import LONGEST_NAME
from core.stats.number_format import format_amount
from core.views.question_context import QuestionContext
from core.views.review.question_card import GroundedAnswer, OtherQuestion, QuestionCard
from core.views.review.strong_answers import ModelAnswer
from core.vocabulary import Task
from tui import keys
from tui.screens.review.render_queue import format_share, verdict_mark
from tui.text.line import ELLIPSIS, Line
from tui.text.line_wrap import wrap_spans
from tui.text.task_names import format_task_title, number
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import cap_role, label_mark
from tui.widgets.context_lines import alike_lines, model_lines
from tui.widgets.sample_marks import marks_line
from tui.widgets.source_text import source_lines

NAME, COLUMN, ACROSS, WHY = 7, 10, 19, 14
LONGEST = 2_000
TEXT, LINKS, REVIEWS = 4, 3, 4
"""Lines of the source, links of a grounded answer and reviews that are shown."""

TALL = 36
"""Lines of a card from which on it shows other questions whole, and what stands around it."""

SHARE = 10
"""Cells of a share of models behind a question."""

NO_ANSWER = -1
"""The slot of no answer: none of those around a question stands out."""

OTHER = "other"
CAPS = {
    "a": "review.accept",
    "d": "review.reject",
    "e": "review.edit",
    "N": "review.skip",
    "n": "review.note",
    "&": "review.also",
    **{str(number): f"review.reason.{number}" for number in range(1, len(RejectReason) + 2)},
}
"""Keys on a card, by their ids in the key table."""


@dataclass(frozen=True, slots=True)
class ReviewCardContext:
    """What a card is drawn for: room, looks, its keys as they are now, what they would do."""

    width: int
    height: int
    look: Look
    keys: Mapping[str, str]
    roomy: bool = True
    armed: bool = False
    rejecting: bool = False
    short: bool = False
    around: QuestionContext | None = None
    """What stands around the question, where that has been read."""

    @property
    def tall(self) -> bool:
        """Whether there is room for more than what is decided."""
        return self.roomy and self.height >= TALL


def caps(changed: Mapping[str, str]) -> dict[str, str]:
    """The keys on the card as they are now."""
    return {
        name: changed.get(one, keys.BY_ID[one].keys).partition(",")[0] for name, one in CAPS.items()
    }


def title(card: QuestionCard) -> Line:
    """The fact that the question is of."""
    return Line(f"{card.heading.subject[:200]} {spell('→')} {card.heading.object[:200]}")


def edge(card: QuestionCard) -> Line:
    """Topic and views, and whether the question is rejected."""
    views = "views unknown" if card.views is None else format_amount(card.views, "view")
    parts = [
        card.category[:60],
        views,
        f"{card.tier} 20% of views" if card.tier != "unknown" else "",
    ]
    if card.tier == "middle":
        parts[2] = "middle 60% of views"
    line = Line(spell(" · ").join(part for part in parts if part), "ink-3")
    return Line(spell("rejected · "), "label-i").join(line) if card.rejected else line


def lines_of(card: QuestionCard, setting: ReviewCardContext) -> list[Line]:
    """What is read: text, question, models, the fact's other questions, and what was made of it."""
    gap = [Line()] * setting.roomy
    lines = _text(card, TEXT if setting.roomy else 3, setting)
    lines += [*gap, *_draw_question(card, setting), *gap]
    lines += _models(card, setting)
    lines += _draw_others(card, gap, setting)
    lines += _draw_history(card, gap, setting) + _reviews(card, gap, setting)
    return lines + _draw_context(card, gap, setting)


def _draw_question(card: QuestionCard, setting: ReviewCardContext) -> list[Line]:
    """The question with its options, and the gold with its versions."""
    head = Line(format_task_title(card.task), "accent bold").add("   ")
    if card.task is Task.COMPLETION:
        head.add("the text above, up to its object", "ink bold")
    else:
        head.add(card.text[:LONGEST], "ink bold")
    lines = list(islice(wrap_spans(head.spans, setting.width), 6))
    if card.choices:
        for letter, option in zip("ABCD", card.choices, strict=False):
            role = "object bold" if option == card.gold else "ink-2"
            lines.append(Line(f"{letter}  ", "ink-3").add(option, role).clip(setting.width))
    gold = Line("gold", "ink-3").to(NAME).add(card.gold[:LONGEST], "object bold")
    for alias in card.aliases:
        gold.add("  or ", "ink-3").add(alias[:LONGEST], "object")
    versions = Line(f"version {card.version}", "ink-3")
    if card.gold_version > 1:
        versions.add(f", gold {card.gold_version}", "ink-3")
    return [*lines, gold.right(versions, setting.width)]


def _models(card: QuestionCard, setting: ReviewCardContext) -> list[Line]:
    if not card.models:
        return [Line("no model has answered it yet", "ink-3")]
    count = len(card.models)
    title = "what the model answers" if count == 1 else f"what {count} models answer"
    lines = [Line(f"{title} ", "ink-3").rule(setting.width)]
    name = min(max(len(one.model) for one in card.models) + 1, max(10, setting.width // 4))
    lines += [_draw_answer(one, name, setting) for one in card.models]
    if card.agreed is not None:
        words = f"{card.agreed.models} of {card.agreed.of} agree on another answer"
        lines.append(Line().to(name + 12).add(words, "label-p").clip(setting.width))
    return lines


def _draw_answer(one: ModelAnswer, name: int, setting: ReviewCardContext) -> Line:
    line = Line().cell(one.model, name - 1, "ink" if not one.thinking else "ink-2").to(name)
    line.join(marks_line(one.marks, setting.look)).to(name + 12)
    if not one.times:
        return line.add("not asked", "ink-3").clip(setting.width)
    line.add(f"{one.times} ", "ink-3")
    if one.label is not None:
        mark, role = label_mark(one.label, setting.look)
        line.add(f"{mark} ", role)
    return line.add(" ").add(one.text[:LONGEST] or "empty", "ink").clip(setting.width)


def _draw_others(card: QuestionCard, gap: list[Line], setting: ReviewCardContext) -> list[Line]:
    """How the fact's other questions fare, in two columns."""
    if not card.others or not any(one.of for one in card.others):
        return []
    lines = [*gap, Line("the fact's other questions, share failing ", "ink-3").rule(setting.width)]
    if setting.tall:
        return [*lines, *(_draw_other(one, setting) for one in card.others)]
    half = setting.width // 2
    cells = []
    for one in card.others:
        cell = Line().cell(format_task_title(one.task), max(8, half - 12), "ink-2")
        shown, role = _share(one, setting)
        cells.append(cell.add(f" {shown}", role))
    for at in range(0, len(cells), 2):
        line = Line().join(cells[at])
        if at + 1 < len(cells):
            line.to(half).join(cells[at + 1])
        lines.append(line.clip(setting.width))
    return lines


def _draw_other(one: OtherQuestion, setting: ReviewCardContext) -> Line:
    """Another question with its text, and how many models fail it."""
    line = Line(number(one.task), "accent bold").add(" ")
    line.cell(one.text, setting.width - line.width - SHARE, "ink-2")
    shown, role = _share(one, setting)
    return line.cell(shown, SHARE, role, right=True)


def _share(one: OtherQuestion, setting: ReviewCardContext) -> tuple[str, str]:
    """How many models fail a question, and its role."""
    role = "label-i" if one.of and one.fails * 2 > one.of else "ink-3"
    return format_share(one.fails, one.of, setting.short) if one.of else spell("–"), role


def _draw_context(card: QuestionCard, gap: list[Line], setting: ReviewCardContext) -> list[Line]:
    """Below what is decided: the same answers over all models, every model, the whole text."""
    around, width, look = setting.around, setting.width, setting.look
    if around is None or not setting.tall:
        return []
    parts = [alike_lines(around, NO_ANSWER, width, look), model_lines(around, width, look)]
    whole = _text(card, None, setting)
    if len(whole) > TEXT:
        parts.append([Line("the whole text ", "ink-3").rule(width), *whole])
    return [line for part in parts for line in (*gap, *part)]


def _text(card: QuestionCard, lines: int | None, setting: ReviewCardContext) -> list[Line]:
    """The end of the source text in that many lines, or all of it."""
    found = card.source
    return list(source_lines(found.text, found.subject, found.object, setting.width, lines))


def decision_lines(card: QuestionCard, setting: ReviewCardContext) -> list[Line]:
    """What can be done, and what that does; it stays in sight below what is read."""
    head = Line("your decision ", "ink-3").rule(setting.width)
    line = _key("a", "accept", setting).to(ACROSS).join(_key("N", "skip", setting))
    lines = [line.to(2 * ACROSS).join(_key("n", "note", setting))]
    edit = f"becomes version {len(card.edits) + 1}"
    if card.aside:
        edit += f", {format_amount(card.aside, 'old answer')} set aside"
    lines.append(_key("e", "edit", setting).to(ACROSS).add(edit, "ink-3"))
    name = "an alias of the gold" if card.agreed is None else card.agreed.text[:LONGEST]
    lines.append(_key("&", "alias", setting).to(ACROSS).add(name, "ink-3"))
    return [one.clip(setting.width) for one in (head, *lines, *_draw_reasons(setting))]


def _draw_reasons(setting: ReviewCardContext) -> list[Line]:
    """The reasons of a rejection; their keys work once it was begun."""
    names = [*RejectReason, OTHER]
    cap = "accent bold" if setting.rejecting else "ink-3"
    word = "ink" if setting.rejecting else "ink-3"
    column = max(len(name) for name in names) + 4
    across = max(1, min(3, (setting.width - WHY + 2) // column))
    lines = []
    for at in range(0, len(names), across):
        line = Line() if at else _key("d", "reject", setting, setting.rejecting)
        if at == across and setting.rejecting:
            line.to(5).add("esc back", "ink-3")
        for place, name in enumerate(names[at : at + across]):
            line.to(WHY + place * column).add(setting.keys[str(at + place + 1)], cap)
            line.add(f" {name}", word)
        lines.append(line)
    return lines


def _key(name: str, words: str, setting: ReviewCardContext, begun: bool = False) -> Line:
    role = cap_role(setting.armed)
    line = Line(f" {setting.keys[name]} ", role).to(5)
    return line.add(words, "accent bold" if begun else "ink")


def _draw_history(card: QuestionCard, gap: list[Line], setting: ReviewCardContext) -> list[Line]:
    """Its way through the stages, what search answered, and what people have made of it."""
    lines: list[Line] = []
    way = [one for one in card.made if not one.aside]
    if way:
        lines += [*gap, Line("how it was made ", "ink-3").rule(setting.width)]
        before = ""
        for one in way:
            same = one.question == before
            lines += _draw_named(one.stage, "unchanged" if same else one.question, same, setting)
            before = one.question
    for grounded in card.grounded:
        lines += [*gap, *_draw_grounded(grounded, setting)]
    if len(card.edits) > 1:
        lines += [*gap, Line("versions ", "ink-3").rule(setting.width)]
        for number, text in enumerate(card.edits, 1):
            lines += _draw_named(str(number), text, text != card.text, setting)
    return lines


def _draw_grounded(one: GroundedAnswer, setting: ReviewCardContext) -> list[Line]:
    title = f"answered with search, {one.verdict}{': ' if one.reason else ''}{one.reason} "
    lines = [Line(title, "ink-3").rule(setting.width).clip(setting.width)]
    lines += _draw_named("answer", one.answer, False, setting)
    for link in one.links[:LINKS]:
        line = Line().to(NAME).add(link.title[:LONGEST], "ink-2")
        lines.append(line.add(f"  {link.uri[:LONGEST]}", "ink-3").clip(setting.width))
    if len(one.links) > LINKS:
        lines.append(Line().to(NAME).add(f"and {len(one.links) - LINKS} more", "ink-3"))
    return lines


def _reviews(card: QuestionCard, gap: list[Line], setting: ReviewCardContext) -> list[Line]:
    if not card.reviews:
        return []
    lines = [*gap, Line("said so far ", "ink-3").rule(setting.width)]
    for one in card.reviews[-REVIEWS:]:
        said = one.review
        line = verdict_mark(said.verdict, setting.look)
        line.add(f" {said.verdict or 'noted'}", "ink").add(f" {said.reason}", "ink-2")
        by = one.author.removeprefix("human:")[:LONGEST_NAME]
        lines.append(
            line.add(f"  {by}", "ink-3").add(f"  {said.note}", "ink-2").clip(setting.width)
        )
    return lines


def _draw_named(name: str, text: str, quiet: bool, setting: ReviewCardContext) -> list[Line]:
    room = max(8, setting.width - COLUMN - 8)
    shown = text if len(text) <= LONGEST else text[:LONGEST] + spell(ELLIPSIS)
    found: Sequence[Line] = list(
        islice(wrap_spans(Line(shown, "ink-3" if quiet else "ink-2").spans, room), 3)
    )
    return [
        Line().cell("" if at else name, COLUMN + 8, "ink-3").join(line)
        for at, line in enumerate(found)
    ]
