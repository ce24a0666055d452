"""The lens: one snapshot for all screens, and what the keys do that change it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from core.errors import LostkeysError, UsageError
from core.scoring.precedence import CHOICE, HUMAN_PREFIX, PEOPLE
from core.stats.number_format import format_amount
from core.vocabulary import Strategy
from tui.frame.top_bar import change_line
from tui.text.grader_list import shown_grader
from tui.text.line import Line
from tui.widgets.headed_list import go_to_first_row

if TYPE_CHECKING:
    from textual.timer import Timer

    from core.views.grader_labels import GraderLabels, GraderOverview
    from core.views.lens import Lens
    from core.views.saved_session import OpenedDatabase
    from core.views.session_file import SessionSummary
    from core.views.snapshot import Snapshot
    from tui.app.app import LostkeysApp
    from tui.app.screen_controller import ScreenController

TICK = 0.25
"""Seconds between two looks at whether anything has been written."""

FOLLOWING = 0.15
"""Seconds without another key after which the snapshot follows a screen that is ahead of it."""

OF_ANSWERS = ("task", "confusion", "review")
"""Screens that show responses one by one, those of models in one mode too."""

NO_MODEL = "no model has been asked yet: `r` asks one"
NO_GRADER = "no answer has been graded yet: `r` has them graded"


def graders_line(left_out: "Sequence[GraderLabels]", lens: "Lens") -> Line:
    """`lexical has labelled 472 answers; the lens shows choice   g adds it`."""
    line = Line()
    for one in left_out:
        line.add(", " if line.width else "").add(shown_grader(one.name), "ink bold")
        line.add(f" has labelled {format_amount(one.labels, 'answer')}", "ink-2")
    what = "it" if len(left_out) == 1 else "them"
    if not lens.chosen:
        line.add(f" and {'joins' if what == 'it' else 'join'} the list, last   ", "ink-2")
        return line.add("g", "accent bold").add(f" shows {what}", "ink-2")
    programs = [name for name in lens.ranked if name != PEOPLE] or list(lens.ranked)
    line.add("; the lens shows ", "ink-2").add(", ".join(map(shown_grader, programs)), "ink")
    return line.add("   ").add("g", "accent bold").add(f" adds {what}", "ink-2")


class LensController:
    """The lens that was chosen last, and the snapshot under it, which may still be on the way."""

    def __init__(self, app: "LostkeysApp", screens: "ScreenController") -> None:
        self._app, self._screens = app, screens
        self.snapshot: Snapshot | None = None
        """Every number of one lens; None until it has been read."""
        self.load_error: LostkeysError | None = None
        """Why the database cannot be read at the moment."""
        self.facts: int | None = None
        """Facts that are not rejected, for the status line."""
        self.own = 0
        """Labels of the person's own."""
        self._wanted: Lens | None = None
        self._first: Lens | None = None
        self._following: Timer | None = None
        self._ticking = False
        self._counts_rest = False

    @property
    def lens(self) -> "Lens | None":
        """The lens that was chosen last, though its snapshot may still be on the way."""
        return self._wanted or (self.snapshot.lens if self.snapshot else None)

    @property
    def completes(self) -> bool:
        """Whether what is shown is of the lens's model alone, as the others are being counted."""
        shown = self.snapshot
        return shown is not None and not shown.whole and self.load_error is None

    def set_lens(self, lens: "Lens") -> None:
        """Show everything through another lens."""
        if self.snapshot is None or lens == self.lens:
            return
        self._wanted = lens
        self._stop_following()
        if self._screens.preview_lens(lens):
            self._following = self._app.set_timer(FOLLOWING, self.flush_lens)
            self._app.refresh_frame()
        else:
            self._look(lens)

    def flush_lens(self) -> None:
        """Have the snapshot read that was put off, as the screen in sight did not need it."""
        if self._stop_following() and self._wanted is not None:
            self._look(self._wanted)

    def _look(self, lens: "Lens") -> None:
        self._app.ask(
            "snapshot",
            lambda session: session.look(lens),
            self._take_snapshot,
            self._take_look_error,
        )

    def _stop_following(self) -> bool:
        timer, self._following = self._following, None
        if timer is not None:
            timer.stop()
        return timer is not None

    @property
    def start_lens(self) -> "Lens | None":
        """The lens as the database was opened with, for what it could not know the present one."""
        first, now = self._first, self.lens
        if first is None or now is None:
            return now
        if first.a is None:  # nobody had labelled anything yet
            first = first.with_graders(now.ranked, now.compared, first.chosen)
        return replace(first, model=now.model)

    def snapshot_changed(self, snapshot: "Snapshot | None", own: bool = True) -> None:
        """Take in a snapshot; None is no change. `own`: what is new in it was written here."""
        if self.load_error is not None:
            self.forget_error()
            self._app.refresh_frame()
        if snapshot is None or snapshot is self.snapshot:
            return
        before, self.snapshot = self.snapshot, snapshot
        self._first = self._first or snapshot.lens
        self._screens.show_snapshot(snapshot)
        self._app.ask("summary", lambda session: session.summary(), self._take_summary)
        if snapshot.whole:
            counted = before if before is not None and before.whole else None
            self._app.snapshot_came(counted, snapshot, own)
        else:
            self._counts_rest = False
            self._app.startup.run_painted(self._count_rest)

    def _count_rest(self) -> None:
        """Have the other models counted too, once the list has been painted."""
        if self.snapshot is not None and self.completes and not self._counts_rest:
            self._counts_rest = True
            self._look(self.snapshot.lens)

    def step_lens(self, lens: "Lens") -> None:
        """Show everything through another lens, and say what has changed and how it goes back."""
        before = self.lens
        self.set_lens(lens)
        if before is not None:
            self._app.undos.say_lens_step(change_line(before, lens, self._app.look), before)

    def open(self) -> None:
        """Read the first snapshot of a database."""
        self._stop_following()
        self.snapshot = self._wanted = self._first = self.facts = None
        self.own, self._ticking = 0, False
        self._app.ask("snapshot", self._app.session.work, self._take_opened, self._in_trouble)

    def _take_opened(self, found: "OpenedDatabase") -> None:
        self._first = found.start
        counted, status = found.snapshot.counted, self._app.status
        status.lake_changed = False
        if counted is not None:
            from core.scoring.lake_labels import has_changed

            lake = counted.lake
            self._app.ask_background("lake", lambda _: has_changed(lake), self._take_lake)
        self._app.session.take_opened(found, partial(self._take_snapshot, found.snapshot))

    def _take_lake(self, changed: bool) -> None:
        self._app.status.lake_changed = changed
        self._app.refresh_frame()

    def forget_error(self) -> None:
        """Nothing is the matter any more; what was said last was trouble too."""
        self.load_error = None
        self._app.clear_said()

    def poll(self) -> None:
        """Look whether anything has been written, by anybody; keys that wait go before."""
        waits = self._app.key_queue.next_key is not None
        self._count_rest()  # if nothing has been painted since
        if self.snapshot is not None and not (self._ticking or waits) and self.load_error is None:
            self._ticking = True
            self._app.ask(
                "tick",
                lambda session: session.refresh(),
                self._take_refreshed,
                self._take_refresh_error,
            )

    def _take_refreshed(self, snapshot: "Snapshot | None") -> None:
        self._ticking = False
        before = self.snapshot
        self.snapshot_changed(snapshot, own=False)
        if before is not None and snapshot is not None and self._wanted is None:
            self._tell_gone(before.lens, snapshot.lens)

    def _tell_gone(self, before: "Lens", now: "Lens") -> None:
        """Say what of the lens is no more there, as another program took it away."""
        if before.model is not None and before.model != now.model:
            then = f": {now.model} is looked at" if now.model is not None else ""
            self._app.say(f"no answers of {before.model} are left{then}")
            return
        gone = [name for name in before.ranked if name not in now.ranked]
        if gone:
            names = ", ".join(map(shown_grader, gone))
            self._app.say(
                f"no labels by {names} are left: they are no longer in the list of graders"
            )

    def _take_refresh_error(self, error: LostkeysError) -> None:
        self._ticking = False
        self._in_trouble(error)

    def _take_snapshot(self, snapshot: "Snapshot") -> None:
        if self._following is None:  # else another lens is looked through already
            self._wanted = None
        self.snapshot_changed(snapshot, own=False)

    def _take_look_error(self, error: LostkeysError) -> None:
        self._wanted = None
        if isinstance(error, UsageError) and not self.completes:  # it can be read, though not so
            self._app.report(error)
            self._app.refresh_frame()
        else:
            self._in_trouble(error)

    def _take_summary(self, summary: "SessionSummary") -> None:
        before = self.facts, self.own
        self.facts, self.own = summary.facts, summary.own
        if before != (self.facts, self.own):
            self._screens.refresh_status()

    def _in_trouble(self, error: LostkeysError) -> None:
        self.load_error = error
        self._app.refresh_frame()
        self._app.snapshot_failed(error)

    # What keys do

    def choose_model(self) -> None:
        """Choose the model that all numbers are about."""
        from tui.dialogs.choice_dialog import Choose, Option
        from tui.dialogs.removal_dialog import remover

        snapshot = self.snapshot
        if snapshot is None:
            return
        found = snapshot.answerers if self._app.tab in OF_ANSWERS else snapshot.models
        if len(found) < 2:
            self._app.say(f"{found[0]} is the only model here" if found else NO_MODEL)
            return
        options = [Option(name, name) for name in found]
        remove = remover(self._app, "model")
        dialog = Choose("model", options, snapshot.lens.model, remove)
        self._app.push_screen(dialog, self.look_at)

    def look_at(self, model: str | None) -> None:
        """Show all numbers for a model; None is the present one."""
        if model is not None and self.lens is not None:
            self.set_lens(replace(self.lens, model=model))

    def choose_graders(self) -> None:
        """Choose whose labels count, in which order, and which graders are compared."""
        from tui.dialogs.graders_dialog import GradersDialog

        snapshot, lens = self.snapshot, self.lens
        if snapshot is None or lens is None:
            return
        if snapshot.graders or snapshot.tally.labels.any():
            you = f"{HUMAN_PREFIX}{self._app.person}"
            dialog = GradersDialog(lens, snapshot.graders, self.facts or 0, you)
            self._app.push_screen(dialog, self._chose_graders)
        elif (said := self._app.status.said) is not None and said.text == NO_GRADER:
            go_to_first_row(self._app.screen.focused)  # gg
        else:
            self._app.say(NO_GRADER)

    def tell_graders(self, names: tuple[str, ...]) -> None:
        """Say of graders whose job is over that their labels do not count, or let them count.

        They join the list, last, if nobody has set it.
        """
        from core.views import grader_labels

        if names and self.snapshot is not None:
            self._app.ask(
                "job graders",
                lambda session: (session.refresh(), grader_labels.read_graders(session)),
                lambda found: self._take_graders(names, *found),
                self._in_trouble,
            )

    def _take_graders(
        self, names: tuple[str, ...], snapshot: "Snapshot | None", found: "GraderOverview"
    ) -> None:
        self.snapshot_changed(snapshot, own=False)
        lens = self.lens
        if lens is None:
            return
        listed = {name.partition("#")[0] for name in lens.ranked}
        left_out = [
            one
            for one in found.graders
            if one.name in names and one.name not in listed and one.name != CHOICE and one.labels
        ]
        if not left_out:
            return
        if not lens.chosen:
            graders = [*lens.ranked, *(one.name for one in left_out)]
            self.set_lens(lens.with_graders(graders, lens.compared, chosen=False))
        self._app.say(graders_line(left_out, lens))

    def _chose_graders(self, lens: "Lens | None") -> None:
        if lens is not None:
            self.set_lens(lens)

    def step_thinking(self) -> None:
        """Thinking off, on, both."""
        if self.lens is not None:
            self._step(self.lens.next_thinking(), "")

    def step_tau(self, step: int) -> None:
        """The next threshold up or down."""
        if self.lens is not None:
            end = "highest" if step > 0 else "lowest"
            self._step(self.lens.step_tau(step), f"this is the {end} threshold")

    def step_strategy(self, step: int) -> None:
        """The next way with questions that cannot be graded."""
        if self.lens is not None:
            self._step(self.lens.step_strategy(step), "")

    def step_weight(self, step: int) -> None:
        """The weight of PARTIALLY a step up or down."""
        lens = self.lens
        if lens is None:
            return
        if lens.policy.strategy is not Strategy.PARTIAL:
            self._app.say("the weight counts for partial only: `,` and `.` go there")
            return
        end = "highest" if step > 0 else "lowest"
        self._step(lens.step_weight(step), f"this is the {end} weight")

    def restore_start(self) -> None:
        """The policy and whose labels count, as they were when the database was opened."""
        now, start = self.lens, self.start_lens
        if now is not None and start is not None:
            compared = start.compared if start.b is not None else now.compared
            lens = replace(now, policy=start.policy)
            lens = lens.with_graders(start.ranked, compared, start.chosen)
            self._step(lens, "threshold, strategy and graders are as at the start")

    def _step(self, lens: "Lens", same: str) -> None:
        """Look through another lens, or say why it is the same; without a model it is nothing."""
        if self.snapshot is not None and not self.snapshot.answerers:
            self._app.say(NO_MODEL)
        elif lens == self.lens:
            self._app.say(same)
        else:
            self.step_lens(lens)

    def reopen(self) -> None:
        """After trouble, try to read the database again."""
        if self.load_error is not None:
            self._app.ask(
                "snapshot", lambda session: session.reopen(), self._take_snapshot, self._in_trouble
            )
