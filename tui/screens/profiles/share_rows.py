"""The profiles of the only model as rows below its bar: the chosen one has the cursor."""

from collections.abc import Sequence

from textual import events

from core.views.profiles.profile_rows import ProfileRow
from tui.screens.profiles import render_bars
from tui.screens.profiles.bars_view import Bars
from tui.screens.profiles.one_model_panes import FittedLines
from tui.screens.profiles.render_shares import share_lines
from tui.text.line import Line


class ShareRows(FittedLines, can_focus=False):
    """A row for each profile; keys act on the bar above it, which chooses the same."""

    def __init__(self) -> None:
        super().__init__(id="shares")
        self._codes: list[str | None] = []
        """The code of each line; None for a heading or a blank one."""

    @property
    def leads(self) -> bool:
        """The row is what the keys of the bar choose."""
        return True

    def put_row(self, row: ProfileRow | None, chosen: str | None, above: int) -> None:
        """Show the profiles of a row, with some blank lines `above` them."""
        codes = [part.code for part in render_bars.segments(row.now)] if row else []
        self._codes = [*[None] * (above + 1), *codes]

        def lines(width: int) -> list[Line]:
            found = share_lines(row, chosen, width - 2, self.look) if row else []
            return [*[Line()] * above, *(Line(" ").join(line) for line in found)]

        self.cursor = self._codes.index(chosen) if chosen in codes else None
        self.put(lines)

    def put_heard(self, lines: Sequence[Line]) -> None:
        """What is said of the chosen segment instead: who listens hears the rows in the bar."""
        self.cursor, self._codes = None, []
        self.put(lambda width: [line for line in lines if line.width])

    def on_click(self, event: events.Click) -> None:
        """A click on a profile chooses it."""
        place = event.y + self._top
        code = self._codes[place] if 0 <= place < len(self._codes) else None
        if code is not None:
            event.stop()
            self.post_message(Bars.CodeWanted(code))
