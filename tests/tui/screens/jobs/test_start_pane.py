"""What the Jobs screen offers while nothing has run, as lines."""

import pytest

from core.specs.job_kinds import KINDS
from tui.dialogs.start.form_fields import Do
from tui.screens.jobs.start_pane import list_rows
from tui.widgets.offers import WIDTH


@pytest.mark.parametrize("room", [19, 35, 55])
@pytest.mark.parametrize("has_facts", [True, False])
def test_what_a_job_is_and_all_that_can_be_started_fits(has_facts: bool, room: int) -> None:
    found = list_rows(has_facts, room)
    assert len(found) <= room
    assert all(row.line.width <= WIDTH for row in found)
    assert any(row.line.text.startswith("A job asks a model") for row in found)


def test_with_facts_every_kind_of_the_form_is_offered() -> None:
    offered = [row.offer.kind for row in list_rows(True, 40) if row.offer]
    assert offered == [one.value for one in Do]


def test_without_facts_only_what_brings_some() -> None:
    offered = [row.offer.kind for row in list_rows(False, 40) if row.offer]
    assert offered == ["demo", "build", "import"]
    assert set(offered) <= set(KINDS)
