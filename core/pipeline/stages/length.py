"""Which passages can be used at all: neither short nor endless, and of two sentences at least."""

from core.pipeline import checks, text_match
from core.pipeline.stage import Dropped, End, Kept, Of, Stage, View

SHORT = f"fewer than {checks.SHORTEST_PASSAGE} words"
LONG = f"more than {checks.LONGEST_PASSAGE:,} words"
HUGE = f"more than {checks.LONGEST_TEXT:,} characters"
ONE_SENTENCE = "one sentence only"


def decide(view: View) -> End:
    """Objects never come from the first sentence, so that one sentence makes no fact."""
    if len(view.text) > checks.LONGEST_TEXT:
        return Dropped(HUGE, f"{len(view.text):,} characters")
    count = text_match.count(view.text)
    if count < checks.SHORTEST_PASSAGE:
        return Dropped(SHORT, f"{count} words")
    if count > checks.LONGEST_PASSAGE:
        return Dropped(LONG, f"{count:,} words")
    if len(text_match.sentences(view.text)) < 2:
        return Dropped(ONE_SENTENCE)
    return Kept({"words": count})


STAGE = Stage("length", "length of the text", Of.PASSAGE, after=(), decide=decide)
