"""The app around the screens: lens, themes, people, trouble, other databases, sizes."""

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

import db.connection
from core.errors import LostkeysError
from core.settings import recent_files
from core.settings.preferences import Settings, load
from core.views.lens import Lens
from core.vocabulary import Task
from tests.core.making import a_fact, new_project, put_facts
from tests.tui.screens.facts.making import a_database, until
from tests.tui.seeing import send
from tui import LIBRARIES
from tui.app.app import LostkeysApp
from tui.app.db_requests import DbRequest, DbResult, ResultArrived
from tui.dialogs.choice_dialog import Choose, Options
from tui.dialogs.confirm_dialog import ErrorDialog
from tui.dialogs.graders_dialog import GradersDialog
from tui.dialogs.help_dialog import Help, HelpPage
from tui.dialogs.input_dialog import AskLine
from tui.frame.key_line import KeyLine
from tui.frame.status_line import StatusLine
from tui.frame.too_small import TooSmall
from tui.frame.top_bar import TopBar
from tui.screens.facts.screen import FactsScreen
from tui.screens.task.screen import TaskScreen
from tui.widgets.line_widget import LineWidget
from tui.widgets.text_field import TextField

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return a_database(tmp_path_factory.mktemp("app") / "facts.db")


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    mine = tmp_path / "facts.db"
    mine.write_bytes(made.read_bytes())
    return mine


def app_of(pilot: Pilot[None]) -> LostkeysApp:
    assert isinstance(pilot.app, LostkeysApp)
    return pilot.app


async def ready(pilot: Pilot[None]) -> LostkeysApp:
    app = app_of(pilot)
    await until(pilot, lambda: app.facts is not None)
    return app


def at_facts(app: LostkeysApp) -> bool:
    """Whether the Facts screen is seen, with nothing before it."""
    return app.screen is app.tab_screen("facts")


def line(app: LostkeysApp, kind: type[LineWidget]) -> str:
    """What one of the frame's lines says."""
    found = app.tab_screen(app.tab).query_one(kind)
    return found.draw(found.size.width).text


async def test_keys_wait_until_something_is_painted(path: Path) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        screen = app.tab_screen("facts")
        assert isinstance(screen, FactsScreen)
        await until(pilot, lambda: screen.listing is not None and app.startup.paints)
        app.startup.paints = False
        send(app, "j")
        await until(pilot, lambda: app.key_queue.next_key == "j")
        assert screen.list.view.cursor == 0
        app.startup.paints = True
        await until(pilot, lambda: screen.list.view.cursor == 1)


async def test_the_frame_says_what_is_open(path: Path) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        assert "facts.db  9 facts" in line(app, StatusLine)
        assert "nothing runs" in line(app, StatusLine)
        assert "model-00" in line(app, TopBar)
        assert "? help" in line(app, KeyLine)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("]", ".75"),
        ("[", ".25"),
        ("] ] =", ".50"),
        (".", "fact"),
        ("comma", "partial"),
        (". . >", "partial .56"),
        (". . <", "partial .46"),
        ("t", "off  "),
    ],
)
async def test_lens_keys_act_from_anywhere(path: Path, keys: str, words: str) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        await pilot.press(*keys.split())
        await until(pilot, lambda: app.snapshot is not None and app.snapshot.lens == app.lens)
        assert words in line(app, TopBar)


@pytest.mark.slow
async def test_another_model_by_typing_its_name(path: Path) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        await pilot.press("m", "0", "1", "enter")
        await until(
            pilot, lambda: app.snapshot is not None and app.snapshot.lens.model == "model-01"
        )
        assert "model-01" in line(app, TopBar)


