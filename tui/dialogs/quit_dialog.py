"""Asking what becomes of a running job when the program is to end."""

from typing import Literal

from textual.app import ComposeResult

from core.jobs.job_progress import JobProgress
from tui import keys
from tui.dialogs.dialog import Dialog
from tui.text.line import Line
from tui.widgets.text_block import TextBlock

Leaving = Literal["background", "stop"]


class Quit(Dialog[Leaving]):
    """Leave the job to a program of its own, stop it, or stay; `jobs` counts those that wait."""

    BINDINGS = keys.bindings("quitting")
    heading = "quit"
    hint = ()

    def __init__(self, progress: JobProgress, jobs: int = 0) -> None:
        super().__init__()
        self.progress, self.jobs = progress, jobs

    def body(self) -> ComposeResult:
        """What runs, and the three ways."""
        doing = f"{self.progress.doing[:1].upper()}{self.progress.doing[1:]} {self.progress.name}"
        state = "is paused" if self.progress.state == "paused" else "is running"
        more = f", {self.jobs:,} more {'waits' if self.jobs == 1 else 'wait'}" if self.jobs else ""
        line = Line(f"{doing} {state}{more}. ", "ink")
        line.add("b", "accent bold").add(" goes on in the background, ", "ink-2")
        line.add("q", "accent bold").add(f" stops it ({self.kept}), ", "ink-2")
        yield TextBlock([line.add("escape", "accent bold").add(" stays", "ink-2")])

    @property
    def kept(self) -> str:
        """What stays when it is stopped."""
        return "all answers are kept" if self.progress.unit == "answers" else "what is done is kept"

    def action_background(self) -> None:
        """Let another program go on with it."""
        self.dismiss("background")

    def action_stop(self) -> None:
        """Stop it and quit."""
        self.dismiss("stop")
