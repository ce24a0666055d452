"""The segment pane: the chosen segment counted, and what is in no bar."""

from collections.abc import Iterator, Sequence

from core.glossary.glossary import BY_TERM
from core.results.one_answer_facts import OneAnswerCount
from core.stats.number_format import format_amount
from core.views.grader_labels import UnlistedLabels
from core.views.lens import Lens
from core.views.profiles.profile_rows import ProfileRow, RowKind, Sure
from tui.screens.profiles import render_bars
from tui.screens.profiles.render_bars import PROFILE_OF
from tui.screens.profiles.render_numbers import percent, points
from tui.screens.profiles.render_rows import difference_role, left_out_words, shown_name
from tui.text.grader_list import short_list, shown_grader
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import code_role, fill_role

GAP = "   "
NAME, LEAST_NAME, LEAST_NARROW = 24, 12, 6
"""Cells of a name, and what is left of it, here and in a narrow pane, before anything else goes."""

KNOWN = ("DR", "RT", "EK")
"""Codes that more of is good news; of `IE` it is neither."""


def segment(
    row: ProfileRow,
    code: str,
    by: RowKind,
    since: str | None,
    sure: Sure | None,
    narrow: bool,
    room: int | None = None,
) -> Line:
    """`gemma3-27b  RF  recall failure  684 facts  33.0% of 2,074 ...`

    Where `room` cells do not hold it the name is cut first. Then words go that stand elsewhere,
    too: since when, what the code means, of how many facts nothing is missing.
    """
    name = Line(shown_name(row.name, by), "ink bold").clip(NAME)
    least = min(name.width, LEAST_NARROW if narrow else LEAST_NAME)
    lines = _narrow_lines if narrow else _wide_lines
    found = list(lines(row, code, since, sure))
    if room is None:
        return name.join(found[0])
    line = next((one for one in found if least + one.width <= room), found[-1])
    return name.clip(max(least, room - line.width)).join(line)


def _wide_lines(row: ProfileRow, code: str, since: str | None, sure: Sure | None) -> Iterator[Line]:
    """What stands after the name, from all of it to the least."""
    for words, named, complete in (
        (True, True, True),
        (False, True, True),
        (False, False, True),
        (False, True, False),
        (False, False, False),
    ):
        line = _draw_segment(row, code, since, sure, narrow=False, words=words, named=named)
        yield line.add(GAP).join(draw_aside(row, complete, short=not words))


def _narrow_lines(
    row: ProfileRow, code: str, since: str | None, sure: Sure | None
) -> Iterator[Line]:
    """The same in a narrow pane."""
    split, plain = [_narrow_parts(row, since, split) for split in (True, False)]
    some = [split, plain, *(plain[:count] for count in range(len(plain) - 1, -1, -1))]
    for shown in some:
        for named in (True, False):
            line = _draw_segment(row, code, since, sure, narrow=True, words=False, named=named)
            for part in shown:
                line.join(part)
            yield line


def _draw_segment(
    row: ProfileRow,
    code: str,
    since: str | None,
    sure: Sure | None,
    narrow: bool,
    words: bool,
    named: bool,
) -> Line:
    """The segment alone; `words` say since when it differs, `named` what its code means."""
    count, total = render_bars.count_of(row.now, code), render_bars.count_facts(row.now)
    gap = "  " if narrow else GAP
    line = Line(gap).add(f" {spell(code)} ", fill_role(code))
    line.add(f" {BY_TERM[code].name}" if named else "", f"{code_role(code)} bold")
    line.add(f"{gap}{format_amount(count, 'fact')}", "ink")
    if code not in render_bars.ASIDE:
        of = "" if narrow else f" of {total:,}"
        line.add(f"{gap}{percent(count / total if total else None)}%{of}", "ink-2")
        line.join(_interval(row, code, sure, gap))
        line.join(_difference(row, code, since, words, gap))
    elif code in render_bars.LEFT_OUT:
        share, summary = render_bars.left_out_share(row.now, code), row.now.summary
        of = "" if narrow else f" of {summary.total - summary.incomplete:,} complete"
        line.add(f"{gap}{percent(share)}%{of}", "ink-2")
    return line


