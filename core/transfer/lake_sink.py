"""Where collected answers land that no database holds: the parts of a lake.

Answers wait in passing files, one a cell and shard of the plan. At the end each part that has new
ones is written whole, with those it had, and takes the place of the one before.
"""

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import orjson

import db.question_rows
from core.dataset import choice_options
from core.errors import LostkeysError
from core.project import OpenProject
from core.sampling.response_store import ReadQuestions, ResponseStore
from core.scale.answer_sink import DatabaseSink, Flags, Slots
from core.scale.lake import MARKER, LakeCell, draft_lake, open_lake
from core.scale.plan_manifest import PlanFolder
from core.transfer.lake_export import LakeExport, project_key, write_facts, write_runs
from core.transfer.lake_grades import grade_lake
from core.transfer.lake_parquet import part_name, read_columns, response_schema, write_part
from core.transfer.run_rows import read_runs
from core.vocabulary import TASK_INDEX, TASKS, Task
from db.drawn_responses import DrawnColumns, NewResponse
from db.label_grids import DRAWN, LabelMatrix
from db.question_rows import StoredQuestion
from db.slot_ids import MAX_SAMPLE, MAX_SETTING, QUESTION_SHIFT, SAMPLE_BITS, slot

_KEY = ("fact_id", "sample")


class LakeSink(DatabaseSink):
    """The slots of one plan in a lake; refusals are noted in the database that wrote the plan."""

    def __init__(
        self, project: OpenProject, store: ResponseStore, since: str, plan: PlanFolder, path: Path
    ) -> None:
        """Looks what is there. Raises `LostkeysError` for a lake that lacks facts of the plan."""
        super().__init__(project, store, since)
        self._project, self._plan, self._path = project, plan, path
        self._places = {fact_id: place for place, fact_id in enumerate(plan.fact_ids())}
        self._spool = path / f".{plan.manifest.plan}.part"
        self._grids = LabelMatrix()
        self._check_facts()
        self._look()

    def _check_facts(self) -> None:
        there = {
            fact_id
            for file in open_lake(self._path).facts
            for found in read_columns(file, ["fact_id"])
            for fact_id in found["fact_id"]
        }
        lacking = next((one for one in self._places if one not in there), None)
        if lacking is not None:
            raise LostkeysError(
                f"{self._path / 'facts'} lacks the fact {lacking!r} of the plan: collect into "
                "another lake, or copy its facts there"
            )

    def _look(self) -> None:
        """Find the slots that have an answer in the lake."""
        index = self._project.index
        place_of = {fact_id: place for place, fact_id in enumerate(index.fact_ids)}
        lake = open_lake(self._path)
        for on, setting in self._store.settings.items():
            for task in TASKS:
                cell = LakeCell(self._plan.manifest.label, on, task)
                for file in lake.responses.get(cell, ()):
                    for found in read_columns(file, _KEY):
                        pairs = zip(found["fact_id"], found["sample"], strict=True)
                        slots = [
                            slot(int(index.questions[place, TASK_INDEX[task]]), setting, sample)
                            for fact_id, sample in pairs
                            if (place := place_of.get(fact_id)) is not None
                        ]
                        self._fill(np.array(slots, np.int64))

    def _fill(self, slots: Slots) -> None:
        self._grids.set(DRAWN, slots, np.ones(slots.size, np.uint8))

    def is_here(self, slots: Slots) -> Flags:
        """As `AnswerSink`, of the lake."""
        return self._grids.at(DRAWN, slots) > 0

    def store(self, drawn: DrawnColumns, read: ReadQuestions) -> int:
        """As `AnswerSink`; what is kept waits in passing files."""
        waiting: dict[str, list[bytes]] = {}
        asked = np.unique(drawn.slots >> QUESTION_SHIFT).tolist()
        questions = db.question_rows.read_current(self._project.connection, asked)
        thinking = self._store.settings.get(True)
        taken = []
        for row in drawn.to_rows():
            question = questions.get(row.slot >> QUESTION_SHIFT)
            if question is not None:
                on = row.slot >> SAMPLE_BITS & MAX_SETTING == thinking
                name = self._name(question, on)
                waiting.setdefault(name, []).append(orjson.dumps(_read_row(row, question)))
                taken.append(row.slot)
        try:
            self._spool.mkdir(exist_ok=True)
            for name, lines in waiting.items():
                with (self._spool / name).open("ab") as file:
                    file.write(b"\n".join(lines) + b"\n")
        except OSError as error:
            raise LostkeysError(
                f"{self._path} cannot be written ({error.strerror or error}): make room, and "
                "collect again"
            ) from error
        self._fill(np.array(taken, np.int64))
        return len(taken)

    def _name(self, question: StoredQuestion, thinking: bool) -> str:
        """The passing file of a cell and shard."""
        manifest = self._plan.manifest
        shard = self._places[question.fact_id] * manifest.shards // manifest.facts
        return f"{'on' if thinking else 'off'}-{question.task}-{shard}"

    def refresh(self) -> None:
        """As `AnswerSink`; each part with new answers is written, and multiple choice labelled."""
        names = sorted(file.name for file in self._spool.iterdir()) if self._spool.exists() else []
        for name in names:
            thinking, task, shard = name.split("-")
            cell = LakeCell(self._plan.manifest.label, thinking == "on", Task(task))
            self._write(cell, int(shard), self._spool / name)
        if any(name.split("-")[1].startswith("mc_") for name in names):
            grade_lake(self._path, "choice")
        shutil.rmtree(self._spool, ignore_errors=True)

    def _write(self, cell: LakeCell, shard: int, spooled: Path) -> None:
        import pyarrow as pa

        schema = response_schema()
        target = self._path / cell.folder() / part_name(self._plan.manifest.plan, shard)
        with spooled.open("rb") as file:
            rows: list[dict[str, Any]] = [orjson.loads(line) for line in file]
        if target.exists():
            for found in read_columns(target, schema.names):
                columns = zip(*found.values(), strict=True)
                rows += [dict(zip(found, values, strict=True)) for values in columns]
        rows.sort(key=lambda row: (row["fact_id"].encode(), row["sample"]))
        table = pa.Table.from_pylist(rows, schema=schema)
        write_part(target, schema, [table], self._plan.manifest.recipe)

    def write_runs(self) -> None:
        """Write what the plan's curtailed runs asked, without which their gaps are not decided."""
        index, manifest = self._project.index, self._plan.manifest
        places = [n for n, fact_id in enumerate(index.fact_ids) if fact_id in self._places]
        rows = read_runs(self._project, places, None, set(self._store.runs.values()))
        renamed = ({**row, "model": manifest.label} for row in rows)
        write_runs(renamed, self._path, manifest.plan)

    def close(self) -> None:
        """Take passing files away."""
        shutil.rmtree(self._spool, ignore_errors=True)


