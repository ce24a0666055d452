"""The drawing of a reference set: distinct answers of a scope, seeded, in strata and parts."""

from array import array
from collections.abc import Sequence
from functools import partial
from hashlib import blake2b
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
from db.slot_ids import MAX_SETTING, QUESTION_SHIFT, SAMPLE_BITS, unpack

Ints = npt.NDArray[np.int64]
Orders = npt.NDArray[np.uint64]

SIZE = 120
"""Answers of a set where no number is asked for."""

_BLOCK = 400
"""Facts of which the answers are read at a time."""

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
    slots, orders, places = _read_answers(project, facts, settings, seed)
    strata = _find_strata(project, slots, by)
    there = int(slots.size)
    if size is not None and size > there:
        raise UsageError(
            f"--size {size:,}: the scope has only {there:,} different answers; ask for so many, "
            "or widen --model and --where"
        )
    if not there:
        raise UsageError("the scope has no open answer: sample or import responses first")
    rows: list[tuple[int, str]] = []
    sizes = np.bincount(strata, minlength=len(STRATA)).tolist()
    counts = {one: count for one, count in zip(STRATA, sizes, strict=True) if count}
    drawn = share_places(counts, min(there, SIZE) if size is None else size)
    for stratum, count in drawn.items():
        mine = np.flatnonzero(strata == STRATA.index(stratum))
        some = mine[choose_first(places[mine], orders[mine], count)]
        rows += [(slot, stratum) for slot in slots[some].tolist()]
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
) -> tuple[Ints, Orders, npt.NDArray[np.intp]]:
    """Of each different answer the response that stands for it, its order, its fact's place.

    Answers are equal by fact, task, and text after trimming and NFC. They come fact by fact.
    """
    questions = project.index.questions[:, _OPEN]
    standing, places, digests = array("q"), array("q"), bytearray()
    for start in range(0, facts.size, _BLOCK):
        some = facts[start : start + _BLOCK]
        heads = {
            question: f"{project.index.fact_ids[place]}\n{TASKS[column]}\n"
            for place in some.tolist()
            for column, question in zip(_OPEN, questions[place].tolist(), strict=True)
            if question
        }
        starts = {key: _encode(f"{seed}\nset\n{head}") for key, head in heads.items()}
        first, others = _group_alike(project, list(heads), settings)
        for (question, text), slot in first.items():
            chosen = slot
            if others and (question, text) in others:
                order = partial(_standing_order, heads[question], settings, seed)
                chosen = min(others[question, text], key=order)
            standing.append(chosen)
            digests += blake2b(starts[question] + _encode(text), digest_size=8).digest()
        places.extend(_find_places(standing[len(places) :], some, questions))
    orders = np.frombuffer(digests, ">u8").astype(np.uint64)
    return np.array(standing, np.int64), orders, np.array(places, np.intp)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _group_alike(
    project: OpenProject, questions: list[int], settings: dict[int, tuple[str, bool]]
) -> tuple[dict[tuple[int, str], int], dict[tuple[int, str], list[int]]]:
    """The first slot of each different answer (question and text), and all slots of those alike."""
    first: dict[tuple[int, str], int] = {}
    others: dict[tuple[int, str], list[int]] = {}
    for slot, text, _ in db.responses.read_answers(project.connection, questions):
        if slot >> SAMPLE_BITS & MAX_SETTING not in settings:
            continue
        plain = text.strip()
        if not plain.isascii():
            plain = normalize("NFC", plain)
        key = slot >> QUESTION_SHIFT, plain
        known = first.setdefault(key, slot)
        if known != slot:
            others.setdefault(key, [known]).append(slot)
    return first, others


def _find_places(
    slots: "array[int]", facts: npt.NDArray[np.intp], questions: npt.NDArray[np.int64]
) -> "array[int]":
    """The place of the fact of each slot, which is one of these facts."""
    own = questions[facts].ravel()
    order = np.argsort(own)
    found = np.searchsorted(own[order], np.array(slots, np.int64) >> QUESTION_SHIFT)
    return array("q", facts[order[found] // questions.shape[1]].astype(np.int64).tobytes())


def _standing_order(
    head: str, settings: dict[int, tuple[str, bool]], seed: int, slot: int
) -> tuple[int, int]:
    _, setting, sample = unpack(slot)
    model, thinking = settings[setting]
    return hash_text(f"{seed}\n{head}{model}\n{int(thinking)}\n{sample}"), slot


def _find_strata(project: OpenProject, slots: Ints, by: str | None) -> Cells:
    """The stratum of each answer, its place in `STRATA`: the label of what stands for it."""
    if by is None:
        return np.full(slots.shape, STRATA.index(ALL), np.uint8)
    rank = project.ranks(Policy(graders=(by,)))
    choice, found = project.choice_questions(), np.zeros(slots.shape, np.uint8)
    setting, sample = slots >> SAMPLE_BITS & MAX_SETTING, slots & (1 << SAMPLE_BITS) - 1
    question = slots >> QUESTION_SHIFT
    for one in np.unique(setting).tolist():
        cells = project.labels(rank, one, choice)
        if cells is not None:
            here = np.flatnonzero(setting == one)
            here = here[(sample[here] < cells.shape[0]) & (question[here] < cells.shape[1])]
            found[here] = cells[sample[here], question[here]]
    return np.array([STRATA.index(one) for one in (NO_LABEL, *LABELS)], np.uint8)[found]


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
