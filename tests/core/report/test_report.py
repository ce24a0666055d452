"""A report says what was asked and what came of it, and counts what it leaves out."""

import json
import re
from pathlib import Path

import pytest

import db.model_rows
import db.project_values
import db.sampling_runs
import db.served_models
from core.errors import LostkeysError, UsageError
from core.figures.figure import PanelKind
from core.figures.figure_table import CATALOGUE
from core.figures.plotting import figure_file
from core.report import report_file, results_section
from core.report.markdown import markdown
from core.report.report_file import html, write
from core.report.report_numbers import NONE, count, points
from core.report.report_parts import Bullets, Picture, Report, ReportParagraph, ReportTable
from core.report.report_sections import gather
from core.results import profile_summary
from core.scoring.curtailment import as_text, fixed_policy
from core.scoring.policy import Policy
from core.settings.escapes import make_visible
from db.connection import write_transaction as transaction
from tests.core.making import a_fact, a_recipe, new_project, put_facts
from tests.core.report.telling import HOSTILE, OPEN, hostile, profiled
from tests.core.report.test_markup import Read
from tests.db.making import start_run

POLICY = Policy(graders=("lexical",))


def tables(found: Report) -> dict[str, ReportTable]:
    return {
        block.title: block
        for section in found.sections
        for block in section.blocks
        if isinstance(block, ReportTable)
    }


def blocks(found: Report, title: str) -> list[object]:
    return [block for one in found.sections if one.title == title for block in one.blocks]


def test_its_numbers_are_those_of_the_program(tmp_path: Path) -> None:
    with profiled(tmp_path / "p.db") as project:
        found = gather(project, POLICY)
        profiles = profile_summary.profiles(project, POLICY)
    shares = tables(found)["Shares of the facts with a profile"]
    left_out = tables(found)["Facts without a profile"]
    assert [row[0] for row in shares.rows] == ["model-a", "model-b"]
    for row, outside, one in zip(shares.rows, left_out.rows, profiles.models.values(), strict=True):
        assert row[1] == points((one.shares or {})["direct_recall"])
        assert row[6] == points(one.encodes)
        assert row[-1] == outside[-1] == count(one.included)
        assert outside[1:4] == [count(one.total), count(one.incomplete), count(one.excluded_nan)]
    assert found.summary[0] == "p.db: 4 facts, 2 models, 291 answers"
    assert "threshold 0.5, strategy pair, graders lexical" in found.summary[1]


def test_every_figure_comes_with_its_table_or_with_what_is_missing(tmp_path: Path) -> None:
    with profiled(tmp_path / "p.db") as project:
        found = gather(project, POLICY)
    pictures = [
        block for one in found.sections for block in one.blocks if isinstance(block, Picture)
    ]
    absent = [
        line
        for block in blocks(found, "Figures without data")
        if isinstance(block, Bullets)
        for line in block.lines
    ]
    scored = [entry for entry in CATALOGUE if entry.scored]  # a theme lacks the same: said once
    themes = {entry.theme for entry in scored}
    assert len(themes) == 3
    assert len(pictures) + len(absent) == len(CATALOGUE) - len(scored) + len(themes)
    assert {"profiles", "popularity", "confusion"} <= {one.figure.name for one in pictures}
    for picture in pictures:
        assert len(picture.tables) == len(picture.figure.panels)
        for table, panel in zip(picture.tables, picture.figure.panels, strict=True):
            turned = picture.figure.name == "trends"  # a row a model, which are its steps
            names = list(panel.steps) if turned else [row.name for row in panel.rows]
            assert [row[0] for row in table.rows] == names
            values = [[points(point.value) for point in row.points] for row in panel.rows]
            for number, row in enumerate(table.rows):
                own = [line[number] for line in values] if turned else values[number]
                if panel.kind is not PanelKind.MATRIX:
                    cells = iter(row[1:])
                    assert all(value in cells for value in own), (row, own)
            assert all(len(row) == len(table.columns) for row in table.rows)


def test_graders_are_counted_and_compared(tmp_path: Path) -> None:
    with profiled(tmp_path / "p.db") as project:
        found = gather(project, POLICY)
    graders = tables(found)["Graders"]
    assert {(row[0], row[1]): row[2] for row in graders.rows} == {
        ("lexical", "1"): "291",
        ("other", "1"): "3",
    }
    (pair,) = tables(found)["Every two graders"].rows
    assert pair[:4] == ["lexical", "other", "3", "0.0"]


