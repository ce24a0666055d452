"""Importing a log by the form: what it does not say is filled in, and its report is on screen."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.app import ComposeResult
from textual.pilot import Pilot

from core.jobs.glance_child import glance
from core.jobs.import_job import Glance
from core.project import OpenProject
from core.settings.preferences import Settings
from core.specs.file_specs import ImportingSpec, ImportWords
from tests import patience
from tests.tui.seeing import settled, text
from tui.app.app import LostkeysApp
from tui.dialogs.import_dialog import ImportFile
from tui.dialogs.import_report_dialog import ImportReportView, ReportDialog, report_texts
from tui.dialogs.start.form import Form, FormContext, groups
from tui.dialogs.start.form_fields import Do, Field
from tui.dialogs.start.form_spec import spec
from tui.dialogs.start.render_form import FormLayout
from tui.dialogs.start.start_dialog import Start
from tui.dialogs.start.validation import score_fault

NAME = "log.jsonl"
SUMMARY = (
    "2 samples would be added, 1 bad (line 3: holds no answer text), "
    "1 value without a label (lm-eval:f1: not a grade)"
)


def row(key: int, answer: Any = "Tavy", score: Any = 0.5) -> dict[str, Any]:
    return {
        "doc_id": key,
        "doc": {"question": f"Which river is number {key}?"},
        "target": "Tavy",
        "arguments": [["?", {}]],
        "resps": [[answer]],
        "f1": score,
    }


def a_log(folder: Path) -> Path:
    """Two good rows, a value that is no label, a bad row."""
    path = folder / NAME
    rows = [row(1), row(2, score="[/red] \x1b[31m"), row(3, answer=["-3.5", "True"])]
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


def layout(path: Path, file: Path, words: ImportWords) -> FormLayout:
    form = Form(do=Do.IMPORT, source=file, words=words)
    found = glance(path, file, words=words)
    return FormLayout(form, FormContext(), verdict="a log", glance=found)


def test_fields_of_a_log_are_there_for_logs_alone(tmp_path: Path) -> None:
    path, file = tmp_path / "n.db", a_log(tmp_path)
    seen = layout(path, file, ImportWords())
    assert seen.groups[1] == [
        Field.FILE,
        Field.LABEL,
        Field.PREFIX,
        Field.CORRECT_AT,
        Field.REPORT,
    ]
    assert seen.faults == {Field.LABEL: "the log names no model: enter names it"}
    facts = tmp_path / "facts.jsonl"
    facts.write_text('{"fact_id": "a", "object": "Tartu", "direct": "Where?"}\n')
    plain = glance(path, facts)
    assert groups(seen.form, glance=plain)[1] == [Field.FILE, Field.REPORT]
    assert groups(seen.form)[1] == [Field.FILE]


def test_a_table_without_a_model_asks_for_its_name(tmp_path: Path) -> None:
    path, file = tmp_path / "n.db", tmp_path / "answers.csv"
    file.write_text("question;answer;response;score\nWhere?;Tartu;in Tartu;1\nWho?;Ada;Bob;0\n")
    seen = layout(path, file, ImportWords())
    assert seen.groups[1] == [Field.FILE, Field.LABEL, Field.CORRECT_AT, Field.REPORT]
    assert seen.faults == {Field.LABEL: "the table names no model: enter names it"}
    assert layout(path, file, ImportWords(as_label="mine")).faults == {}
    plain = tmp_path / "plain.csv"
    plain.write_text("question;answer\nWhere?;Tartu\n")
    assert layout(path, plain, ImportWords()).faults == {}


def test_words_make_it_usable_and_go_into_the_spec(tmp_path: Path) -> None:
    path, file = tmp_path / "n.db", a_log(tmp_path)
    words = ImportWords(as_label="m", prefix="rivers", correct_at=0.5)
    seen = layout(path, file, words)
    assert seen.ready
    assert spec(seen.form, seen.given) == ImportingSpec(str(file), words=words)
    assert seen.glance is not None
    assert ("lm-eval:f1: 1 CORRECT", "ink-2") in report_texts(seen.glance)
    assert not replace(seen, is_looking=True).usable


def test_the_report_has_mapping_values_and_bad_rows(tmp_path: Path) -> None:
    seen = layout(tmp_path / "n.db", a_log(tmp_path), ImportWords(as_label="m"))
    assert seen.glance is not None
    assert report_texts(seen.glance) == [
        ("model: m, thinking off", "ink-2"),
        ("lm-eval:f1: 1 PARTIALLY", "ink-2"),
        (f"{NAME}: 1 value of lm-eval:f1: no label, not a grade", "label-p"),
        (f"{NAME}, line 3: holds no answer text", "label-i"),
        (f"{NAME}: {SUMMARY}", "ink"),
    ]


def test_of_several_files_a_broken_one_is_said_beside_the_others(tmp_path: Path) -> None:
    a_log(tmp_path)
    (tmp_path / "cut.jsonl").write_text("{")
    found = glance(tmp_path / "n.db", tmp_path / "*.jsonl", words=ImportWords(as_label="m"))
    told = [said for said, _ in report_texts(found)]
    assert found.is_usable
    assert "not valid JSON" in told[0]
    assert told[-1].startswith(f"{NAME}: 2 samples would be added, 1 bad")


def test_bad_rows_of_one_kind_are_one_line_of_the_report(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    row = {"task": "direct", "model": "m", "thinking": False, "sample": 0, "response": "x"}
    file.write_text("".join(json.dumps({"fact_id": f"f{n}", **row}) + "\n" for n in range(90)))
    (said, role), (summed, _) = report_texts(glance(tmp_path / "n.db", file))
    assert role == "label-i"
    assert "90 rows, first in line 1" in said
    assert summed.startswith("r.jsonl: 0 responses would be added, 90 bad")


def test_many_files_have_twenty_texts_together(tmp_path: Path) -> None:
    for number in range(30):
        rows = [row(1), row(3, answer=["-3.5", "True"]), row(4, answer=["-3.5", "True"])]
        text = "".join(json.dumps(one) + "\n" for one in rows)
        (tmp_path / f"log{number:02}.jsonl").write_text(text)
    found = glance(tmp_path / "n.db", tmp_path / "*.jsonl", words=ImportWords(as_label="m"))
    told = [said for said, _ in report_texts(found)]
    assert len(told) <= 20
    assert "holds no answer text: 60 rows, first in line 2 of log00.jsonl" in told
    assert told[-1].startswith("all 30 files: 30 samples would be added, 60 bad")


def test_a_score_that_is_typed() -> None:
    assert [score_fault(one) for one in ("", " 0.5", "1")] == [None] * 3
    assert all(score_fault(one) for one in ("0", "1.5", "half", "nan"))


class LongReport(ReportDialog):
    """A report of one long text and a short one."""

    def __init__(self) -> None:
        super().__init__(Glance("facts", 0, False, ()))

    def body(self) -> ComposeResult:
        yield ImportReportView([("word " * 60, "ink"), ("end", "ink")])


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_the_report_is_broken_for_the_width_it_has(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    app = LostkeysApp(tmp_path / "n.db", Settings(theme="dark"))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        app.push_screen(LongReport())
        shown = (await settled(pilot)).split("\n")
        room = app.screen.query_one(ImportReportView).size.width
        rows = [line.count("word ") for line in shown if "word word" in line]
        assert sum(rows) == 60
        assert all(room - 9 <= len("word ") * count <= room for count in rows[:-1])
        first = next(at for at, line in enumerate(shown) if "word word" in line)
        assert " end " in shown[first + len(rows)]
        assert "╰──" in shown[first + len(rows) + 1]


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_a_log_is_picked_named_read_and_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    a_log(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOSTKEYS_STATE", str(tmp_path / "state"))
    app = LostkeysApp(tmp_path / "n.db", Settings(theme="dark"))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, ImportFile))
        await until(pilot, lambda: "names no model" in text(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Start))
        start = form_of(app)
        await until(pilot, lambda: Field.LABEL in start.seen.faults)
        await go_to(pilot, start, Field.LABEL)
        await pilot.press("enter", *"mine", "enter")
        await until(pilot, lambda: app.screen is start and start.seen.ready)
        await go_to(pilot, start, Field.REPORT)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReportDialog))
        assert app.screen.query_one(ImportReportView).row_count() >= 4
        assert "line 3: holds no answer text" in text(app)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is start)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.snapshot is not None and len(app.snapshot.index) == 2)
    with OpenProject(tmp_path / "n.db", "read") as project:
        assert project.models() == ["mine"]


def form_of(app: LostkeysApp) -> Start:
    start = app.screen
    assert isinstance(start, Start)
    return start


async def go_to(pilot: Pilot[None], start: Start, which: Field) -> None:
    while start.view.field is not which:
        await pilot.press("j")


async def until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    await pilot.pause()
    await patience.until(holds, lambda: text(pilot.app), lambda: pilot.pause(0.02))
