"""The segment pane: the chosen segment counted, and what is in no bar."""

from core.audit.fact_view import WORDS
from core.audit.profiling.certainty import Sure
from core.audit.profiling.view import By, Row
from core.names import CODES
from tui.screens.profiles import bars
from tui.screens.profiles.figures import percent, points
from tui.screens.profiles.rows import difference_role, excluded_count, shown_name
from tui.text.line import Line
from tui.theme.roles import code_role, fill_role

GAP = "   "
NAME = 24
PROFILE_OF = {code: str(profile) for profile, code in CODES.items()}
KNOWN = ("DR", "RT", "EK")
"""Codes that more of is good news; of `IE` it is neither."""


def segment(
    row: Row, code: str, by: By, since: str | None, sure: Sure | None, narrow: bool
) -> Line:
    """`gemma3-27b  RF  recall failure  684 facts  33.0% of 2,074 ...`"""
    count, total = bars.count_of(row.now, code), bars.whole(row.now)
    gap = "  " if narrow else GAP
    name = Line(shown_name(row.name, by), "ink bold").clip(NAME)
    line = Line().join(name).add(gap).add(f" {code} ", fill_role(code))
    line.add(f" {WORDS[code][0]}", f"{code_role(code)} bold")
    line.add(f"{gap}{count:,} {'fact' if count == 1 else 'facts'}", "ink")
    if code not in bars.ASIDE:
        of = "" if narrow else f" of {total:,}"
        line.add(f"{gap}{percent(count / total if total else None)}%{of}", "ink-2")
        line.join(_interval(row, code, sure, gap))
        line.join(_difference(row, code, since, narrow, gap))
    if narrow:
        return line.add(f"{gap}{row.moved:,} moved" if since else "", "ink-2")
    return line.add(gap).join(aside(row))


def aside(row: Row) -> Line:
    """What is in no bar, and how far it is where answers are still to come."""
    summary = row.now.summary
    line = Line()
    if row.provisional:
        line.add(f"{row.complete:,} of {summary.total:,} complete{GAP}", "ink-2")
    line.add(f"excluded {excluded_count(row.now):,}, incomplete {summary.incomplete:,}", "ink-3")
    return line


def _interval(row: Row, code: str, sure: Sure | None, gap: str) -> Line:
    found = sure.get(row.name) if sure else None
    if found is None or found.shares is None or code not in bars.MEASURED:
        return Line()
    limits = found.shares.get(PROFILE_OF[code])
    if limits is None:
        return Line()
    low, high = map(percent, limits)
    return Line(f"{gap}90% {low} to {high}", "ink-2")


def _difference(row: Row, code: str, since: str | None, narrow: bool, gap: str) -> Line:
    total, before = bars.whole(row.now), bars.whole(row.start)
    if since is None or not total or not before:
        return Line()
    text = points(bars.count_of(row.now, code) / total, bars.count_of(row.start, code) / before)
    role = "ink-2" if code == "IE" else difference_role(text, code in KNOWN)
    words = "" if narrow else f" points since {since}"
    return Line(gap).add(f"{text}{words}", role)
