"""What a plan asks: what `sample` would ask now, claimed fact by fact and written as lines."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import db.leases
import db.plan_ranges
from core.dataset.choice_options import OPTIONS
from core.errors import LostkeysError
from core.pricing import Price
from core.pricing.prices import BYTES_PER_TOKEN
from core.project import OpenProject
from core.providers import openai_format
from core.providers.endpoints import Endpoint
from core.sampling import missing_slots
from core.sampling.missing_slots import Cell, FactSlots
from core.sampling.recipe import Recipe
from core.sampling.sample_plan import Plan
from core.sampling.sample_requests import SampleRequest, asks_for
from core.sampling.sample_work import CLAIMED
from core.scale.plan_columns import UNKNOWN_ORDER
from core.scale.request_line import URLS, RequestName, write_body, write_line
from core.vocabulary import TASK_INDEX, Task
from db.connection import write_transaction
from db.plan_ranges import PlanRange

Choose = Callable[[FactSlots], Mapping[int, Sequence[int]]]
"""What to ask about a fact: samples by the keys of its cells."""


@dataclass(frozen=True, slots=True)
class RequestFormat:
    """How requests are written: by which recipe, in a folder's templates, to a model so named.

    `limit` is what chat completions call the token limit, `most` how many answers a request may
    ask for.
    """

    recipe: Recipe
    model: str
    limit: str
    most: int
    plan: Plan

    def requests(self, cell: Cell, samples: Sequence[int]) -> list[SampleRequest]:
        """The requests for samples of a cell, by their first samples.

        Those of one follow one another, of multiple choice every fourth. Raises `LostkeysError`
        for a question that cannot be asked.
        """
        found = [
            ask
            for run in split_runs(samples, OPTIONS if cell.question.choices else 1)
            for ask in asks_for(
                cell.question,
                cell.setting,
                cell.thinking,
                run,
                self.recipe,
                self.most,
                self.plan.prompts,
            )
        ]
        return sorted(found, key=lambda ask: ask.samples[0])

    def count(self, cell: Cell) -> int:
        """How many requests all that a cell lacks would take."""
        step = OPTIONS if cell.question.choices else 1
        turns = (Counter(one % step for one in run) for run in split_runs(cell.missing, step))
        return sum(-(-count // self.most) for turn in turns for count in turn.values())

    def body(self, ask: SampleRequest) -> bytes:
        """The body of a request."""
        return write_body(openai_format.body(self.model, ask.request, limit=self.limit))


def split_runs(samples: Sequence[int], step: int) -> Iterator[Sequence[int]]:
    """Samples in stretches in which each follows another after `step`."""
    whole = list(samples)
    if whole == list(range(whole[0], whole[0] + len(whole))):
        yield whole  # no turn has a gap
        return
    for turn in range(step):
        mine = [one for one in whole if one % step == turn]
        start = 0
        for end, (one, next_) in enumerate(pairwise([*mine, -step - 1]), 1):
            if next_ != one + step:
                yield mine[start:end]
                start = end


@dataclass(slots=True)
class PlannedFact:
    """A fact (its name) with what is asked about it: cells with their samples."""

    fact_id: str
    cells: list[tuple[Cell, Sequence[int]]]


@dataclass(slots=True)
class PlanSum:
    """What the lines of a plan come to. `cost` in US dollars at the most, as a batch."""

    answers: dict[bool, int] = field(default_factory=lambda: {False: 0, True: 0})
    tasks: set[Task] = field(default_factory=set)
    size: int = 0
    most_out: int = 0
    requests: int = 0
    cost: float = 0.0
    unaskable: int = 0
    reason: str = ""

    @property
    def tokens_in(self) -> int:
        """Tokens that the requests have, about."""
        return round(self.size / BYTES_PER_TOKEN)


@dataclass(slots=True, eq=False)
class _OpenRange:
    """A range that may go on."""

    setting: int
    first: int
    last: int
    samples: int
    is_new: bool = True


class RequestPlanner:
    """Plans the requests of one job. In the thread that owns the project's connection."""

    def __init__(
        self,
        project: OpenProject,
        plan: Plan,
        settings: Mapping[bool, int],
        job: int,
        written: RequestFormat,
        choose: Choose | None = None,
        price: Price | None = None,
        rejected: Collection[int] = (),
    ) -> None:
        """`choose` None: all that is missing. `price`: what requests cost, to be summed.

        `rejected`: facts that are asked about although a review rejected them.
        """
        self._rejected = rejected
        self._project, self._plan, self._settings, self._job = project, plan, settings, job
        self._written, self._choose, self._price = written, choose, price
        self._masks = {settings[on]: db.plan_ranges.mask(plan.tasks_of(on)) for on in plan.thinking}
        self._open: dict[int, _OpenRange] = {}
        self._before = 0
        self.sum = PlanSum()
        self.shown: dict[str, bytearray] = {url: bytearray() for url in URLS.values()}
        """The orders of options of the requests to each address, line by line."""

    def claim(self, facts: Sequence[int]) -> list[PlannedFact]:
        """Claim what these facts (ids, in order) lack; gives those that lack anything.

        Opens a transaction of its own.
        """
        connection = self._project.connection
        found, touched = list[PlannedFact](), dict[int, _OpenRange]()
        with write_transaction(connection):
            slots = missing_slots.read_facts(
                connection, self._plan, self._settings, facts, self._rejected
            )
            held = db.leases.find_claims(
                connection, CLAIMED, [cell.key for fact in slots for cell in fact.cells]
            )
            for fact in slots:
                cells = self._choose_cells(fact, held)
                touched.update((id(one), one) for one in self._claim_cells(fact, cells))
                if cells:
                    found.append(PlannedFact(cells[0][0].question.fact_id, cells))
            self._write_ranges(list(touched.values()))
        return found

    def _choose_cells(
        self, fact: FactSlots, held: Mapping[int, int | None]
    ) -> list[tuple[Cell, Sequence[int]]]:
        """What to ask about a fact that nobody else is busy with: off before on, task by task."""
        if self._choose is None:
            asked: Mapping[int, Sequence[int]] = {cell.key: cell.missing for cell in fact.cells}
        else:
            asked = self._choose(fact)
        cells = [
            (cell, asked[cell.key])
            for cell in fact.cells
            if cell.key not in held and asked.get(cell.key)
        ]
        return sorted(cells, key=lambda one: (one[0].thinking, TASK_INDEX[one[0].question.task]))

    def _claim_cells(
        self, fact: FactSlots, chosen: Sequence[tuple[Cell, Sequence[int]]]
    ) -> Iterator[_OpenRange]:
        """Let ranges go on over the cells that are asked about, and end before others that lack.

        A cell that lacks nothing is passed over: what it has keeps its slots. Gives what was begun
        or went on.
        """
        if fact.id != self._before + 1:
            self._open.clear()
        self._before = fact.id
        asked = {cell.key: samples for cell, samples in chosen}
        for cell in sorted(fact.cells, key=lambda one: one.question.id):
            samples = asked.get(cell.key)
            if samples is not None:
                whole = len(samples) == len(cell.missing)
                bound = self._plan.samples if whole else max(samples) + 1
                yield self._claim_cell(cell, bound)
            elif cell.missing or cell.out:
                self._open.pop(cell.setting, None)

    def _claim_cell(self, cell: Cell, samples: int) -> _OpenRange:
        question, one = cell.question.id, self._open.get(cell.setting)
        if one is None or one.samples != samples or question < one.last:
            one = _OpenRange(cell.setting, question, question, samples)
            self._open[cell.setting] = one
        one.last = question
        return one

    def _write_ranges(self, touched: Sequence[_OpenRange]) -> None:
        """Note ranges that were begun or went on. Inside a transaction."""
        connection, job = self._project.connection, self._job
        fresh = [one for one in touched if one.is_new]
        for one in touched:
            if not one.is_new:
                db.plan_ranges.extend(connection, job, one.setting, one.first, one.last)
            one.is_new = False
        rows = [
            PlanRange(one.setting, one.first, one.last, self._masks[one.setting], one.samples)
            for one in fresh
        ]
        db.plan_ranges.add(connection, job, rows)

    def lines(
        self, fact: PlannedFact, place: int
    ) -> Mapping[Endpoint, tuple[Sequence[bytes], int]]:
        """The lines of a fact at a place of the plan, and their answers, by endpoint."""
        found: defaultdict[Endpoint, list[bytes]] = defaultdict(list)
        answers: defaultdict[Endpoint, int] = defaultdict(int)
        for cell, samples in fact.cells:
            try:
                asks = self._written.requests(cell, samples)
            except LostkeysError as error:
                self.sum.unaskable += len(samples)
                self.sum.reason = str(error)
                continue
            for ask in asks:
                endpoint: Endpoint = "chat" if ask.request.messages is not None else "raw"
                name = RequestName(
                    place, cell.question.task, cell.thinking, ask.samples[0], ask.things, ""
                )
                url, body = URLS[endpoint], self._written.body(ask)
                found[endpoint].append(write_line(name.head, url, body))
                self.shown[url].append(UNKNOWN_ORDER if ask.shown is None else ask.shown)
                answers[endpoint] += ask.things
                self._add_up(ask)
        return {endpoint: (lines, answers[endpoint]) for endpoint, lines in found.items()}

    def _add_up(self, ask: SampleRequest) -> None:
        request, total = ask.request, self.sum
        total.answers[ask.thinking] += ask.things
        total.tasks.add(ask.question.task)
        total.requests += 1
        texts = [one.content for one in request.messages or ()] or [request.text or ""]
        total.size += sum([len(text.encode(errors="surrogatepass")) for text in texts])
        total.most_out += request.n * (request.max_tokens + request.thinking_room)
        if self._price is not None:
            total.cost += self._price.most(request, batch=True)
