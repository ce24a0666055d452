"""What is drawn can be told apart on paper: by colour-blind people, and in greyscale."""

from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt
import pytest

from core.figures.plotting.colours import (
    COLOURS,
    HATCHES,
    PAPER,
    colour,
    darkness,
    hatch_of,
    marker,
    text_colour,
)
from core.vocabulary import CODES, Profile
from tui.theme.palettes import LIGHT

FILLS = [f"fill-{CODES[profile].lower()}" for profile in list(CODES)[: len(Profile)]]

SIMULATED = {
    "none": np.eye(3),
    "protan": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deutan": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritan": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
"""Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB."""

FAR = 15.0
"""CIE 1976 difference that is seen at a glance between fields side by side."""


def linear(name: str) -> npt.NDArray[np.float64]:
    parts = np.array([int(name[start : start + 2], 16) / 255 for start in (1, 3, 5)])
    found: npt.NDArray[np.float64] = np.where(
        parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4
    )
    return found


def lab(light: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    x, y, z = np.cbrt(to_xyz @ np.clip(light, 0, 1) / np.array([0.9505, 1.0, 1.089]))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(one: str, other: str) -> float:
    weights = np.array([0.2126, 0.7152, 0.0722])
    high, low = sorted((float(weights @ linear(name)) for name in (one, other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_colours_are_those_of_the_light_screen() -> None:
    shared = COLOURS.keys() & LIGHT.keys()
    assert {name for name in COLOURS if not name.startswith("series-")} <= shared
    assert {name: COLOURS[name] for name in shared} == {name: LIGHT[name] for name in shared}


def distance(seen: str, one: str, other: str) -> float:
    here, there = (lab(SIMULATED[seen] @ linear(colour(name))) for name in (one, other))
    return float(np.linalg.norm(here - there))


@pytest.mark.parametrize("seen", list(SIMULATED))
@pytest.mark.parametrize(("one", "other"), list(pairwise(FILLS)))
def test_neighbours_can_be_told_apart_by_everybody(seen: str, one: str, other: str) -> None:
    assert distance(seen, one, other) >= FAR


@pytest.mark.parametrize("seen", list(SIMULATED))
@pytest.mark.parametrize(("one", "other"), list(combinations(FILLS, 2)))
def test_fills_that_look_alike_to_somebody_have_other_hatches(
    seen: str, one: str, other: str
) -> None:
    assert HATCHES[one] != HATCHES[other] or distance(seen, one, other) >= FAR


@pytest.mark.parametrize(("one", "other"), list(combinations(FILLS, 2)))
def test_fills_can_be_told_apart_in_greyscale(one: str, other: str) -> None:
    grey = abs(darkness(colour(one)) - darkness(colour(other)))
    assert HATCHES[one] != HATCHES[other] or grey >= 0.25


def test_fills_without_a_hatch_of_their_own_get_one_by_place() -> None:
    hatches = [hatch_of("series-1", place) for place in range(8)]
    assert len({*hatches}) == 8
    assert all(hatch_of(name, 3) == HATCHES[name] for name in FILLS)


@pytest.mark.parametrize("role", [*FILLS, "series-1", "series-2", "ink-2", "label-c", "label-p"])
def test_words_on_a_fill_can_be_read(role: str) -> None:
    assert contrast(text_colour(role), colour(role)) >= 4.5


@pytest.mark.parametrize(
    "role", [name for name in COLOURS if name.startswith(("ink", "profile-", "label-", "series-"))]
)
def test_words_on_paper_can_be_read(role: str) -> None:
    assert contrast(COLOURS[role], PAPER) >= 4.5


def test_the_dots_of_a_pair_differ_in_shape_or_filling() -> None:
    hollow, full = marker("series-2", "o", 0), marker("series-1", "●", 1)
    assert (hollow.shape, hollow.filled) != (full.shape, full.filled)
    many = [marker("", "", place) for place in range(8)]
    assert all(one.shape != other.shape for one, other in pairwise(many))
    assert len({one.shape for one in many}) == 8