@pytest.mark.slow
async def test_other_graders(path: Path) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        assert app.lens is not None
        a, b = str(app.lens.a), str(app.lens.b)
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, GradersDialog))
        await pilot.press("j", "j", "space", "(", "(", "C", "C", "enter")
        await until(pilot, lambda: app.snapshot is not None and app.snapshot.lens.a == b)
        assert app.lens is not None
        assert app.lens.ranked == (b, "human:*", a)
        assert (app.lens.compared, app.lens.chosen) == ((b, a), True)
        assert " A›you+1 " in line(app, TopBar)
        await pilot.press("g", "j", "space", "enter")
        await until(pilot, lambda: app.snapshot is not None and not app.snapshot.lens.people)
        assert " A›B " in line(app, TopBar)
        await pilot.press("=")
        start = Lens(app.lens.model).with_graders(("human:*", a), (a, b), chosen=False)
        await until(pilot, lambda: app.snapshot is not None and app.snapshot.lens == start)


@pytest.mark.slow
async def test_escape_chooses_nothing_and_puts_the_focus_back(path: Path) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        before, focused = app.lens, app.focused
        for key in ("m", "g", "ctrl+p", "?", "ctrl+o"):
            await pilot.press(key)
            assert not at_facts(app)
            await pilot.press("escape")
            await until(pilot, lambda: at_facts(app))
        assert app.lens == before
        assert app.focused is focused


async def test_screens_by_key_by_letter_and_by_click(path: Path) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        await pilot.press("f2")
        assert app.tab == "task"
        await pilot.press("ctrl+o", "f")
        assert app.tab == "facts"
        await pilot.press("ctrl+o", "2")
        assert app.tab == "task"
        await pilot.click(TopBar, offset=(3, 0))
        await until(pilot, lambda: app.tab == "facts")


@pytest.mark.slow
async def test_a_key_can_be_clicked(path: Path) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        where = line(app, KeyLine).index("? help")
        await pilot.click(KeyLine, offset=(where, 0))
        await until(pilot, lambda: isinstance(app.screen, Help))


async def test_help_finds_keys_by_typing(path: Path) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        await pilot.press("?")
        page = app.screen.query_one(HelpPage)
        await until(pilot, lambda: page.size.width > 0)
        whole = [one.text for one in page.lines(page.size.width)]
        assert any("threshold" in text for text in whole)
        assert any("recall failure" in text for text in whole)
        await pilot.press(*"threshold")
        found = [one.text for one in page.lines(page.size.width)]
        assert 0 < len(found) < len(whole)
        assert any("[ ]" in text for text in found)


@pytest.mark.slow
async def test_commands_do_what_their_key_does(path: Path) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        await pilot.press("ctrl+p", *"higher", "enter")
        await until(pilot, lambda: app.lens is not None and app.lens.policy.tau == 0.75)
        await pilot.press("ctrl+p", *"model-01", "enter")
        await until(pilot, lambda: app.lens is not None and app.lens.model == "model-01")


@pytest.mark.slow
async def test_themes_and_marks_are_remembered(path: Path) -> None:
    async with LostkeysApp(path, Settings(theme="dark")).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        for name in ("light", "ansi", "dark", "light"):
            await pilot.press("ctrl+p", *f"theme {name}".replace(" ", ""), *["backspace"] * 30)
            await pilot.press(*["space" if char == " " else char for char in f"theme {name}"])
            await pilot.press("enter")
            await until(pilot, lambda name=name: app.theme == name)
            assert app.look.ansi is (name == "ansi")
        await pilot.press("ctrl+p", *"ascii", "enter")
        await until(pilot, lambda: app.settings.glyphs == "ascii")
        assert app.look.glyph("CORRECT") == "+"
    assert load() == Settings(theme="light", glyphs="ascii")


@pytest.mark.slow
async def test_no_colour_means_the_terminals_own(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with LostkeysApp(path, Settings(theme="light")).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        assert app.theme == "ansi"


@pytest.mark.slow
async def test_keys_can_be_changed(path: Path) -> None:
    settings = Settings(keys={"help": "f12", "lens.higher": "ctrl+t"})
    async with LostkeysApp(path, settings).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        assert "F12 help" in line(app, KeyLine)
        await pilot.press("?")
        assert at_facts(app)
        await pilot.press("ctrl+t")
        await until(pilot, lambda: app.lens is not None and app.lens.policy.tau == 0.75)
        await pilot.press("f12")
        assert isinstance(app.screen, Help)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["theme =", 'theme = "blue"', '[keys]\n"facts.search" = "f"'])
