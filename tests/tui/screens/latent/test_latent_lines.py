"""The lines of the Latent screen at any width, of any text, without an app."""

from dataclasses import replace
from itertools import cycle

import numpy as np
import pytest

from core.views.latent.latent_fact import (
    SUBJECT,
    GoldRank,
    InputPart,
    LatentFact,
    OptionRow,
    ScoreStatus,
)
from core.views.latent.latent_relations import BoardRow, KnownCount, LatentBoard, RelationFacts
from core.views.latent.latent_service import LatentLists
from core.zero_prompt.examples import ExampleKind
from core.zero_prompt.score_matrix import Setup
from tests.tui.hostile import LONG, fault, texts, unique
from tui.screens.latent import render_board, sentences
from tui.screens.latent.render_fact import ROLES, FactRoom, lines_of
from tui.screens.latent.state import LatentState
from tui.text.line import Line
from tui.theme.look import look_named

LOOK = look_named("dark")
TEXTS = unique(texts(seed=5, count=300))[:240]
WIDTHS = (20, 48, 68, 110)
MODELS = ("a", "b")


def a_fact(words: list[str], **changes: object) -> LatentFact:
    """A fact all of whose texts are these, in turn."""
    at = cycle(words)
    options = tuple(
        OptionRow(next(at), p, -1.0 - place, place == 3, place == 0)
        for place, p in enumerate((0.5, 0.3, 0.1, 0.05, 0.05))
    )
    ranks = tuple(
        GoldRank(next(at), Setup(n=n, form=form), ScoreStatus.SCORED, 5, 2, 0.1, next(at), "RF")
        for n, form in ((1, "zero-prompt"), (50, next(at)))
    )
    parts = (
        InputPart(next(at), ExampleKind.CLEAN), InputPart(" ", ""),
        InputPart(next(at), ExampleKind.INCORRECT), InputPart(" ", ""),
        InputPart(next(at), ExampleKind.UNKNOWN), InputPart(" ", ""), InputPart(next(at), SUBJECT),
    )  # fmt: skip
    one = LatentFact(
        1, next(at), next(at), next(at), next(at), Setup(), next(at), ScoreStatus.SCORED, parts,
        3, 2, options, 4, 0.05, 0.9, "DR", "", next(at), False, ranks, ranks, ranks,
    )  # fmt: skip
    return replace(one, **changes)  # type: ignore[arg-type]


def text_of(lines: list[Line]) -> str:
    return "\n".join(line.text for line in lines)


def wrong(line: Line) -> str | None:
    """What a terminal would make of a line, a cell from the edge, that is not as it was drawn."""
    return fault(f" {line.text} ", line.width + 2)


@pytest.mark.parametrize("width", WIDTHS)
def test_hostile_texts_stay_inert_and_within_their_room(width: int) -> None:
    for start in range(0, len(TEXTS), 24):
        one = a_fact(TEXTS[start : start + 24])
        for status in ScoreStatus:
            shown = replace(one, status=status, why=TEXTS[start])
            for line in lines_of(shown, FactRoom(width, 40, LOOK, status is ScoreStatus.SCORED)):
                assert line.width <= width
                assert wrong(line) is None
        for line in (sentences.fact_edge(one), sentences.describe_copy(one)):
            assert wrong(line) is None


def test_a_card_says_that_options_hold_each_other() -> None:
    room = FactRoom(80, 40, LOOK)
    words = "Some options begin others: their probabilities sum to 1.39"
    assert words in text_of(lines_of(a_fact(["x"], mass=1.39), room))
    assert "begin others" not in text_of(lines_of(a_fact(["x"], mass=1.0009), room))


@pytest.mark.parametrize("width", WIDTHS)
def test_hostile_texts_in_lists(width: int) -> None:
    for start in range(0, len(TEXTS), 8):
        words = TEXTS[start : start + 8]
        row = BoardRow(1, words[0], words[1], 12, 3, 4, (KnownCount(9, 3, 4),) * 2)
        board = LatentBoard(Setup(), (Setup(),), (words[2], words[3]), (row, replace(row, why="x")))
        facts = np.ones((2, 4), np.bool_)
        listed = RelationFacts(
            1, board.models, np.arange(4), tuple(words[:4]), tuple(words[4:8]), facts, facts,
            facts, facts.astype(np.int64), np.full((2, 4), 0.5), facts.astype(np.uint8),
        )  # fmt: skip
        now = LatentState(model=words[2], lists=LatentLists(board, words[2], listed))
        for now.board in (False, True):
            lines = [render_board.relations_heading(now, width)]
            lines += [render_board.relation_line(now, one, width, True, LOOK) for one in now.rows]
            lines += [
                render_board.fact_line(
                    render_board.fact_row(listed, at, 0, {0: words[3]}), width, at == 1, LOOK
                )
                for at in range(4)
            ]
            lines += [render_board.facts_heading(width, LOOK), *render_board.board_tail(now, width)]
            lines += [sentences.summary(now).clip(width)]
            for line in lines:
                assert line.width <= max(width, 30), line.text
                assert wrong(line) is None


def test_relations_of_one_name_say_of_which_set_they_are() -> None:
    row = BoardRow(1, "capital", "popqa", 12, 3, 4, (KnownCount(9, 0, 4),), is_twin=True)
    board = LatentBoard(Setup(), (Setup(),), ("m",), (row, replace(row, is_twin=False)))
    now = LatentState(model="m", lists=LatentLists(board, "m", None))
    two, one = (render_board.relation_line(now, each, 60, False, LOOK).text for each in board.rows)
    assert "capital (popqa)" in two
    assert "popqa" not in one


