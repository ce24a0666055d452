"""Tags of an answer or a fact: a list of those there are, narrowed by typing, or a new one."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from core.curation.tag_writer import TagEffect, list_tags, set_tag
from core.views.snapshot import Snapshot
from tui.dialogs.choice_dialog import Choose, Option, Options
from tui.dialogs.dialog import CLOSES
from tui.text.line import Line

if TYPE_CHECKING:
    from core.views.session import Session
    from tui.app.app import LostkeysApp

TagWrite: TypeAlias = "Callable[[Session], tuple[TagEffect, Snapshot]]"
"""Sets a tag, or takes it off."""


class ChooseTag(Choose[str]):
    """All tags, those that are set marked; what is typed is a new one unless it is listed."""

    placeholder = "type a tag, or a part of one"
    hint = (("↑ ↓", "choose, type to narrow"), ("enter", "sets it, or takes it off"), CLOSES)

    def __init__(self, about: str, tags: Sequence[str], there: Sequence[str]) -> None:
        mark = Line("set", "accent")
        options = [Option(one, one, mark if one in there else None) for one in tags]
        super().__init__(f"tags of {about}", options)

    def narrow_to(self, text: str) -> None:
        """Keep the tags in which everything typed is found, and offer it as a new one."""
        super().narrow_to(text)
        typed = " ".join(text.split())
        if typed and all(one.value != typed for one in self.options):
            self.query_one(Options).add([Option(typed, typed, Line("new tag", "ink-3"))])


def ask_tags(
    app: "LostkeysApp",
    kind: str,
    target: int,
    about: str,
    send: Callable[[TagWrite, Line], None] | None = None,
) -> None:
    """Ask which tag something is to have, or to lose; `send` has that written, and says so;
    without it the snapshot is taken in as any other.

    `kind` is `answer`, `question` or `fact`, `target` its slot or id.
    """

    def choose(there: Sequence[str], tag: str | None) -> None:
        if tag is None:
            return
        on = tag not in there
        said = Line(f"{about} is tagged " if on else f"{about} loses the tag ", "ink-2")
        said.add(tag, "ink").add(". ", "ink-2").add("u", "accent bold").add(" undoes it", "ink-2")

        def write(session: "Session") -> tuple[TagEffect, Snapshot]:
            name = session.require_name()
            return session.write(lambda project: set_tag(project, name, kind, target, tag, on))

        def take(done: tuple[TagEffect, Snapshot]) -> None:
            app.snapshot_changed(done[1])
            app.say(said)

        app.with_name(lambda _: send(write, said) if send else app.write(write, take))

    def show(found: tuple[list[str], tuple[str, ...]]) -> None:
        tags, there = found
        app.push_screen(ChooseTag(about, tags, there), partial(choose, there))

    app.ask_dialog("tags", lambda session: list_tags(session.project, kind, target), show)
