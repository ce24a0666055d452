"""A database of counts says what the lake says, and refuses what needs the answers."""

import json
import shutil
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result

from core.analyses import ANALYSES
from core.doctor import examine_database
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.results import profile_summary
from core.scale.lake_counts import LakeCounts
from core.scale.lake_results import read_profiles
from core.scoring.policy import Policy
from core.transfer.exports import export
from core.transfer.lake_count_import import import_counts
from core.views.fact_view import FactView
from core.views.session import Session
from core.vocabulary import Strategy, Task
from db.connection import write_transaction
from db.grades import ensure_grader, insert_graded
from db.label_grids import DRAWN
from tests.conftest import SHARED
from tests.core.scale.random_projects import make_project
from tests.core.scale.test_lake_counts import check_analysis, count_once
from tests.marks import slow
from tui.cli.main import cli

LAKE = SHARED / "design" / "examples" / "scale-lake" / "lake"
needs_example = pytest.mark.skipif(not LAKE.exists(), reason=f"{LAKE} is not here")
LISTS = (("lexical",), ("human:*", "lexical"), ("human:bob", "choice", "lexical"), ("lexical#1",))
KEEPS = ("random:30%", "profile:RF", "views:>0", "category:Arts", "differs:lexical,human:ann")


def plain(document: object) -> Any:
    return json.loads(json.dumps(document))


