"""Questions of triples out of templates, for those that have none."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import db.facts
import db.prepared_triples
from core.dataset.seeded_order import key_of
from core.fact_bench.stored_sets import choose_set
from core.project import Project
from core.transfer.fields import RowError, text
from core.transfer.import_report import ImportReport
from core.transfer.score_cases import read_rows
from core.vocabulary import Task
from db.connection import writing
from db.facts import Question
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
    project: Project, set_name: str | None, templates: Mapping[str, str]
) -> AddedQuestions:
    """Give each triple without a question that of its relation's template.

    Raises `UsageError` as `choose_set` does.
    """
    chosen = choose_set(project, set_name)
    connection = project.connection
    added, left = 0, Counter[str]()
    with writing(connection):
        for one in db.prepared_triples.of_set(connection, chosen):
            if one.question or not one.subject:
                continue
            asked = _question_of(one, templates)
            if asked is None:
                left[one.relation] += 1
            else:
                db.facts.add_question(connection, one.fact, Task.DIRECT, asked)
                added += 1
    project.refresh()
    return AddedQuestions(chosen, added, left)


def _question_of(triple: SetTriple, templates: Mapping[str, str]) -> Question | None:
    for name in (triple.property_id, triple.relation):
        template = templates.get(key_of(name)) if name else None
        if template is not None:
            return Question(template.replace(SUBJECT, triple.subject))
    return None
