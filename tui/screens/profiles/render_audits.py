"""Audits beside the bars: the audited bar, the chosen share on one axis, words on the segment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.certainty.audit_estimates import AuditedNumber
from core.certainty.audit_report import AuditReport
from core.certainty.state_numbers import find_number
from core.stats.number_format import format_amount
from core.views.lens import Lens
from core.views.profiles.profile_rows import ProfileRow, RowKind
from core.vocabulary import CODE_ORDER
from tui.screens.profiles import render_bars, subset_dialog
from tui.screens.profiles.render_bars import PROFILE_OF
from tui.screens.profiles.render_numbers import cells, percent
from tui.screens.profiles.state import ProfilesState
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import PROFILE_CODES, code_role, fill_role
from tui.widgets.interval_axis import (
    axis_line,
    end_of,
    half_width,
    legend,
    limits,
    number_axis,
    tick_line,
)

SHARE, WIDTH = 7, 6
"""Cells of a share and of half the width of its interval."""

SIDE = 0.42
"""How much of what is left of a name the axis has, with its numbers."""

LEAST_SIDE = SHARE + WIDTH + 8


@dataclass(frozen=True, slots=True)
class ShownAudits:
    """The audits that are of what is seen: the newest of each model.

    `code` is the segment that stands on the axis, which ends at `end`.
    """

    reports: Mapping[str, AuditReport]
    code: str
    end: float

    def number(self, model: str) -> AuditedNumber | None:
        """The chosen share of a model; None where it was not audited, or has no such share."""
        report, name = self.reports.get(model), PROFILE_OF.get(self.code)
        return None if report is None or name is None else report.numbers.get((model, name))


def show_audits(
    now: ProfilesState, rows: Sequence[ProfileRow], by: RowKind, lens: Lens, code: str | None
) -> ShownAudits | None:
    """Audits of the rows, with a segment of them on the axis.

    None where no row is audited, the bars are of other facts, or intervals of all are asked for.
    """
    reports = now.audits_of(lens)
    if by is not RowKind.MODELS or now.intervals or subset_dialog.is_set(now.wanted):
        return None
    if not any(row.name in reports for row in rows):
        return None
    chosen = code if code in PROFILE_CODES else "RF"
    found = ShownAudits(reports, chosen, 1.0)
    numbers = [one for row in rows if (one := found.number(row.name)) is not None]
    most = max((graded_share(row, chosen) or 0.0 for row in rows), default=0.0)
    ends = end_of([*numbers, AuditedNumber(most, None, None, (0.0, 1.0), None)])
    return ShownAudits(reports, chosen, ends)


def graded_share(row: ProfileRow, code: str) -> float | None:
    """A share as the bar has it."""
    total = render_bars.count_facts(row.now)
    return render_bars.count_of(row.now, code) / total if total else None


def side_cells(width: int, name: int) -> int:
    """Cells of the axis and its numbers beside bars of a width."""
    return max(LEAST_SIDE, int((width - name) * SIDE))


def graded_side(row: ProfileRow, shown: ShownAudits, room: int, narrow: bool, look: Look) -> Line:
    """The chosen share as graded, on its axis; an audit has it without people's labels."""
    one = shown.number(row.name)
    share = graded_share(row, shown.code) if one is None else one.graded
    words = "as graded" if row.name not in shown.reports else "graded"
    if narrow:
        line = Line().cell(percent(share), SHARE - 1, "ink-2", right=True)
        return line.add(f"  {words}", "ink-3")
    line = axis_line(shown.end, room - SHARE - WIDTH, look, share)
    line.cell(percent(share), SHARE, "ink-2", right=True)
    return line.cell("" if one is not None else spell("–"), WIDTH, "ink-3", right=True)


def audited_side(row: ProfileRow, shown: ShownAudits, room: int, narrow: bool, look: Look) -> Line:
    """The chosen share as the person labels, with both intervals."""
    one = shown.number(row.name)
    if one is None:
        return Line()
    if narrow:
        line = Line().cell(percent(one.audited), SHARE - 1, "ink bold", right=True)
        line.add(f" {spell('±')} {half_width(one.interval)} ", "ink")
        return line.join(number_axis(one, shown.end, max(0, room - line.width), look))
    line = number_axis(one, shown.end, room - SHARE - WIDTH, look)
    line.cell(percent(one.audited), SHARE, "ink bold", right=True)
    return line.cell(half_width(one.interval), WIDTH, "ink bold", right=True)


def half_bar(model: str, shown: ShownAudits, width: int, look: Look) -> Line:
    """The audited shares of a model as a bar of half the height; blank where there is none."""
    report, line = shown.reports.get(model), Line()
    if report is None or (model, PROFILE_OF["RF"]) not in report.numbers:
        return line.to(width)
    shares = [report.numbers[model, PROFILE_OF[code]].audited or 0.0 for code in PROFILE_CODES]
    counts = [round(10_000 * share) for share in shares]
    left_out = report.numbers[model, "excluded_share"].audited or 0.0
    for code, room in zip(PROFILE_CODES, cells(counts, round(width * (1 - left_out))), strict=True):
        role = f"on-{code.lower()}" if look.ansi else f"fill-{code.lower()}"
        begins = " " if look.ansi and line.width and room > 1 else ""  # all may look the same
        line.add(begins + look.glyph("half") * (room - len(begins)), role)
    return line.to(width)


