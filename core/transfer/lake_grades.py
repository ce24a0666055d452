"""Grading the responses of a lake, part by part, by graders that need no model."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.dataset import choice_options
from core.errors import UsageError
from core.graders.answer_text import answer_in
from core.graders.grader_record import GraderRecord, is_model
from core.graders.grader_table import builtin
from core.modes import find_arm
from core.scale.lake import Lake, LakeCell, open_lake
from core.scale.lake_queries import FIRST_VERSION, LakeQueries
from core.transfer.fact_rows import parse
from core.transfer.file_formats import OPTIONAL_COLUMNS
from core.transfer.lake_parquet import label_schema, read_columns, read_recipe, write_part
from core.transfer.row_values import RowError
from core.vocabulary import Label, Task
from db.question_rows import StoredQuestion
from db.responses import ToGrade

if TYPE_CHECKING:
    import pyarrow as pa

GRADERS = ("lexical", "exact", "form", "choice")
"""Graders that find all they read by in a lake."""

_GOLDS = ("object", "subject", "direct_answer", "reverse_answer", *OPTIONAL_COLUMNS)
_ANSWERS = ("fact_id", "sample", "response", "shown_order", "finish")

Key = tuple[str, int]
Said = dict[Key, tuple[str, str]]
"""Label and version by fact_id and sample."""


@dataclass(frozen=True, slots=True)
class Shard:
    """Which parts are graded: of all those in order every `count`-th, from number `place` on.

    `place` counts from 0 to `count` - 1; `count` itself stands for 0, for those who begin with 1.
    """

    place: int = 0
    count: int = 1

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """The shard in a text such as `3/16`. Raises `UsageError`."""
        place, slash, count = text.partition("/")
        sound = slash and place.isdecimal() and count.isdecimal() and len(text) < 20
        if not sound or int(count) < 1 or int(place) > int(count):
            raise UsageError(f"--shard {text[:40]}: write K/N with K from 0 to N - 1, such as 3/16")
        return cls(int(place) % int(count), int(count))


@dataclass(slots=True)
class LakeGradeCounts:
    """What grading a lake came to: parts gone through, answers labelled, and labelled before."""

    parts: int = 0
    labelled: int = 0
    unchanged: int = 0


def grade_lake(
    path: Path,
    name: str,
    shard: Shard | None = None,
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> LakeGradeCounts:
    """Label what a grader has not labelled yet in some parts of a lake; each is written whole.

    Labels of earlier versions give way. Raises `UsageError` for a grader that cannot read a lake.
    """
    if is_model(name):
        raise UsageError(f"{name} asks a model: `lostkeys requests --grader {name}` writes files")
    if name not in GRADERS:
        raise UsageError(f"{name} cannot grade a lake: choose {', '.join(GRADERS)}")
    lake, record, mine = open_lake(path), builtin(name), shard or Shard()
    parts = [
        (cell, file)
        for cell, files in sorted(lake.responses.items(), key=lambda item: str(item[0]))
        for file in files
        if cell.task.is_choice == record.reads_choice
    ]
    chosen = parts[mine.place :: mine.count]
    found = LakeGradeCounts()
    for done, (cell, file) in enumerate(chosen):
        tell(done, len(chosen))
        _grade_part(lake, record, cell, file, found)
    tell(len(chosen), len(chosen))
    return found


def _grade_part(
    lake: Lake, record: GraderRecord, cell: LakeCell, file: Path, found: LakeGradeCounts
) -> None:
    """Label the answers of one file into the file of the same name under the grader."""
    target = lake.path / cell.folder(record.name) / file.name
    before = _labels_in(target) if target.exists() else {}
    done = {key for key, (_, version) in before.items() if version == record.version}
    found.parts += 1
    found.unchanged += len(done)
    with LakeQueries(lake.path) as queries:
        if len(done) == queries.count_rows([file]):
            return
        fresh = dict(_read_labels(queries, lake, record, cell, file, done))
    found.labelled += len(fresh)
    said = before | {key: (label, record.version) for key, label in fresh.items()}
    if fresh:
        table = _table(record.name, said)
        write_part(target, table.schema, [table])


def _labels_in(path: Path) -> Said:
    columns = ("fact_id", "sample", "label", "version")
    return {
        (fact_id, sample): (label, version or FIRST_VERSION)
        for found in read_columns(path, columns)
        for fact_id, sample, label, version in zip(*found.values(), strict=True)
    }


def _table(grader: str, said: Said) -> "pa.Table":
    import pyarrow as pa

    keys = sorted(said, key=lambda key: (key[0].encode(errors="surrogatepass"), key[1]))
    schema = label_schema(grader)
    columns = [
        [key[0] for key in keys],
        [key[1] for key in keys],
        [said[key][0] for key in keys],
        [said[key][1] for key in keys],
    ]
    arrays = [
        pa.array(column, kind.value_type).dictionary_encode().cast(kind)
        if pa.types.is_dictionary(kind)
        else pa.array(column, kind)
        for column, kind in zip(columns, schema.types, strict=True)
    ]
    return pa.table(arrays, schema=schema)


def _read_labels(
    queries: LakeQueries,
    lake: Lake,
    record: GraderRecord,
    cell: LakeCell,
    file: Path,
    done: set[Key],
) -> Iterator[tuple[Key, str]]:
    """The labels of the answers in a file that are not done."""
    read = _reader(record, cell, read_recipe(file))
    direction = "reverse" if cell.task.side == "subject" else "direct"
    facts = (*_GOLDS, cell.task.asks.value, f"{direction}_choices")
    for row in queries.read_answers(file, lake.facts, _ANSWERS, facts):
        fact_id, sample, text, shown, finish, *values = row
        if (fact_id, sample) in done or text is None:
            continue
        fact = tuple(zip(facts, values, strict=True))
        label = read(fact_id, fact, text, None if shown is None else tuple(shown), finish)
        if label is not None:
            yield (fact_id, sample), label.value


def _reader(
    record: GraderRecord, cell: LakeCell, recipe: Mapping[str, object] | None
) -> Callable[..., Label | None]:
    """What reads an answer, from its fact and the order shown; the same answer is read once."""
    arm = find_arm(cell.model)

    @lru_cache(maxsize=64)
    def question_of(fact_id: str, fact: tuple[tuple[str, Any], ...]) -> StoredQuestion | None:
        return _question(fact_id, cell.task, dict(fact))

    @lru_cache(maxsize=1024)
    def read_label(
        fact_id: str,
        fact: tuple[tuple[str, Any], ...],
        text: str,
        shown: tuple[str, ...] | None,
        finish: str | None,
    ) -> Label | None:
        question = question_of(fact_id, fact)
        if question is None:
            return None
        order = None
        if shown is not None and question.choices is not None:
            with suppress(ValueError):
                order = choice_options.encode(shown, question.choices)
        response = ToGrade(0, 0, text, order, finish)
        if arm is not None and record.answer_of_arm is not None:
            answer = record.answer_of_arm(text, arm.mode)
        else:
            answer = answer_in(response, cell.thinking, recipe)
        return record.label(question, answer, response)

    return read_label


def _question(fact_id: str, task: Task, columns: Mapping[str, Any]) -> StoredQuestion | None:
    """The question of a fact's row, None where it has none that can be graded."""
    try:
        fact = parse({"fact_id": fact_id, **columns})
    except RowError:
        return None
    question, gold = fact.questions.get(task), fact.golds.get(task.side)
    if question is None or gold is None:
        return None
    return StoredQuestion(0, 0, fact_id, task, question.text, question.choices, None, gold)