async def test_broken_settings_are_said_and_defaults_used(
    path: Path, text: str, tmp_path: Path
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text(text)
    async with LostkeysApp(path).run_test(size=(120, 40)) as pilot:
        app = app_of(pilot)
        await until(pilot, lambda: isinstance(app.screen, ErrorDialog))
        assert app.settings == Settings()
        await pilot.press("enter")
        await until(pilot, lambda: at_facts(app))


@pytest.mark.slow
async def test_the_name_is_asked_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "somebody")
    names: list[str] = []
    async with LostkeysApp(path, Settings()).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        app.with_name(names.append)
        await until(pilot, lambda: isinstance(app.screen, AskLine))
        await pilot.press(*["backspace"] * 20, "enter")
        assert isinstance(app.screen, AskLine)
        await pilot.press(*"mira", "enter")
        await until(pilot, lambda: names == ["mira"])
        app.with_name(names.append)
        await until(pilot, lambda: names == ["mira", "mira"])
    assert load().name == "mira"


@pytest.mark.slow
async def test_a_name_may_be_refused(path: Path) -> None:
    names: list[str] = []
    async with LostkeysApp(path, Settings()).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        app.with_name(names.append)
        await until(pilot, lambda: isinstance(app.screen, AskLine))
        await pilot.press("escape")
        await until(pilot, lambda: at_facts(app))
    assert names == []
    assert load().name == ""


@pytest.mark.slow
async def test_trouble_keeps_what_is_shown_and_goes_away(path: Path) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        snapshot = app.snapshot
        aside = path.with_name("aside.db")
        path.rename(aside)
        await until(pilot, lambda: app.load_error is not None)
        assert "ctrl+r tries again" in line(app, StatusLine)
        assert app.snapshot is snapshot
        aside.rename(path)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: app.load_error is None)
        assert "9 facts" in line(app, StatusLine)


@pytest.mark.slow
async def test_another_database(path: Path, tmp_path: Path) -> None:
    async with LostkeysApp(tmp_path / "none.db", Settings()).run_test(size=(120, 40)) as pilot:
        app = app_of(pilot)
        await until(pilot, lambda: app.snapshot is not None)
        assert app.snapshot is not None
        assert len(app.snapshot.headings) == 0
        app.open_database(path)
        await until(pilot, lambda: app.snapshot is not None and len(app.snapshot.headings) == 9)
    assert not (tmp_path / "none.db").exists()


async def test_errors_stand_until_they_are_seen(path: Path) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(40, 10)) as pilot:
        app = await ready(pilot)
        app.fail(LostkeysError("[/] no [b]key\x1b for gemini: set GEMINI_API_KEY"))
        await until(pilot, lambda: isinstance(app.screen, ErrorDialog))
        await pilot.pause()
        shown = " ".join(strip.text for strip in app.screen._compositor.render_strips())
        assert "[/] no [b]key␛" in shown
        await pilot.press("space")
        await until(pilot, lambda: at_facts(app))


@pytest.mark.slow
async def test_what_is_pasted_into_a_field_is_inert(path: Path) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        app.push_screen(AskLine("note", "Note:"))
        await pilot.pause()
        field = app.screen.query_one(TextField)
        field.value = "a\x1b]52;c;x\x07\u202eb\ud800"
        assert field.value == "a␛]52;c;x␇\\u202eb\\ud800"


@pytest.mark.slow
async def test_choosing_by_click_and_finding_nothing(path: Path) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await pilot.press("m", *"zzz", "enter")
        assert isinstance(app.screen, Choose)
        await pilot.press(*["backspace"] * 3)
        await pilot.click(Options, offset=(3, 1))
        await until(pilot, lambda: app.lens is not None and app.lens.model == "model-01")


