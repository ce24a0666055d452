"""Exporting facts, responses, labels, profiles and people's decisions as files."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

import db.facts
import db.prepared_triples
import db.question_rows
import db.tags_and_notes
import db.triples
from core.dataset.fact_filters import parse_where
from core.errors import UsageError
from core.fact_bench.stored_sets import choose_set
from core.project import OpenProject
from core.results import profile_summary
from core.scoring.policy import Policy
from core.transfer import adjudications, latent_rows, review_rows, run_rows, score_rows, triple_rows
from core.transfer.anonymous_copy import open_anonymous
from core.transfer.answer_columns import AnswerColumns
from core.transfer.column_blocks import BlockRows, CountedRows
from core.transfer.fact_rows import DATASET_COLUMNS, as_row, dataset_rows
from core.transfer.file_formats import (
    DECISION_COLUMNS,
    FACT_COLUMNS,
    FORM_COLUMNS,
    LABEL_COLUMNS,
    OPTIONAL_COLUMNS,
    POSITION_COLUMNS,
    PREPARED_COLUMNS,
    RESPONSE_COLUMNS,
    REVIEW_COLUMNS,
    RUN_COLUMNS,
    SCORE_COLUMNS,
    TRAIT_COLUMNS,
    TRIPLE_COLUMNS,
)
from core.transfer.imports import pause_collection
from core.transfer.label_edits import EDIT_COLUMNS, LabelEdits, find_edits
from core.transfer.lake_export import LakeExport, export_lake
from core.transfer.parquet_writer import NumberMap
from core.transfer.pseudonyms import Pseudonyms
from core.transfer.row_writers import Columns, save
from core.transfer.tag_rows import TAG_COLUMNS, join_tags
from db.connection import read_transaction
from db.slot_ids import unpack

LAKE = "lake"
"""What is written as a folder of Parquet files."""

Progress = Callable[[int, int], None]
"""Told how many of all facts, questions or cells are written."""

_KINDS: dict[str, type] = {
    "gbc": int,
    "popularity": int,
    "parameters": int,
    "n": int,
    "seed": int,
    "order": int,
    "aliases": list,
    "choices": list,
    "options": list,
    "logprobs": list,
    "positions": list,
    "thinking": bool,
    "blind": bool,
    "history": list,
    "e": bool,
    "k0": bool,
    "kt": bool,
    "sample": int,
    "subset": bool,
    "shown_order": list,
    "grades": dict,
    "tau": float,
    "weight": float,
    "graders": list,
    "tasks": list,
    "tags": list,
    "samples": int,
    "done": bool,
}

_KINDS_OF: dict[str, dict[str, type]] = {
    "profiles": {"grades": NumberMap},
    "reviews": {"sample": str, "version": int},
    "edits": {"epoch": int},
    "inspect-dataset": {"metadata": dict},
}
"""Where a column of one table holds something else than in the others."""


@dataclass(frozen=True, slots=True)
class Subset:
    """What of a project is exported: some models and facts, profiles under a policy.

    Rejected facts are left out as they are everywhere, unless a filter or `rejected` asks for
    them; what people decided is exported of all facts.
    """

    models: Sequence[str] | None = None
    where: str | None = None
    policy: Policy = field(default_factory=Policy)
    rejected: bool = False
    set_name: str | None = None
    """Of triples, the set."""
    score: str | None = None
    """Of edits, the score that is edited; the policy's graders are whose labels go back."""

    def models_of(self, project: OpenProject) -> list[str]:
        """The models chosen, or all, with arms. Raises `UsageError` for one that there is not.

        Where a filter asks scores, a model may have nothing else.
        """
        scored = self.where is not None and bool(parse_where(self.where)[0].latent)
        return project.choose_models(self.models, arms=True, scored=scored)

    def places(self, project: OpenProject) -> list[int]:
        """Places in the index of the facts chosen. Raises `UsageError` for filter and `rejected`.

        With `rejected` those that are rejected are among them.
        """
        if self.where is None:
            left_out = project.index.rejected & (not self.rejected)
            return [int(place) for place in np.flatnonzero(~left_out)]
        if self.rejected:
            raise UsageError(
                "--with-rejected goes without --where: `--where rejected` gives those facts alone"
            )
        chosen = project.facts(self.where, self.models_of(project), self.policy)
        return [int(place) for place in chosen.nonzero()[0]]


def rename_subset(subset: Subset, names: Pseudonyms) -> Subset:
    """The same of an anonymous copy, in which things are called by these names."""
    return replace(
        subset,
        models=names.rename_models(subset.models),
        where=names.where(subset.where),
        policy=names.policy(subset.policy),
        set_name=subset.set_name and names.name(subset.set_name),
        score=subset.score and names.name(subset.score),
    )


