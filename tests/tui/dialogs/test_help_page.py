"""The help page knows every group of keys, so that no screen is without help."""

import pytest

from tui.dialogs.help_page import help_page
from tui.keys import KEYS
from tui.theme.look import look_named

LOOK = look_named("dark")


@pytest.mark.parametrize("place", sorted({place for key in KEYS for place in key.places}))
@pytest.mark.parametrize("width", [40, 80, 104])
def test_every_place_has_help(place: str, width: int) -> None:
    here = [(key, key.keys.partition(",")[0]) for key in KEYS if place in key.places]
    page = help_page(here, "", width, LOOK)
    shown = "\n".join(line.text for line in page)
    for key, _ in here:
        assert f" {key.group}" in shown
    assert all(line.width <= width for line in page)
