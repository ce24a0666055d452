"""What arms say of one fact, as Facts shows it."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from core.project import OpenProject
from core.views import fact_view
from core.views.arm_verdict import ArmVerdict
from core.views.fact_view import FactView
from core.vocabulary import Outcome
from tests.core.fact_bench.arms_making import NO_LABELS, answers, new_set
from tests.core.making import Row
from tests.core.views.making import lens_of, snapshot_of

RIGHT = {"a": Outcome.CORRECT, "b": Outcome.INCORRECT}


def rows(judge: Mapping[str, Outcome]) -> list[Row]:
    return [
        *answers("m#zero-shot", {"a": "It is Riga.", "b": "Rome"}, judge),
        *answers("m#2-shot", {"a": "Riga\n\nQuestion: x", "b": "Oslo"}),
        *answers("m#recite-2-shot", {"a": "It is big.\nAnswer: Riga"}),
        *answers("n#2-shot", {"a": "Rome"}),
    ]


def view_of(project: OpenProject, fact: str, model: str | None) -> FactView:
    place = project.index.fact_ids.index(fact)
    lens = lens_of(model, a="judge:j" if project.graders() else None)
    view = fact_view.read_fact(project, snapshot_of(project, lens), int(project.index.ids[place]))
    assert view is not None
    return view


@pytest.mark.parametrize("judge", [NO_LABELS, RIGHT], ids=["by rules", "by the judge"])
@pytest.mark.parametrize("model", ["m", "m#2-shot"])
def test_zero_shot_says_what_is_known(
    tmp_path: Path, judge: Mapping[str, Outcome], model: str
) -> None:
    with new_set(tmp_path / "arms.db", rows(judge)) as project:
        assert view_of(project, "a", model).arms == ArmVerdict(
            "m", True, ("2-shot", "recite-2-shot"), 3
        )
        assert view_of(project, "b", model).arms == ArmVerdict("m", False, ("2-shot",), 2)
        asked_nothing = view_of(project, "c", model)
        assert (asked_nothing.has_arms, asked_nothing.arms) == (True, None)


def test_a_judge_that_has_not_read_an_answer_says_nothing(tmp_path: Path) -> None:
    with new_set(tmp_path / "arms.db", rows({"a": Outcome.CORRECT})) as project:
        found = view_of(project, "b", "m").arms
        assert found is not None
        assert found.known is None


def test_where_no_model_has_arms_there_is_no_line(tmp_path: Path) -> None:
    with new_set(tmp_path / "none.db", []) as project:
        view = view_of(project, "a", None)
        assert (view.has_arms, view.arms) == (False, None)
