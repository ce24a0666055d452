"""Whole texts that are dates, in one spelling: `March 10, 1964`, `March 1964`, `1964`.

FACT-BENCH, section 3.1: dates are compared as month, day and year; precision counts.
"""

import re

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
_MONTH_OF = {
    name: number
    for number, month in enumerate(MONTHS, 1)
    for name in (month.lower(), month[:3].lower(), "sept" if number == 9 else month[:3].lower())
}
_MONTH = "(?P<month>" + "|".join(sorted(_MONTH_OF, key=len, reverse=True)) + r")\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{1,6})"
_WEEKDAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+)?"
_ERA = r"(?:\s*(?P<era>ad|ce|bce|bc)\.?)?"

_FORMS = tuple(
    re.compile(rf"{_WEEKDAY}{form}{_ERA}\.?", re.IGNORECASE)
    for form in (
        rf"{_MONTH}\s+{_DAY},?(?:\s+of)?\s+{_YEAR}",
        rf"(?:the\s+)?{_DAY}\s+(?:of\s+)?{_MONTH},?(?:\s+of)?\s+{_YEAR}",
        rf"{_MONTH},?(?:\s+of)?\s+{_YEAR}",
        _YEAR,
    )
)
_ISO = re.compile(
    r"(?P<sign>[+-]?)(?P<year>\d{4,6})-(?P<month>\d\d)(?:-(?P<day>\d\d)(?:T[\d:]+Z)?)?\.?",
    re.IGNORECASE,
)


def date_words(text: str) -> str | None:
    """A text that is a date, and nothing else, as month, day and year; None for any other."""
    text = " ".join(text.split())
    iso = _ISO.fullmatch(text)
    if iso is not None:
        found = iso.groupdict()
        before = found["sign"] == "-"
        return _spell(int(found["year"]), int(found["month"]), int(found["day"] or 0), before)
    for form in _FORMS:
        match = form.fullmatch(text)
        if match is not None:
            found = match.groupdict()
            month = _MONTH_OF[found["month"].lower()] if found.get("month") else 0
            before = (found["era"] or "").lower() in ("bc", "bce")
            return _spell(int(found["year"]), month, int(found.get("day") or 0), before)
    return None


DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
"""The most days that a month has; which years have February 29 depends on the calendar."""


def is_no_day(text: str) -> bool:
    """Whether a text is written as month, day and year, of a day that there is not.

    `1950-52` is a span of years, so a year and a number say nothing.
    """
    words = date_words(text)
    if words is None:
        iso = _ISO.fullmatch(text.strip())
        return iso is not None and iso["day"] is not None
    month, _, rest = words.partition(" ")
    day = rest.partition(",")
    return bool(day[1]) and int(day[0]) > DAYS[MONTHS.index(month)]


def _spell(year: int, month: int, day: int, before: bool) -> str | None:
    """A date in words; one without a month has no day. None where there is no such month."""
    if month > len(MONTHS) or day > 31:
        return None
    shown = f"{year} BC" if before else str(year)
    if not month:
        return shown
    return f"{MONTHS[month - 1]} {day}, {shown}" if day else f"{MONTHS[month - 1]} {shown}"
