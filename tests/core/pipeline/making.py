"""Documents to build from, a model that builds in this process, and what a build came to."""

import asyncio
import hashlib
import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import db.documents
import db.facts
import db.integrity
import db.question_versions
from core.jobs.job_run import JobContext, JobResult
from core.jobs.job_service import Jobs
from core.jobs.job_view import JobView
from core.pipeline.stage_table import STAGES
from core.project import OpenProject
from core.providers.base import Draw, Provider, Reply, Request
from core.specs.build_specs import BuildingSpec
from core.vocabulary import TASK_INDEX
from db.connection import write_transaction
from db.documents import Document, Paragraph
from tests.core.making import new_project
from tests.fakes.building_model import Shares, answer, recognised
from tests.fakes.openai_schemas import say_in_json
from tests.patience import PATIENCE

MODEL = "embedded:smollm2-135m"
"""A model that is not tried first: what is sent is building alone."""

GOOD = Shares(wrong=0.0, hostile=0.0)

PLACES = (
    ("Lake Vesna", "Karel Novak", "1874", "Brenta"),
    ("Mount Orlin", "Greta Holm", "1911", "Tarvas"),
    ("Port Selby", "Anna Lindqvist", "1833", "Morgen"),
    ("Castle Durn", "Pavel Horak", "1702", "Silvan"),
    ("Bridge Amara", "Lucia Ferrante", "1956", "Corvo"),
    ("Abbey Toll", "Simon Bracht", "1244", "Weiler"),
)


def documents(count: int) -> list[Document]:
    """So many documents; no two of them have one text."""
    found = []
    for number in range(count):
        name, person, year, river = PLACES[number % len(PLACES)]
        title = f"{name} {number // len(PLACES) + 1}"
        text = (
            f"{title} is a place that lies in the north of its country, between two long hills "
            "and a wide plain, and that many travellers have written of in their letters. It was "
            f"first described in detail by the surveyor {person}, who came there in {year} and "
            f"stayed for a whole summer beside the river {river}. Today it is looked after by a "
            "small society of volunteers, who open the old house on every second weekend."
        )
        found.append(Document(f"doc-{number}", title, (Paragraph(text),), views=number))
    return found


def made(path: Path, found: Iterable[Document]) -> Path:
    """A database with these documents."""
    with new_project(path) as project, write_transaction(project.connection):
        db.documents.insert(project.connection, found)
    return path


Say = Callable[[Request, str], str | Exception]


def said(request: Request, key: str, shares: Shares = GOOD) -> str:
    """What the fake model says to a prompt; it follows from the prompt (and `key`) alone."""
    assert request.messages is not None
    prompt = "\n".join(message.content for message in request.messages)
    heard = recognised(prompt)
    if heard is None:  # a model is tried before it is used
        return "Paris"
    return answer(heard, f"{key} {request.temperature}\n{prompt}", shares)


@dataclass
class Builder(Provider):
    """Answers by `say`, plausibly where that is not given, after `seconds`.

    After `stop_after` answers it keeps one waiting for ever. `prompts` are the templates of `seen`.
    """

    say: Say = said
    stop_after: int = 1_000_000
    seconds: float = 0.0
    seen: list[Request] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    waits: threading.Event = field(default_factory=threading.Event)

    async def draw(self, request: Request) -> Reply:
        if len(self.seen) >= self.stop_after:
            self.waits.set()
            await asyncio.sleep(3600)
        self.seen.append(request)
        self.prompts.append(template(request))
        await asyncio.sleep(self.seconds)
        found = self.say(request, "")
        if isinstance(found, Exception):
            raise found
        if request.schema is not None:
            found = say_in_json(request.schema, found)
        return Reply((Draw(found, "stop"),), 100, len(found.split()))


def template(request: Request) -> str:
    """Which template a request was made with."""
    assert request.messages is not None
    heard = recognised("\n".join(message.content for message in request.messages))
    return "" if heard is None else heard.template


def with_shares(wrong: float, hostile: float) -> Say:
    """Plausible, but for these shares."""
    return lambda request, key: said(request, key, Shares(wrong, hostile))


def start(path: Path, builder: Provider, max_cost: float | None = None, **asked: Any) -> Jobs:
    """A build under way."""
    jobs = Jobs(path, means=JobContext(lambda name: builder))
    jobs.start(BuildingSpec(**{"model": MODEL, **asked}), max_cost)
    return jobs


def built(
    path: Path, builder: Provider | None = None, max_cost: float | None = None, **asked: Any
) -> tuple[JobResult, JobView]:
    """Run a build to its end; what it came to, and what there is to show of it."""
    jobs = start(path, builder or Builder(), max_cost, **asked)
    (view,) = jobs.views()
    assert jobs.wait(view.id, PATIENCE)
    (view,) = jobs.views()
    return jobs.result(view.id), view


def facts_of(path: Path) -> dict[str, Any]:
    """All facts by their own ids, as plain values; the file is in order."""
    with OpenProject(path) as project:
        assert db.integrity.faults(project.connection) == []
        assert project.connection.execute("SELECT count(*) FROM claim").fetchone() == (0,)
        return {
            fact.fact_id: (
                fact.page_title,
                fact.views,
                fact.category,
                fact.subject,
                fact.object,
                fact.subject_type,
                fact.object_type,
                {side: gold.texts for side, gold in fact.golds.items()},
                {
                    task: (one.text, one.choices)
                    for task, one in sorted(
                        fact.questions.items(), key=lambda item: TASK_INDEX[item[0]]
                    )
                },
            )
            for fact in db.facts.read_facts(project.connection)
        }


def steps_of(path: Path) -> set[str]:
    """All steps in use, without their ids and times, units by what they are.

    Where stages go on side by side, the first drop ends what the others have left to do: of such
    units only the stages before count.
    """
    with OpenProject(path) as project:
        rows = project.connection.execute(
            "SELECT step.stage, coalesce(document.key, fact.fact_id, other.key), "
            "coalesce(candidate.start, 0), step.verdict, step.reason, "
            "CASE step.stage WHEN 'facts' THEN '' ELSE step.value END, step.raw, step.sources "
            "FROM step "
            "LEFT JOIN candidate ON candidate.id = step.unit "
            "AND step.stage NOT IN ('length', 'classify', 'entities', 'objects') "
            "LEFT JOIN passage ON passage.id = candidate.passage "
            "LEFT JOIN document ON document.id = passage.document "
            "LEFT JOIN fact ON fact.id = candidate.fact AND candidate.passage IS NULL "
            "LEFT JOIN passage AS mine ON mine.id = step.unit "
            "AND step.stage IN ('length', 'classify', 'entities', 'objects') "
            "LEFT JOIN document AS other ON other.id = mine.document WHERE NOT step.aside"
        ).fetchall()
    names = [stage.name for stage in STAGES]
    side_by_side = names[names.index("filter-reverse") + 1 :]
    lost = {row[1:3] for row in rows if row[0] in side_by_side and row[3] == "dropped"}
    found = [row for row in rows if not (row[0] in side_by_side and row[1:3] in lost)]
    assert len(found) == len(set(found))
    return {json.dumps(row) for row in found}


def digest(text: str) -> int:
    """A number that follows from a text alone."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])
