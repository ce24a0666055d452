"""The Profiles screen: every model's profiles at once, live under every lens key."""

from typing import ClassVar

from textual import events, on
from textual.binding import BindingType

from core.errors import LostkeysError, UsageError
from core.scoring.policy import Policy
from core.views.fact_query import Choices, FactQuery, Filters, Only
from core.views.lens import STRATEGIES, Lens
from core.views.profiles.profile_rows import RowGrouping, RowOrder, moved_in
from core.views.profiles.profile_table import subset_words, table
from core.views.reasons import shown_tau
from core.views.snapshot import Snapshot
from tui import keys
from tui.screens.profiles import messages, render_bars, render_lens, subset_dialog
from tui.screens.profiles.bars_view import Bars
from tui.screens.profiles.comparing import ComparingScreen
from tui.screens.profiles.widgets import ClickableLine
from tui.text.line import Line
from tui.widgets.line_view import LineView

ORDERS, ROWS = tuple(RowOrder), tuple(RowGrouping)


class ProfilesScreen(ComparingScreen):
    """Move thresholds and strategies and see all bars move; open the facts behind a segment."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("profiles")
    tab = "profiles"

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do something now."""
        if action == "unfilter":
            return subset_dialog.is_set(self.reading.wanted)
        if self.is_comparing and action in ("rows", "sort", "moved", "intervals"):
            return False
        if action == "compare":
            return self.reading.material is not None and bool(self.reading.material.models)
        if action == "back":
            return self.is_comparing or self.reading.by is not RowGrouping.MODELS
        if self.is_comparing:
            return action != "side" or self.focused is self.flow
        if action in ("open", "moved", "side", "copy", "intervals"):
            return self.reading.shown is not None and bool(self.main.rows)
        return True

    def action_side(self, step: int) -> None:
        """The segment beside the chosen one, or the cell."""
        if self.is_comparing:
            self.flow.move(0, step)
            return
        view = self.leading
        if view.row is not None:
            code = render_bars.stepped(view.row.now, view.chosen, step)
            self.main.choose(code)
            self.groups.choose(code)
            self.paint_segment()

    def action_open(self) -> None:
        """The facts of the chosen segment or cell, in Facts."""
        if self.is_comparing:
            self.open_crossed()
            return
        view, found = self.leading, self.reading.material
        if view.row is not None and view.chosen is not None and found is not None:
            self._open(subset_dialog.filters_of(found, view.row, self.by_of(view), view.chosen))

    def action_moved(self) -> None:
        """The facts of the row that moved since the start, in Facts."""
        view, found, shown = self.leading, self.reading.material, self.reading.shown
        lens, start = self.lostkeys.lens, self.lostkeys.first_lens
        if view.row is None or found is None or shown is None or lens is None or start is None:
            return
        since = render_lens.since(lens, start, self.lostkeys.look)
        facts = moved_in(found, shown.both, view.row, self.by_of(view))
        if since is None:
            self.lostkeys.say("these are the start values: nothing has moved")
        elif not facts.any():
            self.lostkeys.say(Line(f"no fact has moved since {since}", "ink"))
        else:
            self._open(Filters(only=Only("moved", found.ids(facts))))

    def _open(self, filters: Filters) -> None:
        self.lostkeys.look_now()
        self.lostkeys.open_facts(filters)

    def action_rows(self) -> None:
        """Models, or the lens's model by topics, types, tiers."""
        order = ROWS[1:] if self.high else ROWS
        now = self.below if self.high else self.reading.by
        self._show_by(order[(order.index(now or RowGrouping.TOPICS) + 1) % len(order)])

    def action_back(self) -> None:
        """The bars again, or models again."""
        if self.is_comparing:
            self.leave()
        else:
            self._show_by(RowGrouping.MODELS)

    def _show_by(self, by: RowGrouping) -> None:
        self.reading.by = by
        self.reading.cross(None)
        self.paint()

    def action_sort(self) -> None:
        """The next order."""
        now = self.reading
        now.order = ORDERS[(ORDERS.index(now.order) + 1) % len(ORDERS)]
        now.standing.clear()
        self.paint()

    def action_nudge(self, step: int) -> None:
        """The threshold a hundredth up or down."""
        lens = self.lostkeys.lens
        if lens is not None:
            end = "highest" if step > 0 else "lowest"
            self._look(lens.nudged_tau(step), f"this is the {end} threshold")

    def action_typed(self) -> None:
        """Type a threshold."""
        from tui.dialogs.line_dialog import AskLine

        lens = self.lostkeys.lens
        if lens is not None:
            question = "A question passes if its grade is above, from 0 to below 1:"
            now = shown_tau(lens.policy.tau)
            asked = AskLine("threshold", question, now, wrong_tau)
            self.app.push_screen(asked, self._typed)

    def _typed(self, text: str | None) -> None:
        lens = self.lostkeys.lens
        if text is not None and lens is not None:
            self._look(lens.with_policy(tau=float(text)), "that is the threshold already")

    def _look(self, lens: Lens, same: str) -> None:
        if lens == self.lostkeys.lens:
            self.lostkeys.say(same)
        else:
            self.lostkeys.look_through(lens)
            self.lostkeys.say_lens(lens)

    def action_intervals(self) -> None:
        """Intervals instead of differences, or differences again."""
        now = self.reading
        now.intervals, now.sure, now.sure_of = not now.intervals, {}, None
        self.paint()

    def action_copy(self) -> None:
        """Copy the rows as text."""
        if self.is_comparing:
            self.copy_crossed()
            return
        view, now, found = self.leading, self.reading, self.reading.material
        lens, start = self.lostkeys.lens, self.lostkeys.first_lens
        if found is None or lens is None or start is None or not view.rows:
            return
        facts = subset_words(now.wanted, int(found.facts.sum()), found.total)
        by, name = self.by_of(view), now.name_of(lens)
        text = table(view.rows, by, lens.model or "", lens, start, facts, name)
        self.app.copy_to_clipboard(text)
        self.lostkeys.say(f"copied {len(view.rows)} rows as text, with tabs between")

    # Which facts

    def action_filter(self) -> None:
        """Choose which facts the bars are of."""
        self.lostkeys.ask("choices", lambda session: session.choices(), self._offer)

    def _offer(self, choices: Choices) -> None:
        form = subset_dialog.SubsetForm(self.reading.wanted.filters, choices)
        self.app.push_screen(form, self._filtered)

    def _filtered(self, filters: Filters | None) -> None:
        if filters is not None:
            self._want(FactQuery(self.reading.wanted.search, filters))

    def action_search(self) -> None:
        """Only facts in which something is found."""
        from tui.dialogs.line_dialog import AskLine

        question = "Only facts in which this is found, also in questions and answers:"
        self.app.push_screen(
            AskLine("search", question, self.reading.wanted.search), self._searched
        )

    def _searched(self, text: str | None) -> None:
        if text is not None:
            self._want(FactQuery(text.strip(), self.reading.wanted.filters))

    def action_unfilter(self) -> None:
        """All facts again."""
        self._want(FactQuery())

    def _want(self, wanted: FactQuery) -> None:
        if wanted != self.reading.wanted:
            self.reading.wanted = wanted
            self.read()

    # Saving

    def action_save(self) -> None:
        """Name the policy, and save it."""
        from tui.dialogs.line_dialog import AskLine

        lens = self.lostkeys.lens
        if lens is None or not lens.ranked or self.reading.material is None:
            self.lostkeys.say("there is no policy to save yet: no label counts")
            return
        name = self.reading.name_of(lens) or ""
        question = "Exports and figures made under this policy carry its name. Name:"
        self.app.push_screen(AskLine("save policy", question, name, wrong_name), self._save)

    def _save(self, name: str | None) -> None:
        lens = self.lostkeys.lens
        if name is None or lens is None:
            return
        from core.results import saved_policies

        policy = Policy(lens.policy.tau, lens.policy.strategy, lens.policy.weight, lens.ranked)

        self.lostkeys.write(
            lambda session: session.write(lambda one: saved_policies.save(one, name, policy)),
            self._saved,
        )

    def _saved(self, done: tuple[str, Snapshot]) -> None:
        name, board = done
        self.lostkeys.board_changed(board)
        self.lostkeys.say(messages.saved(name))
        self.read()

    # Events

    @on(LineView.Moved)
    def moved(self, event: LineView.Moved) -> None:
        """The cursor is on another row: the lens follows it from model to model."""
        event.stop()
        lens, view = self.lostkeys.lens, event.view
        row = self.main.row if view is self.main and self.upper is RowGrouping.MODELS else None
        if row is not None and lens is not None and lens.model != row.name:
            self.lostkeys.look_at(row.name)
            return
        self.paint_segment()

    @on(LineView.Clicked)
    def clicked(self, event: LineView.Clicked) -> None:
        """A second click on a segment is as good as enter."""
        event.stop()
        if event.again:
            self.call_after_refresh(self.action_open)
        else:
            self.paint_segment()

    @on(ClickableLine.Picked)
    def picked(self, event: ClickableLine.Picked) -> None:
        """A click on the slider, a strategy, graders, facts, rows or the order."""
        event.stop()
        kind, _, value = event.part.partition(":")
        lens = self.lostkeys.lens
        if kind == "tau" and lens is not None:
            self._look(lens.with_policy(tau=float(value)), "that is the threshold already")
        elif kind == "strategy" and lens is not None:
            strategy = next(one for one in STRATEGIES if one.value == value)
            self._look(lens.with_policy(strategy=strategy), "")
        elif kind == "by":
            self._show_by(RowGrouping(value))
        elif kind == "grader":
            self.lostkeys.action_grader()
        else:
            {"typed": self.action_typed, "facts": self.action_filter}.get(kind, self.action_sort)()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The segment is that of the bars with the focus."""
        if self.is_comparing:
            self.paint_segment()
        elif isinstance(event.widget, Bars):
            for view in (self.main, self.groups):
                view.activate(view is self.leading)
            self.paint_segment()

    def on_resize(self, event: events.Resize) -> None:
        """Other room, and perhaps other panes."""
        if not self.high and not self.is_comparing:
            self.main.focus()
        self.paint()


def wrong_tau(text: str) -> str | None:
    """What is wrong with a typed threshold, if anything is."""
    try:
        Policy(tau=float(text))
    except ValueError:
        return "give a number such as .5"
    except UsageError as error:
        return str(error)
    return None


def wrong_name(text: str) -> str | None:
    """What is wrong with the name of a policy, if anything is."""
    from core.results.saved_policies import checked_name

    try:
        checked_name(text)
    except LostkeysError as error:
        return str(error)
    return None
