"""The line view: what it paints, and when it paints again."""

from pathlib import Path

from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.strip import Strip

from core.settings.preferences import Settings
from tests.tui.screens.facts.making import until
from tui.app.app import LostkeysApp
from tui.screens.base_screen import BaseScreen
from tui.text.line import Line
from tui.widgets.line_view import LineView
from tui.widgets.pane import Pane


class Rows(LineView):
    """Numbers; the tenth row cannot be chosen."""

    def __init__(self) -> None:
        super().__init__(id="rows")
        self.rows = [f"row {number}" for number in range(100_000)]
        self.drawn: list[int] = []

    def row_count(self) -> int:
        return len(self.rows)

    def is_choosable(self, row: int) -> bool:
        return row != 9

    def draw(self, row: int, line: int, width: int) -> Line:
        self.drawn.append(row)
        return Line(" ").add(self.rows[row], part="words")


class Bench(BaseScreen):
    tab = "facts"

    def body(self) -> ComposeResult:
        with Pane():
            yield Rows()

    def on_mount(self) -> None:
        self.query_one(Rows).focus()


class BenchApp(LostkeysApp):
    def __init__(self, path: Path) -> None:
        super().__init__(path, Settings(theme="dark"))
        self.screens.made["facts"] = Bench()


def app(path: Path) -> BenchApp:
    return BenchApp(path / "none.db")


async def rows(pilot: Pilot[None]) -> Rows:
    found = pilot.app.screen.query_one(Rows)
    await until(pilot, lambda: found.size.height > 0)
    return found


def seen(view: Rows) -> list[str]:
    return [view.render_line(y).text.strip(" ▌") for y in range(view.size.height)]


async def test_only_what_is_in_sight_is_drawn(tmp_path: Path) -> None:
    async with app(tmp_path).run_test(size=(80, 24)) as pilot:
        view = await rows(pilot)
        assert len(set(view.drawn)) <= view.size.height
        view.drawn.clear()
        await pilot.press("end")
        assert set(view.drawn) <= {*view.in_sight, 0}
        assert view.in_sight[-1] == 99_999


async def test_the_cursor_moves_over_what_cannot_be_chosen(tmp_path: Path) -> None:
    async with app(tmp_path).run_test(size=(80, 24)) as pilot:
        view = await rows(pilot)
        view.move_to(8)
        await pilot.press("j")
        assert view.cursor == 10
        await pilot.press("k")
        assert view.cursor == 8
        await pilot.press("end", "home")
        assert view.cursor == 0
        await pilot.press("G")
        assert view.cursor == 99_999
        await pilot.press("ctrl+u")
        page = view.cursor
        assert page is not None
        assert 99_999 - view.size.height <= page < 99_999
        await pilot.press("ctrl+d")
        assert view.cursor == 99_999


async def test_a_step_paints_two_rows(tmp_path: Path) -> None:
    async with app(tmp_path).run_test(size=(80, 24)) as pilot:
        view = await rows(pilot)
        view.move_to(3)
        await pilot.pause()
        view.drawn.clear()
        await pilot.press("j")
        await pilot.pause()
        assert set(view.drawn) == {3, 4}


async def test_settling_paints_what_has_changed_only(tmp_path: Path) -> None:
    async with app(tmp_path).run_test(size=(80, 24)) as pilot:
        view = await rows(pilot)
        await pilot.pause(0.3)
        painted: list[int] = []
        before = view.render_line

        def paint(y: int) -> Strip:
            painted.append(y)
            return before(y)

        view.render_line = paint  # type: ignore[method-assign]
        view.refresh_changed()
        await pilot.pause(0.1)
        assert painted == []
        view.rows[5] = "changed"
        view.refresh_changed()
        await until(pilot, lambda: painted)
        assert painted == [5]
        assert "changed" in seen(view)


async def test_rows_that_come_and_go_are_seen(tmp_path: Path) -> None:
    async with app(tmp_path).run_test(size=(80, 24)) as pilot:
        view = await rows(pilot)
        view.rows = ["one", "two"]
        view.refresh_changed()
        await pilot.pause()
        shown = [strip.text for strip in pilot.app.screen._compositor.render_strips()]
        assert [line for line in seen(view) if line] == ["one", "two"]
        assert not any("row" in line for line in shown)
        view.rows = [f"new {number}" for number in range(50)]
        view.refresh_changed()
        await pilot.pause()
        shown = [strip.text for strip in pilot.app.screen._compositor.render_strips()]
        assert sum("new" in line for line in shown) == view.size.height


