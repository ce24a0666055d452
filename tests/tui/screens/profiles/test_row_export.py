"""What `W` writes of the Profiles screen is what the command beside it shows."""

import csv
import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from core.settings.preferences import Settings
from tests.tui.sample import sample_project
from tests.tui.seeing import settled
from tui.app.app import LostkeysApp
from tui.cli.main import cli

TOPICS = ("tab",)
HARDER = ("right_square_bracket",)
FLOW = ("C", "enter")
RATES = ("encodes", "knows", "knows_thinking", "excluded_share")
COUNTS = ("included", "direct_inference", "excluded_nan", "incomplete", "total")


async def written(
    folder: Path, *keys: str, file: str = "rows.csv"
) -> tuple[list[dict[str, str]], Any]:
    """The rows of the file that is written after some keys, and what its command prints."""
    path = sample_project(folder / "p.db")
    app = LostkeysApp(path, Settings(name="ada"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        for key in ("f3", *keys, "W"):
            await pilot.press(key)
            await settled(pilot)
        for key in str(folder / file):
            await pilot.press(key)
        await pilot.press("enter")
        assert f"in {file}" in await settled(pilot)
    about = json.loads((folder / f"{file}.meta.json").read_text())
    command, *words = shlex.split(about["command"])
    assert command == "lostkeys"
    done = CliRunner().invoke(cli, [*words, "--json", "--db", str(path)])
    assert done.exit_code == 0, done.output
    with (folder / file).open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert about["rows"] == len(rows)
    return rows, json.loads(done.stdout)


def agree(row: dict[str, str], shown: dict[str, Any]) -> None:
    """A row of the file has the numbers of one that the command shows."""
    for name in RATES:
        assert float(row[name]) == pytest.approx(shown[name], abs=1e-9), name
    for name in COUNTS:
        assert int(row[name]) == shown[name], name
    for name, share in (shown["shares"] or {}).items():
        assert float(row[name]) == pytest.approx(share, abs=1e-9), name


@pytest.mark.slow
@pytest.mark.parametrize("keys", [(), HARDER], ids=["start", "harder"])
async def test_models_are_written_as_they_stand(tmp_path: Path, keys: tuple[str, ...]) -> None:
    rows, shown = await written(tmp_path, *keys)
    by_model = {row["model"]: row for row in shown["models"]}
    assert {row["model"] for row in rows} == set(by_model)
    for row in rows:
        agree(row, by_model[row["model"]])


@pytest.mark.slow
async def test_topics_of_a_model_are_written(tmp_path: Path) -> None:
    rows, shown = await written(tmp_path, *TOPICS)
    (model,) = shown["models"]
    groups = model["groups"]
    assert {row["model"] for row in rows} == {model["model"]}
    assert {row["topic"] for row in rows} == set(groups)
    for row in rows:
        agree(row, groups[row["topic"]])


@pytest.mark.slow
async def test_of_a_comparison_the_table_with_the_focus_is_written(tmp_path: Path) -> None:
    rows, shown = await written(tmp_path, *FLOW)
    names = [name for name in rows[0] if name != "A down, B across"]
    read = {row["A down, B across"]: {name: int(row[name]) for name in names} for row in rows}
    assert read == shown["flow"]


@pytest.mark.slow
async def test_the_numbers_of_a_comparison_are_written(tmp_path: Path) -> None:
    rows, shown = await written(tmp_path, *FLOW, "tab")
    changes = {one["number"]: one for one in shown["changes"]}
    assert {row["number"] for row in rows} == set(changes)
    for row in rows:
        assert float(row["B-A"]) == pytest.approx(changes[row["number"]]["difference"])
        assert int(row["only A"]) == changes[row["number"]]["only_a"]


@pytest.mark.slow
async def test_without_bars_there_is_nothing_to_write(tmp_path: Path) -> None:
    app = LostkeysApp(tmp_path / "none.db", Settings(name="ada"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("f3", "W")
        assert "there are no rows to write" in await settled(pilot)
