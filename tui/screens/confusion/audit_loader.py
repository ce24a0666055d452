"""What audits on the Confusion screen have the db worker read and write."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.certainty.audit_report import AuditFutures, FactsLeft
from core.curation.label_writer import LabelEffect
from core.curation.undo_history import UndoResult
from core.views.audits.audit_board import AuditBoard, AuditRequest
from core.views.audits.audit_card import AuditCard
from core.views.lens import Lens
from core.views.snapshot import Snapshot
from core.vocabulary import Label
from tui.screens.confusion.audit_state import AuditPage

if TYPE_CHECKING:
    from core.views.session import Session


@dataclass(frozen=True, slots=True)
class AuditStep:
    """What is shown after something was written."""

    snapshot: Snapshot
    page: AuditPage


def read_page(
    request: AuditRequest, lens: Lens | None, shown: AuditCard | None, session: "Session"
) -> AuditPage:
    """The audit asked for, while a card of one is `shown`; without any, what one would be of."""
    board = session.audits.board(request)
    if board is not None and shown is not None:
        return AuditPage(board, given=session.audits.read_given(board, shown))
    if board is not None or lens is None:
        return AuditPage(board)
    return AuditPage(None, session.audits.foresee_draw(lens))


def read_futures(board: AuditBoard, session: "Session") -> AuditFutures | None:
    """How an audit may go on."""
    return session.audits.futures(board)


def play_futures(futures: AuditFutures, session: "Session") -> FactsLeft:
    """What is left; nothing is read for it."""
    return futures.play()


def write_label(
    name: str,
    request: AuditRequest,
    slot: int,
    label: Label,
    note: str | None,
    session: "Session",
) -> AuditStep:
    """Label an answer, and read the next one in the same go."""
    session.name = name
    _, snapshot = session.audits.decide(slot, label, note)
    following = session.audits.board(replace(request, slot=None))
    if following is not None and following.card is None and following.frontier is not None:
        following = session.audits.board(replace(request, slot=None, chosen=None))
    return AuditStep(snapshot, AuditPage(following))


def write_note(slot: int, note: str, session: "Session") -> Snapshot:
    """Write the note on one's label."""
    return session.set_note(slot, note)[1]


def read_undone(request: AuditRequest, undone: UndoResult | None, session: "Session") -> AuditPage:
    """The audit after undoing, at the answer that it was about."""
    chosen = replace(request, chosen=None, slot=None)
    if undone is not None and isinstance(undone.what, LabelEffect):
        target = session.target(undone.what)
        if target is not None:
            fact = session.snapshot.fact_id(target.fact)
            chosen = replace(chosen, chosen=fact, slot=undone.what.slot)
    board = session.audits.board(chosen)
    if board is not None and board.card is None and board.frontier is not None:
        board = session.audits.board(replace(chosen, chosen=None, slot=None))
    return AuditPage(board)


def draw_audit(name: str, person: str, lens: Lens, session: "Session") -> AuditStep:
    """Draw an audit of what a lens shows, and look at it."""
    session.name = person
    _, snapshot = session.audits.draw(name, lens)
    return AuditStep(snapshot, AuditPage(session.audits.board(AuditRequest(name.strip()))))


def close_audit(request: AuditRequest, lens: Lens | None, session: "Session") -> AuditStep:
    """Mark an audit as done with, and look at another."""
    _, snapshot = session.audits.close(request.name or "")
    return AuditStep(snapshot, read_page(replace(request, name=None), lens, None, session))
