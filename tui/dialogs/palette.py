"""The command palette: everything that can be done here, found by typing."""

from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.screen import Screen

from core.settings import recent_files
from core.settings.preferences import GLYPHS
from core.views.fact_query import NamedFact, find_named
from tui import keys
from tui.dialogs.choice_dialog import Choose, Option, Options
from tui.dialogs.dialog import CLOSES
from tui.text.line import Line
from tui.widgets.text_field import TextField

if TYPE_CHECKING:
    from core.views.session import Session
    from tui.app.app import LostkeysApp

Command = Callable[[], Awaitable[object] | None]


LEAST = 2
"""Characters from which on facts are looked for."""

MOST, LONGEST = 40, 60
"""Facts that are offered, and characters of a title that are shown."""

LATER = {
    group: place
    for place, group in enumerate(
        (keys.LISTS, keys.LABELS, keys.LENS, keys.MOVING, keys.SCREENS, keys.ALL), 1
    )
}
"""Groups of keys that stand below those of the screen, in this order."""

LEFT_OUT = ("commands", "list.", "lists.view.", "pane.", "side.")
"""What is no help in a palette: moving about."""


class PaletteCommands(Choose[Command]):
    """Actions of the screen behind, with their keys; models, themes and marks by name."""

    hint = (("↑ ↓", "choose, type to narrow"), ("enter", "does it"), CLOSES)
    placeholder = "type a command, or the title or id of a fact"

    def __init__(self, app: "LostkeysApp") -> None:
        options = list(_options(app))
        groups = list(dict.fromkeys(one.group for one in options))
        groups.sort(key=lambda group: LATER.get(group, 0))
        super().__init__("commands", sorted(options, key=lambda one: groups.index(one.group)))

    def narrow_to(self, text: str) -> None:
        """Keep the commands in whose words it is found; below them come facts of that name."""
        super().narrow_to(text)
        if len(text.strip()) >= LEAST:
            find = partial(_find_facts, text)
            self.ask("palette", find, partial(self._add_facts, text))

    def _add_facts(self, text: str, found: list[NamedFact]) -> None:
        if self.query_one(TextField).value == text:
            self.query_one(Options).add([self._fact(one) for one in found])

    def _fact(self, found: NamedFact) -> Option[Command]:
        places = self.lostkeys.places
        command = partial(places.jump, "facts", None, found.fact_id)
        name = found.heading.title or found.heading.subject
        return Option[Command](command, f"fact {name[:LONGEST]}", Line(found.fact_id[:24], "ink-3"))


def _options(app: "LostkeysApp") -> Iterator[Option[Command]]:
    """All commands, by what they are for."""
    yield from _keys(app, app.screen)
    yield from _models(app)
    yield from _databases(app)
    yield from _looks(app)
    measure, acts = partial(_calibrate, app), partial(_list_acts, app)
    yield Option(measure, "measure a grader on people's labels", group=keys.LABELS)
    yield Option(acts, "what I did: go there, undo it", group=keys.LABELS)
    yield from _removals(app)
    yield from _report(app)
    yield _picture(app)


def _keys(app: "LostkeysApp", screen: Screen[object]) -> list[Option[Command]]:
    """What a key does here, in the order of the key table."""
    found: dict[str, Option[Command]] = {}
    for name, active in screen.active_bindings.items():
        key = keys.BY_ID.get(active.binding.id or "")
        if key is None or not active.enabled or key.id.startswith(LEFT_OUT) or key.id in found:
            continue
        command = partial(app.run_action, active.binding.action, active.node)
        words = f"{key.alone or key.help}"
        found[key.id] = Option(command, words, Line(keys.caps([name]), "accent"), key.group)
    return [found[id_] for id_ in sorted(found, key=keys.RANK.__getitem__)]


def _removals(app: "LostkeysApp") -> Iterator[Option[Command]]:
    from tui.dialogs.removal_dialog import offer_removal, put_back

    if app.snapshot is not None:
        words = "remove a set, relation, model, grader or imported file"
        yield Option[Command](partial(offer_removal, app), words, group=keys.ALL)
    for one in reversed(app.undos.removals):
        words = f"put back {one.kind} {one.name[:LONGEST]}"
        yield Option[Command](partial(put_back, app, one), words, group=keys.ALL)


def _report(app: "LostkeysApp") -> list[Option[Command]]:
    if app.snapshot is None or not len(app.snapshot.index):
        return []

    def command() -> None:
        from tui.screens.figures.save_dialog import ask_and_report

        ask_and_report(app)

    return [Option[Command](command, "write the report", group=keys.ALL)]


def _picture(app: "LostkeysApp") -> Option[Command]:
    def command() -> None:  # the screen without the palette is drawn: once that is gone
        app.call_after_refresh(app.action_picture)

    return Option(command, "picture of this screen as SVG", group=keys.ALL)


def _models(app: "LostkeysApp") -> list[Option[Command]]:
    names = app.snapshot.models if app.snapshot else ()
    return [
        Option[Command](partial(app.look_at, name), f"model {name}", group=keys.LENS)
        for name in names
    ]


def _databases(app: "LostkeysApp") -> list[Option[Command]]:
    others = [one.path for one in recent_files.recents() if one.path != app.path.absolute()]
    return [
        Option[Command](partial(_import, app), "import a file", group=keys.ALL),
        *(
            Option[Command](
                partial(app.open_database, path), f"open {path.name}", _folder(path), keys.ALL
            )
            for path in others
        ),
    ]


def _import(app: "LostkeysApp") -> None:
    from tui.dialogs.start.start_context import offer_import

    offer_import(app)


def _calibrate(app: "LostkeysApp") -> None:
    from tui.screens.confusion.calibration_dialog import offer_calibration

    offer_calibration(app)


def _list_acts(app: "LostkeysApp") -> None:
    from tui.dialogs.undo_history_dialog import offer_acts

    offer_acts(app)


def _find_facts(text: str, session: "Session") -> list[NamedFact]:
    return find_named(session.snapshot, text, MOST)


def _folder(path: Path) -> Line:
    return Line(str(path.parent), "ink-3")


def _looks(app: "LostkeysApp") -> Iterator[Option[Command]]:
    names, all_ = app.preferences.theme_names, keys.ALL
    for name in names:
        yield Option(partial(app.action_theme, name), f"theme {name}", group=all_)
    for name in GLYPHS:
        yield Option(partial(app.action_glyphs, name), f"marks in {name}", group=all_)
