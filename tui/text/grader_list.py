"""Graders of a lens in few cells: their letters, their names, and the list that counts."""

from core.scoring.precedence import HUMAN_PREFIX, PEOPLE
from core.views.lens import Lens
from tui.text.inert_text import make_inert
from tui.text.line import cut
from tui.theme.look import Look

LETTERS = "ABCD"
"""What the graders that are compared are called, in their order."""

SHORTEST, LONGEST = 8, 24
"""Cells of a grader's name where it stands for a letter, and in a sentence."""

PLACES = 2
"""Places of a list that its short form shows."""


def letter_of(lens: Lens, grader: str) -> str:
    """`A` to `D` for a grader that is compared; blank for others."""
    return dict(zip(lens.compared, LETTERS, strict=False)).get(grader, "")


def shown_grader(name: str, you: str | None = None, most: int = LONGEST) -> str:
    """A grader as it is read: `your labels`, `people's labels`, or its name without `llm:`.

    `you` is the reader's grader name, where nobody else has labelled anything.
    """
    if name == PEOPLE:
        return "people's labels" if you is None else "your labels"
    return cut(make_inert(name.removeprefix("llm:")), most)


def only_person(graders: tuple[str, ...], you: str | None) -> str | None:
    """The reader's grader name if no other person is among these graders."""
    persons = {name for name in graders if name.startswith(HUMAN_PREFIX) and name != PEOPLE}
    return you if persons <= {you} else None


def short_list(lens: Lens, look: Look) -> str:
    """Whose labels count, first first: `you›A`, `you›A+2`; a grader without letter has its name."""
    words = [
        "you" if name == PEOPLE else letter_of(lens, name) or shown_grader(name, most=SHORTEST)
        for name in lens.ranked[:PLACES]
    ]
    more = len(lens.ranked) - len(words)
    return look.glyph("then").join(words) + (f"+{more}" if more > 0 else "")


def list_by_names(lens: Lens, look: Look, most: int) -> str:
    """The same by names, as many as fit: `human › choice › lexical`, then `+2`."""
    then = f" {look.glyph('then')} "
    names = ["human" if name == PEOPLE else shown_grader(name, most=most) for name in lens.ranked]
    shown = names[:1]
    for name in names[1:]:
        if len(shown) >= PLACES and len(then.join([*shown, name])) > most:
            break
        shown.append(name)
    more = len(names) - len(shown)
    return then.join(shown) + (f" +{more}" if more else "")
