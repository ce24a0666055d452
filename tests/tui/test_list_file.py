"""A list on screen, as a file and as a command line: the same rows, whatever is asked for."""

import csv
import json
import shlex
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import db.fact_names
from core.curation import label_writer
from core.dataset.fact_filters import (
    DIFFERENCES,
    REVIEWS,
    TIERS,
    Filters,
    format_numbers,
    parse_where,
)
from core.errors import LostkeysError
from core.project import OpenProject
from core.results import saved_policies
from core.scoring.policy import Policy
from core.transfer.row_writers import ENDINGS
from core.views import saved_views
from core.views.disagreements.disagreement_filter import Direction, DisagreementFilter
from core.views.fact_cells import FactCells
from core.views.fact_columns import columns_of
from core.views.fact_query import FactOrder, FactQuery, format_sort
from core.views.lens import Lens, Thinking
from core.views.list_file import ListTable, command_line, copied_text, meta_file, write_list
from core.views.list_rows import count_rows, facts_table, read_list
from core.views.list_words import ListWords
from core.views.queue_rows import read_disagreements, read_questions
from core.views.review.question_samples import Strata
from core.views.review.review_queue import QueueRequest
from core.views.review.stage_changes import CHANGERS
from core.views.saved_views import LensParts, SavedView
from core.views.session import Session
from core.views.where_resolver import command_lens, index_answers, resolve_view, resolve_where
from core.vocabulary import CODE_ORDER, Label, QueueKind, Strategy, Task
from tests.core.making import new_project
from tests.core.views.making import MODEL, A, B, chances
from tui.cli.main import cli
from tui.dialogs.save_view_dialog import PARTS, NamedParts, parts_of
from tui.screens.confusion.state import ConfusionState
from tui.screens.facts.fact_saved_views import to_save
from tui.screens.facts.state import FactsState
from tui.screens.review.state import ReviewState

FACTS = 24
LENSES = [
    Lens(MODEL, policy=Policy(tau=tau, strategy=strategy)).with_graders(graders, graders[:2])
    for tau, strategy, graders in (
        (0.5, Strategy.PAIR, (A, B)),
        (0.25, Strategy.PARTIAL, (B, A)),
        (0.9, Strategy.FACT, (A, B)),
    )
]
LENSES.append(LENSES[0].with_graders((A,), (A, B)))
"""The last compares A with a grader whose labels do not count."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of chance with flags, topics and views, its answers indexed."""
    path = tmp_path_factory.mktemp("lists") / "p.db"
    with new_project(path) as project:
        chances(project, 5, FACTS)
        for fact in project.index.ids[::3].tolist():
            label_writer.set_flag(project, "mira", fact, True)
    index_answers(path)
    return path