def head(shown: ShownAudits, room: int, narrow: bool) -> Line:
    """The numbers above the axis, the code, and the sign of half a width."""
    if narrow:
        return Line()
    line = tick_line(shown.end, room - SHARE - WIDTH)
    line.cell(shown.code, SHARE, f"{code_role(shown.code)} bold", right=True)
    return line.cell(spell("±"), WIDTH, "ink-3", right=True)


def title(shown: ShownAudits) -> Line:
    """`audit june`, or several."""
    names = list(dict.fromkeys(report.name for report in shown.reports.values()))
    word = "audit " if len(names) == 1 else "audits "
    return Line(f"   {word}", "ink-3").add(", ".join(names), "ink-2")


def edge(shown: ShownAudits, look: Look) -> Line:
    """What the marks of the axis mean."""
    plans = [report.evidence.frame.plan for report in shown.reports.values()]
    people = {plan.person.partition(":")[2] for plan in plans}
    who = f"as {people.pop()[:20]} labels" if len(people) == 1 else "as people label"
    return legend(look, who)


def segment(row: ProfileRow, shown: ShownAudits, narrow: bool) -> Line | None:
    """`gemma3-27b  RF  recall failure  graded 33.0  audited 28.4  25.6 to 31.4  142 of 2,074`."""
    one, report = shown.number(row.name), shown.reports.get(row.name)
    if one is None or report is None:
        return None
    gap = "  " if narrow else "   "
    line = Line(row.name, "ink bold").clip(24).add(gap)
    line.add(f" {shown.code} ", f"{fill_role(shown.code)} bold")
    if not narrow:
        line.add(f"  {PROFILE_OF[shown.code].replace('_', ' ')}", f"{code_role(shown.code)} bold")
    line.add(f"{gap}graded ", "ink-3").add(percent(one.graded), "ink")
    line.add(f"{gap}audited ", "ink-3").add(percent(one.audited), "ink bold")
    line.add(f"{gap}{limits(one.interval)}", "ink-2")
    facts = f"{report.audited:,} of {format_amount(len(report.evidence.frame), 'fact')}"
    return line if narrow else line.add(f"{gap}{facts}", "ink-3")


def doubt_lines(row: ProfileRow, shown: ShownAudits, narrow: bool) -> list[Line]:
    """How far graders are off, which facts say so, and the ranks that are sure.

    As many lines for every row, blank where it was not audited, so that no pane moves.
    """
    one, report = shown.number(row.name), shown.reports.get(row.name)
    several = any(found.ranks for found in shown.reports.values())
    if one is None or report is None or one.audited is None or one.graded is None:
        return [Line()] * (1 + (several and not narrow))
    name = PROFILE_OF[shown.code].replace("_", " ")
    # of the shares as they are shown, so that the three numbers agree
    off = round(round(100 * one.graded, 1) - round(100 * one.audited, 1), 1)
    if off:
        line = Line("graders call ", "ink-2").add(percent(abs(off) / 100).strip(), "ink bold")
        line.add(f" points too {'many' if off > 0 else 'few'} facts {name}", "ink-2")
    else:
        line = Line(f"graders call as many facts {name} as the person does", "ink-2")
    ranks = _ranks(report, row.name, PROFILE_OF[shown.code])
    if narrow:
        return [line.add("; ", "ink-3").join(ranks) if ranks.width else line]
    line.join(_draw_changed(report, row.name, shown.code))
    return [line, ranks] if several else [line]


def _draw_changed(report: AuditReport, model: str, code: str) -> Line:
    """`: 11 of 142 facts are EF or RT as labelled`."""
    evidence = report.evidence
    at = evidence.frame.plan.models.index(model)
    graded = evidence.frame.graded[at, : report.audited]
    own = evidence.states[at, : report.audited]
    place = CODE_ORDER.index(code)
    others = own[(graded == place) & (own != place)]
    if not others.size:
        return Line()
    names = sorted({CODE_ORDER[state] for state in others.tolist()}, key=CODE_ORDER.index)
    line = Line(f": {others.size:,} of {format_amount(report.audited, 'fact')} are ", "ink-2")
    for number, name in enumerate(names):
        line.add(" or " if number else "", "ink-2").add(spell(name), f"{code_role(name)} bold")
    return line.add(" as labelled", "ink-2")


def _ranks(report: AuditReport, model: str, name: str) -> Line:
    """`ranks 4 to 6 of 13`, where several models were audited together."""
    ranks = report.ranks.get(name)
    if not ranks or model not in ranks or find_number(name, True) is None:
        return Line()
    low, high = ranks[model]
    if (low, high) == (1, len(ranks)):
        return Line(f"no rank of {len(ranks)} is sure", "ink-3")
    line = Line("ranks ", "ink-3").add(f"{low} to {high}" if low != high else f"{low}", "ink")
    return line.add(f" of {len(ranks)} for sure", "ink-3")
