"""The answer of an audit to decide, blind; and a settled fact, of which nothing is hidden."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.stats.number_format import format_amount
from core.views.audits.audit_card import AuditCard, SettledFact
from core.vocabulary import LABELS, Label
from tui import keys
from tui.screens.confusion.card_text import (
    LONGEST,
    draw_named,
    draw_question,
    draw_title,
    wrap_text,
)
from tui.text.line import Line
from tui.text.task_names import format_task_title
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import cap_role, code_role, label_mark
from tui.widgets.source_text import source_lines

SECOND = 25
"""Cells to the second column of keys."""

ANSWER = 6
"""Lines of an answer."""

TEXT = 6
"""Lines of the source text where no column has it."""

CAPS = {
    "N": "audit.put_off",
    "n": "label.note",
    "u": "undo",
    **{label.value: f"label.{label.lower()}" for label in LABELS},
}
"""Keys on a card, by their ids in the key table."""


@dataclass(frozen=True, slots=True)
class AuditCardContext:
    """What a card is drawn for; `armed`: its keys work now; `texts`: the source text is on it."""

    width: int
    look: Look
    keys: Mapping[str, str]
    roomy: bool
    armed: bool
    texts: bool
    note: str = ""


def caps(changed: Mapping[str, str]) -> dict[str, str]:
    """The keys on the card as they are now."""
    return {
        name: changed.get(one, keys.BY_ID[one].keys).partition(",")[0] for name, one in CAPS.items()
    }


def title(card: AuditCard | SettledFact) -> Line:
    """`blind` while it is, then subject and object of the fact."""
    line = Line("blind  ") if isinstance(card, AuditCard) else Line("settled  ")
    subject, object_ = card.heading.subject[:200], card.heading.object[:200]
    return line.add(f"{subject} {spell('→')} {object_}")


def edge(card: AuditCard) -> Line:
    """Task and thinking: who answered is hidden."""
    thinking = "on" if card.thinking else "off"
    return Line(f"{format_task_title(card.task)} {spell('·')} thinking {thinking}", "ink-3")


def card_lines(card: AuditCard, setting: AuditCardContext) -> list[Line]:
    """The question, the gold, the answer, and the keys; nothing of what graders say."""
    gap = [Line()] * setting.roomy
    lines = [*draw_question(card, setting.width, ANSWER), Line()]
    lines += draw_keys(setting, "put this fact off")
    if setting.note:
        lines += draw_named("note", setting.note, "ink-2", setting.width, ANSWER)
    lines += [*gap, draw_title("this fact", setting.width)]
    lines.append(_draw_left(card).clip(setting.width))
    read = f"{card.read:,} of its {format_amount(card.answers, 'answer')} read so far"
    alike = card.labelled - card.read
    read += f", {alike:,} alike counted with them" if alike > 0 else ""
    lines.append(Line(read, "ink-3").clip(setting.width))
    if card.alike:
        like = "answer like this one is" if card.alike == 1 else "answers like this one are"
        words = f"{card.alike:,} more {like} decided with it"
        lines.append(Line(words, "ink-3").clip(setting.width))
    if card.text.strip() != card.answer.strip():
        lines += [
            *gap,
            draw_title("as written", setting.width),
            *wrap_text(card.text, "ink-2", setting.width),
        ]
    if setting.texts and card.source.text:
        lines += [*gap, draw_title("the text it was made from", setting.width)]
        lines += text_lines(card, setting.width, TEXT)
    if setting.roomy:
        lines += [Line(), draw_title("hidden until the fact is settled", setting.width)]
        words = "who answered, the graders' labels, the profile"
        lines.append(Line(words, "ink-3").clip(setting.width))
    return lines


def text_lines(card: AuditCard, width: int, most: int | None) -> list[Line]:
    """The source text with subject and object marked, or its end."""
    found = card.source
    lines = list(source_lines(found.text, found.subject, found.object, max(8, width), most))
    while len(lines) > 1 and not lines[-1].text.strip():
        lines.pop()
    return lines


def _draw_left(card: AuditCard) -> Line:
    if card.left == 1:
        return Line("1 answer left, then its state is settled", "ink")
    if not card.left:
        return Line("its state is settled", "ink")
    return Line(f"{format_amount(card.left, 'answer')} left, then its state is settled", "ink")


def draw_keys(setting: AuditCardContext, skip: str) -> list[Line]:
    """The four labels, two in a line, then what else can be done."""
    gap = [Line()] * setting.roomy
    second = min(SECOND, setting.width // 2)
    lines: list[Line] = []
    for at in range(0, len(LABELS), 2):
        line = _label(LABELS[at], setting).to(second).join(_label(LABELS[at + 1], setting))
        lines += [line.clip(setting.width), *gap]
    rest = _word("N", skip, setting).to(second)
    for name, words in (("n", "note"), ("u", "undo")):
        rest.join(_word(name, words, setting)).add("   ")
    return [*lines, rest.clip(setting.width)]


def _label(label: Label, setting: AuditCardContext) -> Line:
    mark, role = label_mark(label, setting.look)
    line = _cap(label.value, setting).add("  ").add(f"{mark} ", role)
    return line.add(label.value, role if "bold" in role.split() else f"{role} bold")


def _word(name: str, words: str, setting: AuditCardContext) -> Line:
    return _cap(name, setting).add(f"  {words}", "ink-2")


def _cap(name: str, setting: AuditCardContext) -> Line:
    role = cap_role(setting.armed)
    return Line(f" {setting.keys[name]} ", role)


def settled_lines(fact: SettledFact, setting: AuditCardContext) -> list[Line]:
    """The states as labelled and as graded, and every answer that was decided."""
    width, look = setting.width, setting.look
    lines = []
    for model, own, graded in fact.states:
        line = Line().cell(model, min(24, width // 2), "ink-2").add("  you ", "ink-3")
        line.add(spell(own), f"{code_role(own)} bold").add("  graders ", "ink-3")
        line.add(spell(graded), f"{code_role(graded)} bold")
        line.add(spell("  ≠") if own != graded else "", "label-i bold")
        lines.append(line.clip(width))
    lines += [Line(), draw_title("what was decided: you, graders", setting.width)]
    task = None
    for one in fact.answers:
        if (one.task, one.thinking) != task:
            task = one.task, one.thinking
            thinking = "on" if one.thinking else "off"
            lines.append(Line(f"{format_task_title(one.task)}, {thinking}", "ink-3").clip(width))
        line = Line("  ")
        for label in (one.own, one.graded):
            mark, role = label_mark(label, look) if label else (look.glyph("ungraded"), "ink-3")
            line.add(f"{mark} ", role)
        line.add(spell("≠ ") if one.own is not one.graded else "  ", "label-i bold")
        alike = f"  +{one.alike}" if one.alike else ""
        tail = Line(f"{alike}  {one.model}" if len(fact.states) > 1 else alike, "ink-3")
        line.add(one.answer[:LONGEST] or "empty", "ink")
        lines.append(line.right(tail, width))
    return lines
