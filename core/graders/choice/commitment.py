"""Which option an answer to multiple choice commits to (semantics section 3)."""

import re
from collections.abc import Sequence
from functools import cached_property

from core.graders.choice import choice_words as said
from core.graders.choice.answer_form import AnswerForm, Found, find_mentions
from core.graders.choice.mentions import BRACKETS, BREAK, ENDS, LETTERS, TEXT, Mention, Mentions

# What the words right beside letters and texts of options say, where that settles an answer.
#
# Most sentences are so plain. They are read as `mentions` and `commitment` read them, in a fraction
# of the time.

UNSETTLED = -1
"""More words are needed."""

_REACH = 48
"""Characters that are looked at before a letter or text."""

_NEXT = re.compile(r"([),: ]*)(?:([^\W\d_]+(?:['’][^\W\d_]+)*|\d+)|[.;!?\n]|\Z)")
_BETWEEN = frozenset([" ", ") ", ": ", ". ", " - "])
"""What stands between a letter and its own text."""

_SAYS = said.IS | said.IS_NOT | said.PERHAPS | said.JOINS | said.NEGATIVE | said.POSITIVE
"""Behind one of these something is said of the letter before."""

_KNOWN = said.HEARD | said.LEADS
_AFTER_WORD = frozenset([*".):,;!\n", ""])

_ENDS = frozenset(".;!?")

_HEAD, _APART, _CUED = range(3)
"""Nothing stands before it; words that say nothing of it; a word by which it is meant."""


def settle(folded: str, found: Sequence[Found]) -> int | None:
    """The place of the option that an answer commits to, None for none; or `UNSETTLED`.

    `found` are letters and texts of options in the answer, in their order.
    """
    meant: set[int] = set()
    named: set[int] = set()
    has_text, last, number = False, 0, 0
    while number < len(found):
        start, end, one = found[number]
        mark, number = folded[end : end + 1], number + 1
        place, between = one if one >= 0 else ~one, ""
        if one < 0 and number < len(found) and folded[end : found[number][0]] in _BETWEEN:
            between = folded[end : found[number][0]]
            _, end, other = found[number]
            number += 1
            if other != place or (mark == "." and folded[end : end + 2].strip()[:1].isalnum()):
                return UNSETTLED
        how = _hear_before(folded, last, start)
        coming = found[number][0] if number < len(found) else len(folded)
        if how is None or not _says_nothing(folded, end, coming):
            return UNSETTLED
        if how == _APART and between == ": ":
            return UNSETTLED
        if how == _HEAD and (
            not (between or mark in _AFTER_WORD) or (one == ~0 and number < len(found))
        ):
            return UNSETTLED
        if how != _APART:
            meant.add(place)
        named.add(place)
        has_text, last = has_text or between != "" or one >= 0, end
    if meant:
        return meant.pop() if len(meant) == 1 else UNSETTLED
    return named.pop() if has_text and len(named) == 1 else None


def _says_nothing(folded: str, end: int, coming: int) -> bool:
    """Whether what follows says nothing of a mention before it, up to the next one."""
    found = _NEXT.match(folded, end)
    if found is None or found.end() > coming:
        return False
    word = found[2]
    return word is None or (word not in _SAYS and found[1] != "")


def _hear_before(folded: str, last: int, start: int) -> int | None:
    """How a mention stands behind the words before it, from the mention before on.

    None where they do not tell: with a denial, a list, a break or signs among them.
    """
    first = max(last, start - _REACH)
    before = folded[first:start]
    if before and before[-1] not in " (":
        return None
    begin = before.rfind("\n") + 1
    words = before[begin:].rstrip(" (").split()
    if first > last and not begin:
        del words[:1]
    is_cued = False
    for word in reversed(words):
        bare = word.rstrip(",:")
        if bare in said.CUES:
            is_cued = True
        elif bare not in said.FILLERS:
            if not _ends_hearing(bare):
                return None
            if is_cued:
                return _CUED
            is_linked = words[-1][-1] == ":" or words[-1] in said.LINKS
            return None if is_linked else _APART
    if begin or first:
        return None
    return _CUED if is_cued else None if words else _HEAD


def _ends_hearing(word: str) -> bool:
    """Whether nothing before a word, or the sentence that it ends, says anything behind it."""
    bare = word[:-1] if word[-1:] in _ENDS else word
    return bare not in _KNOWN and bare.isascii() and (bare.isalpha() or bare.isdigit())


LONGEST_WORDS = 120
"""Characters of the words that decided, as they are shown."""

_WORDS_BEFORE = 8
"""Words before a letter that are shown with it."""

_AFTER_HEAD = frozenset(".):,-–—;!]}|/([{\n\0")
"""What may follow a letter or text that an answer begins with."""


def find_commitment(form: AnswerForm, options: Sequence[str]) -> int | None:
    """The place of the option that an answer commits to; None where none is named clearly.

    `options` are `option_forms`, in the order shown.
    """
    found = find_mentions(form, options)
    place = settle(form.folded, found)
    if place != UNSETTLED:
        return place
    one = _Commitments(Mentions(form, found)).find()
    return None if one is None else one.place


