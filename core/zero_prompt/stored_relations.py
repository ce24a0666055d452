"""The relations of a project: which there are, their triples, and whether they can be asked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise

import db.option_score_arrays
import db.option_scores
import db.relations
import db.triples
from core.errors import UsageError
from core.project import OpenProject
from core.zero_prompt.examples import candidates
from core.zero_prompt.option_choice import count_options
from core.zero_prompt.relation import Relation
from core.zero_prompt.training_split import Triple
from db.relations import RelationRow
from db.triples import RelationTriple


@dataclass(frozen=True)
class StoredRelation:
    """A relation of a set; `facts` are the ids of its triples' facts, by their names."""

    row: RelationRow
    relation: Relation
    facts: dict[str, int]

    @property
    def name(self) -> str:
        """What it is called."""
        return self.row.name

    @cached_property
    def names(self) -> dict[int, str]:
        """Names of the facts that take part, by their ids."""
        return {self.facts[name]: name for name in self.relation.triples}


def choose_relations(
    project: OpenProject,
    names: Sequence[str] | None = None,
    set_name: str | None = None,
    scored: bool = False,
    twins: bool = False,
) -> list[RelationRow]:
    """The relations named (all by default), sorted by name.

    Raises `UsageError` for one there is not, and, unless `twins` are wanted, for one that several
    sets have; `scored`: for one that has scores in several.
    """
    there = [one for one in db.relations.relations(project.connection) if one.name]
    check_set(project, set_name)
    inside = [one for one in there if set_name in (None, one.set_name)]
    known = {one.name for one in inside}
    for name in names or ():
        if name not in known:
            listed = ", ".join(sorted(known)) or "none yet: `lostkeys import --format triples`"
            raise UsageError(f"no relation named {name}: relations are {listed}")
    chosen = sorted(
        (one for one in inside if names is None or one.name in names),
        key=lambda one: (one.name, one.set_name),
    )
    chosen = _scored_twins(project, chosen) if scored else chosen
    for one, other in _find_twins(chosen) if not twins else ():
        raise UsageError(
            f"relation {one.name} is in the sets {one.set_name} and {other.set_name}: name "
            "one with --set"
        )
    return chosen


def check_set(project: OpenProject, set_name: str | None) -> None:
    """Raise `UsageError` for a set of triples that there is not; None is none that is named."""
    sets = sorted({one.set_name for one in db.relations.relations(project.connection)})
    if set_name is not None and set_name not in sets:
        raise UsageError(f"no set named {set_name}: sets are {', '.join(sets) or 'none yet'}")


def choose_set(project: OpenProject) -> str | None:
    """The set whose scores figures show where none is named; None: those of all sets.

    A relation that has scores in several sets makes them choose: the first of these.
    """
    chosen = choose_relations(project, scored=True, twins=True)
    return next((one.set_name for one, _ in _find_twins(chosen)), None)


def _find_twins(chosen: Sequence[RelationRow]) -> Iterator[tuple[RelationRow, RelationRow]]:
    """Neighbours of one name, of relations that are sorted by it."""
    return ((one, other) for one, other in pairwise(chosen) if one.name == other.name)


def _scored_twins(project: OpenProject, rows: list[RelationRow]) -> list[RelationRow]:
    """Relations sorted by name: of those of one name the ones with scores, else the first."""
    kept: list[RelationRow] = []
    for _, same in groupby(rows, key=lambda one: one.name):
        twins = list(same)
        if len(twins) > 1:
            found = db.option_scores.scored_relations(project.connection, [one.id for one in twins])
            twins = [one for one in twins if one.id in found] or twins[:1]
        kept += twins
    return kept


def read_named_relations(project: OpenProject) -> list[StoredRelation]:
    """All relations with a name, sorted by it; one that several sets have stands several times."""
    there = [one for one in db.relations.relations(project.connection) if one.name]
    return read_relations(project, sorted(there, key=lambda one: (one.name, one.set_name)))


