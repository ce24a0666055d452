"""Lists of Latent and Bench in words and as rows: as on screen, by command, counted for a view."""

import gc
import json
import weakref
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from core.errors import UsageError
from core.views.bench.bench_board import ArmOrder, GroupOrder
from core.views.bench.bench_questions import QuestionOrder
from core.views.bench.bench_service import BenchRequest
from core.views.board_query import (
    LatentQuery,
    format_bench,
    format_latent,
    parse_bench,
    parse_latent,
)
from core.views.board_rows import read_board_list
from core.views.latent.latent_relations import LatentOrder
from core.views.latent.latent_service import LatentRequest
from core.views.list_rows import count_rows
from core.views.list_words import BENCH, LATENT, ListWords
from core.views.saved_views import SavedView, check_view
from core.views.session import Session
from core.zero_prompt.score_matrix import Setup
from tests.tui.screens.bench.making import SET, bench_project
from tests.tui.screens.latent.making import TINY, latent_project
from tui.cli.main import cli

BIG = "gemma3-27b"
ARM = f"{BIG}#10-shot"


@pytest.fixture(scope="module")
def latent_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return latent_project(tmp_path_factory.mktemp("boards") / "latent.db")


@pytest.fixture(scope="module")
def bench_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bench_project(tmp_path_factory.mktemp("boards") / "bench.db")


@pytest.fixture
def latent(latent_path: Path) -> Iterator[Session]:
    with closing(Session(latent_path)) as session:
        session.open()
        yield session


@pytest.fixture
def bench(bench_path: Path) -> Iterator[Session]:
    with closing(Session(bench_path)) as session:
        session.open()
        yield session


@pytest.mark.parametrize(
    "query",
    [
        LatentQuery(),
        LatentQuery(Setup(n=1), TINY),
        LatentQuery(Setup("my form", 5, 3, 2, "unknown:2:block", 20), 'm "x"', "born in", "a b"),
        LatentQuery(relation="born in", set_name="s", order=LatentOrder.GOLD),
    ],
    ids=str,
)
def test_words_of_latent_are_read_as_they_are_written(query: LatentQuery) -> None:
    assert parse_latent(*format_latent(query)) == query


@pytest.mark.parametrize(
    "request_",
    [
        BenchRequest("s", "eval", arm_order=ArmOrder.EM),
        BenchRequest("s", "eval", ARM, "property", group_order=GroupOrder.MOST),
        BenchRequest("s", "all", ARM, "domain", 'a "b" c', question_order=QuestionOrder.PARTED),
    ],
    ids=str,
)
def test_words_of_bench_are_read_as_they_are_written(request_: BenchRequest) -> None:
    assert parse_bench(*format_bench(request_)) == request_