def export(
    project: OpenProject,
    what: str,
    path: Path | str,
    excel_safe: bool = False,
    progress: Progress | None = None,
    subset: Subset | None = None,
    anonymous: bool = False,
) -> int:
    """Write one of `TABLES`, by the file's extension, or a lake; gives how many rows.

    Texts stay as they are; `excel_safe` changes cells that a spreadsheet would run. With
    `anonymous` it is the table of an `AnonymousCopy`. Raises `UsageError` for anything else to
    export or another extension. Of a lake the path is that of a new folder, and rows are responses.
    """
    if anonymous:
        with open_anonymous(project) as copy:
            named = rename_subset(subset or Subset(), copy.names)
            return export(copy.project, what, path, excel_safe, progress, named)
    chosen, tell = subset or Subset(), progress or (lambda done, total: None)
    if what == LAKE:
        places, models = chosen.places(project), chosen.models_of(project)
        return export_lake(LakeExport(project, places, models, tell), Path(path))
    _check_table(what)
    with read_transaction(project.connection), pause_collection():
        rows = TABLES[what][1](project, chosen, tell)
        counted = rows if isinstance(rows, BlockRows) else CountedRows(rows)
        save(Path(path), _columns(project, what, chosen), counted, excel_safe)
    return counted.count


def read_rows(
    project: OpenProject, what: str, subset: Subset | None = None
) -> tuple[Columns, list[dict[str, Any]]]:
    """One of `TABLES` as it would be written: its columns, and its rows. Raises `UsageError`."""
    _check_table(what)
    chosen = subset or Subset()
    with read_transaction(project.connection):
        rows = list(TABLES[what][1](project, chosen, lambda done, total: None))
        return _columns(project, what, chosen), rows


def _check_table(what: str) -> None:
    if what not in TABLES:
        there = ", ".join((*TABLES, LAKE))
        raise UsageError(f"nothing named {what!r} to export: there is {there}")


def kinds_of(what: str) -> Columns:
    """What columns of a table hold where that is no text."""
    return _KINDS | _KINDS_OF.get(what, {})


def _columns(project: OpenProject, what: str, subset: Subset) -> Columns:
    kinds = kinds_of(what)
    more = _optional_columns(project, subset) if what == "facts" else ()
    if what == "labels" and db.tags_and_notes.has_any(project.connection):
        more = TAG_COLUMNS
    return {name: kinds.get(name, str) for name in (*TABLES[what][0], *more)}


def _optional_columns(project: OpenProject, subset: Subset) -> tuple[str, ...]:
    """Columns that only some facts need, of those that are exported."""
    places = subset.places(project)
    edited = set(db.facts.find_with_optional_columns(project.connection))
    ids = [project.index.fact_ids[at] for at in places if int(project.index.ids[at]) in edited]
    rows = [as_row(fact) for fact in db.facts.read_facts(project.connection, ids)]
    return tuple(name for name in OPTIONAL_COLUMNS if any(row[name] for row in rows))


def _facts(project: OpenProject, subset: Subset, tell: Progress) -> Iterator[dict[str, Any]]:
    chosen = [project.index.fact_ids[place] for place in subset.places(project)]
    for done, fact in enumerate(db.facts.read_facts(project.connection, chosen), 1):
        yield {name: None if value == "" else value for name, value in as_row(fact).items()}
        tell(done, len(chosen))


def _responses(project: OpenProject, subset: Subset, tell: Progress) -> BlockRows:
    return BlockRows(_answers(project, subset, tell).responses())


def _labels(
    project: OpenProject, subset: Subset, tell: Progress
) -> BlockRows | Iterator[dict[str, Any]]:
    rows = BlockRows(_answers(project, subset, tell).labels())
    if not db.tags_and_notes.has_any(project.connection):
        return rows
    facts = [int(project.index.ids[place]) for place in subset.places(project)]
    return join_tags(project, facts, subset.models_of(project), rows)


def _answers(project: OpenProject, subset: Subset, tell: Progress) -> AnswerColumns:
    facts = [int(project.index.ids[place]) for place in subset.places(project)]
    return AnswerColumns(project, facts, subset.models_of(project), tell)


def _runs(project: OpenProject, subset: Subset, tell: Progress) -> Iterator[dict[str, Any]]:
    return run_rows.read_runs(project, subset.places(project), subset.models_of(project))


def _adjudications(
    project: OpenProject, subset: Subset, tell: Progress
) -> Iterator[dict[str, Any]]:
    facts = _facts_with_decisions(project, subset)
    models = subset.models_of(project)
    yield from adjudications.read_rows(project, facts, models)
    tell(len(facts), len(facts))


def _reviews(project: OpenProject, subset: Subset, tell: Progress) -> Iterator[dict[str, Any]]:
    facts = _facts_with_decisions(project, subset)
    yield from review_rows.read_rows(project, facts)
    tell(len(facts), len(facts))


