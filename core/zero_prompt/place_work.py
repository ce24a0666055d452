"""What a model is asked for the places of a long input, and what is kept of its reply.

ZP-LKE, section 4.1 (positions).
"""

import math
from collections.abc import Iterable, Sequence

import db.long_inputs
import db.model_rows
import db.option_scores
from core.engine.work_source import ItemResult
from core.project import OpenProject
from core.providers.base import Reply
from core.providers.logprobs.option_scorer import score_request
from core.zero_prompt.examples import places_of
from core.zero_prompt.input_form import input_text
from core.zero_prompt.place_scores import missing_places
from core.zero_prompt.score_items import FAILED, ScoreItem
from core.zero_prompt.score_plan import POSITIONS, ScorePart, place_key
from core.zero_prompt.scores import MOST
from db.long_inputs import StoredInput, StoredPlace


class PlaceWork:
    """The places of one long input: the object of each after all that stands before it."""

    def __init__(self, project: OpenProject, part: ScorePart, label: str) -> None:
        self._project, self._part = project, part
        self._key = key = place_key(label, part.relation, part.setup)
        self._examples = places_of(part.relation.relation, part.examples)
        self.claimed = f"{POSITIONS} {key.relation} {key.examples} {key.seed} {key.inject} {label}"
        self.keys: Sequence[int] = missing_places(project, key)

    def find_left(self, keys: Sequence[int]) -> list[int]:
        """Places without a log probability."""
        missing = set(missing_places(self._project, self._key))
        return [key for key in keys if key in missing]

    def item(self, number: int, key: int) -> ScoreItem:
        """The input up to the subject of a place, and its object."""
        form, example = self._part.form, self._examples[key]
        text = input_text(form, self._examples[:key], example.subject)
        request = score_request(text, [f"{form.inner}{example.object}"])
        return ScoreItem(POSITIONS, request, number, key)

    def store(self, replies: Sequence[tuple[ScoreItem, Reply]]) -> list[ItemResult[ScoreItem]]:
        """Keep the log probabilities of places; one that is none is asked again."""
        found = {item.key: _usable_score(reply.logprobs or ()) for item, reply in replies}
        connection = self._project.connection
        there = db.long_inputs.find(connection, self._key)
        known = {} if there is None else {at: one.logprob for at, one in enumerate(there.places)}
        known |= {at: value for at, value in found.items() if value is not None}
        places = tuple(
            StoredPlace(one.subject, one.object, one.kind, known.get(at))
            for at, one in enumerate(self._examples)
        )
        owner = db.model_rows.ensure_model(connection, self._key.model)
        db.long_inputs.insert(connection, owner, StoredInput(self._key, places))
        return [
            ItemResult(done=1)
            if found[item.key] is not None
            else ItemResult(failed=1, reason=FAILED)
            for item, _ in replies
        ]


def _usable_score(logprobs: Iterable[float]) -> float | None:
    value = next(iter(logprobs), None)
    return value if value is not None and math.isfinite(value) and value <= MOST else None