def _narrow_parts(row: ProfileRow, since: str | None, split: bool) -> list[Line]:
    """What is said of the whole row, most wanted first; `split`: also why facts are excluded."""
    summary = row.now.summary
    parts = [Line(f"  {row.moved:,} moved", "ink-2")] if since else []
    if row.provisional:
        parts.append(Line(f"  {row.complete:,} of {summary.total:,} complete", "ink-2"))
    excluded = left_out_words(row.now, short=True)
    excluded = excluded if split else excluded.partition(" (")[0]
    left_out = f"  {excluded}, incomplete {summary.incomplete:,}"
    return [*parts, Line(left_out, "ink-3")]


def draw_aside(row: ProfileRow, complete: bool = True, short: bool = False) -> Line:
    """What is in no share, and how far it is where answers are still to come."""
    summary = row.now.summary
    line = Line()
    if row.provisional and complete:
        line.add(f"{row.complete:,} of {summary.total:,} complete{GAP}", "ink-2")
    said = left_out_words(row.now, short)
    return line.add(f"{said}{',' if short else ';'} incomplete {summary.incomplete:,}", "ink-3")


def describe_left_out(
    row: ProfileRow, unlisted: UnlistedLabels | None, lens: Lens, look: Look
) -> str:
    """`2,150 incomplete under you›A, lexical has labels: g adds it`; nothing where nobody has."""
    if unlisted is None:
        return ""
    count = f"{row.now.summary.incomplete:,} incomplete under {short_list(lens, look)}"
    return f"{count}, {shown_grader(unlisted.grader)} has labels: g adds it"


def draw_one_answer(found: OneAnswerCount, total: int, room: int) -> Line:
    """`4 of these 11 stand on one answer: another label would make them RT or DR`.

    In less room words go before numbers: `4/11 on one answer: RT, DR`.
    """
    verb, them = ("stands", "it") if found.facts == 1 else ("stand", "them")
    count = f"{found.facts:,}"
    if not found.facts:
        return Line("none", "ink").add(f" of these {total:,} stands on one answer", "ink-2")
    lines = [
        Line(count, "ink bold")
        .add(f" of these {total:,} {verb} on one answer: another label would make {them} ", "ink-2")
        .join(_list_codes(found.others, " or ")),
        Line(count, "ink bold")
        .add(f" of {total:,} {verb} on one answer: ", "ink-2")
        .join(_list_codes(found.others, ", ")),
        Line(count, "ink bold")
        .add(f"/{total:,} on one answer: ", "ink-2")
        .join(_list_codes(found.others, ", ")),
    ]
    return next((line for line in lines if line.width <= room), lines[-1])


def _list_codes(codes: Sequence[str], last: str) -> Line:
    """`RT, DR or NA`."""
    line = Line()
    for number, code in enumerate(codes):
        between = last if number == len(codes) - 1 else ", "
        line.add(between if number else "", "ink-2").add(spell(code), f"{code_role(code)} bold")
    return line


def _interval(row: ProfileRow, code: str, sure: Sure | None, gap: str) -> Line:
    found = sure.get(row.name) if sure else None
    if found is None or found.shares is None or code not in render_bars.MEASURED:
        return Line()
    limits = found.shares.get(PROFILE_OF[code])
    if limits is None:
        return Line()
    low, high = map(percent, limits)
    return Line(f"{gap}95% {low} to {high}", "ink-2")


def _difference(row: ProfileRow, code: str, since: str | None, words: bool, gap: str) -> Line:
    total, before = render_bars.count_facts(row.now), render_bars.count_facts(row.start)
    if since is None or not total or not before:
        return Line()
    text = points(
        render_bars.count_of(row.now, code) / total, render_bars.count_of(row.start, code) / before
    )
    role = "ink-2" if code == "IE" else difference_role(text, code in KNOWN)
    return Line(gap).add(f"{text} points since {since}" if words else text, role)