def read_relations(
    project: OpenProject, rows: Sequence[RelationRow], rejected: bool = False
) -> list[StoredRelation]:
    """Relations with their triples, in the order given; with `rejected` also of such facts."""
    triples: dict[int, list[RelationTriple]] = {one.id: [] for one in rows}
    for triple in db.triples.read_relation_triples(project.connection, list(triples), rejected):
        triples[triple.relation].append(triple)
    return [
        StoredRelation(
            row,
            Relation(row.name, [_triple(one) for one in triples[row.id]]),
            {one.fact_id: one.fact for one in triples[row.id]},
        )
        for row in rows
    ]


def relation_of(project: OpenProject, fact_id: str) -> StoredRelation:
    """The relation of a fact. Raises `UsageError` for a fact that takes part in none."""
    key = db.relations.relation_of(project.connection, fact_id)
    rows = [one for one in db.relations.relations(project.connection) if one.id == key and one.name]
    if not rows:
        raise UsageError(f"{fact_id} is no triple: `lostkeys zp-lke facts` lists those with scores")
    (found,) = read_relations(project, rows)
    if fact_id not in found.relation.triples:
        raise UsageError(
            f"{fact_id} takes no part: it is rejected, repeats another triple or has no subject"
        )
    return found


def _triple(one: RelationTriple) -> Triple:
    return Triple(one.fact_id, one.subject, one.object, one.aliases, one.split or None, one.choices)


@dataclass(frozen=True, slots=True)
class RelationRoom:
    """What a relation can give: `facts` to ask about, and the most examples before each.

    `options`: so many every fact can have, `most` the one that can have most, its object among
    them. `objects` are all that its triples have.
    """

    name: str
    facts: int
    examples: int
    objects: int
    options: int
    most: int

    def describe_lack(self, examples: int, options: int) -> str:
        """Why none of its facts can be asked about with so many; empty where some can."""
        if not self.facts:
            return "no fact to ask about"
        if self.examples < examples:
            return f"{self.examples:,} subjects for {examples:,} examples"
        return f"at most {self.most:,} options" if self.most < options else ""


def measure_room(relation: Relation, seed: int = 0) -> RelationRoom:
    """What a relation can give, whatever a run asks for."""
    asked = relation.split.evaluation
    found = [count_options(relation, one) for one in asked]
    return RelationRoom(
        relation.name,
        len(asked),
        len(candidates(relation, seed)),
        len(relation.objects),
        min(found, default=0),
        max(found, default=0),
    )


@dataclass(frozen=True, slots=True)
class Readiness:
    """How many triples of a relation there are, and why some cannot be asked about."""

    relation: str
    facts: int
    train: int
    eval: int
    objects: int
    ready: bool
    why: str | None

    def as_json(self) -> dict[str, object]:
        """The row as `zp-lke relations --json` gives it."""
        return {name: getattr(self, name) for name in self.__slots__}


def explain_few(subjects: int) -> str:
    """Why a fact is left out that has so few subjects to show before it, and what would do."""
    count = f"{subjects:,}" if subjects else "no"
    noun = "subjects" if subjects > 1 else "subject"
    return f"{count} {noun} for examples: --examples {subjects} would do"


def readiness(relation: Relation, examples: int, options: int, seed: int = 0) -> Readiness:
    """Whether facts of a relation can be asked about with so many examples and options."""
    training, asked = relation.split.training, relation.split.evaluation
    subjects = len(candidates(relation, seed))
    found = [count_options(relation, one) for one in asked]
    short = sum(one < options for one in found)
    why = []
    if not asked:
        why.append("no fact to ask about")
    if subjects < examples:
        why.append(explain_few(subjects))
    if short:
        which = "every fact has" if short == len(found) else f"{short:,} of {len(found):,} have"
        would = max(found) if short == len(found) else min(found)
        why.append(f"{which} fewer than {options:,} options: --options {would} would do")
    return Readiness(
        relation.name,
        len(relation.triples),
        len(training),
        len(asked),
        len(relation.objects),
        subjects >= examples and short < len(found),
        "; ".join(why) or None,
    )


def golds_of(project: OpenProject) -> dict[int, tuple[str, ...]]:
    """The object of each triple with its aliases, by the fact's id."""
    rows = db.relations.relations(project.connection)
    return {
        relation.facts[one.id]: (one.object, *one.aliases)
        for relation in read_relations(project, rows, rejected=True)
        for one in relation.relation.rows
    }
