"""The lines of the Confusion screen, from made-up data."""

from dataclasses import replace

import numpy as np
import pytest

from core.curation.gold_aliases import AliasReach
from core.curation.question_edits import EditReach
from core.curation.question_reviews import RejectReason
from core.results.agreement_table import Agreement
from core.stats.intervals import ShareEstimate
from core.views.audits.audit_card import AuditCell
from core.views.disagreements.disagreement_card import DisagreementCard, PersonRemark
from core.views.disagreements.grader_rates import GraderRates
from core.vocabulary import LABELS, Label, Task
from tests.tui.screens.confusion.making import (
    CARD,
    CROSSING,
    MATRIX,
    RATES,
    ROWS,
    TABLE,
    TEXTS,
    TWINS,
    A,
    queue,
)
from tui.screens.confusion import (
    disagreement_views,
    queue_filter_dialog,
    render_agreement,
    render_card,
    render_matrix,
    render_rates,
    sentences,
)
from tui.screens.confusion.disagreement_views import QueueLayout
from tui.screens.confusion.render_audit_queue import cell_row
from tui.screens.confusion.render_card import CardContext
from tui.screens.confusion.render_matrix import MatrixCell
from tui.text import number_text
from tui.text.line import Line
from tui.text.speech import speak_line
from tui.theme.look import look_named

LOOK = look_named("dark")
KEYS = {
    **dict(zip("abNn&edx", "abNn&edx", strict=True)),
    **{one.value: one[0].lower() for one in LABELS},
}
SETTING = CardContext(62, LOOK, KEYS, armed=True)


def whole_card(card: DisagreementCard, now: GraderRates | None, setting: CardContext) -> list[Line]:
    """What is read, and what stays in sight below it."""
    found = render_card.lines_of(card, now, setting)
    return [*found, *render_card.decision_lines(card, setting)]


def texts(lines: list[Line]) -> list[str]:
    return [line.text.rstrip() for line in lines]


def roles_at(line: Line, text: str) -> str:
    return next(span.role for span in line.spans if span.text.strip() == text)


# The matrix


def test_the_matrix_has_counts_over_percents_and_totals() -> None:
    lines = texts(render_matrix.lines_of(TABLE, None, 66, LOOK))
    assert len(lines) == 10
    assert lines[1].split() == ["●", "correct", "3,270", "2", "8", "0", "3,280"]
    assert lines[2].split() == ["78.61%", "0.05%", "0.19%", "0.00%", "78.85%"]
    assert lines[9].split() == ["all", "B", "3,287", "735", "64", "74", "4,160"]


@pytest.mark.parametrize("width", [50, 54, 60, 66, 90])
def test_headings_of_the_matrix_stand_apart(width: int) -> None:
    heading = render_matrix.lines_of(TABLE, None, width, LOOK)[0].text.split()
    assert len(heading) == len(LABELS) + 2


def test_heat_goes_by_share_of_its_kind() -> None:
    assert render_matrix.heat(TABLE, MatrixCell(0, 0)) == " @heat-agree-3"
    assert render_matrix.heat(TABLE, MatrixCell(1, 1)) == " @heat-agree-2"
    assert render_matrix.heat(TABLE, MatrixCell(2, 2)) == " @heat-agree-1"
    assert render_matrix.heat(TABLE, MatrixCell(3, 1)) == " @heat-differ-3"
    assert render_matrix.heat(TABLE, MatrixCell(0, 2)) == " @heat-differ-2"
    assert render_matrix.heat(TABLE, MatrixCell(0, 1)) == " @heat-differ-1"
    assert render_matrix.heat(TABLE, MatrixCell(0, 3)) == ""


def test_the_bracket_stands_around_both_lines_of_a_cell() -> None:
    lines = texts(render_matrix.lines_of(TABLE, MatrixCell(3, 1), 66, LOOK))
    assert [place for place, line in enumerate(lines) if "[" in line and "]" in line] == [7, 8]


def test_the_bracket_stops_at_the_edges() -> None:
    assert MatrixCell(0, 0).cell_beside(-1, -1) == MatrixCell(0, 0)
    assert MatrixCell(0, 0).cell_beside(9, 1) == MatrixCell(3, 1)


