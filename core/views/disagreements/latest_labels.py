"""What graders said of single answers.

A person's labels stand in the planes of all versions of their grader: the newest one counts.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.project import OpenProject
from core.scoring.precedence import HUMAN_PREFIX, LAST_LABEL, grader_of


def own_planes(project: OpenProject, name: str | None) -> tuple[int, ...]:
    """The planes of a person's labels, newest version first; none for nobody."""
    if name is None:
        return ()
    grader = grader_of(name)
    mine = [version.plane for version in project.graders() if version.name == grader]
    return tuple(sorted(mine, reverse=True))


def planes_of_others(project: OpenProject, name: str | None) -> dict[str, tuple[int, ...]]:
    """The planes of other people's labels, by their names, newest version first."""
    mine = None if name is None else grader_of(name)
    found: dict[str, list[int]] = {}
    for version in project.graders():
        if version.name.startswith(HUMAN_PREFIX) and version.name != mine:
            found.setdefault(version.name.removeprefix(HUMAN_PREFIX), []).append(version.plane)
    return {person: tuple(sorted(planes, reverse=True)) for person, planes in found.items()}


def find_labels(
    project: OpenProject, planes: Sequence[int], slots: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint8]:
    """The label (1 to 4, 0 for none) of each slot, by the first plane that has one."""
    found = np.zeros(slots.shape, np.uint8)
    for plane in planes:
        labels = project.grids.at(plane, slots)
        found = np.where((found == 0) & (labels <= LAST_LABEL), labels, found)
    return found
