"""How a person left the open database: taken up when it is opened, kept while it is used."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from core.settings.plain_data import from_plain
from core.views.place_history import PlaceHistory
from tui.app.tab_table import NAMES, TABS
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.widgets.pane_layout import PaneLayout
from tui.widgets.pane_screen import changes_of

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from core.dataset.fact_index import FactIndex
    from core.views.lens import Lens
    from core.views.saved_session import OpenedDatabase, ReadSession, SavedSession
    from core.views.session import Session
    from core.views.snapshot import Snapshot
    from tui.app.app import LostkeysApp
    from tui.app.place_controller import PlaceController
    from tui.widgets.pane_layout import Layouts

AFTER = 1.5
"""Seconds from a change that is seen to its being written; changes are looked for more often."""

DAY = 86_400.0


class SessionController:
    """The session of the open database, and that among the recent ones."""

    def __init__(self, app: "LostkeysApp", places: "PlaceController", fresh: bool) -> None:
        self._app, self._places, self._fresh = app, places, fresh
        self._identity: str | None = None
        """The random id of the open database; None until that is open."""
        self._seen: SavedSession | None = None
        self._index: FactIndex | None = None
        """The facts that there were when it was seen."""
        self._written: SavedSession | None = None
        """What stands in the file: what was read counts, so who touches nothing writes nothing."""
        self._due: float | None = None
        self._changes: object = None
        """What had changed on screen when it was seen last."""
        self._writer: ThreadPoolExecutor | None = None
        """A thread of its own: what the db worker computes aside may hold up a write for long."""
        self._written_by: Future[str | None] | None = None
        """The write under way, or the last one; its result is why it failed."""
        self._told: str | None = None
        """Why the last write failed, as it was said: once, not with every change."""
        self.failure: str | None = None
        """Why what was written last, as the database was left, is not kept."""
        self._recent: Path | None = None
        """The database that stands among the recent ones."""

    @property
    def _remembers(self) -> bool:
        return self._app.settings.remember

    # Opening

    def work(self, session: "Session") -> "OpenedDatabase":
        """Open the database as it was left; runs in the thread of the db worker."""
        from core.views.saved_session import open_as_left

        return open_as_left(session, self._remembers and not self._fresh, shows_one_model)

    def take_opened(self, found: "OpenedDatabase", then: Callable[[], None]) -> None:
        """Go to where the person was, then go on; who has gone anywhere meanwhile stays there."""
        self._identity = found.identity
        moved = self._places.history.now is not None or self._app.tab != TABS[0].tab
        left = found.left
        if left is None or moved or not len(found.snapshot.index):
            then()
        else:
            self._app.call_next(self._go_on, found, left, then)

    async def _go_on(
        self, found: "OpenedDatabase", left: "ReadSession", then: Callable[[], None]
    ) -> None:
        session, places = left.session, self._places
        here = session.tab if session.tab in NAMES else TABS[0].tab
        known = tuple(one for one in session.places if one.tab in NAMES)
        if len(known) == len(session.places) and 0 <= session.at < len(known):
            places.history = PlaceHistory(known, session.at)
        places.restored = {tab: one for tab, one in session.screens.items() if tab in NAMES}
        self._app.pane_layouts.update(read_layouts(session.layouts))
        self._written = self._as_taken(here, found.snapshot.lens)
        home = self._app.tab_screen(TABS[0].tab)
        home.take_restored()
        if here != TABS[0].tab:
            await self._app.switch_mode(here)
        then()
        line = draw_left_line(found, left, self._app.tab_screen(here).position, home.asked)
        self._app.say(line)

    # Keeping

    def look(self) -> None:
        """See how the screens are; a change is written a little later."""
        snapshot = self._app.snapshot
        if self._identity is None or snapshot is None or not len(snapshot.index):
            return
        if not self._remembers or not self._app.is_running:
            return
        self._seen, self._index = self._make_session(), snapshot.index
        if self._seen == self._written:
            self._due = None
        elif self._due is None:
            self._due = monotonic() + AFTER

    def poll(self) -> None:
        """See how the screens are, and write it if it is time; say once why that failed."""
        self._say_failure()
        snapshot = self._app.snapshot
        listed = snapshot is not None and snapshot.whole and len(snapshot.index)
        if snapshot is not None and listed and self._recent != self._app.path:
            self._recent = self._app.path
            self._executor.submit(remember_database, self._app.path, snapshot)
        changes = changes_of(self._app.screen_stack), self._app.lens  # a refused lens is taken back
        if changes[0] is None or changes != self._changes:  # else all is as it was seen last
            self._changes = changes
            self.look()
        if self._due is not None and monotonic() >= self._due:
            self.write_now()

    @property
    def is_due(self) -> bool:
        """Whether a change is seen that is not written yet."""
        return self._due is not None

    def close(self) -> None:
        """Write what is not written yet: the database is left."""
        self.look()
        if self._app.snapshot is not None and self._app.snapshot.whole:
            remember_database(self._app.path, self._app.snapshot)
        if self.is_due:
            self.write_now()
        if self._writer is not None:
            self._writer.shutdown()
        if self._written_by is not None:
            self.failure, self._written_by = self._written_by.result(), None
        self._identity = self._seen = self._written = self._due = self._writer = None
        self._changes = None

    def write_now(self) -> None:
        """Have what was seen last written, by a thread of its own."""
        from core.views import saved_session

        seen, identity, index = self._seen, self._identity, self._index
        if seen is not None and identity is not None and index is not None:
            self._written, self._due = seen, None
            self._written_by = self._executor.submit(
                saved_session.write_session, self._app.path, identity, seen, index
            )

    @property
    def _executor(self) -> "ThreadPoolExecutor":
        """The thread that writes, from when it is first wanted."""
        from concurrent.futures import ThreadPoolExecutor

        self._writer = self._writer or ThreadPoolExecutor(1, "session")
        return self._writer

    def _say_failure(self) -> None:
        written = self._written_by
        if written is None or not written.done() or self._hears_another:
            return
        self._written_by, why = None, written.result()
        self.failure = why
        if why is not None and why != self._told:
            self._app.say(Line("how you leave this is not kept: ", "ink-2").add(why, "label-p"))
        self._told = why

    @property
    def _hears_another(self) -> bool:
        """Whether a message stands that was asked for by a key: this one can wait for its end."""
        return self._app.status.said is not None and not self._app.look.is_spoken

    def _make_session(self) -> "SavedSession":
        from core.views.saved_session import SavedSession

        tabs = [one.tab for one in TABS if self._places.is_seen(one.tab)]
        screens = {tab: self._app.tab_screen(tab).position for tab in tabs}
        history = self._places.history
        return SavedSession(
            self._app.tab,
            self._app.lens,
            self._places.restored | screens,
            history.places,
            history.at,
            {tab: dict(one) for tab, one in self._app.pane_layouts.items()},
        )

    def _as_taken(self, here: str, lens: "Lens") -> "SavedSession":
        """What was read, as it will be seen: positions of screens to be shown have their types."""
        from core.views.saved_session import SavedSession

        places, history = self._places, self._places.history
        shown = {
            tab: places.read_position(tab, places.restored[tab])
            for tab in (TABS[0].tab, here)
            if tab in places.restored
        }
        layouts = {tab: dict(one) for tab, one in self._app.pane_layouts.items()}
        screens = places.restored | shown
        return SavedSession(here, lens, screens, history.places, history.at, layouts)


def shows_one_model(left: "SavedSession") -> bool:
    """Whether no more is in sight than the lens's model: the list of facts, its usual columns."""
    home = TABS[0].tab
    asking = _member(left.screens.get(home), "asking")
    return left.tab in ("", home) and not _member(asking, "columns")


