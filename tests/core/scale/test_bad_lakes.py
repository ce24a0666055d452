"""A lake that is not sound is refused in one line that names the place, and leaves nothing."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import db.sampling_runs
from core.errors import LostkeysError
from core.project import OpenProject
from core.scale.lake_counts import LakeCounts
from core.scale.lake_results import read_profiles
from core.scoring.curtailed_runs import list_asked
from core.scoring.curtailment import as_text, fixed_policy
from core.scoring.policy import Policy
from core.transfer.exports import export
from core.transfer.lake_count_import import import_counts
from core.vocabulary import Outcome, Task
from db.connection import write_transaction
from tests.core.making import Row, a_fact, new_project, put_facts, put_rows

MODEL = "openai:m/1 a%b=c"
CELL = "model=openai%3Am%2F1%20a%25b%3Dc/thinking=off/task=direct"
LEXICAL = Policy(graders=("lexical",))


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """One cell with four answers and their labels, of a model whose name has signs of paths."""
    with new_project(tmp_path / "p.db") as project:
        put_facts(project, [a_fact("1", [Task.DIRECT])])
        correct = {"lexical": Outcome.CORRECT}
        put_rows(project, [Row("1", Task.DIRECT, MODEL, False, one, correct) for one in range(4)])
        with write_transaction(project.connection):
            asked = list_asked(project.index, ~project.index.rejected, [Task.DIRECT])
            policy = as_text(fixed_policy(LEXICAL, ("lexical",)))
            db.sampling_runs.start(project.connection, 1, asked, 8, curtailed=policy)
        export(project, "lake", tmp_path / "lake")
    return tmp_path / "lake"


def part(folder: Path) -> Path:
    (found,) = folder.glob("*.parquet")
    return found


def copy_part(folder: Path) -> None:
    shutil.copy(part(folder), folder / "part-again-00000.parquet")


def cut_off(folder: Path) -> None:
    data = part(folder).read_bytes()
    part(folder).write_bytes(data[: len(data) // 2])


def label_unknown(folder: Path) -> None:
    rows = pq.ParquetFile(part(folder)).read().to_pylist()
    pq.write_table(pa.Table.from_pylist([{**row, "label": "MAYBE"} for row in rows]), part(folder))


def leave_half(folder: Path) -> None:
    rows = pq.ParquetFile(part(folder)).read()
    pq.write_table(rows.slice(0, rows.num_rows // 2), part(folder))


def shift_samples(folder: Path) -> None:
    rows = pq.ParquetFile(part(folder)).read().to_pylist()
    moved = [{**row, "sample": row["sample"] + 1} for row in rows]
    pq.write_table(pa.Table.from_pylist(moved), part(folder))


def change_runs(**values: object) -> "Change":
    def change(folder: Path) -> None:
        rows = pq.ParquetFile(part(folder)).read().to_pylist()
        pq.write_table(pa.Table.from_pylist([{**row, **values} for row in rows]), part(folder))

    return change


Change = Callable[[Path], object]
RESPONSES, LABELS = Path("responses", CELL), Path("labels", "grader=lexical", CELL)

FAULTS: dict[str, tuple[Path, Change, str]] = {
    "a label twice": (LABELS, copy_part, "a key stands twice"),
    "a response twice": (RESPONSES, copy_part, "more responses than samples of the fact '1'"),
    "responses missing": (RESPONSES, shutil.rmtree, "is missing, and lexical has labels of it"),
    "some responses missing": (
        RESPONSES,
        leave_half,
        "labels of the fact '1' without their responses",
    ),
    "labels of other samples": (LABELS, shift_samples, "without their responses|no such resp"),
    "an unknown label": (LABELS, label_unknown, "unknown label 'MAYBE': labels are CORRECT"),
    "half a file of labels": (LABELS, cut_off, "parquet"),
    "half a file of responses": (RESPONSES, cut_off, "parquet"),
    "no facts": (Path("facts"), shutil.rmtree, "holds no Parquet file"),
    "half a file of facts": (Path("facts"), cut_off, "parquet"),
    "a newer lake": (
        Path("lake.json"),
        lambda path: path.write_text('{"lostkeys_lake": 2}'),
        "written by a newer Lostkeys",
    ),
    "half a file of runs": (Path("runs"), cut_off, "parquet"),
    "a run of no time": (Path("runs"), change_runs(at=None), "another type|missing: at"),
    "a run of half a sample": (Path("runs"), change_runs(samples=0.5), "another type|samples is"),
    "a run of too many samples": (Path("runs"), change_runs(samples=1025), "1,025"),
    "a run of no threshold": (Path("runs"), change_runs(tau=float("nan")), "tau nan is outside"),
    "a run of graders by number": (Path("runs"), change_runs(graders=7), "another type|graders is"),
    "no marker": (Path("lake.json"), Path.unlink, "is no lake, it has no lake.json"),
    "nothing": (Path(), shutil.rmtree, "does not exist"),
    "an unknown task": (
        RESPONSES,
        lambda path: path.rename(path.with_name("task=dirct")),
        "unknown task 'dirct'",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_and_leaves_nothing(lake: Path, fault: str) -> None:
    where, change, words = FAULTS[fault]
    change(lake / where)
    with pytest.raises(LostkeysError, match=f"(?i){words}") as refused:
        import_counts(lake, lake.parent / "counts.db", LEXICAL, ["random:50%"])
    assert "\n" not in str(refused.value)
    assert str(lake) in str(refused.value)
    assert not [path.name for path in lake.parent.iterdir() if "counts" in path.name]
    with pytest.raises(LostkeysError, match=f"(?i){words}"), LakeCounts(lake) as counts:
        read_profiles(counts, LEXICAL)


def test_a_sound_lake_is_counted(lake: Path) -> None:
    found = import_counts(lake, lake.parent / "counts.db", LEXICAL, ["random:100%"])
    assert (found.facts, found.answers, found.kept) == (1, 4, 4)
    with OpenProject(lake.parent / "counts.db", counts=True) as project:
        assert project.models() == [MODEL]
