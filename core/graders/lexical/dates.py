"""Dates of any order and precision, read from text and compared field by field."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from core.graders.lexical.english import MONTHS, ONES, TENS
from core.graders.lexical.numerals import CARDINALS, ORDINALS
from core.vocabulary import Label

_MONTH = {name: number for number, name in enumerate(MONTHS, 1)}
_MONTH |= {name[:3]: number for name, number in _MONTH.items()} | {"sept": 9}
_NAME = "|".join(sorted(_MONTH, key=len, reverse=True))
_UNMISTAKABLE = "|".join(name for name in MONTHS if name not in ("march", "may", "august"))
_YEAR = r"(?P<year>[12]\d{3})\d?(?!\d|,\d|\.\d)"  # one more digit: a footnote mark run into it
_ERA = r"\s*(?P<era>bce?\b|b\.c\.(?:e\.)?|ad\b|a\.d\.|ce\b|c\.e\.)"
_IN = r"(?:of |in )?(?:the )?(?:year )?(?:of )?(?:our lord |ad |a\.d\. )?"
_ORDINAL = r"(?:st|nd|rd|th)?"
_DAY = rf"(?P<day>[0-3]?\d){_ORDINAL}"
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?P<year>[12]\d{3})[-/.](?P<month>[01]?\d)[-/.](?P<day>[0-3]?\d)(?!\d)",
        r"\b(?P<either>[0-3]?\d)[./](?P<other>[0-3]?\d)[./](?P<year>[12]\d{3})(?!\d)",
        rf"\b{_DAY}(?: day)?(?: of)? ?[- ] ?(?P<name>{_NAME})\b\.?,?(?: {_IN}{_YEAR})?",
        rf"\b(?P<name>{_NAME})\b\.? ?(?:the )?{_DAY}(?!\d|:)(?: ?,? ?{_IN}{_YEAR})?",
        rf"\b(?P<name>{_NAME})\b\.?,? {_IN}{_YEAR}",
        rf"\b(?P<name>{_UNMISTAKABLE})\b",
        r"\b(?P<decade>(?:[12]\d)?\d0)'?s\b",
        rf"\b(?P<century>\d{{1,2}}){_ORDINAL}[- ]century(?:{_ERA})?",
        rf"\b(?P<short>\d{{1,4}}){_ERA}",
        rf"\b{_YEAR}",
    )
)
"""From the most telling to the least; what one has read, the next ones leave alone."""

_MAY_HAVE_DATE = re.compile(rf"\d|\b(?:{_NAME})\b")
_DAYS_BEFORE = re.compile(
    rf"\b(\d{{1,2}}){_ORDINAL} ?(?:-|to|and) ?(\d{{1,2}}){_ORDINAL} ({_NAME})\b"
)
_DAYS_AFTER = re.compile(rf"\b({_NAME}) (\d{{1,2}}){_ORDINAL} ?(?:-|to|and) ?(\d{{1,2}})(?!\d)")
_SHORT_RANGE = re.compile(r"\b([12]\d)(\d\d) ?[-/] ?(\d\d)(?![\d/-])")
_CENTURY_WORD = re.compile(rf"\b(?:(twenty)[ -])?({'|'.join(ORDINALS)})[ -]century")
_BELOW_HUNDRED = rf"(?:{'|'.join(TENS)})(?:[ -](?:{'|'.join(ONES[1:10])}))?|{'|'.join(ONES[10:])}"
_DECADES = {f"{tens[:-1]}ies": tens for tens in TENS}
_YEAR_WORDS = re.compile(
    rf"\b(?P<hundreds>{'|'.join(ONES[10:])}|twenty)[ -](?:"
    rf"hundred(?: and)?(?:[ -](?P<more>{_BELOW_HUNDRED}|{'|'.join(ONES[1:10])}))?"
    rf"|(?:oh|o|aught|nought|zero)[ -](?P<ones>{'|'.join(ONES[1:10])})"
    rf"|(?P<decade>{'|'.join(_DECADES)})|(?P<rest>{_BELOW_HUNDRED}))\b"
    rf"|\b(?P<thousands>one|a|two) thousand(?:,? (?P<hundred>{'|'.join(ONES[1:10])}) hundred)?"
    rf"(?:,? (?:and )?(?P<last>{_BELOW_HUNDRED}|{'|'.join(ONES[1:10])}))?\b"
)
_DAY_WORD = re.compile(rf"\b(?:(twenty|thirty)[ -])?({'|'.join(list(ORDINALS)[1:])})\b")
_DECADE_WORD = re.compile(rf"\bthe ({'|'.join(_DECADES)})\b")
_MAY_NEED = re.compile(
    rf"\d|\b(?:{_NAME}|{'|'.join(ONES[10:])}|twenty|thousand|{'|'.join(_DECADES)})\b|century"
)
_CONNECTIVES = re.compile(
    r"\b(?:on|in|at|the|of|from|to|until|till|and|or|between|through|during|around|about|circa|"
    r"ca?|early|mid|late|by|since|before|after|prior|our|lord|year|years|day|date|approximately|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|[\W_]"
)


class Match(IntEnum):
    """How one date stands to another, worst first."""

    CONTRADICTS = 0
    SILENT = 1
    LESS_PRECISE = 2
    SAME = 3


@dataclass(frozen=True, slots=True)
class Date:
    """A span of years (negative: BC; None: not said), month, day.

    `swapped`: month and day may trade places, as in 4/5/1999.
    """

    first: int | None
    last: int | None
    month: int | None = None
    day: int | None = None
    swapped: bool = False

    def against(self, gold: "Date", said: frozenset[int] = frozenset()) -> Match:
        """How this date stands to the gold one; the question gives the years in `said`."""
        if self.swapped:
            day_first = Date(self.first, self.last, self.month, self.day)
            month_first = Date(self.first, self.last, self.day, self.month)
            return max(day_first.against(gold, said), month_first.against(gold, said))
        worst = min(
            self._years(gold, said),
            _field(self.month, gold.month),
            _field(self.day, gold.day),
        )
        only_year = self.month is None and gold.month is not None
        if worst == Match.LESS_PRECISE and only_year and gold.first in said:
            return Match.SILENT
        return worst

    def _years(self, gold: "Date", said: frozenset[int]) -> Match:
        if gold.first is None or gold.last is None:
            return Match.SAME
        if self.first is None or self.last is None:
            return Match.SAME if gold.first in said else Match.LESS_PRECISE
        if gold.first <= self.first and self.last <= gold.last:
            return Match.SAME
        if self.first <= gold.first and gold.last <= self.last:
            return Match.LESS_PRECISE
        return Match.CONTRADICTS


def _field(value: int | None, gold: int | None) -> Match:
    if gold is None or value == gold:
        return Match.SAME
    return Match.LESS_PRECISE if value is None else Match.CONTRADICTS


def dates(text: str) -> list[Date]:
    """The dates in a folded lower-case text, in no particular order."""
    return [date for _, _, date in _scan(_spell_out(text))]


def only_dates(text: str) -> list[Date]:
    """The dates of a text that is nothing but dates and their connecting words, else []."""
    text = _spell_out(text)
    found = list(_scan(text))
    rest = list(text)
    for start, end, _ in found:
        rest[start:end] = " " * (end - start)
    return [date for _, _, date in found] if not _CONNECTIVES.sub("", "".join(rest)) else []


def years(text: str) -> frozenset[int]:
    """The years named in a folded lower-case text."""
    return frozenset(date.first for date in dates(text) if date.first is not None)


def verdict(
    gold: Sequence[Date],
    others: Iterable[Sequence[Date]],
    found: Sequence[Date],
    said: frozenset[int],
) -> Label | None:
    """How the dates `found` in an answer fit a gold of one date or, for a span, several.

    All as precise as the gold: CORRECT. Less precise, or only a part of a span: PARTIALLY.
    Nothing but a year in `said`, which the question gives: OTHER. None: they give another date,
    or there is none. Where one of the `others`, the golds beside
    it, is more precise, an answer more precise than this gold has to agree with that one.
    """
    if not found:
        return None
    best = [max(date.against(one, said) for date in found) for one in gold]
    if min(best) == Match.SAME:
        return None if _contradicts_finer(gold, others, found) else Label.CORRECT
    if min(best) == Match.LESS_PRECISE:
        return Label.PARTIALLY
    if max(best) == Match.SILENT:
        return Label.OTHER
    return Label.PARTIALLY if max(best) == Match.SAME and len(found) < len(gold) else None


def _contradicts_finer(
    gold: Sequence[Date], others: Iterable[Sequence[Date]], found: Sequence[Date]
) -> bool:
    if len(gold) > 1 or not any(date.month for date in found):
        return False
    finer = [
        other[0]
        for other in others
        if len(other) == 1 and gold[0].against(other[0]) == Match.LESS_PRECISE
    ]
    return bool(finer) and not any(
        date.against(one) >= Match.LESS_PRECISE for one in finer for date in found
    )


def _spell_out(text: str) -> str:
    """Spans of days and years, and words for centuries, written as the patterns know them."""
    if not _MAY_NEED.search(text):
        return text
    text = _DAYS_BEFORE.sub(r"\1 \3 to \2 \3", text)
    text = _DAYS_AFTER.sub(r"\1 \2 to \1 \3", text)
    text = _SHORT_RANGE.sub(r"\1\2 to \1\3", text)
    text = _CENTURY_WORD.sub(_century, text)
    text = _YEAR_WORDS.sub(_year, text)
    text = _DECADE_WORD.sub(lambda match: f"the {CARDINALS[_DECADES[match[1]]]}s", text)
    return _DAY_WORD.sub(_day, text)


def _century(match: re.Match[str]) -> str:
    return f"{CARDINALS.get(match[1] or '', 0) + ORDINALS[match[2]]}th century"


def _year(match: re.Match[str]) -> str:
    """A year in words (nineteen thirty-two, two thousand and five) in figures."""
    found = match.groupdict()
    if found["decade"]:
        return f"{CARDINALS[found['hundreds']]}{CARDINALS[_DECADES[found['decade']]]}s"
    rest = found["more"] or found["ones"] or found["rest"] or found["last"] or "zero"
    below = sum(CARDINALS[word] for word in re.split("[ -]", rest))
    if found["thousands"]:
        hundred = CARDINALS[found["hundred"] or "zero"]
        return str((2000 if found["thousands"] == "two" else 1000) + 100 * hundred + below)
    return str(100 * CARDINALS[found["hundreds"]] + below)


def _day(match: re.Match[str]) -> str:
    return f"{CARDINALS.get(match[1] or '', 0) + ORDINALS[match[2]]}th"


def _scan(text: str) -> Iterator[tuple[int, int, Date]]:
    if not _MAY_HAVE_DATE.search(text):
        return
    taken = bytearray(len(text))
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(taken[start:end]) or (date := _read_date(match.groupdict())) is None:
                continue
            taken[start:end] = b"\x01" * (end - start)
            yield start, end, date


def _read_date(found: dict[str, str | None]) -> Date | None:
    """The date of a pattern's named groups, None if there is no such day or month."""
    sign = -1 if (found.get("era") or "").startswith("b") else 1
    if span := found.get("century"):
        end = sign * 100 * int(span)
        return Date(min(end, end - 100 * sign), max(end, end - 100 * sign))
    if start := found.get("decade"):
        first = int(start) + (1900 if len(start) == 2 else 0)
        return Date(first, first + (99 if first % 100 == 0 else 9))
    if short := found.get("short"):
        return Date(sign * int(short), sign * int(short))
    named_year = found.get("year")
    year = int(named_year) if named_year else None
    if other := found.get("other"):
        return Date(year, year, int(other), int(found["either"] or 0), swapped=True)
    month = _MONTH[found["name"] or ""] if found.get("name") else int(found.get("month") or 0)
    day = int(found.get("day") or 0)
    if day > 31 or month > 12:
        return None
    return Date(year, year, month or None, day or None)
