"""The Latent screen: what models know where nobody asks them anything."""

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget

from core.views.latent.latent_fact import LatentFact
from core.views.latent.latent_service import LatentLists, LatentRequest
from tui import keys
from tui.app.loader import Loader
from tui.dialogs.choice_dialog import Choose, Option
from tui.screens.base_screen import BaseScreen
from tui.screens.latent import render_board, sentences
from tui.screens.latent.state import FACT, FACTS, RELATIONS, LatentPosition, LatentState
from tui.screens.latent.widgets import LatentFactView, LatentPanes
from tui.text.line import Line
from tui.widgets.line_view import LineView
from tui.widgets.pane_layout import Split

if TYPE_CHECKING:
    from core.views.session import Session
    from core.views.snapshot import Snapshot
    from tui.screens.latent.latent_saved_views import LatentViews
    from tui.screens.latent.widgets import LatentPanes


# Reading for the Latent screen: lists under a setup, and the fact under the cursor.


def read_lists(
    session: "Session", wanted: LatentRequest, sought: LatentPosition | None
) -> tuple[LatentLists, int | None]:
    """Relations and facts, and the fact (its id) that is sought."""
    if sought is not None and sought.relation is not None:
        key = session.latent.relation_called(sought.relation, sought.set_name)
        wanted = replace(wanted, relation=key)
    lists = session.latent.lists(wanted)
    return lists, session.snapshot.fact_called(None if sought is None else sought.fact)


class LatentLoader:
    """Has lists and facts read that a state asks for; what was shown stays until they are."""

    def __init__(self, state: LatentState, panes: "LatentPanes") -> None:
        self._state, self._panes = state, panes
        self.lists = Loader(panes, lambda: panes.facts_pane)
        self._fact = Loader(panes, lambda: panes.fact_pane)

    @property
    def edges(self) -> tuple[object, object]:
        """What the edges of list and fact say of what is being read."""
        return self.lists.edge(), self._fact.edge()

    def stop(self) -> None:
        """Nothing is waited for: another database is opened."""
        self.lists.stop()
        self._fact.stop()

    def read_lists(self) -> None:
        """Have relations and facts read; the fact follows."""
        wanted, sought = self._state.wanted, self._state.sought

        def take(found: tuple[LatentLists, int | None]) -> None:
            lists, fact = found
            if fact is not None and sought is self._state.sought:
                self._state.fact = fact
            self._state.take_lists(lists)
            self.read_fact()
            self._panes.base.paint()
            self._panes.hold()

        self.lists.load("latent lists", lambda one: read_lists(one, wanted, sought), take)

    def read_fact(self) -> None:
        """Have the chosen fact read."""
        now = self._state
        fact, relation, setup, model = now.fact, now.relation, now.setup, now.model
        if fact is None or relation is None:
            now.shown = None
            return
        known, key = fact, relation

        def take(found: LatentFact) -> None:
            self._state.take_fact(found)
            self._panes.paint_fact()
            self._panes.base.refresh_frame()

        self._fact.load("latent fact", lambda one: one.latent.fact(key, known, setup, model), take)