def _facts_with_decisions(project: OpenProject, subset: Subset) -> list[int]:
    """Ids of the facts chosen; without a filter of all: a rejection is a decision too."""
    chosen = replace(subset, rejected=subset.rejected or subset.where is None)
    return [int(project.index.ids[place]) for place in chosen.places(project)]


def _triples(project: OpenProject, subset: Subset, tell: Progress) -> Iterator[dict[str, Any]]:
    if subset.set_name is None and not db.prepared_triples.sets(project.connection):
        return
    name = choose_set(project, subset.set_name)
    said = {
        one.fact_id: one.prepared for one in db.prepared_triples.read_set(project.connection, name)
    }
    chosen = {project.index.fact_ids[place] for place in subset.places(project)}
    for done, one in enumerate(db.triples.read_triples(project.connection), 1):
        fact_id = one.fact.fact_id
        if fact_id in said and fact_id in chosen:
            yield triple_rows.as_prepared_row(one, said[fact_id])
        tell(done, len(project.index))


def _scores(project: OpenProject, subset: Subset, tell: Progress) -> Iterator[dict[str, Any]]:
    return score_rows.export_rows(project, subset.models)


def _positions(project: OpenProject, subset: Subset, tell: Progress) -> Iterator[dict[str, Any]]:
    return latent_rows.position_rows(project, subset.models)


def _traits(project: OpenProject, subset: Subset, tell: Progress) -> Iterator[dict[str, Any]]:
    return latent_rows.trait_rows(project)


def _forms(project: OpenProject, subset: Subset, tell: Progress) -> Iterator[dict[str, Any]]:
    return latent_rows.form_rows(project)


_POLICY = ("policy", "tau", "strategy", "weight", "graders")
"""Columns that say under which policy profiles stand: its name if it is saved, its numbers."""


def _profiles(project: OpenProject, subset: Subset, tell: Progress) -> Iterator[dict[str, Any]]:
    found = profile_summary.profiles(project, subset.policy, subset.models, subset.where)
    rows = profile_summary.list_fact_profiles(project, found)
    policy = {name: value for name, value in found.head().items() if name in _POLICY}
    for done, row in enumerate(rows, 1):
        yield row.as_json() | policy
        tell(done, len(rows))


def find_subset_edits(project: OpenProject, subset: Subset) -> LabelEdits:
    """Edits of scores of the answers in a subset, and what they cannot say."""
    questions = {int(key) for key in project.index.questions[subset.places(project)].flat}
    ids, models = project.setting_ids(), subset.models_of(project)
    settings = {key for (model, _), key in ids.items() if model in models}

    def is_wanted(slot: int) -> bool:
        question, setting, _ = unpack(slot)
        return question in questions and setting in settings

    return find_edits(project, subset.score, subset.policy.graders, is_wanted)


def save_edits(found: LabelEdits, path: Path, excel_safe: bool = False) -> None:
    """Write edits to a file."""
    columns = {name: _KINDS_OF["edits"].get(name, str) for name in EDIT_COLUMNS}
    save(path, columns, (one.as_row() for one in found.edits), excel_safe)


def _edits(project: OpenProject, subset: Subset, tell: Progress) -> Iterator[dict[str, Any]]:
    return (one.as_row() for one in find_subset_edits(project, subset).edits)


def _dataset(project: OpenProject, subset: Subset, tell: Progress) -> Iterator[dict[str, Any]]:
    facts = [int(project.index.ids[place]) for place in subset.places(project)]
    return dataset_rows(db.question_rows.questions(project.connection, facts))


TABLES: dict[
    str, tuple[tuple[str, ...], Callable[[OpenProject, Subset, Progress], Iterable[dict[str, Any]]]]
] = {
    "facts": (FACT_COLUMNS, _facts),
    "responses": (RESPONSE_COLUMNS, _responses),
    "labels": (LABEL_COLUMNS, _labels),
    "runs": (RUN_COLUMNS, _runs),
    "adjudications": (DECISION_COLUMNS, _adjudications),
    "reviews": (REVIEW_COLUMNS, _reviews),
    "triples": ((*TRIPLE_COLUMNS, *PREPARED_COLUMNS), _triples),
    "zp-scores": (SCORE_COLUMNS, _scores),
    "zp-positions": (POSITION_COLUMNS, _positions),
    "zp-models": (TRAIT_COLUMNS, _traits),
    "zp-templates": (FORM_COLUMNS, _forms),
    "profiles": (("fact_id", "model", "profile", "e", "k0", "kt", "grades", *_POLICY), _profiles),
    "edits": (tuple(EDIT_COLUMNS), _edits),
    "inspect-dataset": (DATASET_COLUMNS, _dataset),
}
"""What can be exported: its columns, and its rows."""
