"""What a plan would come to, in rows: the requests, the engines' time, and what comes after them.

The rows are those of `docs/guides/request-files.md`, for the facts of one's own. Rates were
measured on two busy cores with 10^5 and 10^6 facts, but for what an engine reads and writes in a
second, which is published, and the bytes of an answer, which follow from its tokens.
"""

from core.estimates.estimate import QuantityRange
from core.estimates.plan_estimate import PlanEstimate, SettingSum
from core.stats.number_format import format_duration, format_large

TOKENS_IN_PER_S = 30_000
"""Tokens that a GPU reads in a second, about."""

BYTES_A_TOKEN = 1.5
"""Bytes of a token of an answer in a lake, compressed, about."""

BYTES_A_LABEL = 0.91
"""Bytes of a label in a lake."""

LABELS_PER_S = 10_000_000
"""Labels that are counted in a second."""

LEXICAL_PER_S = 18_200
"""Answers that `lexical` labels in a second on one core."""

SQLITE_BYTES = 119
"""Bytes of an answer and its label in a database."""

MOST_IN_SQLITE = 100e9
"""Bytes from which on a lake takes the place of a database."""

NAME, WHAT = 16, 26
"""Cells of the first two columns of rows."""


def write_rows(found: PlanEstimate, tokens_per_s: float) -> list[str]:
    """The estimate as it is printed; `tokens_per_s`: what a GPU writes in a second."""
    if not found.requests:
        left = f" ({found.out:,} answers are out in files)" if found.out else ""
        return [f"there is nothing to ask{left}"]
    rows = [
        _row("requests", f"{found.requests:,}", f"for {found.answers:,} answers"),
        _row("facts", f"{found.facts:,}"),
    ]
    if found.out:
        rows.append(_row("out already", f"{found.out:,} answers", "they are left"))
    rows += [_row(*_setting(one, tokens_per_s)) for one in found.settings]
    hours = _hours(found.tokens_in, found.tokens_out, tokens_per_s)
    rows.append(_row("GPU hours", hours, _rates(tokens_per_s)))
    files = f"{found.least_shards:,} shards, {found.bytes_a_line:,.0f} bytes a line"
    rows.append(_row("request files", _bytes(found.bytes), files))
    return [*rows, *_format_afterwards(found)]


def _format_afterwards(found: PlanEstimate) -> list[str]:
    """What the answers take once they are here: in a lake, by its graders, or in one file."""
    low, high = (tokens * BYTES_A_TOKEN for tokens in (found.tokens_out.low, found.tokens_out.high))
    one_file = found.answers * SQLITE_BYTES
    advice = ": use a lake" if one_file > MOST_IN_SQLITE else ""
    return [
        _row("answers", f"{_bytes(low)} to {_bytes(high)}", "compressed, in a lake"),
        _row("labels", _bytes(found.answers * BYTES_A_LABEL), "of one grader, in a lake"),
        _row(
            "profiles",
            format_duration(found.free / LABELS_PER_S),
            "to count them by DuckDB, two cores",
        ),
        _row(
            "lexical",
            format_duration(found.free / LEXICAL_PER_S),
            f"of one core, {LEXICAL_PER_S:,} answers/s",
        ),
        _row("in one database", _bytes(one_file), f"{SQLITE_BYTES} bytes an answer{advice}"),
    ]


def _setting(one: SettingSum, tokens_per_s: float) -> tuple[str, str, str]:
    name = f"thinking {'on' if one.thinking else 'off'}"
    low, high = format_large(one.tokens_out.low), format_large(one.tokens_out.high)
    what = f"{format_large(one.tokens_in)} tokens in"
    hours = _hours(one.tokens_in, one.tokens_out, tokens_per_s)
    return name, what, f"{low} to {high} out, {hours} GPU hours"


def _hours(into: float, out: QuantityRange, tokens_per_s: float) -> str:
    low, high = (
        (into / TOKENS_IN_PER_S + tokens / tokens_per_s) / 3600 for tokens in (out.low, out.high)
    )
    return f"{low:,.1f} to {high:,.1f}" if high < 100 else f"{low:,.0f} to {high:,.0f}"


def _rates(tokens_per_s: float) -> str:
    return f"at {tokens_per_s:,.0f} tokens/s out, {TOKENS_IN_PER_S:,} in (--tokens-per-s)"


def _bytes(size: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:,.0f} {unit}"
        size /= 1000
    return f"{size:,.1f} GB"


def _row(name: str, what: str, beside: str = "") -> str:
    return f"{name:<{NAME}}{what:<{WHAT}}{beside}".rstrip()