def _member(plain: Any, name: str) -> Any:
    return plain.get(name) if isinstance(plain, Mapping) else None


def remember_database(path: Path, snapshot: "Snapshot") -> None:
    """Put a database among the recent ones, as it is now; one without facts is none of them."""
    from core.settings import recent_files

    if len(snapshot.index):
        recent_files.remember(path, len(snapshot.index), len(snapshot.models))


def read_layouts(plain: Mapping[str, Any]) -> "Layouts":
    """How panes were laid out; what cannot be read is as at the start."""
    found: Layouts = {}
    for tab, by_width in plain.items():
        with suppress(ValueError):
            kind = cast("type[dict[str, PaneLayout]]", Mapping[str, PaneLayout])
            found[tab] = from_plain(kind, by_width)
    return found


def draw_left_line(found: "OpenedDatabase", left: "ReadSession", position: Any, asked: Any) -> Line:
    """`as you left it, Sat 18:04: RF, τ .75`, how to get rid of that, and what is gone."""
    now, start = found.snapshot.lens, found.start
    when = datetime.fromtimestamp(left.saved).astimezone()
    days = (datetime.now().astimezone() - when).total_seconds() / DAY
    line = Line("as you left it, ", "ink-2")
    line.add(f"{when:%a %H:%M}" if days < 6 else f"{when:%d %b %H:%M}", "ink-2")
    filters = list(list_asked(asked))
    lens = list(lens_words(now, start))
    for at, words in enumerate((*filters, *lens)):
        line.add(": " if not at else ", ", "ink-2").add(words[:40], "ink")
    if lens:
        line.add("  = ", "accent bold").add("start values", "ink-2")
    if now.ranked != start.ranked:
        line.add("  g ", "accent bold").add("graders", "ink-2")
    if filters:
        line.add("  F ", "accent bold").add("all facts", "ink-2")
    gone = list(gone_words(found, left, position))
    if gone:
        line.add(f"  gone: {', '.join(one[:40] for one in gone)}", "label-p")
    return line


def list_asked(asked: Any) -> Iterator[str]:
    """What the list of facts is asked for."""
    from tui.screens.facts.state import filter_words

    return filter_words(asked)


def lens_words(now: "Lens", start: "Lens") -> Iterator[str]:
    """What of a lens differs from the one at the start."""
    from core.scoring.precedence import PEOPLE
    from core.views.verdict_reasons import format_tau

    if now.model != start.model and now.model is not None:
        yield now.model
    if now.thinking is not start.thinking:
        yield f"thinking {now.thinking.value}"
    if now.policy.tau != start.policy.tau:
        yield f"{spell('τ')} {format_tau(now.policy.tau)}"
    if now.policy.strategy is not start.policy.strategy:
        yield now.policy.strategy.value
    if now.ranked != start.ranked:
        graders = spell(" › ").join("you" if one == PEOPLE else one for one in now.ranked)
        yield f"graded by {graders}"


def gone_words(found: "OpenedDatabase", left: "ReadSession", position: Any) -> Iterator[str]:
    """Models, graders and the fact under the cursor that are not there any more."""
    wanted, now = left.session.lens, found.snapshot.lens
    if wanted is not None:
        if wanted.model is not None and wanted.model != now.model:
            yield wanted.model
        graders = dict.fromkeys((*wanted.ranked, *wanted.compared))
        yield from (one for one in graders if one not in (*now.ranked, *now.compared))
    fact = getattr(position, "fact", None)
    if fact is not None and fact not in found.snapshot.index.fact_ids:
        yield str(fact)
    yield from left.lost
