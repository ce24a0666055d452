"""What the Confusion screen says where it has nothing to show, and of decisions."""

from collections.abc import Sequence

from core.glossary.job_terms import COUNTS_OF_A_LAKE
from core.stats.number_format import format_amount
from core.views.disagreements.confusion_matrix import ConfusionMatrix
from core.views.disagreements.disagreement_card import DisagreementCard
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.snapshot import Snapshot
from core.views.verdict_reasons import task_words
from core.vocabulary import Label
from tui.screens.confusion import queue_filter_dialog
from tui.screens.confusion.render_card import same_words
from tui.screens.confusion.state import NO_NEWS, ConfusionState, News
from tui.text.line import Line
from tui.text.task_names import place
from tui.theme.glyphs import spell
from tui.theme.roles import LABEL_ROLES, code_role

NAME = 24
"""Characters of a person's name at most."""


def grader(name: str | None) -> str:
    """A grader's name where space is short."""
    return (name or spell("–")).removeprefix("llm:")


def title(snapshot: Snapshot | None, among: DisagreementFilter) -> Line:
    """`A gemini-2.5-pro ↓   B gpt-5 →`, and the filters."""
    if snapshot is None or snapshot.lens.a is None or snapshot.lens.b is None:
        return Line("Graders")
    line = Line(
        f"A {grader(snapshot.lens.a)} {spell('↓')}   B {grader(snapshot.lens.b)} {spell('→')}"
    )
    return line.join(queue_filter_dialog.chips(among))


def crossed_answers(snapshot: Snapshot | None) -> str:
    """Which answers the matrix is of."""
    counted = snapshot is not None and snapshot.counted is not None
    return f"{COUNTS_OF_A_LAKE}: answers that are here" if counted else "answers labelled by both"


def explain_no_matrix(snapshot: Snapshot, among: DisagreementFilter) -> list[Line] | None:
    """Why there is nothing to cross; None where two graders are chosen, or none are needed."""
    if among.unsure or (snapshot.lens.a is not None and snapshot.lens.b is not None):
        return None
    if snapshot.counted is not None:
        command = Line("lostkeys confusion A B", "ink").add(" compares labels in it.", "ink-2")
        here = f"{COUNTS_OF_A_LAKE}: no answer is here that two graders have labelled."
        return [Line(here.capitalize(), "ink-2"), command]
    if not len(snapshot.index):
        words = Line("No facts here yet. ", "ink-2").add("F1", "accent bold")
        return [words.add(" tries the demo, or imports a file.", "ink-2")]
    if not snapshot.answerers:
        words = Line("No model has been asked yet. ", "ink-2").add("r", "accent bold")
        return [words.add(" asks one.", "ink-2")]
    if not snapshot.graders:
        words = Line("No grader has labelled these answers yet. ", "ink-2")
        return [words.add("r", "accent bold").add(" has them graded.", "ink-2")]
    if len(snapshot.graders) == 1:
        words = Line("Only one grader has labelled these answers. ", "ink-2")
        return [words.add("r", "accent bold").add(" grades them with a second one.", "ink-2")]
    words = Line("No second grader is chosen. ", "ink-2")
    return [words.add("g", "accent bold").add(" chooses graders A and B.", "ink-2")]


def explain_no_difference(crossing: ConfusionMatrix, among: DisagreementFilter) -> list[Line]:
    """The queue is empty."""
    whole = crossing.whole
    if among.unsure:
        command = Line("lostkeys grade --grader form --sure 0.9", "ink").add(" does.", "ink-2")
        return [Line("No grader has left an answer unsure.", "ink-2"), command]
    if not whole.table.n:
        line = Line("A and B have labelled no answer in common.", "ink-2")
    elif whole.differ and among.cell is not None:
        a, b = among.cell
        line = Line(f"No answer is {a} to A and {b} to B.", "ink-2")
    else:
        line = Line(f"A and B agree on all {format_amount(whole.table.n, 'answer')}.", "ink-2")
    if not among.is_set:
        return [line]
    return [line, Line("F", "accent bold").add(" clears the filters.", "ink-2")]


