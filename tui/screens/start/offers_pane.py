"""The pane of the empty state: offers that are chosen with arrow keys and enter."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, cast

from textual import on
from textual.app import ComposeResult

from core.glossary.glossary import BY_TERM
from core.settings import recent_files
from core.settings.recent_files import RecentDatabase
from core.stats.number_format import format_amount
from core.vocabulary import Profile
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.widgets.line_view import LineView
from tui.widgets.offers import OfferRow, Offers, StartOffer, offer_row
from tui.widgets.pane import Pane

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp


# The empty state as rows of lines: three offers, and what a fact can be.

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


AROUND = 5
"""Lines of the screen that the frame and the pane's edges take."""


class StartPane(Pane):
    """What a screen shows where the database has no facts: demo, import, recent databases."""

    DEFAULT_CSS = "StartPane { align: center middle; }"

    def compose(self) -> ComposeResult:
        """The offers."""
        yield Offers()

    def on_mount(self) -> None:
        """Fill in."""
        self.title(Line("Facts"))
        self.edge(Line("0", "ink-3"))
        self.reload()
        self.query_one(Offers).focus()

    def on_resize(self) -> None:
        """More or fewer blank lines."""
        self.reload()

    def on_show(self) -> None:
        """What is recent may be another list by now."""
        self.reload()

    def on_line_view_row_clicked(self, event: LineView.RowClicked) -> None:
        """A second click is as good as enter."""
        if event.again:
            self.query_one(Offers).action_choose()

    def reload(self) -> None:
        """Read what is recent, and show it."""
        here = self.lostkeys.path.absolute()
        recents = [one for one in recent_files.recents() if one.path != here]
        today = datetime.now().astimezone().date()
        self.query_one(Offers).show(list_rows(recents, today, self.app.size.height - AROUND))

    @on(Offers.OfferChosen)
    def begin(self, event: Offers.OfferChosen) -> None:
        """Do what was chosen."""
        event.stop()
        offer = event.offer
        if offer.kind == DEMO:
            self._try_demo()
        elif offer.kind == IMPORT:
            from tui.dialogs.start.start_context import offer_import

            offer_import(self.lostkeys)
        elif offer.path is not None:
            self.lostkeys.open_database(offer.path)

    def _try_demo(self) -> None:
        from core.specs.answer_specs import DemoSpec

        self.lostkeys.jobs.start(DemoSpec())

    @property
    def lostkeys(self) -> "LostkeysApp":
        """What it may ask of the app."""
        return cast("LostkeysApp", self.app)
