"""One audit followed while a person decides: what has not changed is neither read nor bet again."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

import db.audits
from core.certainty.audit_bets import AuditBets
from core.certainty.audit_evidence import AuditEvidence, read_evidence
from core.certainty.audit_frame import AuditFrame, newer_versions, read_frame
from core.certainty.audit_queue import FirstAnswer, decisions_per_fact, grader_errors, read_fact
from core.certainty.audit_report import AuditReport, make_report
from core.certainty.fact_answers import FactAnswers
from core.dataset.fact_index import FactIndex
from core.dataset.subsets import Mask
from core.project import OpenProject


class AuditFollower:
    """A stored audit of an open project, kept up to date by `catch_up`."""

    def __init__(self, project: OpenProject, stored: db.audits.StoredAudit) -> None:
        self._project, self.stored = project, stored
        self._read_audit()

    def _read_audit(self) -> None:
        """Read all of it: facts, questions or golds may be others."""
        project = self._project
        self._index: FactIndex = project.index
        self.frame: AuditFrame = read_frame(project, self.stored)
        self._graders = project.graders()
        self._newer = tuple(newer_versions(project, self.frame.plan))
        self.evidence: AuditEvidence = read_evidence(project, self.frame)
        self._bets = AuditBets(self.frame)
        self._facts: dict[int, FactAnswers] = {}
        self._firsts: dict[int, FirstAnswer] = {}
        self._pace: float | None = None

    def catch_up(self, stored: db.audits.StoredAudit, questions: Collection[int]) -> None:
        """Take in what has been written since, to these questions (ids) or to any fact."""
        project, self.stored = self._project, stored
        if not self._fits():
            self._read_audit()
        elif questions:
            touched = np.isin(self.evidence.questions, list(questions))
            changed: Mask = np.logical_or.reduce(touched, axis=1)
            self.evidence = read_evidence(project, self.frame, self.evidence, changed)
            for fact in np.flatnonzero(changed).tolist():
                self._facts.pop(fact, None)
                self._firsts.pop(fact, None)

    def _fits(self) -> bool:
        """Whether facts, questions, golds and graders are those that were read."""
        index, before = self._project.index, self._index
        same = index.ids is before.ids and index.questions is before.questions
        rejected = np.array_equal(index.rejected, before.rejected)
        return same and rejected and self._project.graders() == self._graders

    @property
    def bets(self) -> AuditBets:
        """The bets on all facts audited."""
        audited = self.evidence.audited
        self._bets.follow(self.evidence.states[:, :audited])
        return self._bets

    def report(self, within: float, about: str) -> AuditReport:
        """The report as it stands, without what is left."""
        evidence = self.evidence
        errors = grader_errors(evidence, evidence.audited, self._firsts)
        made = make_report(self.stored.name, evidence, self.bets, errors, within, about)
        return replace(made, newer=self._newer)

    def answers(self, fact: int) -> FactAnswers:
        """The answers to a fact (its place in the audit)."""
        if fact not in self._facts:
            self._facts[fact] = read_fact(self._project, self.evidence, fact)
        return self._facts[fact]

    @property
    def pace(self) -> float:
        """Decisions that a fact takes."""
        audited = self.evidence.audited
        if audited:
            return decisions_per_fact(self._project, self.evidence, audited)
        if self._pace is None:
            self._pace = decisions_per_fact(self._project, self.evidence, 0)
        return self._pace
