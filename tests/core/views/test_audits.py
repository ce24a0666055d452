"""Audits as a session shows them: blind cards, the list up to the present fact, many audits."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.curation.label_writer import set_label
from core.errors import UsageError
from core.project import OpenProject
from core.scoring.policy import Policy
from core.views.audits.audit_board import AuditBoard, AuditRequest
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.lens import Lens
from core.views.session import Session
from core.vocabulary import Label, Strategy
from tests.core.certainty.making import FACTS, POLICY, drawn, make_project, truth_of

JUDGED = Lens("m", policy=POLICY).with_graders(("human:*", "judge"), ("judge", "other"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    make_project(tmp_path / "a.db").close()
    return tmp_path / "a.db"


@pytest.fixture
def session(path: Path) -> Iterator[Session]:
    made = Session(path)
    made.name = "ann"
    made.open(JUDGED)
    yield made
    made.close()


def draw(path: Path, name: str = "june", **options: object) -> None:
    with OpenProject(path, "write") as project:
        drawn(project, name, **options)


def board_of(session: Session, **asked: object) -> AuditBoard:
    session.refresh()
    found = session.audits.board(replace(AuditRequest(), **asked))  # type: ignore[arg-type]
    assert found is not None
    return found


def decide(session: Session, board: AuditBoard) -> None:
    card = board.card
    assert card is not None
    assert board.place is not None
    fact = FACTS.index(board.report.evidence.frame.fact_ids[board.place])
    label = truth_of(fact, card.task, card.thinking, card.slot & 1023)
    session.audits.decide(card.slot, label, None)


def test_without_an_audit_there_is_an_offer(session: Session) -> None:
    assert session.audits.board(AuditRequest()) is None
    offer = session.audits.foresee_draw(session.snapshot.lens)
    assert offer.name == "audit 1"
    assert offer.frame is not None
    assert len(offer.frame) == 14
    assert offer.frame.plan.second == ("other#1",)
    assert offer.frame.plan.graders == ("judge#1",)
    session.audits.draw("audit 1", session.snapshot.lens)
    assert session.audits.foresee_draw(session.snapshot.lens).name == "audit 2"
    assert board_of(session).names == ("audit 1",)


def test_the_list_ends_at_the_present_fact_and_its_card_is_blind(
    session: Session, path: Path
) -> None:
    draw(path)
    board = board_of(session)
    assert (board.frontier, board.listed, board.place) == (0, 1, 0)
    card = board.card
    assert card is not None
    assert card.left == len(card.asked) == board.lefts[0]
    assert not any(hasattr(card, name) for name in ("model", "a", "b", "consequences", "own"))
    assert sum(cell.here for cell in card.cells) == 1
    steps = 0
    while board_of(session).frontier == 0:
        decide(session, board_of(session))
        steps += 1
    board = board_of(session)
    assert (board.frontier, board.listed, board.report.audited) == (1, 2, 1)
    assert int(board.decisions[0]) == steps
    frame = board.report.evidence.frame
    settled = board_of(session, chosen=frame.fact_ids[0])
    assert settled.fact is not None
    assert len(settled.fact.answers) == steps
    assert all(one.model == "m" for one in settled.fact.answers)
    later = board_of(session, chosen=frame.fact_ids[9])
    assert later.place == later.frontier


def test_put_off_is_passed_over_and_keeps_what_follows_waiting(
    session: Session, path: Path
) -> None:
    draw(path)
    first = board_of(session).report.evidence.frame.fact_ids[0]
    off = {"put_off": (first,)}
    while board_of(session, **off).frontier == 1:
        decide(session, board_of(session, **off))
    board = board_of(session, **off)
    assert (board.report.audited, board.frontier, board.put_off) == (0, 2, 1)
    back = board_of(session, **off, chosen=first)
    assert back.place == 0
    assert back.card is not None


def test_all_settled_leaves_nothing_to_decide(session: Session, path: Path) -> None:
    draw(path)
    while (board := board_of(session)).card is not None:
        decide(session, board)
    assert (board.frontier, board.place, board.listed) == (None, 13, 14)
    assert board.card is None
    assert board.fact is not None, "the last fact can be looked at, and from it the others"
    assert board.report.audited == 14


def test_the_newest_open_audit_is_looked_at_unless_one_is_named(
    session: Session, path: Path
) -> None:
    draw(path, "june")
    draw(path, "july")
    assert board_of(session).report.name == "july"
    assert board_of(session, name="june").report.name == "june"
    session.audits.close("july")
    board = board_of(session)
    assert (board.report.name, board.names) == ("june", ("june",))
    assert board_of(session, name="july").closed
    assert board_of(session, name="gone").report.name == "june"
    with pytest.raises(UsageError, match="there already"):
        session.audits.draw("june", session.snapshot.lens)


def test_futures_are_those_of_the_report(session: Session, path: Path) -> None:
    draw(path)
    board = board_of(session, within=0.1)
    futures = session.audits.futures(board)
    assert futures is not None
    left = futures.play()
    assert 0 < left.p50 <= left.p90 <= 14


def test_audits_of_a_lens_are_of_its_policy_and_graders(session: Session, path: Path) -> None:
    draw(path)
    assert session.audits.list_reports(JUDGED) == []  # nothing is audited yet
    while board_of(session).frontier == 0:
        decide(session, board_of(session))
    assert [one.name for one in session.audits.list_reports(JUDGED)] == ["june"]
    for other in (
        replace(JUDGED, policy=replace(JUDGED.policy, tau=0.75)),
        replace(JUDGED, policy=replace(JUDGED.policy, strategy=Strategy.FACT)),
        JUDGED.with_graders(("human:*", "other"), ()),
        JUDGED.with_graders(("judge", "other"), ()),
        JUDGED.with_graders(("human:*",), ()),
        JUDGED.with_graders(("gone",), ()),
    ):
        assert session.audits.list_reports(other) == []
    assert session.audits.list_reports(JUDGED.with_graders(("judge",), ()))


def test_a_lens_without_graders_says_why_none_can_be_drawn(session: Session) -> None:
    offer = session.audits.foresee_draw(Lens("m", policy=Policy(graders=("human:*",))))
    assert offer.frame is None
    assert offer.why
    session.name = None
    assert session.audits.foresee_draw(JUDGED).why is None


def test_labels_of_another_program_come_in(session: Session, path: Path) -> None:
    draw(path)
    card = board_of(session).card
    assert card is not None
    with OpenProject(path, "write") as project:
        set_label(project, "ann", card.slot, Label.OTHER)
    after = board_of(session).card
    assert after is not None
    assert after.slot != card.slot
    assert after.read == 1


def test_the_rate_of_an_audit_stands_beside_the_counts(session: Session, path: Path) -> None:
    draw(path)
    assert session.audits.wrong_rate("judge") is None
    while board_of(session).report.audited < 3:
        decide(session, board_of(session))
    rate = session.audits.wrong_rate("judge")
    assert rate is not None
    assert rate.low <= rate.share <= rate.high
    queue = session.confusions.queue(DisagreementFilter())
    rates = session.confusions.rates(queue)
    assert (rates.a.audited, rates.b.audited) == (rate, None)