def test_models_without_recipe_are_called_imported(tmp_path: Path) -> None:
    with profiled(tmp_path / "p.db") as project:
        found = gather(project, POLICY)
    assert [row[:5] for row in tables(found)["Models"].rows] == [
        ["model-a", "75", "72", "0", "imported"],
        ["model-b", "72", "72", "0", "imported"],
    ]


def test_what_is_rejected_filtered_or_set_apart_is_counted(tmp_path: Path) -> None:
    with profiled(tmp_path / "p.db") as project:
        with transaction(project.connection):
            project.connection.execute("UPDATE fact SET rejected = 1 WHERE fact_id = 'f0'")
        project.refresh()
        found = gather(project, POLICY, where="category:Arts")
    note = tables(found)["Facts without a profile"].note
    assert "rejected in review, and in no number: 1 fact;" in note
    assert note.endswith("outside the filter category:Arts: 1 fact")
    assert found.summary[2] == "facts that pass category:Arts"


def test_a_project_without_answers_says_so(tmp_path: Path) -> None:
    with new_project(tmp_path / "p.db") as project:
        put_facts(project, [a_fact("f")])
        found = gather(project, Policy())
        assert "No answers yet." in html(found)
        assert "No answers yet." in markdown(found)
    assert found.summary[0] == "p.db: 1 fact, 0 models, 0 answers"


def test_unknown_models_graders_and_files_are_refused(tmp_path: Path) -> None:
    with profiled(tmp_path / "p.db") as project:
        with pytest.raises(UsageError, match="no responses of a model named nobody"):
            gather(project, POLICY, ["nobody"])
        with pytest.raises(UsageError, match="choose with --grader"):
            gather(project, Policy())
        with pytest.raises(UsageError, match=r"must end in \.html or \.md"):
            write(project, tmp_path / "r.txt", POLICY)
        with pytest.raises(LostkeysError, match="is not a folder"):
            write(project, tmp_path / "not there" / "r.md", POLICY)
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith("r")] == []


def test_lists_are_capped_and_the_rest_is_counted() -> None:
    section = results_section.doubtful_section([f"fact {number}" for number in range(250)])
    (block,) = section.blocks
    assert isinstance(block, Bullets)
    assert block.lines[-1] == "and 150 more facts"
    assert len(block.lines) == 101


@pytest.mark.slow
def test_a_page_needs_nothing_but_itself(tmp_path: Path) -> None:
    with profiled(tmp_path / "p.db") as project:
        write(project, tmp_path / "r.html", POLICY)
    content = (tmp_path / "r.html").read_text(encoding="utf-8")
    read = Read(content)
    assert ("content", report_file.POLICY) in read.values
    assert read.tags.count("svg") > 3
    assert not {"script", "link", "img", "image", "iframe", "object", "base"} & {*read.tags}
    links = [value for name, value in read.values if name in ("href", "src", "action")]
    assert links
    assert all(str(link).startswith("#") for link in links)
    anchors = [value for name, value in read.values if name == "id"]
    assert len(anchors) == len({*anchors})
    assert {str(link)[1:] for link in links} <= {*anchors}
    assert not re.search(r"url\((?!#)|@import", content)


@pytest.mark.slow
def test_the_same_project_gives_the_same_page(tmp_path: Path) -> None:
    with profiled(tmp_path / "p.db") as project:
        assert html(gather(project, POLICY)) == html(gather(project, POLICY))


@pytest.mark.slow
def test_without_matplotlib_there_are_tables_and_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with profiled(tmp_path / "p.db") as project:
        found = gather(project, POLICY)
    drawn = Read(html(found))
    monkeypatch.setattr(figure_file, "find_spec", lambda name: None)
    plain = Read(html(found))
    assert "svg" not in plain.tags
    assert plain.tags.count("table") == drawn.tags.count("table")
    assert any("matplotlib is not installed" in said for said in plain.said)


@pytest.mark.slow
@pytest.mark.parametrize("writer", [html, markdown])
def test_hostile_projects_add_no_elements(tmp_path: Path, writer: object) -> None:
    with hostile(tmp_path / "p.db") as project:
        found = gather(project, Policy())
    read = Read(html(found))
    assert not {"script", "img", "b"} & {*read.tags}
    assert not [name for name, _ in read.values if name.startswith("on")]
    text = html(found) + markdown(found)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]", text)
    assert "␀" in text


