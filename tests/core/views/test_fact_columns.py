"""Columns of the list of facts: names, what they hold, which one shows the order."""

import pytest

from core.errors import UsageError
from core.project import OpenProject
from core.views.fact_cells import FactCells
from core.views.fact_columns import NAMED, SORTED, START, check_columns, columns_of, with_sorted
from core.views.fact_query import FactOrder
from core.views.session import Session
from core.vocabulary import TASKS, Label
from tests.core.views.making import MODEL, snapshot_of, two_facts


def test_every_column_that_a_snapshot_offers_can_be_named() -> None:
    check_columns([*NAMED, *(f"g.{task}{end}" for task in TASKS for end in ("", ".on", ".off"))])
    check_columns(["profile:any, model"])


@pytest.mark.parametrize(
    ("columns", "wrong"),
    [
        (["title", "em"], "no column em"),
        (["g.nothing"], "g.nothing"),
        (["g.direct.maybe"], "g.direct.maybe"),
        (["g.direct."], "g.direct."),
        (["profile:"], "profile:"),
        (["title", "views", "title"], "twice"),
    ],
)
def test_a_column_that_cannot_be_is_named_in_one_line(columns: list[str], wrong: str) -> None:
    with pytest.raises(UsageError, match=wrong) as error:
        check_columns(columns)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("order", list(SORTED))
@pytest.mark.parametrize("columns", [START, ("id",), ("profile", "views"), ("g.direct", "marks")])
def test_a_list_has_the_column_that_it_is_sorted_by(
    order: FactOrder, columns: tuple[str, ...]
) -> None:
    found = with_sorted(columns, order)
    assert SORTED[order] in found
    assert [name for name in found if name in columns] == list(columns)
    assert len(found) - len(columns) == (SORTED[order] not in columns)


def test_cells_hold_what_the_snapshot_says(project: OpenProject) -> None:
    two_facts(project)
    snapshot = snapshot_of(project)
    cells = FactCells(snapshot, {int(snapshot.index.ids[0]): "look again"})
    assert snapshot.lens.model == MODEL
    for place in range(len(snapshot.index)):
        heading, index = snapshot.headings[place], snapshot.index
        assert cells.value("id", place) == index.fact_ids[place]
        assert cells.value("subject", place) == heading.subject
        assert cells.value("number", place) == int(index.ids[place])
        assert cells.value("profile:of nobody", place) is None
        for column in columns_of(snapshot):
            value = cells.value(column, place)
            assert value is None or isinstance(value, str | int | float)
    assert cells.value("note", 0) == "look again"
    assert cells.value("note", 1) is None


def test_g_is_the_share_of_right_answers(project: OpenProject) -> None:
    two_facts(project)
    snapshot = snapshot_of(project)
    cells = FactCells(snapshot)
    assert snapshot.row is not None
    for number, task in enumerate(TASKS):
        row = int(snapshot.tally.rows[snapshot.row, 0])
        for place in range(len(snapshot.index)):
            right, wrong = snapshot.tally.labels[row, :2, number, place].tolist()
            expected = right / (right + wrong) if right + wrong else None
            assert cells.value(f"g.{task}", place) == expected


def test_the_newest_note_of_a_person_stands_in_its_column(
    session: Session, slots: list[int]
) -> None:
    session.name = "mira"
    assert session.notes() == {}
    session.set_label(slots[0], Label.OTHER, "first")
    session.set_label(slots[1], Label.OTHER, "then")
    fact = session.snapshot.index.ids[session.snapshot.noted].tolist()
    assert session.notes() == {fact[0]: "then"}
    session.close()
    assert session.notes() == {fact[0]: "then"}
