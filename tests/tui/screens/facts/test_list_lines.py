"""Lines of the list: every width, every mark, every odd text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.views.fact_cells import FactCells
from core.views.fact_query import FactHit, FactOrder
from core.views.snapshot import AGREE, AT_STAKE, DIFFER, Snapshot
from tests.tui.screens.facts.making import LOOK, a_snapshot, roles
from tui.screens.facts import fact_list
from tui.screens.facts.column_layout import ColumnCells, layout
from tui.screens.facts.fact_list import entities_line, hit_line
from tui.text.cell_width import laid_width
from tui.text.inert_text import make_inert
from tui.text.line import Line
from tui.theme.look import Look

WIDTH = 48


def columns_at(
    width: int, chosen: tuple[str, ...] | None = None, order: FactOrder = FactOrder.SUBJECT
) -> tuple[ColumnCells, ...]:
    return layout(chosen, order, width)


def fact_line(snapshot: Snapshot, place: int, width: int, under: bool, look: Look) -> Line:
    columns = columns_at(width)
    return fact_list.fact_line(FactCells(snapshot), columns, place, width, under, look)


def heading(width: int, look: Look) -> Line:
    return fact_list.heading(columns_at(width), width, look)


def test_a_wide_list_has_room_for_long_titles() -> None:
    cells = {width: {one.name: one.cells for one in columns_at(width)} for width in (89, 140)}
    assert cells[89]["title"] == 30
    assert cells[140]["title"] == 53


def test_a_row_as_in_the_picture() -> None:
    snapshot = a_snapshot(["T"], flagged=[True], differs=[AT_STAKE])
    line = fact_line(snapshot, 0, WIDTH, False, LOOK)
    assert line.text == " RF Wren → kerosene                   21k  ≠ *  "
    assert roles(line, "RF") == "profile-rf bold"
    assert roles(line, "≠") == "label-i bold"
    assert roles(line, "Wren") == "ink"
    assert roles(fact_line(snapshot, 0, WIDTH, True, LOOK), "Wren") == "ink bold"


def test_heading_stands_over_its_columns() -> None:
    snapshot = a_snapshot(["T"], edited=[True])
    above, row = heading(WIDTH, LOOK).text, fact_line(snapshot, 0, WIDTH, False, LOOK).text
    assert above.index("marks") + 1 == row.index("Δ")
    assert above.index("views") + len("views") == row.index("21k") + len("21k")
    assert above.index("subject") == row.index("Wren")


def test_from_70_cells_title_and_topic_have_columns() -> None:
    snapshot = a_snapshot(["The title"])
    assert "The title" not in fact_line(snapshot, 0, 69, False, LOOK).text
    wide = fact_line(snapshot, 0, 79, False, LOOK).text
    assert wide.startswith(" RF The title                 Wren → kerosene")
    assert wide.index("Tech") == heading(79, LOOK).text.index("topic")


def test_rows_fill_their_width_exactly() -> None:
    snapshot = a_snapshot(["Title " * 20], subjects=["Subject " * 20], objects=["Object " * 20])
    for width in range(30, 121):
        assert fact_line(snapshot, 0, width, False, LOOK).width == width
        assert heading(width, LOOK).width == width


def test_two_long_names_are_each_cut_to_half() -> None:
    line = entities_line("Arturo Alfonso Schomburg", "Harlem Renaissance", 32, False, LOOK)
    assert line.text == "Arturo Alfons… → Harlem Renaiss…"
    short = entities_line("Antillia", "Muslim conquest of Hispania", 32, False, LOOK)
    assert short.text == "Antillia → Muslim conquest of H…"


def test_differences_and_states() -> None:
    snapshot = a_snapshot(
        ["a", "b", "c"],
        differs=[AGREE, DIFFER, AGREE],
        provisional=[True, False, False],
        rejected=[False, False, True],
        noted=[True, False, False],
        views=[-1, 5, 5],
        verdicts=["incomplete", "excluded_nan", "direct_recall"],
    )
    lines = [fact_line(snapshot, place, WIDTH, False, LOOK) for place in range(3)]
    assert lines[0].text.startswith(" ··…")
    assert lines[0].text.endswith("† ")
    assert lines[1].text.startswith(" NA ")
    assert "±" in lines[1].text
    assert lines[2].text.startswith(" RJ ")


def test_without_a_model_rows_have_no_code() -> None:
    snapshot = a_snapshot(["a"], model=None)
    assert fact_line(snapshot, 0, WIDTH, False, LOOK).text.startswith("    Wren")


def test_a_hit_is_marked_to_the_end_of_its_word() -> None:
    text = "Rosetta was launched as a cornerstone mission"
    line = hit_line(FactHit("direct_natural", text, 12, 18), WIDTH)
    assert line.text.startswith("    direct nat…  Rosetta was launched as")
    assert roles(line, "launched") == "ink bold @hit"
    assert line.width <= WIDTH


@pytest.mark.parametrize("hit", ["می", "خواهم"])
def test_a_hit_marks_the_whole_word_with_a_joiner(hit: str) -> None:
    word = f"می{chr(0x200C)}خواهم"
    text = f"من {word} بروم"
    line = hit_line(FactHit("text", text, text.index(hit), text.index(hit) + 1), WIDTH)
    (marked,) = [span.text for span in line.spans if "@hit" in span.role]
    assert marked == make_inert(word)


def test_a_hit_is_marked_with_the_marks_on_its_last_letter() -> None:
    line = hit_line(FactHit("text", "हिन्दी साहित्य", 0, 1), WIDTH)
    assert roles(line, "हिन्दी") == "ink bold @hit"
    assert "\\u" not in line.text


def test_before_a_hit_far_in_a_text_its_end_is_shown() -> None:
    text = "x " * 5_000 + "needle" + " y" * 5_000
    line = hit_line(FactHit("text", text, text.index("needle"), text.index("needle") + 6), WIDTH)
    assert line.text.startswith("    text  …")
    assert "needle" in line.text
    assert hit_line(None, WIDTH).text == ""


@given(st.text(), st.text(), st.integers(20, 130))
def test_any_text_fills_a_row_exactly(subject: str, object_: str, width: int) -> None:
    line = entities_line(subject, object_, width, True, LOOK)
    assert line.width == width
    assert laid_width(line.text) == width
    assert line.text.isprintable()


@given(st.text(), st.text(min_size=1), st.text(), st.integers(30, 130))
def test_any_hit_fits_a_row(before: str, hit: str, after: str, width: int) -> None:
    text = before + hit + after
    line = hit_line(FactHit("text", text, len(before), len(before) + len(hit)), width)
    assert line.width <= width
    assert line.text.isprintable()
