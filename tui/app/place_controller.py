"""Places: ways from one screen to another, the way out of each, and the way back."""

from typing import TYPE_CHECKING, Any, NamedTuple

from core.settings.plain_data import from_plain
from core.views.place_history import JumpEffect, Place, PlaceHistory, give_back
from tui.app.tab_table import NAMES, TABS

if TYPE_CHECKING:
    from core.views.lens import Lens
    from tui.app.app import LostkeysApp
    from tui.app.screen_controller import ScreenController

HOME = TABS[0].tab
"""Where the way out ends."""


class PlaceWords(NamedTuple):
    """A screen that the person was on, and what was there, in a few words."""

    name: str
    words: str


class PlaceController:
    """Where the person is and was. Screens give their positions and take them again."""

    def __init__(self, app: "LostkeysApp", screens: "ScreenController") -> None:
        self._app, self._screens = app, screens
        self.history = PlaceHistory()
        self.restored: dict[str, Any] = {}
        """Positions, as read from a file, of screens that have not been seen yet, by tab."""

    def forget(self) -> None:
        """Another database is opened."""
        self.history, self.restored = PlaceHistory(), {}

    # What leads where

    @property
    def way_out(self) -> str | None:
        """The name of the screen that the way out leads to; None at its end."""
        origin = self.history.origin
        if origin is not None:
            return NAMES[origin.tab]
        return None if self._app.tab == HOME else NAMES[HOME]

    def came_from(self) -> list[PlaceWords]:
        """The screens that the person was on before this one, the last one first."""
        found: list[PlaceWords] = []
        for one in reversed(self.history.places[: max(0, self.history.at)]):
            if not found or found[-1].name != NAMES[one.tab]:
                found.append(PlaceWords(NAMES[one.tab], one.words))
        return found

    def position_of(self, place: Place) -> Any:
        """A place's position as its screen takes it; None where there is none."""
        return self.read_position(place.tab, place.position)

    def is_seen(self, tab: str) -> bool:
        """Whether a screen has been seen, so that it gives its position."""
        screen = self._screens.made.get(tab)
        return screen is not None and screen.is_mounted

    def pop_position(self, tab: str) -> Any:
        """Where the person was on a screen that is seen for the first time; asked for once."""
        return self.read_position(tab, self.restored.pop(tab, None))

    def read_position(self, tab: str, plain: Any) -> Any:
        """A position as its screen takes it; None where there is none, or it cannot be read."""
        if plain is None:
            return None
        kind = self._screens.tab_screen(tab).position_type
        if isinstance(plain, kind):
            return plain
        try:
            return from_plain(kind, plain)
        except ValueError:
            return None

    # Ways

    async def visit(self, tab: str) -> None:
        """Go to a screen by its key, as it was left."""
        app = self._app
        app.flush_lens()
        if tab != app.tab:
            origin, now = self.history.origin, self.history.now
            self._leave()
            self.history.visit(tab)
            await app.switch_mode(tab)
            if origin is not None and now is not None and origin.tab == tab:
                self._give_lens_back(now.effect)
        app.refresh_frame()

    def jump(self, tab: str, *what: Any, model: str | None = None) -> None:
        """Show on another screen what is behind something here; `escape` leads back.

        With a `model` the lens is its until then.
        """
        self._app.call_next(self._jump, tab, what, model)

    async def _jump(self, tab: str, what: tuple[Any, ...], model: str | None) -> None:
        app = self._app
        self._leave()
        before = app.lens
        app.look_at(model)
        app.flush_lens()
        if tab != app.tab:
            await app.switch_mode(tab)
        screen = self._screens.tab_screen(tab)
        asked = self._find_own_request(tab, screen.asked)
        screen.open(*what)
        self.history.jump(tab, JumpEffect(before, app.lens, asked, screen.asked))
        app.refresh_frame()

    def _find_own_request(self, tab: str, asked: Any) -> Any:
        """What a screen was asked for by the person: what an earlier jump asked for is not."""
        effects = (one.effect for one in reversed(self.history.places) if one.tab == tab)
        jumps = (one for one in effects if one is not None and one.asked_after == asked)
        found = next(jumps, None)
        return asked if found is None else found.asked_before

    def go_out(self) -> None:
        """Go to where the person came from: as that was left, what the jump changed given back."""
        self._app.call_next(self._go_out)

    async def _go_out(self) -> None:
        now, origin = self.history.now, self.history.origin
        if now is None or origin is None:
            await self.visit(HOME)
            return
        self._leave()
        self.history.go_out()
        self._give_asked_back(now)
        await self._show(origin)
        self._give_lens_back(now.effect)

    async def step(self, by: int) -> None:
        """Go to an earlier place, or to a later one where `by` is negative."""
        now, there = self.history.now, self.history.find_earlier(by)
        if now is None or there is None:
            self._app.say(f"there is no {'earlier' if by > 0 else 'later'} place")
            return
        self._leave()
        self.history.step(by)
        if now.origin == there.serial:
            self._give_asked_back(now)
        await self._show(there)
        if now.origin == there.serial:
            self._give_lens_back(now.effect)
        elif there.origin == now.serial and there.effect is not None:
            self._set_lens(there.effect.lens_after, there.effect.lens_before)

    async def _show(self, place: Place) -> None:
        """Bring a place to the front, as it was left."""
        self._app.flush_lens()
        await self._app.switch_mode(place.tab)
        screen, position = self._screens.tab_screen(place.tab), self.position_of(place)
        if position is not None and screen.position != position:
            screen.take_position(position)
        self._app.refresh_frame()

    def _leave(self) -> None:
        """Keep how the present place is left; what was said there is said no longer."""
        self._app.status.leave_screen()
        if self.history.now is None:
            self.history.visit(self._app.tab)
        screen = self._screens.tab_screen(self._app.tab)
        if screen.is_mounted:
            self.history.leave(screen.position, self._screens.summary_of(screen.tab))

    def keep_origin(self, tab: str, position: Any) -> None:
        """Keep that a screen was moved on from here: the way out leads to where it is then."""
        origin = self.history.origin
        if origin is not None and origin.tab == tab:
            self.history.leave_origin(position)

    # What jumps have changed

    def _give_asked_back(self, now: Place) -> None:
        screen, effect = self._screens.tab_screen(now.tab), now.effect
        if effect is not None and screen.asked is not None:
            asked = give_back(screen.asked, effect.asked_before, effect.asked_after)
            if asked != screen.asked:
                screen.ask_again(asked)

    def _give_lens_back(self, effect: JumpEffect | None) -> None:
        if effect is not None:
            self._set_lens(effect.lens_before, effect.lens_after)

    def _set_lens(self, before: "Lens | None", after: "Lens | None") -> None:
        now = self._app.lens
        if now is not None:
            self._app.set_lens(give_back(now, before, after) or now)
