"""What the Confusion screen says of audits: where there is none, and what was just done."""

from core.stats.number_format import format_amount
from core.views.audits.audit_board import AuditBoard
from core.views.audits.audit_card import AuditCard
from core.views.audits.lens_audits import DrawOffer
from core.vocabulary import Label
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.theme.roles import LABEL_ROLES

SUBJECT = 30
"""Cells that the name of a fact takes in a sentence at most."""


def no_audit(offer: DrawOffer | None, short: bool) -> list[Line]:
    """No audit is drawn: what one is, and which key draws one."""
    lines = [
        Line("No audit is drawn. ", "ink"),
        Line(
            "A person decides whole facts, drawn by chance and blind, until a number stands: "
            "how much of it is the graders' error is known then.",
            "ink-2",
        ),
        Line(),
    ]
    if offer is not None and offer.frame is not None:
        words = f" draws one of {offer.model} over {format_amount(len(offer.frame), 'fact')}"
        second = offer.frame.plan.second
        lines.append(Line("+", "accent bold").add(words, "ink-2"))
        heavy = int((offer.frame.weights > 1).sum())
        said = (
            f"{heavy:,} of them weigh three times: to {second[0].partition('#')[0]} they are of "
            "another profile"
            if second
            else "all weigh the same: there is no second grader (g compares one)"
        )
        lines.append(Line(said, "ink-3"))
    elif offer is not None and offer.why is not None:
        lines.append(Line(f"None can be drawn through this lens: {offer.why}", "label-p"))
    else:
        lines.append(Line("+", "accent bold").add(" draws one by the lens", "ink-2"))
    command = "lostkeys audit draw NAME --model M --grader G"
    lines += [Line(), Line(f"or in a shell: {command}", "ink-3")]
    return lines if not short else [one for one in lines if one.text]


def describe_label(label: Label, card: AuditCard) -> Line:
    """`INCORRECT by you, 2 alike counted with it   u undoes, n notes it`."""
    line = Line(label.value, LABEL_ROLES[label]).add(" by you", "ink-2")
    if card.alike:
        line.add(f", {card.alike:,} alike counted with it", "ink-2")
    line.add("   ").add("u", "accent bold").add(" undoes, ", "ink-2")
    return line.add("n", "accent bold").add(" notes it", "ink-2")


def describe_settled(card: AuditCard, board: AuditBoard) -> Line:
    """A fact was settled by the last label, and how narrow the number is now."""
    line = Line(card.heading.subject, "ink").clip(SUBJECT).add(" is settled. ", "ink")
    if board.report.done:
        line.add(f"{spell('±')} {100 * board.request.within:g} is reached. ", "label-c bold")
    return line.add("u", "accent bold").add(" undoes the last label", "ink-2")


def describe_moved(card: AuditCard, board: AuditBoard, given: Label | None) -> Line:
    """Another program or screen changed the answer in sight, so that the next one is shown."""
    line = Line(card.heading.subject, "ink").clip(SUBJECT)
    if given is None:
        line.add(" was changed elsewhere. ", "ink-2")
    else:
        who = board.plan.person.partition(":")[2]
        line.add(": ", "ink-2").join(Line(who, "ink").clip(SUBJECT))
        line.add(" labelled this answer ", "ink-2").add(given.value, LABEL_ROLES[given])
        line.add(" elsewhere. ", "ink-2")
    return line.add("All facts are settled" if board.card is None else "Here is the next", "ink-2")


def describe_put_off(card: AuditCard) -> Line:
    """A fact was put off."""
    line = Line(card.heading.subject).clip(SUBJECT)
    return line.add(" is put off: facts after it count once it is settled")


def describe_subject(card: AuditCard, label: Label | None) -> str:
    """What a note is on."""
    said = label.value if label else "not decided yet"
    return f"{card.answer[:40] or 'empty'}, {said}"


def other_person(board: AuditBoard, person: str) -> Line:
    """Another person decides this audit."""
    who = board.plan.person.partition(":")[2]
    return Line(f"{who} decides this audit, you are {person}: your labels do not count in it")


def explain_nothing_left() -> Line:
    """There is nothing to decide."""
    return Line("nothing is left to decide here: all facts are settled")


def position(board: AuditBoard) -> Line:
    """`fact 143`, and where another one is looked at."""
    if board.frontier is None:
        return Line(f"all {len(board.settled):,} settled", "ink-3")
    return Line(f"fact {(board.place or 0) + 1:,}", "ink-3")
