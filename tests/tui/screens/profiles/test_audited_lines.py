"""Lines of audits on the Profiles screen: half bars, the axis, words on the segment."""

from pathlib import Path

import pytest

from core.project import OpenProject
from core.views.lens import Lens
from core.views.profiles import profile_counts
from core.views.profiles.profile_rows import ProfileRow, RowKind
from core.views.session import Session
from tests.core.certainty.making import POLICY, drawn, label_next, make_project, report
from tui.screens.profiles import loader, render_audits
from tui.screens.profiles.render_audits import ShownAudits
from tui.screens.profiles.render_bars import PROFILE_OF
from tui.screens.profiles.state import ProfilesState
from tui.theme.look import Look, look_named
from tui.theme.palettes import DARK
from tui.theme.roles import PROFILE_CODES

LENS = Lens("m", policy=POLICY).with_graders(("human:*", "judge"), ("judge",))


@pytest.fixture
def state(tmp_path: Path) -> ProfilesState:
    """The Profiles screen's state of a project of which eight facts are audited."""
    with make_project(tmp_path / "a.db") as project:
        drawn(project, second="other")
        audit(project, 8)
    session = Session(tmp_path / "a.db")
    session.open(LENS)
    found = ProfilesState()
    found.take_counts(profile_counts.read_counts(session, LENS, LENS, found.wanted, None))
    found.follow(LENS, LENS, False, True)
    found.audited = LENS.policy, loader.read_audits(LENS, session)
    session.close()
    return found


def audit(project: OpenProject, facts: int) -> None:
    while report(project).audited < facts:
        label_next(project)


def row_of(state: ProfilesState) -> ProfileRow:
    assert state.shown is not None
    return state.shown.models[0]


def shown(state: ProfilesState, code: str = "RF", lens: Lens = LENS) -> ShownAudits | None:
    return render_audits.show_audits(state, [row_of(state)], RowKind.MODELS, lens, code)


@pytest.fixture
def look() -> Look:
    return Look(DARK, False)


def test_the_half_bar_is_full_and_stands_under_audited_models(
    state: ProfilesState, look: Look
) -> None:
    audits = shown(state)
    assert audits is not None
    out = audits.reports["m"].numbers["m", "excluded_share"].audited or 0.0
    full = round(40 * (1 - out))
    assert 0 < full < 40  # it leaves out as much as the bar above it
    assert render_audits.half_bar("m", audits, 40, look).text == "▀" * full + " " * (40 - full)
    assert render_audits.half_bar("n", audits, 40, look).text == " " * 40


def test_without_colours_the_parts_of_the_half_bar_are_told_apart(state: ProfilesState) -> None:
    audits = shown(state)
    assert audits is not None
    parts = sum(
        bool(audits.reports["m"].numbers["m", PROFILE_OF[code]].audited) for code in PROFILE_CODES
    )
    bar = render_audits.half_bar("m", audits, 40, look_named("ansi"))
    assert bar.width == 40
    assert len(bar.text.split()) == parts > 1


def test_the_axis_has_graded_audited_and_both_intervals(state: ProfilesState, look: Look) -> None:
    audits = shown(state)
    assert audits is not None
    line = render_audits.audited_side(row_of(state), audits, 60, False, look).text
    assert "●" in line
    assert "━" in line
    one = audits.number("m")
    assert one is not None
    assert one.audited is not None
    assert f"{100 * one.audited:.1f}" in line
    graded = render_audits.graded_side(row_of(state), audits, 60, False, look).text
    assert "o" in graded
    assert "●" not in graded


def test_the_segment_says_both_numbers_and_how_far_graders_are_off(state: ProfilesState) -> None:
    audits = shown(state)
    assert audits is not None
    line = render_audits.segment(row_of(state), audits, False)
    assert line is not None
    assert "graded" in line.text
    assert "audited" in line.text
    assert "8 of 14 facts" in line.text
    first, *_ = render_audits.doubt_lines(row_of(state), audits, False)
    assert first.text.startswith("graders call ")


def test_another_lens_or_other_rows_have_none(state: ProfilesState) -> None:
    assert shown(state, lens=LENS.with_policy(tau=0.75)) is None
    rows = [row_of(state)]
    assert render_audits.show_audits(state, rows, RowKind.TOPICS, LENS, "RF") is None
    state.turn_intervals()
    assert shown(state) is None
