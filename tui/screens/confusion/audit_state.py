"""Where a person is in an audit, as plain data, and how keys and what is read change it."""

from dataclasses import dataclass, field, fields, replace

from core.certainty.audit_report import FactsLeft
from core.views.audits.audit_board import AuditBoard, AuditRequest
from core.views.audits.audit_card import AuditCard
from core.views.audits.lens_audits import DrawOffer
from core.vocabulary import Label

MOST_PUT_OFF = 100
"""Facts that are remembered as put off."""


@dataclass(frozen=True, slots=True)
class AuditPage:
    """What was read of audits: the one looked at, or what one would be of where none is drawn.

    `given` is the label that the answer shown before has, if that is not asked for any more.
    """

    board: AuditBoard | None
    offer: DrawOffer | None = None
    given: Label | None = None


@dataclass(frozen=True, slots=True)
class LastAudited:
    """The label set last: on which card, and with which note."""

    card: AuditCard
    label: Label
    note: str = ""


@dataclass(frozen=True, slots=True)
class AuditPosition:
    """Where a person is in audits; `pane` is the id of the view with the focus.

    The fact under the cursor stands `height` lines below the top of the list.
    """

    request: AuditRequest = field(default_factory=AuditRequest)
    pane: str = "audit-facts-view"
    height: int = 0


@dataclass(slots=True)
class AuditState:
    """What is asked for, and what was read.

    While `writing` keys wait: the next answer follows from the label that is written. `left` was
    worked out for `left_of`. `notes` go with the labels of their slots.
    """

    request: AuditRequest = field(default_factory=AuditRequest)
    page: AuditPage | None = None
    writing: bool = False
    left: FactsLeft | None = None
    left_of: object = None
    last: LastAudited | None = None
    notes: dict[int, str] = field(default_factory=dict)
    pane: str | None = None
    """The pane that is to have the focus once there is something to show."""
    height: int | None = None
    """Lines that are to be above the cursor once there is something to show."""

    @property
    def board(self) -> AuditBoard | None:
        """The audit looked at."""
        return self.page.board if self.page else None

    @property
    def card(self) -> AuditCard | None:
        """The answer to decide."""
        return self.board.card if self.board else None

    @property
    def minutes(self) -> float | None:
        """How long what is left takes at the pace of this sitting."""
        board = self.board
        if self.left is None or board is None or not board.per_minute:
            return None
        return self.left.decisions / board.per_minute

    @property
    def facts_in_sight(self) -> frozenset[int]:
        """Facts (ids) of which a label is undone at once: those listed, and the last one."""
        board, found = self.board, set[int]()
        if board is not None:
            found |= set(board.ids[: board.listed].tolist())
        if self.last is not None:
            found.add(self.last.card.fact)
        return frozenset(found)

    @property
    def plan_key(self) -> object:
        """What a plan is worked out of: another one wants another plan."""
        board = self.board
        if board is None:
            return None
        report = board.report
        return report.name, report.within, report.about, report.audited, len(board.settled)

    def model(self, wanted: str | None) -> str | None:
        """The model whose numbers are shown: the lens's, or the first of the audit."""
        if self.board is None:
            return None
        models = self.board.plan.models
        return wanted if wanted in models else models[0]

    # What a person chooses

    def ask_for(self, request: AuditRequest) -> None:
        """Look at something else; another audit starts with nothing put off."""
        if request.name != self.request.name:
            request = replace(request, put_off=(), chosen=None, slot=None)
        self.request = request

    def choose(self, place: int) -> bool:
        """Look at a fact of the list; whether it is another one."""
        board = self.board
        if board is None or place == board.place:
            return False
        fact = board.report.evidence.frame.fact_ids[place]
        self.request = replace(self.request, chosen=fact, slot=None)
        return True

    def put_off(self) -> bool:
        """Have other facts go before the present one."""
        board = self.board
        if board is None or board.place is None or board.card is None:
            return False
        fact = board.report.evidence.frame.fact_ids[board.place]
        off = (*(one for one in self.request.put_off if one != fact), fact)[-MOST_PUT_OFF:]
        self.request = replace(self.request, put_off=off, chosen=None, slot=None)
        self.last = None
        return True

    def step(self, by: int) -> bool:
        """Another answer that is to be decided; whether there is one."""
        card = self.card
        if card is None or len(card.asked) < 2:
            return False
        at = card.asked.index(card.slot) if card.slot in card.asked else 0
        slot = card.asked[(at + by) % len(card.asked)]
        self.request = replace(self.request, slot=slot)
        return True

    def go_on(self) -> None:
        """Nothing is chosen: the next answer is looked at."""
        self.request = replace(self.request, slot=None)

    # What has been read

    def take(self, page: AuditPage) -> None:
        """Show what was read. A fact that was chosen and is settled is left for the next."""
        self.page, self.writing = page, False
        if page.board is not None:
            ids = set(page.board.report.evidence.frame.fact_ids)
            off = tuple(one for one in page.board.request.put_off if one in ids)
            self.request = replace(page.board.request, put_off=off)

    def take_left(self, of: object, left: FactsLeft) -> bool:
        """Take in what is left, unless something else is asked meanwhile."""
        if of != self.left_of:
            return False
        self.left = left
        return True

    def clear(self) -> None:
        """Nothing is read: another database is opened."""
        fresh = AuditState()
        for one in fields(self):
            setattr(self, one.name, getattr(fresh, one.name))
