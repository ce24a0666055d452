"""A made-up crossing, queue and cards, and a session that has them instead of reading any."""

from dataclasses import replace

import numpy as np

from core.results.agreement_table import Agreement
from core.scoring.label_counts import no_facts
from core.views.answer_marks import AnswerMark
from core.views.disagreements.confusion_matrix import AgreementRow, ConfusionMatrix
from core.views.disagreements.disagreement_card import DisagreementCard, IdenticalAnswer, Opinion
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.disagreements.disagreement_queue import (
    ConsequenceGroup,
    DisagreementColumns,
    DisagreementQueue,
)
from core.views.disagreements.grader_rates import GraderRate, GraderRates
from core.views.label_effects import Consequence
from core.views.snapshot import Heading
from core.vocabulary import CODE_ORDER, LABELS, TASKS, Label, Outcome, Task
from tests.core.views.making import lens_of

C, I, P, O = LABELS  # noqa: E741
A, B = "llm:gemini-2.5-pro", "llm:gpt-5"
LENS = lens_of(model="gemma3-27b", a=A, b=B)
MATRIX = np.array([[3270, 2, 8, 0], [2, 697, 0, 3], [15, 13, 52, 0], [0, 23, 4, 71]])
TABLE = Agreement(MATRIX)
SMALL = Agreement(np.array([[600, 3, 0, 0], [2, 200, 1, 0], [0, 4, 3, 0], [0, 0, 0, 11]]))

CROSSING = ConfusionMatrix(
    LENS,
    DisagreementFilter(),
    AgreementRow("", TABLE, 70, 27, 14),
    tuple(AgreementRow(task, SMALL, 10, 4, 2) for task in TASKS[:6]),
    (AgreementRow("gemma3-27b", SMALL, 10, 4, 2), AgreementRow("gemini-2.5-pro", SMALL, 0, 0, 0)),
)

ROWS: tuple[
    tuple[ConsequenceGroup, Label, Label, str, str, float | None, float | None, str], ...
] = (
    (ConsequenceGroup.PROFILE, I, C, "RF", "RT", 0.5, 0.63, "Taurus II"),
    (ConsequenceGroup.PROFILE, C, P, "RT", "RF", 0.63, 0.5, "Kasur"),
    (ConsequenceGroup.PROFILE, C, I, "RT", "RF", 0.63, 0.5, "Approximately 160 million units."),
    (ConsequenceGroup.QUESTION, O, I, "RT", "RT", 0.6, 0.5, "Taskmaster"),
    (ConsequenceGroup.QUESTION, O, I, "EF", "EF", None, 0.0, "Perimeter Wall"),
    (
        ConsequenceGroup.REST,
        I,
        O,
        "DR",
        "DR",
        0.0,
        0.0,
        "I am not sure, perhaps [bold]here[/bold]\x1b[31m",
    ),
)
TEXTS = {place: row[-1] for place, row in enumerate(ROWS)}
HEADING = Heading("iPhone 11", "iPhone 11", "159.2 million")


def queue(decided: tuple[Label | None, ...] = ()) -> DisagreementQueue:
    """The rows as a queue; slots are places."""
    size = len(ROWS)
    said = np.zeros(size, np.uint8)
    for place, label in enumerate(decided):
        said[place] = 0 if label is None else LABELS.index(label) + 1
    whole = np.arange(size)

    def numbers(column: int) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        return np.array([np.nan if row[column] is None else row[column] for row in ROWS])

    columns = DisagreementColumns(
        slot=whole.astype(np.int64),
        group=np.array([row[0] for row in ROWS], np.uint8),
        fact=np.zeros(size, np.intp),
        task=np.full(size, TASKS.index(Task.DIRECT_NATURAL)),
        model=np.zeros(size, np.intp),
        thinking=np.ones(size, np.bool_),
        sample=whole,
        a=np.array([LABELS.index(row[1]) for row in ROWS]),
        b=np.array([LABELS.index(row[2]) for row in ROWS]),
        before=np.array([CODE_ORDER.index(row[3]) for row in ROWS], np.uint8),
        after=np.array([CODE_ORDER.index(row[4]) for row in ROWS], np.uint8),
        g=numbers(5),
        g_after=numbers(6),
        flips=np.ones(size, np.intp),
    )
    return DisagreementQueue(
        LENS, DisagreementFilter(), no_facts(), [HEADING], ("gemini-2.5-pro",), columns, said
    )


def consequence(label: Label) -> Consequence:
    """CORRECT keeps the profile, INCORRECT makes it RF."""
    failing = label is I
    g = 0.5 if failing else 0.63
    return Consequence(label, g, not failing, "KT", not failing, "RT", "RF" if failing else "RT")


CARD = DisagreementCard(
    lens=LENS,
    slot=2,
    fact=1,
    heading=HEADING,
    task=Task.DIRECT_NATURAL,
    model="gemini-2.5-pro",
    thinking=True,
    sample=4,
    question="About how many iPhone 11s had sold as of March 2022?",
    context=None,
    gold="159.2 million",
    aliases=(),
    text="Approximately 160 million units.",
    answer="Approximately 160 million units.",
    span=(0, 32),
    shown=None,
    a=Opinion(A, "v3", C, "Rounding 159.2 to about 160 keeps the question's own `about`."),
    b=Opinion(B, "v3", I, "160 million is not 159.2 million."),
    own=None,
    note=None,
    marks=tuple(
        AnswerMark(True, outcome)
        for outcome in (Outcome.from_label(label) for label in (C, I, C, C, C, C, I, I))
    ),
    consequences=tuple(map(consequence, LABELS)),
    twins=(),
)
TWINS = tuple(
    IdenticalAnswer(100 + place, "gemma3-27b", False, place, C, I, None) for place in range(3)
)

RATES = GraderRates(
    GraderRate(A, 4, 12),
    GraderRate(B, 9, 12),
    ((12, 14), (0, 27), (0, 29)),
    3.1,
)


def card(slot: int) -> DisagreementCard:
    """The card of a row."""
    _, a, b, *_, text = ROWS[slot]
    return replace(
        CARD, slot=slot, a=replace(CARD.a, label=a), b=replace(CARD.b, label=b),
        text=text, answer=text, span=None,
    )  # fmt: skip
