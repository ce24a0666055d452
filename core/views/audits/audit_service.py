"""What a session shows of audits, and how a person works through one."""

from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import db.audits
import db.person_actions
from core.certainty.audit_draw import draw_frame, keep_frame
from core.certainty.audit_follower import AuditFollower
from core.certainty.audit_frame import plan_fits, read_plan
from core.certainty.audit_list import close_audit
from core.certainty.audit_report import AuditFutures, AuditReport
from core.curation import label_writer
from core.curation.label_writer import LabelEffect
from core.errors import UsageError
from core.project import OpenProject
from core.stats.intervals import ShareEstimate
from core.views.audits.audit_board import ABOUT, WITHIN, AuditBoard, AuditRequest
from core.views.audits.audit_card import AuditCard, read_card, read_settled
from core.views.audits.lens_audits import DrawOffer, plan_of
from core.views.disagreements.grader_rates import pace_of
from core.views.lens import Lens
from core.views.snapshot import Snapshot
from core.views.snapshot_cache import SnapshotCache
from core.views.user_errors import tell_user_errors
from core.vocabulary import LABELS, Label
from db.audits import StoredAudit

if TYPE_CHECKING:
    from core.views.session_protocols import OpenSession

RECENT_LABELS = 200
"""Labels that are looked at for the pace."""


