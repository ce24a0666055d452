"""What keys do to a list as a whole: its views, the list as a file, its rows as text."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from core.errors import LostkeysError, UsageError
from core.views import saved_views
from core.views.list_rows import count_rows
from core.views.saved_views import ReadViews, SavedView, list_ready_made
from tui.dialogs.confirm_dialog import Confirm
from tui.dialogs.input_dialog import AskLine
from tui.dialogs.list_file_dialog import ReadTable, ask_and_write, copy_rows
from tui.dialogs.save_view_dialog import NamedParts, SaveView
from tui.dialogs.views_dialog import ViewsDialog, ViewStep
from tui.text.line import Line

if TYPE_CHECKING:
    from core.views.lens import Lens
    from core.views.list_words import ListWords
    from tui.app.app import LostkeysApp


class ViewedList(Protocol):
    """A list of a screen that views can name, and that files can hold."""

    screen_name: str
    """The screen that it stands on."""

    @property
    def words(self) -> "ListWords":
        """Which list it is, with the name of the view that it comes from."""

    @property
    def seen(self) -> SavedView:
        """The same as a view would hold it, without a name."""

    @property
    def read_table(self) -> ReadTable | None:
        """What makes rows of the list as it is in sight; None while there is none."""

    def as_view(self, named: NamedParts) -> SavedView:
        """The list as a view. Raises `UsageError` where no view can hold it."""

    def show_view(self, view: SavedView) -> None:
        """Show what a view shows; the cursor stays on its row."""

    @property
    def viewed(self) -> "ListWords | None":
        """The view that it comes from, as it was then; None where it comes from none."""

    def name_view(self, viewed: "ListWords | None") -> None:
        """Say that the list comes from a view, or from none."""


class ListController:
    """Names, switches and writes the list of a screen."""

    def __init__(self, app: "LostkeysApp", viewed: ViewedList) -> None:
        self._app, self._list = app, viewed
        self._name = viewed.words.name

    @property
    def _lens(self) -> "Lens | None":
        """The lens of what is in sight; None until there is any."""
        snapshot = self._app.snapshot
        return None if snapshot is None else snapshot.lens

    # Files

    def write(self) -> None:
        """Write the list to a file."""
        read, lens = self._list.read_table, self._lens
        if read is not None and lens is not None:
            ask_and_write(self._app, read, self._list.words, lens)

    def copy(self) -> None:
        """Copy the rows of the list."""
        read = self._list.read_table
        if read is not None:
            copy_rows(self._app, read)

    # Views

    def open_views(self) -> None:
        """Show the views, saved and ready-made."""
        self._load(self._show)

    def switch_to(self, digit: int) -> None:
        """Switch to the view of a digit."""

        def switch(read: ReadViews) -> None:
            own = read.list_views(self._name)
            if digit <= len(own):
                self._switch(own[digit - 1])
            else:
                why = read.faults[0] if read.faults else "V shows the views, + saves one"
                self._app.say(Line(f"no view {digit}: {why}", "ink-2"))

        self._load(switch)

    def _load(self, then: Callable[[ReadViews], None]) -> None:
        self._app.ask_dialog("views", lambda _: saved_views.load(), then, aside=True)

    def _show(self, read: ReadViews, chosen: str | None = None) -> None:
        lens = self._lens
        if lens is None:
            return
        own, ready = read.list_views(self._name), list_ready_made(self._name)
        heading = f"Views of {self._list.screen_name}"
        chosen = chosen or self._list.words.view or None
        dialog = ViewsDialog(heading, self._list.seen, own, ready, lens, read.faults, chosen)
        self._app.push_screen(dialog, partial(self._do, read))
        self._count(dialog, [*own, *ready])

    def _count(self, dialog: ViewsDialog, views: Sequence[SavedView]) -> None:
        """Count the rows of views, one after the other while they are in sight."""
        lens = self._app.lens
        if not views or lens is None:
            return
        view, *rest = views

        def take(rows: int) -> None:
            if dialog.is_open:
                dialog.put_rows(view, rows)
                self._count(dialog, rest)

        work = partial(count_rows, view, lens)
        self._app.ask("view rows", work, take, lambda _: self._count(dialog, rest))

    def _do(self, read: ReadViews, step: ViewStep | None) -> None:
        if step is None:
            return
        view = step.view
        if view is None:
            self._ask_name(read)
        elif step.what == "switch":
            self._switch(view)
        elif step.what == "shift":
            self._change(partial(saved_views.shift, view, step.step), view.name)
        elif step.what == "rename":
            dialog = AskLine(
                "name", "Another name of the view", view.name, saved_views.explain_wrong_name
            )
            self._app.push_screen(dialog, partial(self._rename, view))
        else:
            question = f"Remove the view {view.name}?"
            dialog_ = Confirm("remove", question, "removes it", "leaves it")
            self._app.push_screen(dialog_, partial(self._remove, view))

    def _rename(self, view: SavedView, name: str | None) -> None:
        if name is not None and name != view.name:
            self._change(partial(saved_views.rename, view, name), name, view.name)

    def _remove(self, view: SavedView, yes: bool | None) -> None:
        if yes:
            self._change(partial(saved_views.remove, view), None, view.name)

    def _change(self, work: Callable[[], ReadViews], chosen: str | None, was: str = "") -> None:
        """Change the file, and show the views as they are then; no view is called `was` any more.

        The list in sight follows where it comes from that view.
        """

        def show(read: ReadViews) -> None:
            viewed = self._list.viewed
            if viewed is not None and viewed.view == was:
                self._list.name_view(replace(viewed, view=chosen) if chosen else None)
            self._show(read, chosen)

        self._app.ask_dialog(None, lambda _: work(), show, aside=True)

    def _ask_name(self, read: ReadViews) -> None:
        lens = self._lens
        if read.is_broken:
            self._app.report(UsageError(f"nothing is saved: {read.faults[0]}"))
        elif lens is not None:
            taken = [view.name for view in read.list_views(self._name)]
            dialog = SaveView(self._list.words.view, lens, taken, self._name)
            self._app.push_screen(dialog, self._save)

    def _save(self, named: NamedParts | None) -> None:
        if named is None:
            return
        try:
            view = self._list.as_view(named)
        except LostkeysError as error:
            self._app.report(error)
            return

        def say(read: ReadViews) -> None:
            self._list.name_view(replace(self._list.words, view=view.name))
            digit = [one.name for one in read.list_views(self._name)].index(view.name) + 1
            said = Line("saved as ", "ink-2").add(view.name)
            self._app.say(said.add(f"  alt+{digit}", "accent bold") if digit <= 9 else said)

        self._app.write_background(lambda _: saved_views.save(view), say)

    def _switch(self, view: SavedView) -> None:
        """Show what a view shows, under its lens."""
        lens, snapshot = self._app.lens, self._app.snapshot
        self._list.show_view(view)
        if lens is None or snapshot is None:
            return
        changed = view.lens.change(lens)
        if view.lens.model is not None and view.lens.model not in snapshot.answerers:
            self._app.say(missing_model(view.lens.model, view))
            changed = replace(changed, model=lens.model)
        if changed != lens:
            self._app.set_lens(changed)


def missing_model(model: str, view: SavedView) -> Line:
    """A view asks for a model that has no answers here."""
    said = Line("no answers here of ", "ink-2").add(model)
    return said.add(f", the model of {view.name}", "ink-2")
