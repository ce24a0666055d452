"""Questions of triples out of templates, for those that have none."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import db.prepared_triples
from core.dataset.seeded_order import key_of
from core.fact_bench.stored_sets import choose_set
from core.pipeline.triple_assembly import ask_by_templates
from core.project import OpenProject
from core.transfer.import_report import ImportReport
from core.transfer.row_values import RowError, text
from core.transfer.unstored_rows import read_rows
from db.prepared_triples import SetTriple

SUBJECT = "[X]"
"""Stands for the subject in a template."""


@dataclass(frozen=True, slots=True)
class AddedQuestions:
    """What templates came to: questions added, and triples without one by their relation."""

    set_name: str
    added: int
    left: Mapping[str, int]

    def as_json(self) -> dict[str, object]:
        """The document that `fact-bench questions --json` gives."""
        return {"set": self.set_name, "added": self.added, "left": dict(self.left)}


def read_templates(path: Path) -> tuple[dict[str, str], ImportReport]:
    """Templates by the keys of relations, names or numbers; the first of a relation counts.

    Raises `LostkeysError` for a file that cannot be read to its end.
    """
    rows, report = read_rows(path, "templates", _template)
    found: dict[str, str] = {}
    for relation, template in rows:
        found.setdefault(relation, template)
    return found, report


def _template(row: Mapping[str, Any]) -> tuple[str, str]:
    relation, template = text(row, "relation"), text(row, "template")
    for key, value in (("relation", relation), ("template", template)):
        if not value:
            raise RowError(f"missing: {key}")
    if SUBJECT not in template:
        raise RowError(f"the template has no {SUBJECT}, where the subject goes")
    return key_of(relation), template


def add_questions(
    project: OpenProject, set_name: str | None, templates: Mapping[str, str]
) -> AddedQuestions:
    """Give each triple without a question that of its relation's template.

    Raises `UsageError` as `choose_set` does.
    """
    chosen = choose_set(project, set_name)
    asked, left = dict[int, str](), Counter[str]()
    for one in db.prepared_triples.read_set(project.connection, chosen):
        if one.question or not one.subject:
            continue
        question = _question_of(one, templates)
        if question is None:
            left[one.relation] += 1
        else:
            asked[one.fact] = question
    added = sum(ask_by_templates(project.connection, asked))
    project.refresh()
    return AddedQuestions(chosen, added, left)


def _question_of(triple: SetTriple, templates: Mapping[str, str]) -> str | None:
    for name in (triple.property_id, triple.relation):
        template = templates.get(key_of(name)) if name else None
        if template is not None:
            return template.replace(SUBJECT, triple.subject)
    return None