@pytest.mark.parametrize("width", [40, 66, 120])
def test_a_click_finds_the_cell_that_stands_there(width: int) -> None:
    lines = render_matrix.lines_of(TABLE, None, width, LOOK)
    column = lines[7].text.index("23")
    assert render_matrix.place_at(7, column, width) == MatrixCell(3, 1)
    assert render_matrix.place_at(8, column, width) == MatrixCell(3, 1)
    assert render_matrix.place_at(0, column, width) is None
    assert render_matrix.place_at(9, column, width) is None
    assert render_matrix.place_at(7, 3, width) is None


def test_millions_fit() -> None:
    lines = render_matrix.lines_of(Agreement(MATRIX * 10_000), None, 60, LOOK)
    assert "32,700k" in lines[1].text
    assert not any("…" in line.text for line in lines)


@pytest.mark.parametrize("width", [40, 60, 66, 78, 120])
def test_totals_of_the_matrix_are_all_in_full_or_all_in_thousands(width: int) -> None:
    matrix = np.array([[3_270_000, 2, 8, 0], [3, 700, 0, 5], [0, 0, 312, 0], [1, 23, 6, 41]])
    lines = texts(render_matrix.lines_of(Agreement(matrix), None, width, LOOK))
    totals = [*(line.split()[-1] for line in lines[1:9:2]), *lines[9].split()[2:]]
    assert totals == ["3,270k", "1k", "<1k", "<1k", "3,270k", "1k", "<1k", "<1k", "3,271k"]


def test_nothing_in_common_has_no_percents() -> None:
    lines = render_matrix.lines_of(Agreement(np.zeros((4, 4), np.int64)), None, 66, LOOK)
    assert "%" not in "".join(line.text for line in lines)


# Agreement


def test_agreement_in_one_line_and_its_intervals() -> None:
    assert render_agreement.summary(CROSSING).text == " agreement 98.32%   κ 0.951   α 0.951"
    intervals = render_agreement.intervals(CROSSING, 49).text
    assert intervals.startswith(" 95 %  97.88 to 98.67  κ .94–.96  α")
    assert render_agreement.intervals(CROSSING, 36).text == " 95 %  97.88 to 98.67  κ .94–.96"


def test_rows_stand_under_their_heading() -> None:
    cells = render_agreement.widths(CROSSING.by_task, 49)
    heading = render_agreement.heading("task", cells, 49).text
    row = render_agreement.draw(CROSSING.by_task[0], cells, 49, False).text
    assert row.split() == ["completion", "824", "98.8", ".97", "10", "4", "2"]
    assert heading.split() == ["task", "model", "both", "agree", "κ", "differ", "g", "prof"]
    assert heading.index("both") + 4 == row.index("824") + 3
    assert len(heading) == len(row) <= 49


@pytest.mark.parametrize("width", range(20, 60))
def test_counts_of_disagreements_are_never_cut(width: int) -> None:
    cells = render_agreement.widths(CROSSING.by_task, width)
    names = render_agreement.heading("task", cells, width).text.split()
    assert names[-3:] == ["differ", "g", "prof"]
    line = render_agreement.draw(CROSSING.by_task[0], cells, width, False)
    assert line.width <= width
    assert line.text.split()[-3:] == ["10", "4", "2"]
    assert ("both" in names) <= ("κ" in names) <= ("agree" in names)


@pytest.mark.parametrize(
    ("value", "shown"), [(0.951, "0.951"), (-0.0123, "−0.012"), (None, "–"), (0.0, "0.000")]
)
def test_coefficients(value: float | None, shown: str) -> None:
    assert number_text.coefficient(value) == shown


# The queue


def test_groups_have_titles_and_rows_keep_their_order() -> None:
    shown = queue()
    layout = QueueLayout(shown)
    assert layout.rows == len(ROWS) + 3
    titles = [layout.title(row) for row in range(layout.rows)]
    assert [size for _, size in filter(None, titles)] == [3, 2, 1]
    places = [layout.place(row) for row in range(layout.rows)]
    assert [place for place in places if place is not None] == list(range(len(ROWS)))
    assert all(layout.place(layout.row(place)) == place for place in range(len(ROWS)))


def row_text(place: int, decided: Label | None = None, blind: bool = False, width: int = 47) -> str:
    row = queue(tuple(decided if at == place else None for at in range(len(ROWS)))).row(place)
    return disagreement_views.draw(row, TEXTS[place], width, LOOK, False, blind).text


