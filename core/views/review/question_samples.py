"""Samples of questions to look at: at random, or the same number of each stratum.

Questions stand in the order of a hash of seed, fact and task, which favours none; a sample is
the first of them, stratum by stratum in turn, so that a part of it seen is a fair sample too, and
so that it grows without changing. It is kept with its seed, and with how many there were.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from heapq import heapify, heappop, heappush
from secrets import randbits

import db.reviews
from core.dataset.fact_filters import NO_NAME
from core.dataset.fact_index import FactIndex
from core.dataset.subsets import popularity
from core.errors import UsageError
from core.project import OpenProject
from core.stats.number_format import format_amount
from core.vocabulary import STRATIFIED, TASK_INDEX, TASKS, UNIFORM, Task
from db.connection import write_transaction
from db.reviews import Sample, SampleEntry
from db.stored_values import RowsById, read_member

MOST = 100_000


class Strata(StrEnum):
    """What strata are."""

    CATEGORY = "category"
    TASK = "task"
    TIER = "tier"


@dataclass(frozen=True, slots=True)
class _Candidate:
    """One question that may be sampled."""

    question: int
    fact_id: str
    task: Task
    stratum: str


def draw_sample(
    project: OpenProject,
    n: int,
    by: Strata | None = None,
    tasks: Sequence[Task] = TASKS,
    seed: int | None = None,
) -> Sample:
    """Draw a new sample of `n` current questions of facts that are not rejected; gives it.

    With `by` each stratum gives as many as the others while it has them. Raises `UsageError`
    where there is nothing to look at.
    """
    _check(n)
    seed = randbits(31) if seed is None else seed
    there = list(_population(project.index, by, tasks))
    if not there:
        raise UsageError("there is no question to look at: import facts, or build them")
    spec = {"by": by, "tasks": list(tasks), "of": _sizes(there)}
    kind = STRATIFIED if by else UNIFORM
    chosen = _choose_next(there, n, seed, Counter())
    with write_transaction(project.connection):
        key = db.reviews.add_sample(project.connection, kind, seed, spec)
        db.reviews.add_sampled(project.connection, key, chosen)
    return Sample(key, kind, seed, spec)


def grow_sample(project: OpenProject, sample: Sample, n: int) -> Sample:
    """Let a sample grow to `n` questions, those it has first; nothing where it has as many."""
    _check(n)
    by = (
        None
        if sample.spec["by"] is None
        else read_member(Strata, sample.spec["by"], "kind of strata")
    )
    tasks = [read_member(Task, one, "task") for one in sample.spec["tasks"]]
    connection = project.connection
    with write_transaction(connection):
        before = db.reviews.read_sample(connection, sample.id)
        places = db.reviews.places(connection, [one.question for one in before])
        index = project.index
        ids = RowsById("fact", zip(index.ids.tolist(), index.fact_ids, strict=True))
        had = {
            (ids[fact], read_member(Task, task, "task")): one.stratum
            for one in before
            for fact, task, _ in [places[one.question]]
        }
        there = list(_population(project.index, by, tasks))
        fresh = [one for one in there if (one.fact_id, one.task) not in had]
        seen = Counter(had.values())
        sizes = Counter(one.stratum for one in fresh) + seen
        spec = {**sample.spec, "of": dict(sorted(sizes.items()))}
        db.reviews.add_sampled(
            connection, sample.id, _choose_next(fresh, n - len(before), sample.seed, seen)
        )
        db.reviews.set_spec(connection, sample.id, spec)
    return Sample(sample.id, sample.kind, sample.seed, spec)


def find_newest(project: OpenProject, by: Strata | None = None) -> Sample | None:
    """The sample drawn last, uniform or of these strata; None where none was."""
    kind = STRATIFIED if by else UNIFORM
    samples = db.reviews.samples(project.connection)
    fitting = [one for one in samples if one.kind == kind and (not by or one.spec["by"] == by)]
    return fitting[-1] if fitting else None


def strata(index: FactIndex, by: Strata | None) -> list[str]:
    """The stratum of each fact; empty texts where facts do not tell it."""
    match by:
        case Strata.CATEGORY:
            return [name or NO_NAME for name in index.categories]
        case Strata.TIER:
            names = [NO_NAME] * len(index)
            for name, mask in popularity(index).items():
                for place in mask.nonzero()[0].tolist():
                    names[place] = name
            return names
        case _:
            return [""] * len(index)


def _check(n: int) -> None:
    if not 1 <= n <= MOST:
        raise UsageError(f"a sample of {format_amount(n, 'question')}: choose 1 to {MOST:,}")


def _population(index: FactIndex, by: Strata | None, tasks: Sequence[Task]) -> Iterator[_Candidate]:
    of_facts = strata(index, by)
    for place in (~index.rejected).nonzero()[0].tolist():
        for task in tasks:
            question = int(index.questions[place, TASK_INDEX[task]])
            if question:
                stratum = str(task) if by is Strata.TASK else of_facts[place]
                yield _Candidate(question, index.fact_ids[place], task, stratum)


def _sizes(there: Sequence[_Candidate]) -> dict[str, int]:
    return dict(sorted(Counter(one.stratum for one in there).items()))


def _choose_next(
    there: Sequence[_Candidate], n: int, seed: int, seen: Mapping[str, int]
) -> Iterator[SampleEntry]:
    """The next `n`, each from the stratum of which fewest are sampled."""

    def scramble(one: _Candidate) -> bytes:
        text = f"{seed}\n{one.fact_id}\n{one.task}"
        return blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()

    lots: dict[str, list[_Candidate]] = defaultdict(list)
    for one in there:
        lots[one.stratum].append(one)
    queues = {name: deque(sorted(lot, key=scramble)) for name, lot in lots.items()}
    turns = [(seen.get(name, 0), name) for name in sorted(queues)]
    heapify(turns)
    for _ in range(min(max(n, 0), len(there))):
        had, name = heappop(turns)
        yield SampleEntry(queues[name].popleft().question, name)
        if queues[name]:
            heappush(turns, (had + 1, name))