@pytest.fixture
def views(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for files and for views."""
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path / "settings"))
    return tmp_path


IDS = st.frozensets(st.integers(1, FACTS).map(lambda number: f"f{number}"), max_size=4)
ASKED = st.builds(
    FactsState,
    search=st.sampled_from(["", "", "", "tartu", "f1", "narva"]),
    filters=st.builds(
        Filters,
        verdicts=st.one_of(st.just(frozenset()), st.frozensets(st.sampled_from(CODE_ORDER))),
        tiers=st.one_of(st.just(frozenset()), st.frozensets(st.sampled_from(TIERS))),
        differs=st.sampled_from([None, None, *DIFFERENCES]),
        reviews=st.one_of(st.just(frozenset()), st.frozensets(st.sampled_from(REVIEWS))),
        fact_ids=st.one_of(st.just(frozenset()), IDS),
        numbers=st.sampled_from([frozenset(), frozenset({"2-20"})]),
        texts=st.sampled_from([frozenset(), frozenset({"direct?"}), frozenset({"f1"})]),
        random=st.sampled_from([None, None, 5]),
    ),
    order=st.sampled_from([one for one in FactOrder if one is not FactOrder.MATCH]),
    descending=st.booleans(),
    found_order=st.sampled_from(list(FactOrder)),
    columns=st.sampled_from([None, ("id", "g.direct"), ("profile", "views", "title", "id")]),
)


NONE_LEFT = FactsState(filters=Filters(fact_ids=frozenset({"f20"}), numbers=frozenset({"2-20"})))


@pytest.mark.slow
@given(ASKED, st.sampled_from(LENSES))
@example(NONE_LEFT, LENSES[0])
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_list_is_a_view_a_file_and_a_command_with_the_same_rows(
    path: Path, views: Path, asked: FactsState, lens: Lens
) -> None:
    tmp_path = views
    with closing(Session(path)) as session:
        snapshot = session.open(lens)
        places = session.search_all(asked.wanted).places.tolist()
        columns = (*asked.shown_columns, "number")
        columns = tuple(dict.fromkeys(columns))
        table = facts_table(FactCells(snapshot), places, columns)
        seen = [snapshot.index.ids[place] for place in places]
        named = NamedParts("this one", parts_of(snapshot.lens, PARTS))
        saved_views.save(to_save(named, replace(asked, columns=columns), snapshot))
        view = FactsState.of_view(saved_views.find("this one"))
        assert session.search_all(view.wanted).places.tolist() == places
        assert view.view_words == "this one"
        if asked.wanted.order is not FactOrder.MATCH:
            where = resolve_where(path, asked.words.where, [MODEL], snapshot.lens.policy)
            with OpenProject(path) as project:
                mask = project.facts(where, [MODEL], snapshot.lens.policy)
            assert sorted(seen) == project.index.ids[mask].tolist()
    words = ListWords("facts", asked.words.where, asked.words.sort, columns, asked.words.view)
    by_screen, by_command = tmp_path / "screen.csv", tmp_path / "command.csv"
    write_list(by_screen, table, words, snapshot.lens)
    written = shlex.split(command_line(words, snapshot.lens, str(by_command)))[1:]
    for command in (written, ["export", "facts", "-o", str(by_command), "--view", "this one"]):
        by_command.unlink(missing_ok=True)
        result = CliRunner().invoke(cli, ["--db", str(path), *command], catch_exceptions=False)
        assert result.exit_code == 0
        assert by_screen.read_bytes() == by_command.read_bytes()
    with by_screen.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["number"]) for row in rows] == seen
    about = json.loads(meta_file(by_screen).read_bytes())
    assert about["rows"] == len(seen)
    assert about["where"] == asked.words.where


AMONG = st.builds(
    DisagreementFilter,
    model=st.sampled_from([None, None, MODEL, "nobody's"]),
    task=st.none() | st.sampled_from([Task.DIRECT, Task.REVERSE]),
    direction=st.none() | st.sampled_from(Direction),
    category=st.sampled_from([None, None, "Arts"]),
    cell=st.sampled_from([None, (Label.CORRECT, Label.INCORRECT)]),
    by_others=st.booleans(),
)
QUEUED = st.one_of(
    st.builds(lambda among, blind: ConfusionState(among=among, blind=blind), AMONG, st.booleans()),
    st.builds(
        lambda kind, by: ReviewState(QueueRequest(kind, by, CHANGERS[0].stage)),
        st.sampled_from(QueueKind),
        st.sampled_from(Strata),
    ),
)


@pytest.mark.slow
@given(QUEUED, st.sampled_from(LENSES), st.sampled_from(Thinking))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_queue_is_a_view_a_file_and_a_command_with_the_same_rows(
    path: Path,
    views: Path,
    asked: ConfusionState | ReviewState,
    lens: Lens,
    thinking: Thinking,
) -> None:
    words = asked.words
    with closing(Session(path)) as session:
        snapshot = session.open(replace(lens, thinking=thinking))
        session.name = "mira"
        table = read_queue(asked, snapshot.lens, session)
        parts = parts_of(snapshot.lens, PARTS)
        saved_views.save(SavedView("this one", words.name, words.where, lens=parts))
        view = saved_views.find("this one", words.name)
        assert count_rows(view, snapshot.lens, session) == len(table.rows)
        others = LENSES[1] if lens is LENSES[0] else LENSES[0]
        assert count_rows(view, others, session) == len(table.rows)
    by_screen, by_command = views / "screen.jsonl", views / "command.jsonl"
    write_list(by_screen, table, words, snapshot.lens)
    written = shlex.split(command_line(words, snapshot.lens, str(by_command)))[1:]
    named = ["export", words.name, "-o", str(by_command), "--view", "this one"]
    for command in (written, named + ["--blind"] * words.blind):
        by_command.unlink(missing_ok=True)
        environ = {"LOSTKEYS_USER": "mira"}
        result = CliRunner().invoke(
            cli, ["--db", str(path), *command], catch_exceptions=False, env=environ
        )
        assert result.exit_code == 0, result.output
        assert by_screen.read_bytes() == by_command.read_bytes()


def read_queue(asked: ConfusionState | ReviewState, lens: Lens, session: Session) -> ListTable:
    """The rows of a queue as a screen reads them."""
    if isinstance(asked, ReviewState):
        return read_questions(session.reviews.queue(asked.wanted), session)
    queue = session.confusions.queue(asked.among.with_lens(lens))
    return read_disagreements(queue, asked.blind, session)


def test_a_command_names_a_comparison_whose_b_does_not_count(path: Path, tmp_path: Path) -> None:
    lens, file = LENSES[-1], tmp_path / "x.jsonl"
    with closing(Session(path)) as session:
        snapshot = session.open(lens)
        places = session.search_all(FactQuery("", Filters(differs="any"))).places.tolist()
        ids = {snapshot.index.fact_ids[place] for place in places}
    words = ListWords("facts", "differs", "id", ("id",))
    command = shlex.split(command_line(replace(words, sort="title"), lens, str(file)))[1:]
    assert command[-2:] == ["--compare", f"{A},{B}"]
    assert CliRunner().invoke(cli, ["--db", str(path), *command]).exit_code == 0
    assert {json.loads(line)["id"] for line in file.read_text().splitlines()} == ids
    assert ids
    for against, wrong in (("nobody,lexical", "nobody"), (A, "two graders"), (f"{A},{A}", "two")):
        result = CliRunner().invoke(cli, ["--db", str(path), *command[:-1], against])
        assert wrong in f"{result.exception} {result.output}"


def test_a_view_selects_the_facts_of_other_commands(path: Path, views: Path) -> None:
    parts = LensParts(MODEL, tau=0.9, graders=(B,), compared=(B, A))
    where = "differs profile:EF profile:IE profile:RF profile:RT profile:DR"
    saved_views.save(SavedView("some", where=where, lens=parts))
    saved_views.save(SavedView("plain", where="number:2-9"))
    lens = parts.change(Lens())
    with closing(Session(path)) as session:
        snapshot = session.open(lens)
        query = FactQuery("", parse_where(where)[0])
        numbers = snapshot.index.ids[session.search_all(query).places].tolist()
    assert 0 < len(numbers) < FACTS
    with OpenProject(path, "write") as project:
        saved_policies.save(project, "other", Policy(tau=0.25, graders=(A,)))
    run = CliRunner()
    args = ["--db", str(path), "compare", MODEL, "--policy-b", "other", "--json", "--view"]
    plain = run.invoke(cli, [*args, "plain", "--grader", A], catch_exceptions=False)
    assert json.loads(plain.stdout)["total"] == 8
    of_view = run.invoke(cli, [*args, "some"], catch_exceptions=False)
    words = ["--where", where, "--tau", "0.9", "--grader", B]
    words += ["--compare", f"{B},{A}"]
    by_words = run.invoke(cli, [*args[:-1], *words], catch_exceptions=False)
    assert of_view.stdout == by_words.stdout
    found = resolve_view(path, saved_views.find("some"), None)
    assert found == format_numbers(numbers)
    assert resolve_view(path, saved_views.find("plain"), "flagged") == "number:2-9 flagged"
    command = ["--db", str(path), "sample", "--model", "openai:none", "--dry-run"]
    every, by_name, by_number = (
        run.invoke(cli, [*command, *more], catch_exceptions=False).stdout
        for more in ([], ["--view", "some"], ["--where", found])
    )
    assert by_name == by_number != every


def test_what_queues_do_not_have_is_refused_in_words(path: Path, tmp_path: Path) -> None:
    for what, more, wrong in (
        ("disagreements", ["--model", MODEL], "model:M"),
        ("questions", ["--model", MODEL], "strongest"),
        ("questions", ["--blind"], "--blind"),
        ("facts", ["--thinking", "on"], "--thinking"),
        ("questions", ["--sort", "views"], "--sort"),
        ("disagreements", ["--with-rejected"], "--with-rejected"),
        ("disagreements", ["--where", "flagged"], "no word flagged"),
        ("questions", ["--view", "lost keys"], "no view of questions"),
    ):
        file = tmp_path / "x.csv"
        command = ["--db", str(path), "export", what, "-o", str(file), *more]
        result = CliRunner().invoke(cli, command)
        assert wrong in str(result.exception), (what, more)
        assert not file.exists()


def test_every_format_holds_the_same_list(path: Path, tmp_path: Path) -> None:
    found = read_list(
        path, ListWords(sort="views-", columns=("id", "views")), command_lens(Policy(), None)
    )
    for ending in ENDINGS:
        file = tmp_path / f"list{ending}"
        write_list(file, found.table, found.words, found.lens)
        assert file.stat().st_size
        assert json.loads(meta_file(file).read_bytes())["columns"] == ["id", "views"]
    lines = (tmp_path / "list.md").read_text().splitlines()
    assert lines[:2] == ["| id | views |", "| --- | ---: |"]
    assert len(lines) == 2 + len(found.table.rows)


def test_nothing_of_a_text_is_a_mark_in_markdown(tmp_path: Path) -> None:
    text = "a|b *c* <b>\n[x](y) `\x1b[31m`"
    table = ListTable({"note": str}, [{"note": text}])
    write_list(tmp_path / "x.md", table, ListWords(), Lens())
    row = (tmp_path / "x.md").read_text().splitlines()[2]
    assert row.startswith(r"| a\|b \*c\* \<b\> \[x\](y) \`")
    assert row.isprintable()


def test_a_file_that_cannot_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    table = ListTable({"id": str}, [{"id": "f1"}])
    with pytest.raises(LostkeysError, match="not a folder") as error:
        write_list(tmp_path / "nowhere" / "x.csv", table, ListWords(), Lens())
    assert "\n" not in str(error.value)
    meta_file(tmp_path / "x.csv").mkdir()
    with pytest.raises(LostkeysError, match=r"meta\.json cannot be written"):
        write_list(tmp_path / "x.csv", table, ListWords(), Lens())


def test_rows_are_copied_up_to_a_bound_each_on_one_line() -> None:
    rows = [{"id": f"f{number}", "note": "a\tb\nc" if not number else None} for number in range(5)]
    text = copied_text(ListTable({"id": str, "note": str}, rows), 2)
    assert text == "id\tnote\nf0\ta b c\nf1\t\n"


def test_words_of_a_list_ask_for_it_again() -> None:
    wanted = FactQuery("", Filters(), FactOrder.VIEWS, True)
    assert format_sort(wanted) == "views-"
    state = FactsState(filters=Filters(verdicts=frozenset({"RF"})), columns=("id",))
    assert state.words.options == [
        *("--where", "profile:recall_failure"),
        *("--sort", "subject", "--columns", "subject,id"),
    ]


def test_a_command_refuses_what_a_list_cannot_be(path: Path, tmp_path: Path) -> None:
    for more, wrong in (
        (["--columns", "id,em"], "no column em"),
        (["--columns", "id,id"], "twice"),
        (["--sort", "height"], "no order height"),
        (["--sort", "views", "--with-rejected"], "--with-rejected"),
    ):
        file = tmp_path / "x.csv"
        command = ["--db", str(path), "export", "facts", "-o", str(file), *more]
        result = CliRunner().invoke(cli, command)
        assert wrong in str(result.exception)
        assert not file.exists()


def test_columns_of_a_project_are_all_written(path: Path, tmp_path: Path) -> None:
    with closing(Session(path)) as session:
        snapshot = session.open(LENSES[0])
        columns = columns_of(snapshot)
        table = facts_table(FactCells(snapshot), range(len(snapshot.index)), columns)
    write_list(tmp_path / "all.parquet", table, ListWords(columns=columns), snapshot.lens)
    with OpenProject(path) as project:
        assert len(table.rows) == len(db.fact_names.headings(project.connection))