class AuditService:
    """The audits of a session's file; used from its thread.

    What is read and bet for an audit is carried forward: a label takes the time of its fact.
    Every method raises `LostkeysError` as the session's do.
    """

    def __init__(
        self, session: "OpenSession", project: OpenProject, snapshots: SnapshotCache
    ) -> None:
        self._session, self._project = session, project
        self._changes = snapshots.follow()
        self._followed: dict[int, AuditFollower] = {}

    @property
    def path(self) -> Path:
        """The database."""
        return self._session.path

    def _follow(self, stored: StoredAudit) -> AuditFollower:
        """An audit as it stands; all that are followed take in what has been written."""
        there = {one.id: one for one in db.audits.audits(self._project.connection)}
        if self._changes.every:
            self._followed.clear()
        for key in list(self._followed):
            if key in there:
                self._followed[key].catch_up(there[key], self._changes.questions)
            else:
                del self._followed[key]
        self._changes.clear()
        if stored.id not in self._followed:
            self._followed[stored.id] = AuditFollower(self._project, stored)
        return self._followed[stored.id]

    @tell_user_errors
    def board(self, request: AuditRequest) -> AuditBoard | None:
        """An audit as it stands; None where none is drawn. One that is gone is none to look at."""
        there = db.audits.audits(self._project.connection)
        open_ = [one for one in there if not one.closed]
        named = [one for one in there if one.name == request.name]
        chosen = (named or open_[-1:] or there[-1:])[:1]
        if not chosen:
            return None
        follower = self._follow(chosen[0])
        request = replace(request, name=chosen[0].name)
        names = tuple(one.name for one in there if not one.closed or one in chosen)
        return self._board(request, names, follower)

    def _board(
        self, request: AuditRequest, names: tuple[str, ...], follower: AuditFollower
    ) -> AuditBoard:
        project, evidence = self._project, follower.evidence
        ids = follower.frame.fact_ids
        settled = evidence.settled
        waiting: list[int] = np.flatnonzero(~settled).tolist()
        off = set(request.put_off)
        frontier = next((place for place in waiting if ids[place] not in off), None)
        open_ = [place for place in waiting if frontier is None or place <= frontier]
        last = len(ids) - 1 if frontier is None else frontier
        place = ids.index(request.chosen) if request.chosen in ids else None
        if place is None or place > last:
            place = frontier if frontier is not None else next(iter(open_), last)
        lefts = {one: len(follower.answers(one).next_answers()) for one in open_}
        card = fact = None
        if place is not None:
            answers, key = (
                follower.answers(place),
                int(project.index.ids[follower.frame.facts[place]]),
            )
            heading = self._session.snapshot.headings[int(follower.frame.facts[place])]
            if settled[place]:
                fact = read_settled(project, evidence, place, heading, answers)
            else:
                read = int(evidence.decisions[place])
                card = read_card(project, key, heading, answers, request.slot, read)
        grader = follower.frame.plan.person
        times = db.person_actions.label_times(project.connection, grader, RECENT_LABELS)
        return AuditBoard(
            request,
            names,
            follower.report(request.within, request.about),
            follower.stored.closed,
            settled,
            evidence.decisions,
            project.index.ids[follower.frame.facts],
            frontier,
            place,
            card,
            fact,
            lefts,
            pace_of(times),
            follower.pace,
        )

    @tell_user_errors
    def read_given(self, board: AuditBoard, card: AuditCard) -> Label | None:
        """The label of the audit's person for the answer of a card, or for one that is the same."""
        stored = db.audits.audits(self._project.connection)
        named = next((one for one in stored if one.name == board.request.name), None)
        place = board.place_of(card.fact)
        if named is None or place is None:
            return None
        answers = self._follow(named).answers(place).answers
        keys = {one.key for one in answers if one.slot == card.slot}
        given = next((one.label for one in answers if one.key in keys and one.label), 0)
        return LABELS[given - 1] if given else None

    @tell_user_errors
    def futures(self, board: AuditBoard) -> AuditFutures | None:
        """How an audit may go on, to be played elsewhere; None where the audit is gone."""
        there = db.audits.audits(self._project.connection)
        stored = next((one for one in there if one.name == board.request.name), None)
        if stored is None:
            return None
        follower, asked = self._follow(stored), board.request
        return AuditFutures.begin(
            follower.evidence, follower.bets, asked.within, asked.about, follower.pace
        )

    @tell_user_errors
    def list_reports(self, lens: Lens) -> list[AuditReport]:
        """The reports of audits that are of a lens's policy and graders, the newest first.

        People's labels count in a lens and not in an audit, so they are left out of its graders.
        """
        project, found = self._project, []
        for stored in reversed(db.audits.audits(project.connection)):
            plan = read_plan(stored.frame)
            if plan_fits(project, plan, replace(lens.policy, graders=lens.ranked)):
                found.append(self._follow(stored).report(WITHIN, ABOUT))
        return [one for one in found if one.audited]

    @tell_user_errors
    def wrong_rate(self, grader: str) -> ShareEstimate | None:
        """How often a grader is wrong, by the newest audit that is of it alone; None without."""
        for stored in reversed(db.audits.audits(self._project.connection)):
            names = {one.partition("#")[0] for one in read_plan(stored.frame).graders}
            if names == {grader}:
                report = self._follow(stored).report(WITHIN, ABOUT)
                if report.wrong is not None and report.wrong_interval is not None:
                    return ShareEstimate(report.wrong, *report.wrong_interval)
        return None

    @tell_user_errors
    def foresee_draw(self, lens: Lens) -> DrawOffer:
        """What an audit drawn through a lens would be of; why there can be none."""
        taken = {one.name for one in db.audits.audits(self._project.connection)}
        number = next(k for k in count(1) if f"audit {k}" not in taken)
        name = self._session.name
        if name is None or lens.model is None:
            return DrawOffer(f"audit {number}", lens.model, None, None)
        try:
            frame = draw_frame(self._project, plan_of(self._project, lens, name))
        except UsageError as error:
            return DrawOffer(f"audit {number}", lens.model, None, str(error))
        return DrawOffer(f"audit {number}", lens.model, frame, None)

    # Writing; each gives what happened and the snapshot after it

    def decide(self, slot: int, label: Label, note: str | None) -> tuple[LabelEffect, Snapshot]:
        """Label an answer, which counts for all that are the same."""
        session = self._session
        return session.write(
            lambda project: label_writer.set_label(
                project, session.require_name(), slot, label, note
            )
        )

    def draw(self, name: str, lens: Lens) -> tuple[None, Snapshot]:
        """Draw an audit of the lens's model by its graders, decided by the session's person."""
        session = self._session
        return session.write(
            lambda project: keep_frame(
                project, name, draw_frame(project, plan_of(project, lens, session.require_name()))
            )
        )

    def close(self, name: str) -> tuple[None, Snapshot]:
        """Mark an audit as done with."""
        return self._session.write(lambda project: close_audit(project, name))
