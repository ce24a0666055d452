"""`lostkeys explain` says what stands in the glossary, without a database."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from core.glossary.glossary import BY_TERM
from tui.cli.main import cli


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["explain", *words])


def test_a_term_is_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    entry = BY_TERM["kn+T"]
    shown = run("kn+T").stdout
    assert shown.startswith("kn+T  knows with thinking\n")
    assert entry.short in shown
    assert "see: K0, KT, excl, tau" in shown
    assert "on: Profiles" in shown
    assert run("knows", "with", "thinking").stdout == shown
    assert list(tmp_path.iterdir()) == []


def test_json_has_what_the_glossary_has() -> None:
    (found,) = json.loads(run("≠", "--json").stdout)["terms"]
    assert found["mark"] == "≠"
    assert found["see"] == ["±", "prof"]
    assert found["screens"] == ["Facts", "Confusion"]
    assert found["short"] == BY_TERM["≠"].short


def test_what_is_written_alike_is_all_explained() -> None:
    terms = [one["term"] for one in json.loads(run("fact", "--json").stdout)["terms"]]
    assert terms == ["fact", "fact strategy"]


def test_an_unknown_term_is_wrong_usage() -> None:
    failed = run("kapa")
    assert failed.exit_code != 0
    assert "the glossary has no term `kapa`: did you mean `kappa`" in str(failed.exception)
    assert getattr(failed.exception, "exit_code", 0) == 2
    assert run().exit_code == 2
