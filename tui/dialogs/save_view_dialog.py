"""Saving what is seen as a view: its name, and which parts of the lens belong to it."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from core.views.lens import Lens
from core.views.list_words import BENCH, DISAGREEMENTS, FACTS, LATENT, QUESTIONS
from core.views.saved_views import LensParts, explain_wrong_name
from tui import keys
from tui.dialogs.dialog import CLOSES, Dialog
from tui.dialogs.input_dialog import WrongBlock
from tui.text.line import Line
from tui.widgets.line_view import LineView
from tui.widgets.text_block import TextBlock
from tui.widgets.text_field import TextField

PARTS = ("model", "thinking", "graders", "policy")
PARTS_OF = {
    FACTS: PARTS,
    DISAGREEMENTS: PARTS[1:],
    QUESTIONS: PARTS[2:],
    LATENT: PARTS[2:],
    BENCH: (),
}
"""What of the lens a list goes by: queues hold answers of all models, boards name their own."""

TICK, NAME, WORDS = 2, 5, 16


class NamedParts(NamedTuple):
    """The name of a view, and the parts of the lens that belong to it."""

    name: str = ""
    lens: LensParts = LensParts()


def parts_of(lens: Lens, names: Collection[str]) -> LensParts:
    """Parts of a lens by their names (`PARTS`)."""
    policy = lens.policy
    found: dict[str, dict[str, Any]] = {
        "model": {"model": lens.model},
        "thinking": {"thinking": lens.thinking},
        "graders": {"graders": lens.ranked, "compared": lens.compared},
        "policy": {"tau": policy.tau, "strategy": policy.strategy, "weight": policy.weight},
    }
    return LensParts(**{key: value for name in names for key, value in found[name].items()})


def part_words(lens: Lens) -> Mapping[str, str]:
    """What each part of a lens is."""
    policy = lens.policy
    return {
        "model": lens.model or "none",
        "thinking": str(lens.thinking),
        "graders": ", ".join(lens.ranked),
        "policy": f"threshold {policy.tau:g}, {policy.strategy}",
    }


class LensPartList(LineView):
    """Parts of the lens, ticked or not."""

    DEFAULT_CSS = "LensPartList { height: auto; }"
    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("list"), *keys.bindings("parts")]

    def __init__(self, lens: Lens, parts: Sequence[str]) -> None:
        super().__init__()
        self.words, self.parts = part_words(lens), parts
        self.ticked: frozenset[str] = frozenset()
        self.cursor = 0

    def row_count(self) -> int:
        """The parts."""
        return len(self.parts)

    def is_choosable(self, row: int) -> bool:
        """Every row can be ticked."""
        return True

    def draw(self, row: int, line: int, width: int) -> Line:
        """A part, and what it is."""
        name = self.parts[row]
        on_ = name in self.ticked
        drawn = Line().to(TICK).add(self.look.glyph("done") if on_ else " ", "accent bold")
        drawn.to(NAME).cell(name, WORDS - NAME, "ink bold" if on_ else "ink")
        return drawn.add(self.words[name], "ink-2").clip(width)

    def action_tick(self) -> None:
        """Tick the part under the cursor, or untick it."""
        self.ticked ^= {self.parts[self.cursor or 0]}
        self.refresh_changed()


class SaveView(Dialog[NamedParts]):
    """A name, and parts of the lens to tick; `enter` saves."""

    AUTO_FOCUS = "TextField"
    heading = "Save what is seen as a view"
    hint = (("enter", "saves"), ("tab", "to the parts"), ("space", "ticks"), CLOSES)

    def __init__(
        self, name: str, lens: Lens, taken: Collection[str], list_name: str = FACTS
    ) -> None:
        super().__init__()
        self._proposed, self._lens, self._taken = name, lens, taken
        self._parts = PARTS_OF[list_name]
        self._replaces = name if name in taken else ""

    def body(self) -> ComposeResult:
        """Name and parts."""
        yield TextBlock([Line("its name", "ink-3")])
        yield TextField(self._proposed)
        yield WrongBlock()
        if self._parts:
            words = "parts of the lens that belong to it; without them it is any lens's"
            yield TextBlock([Line(words, "ink-3")])
            yield LensPartList(self._lens, self._parts)

    @on(Input.Submitted)
    def submit(self, event: Input.Submitted) -> None:
        """Save from the field."""
        event.stop()
        self.action_save()

    def action_save(self) -> None:
        """Hand back name and parts, or say what is wrong with the name."""
        name = self.query_one(TextField).value.strip()
        wrong = explain_wrong_name(name)
        if wrong is None and name in self._taken and name != self._replaces:
            self._replaces, wrong = name, f"a view is called {name}: enter again replaces it"
        self.query_one(WrongBlock).tell(wrong)
        if wrong is not None:
            return
        ticked = self.query_one(LensPartList).ticked if self._parts else frozenset()
        self.dismiss(NamedParts(name, parts_of(self._lens, ticked)))
