"""The card of one disagreement: the question, both labels, and what each decision would do."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.views.disagreements.disagreement_card import (
    DisagreementCard,
    IdenticalAnswer,
    Opinion,
    PersonRemark,
)
from core.views.disagreements.grader_rates import GraderRates
from core.views.label_effects import Consequence
from core.views.verdict_reasons import format_g
from core.vocabulary import LABELS, Label
from tui import keys
from tui.screens.confusion import render_rates
from tui.screens.confusion.card_text import (
    LONGEST,
    NAME,
    draw_named,
    draw_question,
    draw_title,
    wrap_text,
)
from tui.text.line import Line
from tui.text.speech import SPOKEN_ROOM, speak_lines
from tui.text.task_names import format_task_title, place
from tui.text.time_text import format_moment
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import cap_role, code_role, label_mark
from tui.widgets import question_faults
from tui.widgets.question_faults import FaultContext, fault_lines, name_age
from tui.widgets.sample_marks import marks_line
from tui.widgets.verdict_marks import holds_word, pass_word, passing_role

TEXT = 5
"""Cells from the left to labels and rationales, behind the key."""
SECOND = 32
"""Cells to the second column of keys."""
ANSWER = 4
"""Lines of an answer."""
REMARKS, PERSON = 6, 12
"""What people said before that is shown, and the cells of their names."""
TWINS = 12
"""Same answers that are listed one by one."""

CAPS = {
    "a": "decision.a",
    "b": "decision.b",
    "N": "decision.skip",
    "n": "label.note",
    **question_faults.CAPS,
    **{label.value: f"label.{label.lower()}" for label in LABELS},
}
"""Keys on a card, by their ids in the key table."""


@dataclass(frozen=True, slots=True)
class CardContext:
    """What a card is drawn for: room, looks, whether its keys work now, and what is hidden.

    `keys` are the keys as they are now: of `a`, `b`, `N` (skip), `n` (note) and of each label.
    `beside` says whether the source text has a pane of its own.
    """

    width: int
    look: Look
    keys: Mapping[str, str]
    roomy: bool = True
    armed: bool = False
    blind: bool = False
    rejecting: bool = False
    beside: bool = False
    now: int = 0
    """The time in milliseconds: what was said on another day carries the day."""


def lines_of(card: DisagreementCard, now: GraderRates | None, setting: CardContext) -> list[Line]:
    """What is read: the question, then why each grader said so, and what stands around it."""
    gap = [Line()] * setting.roomy
    lines = draw_question(card, setting.width, ANSWER)
    for name, said in (("A", card.a), ("B", card.b)):
        if said.grader and said.rationale and not setting.blind:
            reason = wrap_text(said.rationale, "ink-2", setting.width - TEXT)
            lines += gap + [
                Line("" if at else f" {name}", "ink-3").to(TEXT).join(one)
                for at, one in enumerate(reason)
            ]
    if card.note:
        lines += draw_named("note", card.note, "ink-2", setting.width, ANSWER)
    if card.tags:
        lines += draw_named("tags", ", ".join(card.tags), "ink-2", setting.width, ANSWER)
    if card.remarks and not setting.blind:
        lines += [*gap, draw_title("said so far", setting.width)]
        lines += [_remark(one, setting) for one in card.remarks[:REMARKS]]
    if not setting.blind:
        lines += [*gap, draw_title("the question", setting.width), _question(card, setting)]
    if now is not None:
        lines += gap + render_rates.lines_of(now, setting.width, setting.look, setting.roomy)
    return lines + _texts(card, gap, setting)


def decision_lines(card: DisagreementCard, setting: CardContext) -> list[Line]:
    """What can be decided, which stays in sight below what is read."""
    lines = [draw_title("your decision", setting.width)]
    for name, said in (("a", card.a), ("b", card.b)):
        if said.grader and not setting.blind:
            lines.append(_side(name, said, card, setting))
    lines += _draw_labels(card, setting)
    if card.own is not None:
        lines += _draw_decision(card, setting)
    return lines + _faults(card, setting)


def caps(changed: Mapping[str, str]) -> dict[str, str]:
    """The keys on the card as they are now."""
    return {
        name: changed.get(one, keys.BY_ID[one].keys).partition(",")[0] for name, one in CAPS.items()
    }


def title(card: DisagreementCard) -> Line:
    """Subject and object of the fact."""
    return Line(f"{card.heading.subject[:200]} {spell('→')} {card.heading.object[:200]}")


def edge(card: DisagreementCard) -> Line:
    """Task, model and setting in short."""
    thinking = "on" if card.thinking else "off"
    return Line(
        f"{format_task_title(card.task)} {spell('·')} {card.model} {spell('·')} {thinking}", "ink-3"
    )


def format_place(card: DisagreementCard) -> Line:
    """Task, model and setting, where there is no edge for them."""
    line = Line(f"{format_task_title(card.task)}   ", "ink-2")
    return line.add(f"{card.model}, thinking {'on' if card.thinking else 'off'}", "ink-3")


def _side(name: str, said: Opinion, card: DisagreementCard, setting: CardContext) -> Line:
    """A grader: its key, label, name, and what its label would do."""
    line = _cap(name, setting).to(TEXT)
    if said.label is None:
        return line.add(f"{said.grader.removeprefix('llm:')} has no label now", "ink-3")
    mark, role = label_mark(said.label, setting.look)
    line.add(f"{mark} ", role).cell(said.label.value, 11, _make_bold(role))
    line.add(said.grader.removeprefix("llm:"), "ink-2")
    if said.outdated:
        line.add(f"  {name_age(said.grader)}", "label-p")
    return line.right(_outcome(card.consequence(said.label)), setting.width)


def _draw_labels(card: DisagreementCard, setting: CardContext) -> list[Line]:
    """The other labels, two in a line, then skip and note."""
    taken = () if setting.blind else (card.a.label, card.b.label)
    cells = [_label(label, card, setting) for label in LABELS if label not in taken]
    lines = []
    for at in range(0, len(cells), 2):
        line = Line().join(cells[at])
        for other in cells[at + 1 : at + 2]:
            line.to(min(SECOND, setting.width // 2)).join(other)
        lines.append(line.clip(setting.width))
    return lines


def _label(label: Label, card: DisagreementCard, setting: CardContext) -> Line:
    mark, role = label_mark(label, setting.look)
    line = _cap(label.value, setting).to(TEXT).add(f"{mark} ", role)
    line.add(label.value, _make_bold(role))
    return line if setting.blind else line.add("  ").join(_outcome(card.consequence(label)))


def _faults(card: DisagreementCard, setting: CardContext) -> list[Line]:
    """Where the question is at fault; then skip and note."""
    note = "note" if card.own is not None else "note, held for it"
    beside = _word("N", "skip", setting).add("  ").join(_word("n", note, setting))
    is_spoken = setting.look.is_spoken
    context = FaultContext(
        SPOKEN_ROOM if is_spoken else setting.width,
        setting.keys,
        card.reach,
        armed=setting.armed,
        flagged=card.flagged,
        named=not card.task.is_choice,
        digits=True,
        rejecting=setting.rejecting,
    )
    lines = fault_lines(context, beside)
    return speak_lines(lines, setting.width) if is_spoken else lines


def _remark(one: PersonRemark, setting: CardContext) -> Line:
    """`15 Nov 14:02  mira  x INCORRECT of the same answer by gpt-5`."""
    line = Line().cell(format_moment(one.at, setting.now) if one.at else "", 13, "ink-3")
    line.join(Line(one.name, "ink bold").clip(PERSON)).add("  ")
    if one.label is not None:
        mark, role = label_mark(one.label, setting.look)
        line.add(f"{mark} ", role).add(one.label.value, _make_bold(role))
    elif one.verdict:
        line.add(one.verdict[:LONGEST], "ink")
    if one.outdated:
        line.add("  before the alias", "label-p")
    if one.model is not None:
        line.add(f" of the same answer by {one.model}", "ink-2")
    if one.note:
        line.add("  note " if one.label or one.verdict else "note ", "ink-3")
        line.add(one.note[:LONGEST], "ink-2")
    return line.clip(setting.width)


def _word(name: str, words: str, setting: CardContext) -> Line:
    return _cap(name, setting).to(TEXT).add(words, "ink-2")


def _cap(name: str, setting: CardContext) -> Line:
    role = cap_role(setting.armed)
    return Line(f" {setting.keys[name]} ", role)


def _outcome(effect: Consequence | None) -> Line:
    """`becomes RT`, or `stays RF`."""
    if effect is None:
        return Line()
    word = "becomes " if effect.changes_profile else "stays "
    role = f"{code_role(effect.after)} bold"
    return Line(word, "ink-2" if effect.changes_profile else "ink-3").add(spell(effect.after), role)


def _draw_decision(card: DisagreementCard, setting: CardContext) -> list[Line]:
    assert card.own is not None
    mark, role = label_mark(card.own, setting.look)
    line = Line("you decided ", "ink-3").add(f"{mark} {card.own}", _make_bold(role))
    same = sum(twin.own is None for twin in card.twins)
    if same:
        line.add(f"   {same_words(same)}", "ink-3")
    return [line.clip(setting.width)]


def same_words(count: int) -> str:
    """How many answers are the same: `3 more answers are the same`."""
    return "1 more answer is the same" if count == 1 else f"{count:,} more answers are the same"


def _question(card: DisagreementCard, setting: CardContext) -> Line:
    """The marks of all answers, then what the question and its part of the verdict become."""
    line = Line("on  " if card.thinking else "off ", "ink-3")
    line.join(_marks(card, setting.look))
    effects = []
    for name, said in (("A", card.a), ("B", card.b)):
        effect = card.consequence(said.label) if said.label else None
        if effect is None:
            continue
        effects.append(effect)
        line.add(f"   {name} ", "ink-3").add(spell(format_g(effect.g)), passing_role(effect.passes))
        word, role = pass_word(effect.passes)
        line.add(f" {word}" if word else "", role)
    if effects and effects[0].part is not None:
        (first, role), (last, other) = (holds_word(effects[at].holds) for at in (0, -1))
        line.add(f"   {effects[0].part} ", "ink-3").add(first, role)
        if first != last:
            line.add(" to ", "ink-3").add(last, other)
    return line.clip(setting.width)


def _marks(card: DisagreementCard, look: Look) -> Line:
    """One mark an answer, in their order; the one in question is underlined."""
    return marks_line(
        [
            replace(
                mark,
                a=card.a.label if sample == card.sample else None,
                b=card.b.label if sample == card.sample else None,
                own=False,
            )
            for sample, mark in enumerate(card.marks)
        ],
        look,
    )


def _texts(card: DisagreementCard, gap: list[Line], setting: CardContext) -> list[Line]:
    """Same answers, left context, options and the whole response, where they say more."""
    lines: list[Line] = []
    if card.twins:
        lines += [*gap, draw_title("the same answer elsewhere", setting.width)]
        lines += [_twin(twin, setting) for twin in card.twins[:TWINS]]
        if len(card.twins) > TWINS:
            lines.append(Line(f"and {len(card.twins) - TWINS:,} more", "ink-3"))
    if card.shown:
        lines += [*gap, draw_title("options as shown", setting.width)]
        for letter, option in zip("ABCD", card.shown, strict=False):
            gold = "object bold" if option == card.gold else "ink-2"
            lines.append(
                Line(f"{letter}  ", "ink-3").add(option[:LONGEST], gold).clip(setting.width)
            )
    if card.text.strip() != card.answer.strip():
        lines += [
            *gap,
            draw_title("as written", setting.width),
            *wrap_text(card.text, "ink-2", setting.width),
        ]
    if card.context and not setting.beside:
        lines += [*gap, draw_title("the text before it", setting.width)]
        lines += wrap_text(card.context[-LONGEST:], "ink-2", setting.width)
    return lines


def _twin(twin: IdenticalAnswer, setting: CardContext) -> Line:
    line = Line(f"{place(twin.thinking, twin.sample)} ", "ink-2").to(NAME).add(twin.model, "ink-3")
    said = Line()
    for label in () if setting.blind else (twin.a, twin.b):
        mark, role = (
            label_mark(label, setting.look)
            if label
            else (setting.look.glyph("unlabelled"), "ink-3")
        )
        said.add(f"{mark} ", role)
    if twin.own is not None:
        said.add("you ", "ink-3").add(*label_mark(twin.own, setting.look))
    return line.right(said, setting.width)


def _make_bold(role: str) -> str:
    return role if "bold" in role.split() else f"{role} bold"