def quote_commitment(form: AnswerForm, options: Sequence[str]) -> tuple[int, str] | None:
    """The same place, and the words that decided."""
    commitments = _Commitments(Mentions(form, find_mentions(form, options)))
    one = commitments.find()
    return None if one is None else (one.place, commitments.quote(one))


class _Commitments:
    """The mentions of an answer that commit it."""

    def __init__(self, mentions: Mentions) -> None:
        self._mentions = mentions
        self._words = mentions.words

    def find(self) -> Mention | None:
        """The mention that decides."""
        found = self._list()
        if not found:
            return self._find_only_text()
        one, place = found[-1]
        differ = any(other != place for _, other in found)
        if place < 0 or (differ and not self._is_last_line(one) and not self._concludes(one)):
            return None
        return one

    def _list(self) -> list[tuple[Mention, int]]:
        """The first mention of each commitment, and the place of its option: -1 for several."""
        places: dict[int, set[int]] = {}
        for one in self._mentions.all:
            if one.group:
                places.setdefault(one.group, set()).add(one.place)
        found: dict[int, tuple[Mention, int]] = {}
        for one in self._mentions.all:
            if not one.group or one.group in found:
                continue
            if one.cue is not None or self._is_head(one) or self._is_last_line(one):
                few = places[one.group]
                found[one.group] = one, one.place if len(few) == 1 else -1
        return list(found.values())

    def _find_only_text(self) -> Mention | None:
        """The one option whose text is in an answer that commits to none."""
        left = [one for one in self._mentions.all if not one.denied]
        if len({one.place for one in left}) != 1 or all(one.is_letter for one in left):
            return None
        return left[0]

    # Where a mention stands

    def _is_head(self, one: Mention) -> bool:
        """Whether the answer begins with it, and stops there or gives a reason."""
        before = map(self._mentions.word, range(one.at))
        if one is not self._mentions.all[0] or any(
            _is_spoken(word) and word not in said.LEADS for word in before
        ):
            return False
        after = self._mentions.word(one.at + 1)
        if after and after not in _AFTER_HEAD and after not in said.REASONS:
            return False
        return not self._begins_list(one)

    def _begins_list(self, head: Mention) -> bool:
        """Whether the answer repeats the options: A and then B, with the same mark."""
        mark = self._mentions.word(head.at + 1)
        return (head.is_letter and not head.place and mark in (".", ")", ":")) and any(
            one.is_letter
            and one.place == 1
            and one.cue is None
            and not one.denied
            and self._mentions.word(one.at + 1) == mark
            for one in self._mentions.all
        )

    def _is_last_line(self, one: Mention) -> bool:
        """Whether it stands alone, or with its own text, on the last of several lines."""
        after, last = self._mentions.at(one.at + 1), self._last_spoken
        if after is None:
            after = self._mentions.at(one.at + 2)
        is_last = one.at == last or (
            after is not None and after.at == last and after.place == one.place
        )
        return (
            is_last
            and 0 <= self._last_break < one.at
            and not any(map(_is_spoken, self._words[self._last_break : one.at]))
        )

    @cached_property
    def _last_spoken(self) -> int:
        numbers = range(len(self._words) - 1, -1, -1)
        return next((number for number in numbers if _is_spoken(self._words[number])), -1)

    @cached_property
    def _last_break(self) -> int:
        """The line break before the last line with a word; -1 without one."""
        numbers = range(self._last_spoken, -1, -1)
        return next((number for number in numbers if self._words[number] == BREAK), -1)

    def _concludes(self, one: Mention) -> bool:
        """Whether the sentence of a mention draws a conclusion."""
        first, end = one.at, one.at
        while first and self._words[first - 1] not in ENDS and not self._is_parted(first - 1):
            first -= 1
        while end < len(self._words) and self._words[end] not in ENDS and self._words[end] != BREAK:
            end += 1
        return any(said.concludes(self._mentions.word(number)) for number in range(first, end))

    def _is_parted(self, number: int) -> bool:
        """Whether a sentence ends at a line break: not behind `The answer is`."""
        return self._words[number] == BREAK and not said.goes_on(self._mentions.word(number - 1))

    def quote(self, one: Mention) -> str:
        """How a mention decides, in words."""
        letter = LETTERS[one.place]
        what = letter if one.is_letter else f"the text of option {letter}"
        if one.cue is None and self._is_head(one):
            return f"leading {what}"
        if one.cue is None and self._is_last_line(one):
            return f"{what} on the last line"
        if one.cue is None:
            return f"only the text of option {letter} is in it"
        first, end = min(one.cue, one.at), one.at + 1
        while first and _is_spoken(self._words[first - 1]) and one.at - first < _WORDS_BEFORE:
            first -= 1
        while one.cue == one.at and end < len(self._words) and _is_spoken(self._words[end]):
            end += 1
        if self._mentions.word(end) == BRACKETS.get(self._mentions.word(end - 2)):
            end += 1
        starts, text = self._mentions.starts, self._mentions.form.text
        words = text[starts[first] : starts[end] if end < len(starts) else len(text)]
        words = " ".join(words.split())[:LONGEST_WORDS].rstrip(" ,.;:([")
        return f"{what}, by “{words}”"


def _is_spoken(word: str) -> bool:
    """Whether it is a word or the text of an option, and no sign."""
    return word[0].isalnum() or word == TEXT
