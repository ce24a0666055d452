"""Removing a set, relation, model, grader or imported file, and putting it back."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from tui.dialogs.choice_dialog import Choose, Option
from tui.dialogs.confirm_dialog import Confirm

if TYPE_CHECKING:
    from core.curation.removals import Removal
    from core.views.session import Session
    from core.views.snapshot import Snapshot
    from tui.app.app import LostkeysApp

LONGEST = 80
"""Characters of a name that are shown."""


def offer_removal(app: "LostkeysApp", *among: tuple[str, str]) -> None:
    """Remove one of the things `among` these (kind, name), or of all that can be removed.

    Several are listed first. It is counted what goes with the one chosen, and a person agrees.
    """

    def choose(things: Sequence[tuple[str, str]]) -> None:
        if not things:
            app.say("nothing can be removed: there is no set, model, grader or file yet")
            return
        options = [
            Option((kind, name), f"{kind} {name}", None, f"{kind}s") for kind, name in things
        ]
        app.push_screen(Choose("remove", options), plan)

    def plan(chosen: tuple[str, str] | None) -> None:
        if chosen is not None:
            app.write(partial(_plan, *chosen), ask)

    def ask(planned: "Removal") -> None:
        def answer(agreed: bool | None) -> None:
            if agreed:
                app.write(partial(_remove, planned), partial(app.undos.take_removal, there=False))

        name = f"{planned.kind} {planned.name[:LONGEST]}"
        question = f"Remove {name} with all that rests on it: {planned.describe()}?"
        app.push_screen(Confirm("remove", question, "removes it", "leaves it"), answer)

    if not among:
        app.write(_list, choose)
    elif len(among) == 1:
        plan(among[0])
    else:
        choose(among)


def remover(app: "LostkeysApp", kind: str) -> Callable[[str], None]:
    """What offers to remove a thing of a kind by its name, for lists that show such things."""
    return lambda name: offer_removal(app, (kind, name))


def put_back(app: "LostkeysApp", removal: "Removal") -> None:
    """Put back what was removed by this program."""
    app.write(partial(_restore, removal), partial(app.undos.take_removal, there=True))


def _list(session: "Session") -> "Sequence[tuple[str, str]]":
    from core.curation.removals import list_removable

    return list_removable(session.project)


def _plan(kind: str, name: str, session: "Session") -> "Removal":
    from core.curation.removals import RemovalKind, plan_removal

    work = partial(plan_removal, kind=RemovalKind(kind), name=name)
    return session.write(work, looks=False)[0]


def _remove(planned: "Removal", session: "Session") -> "tuple[Removal, Snapshot]":
    from core.curation.removals import remove

    return session.write(partial(remove, planned=planned))


def _restore(removal: "Removal", session: "Session") -> "tuple[Removal, Snapshot]":
    from core.curation.removals import restore

    _, snapshot = session.write(partial(restore, removal=removal))
    return removal, snapshot