@pytest.mark.parametrize("width", [51, 78, 120])
def test_fact_and_gold_stand_beside_the_answer_under_headings(width: int) -> None:
    above, row = disagreement_views.heading(width).text, row_text(0, width=width)
    assert above.split()[:3] == ["A", "B", "answer"]
    assert row.index("Taurus II") == above.index("answer")
    assert row.index("iPh") == above.index("fact → gold")
    assert "159." in row
    fact = disagreement_views._fact(queue().row(0), 40)
    assert fact.text.strip() == "iPhone 11 → 159.2 million"
    gold = {span.text for span in fact.spans if span.role == "object"}
    assert len(gold) == 1
    assert "fact" not in disagreement_views.heading(40).text


def test_a_long_rationale_leaves_the_decision_as_it_is() -> None:
    shown = replace(CARD, a=replace(CARD.a, rationale="a long reason " * 200))
    assert render_card.decision_lines(shown, SETTING) == render_card.decision_lines(CARD, SETTING)
    read = "\n".join(texts(render_card.lines_of(shown, None, SETTING)))
    assert read.count("a long reason") > 100


def test_a_row_has_decision_labels_answer_and_effect() -> None:
    assert row_text(0).split() == ["x", "●", "Taurus", "II", "RF", "→", "RT"]
    assert row_text(0, Label.CORRECT).split()[0] == "B"
    assert row_text(0, Label.INCORRECT).split()[0] == "A"
    assert row_text(0, Label.OTHER).split()[0] == "O"
    assert row_text(3).endswith(".60→.50")
    assert row_text(4).endswith("–→.00")


def test_what_a_model_wrote_cannot_steer() -> None:
    assert "\x1b" not in row_text(5)
    assert "[bold" in row_text(5)


def test_blind_rows_show_labels_once_decided() -> None:
    assert row_text(0, None, blind=True).split() == ["·", "·", "Taurus", "II"]
    assert row_text(0, Label.CORRECT, blind=True).split()[:3] == ["B", "x", "●"]


def test_an_answer_that_is_not_read_yet_is_named_by_its_fact() -> None:
    assert "iPhone 11" in disagreement_views.draw(queue().row(0), None, 51, LOOK, False, False).text


def test_a_row_names_who_else_has_decided_it() -> None:
    whole = queue((Label.CORRECT, *[None] * (len(ROWS) - 1)))
    theirs = np.array([2, 2, *[0] * (len(ROWS) - 2)], np.uint8)
    fate = np.array([0, 0, 1, 2, *[0] * (len(ROWS) - 4)], np.uint8)
    shown = replace(whole, others=(("mira", theirs), ("ada", theirs)), fate=fate)

    def drawn(place: int) -> str:
        return disagreement_views.draw(shown.row(place), TEXTS[place], 51, LOOK, False, False).text

    assert "mira +1 ≠" in drawn(0)
    assert "mira +1" in drawn(1)
    assert "≠" not in drawn(1)
    assert [drawn(place).split()[0] for place in (2, 3)] == ["d", "e"]
    assert shown.done_by_others == 2
    assert shown.find_undecided(0) == 1
    assert shown.find_undecided(1) == 4


# The card


def test_a_card_says_what_each_decision_would_do() -> None:
    lines = texts(whole_card(CARD, RATES, SETTING))
    a = next(line for line in lines if line.startswith(" a "))
    b = next(line for line in lines if line.startswith(" b "))
    assert a.split() == ["a", "●", "CORRECT", "gemini-2.5-pro", "stays", "RT"]
    assert b.split() == ["b", "x", "INCORRECT", "gpt-5", "becomes", "RF"]
    assert any(line.split()[:5] == ["p", "≈", "PARTIALLY", "stays", "RT"] for line in lines)
    marks = "on  ●x●●●●xx   A .63 pass   B .50 fail   KT yes to no"
    assert marks in lines


def test_the_answer_in_question_is_tinted() -> None:
    line = next(one for one in whole_card(CARD, None, SETTING) if one.text.startswith("on "))
    assert [span.text for span in line.spans if "@tint" in span.role] == ["●"]


