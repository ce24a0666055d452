"""The eight numbers of two sides as lines: shares, differences in points, and the paired test."""

from collections.abc import Sequence

from core.glossary.glossary import BY_TERM
from core.results.model_comparison import KNOWING, ShareChange
from core.stats.fact_shares import RECORDED
from core.stats.intervals import Interval
from core.views.profiles.profile_comparison import CrossedProfiles
from core.vocabulary import CODES, PROFILES
from tui.screens.profiles.render_numbers import MINUS, NULL, percent, points
from tui.screens.profiles.render_rows import RATES, difference_role
from tui.screens.profiles.render_segment import KNOWN
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import fill_role

TERMS: dict[str, str] = {
    **{profile: CODES[profile] for profile in PROFILES},
    **{number: head for head, number in RATES.items()},
}
"""The glossary's terms of the numbers."""
ORDER = (*(one for one in CODES if one in PROFILES), *KNOWING)
NAME, SHORT_NAME, SHARE, GAP, BETWEEN, ONLY = 31, 7, 7, 8, 17, 8
ROOMY = 98
"""Cells from which on names and words are whole."""


def order_changes(changes: Sequence[ShareChange]) -> list[ShareChange]:
    """Numbers as they stand: profiles from known to unknown, then what is encoded and known."""
    by_name = {change.number: change for change in changes}
    return [by_name[number] for number in ORDER if number in by_name]


def share_name(number: str) -> str:
    """What a number is called in a table."""
    return BY_TERM[TERMS[number]].brief_name


def heading(width: int) -> Line:
    """The names of the columns."""
    line = Line("  of the compared" if width >= ROOMY else "", "ink-3").to(_name(width))
    ends = ("A", SHARE), ("B", SHARE), (f"B{spell(MINUS)}A", GAP), ("interval", BETWEEN)
    for words, cells in ends:
        line.cell(words, cells, "ink-3", right=True)
    for words in ("A only", "B only") if width >= ROOMY else ():
        line.cell(words, ONLY, "ink-3", right=True)
    return line.add("   paired exact test", "ink-3").clip(width)


def line_of(change: ShareChange, crossed: CrossedProfiles, under: bool, width: int) -> Line:
    """One number: both shares, their difference with its interval, what the test says."""
    head = TERMS[change.number]
    line = Line(" ")
    if change.number in CODES:
        line.add(f" {head} ", fill_role(head))
    else:
        line.add(f" {head}", "ink bold" if under else "ink")
    if width >= ROOMY:
        line.to(7).add(share_name(change.number), "ink" if under else "ink-2")
    line.clip(_name(width)).to(_name(width))
    for share in (change.a, change.b):
        line.cell(percent(share), SHARE, "ink", right=True)
    text = points(change.b, change.a)
    line.cell(text, GAP, _role(change.number, text), right=True)
    line.cell(
        spell(NULL) if change.a is None else format_interval(change.interval),
        BETWEEN,
        "ink-2",
        right=True,
    )
    for count in (change.only_a, change.only_b) if width >= ROOMY else ():
        line.number(f"{count:,}", ONLY, "ink-2")
    return line.add("   ").join(describe_test(change, crossed.policies)).clip(width)


def format_interval(limits: Interval | None) -> str:
    """An interval of a difference: `+24.1 to +27.9`."""
    if limits is None:
        return ""
    low, high = (points(limit, 0.0) for limit in limits)
    return f"{low} to {high}"


def describe_test(change: ShareChange, policies: bool) -> Line:
    """What the paired test says, in plain words.

    Of two policies over the same answers it says only how uneven the split is.
    """
    if change.a is None:
        return Line(spell(NULL), "ink-3")
    if not change.only_a and not change.only_b:
        return Line("no fact differs", "ink-3")
    found = change.tested
    if found is None:
        return Line(spell("…"), "ink-3")
    if policies:
        words = "uneven" if found.significant else "may be even"
    else:
        words = "more than chance" if found.significant else "may be chance"
    line = Line(words, "ink" if found.significant else "ink-3")
    return line.add(f", {p_words(found.p_adjusted)}", "ink-3")


def p_words(p: float) -> str:
    """A p-value as it is read: `p .031`, `p <.0001`, `p 1`."""
    if p < 0.0001:
        return "p <.0001"
    shown = f"{p:.2g}" if p >= 0.001 else f"{p:.4f}"
    return f"p {shown.removeprefix('0')}"


def title(crossed: CrossedProfiles, narrow: bool) -> Line:
    """Over which facts the numbers are."""
    found = crossed.found
    compared, total = int(found.compared.sum()), int(found.facts.sum())
    moved = int(found.other.sum())
    line = Line("Numbers").add(f"  {compared:,} of {total:,} facts compared", "ink-2")
    what = "another profile" if found.thinking else "another E or K0"
    line.add(f", {moved:,} with {what}", "ink-2")
    if found.provisional:
        line.add(spell(" …") if narrow else "  provisional: labels are still to come", "ink-3")
    return line


def edge(crossed: CrossedProfiles | None) -> Line:
    """How sure differences are said to be; other numbers of answers, with which shares move."""
    if crossed is not None and crossed.found.differs_in_answers:
        a, b = (side.answers or 0 for side in (crossed.found.a, crossed.found.b))
        return Line(f"A has {a:,} answers a question, B {b:,}: shares move with that", "ink-2")
    level = "" if crossed is None else f"{100 * crossed.found.level:.3g}% "
    how = f"{level}intervals over facts, as {RECORDED['scope']}"
    return Line(f"{how} {spell('·')} adjusted together, as the tests are", "ink-3")


def segment(change: ShareChange, crossed: CrossedProfiles, look: Look, narrow: bool) -> Line:
    """The number under the cursor, and how many facts `enter` opens."""
    gap = "  " if narrow else "   "
    line = Line(look.glyph("cursor"), "accent").add(share_name(change.number), "ink bold")
    differ = change.only_a + change.only_b
    line.add(f"{gap}{differ:,} {'fact differs' if differ == 1 else 'facts differ'}", "ink")
    line.add(f"{gap}{change.only_a:,} with A only", "ink-2")
    return line.add(f"{gap}{change.only_b:,} with B only", "ink-2")


def _name(width: int) -> int:
    return NAME if width >= ROOMY else SHORT_NAME


def _role(number: str, text: str) -> str:
    code = CODES.get(number)
    return "ink-2" if code == "IE" else difference_role(text, code is None or code in KNOWN)