def news(of: News, short: bool) -> Line:
    """`12 new, ctrl+r shows them`; an empty line where nothing is new."""
    if of == NO_NEWS:
        return Line()
    line = Line(f"{of.new:,} new" if of.new else "new labels", "label-p").add(", ", "ink-3")
    line.add("ctrl+r", "accent bold")
    return line.add("   " if short else " shows them   ", "ink-3")


def position(of: ConfusionState, place: int | None, short: bool) -> Line:
    """What is new, and where in the queue the cursor stands."""
    line = news(of.news, short)
    if of.queue is None or not len(of.queue):
        return line
    size = f"{len(of.queue):,}"
    line.add(size if place is None else f"{place + 1:,} of {size}", "ink-3")
    others = of.queue.done_by_others
    return (
        line.add(f" {spell('·')} {others:,} by others", "ink-3") if others and not short else line
    )


def describe_decision(
    label: Label, card: DisagreementCard, others: Sequence[tuple[str, Label]] = ()
) -> Line:
    """`A is right, RT stays RT. mira said OTHER. u undoes it`; `others` have labelled it too."""
    right = [name for name, one in (("A", card.a), ("B", card.b)) if one.label is label]
    if right:
        line = Line(f"{' and '.join(right)} is right")
    else:
        line = Line("it is ", "ink").add(label.value, LABEL_ROLES[label])
    effect = card.consequence(label)
    if effect is not None:
        word = "becomes" if effect.changes_profile else "stays"
        line.add(", ", "ink-2").add(spell(effect.before), code_role(effect.before))
        line.add(f" {word} ", "ink-2").add(spell(effect.after), code_role(effect.after))
    line.add(". ", "ink-2")
    unlike = [(name, said) for name, said in others if said is not label]
    for name, said in unlike[:1]:
        more = f" and {len(unlike) - 1} more" if len(unlike) > 1 else ""
        line.add(f"{name[:NAME]}{more} said ", "ink-2")
        line.add("otherwise" if more else said.value, "ink" if more else LABEL_ROLES[said])
        line.add(". ", "ink-2")
    return add_undo(line)


def describe_flag(there: bool) -> Line:
    """A flag was set, or taken away."""
    return add_undo(Line("the fact is flagged. " if there else "the fact has no flag now. "))


def describe_rejection(reason: str) -> Line:
    """The question was rejected, and its fact with it."""
    return add_undo(Line(f"rejected, {reason}: its fact leaves all totals. "))


def describe_subject(card: DisagreementCard) -> str:
    """What a note is on: `on 5 of Antares, INCORRECT`, or that it is not decided yet."""
    said = card.own.value if card.own else "not decided yet"
    return f"{place(card.thinking, card.sample)} of {card.heading.subject[:40]}, {said}"


def about_question(card: DisagreementCard, reason: str) -> str:
    """What a note is on: `the question of Antares (direct), rejected: gold is wrong`."""
    subject = card.heading.subject[:40]
    return f"the question of {subject} ({task_words(card.task)}), rejected: {reason}"


def describe_waiting_note(note: str) -> Line:
    """A note was written before the decision."""
    return Line("your note is written with your decision" if note else "no note", "ink-2")


def offer_same(count: int, short: bool) -> Line:
    """`3 more answers are the same: " labels them too`, or `3 the same: "`."""
    if short:
        return Line(f"   {count:,} the same: ", "ink-2").add('"', "accent bold")
    line = Line(f"   {same_words(count)}: ", "ink-2").add('"', "accent bold")
    return line.add(" labels it too" if count == 1 else " labels them too", "ink-2")


def describe_same(label: Label, count: int) -> Line:
    """The same answers have the label too."""
    many = "1 more answer is" if count == 1 else f"{count:,} more answers are"
    line = Line(f"{many} ", "ink").add(label.value, LABEL_ROLES[label])
    return add_undo(line.add(" too. ", "ink-2"))


def add_undo(line: Line) -> Line:
    """With the key that undoes it."""
    return line.add("u", "accent bold").add(" undoes it", "ink-2")


def describe_blind(on: bool) -> Line:
    """Blind mode was switched."""
    if on:
        return Line("blind: labels of both graders are hidden until you have decided")
    return Line("labels of both graders are shown")
