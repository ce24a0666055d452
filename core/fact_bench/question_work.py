"""The work of a job that writes questions: for each triple without one, until it can be asked.

FACT-BENCH, section 2.1 and table 6: a question is specific, names the unit of a number, and does
not give its answer away.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import db.facts
import db.prepared_triples
import db.triples
from core.dataset.answer_types import NUMBER
from core.engine.lease_holder import LeaseHolder
from core.engine.run_counters import RunCounters
from core.engine.work_source import ItemResult
from core.pipeline import stage_replies
from core.pipeline.stage import OffFormatError
from core.pipeline.stage_requests import MODEL, TRIES, WARMER, StageModel
from core.pipeline.triple_text import leaks, names_unit
from core.project import Project
from core.providers.base import Reply, Request
from core.vocabulary import Task
from db.connection import writing
from db.facts import Question
from db.prepared_triples import SetTriple
from prompts import load
from prompts.template import quoted

STAGE, TEMPLATE = "question", "triple-question"
ROOM = 128
"""Tokens of a question."""

BLOCK = 64
"""Triples that are claimed in one transaction."""


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """One request for the question of a triple; `tries` were in vain before it."""

    triple: SetTriple
    request: Request
    tries: int = 0
    stage: str = STAGE
    channel: str = MODEL
    things: int = 1


class FaultyDraftError(ValueError):
    """A draft that cannot be used; the message says why."""


def open_triples(project: Project, set_name: str) -> list[SetTriple]:
    """The triples of a set that have a subject and no question."""
    rows = db.prepared_triples.of_set(project.connection, set_name)
    return [one for one in rows if one.subject and not one.question]


def read_draft(triple: SetTriple, reply: str) -> str:
    """The question in a reply. Raises `FaultyDraftError` for one that is no use."""
    try:
        draft = stage_replies.question(reply)
    except OffFormatError as error:
        raise FaultyDraftError(str(error)) from None
    asked = replace(triple, asked=draft)
    if leaks(asked):
        raise FaultyDraftError("the answer stands in the question")
    if triple.answer_type == NUMBER and triple.unit and not names_unit(asked):
        raise FaultyDraftError("the question lacks the unit of its number")
    return draft


class QuestionWork:
    """A `WorkSource` of triples. All of it runs in the thread that owns the connection."""

    def __init__(
        self,
        project: Project,
        triples: Sequence[SetTriple],
        stage_model: StageModel,
        lease_holder: LeaseHolder,
        counters: RunCounters,
        folder: Path | None = None,
    ) -> None:
        """`folder` may hold a template of the user's own."""
        self._connection, self._lease_holder = project.connection, lease_holder
        self._stage_model, self._template = stage_model, load(TEMPLATE, folder)
        self._counters = counters
        self._waiting = deque(triples)
        self._held: list[SetTriple] = []
        counters.expect(STAGE, len(triples))

    def next(self, most: int) -> Sequence[DraftRequest] | None:
        """Up to about `most` items, claimed; empty while others hold the rest; None at the end."""
        found: list[DraftRequest] = []
        while self._waiting and len(found) < most:
            count = min(BLOCK, len(self._waiting))
            found += self._claim([self._waiting.popleft() for _ in range(count)])
        if not found and self._held:
            held, self._held = self._held, []
            found = self._claim(held)
        return found or ([] if self._held else None)

    def _claim(self, triples: Sequence[SetTriple]) -> list[DraftRequest]:
        """Requests for those that nobody else is busy with; those asked meanwhile are through."""
        with writing(self._connection):
            got = {*self._lease_holder.claim(STAGE, [one.fact for one in triples])}
            asked = {one for one in got if self._is_asked(one)}
            self._lease_holder.release(STAGE, [*asked])
        self._counters.begin(STAGE, len(asked))
        self._counters.finish(STAGE, len(asked))
        self._held += [one for one in triples if one.fact not in got]
        return [self._item(one) for one in triples if one.fact in got - asked]

    def _is_asked(self, fact: int) -> bool:
        return db.triples.has_question(self._connection, fact)

    def _item(self, triple: SetTriple, tries: int = 0) -> DraftRequest:
        known = self._stage_model
        request = Request(
            n=1,
            max_tokens=ROOM << tries,
            temperature=known.temperature or WARMER[tries],
            top_p=1.0,
            messages=self._template.render(
                subject=quoted(triple.subject),
                relation=quoted(triple.relation),
                object=quoted(triple.object),
                unit=quoted(triple.unit),
            ),
            options=known.known.options,
        )
        return DraftRequest(triple, request, tries)

    def take_all(
        self, replies: Sequence[tuple[DraftRequest, Reply]]
    ) -> list[ItemResult[DraftRequest]]:
        """Keep the questions that can be asked; the others are asked for again."""
        return [self._take(item, reply) for item, reply in replies]

    def _take(self, item: DraftRequest, reply: Reply) -> ItemResult[DraftRequest]:
        triple = item.triple
        try:
            draft = read_draft(triple, reply.draws[0].text if reply.draws else "")
        except FaultyDraftError as error:
            if item.tries + 1 < TRIES:
                return ItemResult([self._item(triple, item.tries + 1)])
            return self.fail(item, str(error), False)
        if not self._is_asked(triple.fact):
            db.facts.add_question(self._connection, triple.fact, Task.DIRECT, Question(draft))
        self._lease_holder.release(STAGE, [triple.fact])
        return ItemResult(done=1)

    def fail(self, item: DraftRequest, reason: str, refused: bool) -> ItemResult[DraftRequest]:
        """Nothing is written: the next run asks again. Inside a transaction."""
        self._lease_holder.release(STAGE, [item.triple.fact])
        return ItemResult(failed=1, reason=reason)
