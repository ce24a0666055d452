"""The drawing of a reference set: distinct answers of a scope, seeded, in strata and parts."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial
from hashlib import blake2b
from itertools import compress
from time import time_ns
from unicodedata import normalize

import numpy as np
import numpy.typing as npt

import db.reference_sets
import db.responses
from core.alignment.reference_set import (
    ALL,
    NO_LABEL,
    STRATA,
    ReferenceSet,
    SetPlan,
    read_plan,
    read_set,
)
from core.certainty.audit_order import hash_text
from core.errors import UsageError
from core.project import OpenProject
from core.scoring.policy import Policy
from core.scoring.precedence import LONGEST_NAME
from core.settings.escapes import is_printable
from core.vocabulary import LABELS, TASKS
from db.connection import write_transaction
from db.label_grids import Cells
from db.slot_ids import MAX_SAMPLE, MAX_SETTING, QUESTION_SHIFT, SAMPLE_BITS, unpack

Ints = npt.NDArray[np.int64]
Orders = npt.NDArray[np.uint64]

SIZE = 120
"""Answers of a set where no number is asked for."""

_BLOCK = 200_000
"""Different answers that are looked through at a time, to whole facts."""

_OPEN = [place for place, task in enumerate(TASKS) if not task.is_choice]


def draw_set(
    project: OpenProject,
    name: str,
    *,
    size: int | None = None,
    by: str | None = None,
    seed: int = 0,
    models: Sequence[str] | None = None,
    where: str | None = None,
    policy: Policy = Policy(),  # noqa: B008 (frozen)
) -> ReferenceSet:
    """Draw a set of `size` answers and keep it; one that is there grows to it.

    Strata are by the labels of the grader `by`, one without. `models` and `where` (under `policy`)
    narrow the scope. Raises `UsageError` for an unknown name, for more answers than there are, and
    where a set of this name was drawn otherwise.
    """
    plain = name.strip()
    if not plain or len(plain) > LONGEST_NAME or not is_printable(plain):
        raise UsageError(f"the name of a set is one line of at most {LONGEST_NAME} letters")
    chosen = project.choose_models(models, arms=models is not None)
    facts = np.flatnonzero(project.facts(where, chosen, policy) & ~project.index.rejected)
    settings = {setting: key for key, setting in project.setting_ids().items() if key[0] in chosen}
    most = SIZE if size is None else size
    sizes = np.zeros(len(STRATA), np.int64)
    kept = defaultdict[str, list[tuple[Ints, Orders, npt.NDArray[np.intp]]]](list)
    find_strata = _strata_of(project, by)
    for slots, orders, places in _read_answers(project, facts, settings, seed):
        strata = find_strata(slots)
        sizes += np.bincount(strata, minlength=len(STRATA))
        # What is drawn of a stratum at last is among what would be drawn of each block of facts.
        for stratum in np.unique(strata).tolist():
            mine = np.flatnonzero(strata == stratum)
            some = np.sort(mine[choose_first(places[mine], orders[mine], most)])
            kept[STRATA[stratum]].append((slots[some], orders[some], places[some]))
    there = int(sizes.sum())
    if size is not None and size > there:
        raise UsageError(
            f"--size {size:,}: the scope has only {there:,} different answers; ask for so many, "
            "or widen --model and --where"
        )
    if not there:
        raise UsageError("the scope has no open answer: sample or import responses first")
    counts = {one: count for one, count in zip(STRATA, sizes.tolist(), strict=True) if count}
    drawn = share_places(counts, min(there, most))
    rows: list[tuple[int, str]] = []
    for stratum, count in drawn.items():
        slots, orders, places = map(np.concatenate, zip(*kept[stratum], strict=True))
        rows += [(slot, stratum) for slot in slots[choose_first(places, orders, count)].tolist()]
    plan = SetPlan(
        seed, by, tuple(chosen), where, {one: (counts[one], drawn[one]) for one in counts}
    )
    _keep(project, plain, plan, rows)
    stored = db.reference_sets.read_sets(project.connection)
    return read_set(project, next(one for one in stored if one.name == plain))


def _read_answers(
    project: OpenProject,
    facts: npt.NDArray[np.intp],
    settings: dict[int, tuple[str, bool]],
    seed: int,
) -> Iterator[tuple[Ints, Orders, npt.NDArray[np.intp]]]:
    """Of each different answer the response that stands for it, its order, its fact's place.

    Answers are equal by fact, task, and text after trimming and NFC. They come fact by fact, in
    blocks of whole facts.
    """
    ids = project.index.questions[facts][:, _OPEN]
    rows, columns = np.nonzero(ids)
    found = db.responses.read_texts(project.connection, ids[rows, columns].tolist())
    if len(settings) < len(project.setting_ids()):
        found = (_keep_settings(slots, texts, settings) for slots, texts in found)
    standing: list[int] = []
    counts: list[tuple[int, int]] = []
    digests: list[bytes] = []
    asked = zip(facts[rows].tolist(), columns.tolist(), found, strict=True)
    for place, column, (slots, texts) in asked:
        if len(standing) >= _BLOCK and place != counts[-1][0]:
            yield _make_columns(standing, digests, counts)
            standing, digests, counts = [], [], []
        plain = list(map(str.strip, texts))
        if not "".join(plain).isascii():
            plain = [normalize("NFC", text) for text in plain]
        head = f"{project.index.fact_ids[place]}\n{TASKS[_OPEN[column]]}\n"
        first = dict(zip(plain, slots, strict=True))
        if len(first) < len(plain):
            first |= _stand_for_alike(plain, slots, first, head, settings, seed)
        copy = blake2b(f"{seed}\nset\n{head}".encode(), digest_size=8).copy
        for text in map(str.encode, first):
            order = copy()
            order.update(text)
            digests.append(order.digest())
        standing += first.values()
        counts.append((place, len(first)))
    yield _make_columns(standing, digests, counts)


def _keep_settings(
    slots: list[int], texts: list[str], settings: Collection[int]
) -> tuple[list[int], list[str]]:
    """Those of the responses to a question that are in these settings."""
    mine = [slot >> SAMPLE_BITS & MAX_SETTING in settings for slot in slots]
    return list(compress(slots, mine)), list(compress(texts, mine))


def _make_columns(
    standing: list[int], digests: list[bytes], counts: list[tuple[int, int]]
) -> tuple[Ints, Orders, npt.NDArray[np.intp]]:
    orders = np.frombuffer(b"".join(digests), ">u8").astype(np.uint64)
    places = np.array(counts, np.intp).reshape(-1, 2)
    return np.array(standing, np.int64), orders, np.repeat(places[:, 0], places[:, 1])


def _stand_for_alike(
    texts: Sequence[str],
    slots: Sequence[int],
    last: dict[str, int],
    head: str,
    settings: dict[int, tuple[str, bool]],
    seed: int,
) -> dict[str, int]:
    """The slot that stands for each text that several responses to a question have.

    `last` has the last slot of each text.
    """
    answers = list(zip(texts, slots, strict=True))
    alike: dict[str, list[int]] = {text: [] for text, slot in answers if last[text] != slot}
    for text, slot in answers:
        if text in alike:
            alike[text].append(slot)
    order = partial(_standing_order, head, settings, seed)
    return {text: min(those, key=order) for text, those in alike.items()}


def _standing_order(
    head: str, settings: dict[int, tuple[str, bool]], seed: int, slot: int
) -> tuple[int, int]:
    _, setting, sample = unpack(slot)
    model, thinking = settings[setting]
    return hash_text(f"{seed}\n{head}{model}\n{int(thinking)}\n{sample}"), slot


def _strata_of(project: OpenProject, by: str | None) -> Callable[[Ints], Cells]:
    """What tells the strata of answers, places in `STRATA`: the labels of what stands for them."""
    if by is None:
        return lambda slots: np.full(slots.shape, STRATA.index(ALL), np.uint8)
    rank, choice = project.ranks(Policy(graders=(by,))), project.choice_questions()
    grids = cache(lambda setting: project.labels(rank, setting, choice))
    names = np.array([STRATA.index(one) for one in (NO_LABEL, *LABELS)], np.uint8)

    def find(slots: Ints) -> Cells:
        found = np.zeros(slots.shape, np.uint8)
        setting, sample = slots >> SAMPLE_BITS & MAX_SETTING, slots & MAX_SAMPLE
        question = slots >> QUESTION_SHIFT
        for one in np.unique(setting).tolist():
            cells = grids(one)
            if cells is not None:
                here = np.flatnonzero(setting == one)
                here = here[(sample[here] < cells.shape[0]) & (question[here] < cells.shape[1])]
                found[here] = cells[sample[here], question[here]]
        return names[found]

    return find


def share_places(there: dict[str, int], size: int) -> dict[str, int]:
    """How many answers each stratum gets: one by one to that with fewest so far, if it has more."""
    found = dict.fromkeys(there, 0)
    for _ in range(size):
        least = min((one for one in there if found[one] < there[one]), key=found.__getitem__)
        found[least] += 1
    return found


def choose_first(facts: npt.NDArray[np.intp], orders: Orders, count: int) -> npt.NDArray[np.intp]:
    """The places of the first `count` answers of a stratum: of each fact one, then a second.

    `facts` are ascending. Within a round they come by their order.
    """
    left = np.arange(facts.size)
    chosen: list[npt.NDArray[np.intp]] = [np.empty(0, np.intp)]
    while count and left.size:
        starts = np.flatnonzero(np.diff(facts[left], prepend=-1))
        least = np.minimum.reduceat(orders[left], starts)
        is_least = orders[left] == np.repeat(least, np.diff(starts, append=left.size))
        some = left[is_least]
        some = some[np.argsort(orders[some])][:count]
        chosen.append(some)
        count -= some.size
        left = left[~is_least]
    return np.concatenate(chosen)


def _keep(project: OpenProject, name: str, plan: SetPlan, rows: list[tuple[int, str]]) -> None:
    connection = project.connection
    with write_transaction(connection):
        sets = db.reference_sets.read_sets(connection)
        there = next((one for one in sets if one.name == name), None)
        if there is None:
            now = time_ns() // 1_000_000
            key = db.reference_sets.insert(connection, name, plan.text, now)
        else:
            key, before = there.id, read_plan(there.plan)
            kept = db.reference_sets.answers_of(connection, key)
            alike = (before.seed, before.by) == (plan.seed, plan.by)
            if not alike or not set(kept) <= set(rows):
                raise UsageError(
                    f"a set named {name} is there already, drawn otherwise: choose another name"
                )
            if there.closed and len(rows) > len(kept):
                raise UsageError(f"{name} is closed: draw another set under a new name")
            db.reference_sets.set_plan(connection, key, plan.text)
        db.reference_sets.add_answers(connection, key, rows)
