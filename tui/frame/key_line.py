"""The key line: the keys that work here, most used first."""

from typing import TYPE_CHECKING

from textual.screen import Screen

from tui.keys import ALWAYS, BY_ID, Key, caps, merge_keys
from tui.text.line import Line
from tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from tui.screens.base_screen import BaseScreen

GAP = "  "
BACK = "back"


class KeyLine(LineWidget):
    """As many keys as fit; help and commands stay at the right. A click is as good as the key."""

    def on_mount(self) -> None:
        """Follow the focus."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.refresh_changed())

    _shown: tuple[list[tuple[Key, str]], bool] | None = None
    """The keys that work, and whether a text is read that has the room for itself."""

    def draw(self, width: int) -> Line:
        """Caps and words; behind a dialog as they were, since no key gets there."""
        self._shown = keys, reading = self._find_keys()
        return key_line(keys, width, reading)

    def refresh_changed(self) -> None:
        """Repaint where other keys work."""
        if self.size.width and (self._shown is None or self._find_keys() != self._shown):
            self.refresh()

    def _find_keys(self) -> tuple[list[tuple[Key, str]], bool]:
        screen = self.lostkeys.tab_screen(self.lostkeys.tab)
        if self._shown is not None and self.screen is not self.app.screen:
            keys = self._shown[0]
        else:
            bound = self.screen.active_bindings
            keys = [
                name_key(key, name, screen)
                for key, name in list_working_keys(self.screen)
                if bound[name].binding.show or not key.line
            ]
        return keys, screen.narrow and screen.has_class("-inside")

    def press_part(self, part: str) -> None:
        """Press the key that was clicked."""
        self.app.simulate_key(part)


def list_working_keys(screen: Screen[object]) -> list[tuple[Key, str]]:
    """The keys of the table that work now, each with the name it has now."""
    found: dict[str, str] = {}
    for name, active in screen.active_bindings.items():
        if active.enabled and active.binding.id in BY_ID:
            found.setdefault(active.binding.id, name)
    return [(BY_ID[id_], name) for id_, name in found.items()]


def name_key(key: Key, name: str, screen: "BaseScreen") -> tuple[Key, str]:
    """A key as it is called here: `escape` by where it leads."""
    return key._replace(words=screen.back_words) if key.id == BACK else key, name


def key_line(keys: list[tuple[Key, str]], width: int, reading: bool = False) -> Line:
    """The line: what is used most, the way back, and at the right what is always there."""
    always = Line()
    for names, key in merge_keys(pair for pair in keys if pair[0].id in ALWAYS):
        added = _key(names, key)
        if always.width + added.width + len(GAP) < width // 4 or not always.width:
            always.join(added)
    back = Line()
    for key, name in keys:
        if key.id == BACK:
            back.join(_key([name], key))
    line = Line()
    room = width - always.width - back.width - 1
    shown = [pair for pair in keys if pair[0].line and pair[0].id not in (*ALWAYS, BACK)]
    for names, key in merge_keys(shown, reading):
        added = _key(names, key)
        if line.width + added.width > room:
            break
        line.join(added)
    return line.join(back).to(width - always.width).join(always)


def _key(names: list[str], key: Key) -> Line:
    line = Line(" ").add(caps(names, short=True), "accent bold", names[0])
    return line.add(f" {key.words}", "ink-2", names[0]).add(" ")
