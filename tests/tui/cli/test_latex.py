"""`--latex` of the commands prints one table, whose caption says the policy."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from core.vocabulary import TASKS, Outcome
from tests.core.making import Row, a_fact, new_project, put_facts, put_rows
from tui.cli.main import cli

GRADERS = ("lexical", r"the_\50 %")
HOSTILE = r"\input{x}_[b]"


@pytest.fixture
def database(tmp_path: Path) -> str:
    """A fact, and a model whose name TeX would run."""
    path = tmp_path / "some.db"
    with new_project(path) as project:
        put_facts(project, [a_fact("1__0", views=9)])
        put_rows(
            project,
            [
                Row("1__0", task, HOSTILE, False, 0, dict.fromkeys(GRADERS, Outcome.CORRECT))
                for task in TASKS
            ],
        )
    return str(path)


@pytest.mark.parametrize(
    ("command", "head"),
    [
        ("profiles", "model & facts & included & DR & RT & IE & RF & EF &"),
        ("analyze threshold", None),
        ("analyze popularity", "model & tier & n & encode rate & recall rate & gain &"),
        ("confusion", "CORRECT & INCORRECT & PARTIALLY & OTHER"),
    ],
)
def test_tables_for_papers(command: str, head: str | None, database: str) -> None:
    policy = GRADERS if command == "confusion" else ("--grader", "lexical")
    found = CliRunner().invoke(cli, ["--db", database, *command.split(), *policy, "--latex"])
    assert found.exit_code == 0, found.output
    lines = found.stdout.splitlines()
    assert next(line for line in lines if line.startswith(r"\begin")) == r"\begin{table}"
    assert lines[-1] == r"\end{table}"
    caption = next(line for line in lines if line.startswith(r"\caption"))
    assert "tau = 0.5; strategy pair" in caption
    if head is not None:
        assert head in found.stdout
    assert HOSTILE not in found.stdout
    if command == "confusion":
        assert r"the\_\textbackslash{}50 \%" in caption
    elif command != "analyze threshold":
        assert r"\textbackslash{}input\{x\}\_{[}b{]}" in found.stdout


def test_one_form_at_a_time(database: str) -> None:
    for forms in (["--json", "--latex"], ["--latex", "--json"]):
        found = CliRunner().invoke(cli, ["--db", database, "profiles", *forms])
        assert found.exit_code == 2
        assert "two forms" in found.stderr
