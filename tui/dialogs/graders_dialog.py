"""Choosing the graders: A, whose labels count, B, with which it is compared, and people."""

from dataclasses import replace
from typing import TYPE_CHECKING

from core.views.lens import Lens
from tui.dialogs.choice_dialog import Choose, Option
from tui.text.line import Line

if TYPE_CHECKING:
    from core.views.snapshot import Snapshot


class GraderLenses(Choose[Lens]):
    """Every lens that differs from the present one in one grader."""

    def __init__(self, snapshot: "Snapshot") -> None:
        now = snapshot.lens
        options = [
            Option(replace(now, a=name, b=None if now.b == name else now.b), f"A  {name}")
            for name in snapshot.graders
        ]
        options += [
            Option(replace(now, b=name), f"B  {name}") for name in snapshot.graders if name != now.a
        ]
        options += [
            Option(replace(now, people=people), f"people's labels  {words}")
            for people, words in ((True, "come first"), (False, "do not count"))
        ]
        marked = [
            option._replace(beside=Line("now", "ink-3")) if option.value == now else option
            for option in options
        ]
        super().__init__("graders", marked, now)
