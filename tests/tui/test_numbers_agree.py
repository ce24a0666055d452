"""One name, one number: profiles on the screen, in figures, report, tables, LaTeX and JSON.

On the worked examples of the design, whose JSON is right by `cli/test_examples.py`.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from core.figures.figure import Panel, coefficient, short_number
from core.figures.figure_table import make
from core.figures.plotting.panel_parts import points
from core.project import OpenProject
from core.report.latex_table import latex_table
from core.report.report_parts import Report
from core.report.report_sections import gather
from core.scoring.policy import Policy
from core.transfer.imports import import_file
from core.views.fact_query import FactQuery
from core.views.lens import Lens
from core.views.profiles.profile_counts import read_counts
from core.views.profiles.profile_rows import ProfileRow, RowKind, judge_both, model_rows
from core.views.profiles.profile_table import COLUMNS, rows_table
from core.views.session import Session
from core.vocabulary import CODES, Profile
from tests.core.making import new_project
from tests.core.report.test_report import tables
from tests.tui.cli.test_examples import EXAMPLES
from tui.cli import tables as shell_tables
from tui.cli.main import cli
from tui.screens.profiles import one_model_panes, render_bars, render_rows, render_segment
from tui.screens.profiles.render_numbers import percent
from tui.theme.look import look_named

pytestmark = pytest.mark.slow

PROFILES = tuple(Profile(name) for name in list(CODES)[: len(Profile)])
RATES = ("encodes", "knows", "knows_thinking")
LEFT_OUT = ("not_gradable_share", "direct_inference_share", "excluded_share")
LOOK = look_named("dark")
NUMBER = re.compile(r"[\d.,]+%?|–")


@pytest.fixture(params=EXAMPLES)
def database(request: pytest.FixtureRequest, shared: Callable[[str], Path], tmp_path: Path) -> Path:
    folder = shared(f"design/examples/{request.param}")
    path = tmp_path / "example.db"
    with new_project(path) as project:
        for file in ("facts.jsonl", "responses.jsonl"):
            assert import_file(project, folder / file).bad == 0
    return path


@pytest.fixture
def grader(database: Path) -> list[str]:
    """The grader that counts, as an option, where several might."""
    with OpenProject(database) as project:
        every = sorted({one.name for one in project.graders()})
        names = [name for name in every if not name.startswith(("human", "choice"))]
    return names[:1]


def printed(database: Path, grader: list[str], *words: str) -> str:
    command = ["--db", str(database), *words, *(["--grader", grader[0]] if grader else [])]
    result = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def shares_of(model: dict[str, Any]) -> list[float | None]:
    shares = model["shares"] or {}
    return [shares.get(profile) for profile in PROFILES]


def screen_rows(database: Path, grader: list[str]) -> Iterator[ProfileRow]:
    with closing(Session(database)) as session:
        lens = Lens(None).with_graders(grader, grader, False)
        session.open(lens)
        lens = session.snapshot.lens
        material = read_counts(session, lens, lens, FactQuery())
        yield from model_rows(material, judge_both(material, lens.policy, lens.policy))


def test_one_name_has_one_number(database: Path, grader: list[str]) -> None:
    document = json.loads(printed(database, grader, "profiles", "--intervals", "--json"))
    models = {model["model"]: model for model in document["models"]}
    rows = {row.name: row for row in screen_rows(database, grader)}
    assert set(rows) == set(models)
    check_text(printed(database, grader, "profiles"), models)
    check_latex(printed(database, grader, "profiles", "--latex"), models)
    with OpenProject(database) as project:
        policy = Policy(graders=tuple(grader))
        check_report(gather(project, policy), models)
        check_figures(project, policy, models)
    for name, row in rows.items():
        check_screen(row, models[name])


def check_text(text: str, models: dict[str, Any]) -> None:
    """The table of `profiles`; below it stands what its numbers are of."""
    for name, model in models.items():
        line = next(line for line in text.splitlines() if line.startswith(name))
        wanted = [percent(model[key]) for key in (*RATES, "excluded_share", *LEFT_OUT[:2])]
        assert NUMBER.findall(line)[-7:-1] == wanted
    if models:
        assert "those with a profile" in text
        assert "know and kn+T count direct inference (DI) too" in text


def check_latex(text: str, models: dict[str, Any]) -> None:
    heading = next(line for line in text.splitlines() if line.startswith("model &"))
    keys = [key.strip() for key in heading.removesuffix(r" \\").split("&")]
    assert [key.replace("_", " ") for key in (*RATES, *LEFT_OUT)] == keys[-6:]
    for name, model in models.items():
        line = next(line for line in text.splitlines() if line.startswith(f"{name} &"))
        cells = [cell.strip() for cell in line.removesuffix(r" \\").split("&")]
        numbers = [*shares_of(model), *(model[key] for key in (*RATES, *LEFT_OUT))]
        assert cells[-11:] == ["--" if one is None else f"{one:.3f}" for one in numbers]


def check_report(report: Report, models: dict[str, Any]) -> None:
    if not models:
        return
    table = tables(report)["Shares of the facts with a profile"]
    heads = [column.heading for column in table.columns]
    assert heads[-7:-1] == [
        *("encodes %", "knows %", "knows with thinking %"),
        *("not gradable %", "direct inference %", "excluded %"),
    ]
    for row in table.rows:
        model = models[row[0]]
        numbers = [*shares_of(model), *(model[key] for key in (*RATES, *LEFT_OUT))]
        assert row[1:12] == [percent(one) for one in numbers]


def check_figures(project: OpenProject, policy: Policy, models: dict[str, Any]) -> None:
    """Shares and their intervals are those of JSON; no sum of a figure has the name of a rate."""
    drawn = make(project, "profiles", policy, intervals=True)
    for panel in drawn.panels:
        assert panel.sum_mark == "DR+RT+IE"
        for row in panel.rows:
            model = models[row.name]
            wanted = [(model["shares"] or {}).get(series.name) for series in panel.series]
            assert [point.value for point in row.points] == wanted
            if model["shares"]:
                limits = [model["intervals"]["shares"][series.name] for series in panel.series]
                found = [None if one.low is None else [one.low, one.high] for one in row.points]
                assert found == limits
                check_note(row.note, model)
    for panel in make(project, "trends", policy).panels:
        check_trends(panel, models)


def check_note(note: str, model: dict[str, Any]) -> None:
    for words, key in (("not gradable", LEFT_OUT[0]), ("direct inference", LEFT_OUT[1])):
        assert (f"{words} {percent(model[key])} %" in note) is bool(model[key])


def check_trends(panel: Panel, models: dict[str, Any]) -> None:
    assert "known with a profile" in panel.title
    sums = panel.rows[0]
    assert sums.name == "known with a profile"
    for step, point in zip(panel.steps, sums.points, strict=True):
        model = models[step]
        direct = (model["direct_inference"] or 0) / model["included"]
        assert point.value == pytest.approx(model["knows_thinking"] - direct)


def check_screen(row: ProfileRow, model: dict[str, Any]) -> None:
    """The row at three widths, its bar, the rows of one model, the table that is exported."""
    numbers = {"enc": "encodes", "know": "knows", "kn+T": "knows_thinking"}
    numbers |= {"NA": LEFT_OUT[0], "DI": LEFT_OUT[1], "excl": LEFT_OUT[2]}
    for width in (80, 118, 198):
        setting = render_rows.layout(width, [row], RowKind.MODELS, 0, width < 100, 1, False)
        drawing = render_rows.RowContext(setting, LOOK, False, None, (), RowKind.MODELS)
        line = render_rows.row_line(row, None, False, drawing).text
        shown = line[setting.start + setting.bar :].split()
        asked = [one for one in setting.columns if one in numbers]
        assert shown[: len(asked)] == [percent(model[numbers[one]]) for one in asked]
        assert {"NA", "DI"} <= set(asked) or width < 198
    bar = render_bars.bar(row.now, 400, None, LOOK)
    if render_bars.count_facts(row.now):
        parts = {span.part: span.text for span in bar.spans if span.part}
        for code, key in (("NA", LEFT_OUT[0]), ("DI", LEFT_OUT[1])):
            assert (code in parts) is bool(model[key])
            if model[key]:
                assert f"{code} {percent(model[key])}" in bar.text
        for profile, share in zip(PROFILES, shares_of(model), strict=True):
            if share and share > 0.05:
                assert f"{CODES[profile]} {percent(share)}" in bar.text
    if model["shares"]:
        check_share_rows(row, model)
    (exported,) = rows_table([row], RowKind.MODELS, row.name).rows
    for key in COLUMNS:
        if key in model or key in PROFILES:
            wanted = model.get(key, (model["shares"] or {}).get(key))
            assert exported[key] == wanted


def check_share_rows(row: ProfileRow, model: dict[str, Any]) -> None:
    lines = one_model_panes.share_lines(row, None, 198, LOOK)[1:]
    for profile, line in zip(PROFILES, lines, strict=False):
        limits = model["intervals"]["shares"][profile]
        assert line.text.rstrip().endswith(f"{percent(limits[0])} to {percent(limits[1])}")
    left = render_segment.draw_aside(row).text
    split = f"{model['excluded_nan']:,} not gradable, {model['direct_inference']:,} direct"
    assert split in left or left.startswith("excluded 0")


def test_a_tie_is_rounded_alike_in_tables_figures_and_latex() -> None:
    assert [shell_tables.percent(0.0525), points(0.0525), points(-0.0525, sign=True)] == [
        "5.3",
        "5.3",
        "−5.3",
    ]
    assert [shell_tables.format_gap(-0.0525), shell_tables.format_gap(0.0525)] == [
        "-5.3",
        points(0.0525, sign=True),
    ]
    assert coefficient(-0.125) == "−0.13"
    assert short_number(0.125, plain=False) == "13"
    assert r"0.053 \\" in latex_table([{"share": 0.0525}], "Shares")


def test_shares_without_room_for_their_number_follow_in_a_table() -> None:
    shares = dict(zip(shell_tables.ORDER, (0.5, 0.004, 0.0, 0.296, 0.2), strict=True))
    row = {
        "model": "m",
        "shares": shares,
        "included": 250,
        **dict.fromkeys(shell_tables.RATES.values()),
    }
    row |= dict.fromkeys(shell_tables.LEFT_OUT.values(), 0.0)
    bars, numbers = shell_tables.profile_tables({"models": [row]}, 80)
    assert bars.row_count == numbers.row_count == 1
    cells = [str(next(iter(column.cells))) for column in numbers.columns]
    assert cells == ["m", "50.0", "0.4", "0.0", "29.6", "20.0"]
    even = dict(zip(shell_tables.ORDER, (0.5, 0.0, 0.0, 0.5, 0.0), strict=True))
    assert len(shell_tables.profile_tables({"models": [{**row, "shares": even}]}, 80)) == 1
