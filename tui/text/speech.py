"""Drawn lines as they are to be heard: marks and codes in words, columns as parts of a sentence."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from core.vocabulary import CODES, LABELS
from tui.text.line import Line, Span
from tui.text.line_wrap import wrap_spans
from tui.theme.glyphs import SPOKEN, SPOKEN_SPELLINGS

LABEL_WORDS = {SPOKEN[label]: label.value.lower() for label in LABELS}
STATE_WORDS = {
    SPOKEN["unlabelled"]: "no label",
    SPOKEN["ungraded"]: "not gradable",
    SPOKEN["undrawn"]: "none",
    SPOKEN["counted"]: "in a lake",
}
SPOKEN_CODES = {code.translate(SPOKEN_SPELLINGS): code for code in CODES.values()}
"""The two letters of each verdict by how they are drawn for who hears them: `··` is `,,`."""

NO_PROFILE_ROLE = "ink-3 bold"
"""How the code of a fact without a profile begins its role (`code_role`)."""

DIGITS = frozenset("0123456789.,-%")
"""What numbers are written with."""

OPTIONS = ("queue:", "kind:", "page:", "by:")
"""How parts of options begin that stand in one line, the chosen one on its chip."""

BAR_ENDS = ("+", "O")
STOPS = tuple(",.;:")
SPOKEN_ROOM = 200
"""Cells in which a line is drawn before its blanks fall away."""

MOST_SPOKEN = 90
"""Characters of a text that is heard in a row before other words; opened it is heard whole."""

LISTED = 3
"""Marks in a row that are named one by one; of more each kind is counted."""


class _Part(NamedTuple):
    """What stands between two gaps, and the blanks before it."""

    words: str
    gap: int
    is_mark: bool = False


ENDS = (".", "?", "!")
"""What ends a sentence."""


def speak_text(text: str) -> str:
    """The beginning of a text as a sentence, to stand before other words of its row."""
    shown = text.strip()
    if len(shown) > MOST_SPOKEN:
        return f"{shown[:MOST_SPOKEN].rstrip(' .')}..."
    return shown if shown.endswith(ENDS) else f"{shown}."


def speak_line(line: Line) -> Line:
    """The line as a sentence in one role; text of the data stays as it is."""
    spoken = last = ""
    for part in _join_marks(_parts(line)):
        # a mark or code and its name beside it are said once, equal numbers each
        if part.words.casefold() != last or set(last) <= DIGITS:
            spoken += _choose_separator(spoken, part) + part.words
            last = part.words.casefold()
    return Line().put(Span(spoken.removeprefix(", "), "ink"))


def speak_lines(lines: Iterable[Line], width: int) -> list[Line]:
    """Lines as sentences; one that is wider than `width` goes on in the lines below it."""
    return [part for line in lines for part in wrap_spans(speak_line(line).spans, width)]


def _choose_separator(spoken: str, part: _Part) -> str:
    """What parts a part from what stands before it: nothing, a blank, or a comma and a blank."""
    if not spoken or not part.gap or part.words[:2].strip() in STOPS:
        return ""
    return " " if part.gap == 1 or spoken[-1] in STOPS else ", "


def _join_marks(parts: Iterator[_Part]) -> Iterator[_Part]:
    """Marks that stand together as one part."""
    for is_mark, found in groupby(parts, lambda part: part.is_mark):
        if not is_mark:
            yield from found
            continue
        marks = list(found)
        words = [part.words for part in marks]
        if len(words) > LISTED:
            words = [f"{count} {word}" for word, count in Counter(words).items()]
        yield _Part(", ".join(words), max(2, marks[0].gap))


def _parts(line: Line) -> Iterator[_Part]:
    gap = 0
    for span in line.spans:
        bare = span.text.strip(" ")
        gap += len(span.text) - len(span.text.lstrip(" "))
        if not bare:
            continue
        colour = span.role.partition(" ")[0]
        marks = _marks(bare, colour)
        if marks:
            yield from (_Part(word, gap if not at else 0, True) for at, word in enumerate(marks))
        elif colour.startswith(("profile-", "on-")) or span.role.startswith(NO_PROFILE_ROLE):
            yield _Part(_code_words(bare), gap or 1)
        elif span.role.endswith("@chip") and (span.part or "").startswith(OPTIONS):
            yield _Part(f"chosen: {bare}", gap)
        elif bare not in BAR_ENDS or colour == "ink":
            yield _Part(bare, gap)
        gap = len(span.text) - len(span.text.rstrip(" "))


def _code_words(bare: str) -> str:
    """`DR`, `DR 33.3` or `[DR 33.3   ]` (where the cursor is) in words."""
    code, _, more = bare.strip("[ ]").partition(" ")
    code = SPOKEN_CODES.get(code, code)
    if code not in CODES.values():
        return bare
    from core.glossary.glossary import BY_TERM

    chosen = "chosen: " if bare.startswith("[") else ""
    return f"{chosen}{BY_TERM[code].name} {more.strip()}".strip()


def _marks(bare: str, colour: str) -> list[str]:
    """The words of marks; none where the text is no marks."""
    chars = bare.replace(" ", "")
    if colour.startswith("label-") and set(chars) <= LABEL_WORDS.keys():
        return [LABEL_WORDS[char] for char in chars]
    if colour == "ink-3" and len(chars) == 1 and chars in STATE_WORDS:
        return [STATE_WORDS[chars]]
    return []
