"""Hostile texts at every place where text is shown: the screen stays whole, and so does the text.

By default 1,000 texts go through lists, answers, dialogs, fields and edges, and some through what
a fact shows once; with `LOSTKEYS_HEAVY` set all of them do.
"""

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from textual.geometry import Region
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widget import Widget

from core.dataset.fact_filters import Filters
from core.errors import LostkeysError
from core.settings.preferences import Settings
from core.settings.recent_files import remember
from core.views.fact_query import FactQuery
from core.views.filter_choices import Choices
from core.vocabulary import TASKS, Task
from tests.effort import HEAVY
from tests.marks import slow
from tests.patience import until
from tests.terminal import Terminal, forked
from tests.tui.hostile import cells, essence, fault, shows, texts, unique, unusual
from tests.tui.hostile_project import (
    PERSON,
    SAMPLES,
    answers_of,
    hostile_project,
    text_of,
)
from tests.tui.seeing import settled
from tui.app.app import LostkeysApp
from tui.dialogs.choice_dialog import Choose, Option
from tui.dialogs.confirm_dialog import ErrorDialog
from tui.dialogs.filter_dialog import FilterForm
from tui.dialogs.input_dialog import AskLine
from tui.frame.status_line import StatusLine
from tui.screens.confusion.screen import ConfusionScreen
from tui.screens.facts.column_layout import FIRST, layout
from tui.screens.facts.screen import FactsScreen
from tui.screens.facts.state import draw_query
from tui.screens.task.screen import TaskScreen
from tui.screens.task.state import AnswerPage
from tui.text.inert_text import make_inert
from tui.text.line import Line, Span
from tui.text.line_wrap import paragraph, wrap_spans
from tui.theme.look import look_named
from tui.widgets.line_view import LineView
from tui.widgets.pane import Pane
from tui.widgets.text_field import TextField

