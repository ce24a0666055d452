"""The house rules: arrows run one way, and starting up imports little."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("core", "db", "prompts", "tui")
LEAF = {"core.vocabulary", "core.errors"}
"""Vocabulary and error bases: they import nothing of ours, so all may import them."""

ALLOWED = {
    "db": {"db"},
    "prompts": {"prompts"},
    "core": {"core", "db", "prompts"},
    "tui": {"tui", "core"},
}
FORBIDDEN = {
    "db": {"textual", "rich", "click", "openai", "google", "httpx", "aiohttp"},
    "prompts": {"textual", "rich", "click", "openai", "google", "httpx", "aiohttp", "sqlite3"},
    "core": {"textual", "rich", "click"},
    "tui": {"sqlite3", "sqlite_utils", "openai", "google", "httpx", "httpx2", "aiohttp"},
}


def modules(package: str) -> Iterator[Path]:
    yield from sorted((ROOT / package).rglob("*.py"))


@cache
def nodes(path: Path) -> list[ast.AST]:
    """What a file is made of."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imports(path: Path) -> Iterator[str]:
    """Full names of everything a file imports, wherever in the file."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_leaf(name: str) -> bool:
    return any(name == leaf or name.startswith(leaf + ".") for leaf in LEAF)


@pytest.mark.parametrize("package", PACKAGES)
def test_arrows_run_one_way(package: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules(package)
        for name in imports(path)
        if name.split(".")[0] in PACKAGES
        and name.split(".")[0] not in ALLOWED[package]
        and not is_leaf(name)
    ]
    assert wrong == []


@pytest.mark.parametrize("package", PACKAGES)
def test_no_package_knows_what_is_not_its_business(package: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules(package)
        for name in imports(path)
        if name.split(".")[0] in FORBIDDEN[package]
    ]
    assert wrong == []


def test_the_leaf_imports_nothing_of_ours() -> None:
    for leaf in LEAF:
        path = ROOT / Path(*leaf.split(".")).with_suffix(".py")
        assert [name for name in imports(path) if name.split(".")[0] in PACKAGES] == []


def test_commands_import_no_textual() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules("tui/cli")
        for name in imports(path)
        if name.split(".")[0] == "textual"
    ]
    assert wrong == []


def test_sql_stands_in_db_alone() -> None:
    words = ("SELECT ", "INSERT INTO ", "DELETE FROM ", "PRAGMA ", "CREATE TABLE ")
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for package in ("core", "tui", "prompts")
        for path in modules(package)
        for node in nodes(path)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and any(word in node.value for word in words)
    ]
    assert wrong == []


def loaded_after(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter has loaded after running `code`."""
    program = f"{code}\nimport sys\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


HEAVY = {"textual", "numpy", "openai", "google", "sqlite3", "sqlite_utils", "rich", "pyarrow"}


def test_help_imports_nothing_heavy() -> None:
    code = "from click.testing import CliRunner\nfrom tui.cli.main import cli\n"
    code += "assert CliRunner().invoke(cli, ['--help']).exit_code == 0"
    assert loaded_after(code) & HEAVY == set()


def test_core_runs_without_screen_or_sdk() -> None:
    modules = (
        "core.results.summary",
        "core.results.agreement",
        "core.sampling.sample_work",
        "core.graders.stored_answers",
    )
    code = f"import {', '.join(modules)}"
    assert loaded_after(code) & {"textual", "rich", "click", "openai", "google", "pyarrow"} == set()


def test_every_command_stands_where_the_table_says() -> None:
    code = "import click\nfrom tui.cli.main import COMMANDS, cli\n"
    code += "for name in COMMANDS: assert cli.get_command(None, name).help"
    loaded = loaded_after(code)
    assert "textual" not in loaded
    assert "click" in loaded
