"""What the Profiles screen says where it has no bars."""

from core.audit.board import Board
from core.audit.profiling.material import Material
from tui.text.line import Line

KEY = "accent bold"


def unable(board: Board | None, material: Material | None) -> list[Line] | None:
    """What is missing and how to get it; None where there are bars, or they are being read."""
    if board is None:
        return None
    if not len(board.index):
        words = Line("No facts here yet. ", "ink-2").add("F1", KEY)
        return [words.add(" tries the demo, or imports a file.", "ink-2")]
    if not board.models:
        words = Line("No model has been asked yet. ", "ink-2").add("r", KEY)
        return [words.add(" asks one.", "ink-2")]
    if material is None:
        return None
    if not material.labelled:
        words = Line("No answer has a label that counts. ", "ink-2").add("r", KEY)
        words.add(" has answers graded, ", "ink-2").add("g", KEY)
        return [words.add(" chooses whose labels count.", "ink-2")]
    if not material.facts.any():
        return nothing_found(material)
    return None


def nothing_found(material: Material) -> list[Line]:
    """The subset is empty."""
    search = material.wanted.search.strip()
    words = Line("Nothing matches", "ink-2")
    if search:
        words.add(f" `{search}`", "ink-2")
    else:
        words.add(" all of that", "ink-2")
    words.add(". ", "ink-2").add("F", KEY).add(" shows all facts again.", "ink-2")
    if material.complete:
        return [words]
    return [words, Line("Answers are still being indexed: some may be found later.", "ink-3")]


def saved(name: str) -> Line:
    """A policy was saved."""
    line = Line("the policy is saved as ", "ink-2").add(name, "ink bold")
    return line.add("; exports and figures made under it say so", "ink-2")