COUNT = 1000
TEXTS = unique(texts(seed=3, count=COUNT + COUNT // 4))[:COUNT]
FACTS = COUNT if HEAVY else 66
SIZES = [(80, 24), (120, 40), (200, 60)]
DISAGREEMENTS = COUNT if HEAVY else 40
"""Disagreements that are opened."""
JUDGED = COUNT // (2 * SAMPLES) + 1
"""Facts whose answers are all texts together."""

LOOK = look_named("dark")


def test_there_are_as_many_texts_as_is_said() -> None:
    assert len(set(TEXTS)) == COUNT


# Lines: what every place is made of


@pytest.mark.parametrize("width", [1, 2, 7, 20, 80])
def test_fields_are_as_wide_as_they_should_be_and_show_the_text(width: int) -> None:
    for text in TEXTS:
        shown = Line().cell(text, width).text
        assert fault(f"|{shown}", width + 1) is None
        assert width < 20 or shows(shown, text), (shown, text)


@pytest.mark.parametrize("width", [slow(8), 21, slow(80)])
def test_wrapped_text_is_whole(width: int) -> None:
    for text in TEXTS:
        for lines in (
            list(wrap_spans([Span(make_inert(text), "ink")], width)),
            paragraph(text, width),
        ):
            assert essence("\n".join(line.text for line in lines)) == essence(text)
            for line in lines:
                strip = LOOK.strip(Line(" ").join(line), width + 1)
                assert fault(strip.text, width + 1) is None


def test_a_line_that_is_cut_has_its_width() -> None:
    after = Line("0.50", "ink")
    for text in TEXTS:
        line = Line("1 ").add(text).right(Line().join(after), 40)
        assert fault(line.text, 40) is None
        assert line.text.endswith("0.50")


def test_chips_fit_beside_the_search() -> None:
    for text in TEXTS:
        filters = Filters(topics=frozenset([text]), types=frozenset([text[::-1]]))
        line = draw_query(FactQuery(filters=filters), 60, LOOK)
        assert fault(LOOK.strip(Line(" ").join(line), 61).text, 61) is None


WAYS_ROUND = re.compile(
    r"\b(?:Static|Markdown|RichLog|from_markup|Text)\(|\.notify\([^)]|\.border_(?:sub)?title = [^s]"
    r"|\.tooltip\b|from textual\.widgets import (?!Input$)"
)


OWN_TEXT = ("pane.py", "text_box.py", "hint_controller.py")
"""Files that make such text inert themselves, or only ask what has the focus."""


def test_no_widget_takes_text_past_the_line_builder() -> None:
    for file in (Path(__file__).parents[2] / "tui").rglob("*.py"):
        if "cli" not in file.parts and file.name not in OWN_TEXT:
            found = [line for line in file.read_text().splitlines() if WAYS_ROUND.search(line)]
            assert not [line for line in found if not line.lstrip().startswith(("def ", "#"))], file


# Screens


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "h \u202e[b].db"
    hostile_project(path, TEXTS, FACTS)
    return path


def screen_rows(app: LostkeysApp) -> list[Strip]:
    """The rows of all that is seen, dialogs and what is behind them."""
    update = app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    return [Strip.join(chunks) for chunks in update.strips]  # type: ignore[union-attr]


def check_strip(strip: Strip, width: int) -> None:
    """Exactly as wide as it should be, and nothing in it that a terminal or Textual would obey."""
    assert fault(strip.text, width) is None
    assert strip.cell_length == width
    for segment in strip:
        assert not segment.control
        if segment.style is not None:
            assert segment.style.link is None
            assert not any("click" in name for name in segment.style.meta)


def check_screen(app: LostkeysApp) -> list[list[str]]:
    """Every row is whole, all borders are where they belong; gives the screen's cells."""
    rows = screen_rows(app)
    assert len(rows) == app.size.height
    for strip in rows:
        check_strip(strip, app.size.width)
    shown = [cells(strip.text) for strip in rows]
    for pane in app.screen.query(Pane):
        check_borders(shown, pane)
    if not app.screen.is_modal:
        assert "Facts" in "".join(shown[0])
        assert "help" in "".join(shown[-1])
    return shown


def check_borders(shown: list[list[str]], pane: Pane) -> None:
    region = pane.region
    if not region or not pane.is_on_screen:
        return
    top, bottom = region.y, region.bottom - 1
    left, right = region.x, region.right - 1
    if not pane.gutter.left:  # the top edge alone
        assert shown[top][left] == "─"
        return
    corners = [shown[top][left], shown[top][right], shown[bottom][left], shown[bottom][right]]
    assert corners == ["╭", "╮", "╰", "╯"]
    for y in range(top + 1, bottom):
        assert (shown[y][left], shown[y][right]) == ("│", "│")


@asynccontextmanager
async def opened(database: Path, width: int, height: int) -> AsyncIterator[Pilot[None]]:
    app = LostkeysApp(database, Settings(name=PERSON, theme="dark"))
    async with app.run_test(size=(width, height)) as pilot:
        await until(lambda: app.snapshot is not None and app.facts is not None)
        yield pilot


def facts_screen(app: LostkeysApp) -> FactsScreen:
    screen = app.tab_screen("facts")
    assert isinstance(screen, FactsScreen)
    return screen


async def question(app: LostkeysApp, fact: int, task: Task) -> TaskScreen:
    """The Task screen, once it shows a question."""
    app.places.jump("task", fact, task)
    await until(lambda: app.tab == "task" and app.tab_screen("task").is_mounted)
    screen = app.tab_screen("task")
    assert isinstance(screen, TaskScreen)
    reading = screen.state
    await until(lambda: (reading.fact, reading.task) == (fact, task) and not reading.waiting)
    return screen


def title_of(number: int) -> str:
    """A page's title as it is shown, without the underscores of its address."""
    return text_of(TEXTS, "title", number).replace("_", " ") or text_of(TEXTS, "subject", number)


def page_text(widget: LineView) -> str:
    """All lines of a view, in sight or not."""
    width = widget.size.width
    lines = [widget.draw(row, 0, width) for row in range(widget.row_count())]
    return "\n".join(line.text for line in lines)


def has_beginning(shown: str, text: str, most: int = 6) -> bool:
    """Whether what is shown holds the text, or the first characters of it."""
    return essence(text)[:most] in essence(shown)


@pytest.mark.slow
@pytest.mark.parametrize(("turn", "size"), list(enumerate(SIZES)))
async def test_facts(database: Path, turn: int, size: tuple[int, int]) -> None:
    async with opened(database, *size) as pilot:
        app = pilot.app
        assert isinstance(app, LostkeysApp)
        screen = facts_screen(app)
        if screen.narrow:
            screen.panes.go_in()
        seen = 0
        for row in range(turn, FACTS, len(SIZES)):
            screen.list.view.move_to(row)
            number = (screen.list.fact or 0) - 1
            await until(partial(shows_fact, screen, number + 1))
            shown = check_screen(app)
            check_fact(screen, number)
            edge = shown[screen.fact.region.y][screen.fact.region.x :]
            assert has_beginning("".join(edge), title_of(number), 1)
            seen += 1
        assert seen >= FACTS // len(SIZES)


def shows_fact(screen: FactsScreen, fact: int) -> bool:
    view = screen.fact.view
    return view is not None and view.fact == fact and bool(screen.fact.page.rows)


def check_fact(screen: FactsScreen, number: int) -> None:
    page = "\n".join(row.line.text for row in screen.fact.page.rows)
    if not screen.low:
        assert has_beginning(page, text_of(TEXTS, "gold", number), 1)
        assert has_beginning(page, text_of(TEXTS, "direct", number))
        for thinking in (True,) if screen.narrow else (False, True):
            for answer in answers_of(TEXTS, number, thinking):
                assert has_beginning(page, answer.strip(), 1)


@pytest.mark.slow
async def test_lists(tmp_path: Path) -> None:
    database = tmp_path / "list.db"
    hostile_project(database, TEXTS, COUNT, answered=0)
    async with opened(database, 120, 40) as pilot:
        app = pilot.app
        assert isinstance(app, LostkeysApp)
        view = facts_screen(app).list.view
        await until(lambda: view.listing is not None)
        drawn = set()
        assert view.listing is not None
        columns = layout(None, view.listing.wanted.order, 200)
        title = next(one.cells for one in columns if one.name == "title")
        while True:
            check_screen(app)
            for row in view.in_sight:
                number = int(view.listing.places[row])
                line = "".join(cells(view.draw(row, 0, 200).text)[FIRST : FIRST + title])
                assert shows(line, title_of(number)), line
                drawn.add(number)
            if view.cursor == COUNT - 1:
                break
            view.action_page_down()
        assert len(drawn) == COUNT


@pytest.mark.slow
async def test_answers_are_whole(database: Path) -> None:
    """Every text as an answer: in its row, judged, and on its own page to the last character."""
    async with opened(database, 120, 40) as pilot:
        app = pilot.app
        assert isinstance(app, LostkeysApp)
        seen = set()
        for number in range(JUDGED):
            screen = await question(app, number + 1, Task.DIRECT)
            assert screen.state.view is not None
            for answer in screen.state.view.answers:
                text = answers_of(TEXTS, number, answer.thinking)[answer.sample]
                assert answer.text == text
                screen.state.slot = answer.slot
                screen.state.page = AnswerPage.ANSWER
                screen.paint()
                shown = page_text(screen.panes.open_view).partition("\n")[2]
                assert essence(text) in essence(shown.rpartition("answer ─")[2]) or not text.strip()
                seen.add(text)
            check_screen(app)
            screen.state.page = AnswerPage.JUDGEMENT
            screen.paint()
            check_screen(app)
            assert has_beginning(page_text(screen.panes.open_view), text, 3)
            check_rows(screen)
        assert len(seen) == COUNT


def check_rows(screen: TaskScreen) -> None:
    """The row of every answer shows it, or as much as there is room for."""
    view, width = screen.panes.answers_view, screen.panes.answers_view.size.width
    for row, found in enumerate(view.rows):
        if found.answer is not None and found.answer.text.strip():
            shown = "".join(cells(view.draw(row, 0, width).text)[5 : width - 11])
            assert shows(shown, found.answer.text.strip()), (shown, found.answer.text)


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES if HEAVY else SIZES[::2])
async def test_every_task_and_page(database: Path, size: tuple[int, int]) -> None:
    async with opened(database, *size) as pilot:
        app = pilot.app
        assert isinstance(app, LostkeysApp)
        for number, task in enumerate([*TASKS, *TASKS]):
            screen = await question(app, number + 1, task)
            check_screen(app)
            if screen.state.answer is not None:
                screen.action_open()
                for page in AnswerPage:
                    screen.state.page = page
                    screen.paint()
                    await pilot.pause()
                    check_screen(app)


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
async def test_disagreements(database: Path, size: tuple[int, int]) -> None:
    async with opened(database, *size) as pilot:
        app = pilot.app
        assert isinstance(app, LostkeysApp)
        await pilot.press("f4")
        screen = app.tab_screen("confusion")
        assert isinstance(screen, ConfusionScreen)
        state = screen.state
        await until(lambda: state.card is not None)
        check_screen(app)
        await pilot.press("enter")
        for _ in range(DISAGREEMENTS):
            await pilot.press("j")
            await until(
                lambda: state.card is not None and state.card.slot == screen.deciding.panes.slot
            )
            await pilot.pause()
            check_screen(app)
        for key in ("v", "tab", "tab", "v", "escape"):
            await pilot.press(key)
            await pilot.pause()
            check_screen(app)


LONG_TEXTS = ["x" * 10**6, "two words\n" * 10**5, "漢字 " * 333_334, "e\u0301\x1b[31m" * 10**5]


@pytest.mark.slow
@pytest.mark.parametrize("text", LONG_TEXTS if HEAVY else LONG_TEXTS[:2])
async def test_an_answer_of_a_million_characters(tmp_path: Path, text: str) -> None:
    database = tmp_path / "long.db"
    hostile_project(database, [text, *TEXTS[:99]], 1)
    async with opened(database, 100, 30) as pilot:
        app = pilot.app
        assert isinstance(app, LostkeysApp)
        screen = await question(app, 1, Task.DIRECT)
        check_screen(app)
        screen.state.page = AnswerPage.ANSWER
        screen.paint()
        await until(lambda: screen.panes.open_view.row_count() > 1000)
        check_screen(app)
        screen.panes.open_view.action_last()
        await pilot.pause()
        check_screen(app)
        shown = page_text(screen.panes.open_view).partition("\n")[2]
        assert essence(text) == essence(shown)


# Frame, dialogs, fields


def check_widget(widget: Widget) -> str:
    """Draw one widget alone, border and all; gives its text."""
    width, height = widget.outer_size
    strips = widget.render_lines(Region(0, 0, width, height))
    for strip in strips:
        check_strip(strip, width)
    return "\n".join(strip.text for strip in strips)


@pytest.mark.slow
async def test_titles_edges_and_the_status_line(database: Path) -> None:
    async with opened(database, 120, 40) as pilot:
        app = pilot.app
        assert isinstance(app, LostkeysApp)
        pane = facts_screen(app).list
        status = app.screen.query_one(StatusLine)
        for text in TEXTS:
            app.status.said = Line(text, "label-i")
            assert status.draw(120).width <= 120
            status.refresh_changed()
            shown = check_widget(status)
            assert has_beginning(shown, text)
            pane.title(Line(text))
            pane.edge(pane.error_line(text))
            shown = check_widget(pane)
            assert has_beginning(shown.splitlines()[0], text, 2)
            assert "ctrl+r tries again" in shown.splitlines()[-1]


@pytest.mark.slow
async def test_what_is_typed_or_pasted(database: Path) -> None:
    async with opened(database, 100, 30) as pilot:
        app = pilot.app
        assert isinstance(app, LostkeysApp)
        await app.push_screen(AskLine("your name", TEXTS[0], "", lambda text: f"not {text}"))
        field = app.screen.query_one(TextField)
        for text in TEXTS:
            field.value = ""
            field.insert_text_at_cursor(text[:200])
            field.cursor_position = 0
            assert shows_in_field(check_widget(field), text[:200])
        await pilot.press("enter")
        await pilot.pause()
        check_screen(app)


def shows_in_field(shown: str, text: str) -> bool:
    """Whether a field shows the text from its beginning, as far as it is wide."""
    whole = essence(make_inert(text))
    found = essence(re.sub(r"\\(?:[xu]\{?[0-9a-f]{0,6})?$", "", shown.rstrip()))
    return whole.startswith(found) or found == whole


@pytest.mark.slow
async def test_lists_to_choose_from(database: Path) -> None:
    choices = Choices(
        {"RF": 1},
        dict.fromkeys(TEXTS, 1),
        {},
        dict.fromkeys(("bottom", "middle", "top", "unknown"), 0),
        {"any": 0, "profile": 0},
        dict.fromkeys(("flagged", "edited", "noted"), 0),
        {},
        0,
    )
    async with opened(database, 90, 40) as pilot:
        app = pilot.app
        assert isinstance(app, LostkeysApp)
        options = [Option(text, text, Line(text[:9], "ink-3")) for text in TEXTS]
        for dialog in (Choose("model", options, TEXTS[5]), FilterForm(Filters(), choices)):
            await app.push_screen(dialog)
            await settled(pilot)
            view = dialog.query_one(LineView)
            seen: set[int] = set()
            while len(seen) < view.row_count():
                seen |= set(view.in_sight)
                check_screen(app)
                view.scroll_to(y=view.scroll_y + view.size.height, animate=False, immediate=True)
            assert len(seen) == view.row_count() >= COUNT
            dialog.dismiss(None)
            await pilot.pause()


@pytest.mark.slow
async def test_errors_graders_models_commands_and_recent_files(
    database: Path, tmp_path: Path
) -> None:
    for number, text in enumerate(TEXTS[:40]):
        file = tmp_path / f"{number} {text[:40].replace('/', '').replace(chr(0), '')}.db"
        file.touch()
        remember(file, number, 1)
    async with opened(database, 100, 30) as pilot:
        app = pilot.app
        assert isinstance(app, LostkeysApp)
        for text in TEXTS[:: COUNT // 5]:
            await app.push_screen(ErrorDialog(LostkeysError(text)))
            await pilot.pause()
            check_screen(app)
            words = app.screen.query_one(LineView)
            assert essence(page_text(words)) == essence(make_inert(text))
            await pilot.press("escape")
        for key in ("m", "g", "ctrl+p", "f"):
            await pilot.press(key)
            await settled(pilot)
            check_screen(app)
            await pilot.press("escape")
        app.open_database(tmp_path / "none.db")
        await until(lambda: app.screen.query("StartPane"))
        await settled(pilot)
        shown = check_screen(app)
        assert any("recent" in "".join(row) for row in shown)


# What the real program sends to a terminal

WALK = (
    *("j", "j", "v", "3", "space", "enter", "enter", "v", "v", "v", "c", "n", "escape", "escape"),
    *(
        "J",
        "J",
        "5",
        "9",
        "0",
        "f1",
        "m",
        "escape",
        "g",
        "escape",
        "f",
        "escape",
        "ctrl+p",
        "escape",
    ),
    *("/", "e", "s", "enter", "escape", "pagedown", "end", "home", "s", "s", "t", "x", "u", "?"),
)


def batched(keys: Sequence[str], count: int) -> Iterator[Sequence[str]]:
    """The keys in groups."""
    return (keys[start : start + count] for start in range(0, len(keys), count))


@pytest.fixture
def terminal(database: Path, tmp_path: Path) -> Iterator[Terminal]:
    config = tmp_path / "config"
    config.mkdir()
    (config / "settings.toml").write_text(f'name = "{PERSON}"\n')
    with forked(("--db", str(database)), tmp_path, 100, 30) as found:
        found.wait(f"{FACTS:,} facts")
        found.settle()
        yield found


@pytest.mark.slow
def test_nothing_of_the_data_steers_the_terminal(terminal: Terminal) -> None:
    for keys in batched(WALK, 3):
        for key in keys:
            terminal.press(key)
            terminal.read(0.05 if key != "escape" else 0.2)
        terminal.settle()
        assert "".join(terminal.screen.display[0]).strip()
        assert [len(row) for row in map(cells, terminal.screen.display)] == [100] * 30
    terminal.press("escape")
    terminal.wait(lambda text: "Facts" in text.split("\n")[0] and "help" in text.split("\n")[-1])
    terminal.press("q")
    assert terminal.end() == 0
    assert {terminal.screen.title, terminal.screen.icon_name} <= {"", ";default"}  # the pointer
    assert unusual(bytes(terminal.raw)) == set()


@pytest.mark.slow
def test_what_is_copied_is_packed_for_the_clipboard(terminal: Terminal) -> None:
    before = len(terminal.raw)
    terminal.press("y")
    terminal.settle()
    copied = unusual(bytes(terminal.raw[before:]))
    assert len(copied) == 1
    assert re.fullmatch(r"\x1b\]52;c;[A-Za-z0-9+/=]+\x07", copied.pop())
