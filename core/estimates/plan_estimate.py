"""What a plan would come to, before it is written: `requests --dry-run`.

Counts are exact. Tokens are those of the texts, about, and of what earlier jobs used or stated
assumptions say (`core.estimates`); bytes are measured on the requests of a few facts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import db.leases
import db.model_rows
from core.estimates.estimate import NONE, QuantityRange
from core.estimates.text_lengths import count_bytes, frame
from core.pricing.prices import BYTES_PER_TOKEN
from core.project import OpenProject
from core.sampling import missing_slots
from core.sampling.missing_slots import FactSlots
from core.sampling.recipe import NATIVE, template_for
from core.sampling.recipe_settings import limit_of
from core.sampling.sample_plan import find_unprofiled_facts
from core.sampling.sample_work import CLAIMED
from core.scale.plan_draft import MOST_BYTES, MOST_LINES
from core.scale.plan_scope import PlanScope, read_scope, write_by
from core.scale.request_line import URLS, RequestName, write_line
from core.scale.request_planner import RequestFormat
from core.scoring.missing_pairs import MissingPairs
from core.specs.file_specs import FilesSpec
from db.slot_ids import MAX_SETTING

if TYPE_CHECKING:
    from core.sampling.missing_slots import Cell

FRAME_TOKENS = 4
"""Tokens that a message takes beside its text, about."""

LEAST_OF_LIMIT, MOST_OF_LIMIT = 0.25, 1.0
"""Shares of its token limit that a plain answer takes."""

STEPS_OF_LIMIT = QuantityRange(0.05, 0.25)
"""The same of an answer that is reasoned step by step."""

THOUGHTS = QuantityRange(100, 2_000)
"""Tokens of thoughts in an answer of a model that reasons by itself."""

MEASURED_FACTS = 20
"""Facts whose requests are written to learn how long lines are."""


@dataclass(frozen=True, slots=True)
class SettingSum:
    """The requests of one setting, and their tokens: into the model, and out of it.

    `free` answers are those of questions without choices: graders label them, profiles count them.
    """

    thinking: bool
    requests: int = 0
    answers: int = 0
    free: int = 0
    tokens_in: float = 0.0
    tokens_out: QuantityRange = NONE


@dataclass(frozen=True, slots=True)
class PlanEstimate:
    """What a plan would come to. `out` answers are left as they are out in another plan.

    `unprofiled`: what the facts lack where all are drawn for profiles that none of them can have.
    """

    facts: int
    settings: tuple[SettingSum, ...]
    bytes_a_line: float
    shards: int | None
    out: int = 0
    unprofiled: MissingPairs | None = None

    @property
    def requests(self) -> int:
        """All requests."""
        return sum(one.requests for one in self.settings)

    @property
    def answers(self) -> int:
        """All answers."""
        return sum(one.answers for one in self.settings)

    @property
    def free(self) -> int:
        """Answers to questions without choices."""
        return sum(one.free for one in self.settings)

    @property
    def tokens_in(self) -> float:
        """Tokens into the model."""
        return sum(one.tokens_in for one in self.settings)

    @property
    def tokens_out(self) -> QuantityRange:
        """Tokens out of the model."""
        return sum((one.tokens_out for one in self.settings), NONE)

    @property
    def bytes(self) -> float:
        """Bytes of all files."""
        return self.bytes_a_line * self.requests

    @property
    def least_shards(self) -> int:
        """Shards, as far as their sizes tell."""
        if self.shards is not None:
            return self.shards
        return max(1, -(-self.requests // MOST_LINES), round(self.bytes / MOST_BYTES + 0.5))


def estimate_plan(project: OpenProject, spec: FilesSpec) -> PlanEstimate:
    """What a spec would write. Raises `UsageError` as the job itself would."""
    scope = read_scope(project, spec)
    written = write_by(project, spec, scope)
    return _Estimator(project, spec, scope, written).estimate()


class _Estimator:
    """Counts the requests of a plan, cell by cell."""

    def __init__(
        self, project: OpenProject, spec: FilesSpec, scope: PlanScope, written: RequestFormat
    ) -> None:
        self._project, self._spec, self._scope, self._written = project, spec, scope, written
        ids = {name: key for key, name in db.model_rows.settings(project.connection).items()}
        # A label that is new has no settings yet: numbers that no setting has stand for them.
        self._settings = {
            on: ids.get((spec.label, on), MAX_SETTING - 1 + on) for on in written.plan.thinking
        }
        self._sums = {on: SettingSum(on) for on in self._settings}
        self._facts = self._out = self._lines = self._bytes = self._measured = 0

    def estimate(self) -> PlanEstimate:
        """Count all of it."""
        for block in self._scope.blocks():
            self._add_block(block)
        each = self._bytes / self._lines if self._lines else 0.0
        settings = tuple(one for one in self._sums.values() if one.answers)
        unprofiled = find_unprofiled_facts(self._project, self._scope.plan)
        return PlanEstimate(self._facts, settings, each, self._spec.shards, self._out, unprofiled)

    def _add_block(self, block: Sequence[int]) -> None:
        connection = self._project.connection
        facts = missing_slots.read_facts(
            connection, self._written.plan, self._settings, block, self._scope.rejected
        )
        keys = [cell.key for fact in facts for cell in fact.cells]
        held = db.leases.find_claims(connection, CLAIMED, keys)
        for fact in facts:
            self._add_fact(fact, held)

    def _add_fact(self, fact: FactSlots, held: dict[int, int | None]) -> None:
        cells = [cell for cell in fact.cells if cell.missing and cell.key not in held]
        self._out += sum(len(samples) for cell in fact.cells for _, samples in cell.out)
        self._facts += bool(cells)
        if cells and self._measured < MEASURED_FACTS:
            self._measure(cells)
        for cell in cells:
            self._add_cell(cell)

    def _measure(self, cells: Sequence["Cell"]) -> None:
        """Write the requests of a fact, to learn how long they are."""
        self._measured += 1
        for cell in cells:
            for ask in self._written.requests(cell, cell.missing):
                name = RequestName(
                    self._facts,
                    cell.question.task,
                    cell.thinking,
                    ask.samples[0],
                    ask.things,
                    "",
                )
                line = write_line(name.head, URLS["raw"], self._written.body(ask))
                self._lines, self._bytes = self._lines + 1, self._bytes + len(line)

    def _add_cell(self, cell: "Cell") -> None:
        recipe, before = self._written.recipe, self._sums[cell.thinking]
        requests, answers = self._written.count(cell), len(cell.missing)
        around = frame(cell.question.task, cell.thinking, recipe, self._written.plan.prompts)
        shown = sum(map(count_bytes, (cell.question.text, *(cell.question.choices or ()))))
        into = requests * ((around.size + shown) / BYTES_PER_TOKEN + around.messages * FRAME_TOKENS)
        template = template_for(cell.question.task, cell.thinking, recipe)
        most = limit_of(recipe, cell.question.task, template) * answers
        share = QuantityRange(LEAST_OF_LIMIT, MOST_OF_LIMIT)
        out = STEPS_OF_LIMIT if template.endswith("_steps") else share
        tokens = QuantityRange(out.low * most, out.high * most)
        if cell.thinking and recipe.thinking == NATIVE:
            tokens += QuantityRange(THOUGHTS.low * answers, THOUGHTS.high * answers)
        self._sums[cell.thinking] = SettingSum(
            cell.thinking,
            before.requests + requests,
            before.answers + answers,
            before.free + answers * (not cell.question.task.is_choice),
            before.tokens_in + into,
            before.tokens_out + tokens,
        )
