"""Where a person was and what led there: earlier and later places, and the way out of each."""

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from core.views.lens import Lens

MOST = 50
"""Places that are remembered."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class JumpEffect:
    """What a jump changed: the lens, and what the list of facts is asked for.

    `asked` is None for both where the jump led to another screen.
    """

    lens_before: Lens | None = None
    lens_after: Lens | None = None
    asked_before: Any = None
    asked_after: Any = None


@dataclass(frozen=True, slots=True)
class Place:
    """A screen (its tab) as it was left.

    `serial` is the same for a place that is come back to. `origin` is the serial of the place that
    `enter`, a figure or the palette led here from; None where a key of a screen did.
    """

    tab: str
    serial: int
    position: Any = None
    """What the screen gives and takes; a mapping where it was read from a file."""
    origin: int | None = None
    effect: JumpEffect | None = None
    words: str = ""
    """What was there when it was left, in a few words."""


@dataclass(slots=True)
class PlaceHistory:
    """Places in the order in which they were gone to, `at` the present one."""

    places: tuple[Place, ...] = ()
    at: int = -1

    @property
    def now(self) -> Place | None:
        """The present place."""
        return self.places[self.at] if 0 <= self.at < len(self.places) else None

    @property
    def origin(self) -> Place | None:
        """Where the way out leads; None where the present place was not jumped to."""
        now = self.now
        if now is None or now.origin is None:
            return None
        before = reversed(self.places[: self.at])
        return next((one for one in before if one.serial == now.origin), None)

    def find_earlier(self, by: int) -> Place | None:
        """The place so many steps back, or on where that is negative."""
        at = self.at - by
        return self.places[at] if 0 <= at < len(self.places) else None

    def leave(self, position: Any, words: str = "") -> None:
        """Keep how the present place is left, and what is there in a few words."""
        self._keep(self.at, position, words)

    def leave_origin(self, position: Any) -> None:
        """Keep how the place is left that the way out leads to: it was moved from here."""
        origin = self.origin
        if origin is not None:
            at = max(at for at, one in enumerate(self.places[: self.at]) if one is origin)
            self._keep(at, position, origin.words)

    def _keep(self, at: int, position: Any, words: str) -> None:
        if not 0 <= at < len(self.places):
            return
        kept = replace(self.places[at], position=position, words=words)
        if kept != self.places[at]:
            self.places = (*self.places[:at], kept, *self.places[at + 1 :])

    def visit(self, tab: str) -> Place:
        """Go to a screen by its key."""
        return self._enter(Place(tab, self._next))

    def jump(self, tab: str, effect: JumpEffect) -> Place:
        """Go to a screen from something on the present one."""
        origin = None if self.now is None else self.now.serial
        return self._enter(Place(tab, self._next, None, origin, effect))

    def go_out(self) -> Place | None:
        """Go back to where the present place was jumped to from."""
        origin = self.origin
        return None if origin is None else self._enter(origin)

    def step(self, by: int) -> Place | None:
        """Go so many places back, or on where that is negative; None at the ends."""
        found = self.find_earlier(by)
        if found is not None:
            self.at -= by
        return found

    @property
    def _next(self) -> int:
        return 1 + max((one.serial for one in self.places), default=0)

    def _enter(self, place: Place) -> Place:
        """A new place ends the later ones; the oldest is forgotten where there are too many."""
        self.places = (*self.places[: self.at + 1], place)[-MOST:]
        self.at = len(self.places) - 1
        return place


def give_back(now: T, before: T, after: T) -> T:
    """`now`, with what was changed from `before` to `after`, and by nobody since, as before."""
    if not is_dataclass(now) or now is None or before is None or after is None:
        return now
    changes = {
        one.name: getattr(before, one.name)
        for one in fields(now)
        if getattr(before, one.name) != getattr(after, one.name)
        and getattr(now, one.name) == getattr(after, one.name)
    }
    return cast("T", replace(cast("Any", now), **changes)) if changes else now
