"""Every command of the pages that repeat the papers is run, on small samples that are made here."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from core.providers import model_names
from tests.fakes.service import in_thread
from tests.tui.cli import repeat_samples as samples
from tui.cli.main import cli

DOCS = Path(__file__).resolve().parents[3] / "docs" / "guides"
BLOCK = re.compile(r"```bash\n(.*?)```", re.DOTALL)
NOTHING = re.compile(r"No (?:responses|scores|arms|facts?|relations)\b|\bno score")
SERVER = "http://localhost:8000/v1"
INLINE = re.compile(r"`(lostkeys [^`]+)`")
SIZES = {
    "--sample 4160": "--sample 160",
    "--subset 2000": "--subset 40",
    "20-shot": "8-shot",
    "30-shot": "9-shot",
}
"""What pages say of the papers' sizes, and what the samples have in its place."""

MAKERS = {
    "wikiprofile": samples.make_wikiprofile,
    "zp-lke": samples.make_zp_lke,
    "fact-bench": samples.make_fact_bench,
}


def commands_of(page: str) -> Iterator[str]:
    """The commands of a page in their order: of its blocks, and of the second column of tables."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for part in re.split(r"(```bash\n.*?```)", text, flags=re.DOTALL):
        if block := BLOCK.fullmatch(part):
            yield from (line for line in block[1].splitlines() if line)
            continue
        for row in part.splitlines():
            if row.startswith("| ") and row.count("|") > 2:
                yield from INLINE.findall(row.split("|")[2])


def fit(command: str, server: str) -> str:
    """A command for the samples: of their size, with the fake for every service."""
    for whole, small in SIZES.items():
        command = command.replace(whole, small)
    return command.replace(SERVER, server).replace("gemini:gemini", "openai:gemini")


def invoke(command: str, server: str) -> Result:
    """Run a command of a page."""
    words = shlex.split(fit(command, server))
    assert words[0] == "lostkeys", command
    return CliRunner().invoke(cli, words[1:], env={"COLUMNS": "160"})


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_every_command_of_the_page_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOSTKEYS_DB", "some.db")
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("LOSTKEYS_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none-is-needed")
    fake = MAKERS[name](tmp_path)
    ran = 0
    with in_thread(fake):
        openai = fake.base_url.replace("127.0.0.1", "localhost")
        monkeypatch.setattr(model_names, "OPENAI_ADDRESS", openai)
        for command in commands_of(f"repeat-{name}.md"):
            ran += 1
            result = invoke(command, fake.base_url)
            assert result.exit_code == 0, f"{command}: {result.output} {result.exception}"
            for plot in re.findall(r"--plot (\S+)", command):
                assert Path(plot).read_bytes().startswith(b"<?xml"), command
            assert not NOTHING.search(result.output), f"{command}: {result.output}"
    assert ran > 20
