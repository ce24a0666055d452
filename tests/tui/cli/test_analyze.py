"""`lostkeys analyze`: its document, its tables, its errors."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import product
from pathlib import Path
from typing import cast

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from core.analyses import ANALYSES
from core.analyses.analysis_evidence import AnalysisRow
from core.analyses.analysis_record import AnalysisRecord, Column, ColumnKind
from core.errors import UsageError
from core.project import OpenProject
from core.vocabulary import TASKS, Outcome, Task
from tests.core.making import Row, a_fact, cell, new_project, put_facts, put_rows
from tui.cli.analysis_tables import RowTable, print_table
from tui.cli.commands.analyze import OWN_OPTIONS
from tui.cli.main import cli


@dataclass(frozen=True, slots=True)
class ViewsRow(AnalysisRow):
    """A row of an analysis that only a test has."""

    model: str
    with_views: int
    part: float


KNOWN, UNKNOWN = [Outcome.CORRECT] * 4, [Outcome.INCORRECT] * 4


@pytest.fixture
def database(tmp_path: Path) -> str:
    """Two facts, one with hostile names; two models, one of them with thinking."""
    path = tmp_path / "some.db"
    with new_project(path) as project:
        put_facts(project, [a_fact("1__0", views=9), a_fact("\x1b[31m2__0")])
        rows: list[Row] = []
        for task in TASKS:
            rows += cell("1__0", task, "alpha", False, KNOWN)
            rows += cell("\x1b[31m2__0", task, "alpha", False, UNKNOWN)
            rows += cell("1__0", task, "[bold]beta[/bold]", False, UNKNOWN)
            rows += cell("1__0", task, "[bold]beta[/bold]", True, KNOWN)
        put_rows(project, rows)
    return str(path)


def run(database: str, *words: str, width: int = 80) -> Result:
    return CliRunner().invoke(
        cli, ["--db", database, "analyze", *words], env={"COLUMNS": str(width)}
    )


@pytest.mark.parametrize("name", ANALYSES)
def test_documents(name: str, database: str) -> None:
    found = run(database, name, "--json", "--tau", "0.25", "--strategy", "partial")
    document = json.loads(found.stdout)
    rows = document.pop("rows")
    recorded = {"seed": 1, "resamples": 1000} if name == "bootstrap" else {}
    parts = [part.key for part in ANALYSES[name].parts if not part.only_by]
    assert all(document.pop(key) for key in parts)
    assert document == {
        "analysis": name,
        "policy": None,
        "tau": 0.25,
        "strategy": "partial",
        "weight": 0.51,
        "graders": [] if name == "dataset" else ["human:*", "lexical"],
        "provisional": False,
        **recorded,
    }
    assert rows


LONG = "openai:some-model-of-today@http://a-host-far-away.example:80"


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ANALYSES if name not in ("quality", "dataset")])
@pytest.mark.parametrize("more", [[], ["--intervals"]])
def test_long_names_are_whole_and_no_number_gives_way(
    name: str, more: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "some.db"
    with new_project(path) as project:
        put_facts(project, [a_fact("1__0"), a_fact("2__0")])
        rows: list[Row] = []
        for task, model, on in product(TASKS, (f"{LONG}80", f"{LONG}81"), (False, True)):
            rows += cell("1__0", task, model, on, KNOWN)
            rows += cell("2__0", task, model, on, UNKNOWN)
        put_rows(project, rows)
    found = run(str(path), name, *more)
    lines = found.stdout.splitlines()
    assert [line.strip() for line in lines if LONG in line and line.split()[0].startswith(LONG)]
    assert f"{LONG}80" in found.stdout
    assert f"{LONG}81" in found.stdout
    assert "…" not in found.stdout
    assert max(map(len, lines)) <= 80
    document = json.loads(run(str(path), name, *more, "--json").stdout)
    if name == "phrasing":
        shown = [line.split() for line in lines if " mc_direct " in line]
        numbers = [row for row in document["rows"] if row["pair"] == "mc_direct"]
        assert [[line[0] == "on", int(line[2])] for line in shown] == [
            [row["thinking"], row["n"]] for row in numbers
        ]


def test_what_is_only_drawn_is_no_document(database: str, tmp_path: Path) -> None:
    found = run(database, "trends", "--json", "--plot", str(tmp_path / "t.svg"))
    assert isinstance(found.exception, UsageError)
    assert list(tmp_path.iterdir()) == [Path(database)]
    alone = run(database, "trends")
    assert isinstance(alone.exception, UsageError)
    assert str(alone.exception) == (
        "trends is only a figure: draw it with --plot FILE.svg; "
        "`lostkeys profiles` prints its numbers"
    )


def test_gaps_and_limits_are_numbers_in_every_form(database: str) -> None:
    for name in ("popularity", "direction", "thinking"):
        document = json.loads(run(database, name, "--intervals", "--json").stdout)
        gaps = document["gaps"]
        assert gaps
        assert all("intervals" in row for row in document.get("groups", []))
        printed = run(database, name, "--intervals", width=120).stdout
        assert all(f"{gap['of']} less {gap['less']}" in printed for gap in gaps)
        latex = run(database, name, "--intervals", "--latex").stdout
        assert "gap & low & high" in latex
        assert "intervals &" not in latex


def test_models_and_facts_can_be_chosen(database: str) -> None:
    whole = json.loads(run(database, "errors", "--json").stdout)["rows"]
    assert [(row["model"], row["n"]) for row in whole[::2]] == [
        ("alpha", 1),
        ("[bold]beta[/bold]", 1),
    ]
    words = ("errors", "--json", "--model", "alpha", "--where", "fact:1__0")
    chosen = json.loads(run(database, *words).stdout)["rows"]
    assert [(row["model"], row["n"]) for row in chosen] == [("alpha", 0), ("alpha", 0)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ANALYSES)
@pytest.mark.parametrize("width", [80, 200])
def test_tables_fit_and_show_texts_as_they_are(name: str, width: int, database: str) -> None:
    found = run(database, name, width=width)
    assert found.exit_code == 0, found.output
    assert "\x1b" not in found.output
    assert max(map(len, found.output.splitlines())) <= width
    assert ("[bold]beta" in found.output) == (name not in ("quality", "dataset"))


def test_numbers_in_tables(database: str) -> None:
    lines = run(database, "recovery").output.splitlines()
    assert [line.split() for line in lines[1:4]] == [
        ["model", "encoded", "n", "recovered", "%"],
        ["[bold]beta[/bold]", "yes", "0", "–"],
        ["no", "1", "100.0"],
    ]
    lines = run(database, "threshold").output.splitlines()
    assert lines[2].split() == ["[bold]beta[/bold]", "0", "1", "0.0", "0.0", "100.0", "0.0", "0.0"]
    lines = run(database, "availability", width=100).output.splitlines()
    assert lines[1].split() == ["model", "thinking", "task", "n", "≥1", "≥2", "≥3", "≥4"]
    assert lines[2].split() == ["alpha", "off", "completion", "2", *["50.0"] * 4]


def test_many_answers_are_thinned_to_the_width(database: str) -> None:
    with OpenProject(Path(database), "write") as project:
        put_facts(project, [a_fact(f"more {number}") for number in range(3)])
        for number in range(3):
            labels = [Outcome.CORRECT] * 32
            put_rows(project, cell(f"more {number}", Task.DIRECT, "alpha", False, labels))
    shown = run(database, "availability", "--model", "alpha").output.splitlines()[1].split()
    assert shown[4] == "≥1"
    assert shown[-1] == "≥32"
    assert len(shown) < 4 + 32


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["thinking", "--model", "alpha"], "No model here was asked with thinking"),
        (["threshold", "--model", "alpha"], "No model here has profiles"),
        (["quality", "--where", "fact:none"], "No fact fits"),
        (["availability", "--where", "fact:none"], "No fact fits"),
    ],
)
def test_empty_tables_say_why(words: Sequence[str], line: str, database: str) -> None:
    found = run(database, *words)
    assert found.exit_code == 0
    assert line in found.output


def test_a_new_database_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    with new_project(path):
        pass
    for name in ANALYSES:
        found = run(str(path), name)
        assert found.exit_code == 0
        assert ("No fact fits" if name == "dataset" else "No responses yet") in found.output


@pytest.mark.parametrize("words", [[], ["colour"]])
def test_without_a_known_name_the_names_are_listed(words: Sequence[str], database: str) -> None:
    error = run(database, *words).exception
    assert isinstance(error, UsageError)
    assert error.exit_code == 2
    assert all(name in str(error) for name in ANALYSES)


def test_help_lists_every_analysis(database: str) -> None:
    listed = run(database, "--help").output
    assert all(f"  {name} " in listed for name in ANALYSES)


def test_the_command_takes_every_option_of_a_record_and_no_other(database: str) -> None:
    assert set(OWN_OPTIONS) == {own.name for one in ANALYSES.values() for own in one.options}
    given = {
        "by": "answer_type",
        "tier": "0.5",
        "taus": ".25,.5",
        "tasks": "direct",
        "sizes": "1,2",
        "resamples": "10",
        "seed": "7",
    }
    for record in ANALYSES.values():
        for name, value in given.items():
            found = run(database, record.name, f"--{name}", value, "--json")
            if name in {own.name for own in record.options}:
                assert found.exit_code == 0, found.output
                assert name in json.loads(found.stdout)
            else:
                assert isinstance(found.exception, UsageError)
                assert f"{record.name} takes no --{name}" in str(found.exception)


@pytest.mark.parametrize(
    ("name", "words", "line"),
    [
        ("popularity", ("--tier", "0.6"), "--tier 0.6: give a share from 0 to 0.5"),
        ("popularity", ("--tier", "nan"), "--tier nan"),
        ("threshold", ("--taus", "1"), "--taus 1: give thresholds from 0 to below 1"),
        ("threshold", ("--taus", ""), "--taus : give thresholds"),
        ("bootstrap", ("--tasks", "direct,oral"), "--tasks oral: choose from completion"),
        ("bootstrap", ("--sizes", "0"), "--sizes 0: give numbers of answers"),
        ("bootstrap", ("--sizes", "9"), "--sizes 9: no question here has more than"),
        ("bootstrap", ("--resamples", "0"), "--resamples 0"),
        ("bootstrap", ("--seed", "-1"), "--seed -1"),
        ("direction", ("--by", "category"), "direction has no --by category"),
    ],
)
def test_options_that_cannot_be_are_one_line(
    name: str, words: tuple[str, str], line: str, database: str
) -> None:
    error = run(database, name, *words).exception
    assert isinstance(error, UsageError)
    assert line in str(error)
    assert "\n" not in str(error)


def test_options_choose_what_is_computed(database: str) -> None:
    def rows(*words: str) -> list[dict[str, object]]:
        found: list[dict[str, object]] = json.loads(run(database, *words, "--json").stdout)["rows"]
        return found

    taus = rows("threshold", "--taus", ".3,.1")
    assert list(dict.fromkeys(row["tau"] for row in taus)) == [0.3, 0.1]
    sizes = rows("bootstrap", "--sizes", "2", "--tasks", "reverse,mc_direct")
    assert {(row["task"], row["k"]) for row in sizes} == {("reverse", 2), ("mc_direct", 2)}


def test_further_tables_stand_below_the_first(database: str) -> None:
    printed = run(database, "errors", width=100).stdout
    assert "what the facts not known are made of" in printed
    table = run(database, "errors", "--latex").stdout
    assert table.count(r"\begin{tabular}") == 2


def test_a_new_analysis_is_one_record(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    record = AnalysisRecord(
        "views",
        "how many facts have page views?",
        lambda evidence: [ViewsRow(model, 1234, 0.5) for model in evidence.tally.models],
        (
            Column("model"),
            Column("with_views", ColumnKind.COUNT),
            Column("part", ColumnKind.SHARE, "part %"),
        ),
        note="of all facts",
        unmeasured="views has no intervals",
    )
    monkeypatch.setitem(cast("dict[str, AnalysisRecord]", ANALYSES), record.name, record)
    lines = run(database, "views", "--intervals").output.splitlines()
    assert "views has no intervals" in lines
    assert ["model", "with_views", "part", "%"] in [line.split() for line in lines]
    assert ["alpha", "1,234", "50.0"] in [line.split() for line in lines]
    assert lines[-1] == "of all facts"
    assert json.loads(run(database, "views", "--json").stdout)["rows"][0]["with_views"] == 1234
    helped = run(database, "--help").output.splitlines()
    assert "  views         how many facts have page views?" in helped


@pytest.mark.parametrize("kind", ColumnKind)
def test_every_kind_of_column_writes_nothing_as_a_dash(kind: ColumnKind) -> None:
    out = Console(file=StringIO(), width=40)
    print_table(out, RowTable([Column("one", kind)], [{"one": None}]))
    assert isinstance(out.file, StringIO)
    assert [line.strip() for line in out.file.getvalue().splitlines()] == ["one", "–"]


def test_provisional_figures_say_so(database: str) -> None:
    with OpenProject(Path(database), "write") as project:
        put_rows(project, [Row("1__0", Task.DIRECT, "alpha", False, 4)])
    assert json.loads(run(database, "errors", "--json").stdout)["provisional"] is True
    assert "provisional" in run(database, "errors").output


def test_what_could_not_be_tested_neither_differs_nor_does_not() -> None:
    out = Console(file=StringIO(), width=100)
    tested = {"pair": "direct", "n": 9, "p": 0.5, "significant": False}
    columns = [column for column in ANALYSES["phrasing"].columns if column.key in tested]
    untested = {**tested, "n": 0, "p": None, "significant": None}
    print_table(out, RowTable(columns, [tested, untested]))
    assert isinstance(out.file, StringIO)
    lines = [line.split() for line in out.file.getvalue().splitlines()]
    assert lines[1:] == [["direct", "9", "0.5", "no"], ["direct", "0", "–", "–"]]


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (70, "  verification  ORGANIZATION    12,345      6,789      43.2  -12.3"),
        (50, "  veri…  ORGA…    12,345     6,789     43.2  -12.3"),
    ],
)
def test_words_give_way_where_a_table_is_too_wide_and_numbers_stay(width: int, line: str) -> None:
    columns = (
        *(Column("model"), Column("kind"), Column("type")),
        *(Column("n", ColumnKind.COUNT, "n direct"), Column("m", ColumnKind.COUNT, "n reverse")),
        *(Column("share", ColumnKind.SHARE, "direct %"), Column("gap", ColumnKind.GAP)),
    )
    row = {"model": "m" * 40, "kind": "verification", "type": "ORGANIZATION"}
    numbers = {"n": 12_345, "m": 6_789, "share": 0.432, "gap": -0.123}
    out = Console(file=StringIO(), width=width)
    print_table(out, RowTable(columns, [{**row, **numbers}]))
    shown = cast("StringIO", out.file).getvalue().splitlines()[2].rstrip()
    assert (shown, len(shown) <= width) == (line, True)


@pytest.mark.parametrize("name", ["direction", "phrasing", "availability", "quality", "recovery"])
def test_a_table_says_who_labels_multiple_choice_where_that_counts(
    name: str, database: str
) -> None:
    words = "; multiple choice is labelled by choice where no grader named did"
    counts = name != "recovery"
    assert (words in run(database, name, width=300).stdout) == counts
    captions = re.findall(r"\\caption\{(.*)\}", run(database, name, "--latex").stdout)
    assert captions
    assert all((words in caption) == counts for caption in captions)
