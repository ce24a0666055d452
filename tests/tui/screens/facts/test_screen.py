"""The Facts screen by its keys, in a real app on a small database."""

from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from textual.pilot import Pilot

from core.errors import LostkeysError
from core.project import OpenProject
from core.views.fact_query import FactOrder
from core.views.fact_view import FactView
from core.vocabulary import Label, Task
from db.slot_ids import slot
from tests.core.making import new_project
from tests.tui.screens.facts.making import a_database, opened, until
from tests.tui.seeing import text
from tui.dialogs.filter_dialog import FilterForm
from tui.screens.facts.column_layout import list_width
from tui.screens.facts.fact_list import FactList
from tui.screens.facts.fact_pane import PageView
from tui.screens.facts.list_pane import SearchField
from tui.screens.facts.screen import FactsScreen
from tui.widgets.pane import Pane


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return a_database(tmp_path_factory.mktemp("facts") / "facts.db")


@pytest.fixture
def path(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database of one's own, and nobody's settings."""
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("LOSTKEYS_STATE", str(tmp_path / "state"))
    mine = tmp_path / "facts.db"
    mine.write_bytes(made.read_bytes())
    return mine


def seen(screen: FactsScreen) -> FactView:
    view = screen.fact.view
    assert view is not None
    return view


def chosen(screen: FactsScreen) -> Task:
    return screen.fact.chosen


def panes(screen: FactsScreen) -> list[str]:
    return [type(pane).__name__ for pane in screen.query(Pane) if pane.display]


def edge(pane: Pane) -> str:
    return str(pane.border_subtitle)


def seen_whole(screen: FactsScreen) -> bool:
    return screen.fact.whole


def focused(screen: FactsScreen) -> type[object]:
    return type(screen.focused)


def titles(screen: FactsScreen) -> list[str]:
    view = screen.list.view
    assert view.snapshot is not None
    assert view.listing is not None
    return [view.snapshot.headings[place].title for place in view.listing.places.tolist()]


async def on(pilot: Pilot[None], screen: FactsScreen, title: str) -> None:
    """Wait until a fact is shown."""
    await until(pilot, lambda: seen(screen).title == title)


async def type_words(pilot: Pilot[None], words: str) -> None:
    await pilot.press(*["space" if letter == " " else letter for letter in words])


@pytest.mark.slow
async def test_the_fact_follows_the_cursor(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        assert titles(screen) == sorted(titles(screen), key=lambda one: int(one.split()[-1]))
        await pilot.press("j")
        await on(pilot, screen, "Title 1")
        assert screen.list.position.text == "2 of 9"
        await pilot.press("end")
        await on(pilot, screen, "Title 8")
        await pilot.press("k", "home")
        await on(pilot, screen, "Title 0")


@pytest.mark.slow
async def test_digits_choose_a_task_and_again_open_it(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        await pilot.press("5")
        assert chosen(screen) == Task.REVERSE
        assert focused(screen) is FactList
        await until(pilot, lambda: screen.fact.content and screen.fact.content.answers)
        await pilot.press("0")
        assert chosen(screen) == Task.MC_REVERSE_NATURAL


@pytest.mark.slow
@pytest.mark.parametrize("keys", [("enter",), ("3",), ("l", "enter"), ("6", "6")])
async def test_enter_opens_the_chosen_task(
    path: Path, keys: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as (pilot, screen):
        asked: list[tuple[int, Task]] = []
        monkeypatch.setattr(
            screen.lostkeys.places, "jump", lambda _, fact, task: asked.append((fact, task))
        )
        await pilot.press(*keys)
        await pilot.pause()
        assert asked == [(seen(screen).fact, screen.fact.chosen)]


@pytest.mark.slow
async def test_space_folds_and_unfolds(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        page = screen.query_one(PageView)
        unfolded = page.row_count()
        await pilot.press("space")
        assert page.row_count() < unfolded
        await pilot.press("space")
        assert page.row_count() == unfolded


@pytest.mark.slow
async def test_v_shows_the_whole_text(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        before = screen.query_one(PageView).rows
        await pilot.press("v")
        assert seen_whole(screen)
        assert screen.query_one(PageView).rows != before
        await pilot.press("v")
        assert not seen_whole(screen)


@pytest.mark.slow
async def test_the_focus_goes_to_the_fact_and_back(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        for there, back in (("tab", "shift+tab"), ("tab", "tab"), ("l", "h"), ("right", "left")):
            await pilot.press(there)
            assert focused(screen) is PageView
            await pilot.press(back)
            assert focused(screen) is FactList
        await pilot.press("l", "escape")
        assert focused(screen) is FactList


@pytest.mark.slow
async def test_in_the_fact_j_and_k_go_from_task_to_task(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        await pilot.press("l", "j")
        await until(pilot, lambda: screen.fact.chosen is Task.DIRECT_NATURAL)
        await pilot.press("k", "k")
        await until(pilot, lambda: screen.fact.chosen is Task.CONTEXTUAL)
        await pilot.press("k", "k", "k")
        await until(pilot, lambda: screen.fact.chosen is Task.COMPLETION)


@pytest.mark.slow
async def test_search_filters_as_one_types(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        await pilot.press("j", "slash")
        assert focused(screen) is SearchField
        await type_words(pilot, "title 7")
        await until(pilot, lambda: titles(screen) == ["Title 7"])
        await on(pilot, screen, "Title 7")
        assert screen.list.asking.wanted.order is FactOrder.MATCH
        await until(pilot, lambda: screen.list.view.hits)
        await pilot.press("enter")
        assert focused(screen) is FactList
        await pilot.press("escape")
        await until(pilot, lambda: len(titles(screen)) == 9)
        await on(pilot, screen, "Title 7")
        # labels that come while a search is asked for, before its facts are there
        snapshot = screen.list.snapshot
        assert snapshot is not None
        for words, found in (("title 7", 1), ("", 9)):
            screen.list.ask_for(replace(screen.list.asking, search=words))
            screen.list.take(snapshot)
            await until(pilot, lambda found=found: len(titles(screen)) == found)
        assert titles(screen)[screen.list.view.cursor or 0] == "Title 7"


@pytest.mark.slow
async def test_a_search_given_up_leads_back_to_where_one_was(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        await pilot.press("j", "slash")
        await type_words(pilot, "title 7")
        await on(pilot, screen, "Title 7")
        await pilot.press("escape")
        await until(pilot, lambda: len(titles(screen)) == 9)
        await on(pilot, screen, "Title 1")


@pytest.mark.slow
async def test_nothing_found_says_so_and_escape_clears(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        await pilot.press("slash")
        await type_words(pilot, "kerosine")
        await until(pilot, lambda: not titles(screen))
        line = screen.list.view.draw(0, 0, 48).text
        assert line.startswith((" Nothing matches kerosine.", " Nothing yet"))
        assert screen.list.view.draw(0, 1, 48).text == " escape clears the search."
        assert screen.list.position.text == "0 of 0, of 9"
        await pilot.press("escape")
        await until(pilot, lambda: len(titles(screen)) == 9)
        assert focused(screen) is FactList


@pytest.mark.slow
async def test_letters_typed_into_the_search_do_nothing_else(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        await pilot.press("slash")
        await type_words(pilot, "xq1sfF")
        assert screen.query_one(SearchField).value == "xq1sfF"
        assert screen.fact.chosen is Task.DIRECT
        assert screen.list.asking.order is FactOrder.SUBJECT


@pytest.mark.slow
async def test_arrows_move_in_the_list_while_typing(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        await pilot.press("slash", "down", "down", "up")
        await on(pilot, screen, "Title 1")
        assert focused(screen) is SearchField


@pytest.mark.slow
async def test_orders(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        await pilot.press("j")
        await on(pilot, screen, "Title 1")
        await pilot.press("S")
        await until(pilot, lambda: titles(screen)[0] == "Title 8")
        assert screen.list.position.text == "8 of 9"
        assert seen(screen).title == "Title 1"
        await pilot.press("s", "s")
        await until(pilot, lambda: screen.list.asking.wanted.order is FactOrder.VIEWS)
        await until(pilot, lambda: titles(screen)[0] != "Title 8")
        assert screen.list.view.place == 1


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_no_column_stands_under_the_scroll_bar(tmp_path: Path, size: tuple[int, int]) -> None:
    path = a_database(tmp_path / "many.db", 120)
    async with opened(path, size) as (pilot, screen):
        await pilot.press(*"ssssss")
        await until(pilot, lambda: screen.list.asking.wanted.order is FactOrder.IMPORTED)
        await pilot.press("end")
        await until(pilot, lambda: "120 of 120" in screen.list.position.text)
        lines = text(pilot.app).splitlines()
        heading = next(line for line in lines if "views" in line and "no." in line)
        ends = heading.index("no.") + 3
        numbers = [line[:ends].split()[-1] for line in lines[lines.index(heading) + 1 :][:10]]
        assert numbers == [str(number) for number in range(int(numbers[0]), int(numbers[0]) + 10)]
        assert int(numbers[0]) > 9


@pytest.mark.slow
async def test_filters_are_ticked_and_cleared(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        await pilot.press("j", "j", "f")
        await until(pilot, lambda: isinstance(pilot.app.screen, FilterForm))
        await type_words(pilot, "arts")
        await pilot.press("space", "enter")
        await until(pilot, lambda: titles(screen) == ["Title 0", "Title 5"])
        assert screen.list.asking.filters.topics == {"Arts"}
        assert screen.list.position.text.endswith("of 2, of 9")
        await pilot.press("F")
        await until(pilot, lambda: len(titles(screen)) == 9)
        await on(pilot, screen, "Title 2")


@pytest.mark.slow
async def test_several_filters_are_ticked_one_after_another(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        await pilot.press("f")
        await until(pilot, lambda: isinstance(pilot.app.screen, FilterForm))
        await type_words(pilot, "arts")
        await pilot.press("space", *["backspace"] * 4)
        await type_words(pilot, "history")
        await pilot.press("space", "enter")
        await until(pilot, lambda: screen.list.asking.filters.topics == {"Arts", "History"})


@pytest.mark.slow
async def test_enter_filters_by_the_entry_it_stands_on(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        await pilot.press("f")
        await until(pilot, lambda: isinstance(pilot.app.screen, FilterForm))
        await type_words(pilot, "history")
        await pilot.press("enter")
        await until(pilot, lambda: screen.list.asking.filters.topics == {"History"})


@pytest.mark.slow
async def test_escape_leaves_the_filters_as_they_were(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        await pilot.press("f")
        await until(pilot, lambda: isinstance(pilot.app.screen, FilterForm))
        await pilot.press("space", "escape")
        await pilot.pause()
        assert screen.list.asking.filters.count == 0
        assert focused(screen) is FactList


async def test_a_flag_is_set_and_undone(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        await pilot.press("x")
        await until(pilot, lambda: "*" in screen.list.view.draw(0, 0, 48).text)
        assert "flagged" in str(screen.lostkeys.status.said and screen.lostkeys.status.said.text)
        await pilot.press("u")
        await until(pilot, lambda: "*" not in screen.list.view.draw(0, 0, 48).text)


@pytest.mark.slow
async def test_copy_takes_the_row_or_the_question(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as (pilot, screen):
        copied: list[str] = []
        monkeypatch.setattr(screen.lostkeys, "copy", copied.append)
        await pilot.press("y", "l", "y")
        view = seen(screen)
        assert copied[0].split("\t") == [
            view.fact_id,
            view.title,
            view.subject,
            view.object,
            view.code,
        ]
        assert copied[1] == view.tasks[2].text


@pytest.mark.slow
async def test_below_100_columns_one_pane_at_a_time(path: Path) -> None:
    async with opened(path, (80, 24)) as (pilot, screen):
        assert panes(screen) == ["ListPane", "SummaryPane"]
        await pilot.press("j", "enter")
        await on(pilot, screen, "Title 1")
        assert panes(screen) == ["FactPane"]
        assert focused(screen) is PageView
        await until(pilot, lambda: screen.query_one(PageView).row_count() == 19)
        await pilot.press("escape")
        assert panes(screen) == ["ListPane", "SummaryPane"]
        assert focused(screen) is FactList
        await pilot.press("7")
        assert panes(screen) == ["FactPane"]
        assert chosen(screen) == Task.MC_DIRECT


@pytest.mark.slow
async def test_crossing_a_width_keeps_cursor_and_fact(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        await pilot.press("j", "j", "j")
        await on(pilot, screen, "Title 3")
        for size in ((80, 24), (40, 10), (200, 60), (120, 40)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert screen.list.view.cursor == 3
            assert seen(screen).title == "Title 3"
            assert 3 in screen.list.view.in_sight


async def test_labels_of_others_come_in_place(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        await pilot.press("j", "j")
        await on(pilot, screen, "Title 2")
        before = seen(screen)
        row = before.tasks[2]
        mark = row.off.marks[0]
        other = Label.INCORRECT if mark.label is Label.CORRECT else Label.CORRECT
        with OpenProject(path, "write") as project:
            from core.curation.label_writer import set_label

            set_label(project, "somebody", slot(row.question, 1, 0), other)
        await until(pilot, lambda: seen(screen).tasks[2].off.marks[0].label is other)
        assert screen.list.view.cursor == 2
        assert screen.list.position.text == "3 of 9"
        assert focused(screen) is FactList


@pytest.mark.slow
async def test_new_facts_wait_until_they_are_asked_for(path: Path) -> None:
    from db import facts
    from db.connection import write_transaction
    from tests.core.making import a_fact

    async with opened(path) as (pilot, screen):
        await pilot.press("j")
        shown = titles(screen)
        with OpenProject(path, "write") as project, write_transaction(project.connection):
            facts.insert(project.connection, [a_fact("new__0", page_title="Another")])
        await until(pilot, lambda: screen.list.waiting == 1)
        assert titles(screen) == shown
        await pilot.press("ctrl+r")
        await until(pilot, lambda: len(titles(screen)) == 10)
        assert screen.list.waiting == 0
        await on(pilot, screen, "Title 1")


@pytest.mark.slow
async def test_while_reading_takes_long_the_old_fact_stays(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        held = Event()
        screen.lostkeys.ask("held", lambda _: held.wait(60), lambda _: None)
        await pilot.press("j")
        await until(pilot, lambda: "reading…" in edge(screen.fact))
        assert seen(screen).title == "Title 0"
        held.set()
        await on(pilot, screen, "Title 1")
        assert "reading…" not in edge(screen.fact)


@pytest.mark.slow
async def test_a_database_that_is_gone_keeps_what_was_read(path: Path) -> None:
    async with opened(path) as (pilot, screen):
        screen.fact._loader.fail(LostkeysError("facts.db is gone"))
        assert "facts.db is gone; ctrl+r tries again" in edge(screen.fact)
        assert seen(screen).title == "Title 0"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "gone" not in edge(screen.fact))


@pytest.mark.slow
async def test_a_click_chooses_and_a_second_one_opens(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as (pilot, screen):
        asked: list[Task] = []
        monkeypatch.setattr(
            screen.lostkeys.places, "jump", lambda _, fact, task: asked.append(task)
        )
        await pilot.click(FactList, offset=(10, 4))
        await on(pilot, screen, "Title 4")
        assert asked == []
        await pilot.click(FactList, offset=(10, 4))
        await until(pilot, lambda: asked == [Task.DIRECT])


@pytest.mark.slow
async def test_an_empty_database_offers_something_to_begin_with(path: Path, tmp_path: Path) -> None:
    from core.settings.preferences import Settings
    from tui.app.app import LostkeysApp
    from tui.widgets.offers import Offers

    app = LostkeysApp(tmp_path / "none.db", Settings(theme="dark"))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: bool(app.screen.query(Offers)))
        await until(pilot, lambda: isinstance(app.screen.focused, Offers))
        with new_project(tmp_path / "none.db") as project:
            from db import facts
            from db.connection import write_transaction
            from tests.core.making import a_fact

            with write_transaction(project.connection):
                facts.insert(project.connection, [a_fact("new__0")])
        await until(pilot, lambda: not app.screen.query(Offers))
        assert isinstance(app.screen.focused, FactList)


def test_the_lists_share_of_the_columns() -> None:
    assert [list_width(columns) for columns in (100, 120, 160, 200)] == [40, 51, 64, 92]
    widths = [list_width(columns) for columns in range(100, 300)]
    assert widths == sorted(widths)
    assert all(columns - list_width(columns) >= 60 for columns in range(100, 300))
