"""What a model is asked for a fact, with options or for a response, and what is kept of its reply.

ZP-LKE, sections 3.1 (response test) and 3.2 (multiple choice).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

import db.long_inputs
import db.model_rows
import db.option_scores
from core.engine.work_source import ItemResult
from core.errors import LostkeysError
from core.project import OpenProject
from core.providers.base import Reply
from core.providers.capabilities import Capabilities
from core.providers.logprobs.option_scorer import score_request
from core.zero_prompt import score_writer
from core.zero_prompt.examples import Example, choose_examples
from core.zero_prompt.input_form import input_text
from core.zero_prompt.option_choice import options_of
from core.zero_prompt.response_check import request_response
from core.zero_prompt.score_items import FAILED, ScoreItem
from core.zero_prompt.score_plan import CHOICE, RESPONSE, ScorePart
from core.zero_prompt.score_writer import GradedScore
from core.zero_prompt.scores import is_usable
from core.zero_prompt.training_split import Triple
from db.option_scores import StoredScore


class FactWork:
    """Facts of a relation under a setup, in the test of options or of responses."""

    def __init__(
        self, project: OpenProject, part: ScorePart, known: Capabilities, series: int
    ) -> None:
        self._project, self._part, self._known, self._series = project, part, known, series
        self.claimed = f"{part.test} {series}"
        self._triples = {part.relation.facts[one.id]: one for one in part.missing}
        self.keys: Sequence[int] = list(self._triples)

    def find_left(self, keys: Sequence[int]) -> list[int]:
        """Facts without usable scores, or without a response."""
        there = db.option_scores.scores_at(self._project.connection, self._series, keys)
        return [key for key in keys if not self._is_done(there.get(key))]

    def _is_done(self, stored: StoredScore | None) -> bool:
        if stored is None:
            return False
        if self._part.test == RESPONSE:
            return stored.response is not None
        return stored.logprobs is not None and is_usable(stored.logprobs.tolist())

    def item(self, number: int, key: int) -> ScoreItem:
        """The input of a fact, with its options or without."""
        part, triple = self._part, self._triples[key]
        examples = self._examples(triple)
        text = input_text(part.form, examples, triple.subject)
        if part.test == RESPONSE:
            return ScoreItem(
                RESPONSE, request_response(text, self._known, part.setup.tokens), number, key
            )
        options = self._options(triple, key)
        request = score_request(text, [f"{part.form.inner}{one}" for one in options])
        return ScoreItem(CHOICE, request, number, key, options)

    def _examples(self, triple: Triple) -> list[Example]:
        part = self._part
        examples = choose_examples(part.relation.relation, triple.subject, part.examples)
        if len(examples) < part.setup.n:
            raise LostkeysError(f"{len(examples):,} examples of {part.setup.n:,}")
        return examples

    def _options(self, triple: Triple, fact: int) -> tuple[str, ...]:
        """The options as they were chosen when the fact was first asked about, else by rule."""
        part = self._part
        kept = score_writer.read_options(self._project, fact, part.setup.options)
        found = kept or options_of(part.relation.relation, triple, part.setup.options)
        if found is None:
            raise LostkeysError(f"fewer than {part.setup.options:,} options")
        return tuple(found)

    def store(self, replies: Sequence[tuple[ScoreItem, Reply]]) -> list[ItemResult[ScoreItem]]:
        """Keep scores or responses; a score that failed is asked again by the next run."""
        found = [self._grade_reply(item, reply) for item, reply in replies]
        facts = [one.stored.fact for one in found]
        there = db.option_scores.scores_at(self._project.connection, self._series, facts)
        added = {one.stored.fact: one for one in found if one.stored.fact not in there}
        changed = {
            one.stored.fact: _merge_scores(one, there[one.stored.fact])
            for one in found
            if one.stored.fact in there
        }
        score_writer.write(
            self._project, self._series, list(added.values()), list(changed.values())
        )
        return [_result(one.stored) for one in found]

    def _grade_reply(self, item: ScoreItem, reply: Reply) -> GradedScore:
        triple = self._triples[item.key]
        golds = triple.object, *triple.aliases
        if item.stage == RESPONSE:
            return GradedScore(StoredScore(item.key, None, None, reply.draws[0].text), golds)
        logprobs = np.array(reply.logprobs, np.float64).astype(np.float32)
        named = score_writer.ensure_list(self._project, item.key, item.options)
        return GradedScore(StoredScore(item.key, named, logprobs, None), golds)


def _merge_scores(one: GradedScore, there: StoredScore) -> GradedScore:
    """A score in the place of one that is there; what it says nothing of stays."""
    stored = one.stored
    if stored.logprobs is None:
        return replace(one, stored=replace(there, response=stored.response))
    return replace(one, stored=replace(stored, response=there.response))


def _result(stored: StoredScore) -> ItemResult[ScoreItem]:
    if stored.logprobs is not None and not is_usable(stored.logprobs.tolist()):
        return ItemResult(failed=1, reason=FAILED)
    return ItemResult(done=1)
