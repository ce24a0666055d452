"""Measuring a grader on people's labels from the command palette."""

import json
from pathlib import Path

import pytest

from core.graders.grader_evaluation import GraderReport, read_cases
from core.settings.preferences import Settings
from core.vocabulary import Label
from tests.tui.sample import sample_project
from tests.tui.seeing import settled, text
from tui.app.app import LostkeysApp
from tui.screens.confusion.calibration_dialog import Calibration, lines_of, measure_grader

CASES = (
    ("What is the capital of France?", "Paris", "Paris", True),
    ("What is the capital of France?", "Paris", "Lyon \x1b[31m[b]", False),
    ("Which year did it end?", "1945", "In 1945, I think", True),
)


def labels(folder: Path) -> Path:
    path = folder / "labels.jsonl"
    rows = [
        {"question": q, "gold_answers": [g], "prediction": p, "human_correct": c}
        for q, g, p, c in CASES
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_report_has_shares_confusion_sources_and_misses(tmp_path: Path) -> None:
    cases = read_cases(labels(tmp_path))
    report = GraderReport("x", tuple(zip(cases, (Label.CORRECT, Label.CORRECT, None), strict=True)))
    lines = [line.text for line in lines_of(report, "the budget is spent", 90)]
    assert lines[0] == "3 answers, 1 unlabelled"
    assert lines[1] == "ended early: the budget is spent"
    assert any(line.split()[:2] == ["accuracy", "33.3%"] for line in lines)
    misses = lines[next(at for at, line in enumerate(lines) if line.startswith("misjudged  2")) :]
    assert "Lyon" in misses[1]
    assert "In 1945" in misses[2]
    assert not any("\x1b" in line for line in lines)


def test_a_grader_that_is_a_program_is_measured(tmp_path: Path) -> None:
    report, stopped = measure_grader("lexical", labels(tmp_path), None, lambda done, total: None)
    assert report.as_json()["n"] == len(CASES)
    assert stopped is None


def test_a_grader_that_knows_how_sure_it_is_shows_coverage_and_reliability(tmp_path: Path) -> None:
    report, _ = measure_grader("form", labels(tmp_path), None, lambda done, total: None)
    lines = [line.text for line in lines_of(report, None, 90)]
    start = next(at for at, line in enumerate(lines) if line.startswith("right by its chance"))
    assert lines[start + 1].split() == ["100%", "of", "answers", "100.0%"]
    assert lines[start + 10].split()[:2] == ["10%", "of"]
    assert any(line.startswith("chances, off by ") for line in lines)
    assert any(line.startswith("says ") and "right, of" in line for line in lines)


@pytest.mark.slow
async def test_from_the_palette_to_the_report(tmp_path: Path) -> None:
    app = LostkeysApp(tmp_path / "none.db", Settings(name="mira"))
    path = labels(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("ctrl+p")
        await settled(pilot)
        await pilot.press(*"measure", "enter")
        await settled(pilot)
        assert "lexical" in text(app)
        await pilot.press("enter")
        await settled(pilot)
        await pilot.press(*"nowhere", "enter")
        assert "there is no such file" in await settled(pilot)
        for _ in "nowhere":
            await pilot.press("backspace")
        await pilot.press(*str(path), "enter")
        shown = await settled(pilot)
        assert "3 answers" in shown
        assert "accuracy" in shown
        await pilot.press("escape")
        assert "accuracy" not in await settled(pilot)


@pytest.mark.slow
async def test_why_there_is_no_report_is_told_whole(tmp_path: Path) -> None:
    path = tmp_path / "labels of people.csv"
    path.write_text("question;gold\n")
    app = LostkeysApp(sample_project(tmp_path / "p.db"), Settings(name="mira"))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        app.push_screen(Calibration("lexical", path, None))
        shown = "".join((await settled(pilot)).replace("│", " ").split())
        assert "line1:isnoJSON;mendordroptherow" in shown
        assert "↑↓scrollsesccloses" in shown
