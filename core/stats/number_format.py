"""Numbers as people read them, rounded half up: the one rule of tables, screens and reports."""

from math import floor, isfinite

_NUDGE = 1e-9
"""What a number may lack by the way it is stored: 1 - 0.9875 is a little less than 0.0125."""


def format_decimal(value: float, places: int) -> str:
    """A number with so many decimals: `0.013`; a half goes away from zero, and zero has no sign.

    What is not finite is named: `nan`, `inf`.
    """
    if not isfinite(value):
        return f"{value:.0f}"
    scale = 10**places
    units = floor(abs(value) * scale + 0.5 + _NUDGE)
    sign = "-" if value < 0 and units else ""
    whole, rest = divmod(units, scale)
    return f"{sign}{whole}.{rest:0{places}}" if places else f"{sign}{whole}"


def format_percent(share: float, places: int = 1) -> str:
    """A share in percent, without the sign for it: `98.5`."""
    return format_decimal(100 * share, places)


def format_difference(gap: float, places: int = 1) -> str:
    """A difference of shares in points, with its sign: `+0.5`, `-1.4`, `0.0`."""
    shown = format_percent(gap, places)
    return shown if gap < 0 or not float(shown) else f"+{shown}"


def format_grade(g: float) -> str:
    """A grade of a question, or a coefficient, with two decimals and no zero before them.

    `.88`, `1.00`, `-.02`.
    """
    shown = format_decimal(g, 2)
    sign, digits = ("-", shown[1:]) if shown.startswith("-") else ("", shown)
    return sign + digits.removeprefix("0")


def format_amount(number: int, noun: str, plural: str = "") -> str:
    """A number with what is counted: `1 answer`, `2,150 facts`; `plural` if an s is not enough."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


MILLION, THOUSAND = 1_000_000, 1_000


def format_large(number: float) -> str:
    """A large number, short: `3.1 M`, `420 k`, `97`."""
    if number >= 0.95 * MILLION:
        return f"{number / MILLION:,.1f} M"
    return f"{number / THOUSAND:,.0f} k" if number >= THOUSAND else f"{number:,.0f}"


def format_duration(seconds: float) -> str:
    """A time as people say it: `40 s`, `12 min`, `1 h 47`."""
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes = round(whole / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02}"
