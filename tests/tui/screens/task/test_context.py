"""What stands around the open question at 160 columns and more, without an app."""

from dataclasses import replace
from pathlib import Path

from core.views.arm_verdict import ArmVerdict
from core.views.fact_view import LatentVerdict
from core.vocabulary import Task
from tests.tui.screens.task.making import LOOK, MODEL, antares, session_on, view_of
from tui.screens.task.render_context import text_column


def column(folder: Path, **said: object) -> list[str]:
    """The third column of an open answer, of whose fact something else is said."""
    session = session_on(antares(folder / "p.db"))
    view, context = view_of(session), session.context(1, Task.REVERSE_NATURAL)
    assert context is not None
    shown = replace(view, fact=replace(view.fact, **said))  # type: ignore[arg-type]
    lines = text_column(shown, view.answers[0], context, 60, LOOK, "A")
    return [line.text.rstrip() for line in lines]


def test_other_methods_stand_below_the_verdict(tmp_path: Path) -> None:
    latent = LatentVerdict(True, 1, 0.61, contradicts=True)
    arms = ArmVerdict("m", False, ("10-shot",), 3)
    lines = column(tmp_path, latent=latent, arms=arms)
    at = next(place for place, line in enumerate(lines) if line.startswith("methods "))
    assert lines[at + 1] == "Z   yes  p .61  1 of 100  n 50  ≠"
    assert lines[at + 2] == "FB  no   EM in 1 of 3 modes, 10-shot"


def test_methods_that_say_nothing_have_no_title(tmp_path: Path) -> None:
    assert not any("methods" in line for line in column(tmp_path))


def test_what_follows_if_the_answer_is_right_is_said(tmp_path: Path) -> None:
    lines = column(tmp_path)
    at = next(place for place, line in enumerate(lines) if line.startswith("where else this"))
    assert lines[at + 1].split() == ["9", "more", "answers", "Minotaur-C", "by", MODEL]
    said = " ".join(line.strip() for line in lines[at + 2 :])
    assert said == "A accepts it as alias: 10 answers, 1 profile, once graded anew"


def test_a_choice_is_no_other_name(tmp_path: Path) -> None:
    session = session_on(antares(tmp_path / "p.db"))
    view, context = view_of(session), session.context(1, Task.REVERSE_NATURAL)
    assert context is not None
    lines = [line.text for line in text_column(view, view.answers[0], context, 60, LOOK, None)]
    assert any("9 more answers" in line for line in lines)
    assert not any("as alias" in line for line in lines)


def test_an_answer_of_its_own_that_moves_nothing_matters_nowhere_else(tmp_path: Path) -> None:
    session = session_on(antares(tmp_path / "p.db"))
    view, context = view_of(session), session.context(1, Task.REVERSE_NATURAL)
    assert context is not None
    rare = min(context.groups, key=lambda one: one.count)
    answer = next(one for one in view.answers if one.slot in rare.slots)
    assert (rare.count, rare.not_correct, rare.moved) == (1, 1, 0)
    lines = [line.text for line in text_column(view, answer, context, 60, LOOK, "A")]
    assert not any("where else" in line or "as alias" in line for line in lines)