def test_a_blind_card_hides_graders_and_consequences() -> None:
    shown = "\n".join(texts(whole_card(CARD, RATES, replace(SETTING, blind=True))))
    for hidden in ("gemini-2.5-pro", "gpt-5", "stays", "becomes", "pass", "Rounding"):
        assert hidden not in shown
    assert [shown.count(label) for label in ("CORRECT", "PARTIALLY", "OTHER")] == [2, 1, 1]


def test_who_hears_a_card_hears_what_is_wrong_with_a_question_whole() -> None:
    setting = CardContext(36, look_named("dark", spoken=True), KEYS, rejecting=True)
    heard = " ".join(" ".join(texts(whole_card(CARD, None, setting))).split())
    assert "reject it, its fact leaves all totals, esc back" in heard
    for reason in RejectReason:
        assert reason in heard


def test_a_card_says_what_can_be_done_to_the_question() -> None:
    reach = EditReach(16, 96, AliasReach(8, 40, 16))
    lines = texts(whole_card(replace(CARD, reach=reach), None, SETTING))
    start = next(at for at, line in enumerate(lines) if line.startswith("or the question"))
    assert [" ".join(line.split()) for line in lines[start + 1 : start + 5]] == [
        "& accept as alias 8 labelled again, 40 out of date, 16 kept",
        "e edit question or gold 16 answers aside or 96 grades stale",
        "d reject it, then 1 gold is wrong 2 not unique 3 …",
        "x flag the fact N skip n note, held for it",
    ]
    begun = texts(whole_card(CARD, None, replace(SETTING, rejecting=True)))
    assert any("4 not stable" in line and "6 other" in line for line in begun)


def test_a_card_says_what_was_said_so_far() -> None:
    remarks = (
        PersonRemark("mira", 0, Label.INCORRECT, None, "no", "gpt-5"),
        PersonRemark("ada", 0, None, None, "is rounding right here?"),
    )
    shown = replace(CARD, remarks=remarks)
    lines = texts(whole_card(shown, None, replace(SETTING, width=78)))
    start = next(at for at, line in enumerate(lines) if line.startswith("said so far"))
    assert [line.split() for line in lines[start + 1 : start + 3]] == [
        ["mira", "x", "INCORRECT", "of", "the", "same", "answer", "by", "gpt-5", "note", "no"],
        ["ada", "note", "is", "rounding", "right", "here?"],
    ]
    hidden = texts(whole_card(shown, None, replace(SETTING, blind=True)))
    assert not any("mira" in line for line in hidden)


def test_same_answers_are_listed() -> None:
    lines = texts(whole_card(replace(CARD, twins=TWINS), RATES, SETTING))
    assert sum(line.startswith("off ") for line in lines) == len(TWINS)


def test_how_far_the_queue_is_stands_beside_the_agreement() -> None:
    said = render_agreement.progress(RATES, 4, 60).text.strip()
    assert said == "decided 12 of 70   by others 4   wrong: A 4  B 9"
    said = render_agreement.progress(RATES, 4, 40).text.strip()
    assert said == "decided 12 of 70   wrong: A 4  B 9"
    assert render_agreement.progress(RATES, 4).text.strip() == "decided 12 of 70"
    assert render_agreement.progress(None).text == ""


def test_counts_of_wrong_labels_say_that_they_are_no_rate() -> None:
    assert render_agreement.scope(RATES, "v").text == "counts, no rate: v audit estimates it"
    assert render_agreement.scope(None, "v").text == ""
    begun = replace(RATES, a=replace(RATES.a, decided=0), groups=((0, 14), (0, 27), (0, 29)))
    assert render_agreement.scope(begun, "v").text == ""
    audited = replace(RATES, a=replace(RATES.a, audited=ShareEstimate(0.087, 0.061, 0.122)))
    assert render_agreement.scope(audited, "v").text == ""


def test_a_decision_names_who_said_otherwise() -> None:
    said = sentences.describe_decision(Label.CORRECT, CARD, (("mira", Label.CORRECT),)).text
    assert said == sentences.describe_decision(Label.CORRECT, CARD).text
    others = [("mira", Label.CORRECT), ("ben", Label.OTHER)]
    said = sentences.describe_decision(Label.CORRECT, CARD, others).text
    assert said.endswith(". ben said OTHER. u undoes it")
    others.append(("ada", Label.INCORRECT))
    said = sentences.describe_decision(Label.CORRECT, CARD, others).text
    assert said.endswith(". ben and 1 more said otherwise. u undoes it")


