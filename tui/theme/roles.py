"""In which role labels and verdicts are written."""

from typing import TYPE_CHECKING

from core.vocabulary import CODES, LABELS, Label, Outcome, Profile
from tui.theme.look import Look

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

LABEL_ROLES = {
    Label.CORRECT: "label-c",
    Label.INCORRECT: "label-i bold",
    Label.PARTIALLY: "label-p",
    Label.OTHER: "label-o",
}
PROFILE_CODES = tuple(CODES.values())[: len(Profile)]
NO_PROFILE_CODES = tuple(CODES.values())[len(Profile) :]


def code_role(code: str) -> str:
    """The role of a verdict's two letters as text."""
    if code in PROFILE_CODES:
        return f"profile-{code.lower()}"
    return "ink-3" if code in NO_PROFILE_CODES else "ink-2"


def fill_role(code: str) -> str:
    """The role of a verdict's two letters on its own ground."""
    name = code.lower()
    return f"on-{name} bold @fill-{name}" if code in PROFILE_CODES else "ink-2 bold @chip"


def cap_role(armed: bool) -> str:
    """The role of a key's cap on a card, which stands back where keys do not act there."""
    return "accent bold @chip" if armed else "ink-2 @chip"


HOT, WARM, MILD = 0.6, 0.25, 0.1
"""Shares of the fullest cell from which on a cell is drawn hotter; on the diagonal, where one
cell holds most, `MILD` stands for `WARM`."""


def heat(table: "npt.NDArray[np.integer]", row: int, column: int) -> str:
    """The ground of a cell, ` @heat-agree-2`; none where it is empty."""
    count, same = int(table[row, column]), row == column
    if not count:
        return ""
    among = table.diagonal()
    if not same:
        among = table.copy()
        among.flat[:: len(table) + 1] = 0  # the diagonal
    share = count / int(among.max())
    level = 3 if share >= HOT else 2 if share >= (MILD if same else WARM) else 1
    return f" @heat-{'agree' if same else 'differ'}-{level}"


def label_of(outcome: Outcome | None) -> Label | None:
    """The label that an outcome is, if it is one."""
    if outcome is None or outcome > len(LABELS):
        return None
    return LABELS[outcome - 1]


def label_mark(label: Label, look: Look) -> tuple[str, str]:
    """A label's mark and its role."""
    return look.glyph(label), LABEL_ROLES[label]


def outcome_mark(outcome: Outcome | None, look: Look) -> tuple[str, str]:
    """The mark and role of what grading came to; None is no label yet."""
    label = label_of(outcome)
    if label is not None:
        return label_mark(label, look)
    return look.glyph("unlabelled" if outcome is None else "ungraded"), "ink-3"