def test_a_long_text_is_shown_by_its_end() -> None:
    long = "Q" * LONG
    one = a_fact(["short"], parts=(InputPart(long, ExampleKind.CLEAN), InputPart("End", SUBJECT)))
    lines = lines_of(one, FactRoom(60, 24, LOOK))
    assert len(lines) < 30
    assert "QEnd _" in text_of(lines)
    whole = lines_of(one, FactRoom(60, 24, LOOK, whole=True))
    assert text_of(whole).count("Q") == LONG


def test_the_gold_is_shown_wherever_it_stands_and_the_prediction_marked() -> None:
    rows = [OptionRow(f"o{at}", 0.02, -4.0, at == 40, at == 0) for at in range(50)]
    one = a_fact(
        ["a"], options=tuple(rows), rank=41, numbers=(), kinds=(), models=(), response=None
    )
    shown = text_of(lines_of(one, FactRoom(70, 24, LOOK)))
    assert "  1 >  o0 " in shown
    assert " 41  ● o40 " in shown
    assert "gold" in shown
    assert "others together" in shown
    assert "the gold is 41 of 50" in shown
    whole = text_of(lines_of(one, FactRoom(70, 24, LOOK, whole=True)))
    assert [f"o{at} " in whole for at in range(50)] == [True] * 50
    assert "others together" not in whole


@pytest.mark.parametrize("width", [48, 78])
def test_a_row_of_the_list_says_what_the_model_predicted(width: int) -> None:
    row = render_board.FactRow(
        *("Benin", "Porto-Novo", "", True, True, False, 57, 0.0, False, False, "N'Djamena")
    )
    drawn = render_board.fact_line(row, width, False, LOOK).text
    heading = render_board.facts_heading(width, LOOK).text
    assert drawn.index("N'Djamena") == heading.index("predicted")
    assert drawn.index("57") + 2 == heading.index("rank") + 4


def test_what_a_run_has_scored_stands_beside_what_is_right_of_it() -> None:
    row = BoardRow(1, "capital", "", 152, 3, 4, (KnownCount(20, 1, 9), KnownCount(0, 0, 0)))
    board = LatentBoard(Setup(), (Setup(),), ("m", "new"), (row,))
    now = LatentState(model="m", lists=LatentLists(board, "m", None))
    head, line = (
        render_board.relations_heading(now, 50).text,
        render_board.relation_line(now, row, 50, False, LOOK).text,
    )
    for words, number in (("facts", "152"), ("scored", "20"), ("right", "45.0")):
        at = head.index(words) + len(words)
        assert line[:at].endswith(number), (words, line)
    now.board = True
    assert (
        "45.0  25.8 to 65.8  of 20 !1"
        in render_board.relation_line(now, row, 110, False, LOOK).text
    )
    chance, columns = (one.text for one in render_board.board_tail(now, 110)[1:])
    assert "chance  1.0  one of 100 options at random" in chance
    assert "95 % interval (Wilson)" in columns


def test_altered_examples_are_told_apart_where_they_stand_and_where_they_do_not() -> None:
    one = a_fact(["word"])
    lines = lines_of(one, FactRoom(80, 40, LOOK))
    roles = {span.role for line in lines for span in line.spans if span.text.strip() == "word"}
    assert {ROLES[ExampleKind.INCORRECT], ROLES[ExampleKind.UNKNOWN], ROLES[SUBJECT]} <= roles
    assert "wrong object" in text_of(lines)
    assert "as they were sent" in text_of(lines)
    long = InputPart("clean words " * 300, ExampleKind.CLEAN)
    far = replace(one, parts=(*one.parts[:-1], long, one.parts[-1]))
    assert "further up, space shows all" in text_of(lines_of(far, FactRoom(80, 40, LOOK)))


@pytest.mark.parametrize(
    ("status", "running", "words"),
    [
        (ScoreStatus.FAILED, False, "Failed: the log probability of an option is missing"),
        (ScoreStatus.LEFT_OUT, False, "Left out before anything is asked: too few"),
        (ScoreStatus.UNSCORED, False, "r scores it"),
        (ScoreStatus.UNSCORED, True, "A run is at it"),
    ],
)
def test_every_state_says_what_to_do(status: ScoreStatus, running: bool, words: str) -> None:
    one = a_fact(["a"], status=status, options=(), why="too few", response=None)
    shown = text_of(lines_of(one, FactRoom(80, 40, LOOK, running=running)))
    assert words in " ".join(shown.split())


@pytest.mark.parametrize("right", [True, False])
def test_the_response_alone_is_a_result(right: bool) -> None:
    one = a_fact(
        ["a"],
        status=ScoreStatus.LEFT_OUT,
        options=(),
        why="too few options",
        response="Paris",
        response_right=right,
    )
    shown = " ".join(text_of(lines_of(one, FactRoom(80, 40, LOOK))).split())
    assert ("not known by what" in shown) is not right
    assert "the test response" in shown
    assert "eft out" not in shown


def test_a_contradiction_says_what_it_means() -> None:
    known = (OptionRow("x", 1.0, -0.1, True, True),)
    unknown = (OptionRow("y", 0.9, -0.1, False, True), OptionRow("x", 0.1, -3.0, True, False))
    for code, options, words in (
        ("RF", known, "stored: our questions do not reach it"),
        ("EF", known, "in there: our questions do not reach it"),
        ("DR", unknown, "questions reach it, the bare subject does not"),
    ):
        one = a_fact(["a"], code=code, options=options)
        assert one.contradicts
        assert words in text_of(lines_of(one, FactRoom(100, 40, LOOK)))
    for code, options in (("DR", known), ("RF", unknown), ("", known), ("NA", unknown)):
        assert not a_fact(["a"], code=code, options=options).contradicts