def _read_row(new: NewResponse, question: StoredQuestion) -> dict[str, Any]:
    options = question.choices
    shown = None if new.shown is None or options is None else new.shown
    return {
        "fact_id": question.fact_id,
        "sample": new.slot & MAX_SAMPLE,
        "response": new.text,
        "shown_order": None if shown is None else choice_options.decode(shown, options or ()),
        "finish": new.finish,
        "reasoning": new.reasoning,
        "reasoning_tokens": new.reasoning_tokens,
    }


@contextmanager
def lake_sink(
    project: OpenProject, store: ResponseStore, since: str, plan: PlanFolder, path: Path
) -> Iterator[LakeSink]:
    """A sink into the lake at `path`, which is made where nothing is; one program at a time."""
    if not path.exists():
        _make_lake(project, path)
    with _hold_lake(path):
        sink = LakeSink(project, store, since, plan, path)
        sink.close()  # what a killed program left
        try:
            yield sink
            sink.write_runs()
        finally:
            sink.close()


def _make_lake(project: OpenProject, path: Path) -> None:
    """A new lake with the facts of the project alone, whole or not at all."""
    places = np.flatnonzero(~project.index.rejected).tolist()
    with draft_lake(path, project_key(project)) as draft:
        write_facts(LakeExport(project, places, (), lambda done, total: None), draft)


@contextmanager
def _hold_lake(path: Path) -> Iterator[None]:
    """Hold the lake, so that no other program collects into it meanwhile."""
    open_lake(path)
    with (path / MARKER).open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise LostkeysError(
                f"another program collects into {path}: wait until it is done"
            ) from None
        yield
