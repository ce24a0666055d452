"""What the Review screen says: why there is no row, where the cursor stands, what was written."""

from collections.abc import Mapping

from core.vocabulary import QueueKind
from tui import keys
from tui.screens.review import render_rate
from tui.screens.review.state import SAMPLED, ReviewState
from tui.text.line import Line
from tui.text.line_wrap import wrap_spans
from tui.widgets.pane import news_line

EMPTY = {
    QueueKind.SUSPICIOUS: (
        "No question that all strong models fail, or all but one of four or more."
    ),
    QueueKind.STAGE: "This stage has changed no question of these facts.",
    QueueKind.EDITED: "Nothing has been edited.",
}

UNREADABLE = "this question cannot be read: ctrl+r tries again"


def describe_write(done: str, changed: Mapping[str, str]) -> str:
    """What was written, and how to undo it."""
    return f"{done}. {keys.cap_of('undo', changed)} undoes it"


def explain_empty(state: ReviewState, width: int, changed: Mapping[str, str]) -> list[Line]:
    """Why there is no row, and where there is something to look at."""
    if not state.has_facts:
        return [Line("No facts yet: import some on the Facts screen.", "ink-2")]
    if state.shown is None:
        return []
    kind = state.wanted.kind
    if kind in SAMPLED:
        return render_rate.sizes(width)
    said = Line(EMPTY[kind], "ink-2")
    if kind is QueueKind.SUSPICIOUS and not state.shown.queue.models:
        said = Line("No model has answered yet, so nothing is suspicious.", "ink-2")
    return [*wrap_spans(said.spans, width), Line(), *_draw_elsewhere(width, changed)]


def _draw_elsewhere(width: int, changed: Mapping[str, str]) -> list[Line]:
    line = Line(keys.cap_of("review.view", changed), "accent bold").add(
        " goes to a sample of all, ", "ink-3"
    )
    line.add(keys.cap_of("review.filter", changed), "accent bold").add(" to any queue", "ink-3")
    return list(wrap_spans(line.spans, width))


def position(state: ReviewState, place: int | None, short: bool) -> Line:
    """What is new, and where in the queue the cursor is: `3 of 120`."""
    size = 0 if state.shown is None else len(state.shown.queue)
    if not size:
        return Line()
    return news_line(state.new, short).add(f"{(place or 0) + 1:,} of {size:,}", "ink-3")


def model_words(models: tuple[str, ...], of: int, roomy: bool) -> str | None:
    """By which models, of so many, questions are measured; None for none.

    All there are hold weak ones too: only some of them are called strong.
    """
    if not models:
        return None
    if len(models) == 1:
        return models[0]
    if len(models) == of:
        return f"all {of} models"
    return f"{len(models)} strong models" if roomy else f"{len(models)} strong"