@pytest.mark.parametrize("seed", [3, *map(slow, range(200, 212))])
def test_counts_and_kept_answers_give_the_numbers_of_the_lake(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    with make_project(tmp_path / "p.db", seed) as project:
        names = {
            name for one in project.graders() for name in (one.name, f"{one.name}#{one.version}")
        }
        export(project, "lake", tmp_path / "lake")
    lists = [one for one in LISTS if set(one) - {"human:*"} <= names]
    if not lists:
        pytest.skip("nobody has labelled anything")
    keeps = [
        keep
        for keep in random.sample(KEEPS, random.randint(0, 3))
        if keep != KEEPS[-1] or {"lexical", "human:ann"} <= names
    ]
    policy = Policy(graders=random.choice(lists), strategy=random.choice([*Strategy]), tau=0.25)
    found = import_counts(tmp_path / "lake", tmp_path / "c.db", policy, keeps)
    there = tmp_path / "c.db"
    with LakeCounts(tmp_path / "lake") as counts, OpenProject(there, counts=True) as project:
        count_once(counts)
        document, listed = read_profiles(counts, policy, None, None, "category", True, True)
        mine = profile_summary.profiles(project, policy, None, None, "category", True)
        facts = profile_summary.list_fact_profiles(project, mine, again=True)
        assert sort_models(plain(mine.as_json())) == sort_models(plain(document))
        assert by_name([one.as_json(True) for one in facts]) == by_name(
            [one.as_json(True) for one in listed]
        )
        check_analysis(project, counts, policy, random.choice([*ANALYSES]))
        assert project.grids.count(DRAWN) == found.kept <= found.answers


def sort_models(document: dict[str, Any]) -> dict[str, Any]:
    document["models"].sort(key=lambda one: one["model"])
    return document


def by_name(facts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(plain(facts), key=lambda one: (one["model"], one["fact_id"]))


def run(*words: object, code: int = 0) -> Result:
    result = CliRunner().invoke(cli, [str(word) for word in words])
    if result.exception and not isinstance(result.exception, SystemExit | LostkeysError):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


@needs_example
def test_the_worked_example_by_the_command_line(tmp_path: Path) -> None:
    there = tmp_path / "c.db"
    words = ("--format", "lake", "--counts-only", "--grader", "grader-a", "--keep", "random:10%")
    run("--db", there, "import", LAKE, *words)
    lake = run("profiles", "--from", LAKE, "--grader", "grader-a", "--json")
    mine = run("--db", there, "profiles", "--grader", "grader-a", "--json")
    assert json.loads(mine.stdout) == json.loads(lake.stdout)
    assert "counts of a lake" in run("--db", there, "profiles").stderr
    assert all(one.well for one in examine_database(there))


@needs_example
def test_a_lake_that_changed_since_is_told(tmp_path: Path) -> None:
    lake, there = tmp_path / "lake", tmp_path / "c.db"
    shutil.copytree(LAKE, lake, copy_function=shutil.copyfile)
    import_counts(lake, there, Policy(graders=("grader-a",)))
    assert "has changed" not in run("--db", there, "profiles").stderr
    part = next((lake / "labels").rglob("*.parquet"))
    part.rename(part.with_name("part-other-00000.parquet"))
    assert "has changed since it was counted" in run("--db", there, "profiles").stderr
    assert "has changed" in " ".join(one.detail for one in examine_database(there))


@needs_example
def test_a_persons_label_replaces_the_counted_one(tmp_path: Path) -> None:
    there = tmp_path / "c.db"
    import_counts(LAKE, there, Policy(graders=("grader-a",)), ["random:10%"])
    with OpenProject(there, "write", counts=True) as project:
        models = project.models()
        before = project.tally(project.ranks(Policy()), models).labels.sum(
            axis=(0, 2, 3), dtype=int
        )
        setting = project.grids.settings()[0]
        cells = project.grids.cells(project.graders()[0].plane, setting)
        assert cells is not None
        sample, question = (int(one[0]) for one in (cells == 1).nonzero())
        from db.slot_ids import slot

        with write_transaction(project.connection):
            plane = ensure_grader(project.connection, "human:eva", "1")
            insert_graded(project.connection, [(slot(question, setting, sample), plane, 2, 1)])
        project.refresh()
        after = project.tally(project.ranks(Policy()), models).labels.sum(axis=(0, 2, 3), dtype=int)
        assert (after - before).tolist() == [-1, 1, 0, 0]
        listed = project.ranks(Policy(graders=("grader-a",)))
        same = project.tally(listed, models).labels.sum(axis=(0, 2, 3), dtype=int)
        assert same.tolist() == before.tolist()


@needs_example
def test_what_counts_cannot_answer_is_refused(tmp_path: Path) -> None:
    there = tmp_path / "c.db"
    import_counts(LAKE, there, Policy(graders=("grader-a",)))
    with pytest.raises(LostkeysError, match="counts of a lake"):
        OpenProject(there)
    with (
        OpenProject(there, counts=True) as project,
        pytest.raises(UsageError, match=r"profiles --from .* --grader grader-b"),
    ):
        project.ranks(Policy(graders=("grader-b",)))
    with pytest.raises(UsageError, match="there already"):
        import_counts(LAKE, there, Policy(graders=("grader-a",)))


@needs_example
@pytest.mark.parametrize(
    "keep", ["nonsense", "random:0%", "random:101%", "flagged", "", "differs:a"]
)
def test_a_keep_that_is_no_filter_leaves_nothing_behind(tmp_path: Path, keep: str) -> None:
    with pytest.raises(UsageError):
        import_counts(LAKE, tmp_path / "c.db", Policy(graders=("grader-a",)), [keep])
    assert list(tmp_path.iterdir()) == []


@needs_example
def test_every_counted_answer_has_a_mark(tmp_path: Path) -> None:
    there = tmp_path / "c.db"
    found = import_counts(LAKE, there, Policy(graders=("grader-a",)), ["random:10%"])
    with closing(Session(there)) as session:
        snapshot = session.open()
        marks = [
            mark
            for fact in snapshot.index.ids.tolist()
            for row in one_fact(session, fact).tasks
            for grade in (row.off, row.on)
            for mark in grade.marks
        ]
        assert len(marks) == found.answers
        assert sum(mark.drawn for mark in marks) == found.kept
        assert all(mark.drawn or mark.counted for mark in marks)
        unfolded = session.unfold(int(snapshot.index.ids[0]), Task.DIRECT)
        assert unfolded is not None
        assert sum(unfolded.counted) > 0


def one_fact(session: Session, fact: int) -> FactView:
    view = session.fact(fact)
    assert view is not None
    return view
