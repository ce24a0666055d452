"""Names and reasons may hold the joiners of their language, and nothing else that is not seen."""

from collections.abc import Callable

import pytest

from core.errors import UsageError
from core.results.saved_policies import check_name
from core.scoring.precedence import grader_of
from core.settings.escapes import is_printable
from core.views.saved_views import explain_wrong_name

JOINED = ["می\u200cخواهم", "क्\u200dष", "👩\u200d🔬"]
STEERING = ["a\nb", "\x1b[31m", "a\u202eb", "\ud800", "a\u200bb"]


@pytest.mark.parametrize("text", JOINED)
def test_joiners_are_part_of_a_name(text: str) -> None:
    assert is_printable(text)
    assert explain_wrong_name(text) is None
    assert check_name(text) == text
    assert grader_of(text) == f"human:{text}"


@pytest.mark.parametrize("text", STEERING)
@pytest.mark.parametrize("check", [check_name, grader_of])
def test_what_steers_is_refused(check: Callable[[str], str], text: str) -> None:
    assert not is_printable(text)
    assert explain_wrong_name(text) is not None
    with pytest.raises(UsageError):
        check(text)