@pytest.mark.slow
@pytest.mark.parametrize("size", [(39, 10), (40, 9), (10, 3), (1, 1)])
async def test_a_terminal_too_small_is_said_so(path: Path, size: tuple[int, int]) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        focused = app.focused
        await pilot.resize_terminal(*size)
        await until(pilot, lambda: isinstance(app.screen, TooSmall))
        await pilot.press("j", "x", "m")
        assert isinstance(app.screen, TooSmall)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: at_facts(app))
        assert app.focused is focused


@pytest.mark.slow
async def test_any_size_with_any_dialog(path: Path) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        for key in ("?", "m", "ctrl+p"):
            await pilot.press(key)
            for size in ((200, 60), (40, 10), (30, 5), (80, 24), (99, 29), (160, 50)):
                await pilot.resize_terminal(*size)
                await pilot.pause()
            await until(pilot, lambda: not isinstance(app.screen, TooSmall))
            await pilot.press("escape")
            await until(pilot, lambda: at_facts(app))


async def test_quitting_ends_the_db_worker(path: Path) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await pilot.press("q")
    assert app.db.workers == []
    assert app.return_code in (0, None)


class Half(Screen[None]):
    """A screen that looks for its part as soon as it is made."""

    def compose(self) -> ComposeResult:
        yield Static(id="part")

    def on_mount(self) -> None:
        self.query_one("#part")


async def test_a_screen_that_is_still_to_be_made_when_it_ends_is_no_fault(path: Path) -> None:
    app = LostkeysApp(path, Settings())
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        app.exit()  # as where the terminal is closed
        await app.push_screen(Half())
    assert app.fault is None
    assert app.return_code == 0


def test_textual_is_told_before_it_is_imported() -> None:
    code = "import tui.app.app\nfrom textual import constants as c\n"
    code += "print(c.MAX_FPS, c.TEXTUAL_ANIMATIONS, c.SMOOTH_SCROLL, c.ESCAPE_DELAY)"
    plain = {name: value for name, value in os.environ.items() if name not in LIBRARIES}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=plain,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["1000", "none", "False", "0.03"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("] ] ]", "this is the highest threshold"),
        ("[ [ [", "this is the lowest threshold"),
        (">", "the weight counts for partial only: `,` and `.` go there"),
        ("=", "threshold, strategy and graders are as at the start"),
    ],
)
async def test_a_key_that_changes_nothing_says_why(path: Path, keys: str, words: str) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        await pilot.press(*keys.split(), keys.split()[-1])
        await until(pilot, lambda: words in line(app, StatusLine))


@pytest.mark.slow
async def test_what_is_not_written_is_told_until_it_has_been_seen(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db.connection, "BUSY_SECONDS", 0.01)
    async with LostkeysApp(path, Settings(name="mira")).run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        with (
            closing(db.connection.connect(path, "write")) as other,
            db.connection.write_transaction(other),
        ):
            await pilot.press("x", "x", "x")
            await until(pilot, lambda: "3 not written: " in line(app, StatusLine))
        app.say("something else", 0.01)
        await until(pilot, lambda: app.status.said is None)
        assert line(app, StatusLine).startswith(f" ctrl+r clears  3 not written: {path.name} is ")
        app.say("this came later", 600)
        await until(pilot, lambda: "this came later" in line(app, StatusLine))
        assert line(app, StatusLine).startswith(" ctrl+r clears  3 not written   this came later")
        await pilot.press("ctrl+r")
        assert line(app, StatusLine).startswith(" this came later")


@pytest.mark.slow
async def test_without_a_model_its_keys_say_so(tmp_path: Path) -> None:
    with new_project(tmp_path / "bare.db") as project:
        put_facts(project, [a_fact("f0", page_title="Tartu")])
    async with LostkeysApp(tmp_path / "bare.db", Settings()).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        assert line(app, TopBar).endswith("no model yet ")
        for key in ("m", "t", "]", "="):
            app.status.clear()
            await pilot.press(key)
            assert "no model has been asked yet" in line(app, StatusLine)
        await pilot.press("g")
        assert "no answer has been graded yet" in line(app, StatusLine)