def test_warnings_come_first(tmp_path: Path) -> None:
    with profiled(tmp_path / "p.db") as project:
        key = project.connection.execute("SELECT min(id) FROM response").fetchone()[0]
        with transaction(project.connection):
            project.connection.execute(
                "INSERT INTO draw (response, reasoning) VALUES (?, 'let me think')", (key,)
            )
        found = gather(project, POLICY)
    (block,) = blocks(found, "Before reading on")
    assert found.sections[0].title == "Before reading on"
    assert isinstance(block, ReportParagraph)
    assert block.warning
    assert block.text == "model-a: 1 of 75 answers show reasoning though thinking was off."


def test_recipes_prompts_and_grader_versions_are_named(tmp_path: Path) -> None:
    recipe = {
        "model": "openai:gpt-5",
        "completion": "chat",
        "temperature": 1.0,
        "top_p": 1.0,
        "options": {"verbosity": "low"},
        "thinking": "native",
        "prompts": {"question": "a" * 64, "choice": "b" * 64},
    }
    with profiled(tmp_path / "p.db") as project:
        with transaction(project.connection):
            db.model_rows.set_recipe(project.connection, "model-a", recipe)
            grader = json.dumps({"prompts": {"grade-answer": "c" * 64}})
            db.project_values.set_value(project.connection, "recipe of lexical#1", grader)
        found = gather(project, POLICY)
    row = tables(found)["Models"].rows[0]
    assert row[4:8] == [
        "openai:gpt-5",
        "native",
        "completion chat, questions chat",
        'temperature 1.0, top p 1.0, verbosity "low"',
    ]
    assert [row[:3] for row in tables(found)["Prompts"].rows] == [
        ["choice", "b" * 12, "model-a"],
        ["question", "a" * 12, "model-a"],
    ]
    assert tables(found)["Graders"].rows[0][-1] == f"grade-answer {'c' * 12}"


@pytest.mark.slow
def test_served_models_are_a_table_and_their_names_are_text(tmp_path: Path) -> None:
    plain = [("model-a-2026-01-01", "fp_1"), ("model-a-2026-01-01", "fp_2"), ("", "fp_3")]
    with profiled(tmp_path / "p.db") as project:
        assert "Served models" not in tables(gather(project, POLICY))
        with transaction(project.connection):
            db.served_models.ensure(project.connection, "model-a", plain)
            db.served_models.ensure(project.connection, "model-b", [(one, one) for one in HOSTILE])
        found = gather(project, POLICY)
    table = tables(found)["Served models"]
    assert [row[:3] for row in table.rows[:3]] == [
        ["model-a", name or NONE, fingerprint] for name, fingerprint in plain
    ]
    read, text = Read(html(found)), markdown(found)
    said = "".join(read.said)
    assert "fp_3" in said
    assert "fp\\_3" in text
    assert all(make_visible(one) in said for one in HOSTILE)
    assert not {"script", "img"} & {*read.tags}
    assert not [name for name, _ in read.values if name.startswith("on")]
    start = text.index("Served models")
    rows = [line for line in text[start:].split("\n\n")[1].splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(plain) + len(HOSTILE)
    assert "<script" not in text
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


def test_step_by_step_answers_without_a_marker_are_told(tmp_path: Path) -> None:
    with profiled(tmp_path / "p.db") as project:
        with transaction(project.connection):
            db.model_rows.set_recipe(
                project.connection, "model-b", a_recipe(thinking="step_by_step")
            )
        found = gather(project, POLICY)
    (block,) = blocks(found, "Before reading on")
    assert isinstance(block, ReportParagraph)
    assert block.text.startswith("model-b: 100.0 % of its step by step answers have no `answer:`")


def test_curtailed_models_are_told(tmp_path: Path) -> None:
    fixed = as_text(fixed_policy(POLICY, ("lexical",)))
    with profiled(tmp_path / "p.db") as project:
        with transaction(project.connection):
            setting = db.model_rows.ensure_setting(project.connection, "model-b", False)
            run = start_run(project.connection, setting, OPEN, None, 3, curtailed=fixed)
            db.sampling_runs.finish(project.connection, run)
        project.refresh()
        found = gather(project, POLICY)
    (block,) = blocks(found, "Before reading on")
    assert isinstance(block, ReportParagraph)
    assert block.text.startswith("model-b: sampling was curtailed.")
