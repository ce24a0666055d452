"""Names found in texts however they are written: in one normal form, mapped back to the text.

Case, compatibility and composition of letters make no difference (Unicode NFKD and full case
folding), nor do marks above and below letters, nor signs without width within a word.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache

SHORTEST_PART = 3
"""Letters of a part of a name that stands for the person by itself: `Ada` of `Ada Lovelace`."""

PARTICLES = frozenset(
    "and bin das del dell della den der des dos for ibn les the und van von".split()  # noqa: SIM905
)
"""Parts of names that are no names: `the` of `Attila the Hun`."""

WIDTHLESS = "\u200b"
"""What stands in a folded text for each sign that has no width, such as a joiner."""

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
"""Letters of scripts that put no spaces between words, Korean in its parts among them."""

_LETTER = rf"(?![_{_UNSPACED}])\w"
_START, _END = rf"(?<!{_LETTER})", rf"(?!{_LETTER})"
_SYLLABLE_END = "(?![\u1160-\u11ff])"
"""The end of a Korean syllable."""

_ALIKE = str.maketrans({"ı": "i", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe"})
"""Letters that Unicode takes for letters of their own, and keyboards without them do not."""

_SELECTORS = re.compile("[\u034f\ufe00-\ufe0f\U000e0100-\U000e01ef]")


class FoldedNames:
    """Names with what each stands for; a name goes before a part of another, a longer before."""

    def __init__(self, meanings: Mapping[str, str]) -> None:
        patterns: dict[str, str] = {}
        for name, meaning in meanings.items():
            for pattern in _whole_patterns(name):
                patterns.setdefault(pattern, meaning)
        longest_first = dict(sorted(patterns.items(), key=lambda one: -len(one[0])))
        for name, meaning in meanings.items():
            for word in _parts(name):
                longest_first.setdefault(_word_pattern(word), meaning)
        self._meanings = tuple(longest_first.values())
        self._pattern = re.compile("|".join(f"({one})" for one in longest_first))
        self._starts = {start for name in meanings for start in _first_words(name)}

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where names stand in a text as it is written: start, end, what the name stands for."""
        if not self._meanings:
            return
        folded, places = fold(text)
        bare = folded.replace(WIDTHLESS, "")
        if not any(start in bare for start in self._starts):
            return
        before = 0
        for found in self._pattern.finditer(folded):
            start, end = places[found.start()], places[found.end() - 1] + 1
            while end < len(text) and not _fold_letter(text[end]):
                end += 1
            if start >= before:
                before = end
                yield start, end, self._meanings[(found.lastindex or 1) - 1]


def fold(text: str) -> tuple[str, list[int] | range]:
    """A text in the normal form, and for each of its letters the place in the text."""
    if text.isascii():
        return text.lower(), range(len(text))
    letters, places = [], []
    for place, letter in enumerate(text):
        for one in _fold_letter(letter):
            letters.append(one)
            places.append(place)
    return "".join(letters), places


@lru_cache(maxsize=4096)
def _fold_letter(letter: str) -> str:
    """A letter in the normal form: several, or none for a mark on the letter before."""
    split = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", letter).casefold())
    plain = unicodedata.normalize("NFKD", split.translate(_ALIKE).casefold())
    kept = (one for one in plain if not unicodedata.combining(one) and not _SELECTORS.match(one))
    return "".join(WIDTHLESS if unicodedata.category(one) == "Cf" else one for one in kept)


def _bare(name: str) -> str:
    return fold(name)[0].replace(WIDTHLESS, "").strip()


def _count_letters(word: str) -> int:
    return len(unicodedata.normalize("NFC", word))


def _whole_patterns(name: str) -> Iterator[str]:
    """What finds a whole name, one of two words either way round.

    One of a single letter is found only as `human:A`.
    """
    bare = _bare(name)
    if not bare:
        return
    if _count_letters(bare) == 1 and bare[0].isalnum():
        yield f"(?<=human:){_word_pattern(bare)}"
        return
    words = re.findall(r"[^\W_]+|[\W_]+", bare)
    inner = range(1, len(words) - 1)
    found = (
        r"[\W_]{0,3}" if place in inner and not one[0].isalnum() else _escape(one)
        for place, one in enumerate(words)
    )
    yield _bound("".join(found), bare)
    if len(words) == 3 and words[0][0].isalnum() and words[2][0].isalnum():
        yield rf"{_word_pattern(words[2])}[\W_]{{1,3}}{_word_pattern(words[0])}"


def _word_pattern(word: str) -> str:
    return _bound(_escape(word), word)


def _escape(text: str) -> str:
    """A text with whatever has no width between its letters."""
    return f"{WIDTHLESS}*".join(map(re.escape, text))


def _bound(pattern: str, text: str) -> str:
    """A pattern that begins and ends where words do, in scripts that part them."""
    start = _START if re.match(_LETTER, text[0]) else ""
    end = _END if re.match(_LETTER, text[-1]) else ""
    return f"{start}{pattern}{end}{_SYLLABLE_END}"


def _parts(name: str) -> list[str]:
    """The words of a name that stand for the person, folded; of a mail address those before @."""
    return [
        word
        for word in re.findall(r"[^\W\d_]+", _bare(name).partition("@")[0])
        if _count_letters(word) >= (SHORTEST_PART if re.match(_LETTER, word) else 2)
        if word not in PARTICLES
    ]


def _first_words(name: str) -> list[str]:
    """What a text holds that holds the name or a part of it."""
    return [*re.findall(r"[^\W_]+|[\W_]+", _bare(name))[:1], *_parts(name)]