@pytest.mark.slow
async def test_a_step_of_the_lens_is_said_and_its_threshold_seen_at_any_width(path: Path) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(80, 24)) as pilot:
        app = await ready(pilot)
        await pilot.press("]")
        assert line(app, TopBar).endswith(" .75 ")
        assert "threshold .75, was .50   u takes it back" in line(app, StatusLine)


@pytest.mark.slow
async def test_another_database_is_opened_and_nothing_of_the_first_stays(
    path: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.db"
    with new_project(other) as project:
        put_facts(project, [a_fact("f0", page_title="Tartu")])
    recent_files.remember(other, 1, 0)
    async with LostkeysApp(path, Settings()).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        facts = app.tab_screen("facts")
        assert isinstance(facts, FactsScreen)
        await until(pilot, lambda: facts.list.fact is not None and facts.fact.view is not None)
        await pilot.press("slash", *"title", "enter", "end", "f2", "ctrl+p", *"other.db", "enter")
        await until(pilot, lambda: app.path == other and app.facts == 1)
        await until(pilot, lambda: at_facts(app) and facts.fact.view is not None)
        assert facts.fact.view is not None
        assert facts.fact.view.title == "Tartu"
        assert facts.list.position.text == "1 of 1"
        task = app.tab_screen("task")
        assert isinstance(task, TaskScreen)
        assert task.state.fact is None


@pytest.mark.slow
async def test_the_task_screen_begins_where_the_facts_are(path: Path) -> None:
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        facts, task = app.tab_screen("facts"), app.tab_screen("task")
        assert isinstance(facts, FactsScreen)
        assert isinstance(task, TaskScreen)
        await until(pilot, lambda: facts.fact.view is not None)
        await pilot.press("j", "6", "f2")
        await until(pilot, lambda: task.state.view is not None)
        assert task.state.task is Task.REVERSE_NATURAL
        assert task.state.fact == facts.list.fact


@pytest.mark.slow
async def test_answers_that_come_while_it_ends_are_dropped(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = LostkeysApp(path, Settings(name="mira"))
    taken: list[str] = []
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        worker = app.db.workers[0]
        for number, running in enumerate((True, False)):
            ask = DbRequest(None, lambda session: None, taken.append, app.report)
            with monkeypatch.context() as ending:
                ending.setattr(app, "_running", running)
                app.on_result_arrived(ResultArrived(worker, DbResult(ask, f"answer {number}")))
    assert taken == ["answer 0"]


async def test_a_fault_of_the_program_is_said_and_ends_nothing(path: Path) -> None:
    def broken(*_: object) -> None:
        raise AttributeError("ours")

    async with LostkeysApp(path, Settings()).run_test(size=(120, 40)) as pilot:
        app = await ready(pilot)
        app.ask("fault", broken, lambda _: None)
        await until(pilot, lambda: app.status.said is not None)
        said = line(app, StatusLine)
        assert "a fault of the program (AttributeError: ours)" in said
        assert "--debug" in said
        assert app.is_running


@pytest.mark.slow
async def test_a_fault_of_the_program_ends_it_where_it_is_to_be_seen(path: Path) -> None:
    def broken(*_: object) -> None:
        raise AttributeError("ours")

    app = LostkeysApp(path, Settings())
    app.db.ends_at_faults = True

    async def run() -> None:
        async with app.run_test(size=(120, 40)) as pilot:
            await ready(pilot)
            app.ask("fault", broken, lambda _: None)
            await until(pilot, lambda: app.fault is not None)

    with pytest.raises(AttributeError, match="ours"):
        await run()


async def test_a_screen_that_is_not_there_yet_takes_no_keys(path: Path) -> None:
    async with LostkeysApp(path, Settings()).run_test(size=(120, 40)) as pilot:
        app = app_of(pilot)
        await until(pilot, lambda: app.snapshot is not None)
        coming = app.switch_mode("task")
        assert (type(app.screen), app.takes_keys) == (TaskScreen, False)
        await coming
        await until(pilot, lambda: app.takes_keys)
