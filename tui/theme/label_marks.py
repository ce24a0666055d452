"""Labels and outcomes of grading as marks."""

from core.vocabulary import LABELS, Label, Outcome
from tui.theme.look import Look
from tui.theme.roles import LABEL_ROLES


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