def test_a_decided_card_says_so() -> None:
    shown = replace(CARD, own=Label.CORRECT, note="as rounded")
    lines = texts(whole_card(shown, None, SETTING))
    assert "you decided ● CORRECT" in lines
    assert "note   as rounded" in lines


def test_a_grader_without_a_label_now() -> None:
    shown = replace(CARD, b=replace(CARD.b, label=None, rationale=None))
    assert any("has no label now" in line for line in texts(whole_card(shown, None, SETTING)))


def test_the_text_is_left_to_the_pane_that_stands_beside_the_card() -> None:
    shown, title = replace(CARD, context="It was sold in"), "the text before it"
    alone = texts(whole_card(shown, None, SETTING))
    assert any(line.startswith(title) for line in alone)
    beside = texts(whole_card(shown, None, replace(SETTING, beside=True)))
    assert not any(line.startswith(title) for line in beside)


def test_where_there_is_no_grader_b_nothing_is_said_of_it() -> None:
    nobody = replace(CARD.b, grader="", version="", label=None, rationale=None)
    shown = replace(CARD, a=replace(CARD.a, label=None), b=nobody)
    lines = texts(whole_card(shown, None, SETTING))
    assert sum("has no label now" in line for line in lines) == 1


@pytest.mark.parametrize("width", [40, 62, 78, 120])
def test_cards_keep_within_their_width(width: int) -> None:
    long = "word " * 900
    shown = replace(
        CARD, question=long, gold=long, answer=long, text=long + "x", note=long, twins=TWINS,
        own=Label.OTHER, a=replace(CARD.a, rationale=long), context=long,
    )  # fmt: skip
    lines = whole_card(shown, RATES, replace(SETTING, width=width))
    assert max(line.width for line in lines) <= width
    assert all("\n" not in line.text for line in lines)


# Rates


def test_decisions_are_counts_without_a_share_or_an_interval() -> None:
    lines = texts(render_rates.lines_of(RATES, 62, LOOK, True))
    assert lines[0].startswith("so far, 12 of 70 decided, 3.1 a minute ─")
    assert lines[1:] == [
        "A wrong     4 of   12",
        "B wrong     9 of   12",
        "among the disagreements decided, all that change a profile",
        "counts of what came first, no sample of all",
    ]


def test_the_rate_of_an_audit_stands_beside_the_counts() -> None:
    audited = replace(RATES, a=replace(RATES.a, audited=ShareEstimate(0.087, 0.061, 0.122)))
    lines = texts(render_rates.lines_of(audited, 80, LOOK, True))
    assert lines[1].startswith("A wrong     4 of   12  audit   9%  ")
    assert lines[1].endswith("6 to 12%")
    assert lines[2:] == [
        "B wrong     9 of   12",
        "among the disagreements decided, all that change a profile",
    ]
    assert all(line.width <= 62 for line in render_rates.lines_of(audited, 62, LOOK, True))


def test_before_the_first_decision_there_are_no_counts() -> None:
    none = replace(RATES, groups=((0, 14), (0, 27), (0, 29)), per_minute=None)
    lines = texts(render_rates.lines_of(none, 62, LOOK, True))
    assert lines[1:] == ["nothing decided yet"]


@pytest.mark.parametrize("share", [0.0, 0.333, 1.0])
def test_a_bar_is_as_long_as_it_should_be(share: float) -> None:
    assert number_text.bar(share, (0.0, 1.0), 30, LOOK).width == 30


# Filters


def test_what_is_filtered_stands_as_chips() -> None:
    among = replace(CROSSING.among, task=None, category="People", model="gemma3-4b")
    assert queue_filter_dialog.chips(among).text.split() == ["gemma3-4b", "People"]
    assert among.is_set
    assert not among.cleared.is_set


def test_graders_are_named_without_their_prefix() -> None:
    assert A.startswith("llm:")
    assert not any("llm:" in line for line in texts(whole_card(CARD, RATES, SETTING)))


def test_answers_that_an_audit_asks_for_are_heard_by_their_number() -> None:
    cell = AuditCell(Task.DIRECT, False, (Label.CORRECT,), 2, here=True)
    heard = speak_line(cell_row(cell, 100, look_named("dark", spoken=True))).text
    assert heard == "3 direct, off, correct, 2 no label, this one"