@pytest.mark.parametrize(
    ("name", "where", "sort", "why"),
    [
        (LATENT, "n:many", "", "a whole number"),
        (LATENT, "n:-1", "", "a whole number"),
        (LATENT, "n:١", "", "a whole number"),
        (LATENT, "profile:RF", "", "no word profile:RF for Latent"),
        (LATENT, "n:5 n:6", "", "stands twice"),
        (LATENT, "set:s", "", "go with relation:"),
        (LATENT, "", "gold", "go with relation:"),
        (LATENT, "relation:r", "best", "no order best"),
        (BENCH, "group:g", "", "goes with arm:"),
        (BENCH, "arm:a group:g", "", "goes with by:"),
        (BENCH, "arm:a by:size", "", "no by size"),
        (BENCH, "split:dev", "", "no split dev"),
        (BENCH, "arm:a", "wrong", "no order wrong"),
    ],
)
def test_words_that_cannot_be_are_named(name: str, where: str, sort: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        check_view(SavedView("x", name, where, sort))
    with pytest.raises(UsageError, match="columns"):
        check_view(SavedView("x", name, columns=("subject",)))


def test_facts_of_a_relation_are_rows_as_they_are_listed(latent: Session) -> None:
    where, sort = format_latent(LatentQuery(Setup(n=5), TINY, "is known for", "rows"))
    table, words = read_board_list(ListWords(LATENT, where, "gold"), latent)
    facts = latent.latent.lists(
        LatentRequest(
            Setup(n=5),
            TINY,
            latent.latent.relation_called("is known for", "rows"),
            LatentOrder.GOLD,
        )
    ).facts
    assert sort == "differ"
    assert facts is not None
    assert (words.where, words.sort) == (where, "gold")
    assert [row["subject"] for row in table.rows] == list(facts.subjects)
    row = facts.models.index(TINY)
    for at, found in enumerate(table.rows):
        assert latent.snapshot.fact_called(str(found["fact_id"])) == facts.ids[at]
        scored = bool(facts.usable[row, at])
        assert found["rank"] == (int(facts.ranks[row, at]) if scored else None)
        assert found["correct"] == (bool(facts.correct[row, at]) if scored else None)
        assert found["failed"] == (not scored if facts.asked[row, at] else None)


def test_relations_are_rows_with_every_model(latent: Session) -> None:
    table, words = read_board_list(ListWords(LATENT), latent)
    board = latent.latent.lists(LatentRequest(Setup())).board
    assert words.where == f"model:{BIG} n:50"
    assert [row["relation"] for row in table.rows] == [row.name for row in board.rows]
    for row, found in zip(board.rows, table.rows, strict=True):
        assert [found[f"accuracy:{one}"] for one in board.models] == [
            count.share for count in row.counts
        ]
    assert "subject for examples" in str(table.rows[1]["left_out"])


def test_bench_has_arms_groups_and_questions(bench: Session) -> None:
    arms, words = read_board_list(ListWords(BENCH), bench)
    assert words.where == f"set:{SET} split:eval"
    assert {(row["model"], row["mode"]) for row in arms.rows} >= {(BIG, "10-shot")}
    dropped = [row for row in arms.rows if row["drop"] is not None]
    assert {row["mode"] for row in dropped} == {"10-shot:shuffle"}
    groups, words = read_board_list(ListWords(BENCH, f"arm:{ARM} by:property", "most"), bench)
    counts = [row["n"] for row in groups.rows]
    assert counts == sorted(counts, key=lambda n: -int(str(n)))
    where = f'{words.where} "group:date of birth"'
    questions, words = read_board_list(ListWords(BENCH, where, "wrong"), bench)
    found = next(row for row in groups.rows if row["group"] == "date of birth")
    answered = [row for row in questions.rows if row["answer"] is not None]
    assert len(answered) == found["n"]
    right = sum(bool(row["em"]) for row in answered)
    assert right / len(answered) == pytest.approx(found["em"])
    assert words.sort == "wrong"


@pytest.mark.parametrize(
    ("name", "where", "why"),
    [
        (LATENT, "relation:gone", "no relation gone"),
        (LATENT, "model:gone", "no model gone: there are gemma3-27b"),
        (BENCH, "set:gone", f"no set gone: there are {SET}"),
        (BENCH, "arm:gone", "no arm gone"),
        (BENCH, f"arm:{ARM} by:property group:gone", "no group gone"),
    ],
)
def test_what_is_not_there_is_said_and_counts_no_row(
    latent: Session, bench: Session, name: str, where: str, why: str
) -> None:
    session = latent if name == LATENT else bench
    with pytest.raises(UsageError, match=why):
        read_board_list(ListWords(name, where), session)
    assert count_rows(SavedView("x", name, where), session.snapshot.lens, session) == 0


def test_views_count_their_rows(latent: Session, bench: Session) -> None:
    lens = latent.snapshot.lens
    assert count_rows(SavedView("x", LATENT, "n:5"), lens, latent) == 2
    view = SavedView("x", LATENT, 'n:50 "relation:is known for"')
    assert count_rows(view, lens, latent) == 40
    assert count_rows(SavedView("x", BENCH, f"arm:{ARM}"), bench.snapshot.lens, bench) == 4


def test_a_command_writes_the_rows_that_its_file_tells_of(
    latent_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    where = f'model:{TINY} n:5 "relation:is known for"'

    def export(file: str, *asked: str) -> Result:
        return runner.invoke(
            cli, ["export", "latent", "-o", file, "--db", str(latent_path), *asked]
        )

    done = export("a.jsonl", "--where", where, "--sort", "subject")
    assert done.exit_code == 0, done.output
    about = json.loads(Path("a.jsonl.meta.json").read_bytes())
    assert about["command"].startswith("lostkeys export latent -o a.jsonl --where")
    rows = [json.loads(line) for line in Path("a.jsonl").read_text().splitlines()]
    assert (len(rows), about["rows"]) == (40, 40)
    done = export("b.jsonl", "--where", about["where"], "--sort", about["sort"])
    assert done.exit_code == 0, done.output
    assert Path("b.jsonl").read_bytes() == Path("a.jsonl").read_bytes()
    done = export("c.csv", "--model", BIG)
    assert done.exit_code == 1
    assert "--where model:M" in str(done.exception)


def test_what_bench_has_read_goes_though_no_garbage_is_collected(bench: Session) -> None:
    """It is set apart from collection, which is no leak as long as there is no circle in it."""
    first = bench.bench.lists(BenchRequest())
    assert first is not None
    for by in ("property", "domain"):
        bench.bench.lists(BenchRequest(arm=ARM, by=by))
    kept = [weakref.ref(one) for one in bench.bench._kept.values()]
    assert [one() is not None for one in kept] == [True]
    gc.disable()
    try:
        bench.bench._stamp = ()
        bench.bench.lists(BenchRequest())
        assert [one() for one in kept] == [None]
    finally:
        gc.enable()
        gc.unfreeze()
