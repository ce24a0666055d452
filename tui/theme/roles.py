"""In which role labels and verdicts are written."""

from core.vocabulary import CODES, Label, Profile

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