async def test_fewer_rows_bring_the_cursor_and_the_scroll_back(tmp_path: Path) -> None:
    async with app(tmp_path).run_test(size=(80, 24)) as pilot:
        view = await rows(pilot)
        view.move_to(0)
        await pilot.press("end")
        view.rows = view.rows[:3]
        view.refresh_changed()
        await pilot.pause()
        assert view.cursor == 2
        assert [line for line in seen(view) if line] == ["row 0", "row 1", "row 2"]


async def test_a_click_moves_and_a_second_opens(tmp_path: Path) -> None:
    async with app(tmp_path).run_test(size=(80, 24)) as pilot:
        view = await rows(pilot)
        clicks: list[tuple[int, str | None, bool]] = []
        told = view.post_message

        def listen(message: object) -> bool:
            if isinstance(message, LineView.RowClicked):
                clicks.append((message.row, message.part, message.again))
            return told(message)  # type: ignore[arg-type]

        view.post_message = listen  # type: ignore[method-assign]
        await pilot.click(view, offset=(3, 4))
        await pilot.click(view, offset=(3, 4))
        assert view.cursor == 4
        assert clicks == [(4, "words", False), (4, "words", True)]


async def test_resizing_keeps_the_cursor_in_sight(tmp_path: Path) -> None:
    async with app(tmp_path).run_test(size=(120, 40)) as pilot:
        view = await rows(pilot)
        view.move_to(500)
        for size in ((40, 10), (200, 60), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert view.cursor == 500
            assert 500 in view.in_sight


async def test_a_height_is_held_until_there_is_a_size_for_it(tmp_path: Path) -> None:
    async with app(tmp_path).run_test(size=(80, 40)) as pilot:
        view = await rows(pilot)
        view.rows = view.rows[:20]
        view.refresh_changed()
        view.hold_cursor(12, 3)
        assert (view.scroll_offset.y, view.cursor_height) == (0, 3)  # all rows are in sight
        await pilot.resize_terminal(80, 14)
        await until(pilot, lambda: view.scroll_offset.y == 9)
        await pilot.resize_terminal(80, 12)
        await pilot.pause()
        assert (view.scroll_offset.y, view.cursor_height) == (9, 3)


async def test_lines_end_before_a_scroll_bar_that_shows(tmp_path: Path) -> None:
    async with app(tmp_path).run_test(size=(80, 24)) as pilot:
        view = await rows(pilot)
        draw = view.draw
        view.draw = lambda row, line, width: draw(row, line, width).right(Line("end"), width)  # type: ignore[method-assign]
        for count, is_barred in ((50, True), (3, False), (60, True)):
            view.rows = [f"row {number}" for number in range(count)]
            view.refresh_changed()
            await until(pilot, lambda seen=is_barred: view.show_vertical_scrollbar is seen)
            screen = pilot.app.screen
            shown = [
                strip.crop(view.region.x, view.region.right - is_barred).text
                for strip in screen._compositor.render_strips()
            ]
            shown = shown[view.region.y : view.region.bottom]
            assert all(line.endswith("end") for line in shown[: min(count, view.size.height)])


class Headed(Rows):
    """Numbers below a heading."""

    @property
    def pinned(self) -> int:
        return 1

    def is_choosable(self, row: int) -> bool:
        return row > 0


class HeadedBench(Bench):
    def body(self) -> ComposeResult:
        with Pane():
            yield Headed()


async def test_a_heading_stays_where_rows_scroll(tmp_path: Path) -> None:
    one = app(tmp_path)
    one.screens.made["facts"] = HeadedBench()
    async with one.run_test(size=(80, 24)) as pilot:
        view = await rows(pilot)
        view.move_to(1)
        await pilot.press("end")
        await pilot.pause()
        assert seen(view)[0] == "row 0"
        assert seen(view)[-1] == "row 99999"
        assert view.in_sight[0] == 100_000 - view.size.height + 1
        await pilot.press("pageup")
        assert seen(view)[0] == "row 0"
        cursor = view.cursor
        await pilot.click(view, offset=(2, 0))
        assert view.cursor == cursor
        first = view.in_sight[0]
        await pilot.click(view, offset=(2, 1))
        assert view.cursor == first
        for _ in range(3):
            await pilot.press("k")
        assert view.cursor == view.in_sight[0] + 1
        await pilot.press("home")
        assert [view.cursor, *seen(view)[:3]] == [1, "row 0", "row 1", "row 2"]
        view.rows[0] = "another heading"
        view.refresh_changed()
        await pilot.pause()
        assert seen(view)[0] == "another heading"
        assert view.is_painted
