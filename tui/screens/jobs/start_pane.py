"""What the Jobs screen shows while nothing has run: what a job is, and what can be started."""

from typing import TYPE_CHECKING, cast

from textual import on
from textual.app import ComposeResult

from tui.text.line import Line
from tui.widgets.line_view import LineView
from tui.widgets.offers import OfferRow, Offers, StartOffer, offer_row
from tui.widgets.pane import Pane

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp

DEMO = "demo"

AIRY = 25
"""Lines of the pane from which there is room for blank ones."""

STARTED = (
    StartOffer("run", "run", "a model answers, its answers are graded: profiles"),
    StartOffer("sample", "sample", "a model answers, nothing is graded yet"),
    StartOffer("grade", "grade", "answers that are here get labels of another grader"),
    StartOffer("zp-lke", "zp-lke", "a model weighs the objects of relations, unasked"),
    StartOffer("fact-bench", "fact-bench", "a model answers with and without examples"),
    StartOffer("build", "build", "facts are made from documents"),
    StartOffer("import", "import", "facts, documents, answers or labels from a file"),
    StartOffer("export", "export", "facts, answers, labels or profiles to a file"),
)
WITHOUT_FACTS = (
    StartOffer(DEMO, "try the demo", "SmolLM2-135M-Instruct on this machine, in minutes"),
    *(one for one in STARTED if one.kind in ("import", "build")),
)

WHAT_IT_IS = (
    "A job asks a model, grades answers, or brings facts in and out. Its",
    "progress, cost and errors stand here; what it has done is never lost.",
)

KEYS = (
    ("space", "pauses it, and goes on"),
    ("X", "cancels it; what is done is kept"),
    ("R", "asks again what has failed"),
    ("D", "sets its answers aside, for another try"),
)


def list_rows(has_facts: bool, room: int) -> list[OfferRow]:
    """All of it, in `room` lines where that is possible."""
    blank = [OfferRow(Line())] if room >= AIRY else []
    found = [
        OfferRow(Line("Nothing has run here yet", "ink bold")),
        *blank,
        *(OfferRow(Line(text, "ink-2")) for text in WHAT_IT_IS),
        OfferRow(Line()),
        *(offer_row(one) for one in (STARTED if has_facts else WITHOUT_FACTS)),
        OfferRow(Line()),
        OfferRow(_shell(has_facts)),
    ]
    if room - len(found) > len(KEYS) + 1:
        found += [*blank, OfferRow(Line()), OfferRow(Line("while a job runs", "ink-3"))]
        found += [OfferRow(_key(*one)) for one in KEYS]
    if room >= AIRY:
        words = Line("What another program does on this file is shown here as well.", "ink-3")
        found += [OfferRow(Line()), OfferRow(words)]
    return found


def _shell(has_facts: bool) -> Line:
    line = Line("the same from the shell", "ink-3")
    words = ("run", "grade", "import") if has_facts else ("demo", "import")
    for one in words:
        line.add(f"   lostkeys {one}", "ink-2")
    return line


def _key(key: str, words: str) -> Line:
    return Line().to(2).cell(key, 19, "accent bold").add(words, "ink-2")


class JobsStartPane(Pane):
    """What can be started, over all of the screen; another job takes its place."""

    DEFAULT_CSS = "JobsStartPane { align: center middle; }"

    def compose(self) -> ComposeResult:
        """The offers."""
        yield Offers()

    def on_mount(self) -> None:
        """A title that stays."""
        self.title(Line("Jobs"))

    def put(self, has_facts: bool) -> None:
        """Offer what can be done with these facts."""
        self.query_one(Offers).show(list_rows(has_facts, self.app.size.height - 5))

    @on(LineView.CursorMoved)
    def hold_move(self, event: LineView.CursorMoved) -> None:
        """Another offer is no other job."""
        event.stop()

    @on(LineView.RowClicked)
    def choose_clicked(self, event: LineView.RowClicked) -> None:
        """A second click is as good as enter."""
        event.stop()
        if event.again:
            self.query_one(Offers).action_choose()

    @on(Offers.OfferChosen)
    def begin(self, event: Offers.OfferChosen) -> None:
        """Start the demo, or open the form of what was chosen."""
        from core.specs.answer_specs import DemoSpec
        from tui.dialogs.start.start_context import open_start_dialog

        event.stop()
        app = cast("LostkeysApp", self.app)
        if event.offer.kind == DEMO:
            app.jobs.start(DemoSpec())
        else:
            open_start_dialog(app, do=event.offer.kind)