class LatentScreen(BaseScreen):
    """Step through facts and numbers of examples. Below 100 columns one pane at a time."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("latent")
    tab = "latent"
    starts = "zp-lke"
    outer_pane = "relations"
    position_type = LatentPosition
    splits = (
        Split("latent-left", "latent-fact"),
        Split("latent-relations", "latent-facts", rows=True),
    )

    def __init__(self) -> None:
        super().__init__()
        self.state = LatentState()
        self.panes = LatentPanes(self.state)
        self.loader = LatentLoader(self.state, self.panes)
        self.first_read = self.loader.lists

    def body(self) -> ComposeResult:
        """Relations, facts, the fact."""
        yield self.panes

    def on_mount(self) -> None:
        """Begin in the facts."""
        self.panes.go(FACTS)
        self.paint()

    # What the app asks for

    @property
    def model_words(self) -> str | None:
        """The model whose scores are shown."""
        return self.state.model or "no scores yet"

    @property
    def lens_words(self) -> tuple[str, ...]:
        """What this screen goes by instead of grader, threshold and strategy."""
        return tuple(sentences.setup_words(self.state.setup).split(", "))

    @property
    def facts_in_sight(self) -> frozenset[int]:
        """The fact at the right."""
        return frozenset(() if self.state.fact is None else (self.state.fact,))

    @property
    def summary(self) -> str:
        """The relation, and where in it the cursor is."""
        return sentences.summary(self.state).text.strip()

    @property
    def set_in_sight(self) -> str:
        """The set of the relation."""
        return "" if self.state.row is None else self.state.row.set_name

    def status(self) -> Line | None:
        """How many facts and relations there are."""
        return sentences.status(self.state, self.lostkeys.path.name)

    def show_snapshot(self, snapshot: "Snapshot") -> None:
        """Take in another lens, other facts, other scores; nothing jumps."""
        self.loader.read_lists()

    @property
    def position(self) -> LatentPosition:
        """Setup, model, relation, fact, and the focus."""
        return self.panes.position

    def take_position(self, position: LatentPosition) -> None:
        """Show what was shown."""
        self.state.go_to(position)
        self.set_class(position.board, "-board")
        self.panes.go(position.pane if position.pane in self.panes.views else FACTS)
        self.loader.read_lists()

    def forget(self) -> None:
        """Nothing is read."""
        self.state.clear()
        self.loader.stop()
        self.set_class(False, "-board")
        self.paint()

    def reload(self) -> None:
        """Read all of it anew."""
        self.loader.read_lists()

    @property
    def viewed_list(self) -> "LatentViews":
        """Relations, or the facts of one."""
        from tui.screens.latent.latent_saved_views import LatentViews

        return LatentViews(self.state, self.panes)

    def paint_panes(self) -> None:
        """All three."""
        self.panes.paint()

    def choose_models(self) -> bool:
        """Choose the model whose scores are shown."""
        models = self.state.models
        if len(models) < 2:
            self.lostkeys.say(sentences.NO_OTHER_MODEL)
            return True
        options = [Option(name, name) for name in models]
        from tui.dialogs.removal_dialog import remover

        remove = remover(self.lostkeys, "model")
        dialog = Choose("model", options, self.state.model, remove)
        self.app.push_screen(dialog, self._show_model)
        return True

    def _show_model(self, model: str | None) -> None:
        if model is not None:
            self.state.model = model
            self.loader.read_lists()

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do something now."""
        if action in ("examples", "kind", "board", "sort"):
            return bool(self.state.rows)
        if action in ("copy_input", "whole"):
            return self.state.shown is not None
        return True

    def action_examples(self, step: int) -> None:
        """More examples before the subject, or fewer."""
        if self.state.step_examples(step):
            self.loader.read_lists()
        else:
            self.lostkeys.say(sentences.no_other_number(self.state))

    def action_kind(self) -> None:
        """The next form, seed, order or injection that has scores."""
        if self.state.step_kind():
            self.loader.read_lists()
        else:
            self.lostkeys.say(sentences.NO_OTHER_KIND)

    def action_sort(self) -> None:
        """The next order of the facts."""
        self.state.step_order()
        self.lostkeys.say(sentences.ORDER_WORDS[self.state.order])
        self.loader.read_lists()

    def action_board(self) -> None:
        """Relations with all models as columns, or with their facts."""
        self._show_board(not self.state.board)

    def _show_board(self, shown: bool) -> None:
        self.state.board = shown
        self.set_class(shown, "-board")
        self.panes.go(RELATIONS if shown else FACTS)
        self.call_after_refresh(self.paint)

    def action_whole(self) -> None:
        """All of the input and of the options, or the end of one and the first of the other."""
        self.state.whole = not self.state.whole
        self.panes.paint_fact()

    def action_copy_input(self) -> None:
        """Copy what is sent, to the letter."""
        one = self.state.shown
        if one is not None:
            self.lostkeys.copy(one.input, sentences.describe_copy(one))

    def action_remove(self) -> None:
        """Offer to remove the relation in sight, its set, or the model whose scores are shown."""
        from tui.dialogs.removal_dialog import offer_removal

        row, model, things = self.state.row, self.state.model, list[tuple[str, str]]()
        if row is not None:
            things += [("relation", f"{row.set_name}/{row.name}"), ("set", row.set_name)]
        if model is not None:
            things.append(("model", model))
        offer_removal(self.lostkeys, *things)

    def action_open(self) -> None:
        """From relations to facts, from there to the fact, from that to the Facts screen."""
        pane = self.panes.pane
        if self.state.has_nothing:
            from tui.dialogs.start.start_context import offer_sample

            offer_sample(self.lostkeys)
        elif self.state.board:
            self._show_board(False)
        elif pane == RELATIONS:
            self.panes.go(FACTS)
        elif pane == FACTS and self.state.fact is not None:
            self.panes.go(FACT)
        elif self.state.shown is not None:
            self.lostkeys.places.jump("facts", None, self.state.shown.fact_id)

    @property
    def outermost(self) -> bool:
        """In the relations."""
        return not self.state.board and self.panes.pane == RELATIONS

    @property
    def back_words(self) -> str:
        """One pane out."""
        if not self.layouts.alone and self.panes.pane == FACT:
            return "facts"
        return super().back_words

    def step_out(self) -> None:
        """From the fact to the facts, from there to the relations."""
        if self.state.board:
            self._show_board(False)
        else:
            self.panes.go(FACTS if self.panes.pane == FACT else RELATIONS)

    def action_side(self, step: int) -> None:
        """Into the next pane or out of it; on the board other models."""
        if self.state.board:
            width = self.panes.relations_view.line_width
            seen = len(render_board.models_in_sight(self.state, width))
            self.state.step_models(step, seen)
            self.panes.relations_view.refresh_changed()
        elif step > 0 and self.panes.pane != FACT:
            self.action_open()
        elif step < 0 and self.panes.pane != RELATIONS:
            self.step_out()

    # Focus

    def focus_next(self, selector: object = "*") -> Widget | None:
        """Relations, facts, the fact."""
        return self._focus_by(lambda _: self.panes.next_pane(1), "*")

    def focus_previous(self, selector: object = "*") -> Widget | None:
        """The other way round."""
        return self._focus_by(lambda _: self.panes.next_pane(-1), "*")

    # Events

    @on(LineView.CursorMoved)
    def follow_cursor(self, event: LineView.CursorMoved) -> None:
        """The cursor is on another relation or fact."""
        event.stop()
        panes, now = self.panes, self.state
        if event.view is panes.relations_view and panes.relations_view.place is not None:
            if now.choose_relation(panes.relations_view.place):
                self.loader.read_lists()
        elif event.view is panes.facts_view and panes.facts_view.place is not None:
            now.sought = None
            if now.choose_place(panes.facts_view.place):
                self.loader.read_fact()
        panes.paint_edges()

    @on(LatentFactView.StepWanted)
    def step_fact(self, event: LatentFactView.StepWanted) -> None:
        """The next or previous fact."""
        event.stop()
        self.panes.facts_view.move_by(event.by)

    @on(LatentFactView.SizeChanged)
    def break_fact(self, event: LatentFactView.SizeChanged) -> None:
        """Break the fact into lines anew."""
        event.stop()
        self.panes.paint_fact()

    @on(LineView.RowClicked)
    def open_clicked(self, event: LineView.RowClicked) -> None:
        """A second click is as good as enter."""
        event.stop()
        if event.again:
            event.view.focus()
            self.call_after_refresh(self.action_open)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane with the focus is the one that is seen where there is room for one."""
        pane = self.panes.pane
        for name in self.panes.views:
            self.set_class(name == pane, f"-at-{name}")
        self.set_class(pane == FACT, "-inside")
        self.refresh_frame()

    def on_resize(self, event: events.Resize) -> None:
        """Other room."""
        self.call_after_refresh(self.paint)
