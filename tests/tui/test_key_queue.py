"""Keys act one by one, in the order in which they were pressed."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from textual import events

from tui.app.app import LostkeysApp
from tui.app.key_queue import PATIENCE, ROUNDS, KeyPassed, KeyQueue


class Pane:
    """A widget with the focus: keys and what follows them come back when they are let."""

    is_attached = True

    def __init__(self) -> None:
        self.screen = SimpleNamespace(active_bindings={})
        self.following: list[KeyPassed] = []
        self.closing = False

    def post_message(self, message: KeyPassed) -> bool:
        if not self.closing:
            self.following.append(message)
        return not self.closing


class Typing:
    """An app of one pane."""

    def __init__(self) -> None:
        self.focused = Pane()
        self.takes_keys = True
        self.acted = ""
        self.dropped = 0
        self.looks: list[Callable[[], Any]] = []
        self.painted: list[Callable[[], Any]] = []
        self.now = 0.0
        self.queue = KeyQueue(cast(LostkeysApp, self), lambda: self.now)

    @property
    def screen(self) -> Any:
        return self.focused.screen

    async def give_key(self, key: Any) -> None:
        self.acted += key.key

    def set_timer(self, delay: float, callback: Callable[[], Any]) -> None:
        self.looks.append(callback)

    def call_after_refresh(self, callback: Callable[[], Any]) -> None:
        self.painted.append(callback)

    def call_next(self, callback: Callable[[], Any]) -> None:
        self.looks.append(callback)

    def say_dropped(self, count: int) -> None:
        self.dropped += count

    async def press(self, keys: str) -> None:
        for key in keys:
            await self.queue.press(events.Key(key, key))

    async def come_back(self) -> None:
        """Let the key on its way, and what it has sent, come back."""
        for _ in range(ROUNDS):
            await self.queue.take_passed(self.focused.following.pop(0))

    async def look(self) -> None:
        await self.looks.pop()()


async def test_a_key_acts_when_the_one_before_has_acted() -> None:
    app = Typing()
    await app.press("abc")
    assert app.acted == "a"
    await app.queue.take_passed(app.focused.following.pop(0))
    assert app.acted == "a", "the messages it has sent are on their way"
    await app.queue.take_passed(app.focused.following.pop(0))
    assert app.acted == "ab"
    await app.come_back()
    assert app.acted == "abc"
    await app.come_back()
    assert app.focused.following == []


async def test_a_key_that_acts_may_know_which_one_waits() -> None:
    app = Typing()
    waiting = [app.queue.next_key]
    await app.press("abc")
    for _ in range(3):
        waiting.append(app.queue.next_key)
        await app.come_back()
    await app.press("d")
    await app.queue.press(events.Paste("text"))
    waiting.append(app.queue.next_key)
    assert waiting == [None, "b", "c", None, None]


async def test_a_key_acts_as_soon_as_what_it_is_meant_for_is_painted() -> None:
    app = Typing()
    await app.press("ab")
    app.takes_keys = False
    await app.come_back()
    assert app.acted == "a"
    app.takes_keys = True
    app.painted.pop()()
    assert app.acted == "a", "that is the app's to do, not the screen's"
    await app.look()
    assert app.acted == "ab"
    await app.come_back()
    assert not app.painted


async def test_keys_wait_for_what_they_are_meant_for() -> None:
    app = Typing()
    app.takes_keys = False
    await app.press("ab")
    await app.look()
    assert app.acted == ""
    app.takes_keys = True
    await app.look()
    assert app.acted == "a"
    await app.come_back()
    assert app.acted == "ab"


async def test_what_closes_or_goes_behind_another_screen_is_not_waited_for() -> None:
    app = Typing()
    await app.press("ab")
    app.focused = Pane()
    await app.look()
    assert app.acted == "ab"
    app.focused.closing = True
    await app.look() if app.looks else None
    app.focused = Pane()
    app.focused.closing = True
    await app.press("cd")
    assert app.acted == "abcd"


async def test_what_comes_back_late_from_the_screen_behind_lets_no_key_go_before_its_turn() -> None:
    app = Typing()
    await app.press("abcd")
    behind = app.focused
    app.focused = Pane()
    await app.look()
    assert app.acted == "ab"
    for _ in range(ROUNDS):
        await app.queue.take_passed(behind.following.pop(0))
        if not behind.following:
            break
    assert app.acted == "ab", "b has not acted yet"
    await app.come_back()
    assert app.acted == "abc"


async def test_after_long_a_key_that_leads_away_goes_before_and_the_others_are_dropped() -> None:
    app = Typing()
    app.takes_keys = False
    bound = SimpleNamespace(node=app.focused)
    app.focused.screen.active_bindings["a"] = bound
    await app.press("aaq")
    assert app.acted == ""
    app.now = PATIENCE + 1
    await app.press("a")
    assert (app.acted, app.dropped) == ("", 0)
    await app.press("x")
    assert app.acted == "x"
    assert app.dropped == 4


async def test_a_click_drops_what_waits_and_says_so() -> None:
    app = Typing()
    app.queue.drop()
    assert app.dropped == 0
    app.takes_keys = False
    await app.press("a")
    app.queue.drop()
    assert app.dropped == 1
    app.takes_keys = True
    await app.look()
    assert app.acted == ""
