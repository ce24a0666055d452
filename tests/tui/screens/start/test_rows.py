"""What the empty state says."""

from datetime import date, datetime
from pathlib import Path

import pytest

from core.settings.recent_files import RecentDatabase
from core.vocabulary import Profile
from tui.screens.start.offers_pane import MOST_RECENT, describe_day, list_rows, offers
from tui.theme.look import look_named
from tui.widgets.offers import WIDTH

TODAY = date(2026, 11, 20)


def entry(name: str, facts: int = 2, models: int = 1, day: date = TODAY) -> RecentDatabase:
    noon = datetime(day.year, day.month, day.day, 12).timestamp()  # noqa: DTZ001
    return RecentDatabase(Path("/data") / name, facts, models, noon)


def texts(recents: list[RecentDatabase], room: int = 35) -> list[str]:
    return [row.line.text for row in list_rows(recents, TODAY, room)]


def test_three_offers_and_what_a_fact_can_be() -> None:
    shown = list_rows([entry("own.db")], TODAY, 35)
    assert [row.offer.kind for row in shown if row.offer] == ["demo", "import", "recent"]
    said = "\n".join(row.line.text for row in shown)
    for profile in Profile:
        assert profile.value.replace("_", " ") in said
    assert max(row.line.width for row in shown) <= WIDTH


def test_without_recent_databases_there_is_no_such_heading() -> None:
    assert "recent" not in texts([])
    assert "recent" in texts([entry("a.db")])


def test_low_screens_have_no_blank_lines_for_looks_and_the_same_words() -> None:
    recents = [entry(f"{number}.db") for number in range(2)]
    low, high = texts(recents, 19), texts(recents)
    assert len(low) < len(high)
    assert [text for text in low if text] == [text for text in high if text]


@pytest.mark.parametrize("room", [18, 19, 20, 24, 25, 26, 35, 55])
def test_as_many_recent_databases_as_there_is_room_for(room: int) -> None:
    recents = [entry(f"{number}.db") for number in range(9)]
    assert len(texts(recents, room)) <= room
    assert "recent" in texts(recents, room)


def test_only_the_newest_are_offered() -> None:
    shown = list_rows([entry(f"{number}.db") for number in range(9)], TODAY, 35)
    names = [row.offer.name for row in shown if row.offer and row.offer.path]
    assert names == [f"{number}.db" for number in range(MOST_RECENT)]


def test_facts_models_and_day() -> None:
    one, two = offers([entry("a.db", 2150, 13), entry("b.db", 1, 1, date(2026, 11, 3))], TODAY)
    assert one.what == "2,150 facts, 13 models, today"
    assert two.what == "1 fact, 1 model, 3 Nov"


def test_the_folder_tells_two_of_one_name_apart() -> None:
    one, two, other = offers([entry("x/own.db"), entry("y/own.db"), entry("other.db")], TODAY)
    assert one.what.endswith("/x")
    assert two.what.endswith("/y")
    assert not other.what.endswith("/data")


@pytest.mark.parametrize(
    ("day", "said"),
    [
        (date(2026, 11, 20), "today"),
        (date(2026, 11, 19), "yesterday"),
        (date(2026, 1, 3), "3 Jan"),
        (date(2025, 12, 31), "31 Dec 2025"),
        (date(2026, 11, 21), "21 Nov"),
    ],
)
def test_days(day: date, said: str) -> None:
    assert describe_day(day, TODAY) == said


@pytest.mark.parametrize(
    "name", ["\x1b[31mred.db", "[/].db", "a\nb.db", "很长的名字很长的名字很长的.db"]
)
def test_hostile_names_stay_one_inert_line(name: str) -> None:
    (row,) = [row for row in list_rows([entry(name)], TODAY, 35) if row.offer and row.offer.path]
    assert row.line.text.isprintable()
    assert row.line.text.index("2 facts") > 0
    for theme in ("dark", "light", "ansi"):
        assert look_named(theme).strip(row.line, WIDTH).cell_length == WIDTH
