"""The empty state as rows of lines: three offers, and what a fact can be."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime

from core.glossary.glossary import BY_TERM
from core.settings.recent_files import RecentDatabase
from core.stats.number_format import format_amount
from core.vocabulary import Profile
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.widgets.offers import OfferRow, StartOffer, offer_row

MOST_RECENT = 5
LEAST_LINES = 17
"""Lines without a recent database and without blank lines that are for looks alone."""

AIRY = 25
"""Lines from which there is room for those."""

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

DEMO, IMPORT, RECENT = "demo", "import", "recent"


BEGINNINGS = (
    StartOffer(DEMO, "try the demo", "SmolLM2-135M-Instruct on this machine, in minutes"),
    StartOffer(IMPORT, "import a file", "facts, answers or labels: CSV, JSONL or Parquet"),
)


def list_rows(recents: Sequence[RecentDatabase], today: date, room: int) -> list[OfferRow]:
    """All of it, in `room` lines where that is possible."""
    blank = [OfferRow(Line())] if room >= AIRY else []
    most = max(1, min(MOST_RECENT, room - LEAST_LINES))
    found = [
        OfferRow(Line("No facts here yet", "ink bold")),
        *blank,
        OfferRow(Line("Bring some, and Lostkeys shows which of them a model never", "ink-2")),
        OfferRow(Line("stored and which it stored but cannot reach.", "ink-2")),
        OfferRow(Line()),
        *(offer_row(offer) for offer in BEGINNINGS),
    ]
    if recents:
        found += [OfferRow(Line()), OfferRow(Line("recent", "ink-3"))]
        found += [offer_row(offer) for offer in offers(recents[:most], today)]
    shell = Line("the same from the shell", "ink-3")
    shell.add("   lostkeys demo    lostkeys import FILE", "ink-2")
    found += [OfferRow(Line()), OfferRow(shell), OfferRow(Line()), *blank]
    return [*found, OfferRow(Line("what a fact can be, for one model", "ink-3")), *_profiles()]


def offers(recents: Sequence[RecentDatabase], today: date) -> list[StartOffer]:
    """Recent databases; those that share a name also say in which folder they are."""
    shared = Counter(one.path.name for one in recents)
    return [
        StartOffer(
            RECENT, one.path.name, _describe_recent(one, today, shared[one.path.name] > 1), one.path
        )
        for one in recents
    ]


def describe_day(then: date, today: date) -> str:
    """A day as people say it."""
    days = (today - then).days
    if days in (0, 1):
        return ("today", "yesterday")[days]
    said = f"{then.day} {MONTHS[then.month - 1]}"
    return said if then.year == today.year else f"{said} {then.year}"


def _describe_recent(one: RecentDatabase, today: date, with_folder: bool) -> str:
    day = datetime.fromtimestamp(one.at).date()  # noqa: DTZ006 - a day of where the person is
    facts, models = format_amount(one.facts, "fact"), format_amount(one.models, "model")
    said = f"{facts}, {models}, {describe_day(day, today)}"
    return f"{said}, {one.path.parent}" if with_folder else said


def _profiles() -> list[OfferRow]:
    codes = ("DR", "RT", "IE", "RF", "EF")
    assert len(codes) == len(Profile)
    found = []
    for code in codes:
        name, plain = BY_TERM[code].name, spell(BY_TERM[code].short)
        variable = code.lower()
        line = Line().add(f" {code} ", f"on-{variable} @fill-{variable} bold")
        line.to(6).add(name, "ink-2").to(36).add(plain.partition(":")[0], "ink-3")
        found.append(OfferRow(line))
    return found
