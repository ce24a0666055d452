"""Python has the analyses, comparisons and exports of the shell, with the same numbers."""

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from core import api
from core.analyses import ANALYSES
from core.fact_bench.tables import BENCH_TABLES
from core.project import OpenProject
from core.zero_prompt.analyses import LATENT_ANALYSES
from tests.core.fact_bench.arms_making import answers, put_triples
from tests.core.making import put_rows
from tests.tui.sample import A, sample_project
from tui.cli.commands.export import EXPORTED
from tui.cli.main import cli

FUNCTIONS = {
    "import": "load",
    "export": "export",
    "publish": "publish",
    "profiles": "profiles",
    "compare": "compare",
    "confusion": "confusion",
    "analyze": "analyze",
    "zp-lke": "analyze",
    "fact-bench": "analyze",
    "align": "align",
    "tags": "tags",
}
"""Commands that read and write what is there, with the methods of a project that do the same."""

OF_THE_SHELL = {
    *("demo", "build", "sample", "requests", "answer", "collect", "grade", "run", "jobs"),
    *("discard", "policies", "audit", "merge", "report", "graders", "models", "prompts"),
    *("explain", "doctor", "remove"),
}
"""Commands without a function: jobs, what changes a file as a whole, and talk about the program."""

OPTIONS = ["a", "b", "c", "Oslo", "Riga"]
SETUP = ("--examples", "3", "--options", "2", "--set", "some")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Answers of two models, and triples with arms and scores."""
    folder = tmp_path_factory.mktemp("api")
    file = sample_project(folder / "p.db")
    with OpenProject(file, "write") as project:
        put_triples(project)
        texts = {"a": "Riga", "b": "Bergen", "c": "1918", "d": "12 km"}
        rows = answers("m#10-shot", texts) + answers("m#10-shot:shuffle", {**texts, "a": "Oslo"})
        put_rows(project, rows)
    scores = folder / "scores.jsonl"
    lines = [
        {"id": name, "model": "m", "n": 3, "options": pair, "logprobs": [-1.0, -2.0]}
        for name, pair in (("a", ["Riga", "Oslo"]), ("b", ["Riga", "Oslo"]))
    ]
    scores.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = CliRunner().invoke(
        cli, ["--db", str(file), "import", "--format", "zp-scores", str(scores)]
    )
    assert done.exit_code == 0, done.output
    return file


def printed(path: Path, *words: str) -> object:
    done = CliRunner().invoke(cli, ["--db", str(path), *words, "--json"])
    assert done.exit_code == 0, f"{words}: {done.output} {done.exception}"
    return json.loads(done.stdout)


def plain(document: object) -> object:
    """A document as JSON has it: tuples are lists, words are texts."""
    return json.loads(json.dumps(document))


def test_every_command_has_its_function_or_is_of_the_shell() -> None:
    context = click.Context(cli)
    assert set(cli.list_commands(context)) == FUNCTIONS.keys() | OF_THE_SHELL
    assert all(callable(getattr(api.Project, name)) for name in FUNCTIONS.values())


def test_names_are_those_of_the_three_commands() -> None:
    scores = [f"zp-{name}" for name in LATENT_ANALYSES]
    triples = [f"fb-{name}" for name in BENCH_TABLES]
    assert list(api.list_analyses()) == [*ANALYSES, *scores, *triples]


@pytest.mark.parametrize("name", LATENT_ANALYSES)
def test_scores_are_those_of_the_command(path: Path, name: str) -> None:
    with api.open(path) as project:
        found = project.analyze(f"zp-{name}", examples=3, options=2, set_name="some")
    assert plain(found.to_dict()) == printed(path, "zp-lke", "analyze", name, *SETUP)


@pytest.mark.parametrize("name", BENCH_TABLES)
def test_tables_are_those_of_the_command(path: Path, name: str) -> None:
    with api.open(path) as project:
        found = project.analyze(f"fb-{name}", where="fact:a", split="all", known_by="em")
    words = ("--where", "fact:a", "--split", "all", "--known-by", "em")
    assert plain(found.to_dict()) == printed(path, "fact-bench", "table", name, *words)


def test_rows_figures_and_options(path: Path, tmp_path: Path) -> None:
    with api.open(path) as project:
        (row,) = project.analyze("zp-accuracy", examples=3, options=2).rows
        assert (row["relation"], row["n"], row["accuracy"]) == ("capital", 2, 0.5)
        (row,) = project.analyze("fb-shuffle", metric="f1", mode=["10-shot"]).rows
        assert (row["metric"], row["n"], row["plain"] - row["shuffle"]) == ("f1", 4, 0.25)
        project.analyze("fb-shuffle").plot(tmp_path / "shuffle.svg")
        found = project.analyze("threshold", api.Policy(graders=(A,)), taus=[0.25, 0.5])
        assert {row["tau"] for row in found.rows} == {0.25, 0.5}
    assert (tmp_path / "shuffle.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("zp-sizes", {}, "no analysis named zp-sizes: choose one of popularity"),
        ("zp-accuracy", {"where": "flagged"}, "takes neither policy, where nor intervals"),
        ("fb-shuffle", {"policy": api.Policy(0.7)}, "takes neither policy nor intervals"),
        ("fb-domain", {"metric": "f1"}, "domain compares no arms"),
        ("fb-domain", {"modes": "10-shot"}, "no such option: 'modes'; there is set_name"),
        ("zp-accuracy", {"n": 3}, "no such option: 'n'; there is form, examples"),
        ("zp-accuracy", {"inject": "some"}, "inject"),
    ],
)
def test_what_cannot_be_is_one_line(
    path: Path, name: str, options: dict[str, Any], said: str
) -> None:
    with api.open(path) as project, pytest.raises(api.UsageError, match=said):
        project.analyze(name, **options)


def test_comparison_and_intervals_are_those_of_the_command(path: Path) -> None:
    policy, words = api.Policy(graders=(A,)), ("--grader", A)
    with api.open(path) as project:
        compared = project.compare("gemma3-27b", "gemma3-4b", policy)
        profiles = project.profiles(policy, intervals=True)
        popularity = project.analyze("popularity", policy, intervals=True)
    asked = printed(path, "compare", "gemma3-27b", "gemma3-4b", *words)
    assert plain(compared.to_dict()) == asked
    assert len(compared.facts) == len(compared.document["facts"]) > 0
    assert plain(profiles.to_dict()) == printed(path, "profiles", "--intervals", *words)
    found = printed(path, "analyze", "popularity", "--intervals", *words)
    assert plain(popularity.to_dict()) == found


@pytest.mark.parametrize("what", [one for one in EXPORTED if one != "edits"])
def test_exports_are_those_of_the_command(path: Path, tmp_path: Path, what: str) -> None:
    policy = api.Policy(graders=(A,))
    end = "" if what == "lake" else ".jsonl"
    mine, shell = tmp_path / f"mine{end}", tmp_path / f"shell{end}"
    with api.open(path) as project:
        project.export(what, mine, policy=policy)
    words = ["--db", str(path), "export", what, "-o", str(shell), "--grader", A]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    if what == "lake":
        assert sorted(one.name for one in mine.rglob("*.parquet"))
        assert len(list(mine.rglob("*"))) == len(list(shell.rglob("*")))
    else:
        assert mine.read_bytes() == shell.read_bytes()
