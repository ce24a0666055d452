"""Removing a set, relation, model, grader or imported file, and putting it back."""

from functools import partial
from typing import TYPE_CHECKING

from tui.dialogs.choice_dialog import Choose, Option
from tui.dialogs.confirm_dialog import Confirm

if TYPE_CHECKING:
    from core.curation.removals import Removal, RemovalKind
    from core.views.session import Session
    from core.views.snapshot import Snapshot
    from tui.app.app import LostkeysApp

LONGEST = 80
"""Characters of a name that are shown."""


def offer_removal(app: "LostkeysApp") -> None:
    """List what can be removed; count what goes with the one that is chosen, then ask."""

    def choose(things: "list[tuple[RemovalKind, str]]") -> None:
        if not things:
            app.say("nothing can be removed: there is no set, model, grader or file yet")
            return
        options = [
            Option((kind, name), f"{kind} {name}", None, f"{kind}s") for kind, name in things
        ]
        app.push_screen(Choose("remove", options), plan)

    def plan(chosen: "tuple[RemovalKind, str] | None") -> None:
        if chosen is not None:
            app.write(partial(_plan, *chosen), ask)

    def ask(planned: "Removal") -> None:
        def answer(agreed: bool | None) -> None:
            if agreed:
                app.write(partial(_remove, planned), partial(app.undos.take_removal, there=False))

        name = f"{planned.kind} {planned.name[:LONGEST]}"
        question = f"Remove {name} with all that rests on it: {planned.describe()}?"
        app.push_screen(Confirm("remove", question, "removes it", "leaves it"), answer)

    app.write(_list, choose)


def put_back(app: "LostkeysApp", removal: "Removal") -> None:
    """Put back what was removed by this program."""
    app.write(partial(_restore, removal), partial(app.undos.take_removal, there=True))


def _list(session: "Session") -> "list[tuple[RemovalKind, str]]":
    from core.curation.removals import list_removable

    return list_removable(session.project)


def _plan(kind: "RemovalKind", name: str, session: "Session") -> "Removal":
    from core.curation.removals import plan_removal

    return session.write(partial(plan_removal, kind=kind, name=name), looks=False)[0]


def _remove(planned: "Removal", session: "Session") -> "tuple[Removal, Snapshot]":
    from core.curation.removals import remove

    return session.write(partial(remove, planned=planned))


def _restore(removal: "Removal", session: "Session") -> "tuple[Removal, Snapshot]":
    from core.curation.removals import restore

    _, snapshot = session.write(partial(restore, removal=removal))
    return removal, snapshot
