"""Which responses are to be graded: those of some models, tasks and facts, or a sample of them.

Source: Calderon et al., appendix C.3: 4,160 responses over six tasks and all models.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import db.label_grids
from core.errors import UsageError
from core.project import Project
from core.scoring.policy import Policy
from core.vocabulary import TASK_INDEX, TASKS, Task
from db.slot_ids import MAX_SAMPLE, QUESTION_SHIFT, SAMPLE_BITS, Slots

PURPOSE = "grade-sample"
"""The name of the seeded order that a sample is drawn in."""


@dataclass(frozen=True, slots=True)
class AnswerSelection:
    """What of the responses is meant; None and empty: all.

    `size`: only so many of them, those that come first in the seeded order of `seed`.
    """

    where: str = ""
    models: tuple[str, ...] | None = None
    tasks: tuple[Task, ...] | None = None
    size: int | None = None
    seed: int = 0

    def find_slots(self, project: Project, choice: bool) -> Slots | None:
        """The slots meant, ascending: of multiple choice, or of all other tasks; None: every one.

        Responses to current questions of facts that are not rejected; those that are labelled
        are among them. Raises `UsageError` for an unknown model or filter, and for a sample that
        is larger than what there is.
        """
        if self == ALL:
            return None
        models = project.choose_models(self.models, arms=self.models is not None)
        facts = project.facts(self.where or None, models, Policy())
        tasks = [task for task in self.tasks or TASKS if task.is_choice is choice]
        found, keys = [np.empty(0, np.int64)], list[str]()
        for (model, thinking), setting in sorted(project.setting_ids().items()):
            drawn = project.grids.cells(db.label_grids.DRAWN, setting)
            if model not in models or drawn is None:
                continue
            for task in tasks:
                slots, places = _list_slots(project, drawn, facts, task, setting)
                found.append(slots)
                if self.size is not None:
                    end = f"/{task}/{model}/{'on' if thinking else 'off'}/"
                    names = project.index.fact_ids
                    samples = (slots & MAX_SAMPLE).tolist()
                    keys += [
                        f"{names[place]}{end}{sample}"
                        for place, sample in zip(places.tolist(), samples, strict=True)
                    ]
        slots = np.concatenate(found)
        if self.size is not None:
            if self.size > slots.size:
                raise UsageError(
                    f"--sample {self.size:,}: there are only {slots.size:,} such responses; ask "
                    "for so many, or leave --sample out"
                )
            slots = slots[choose_first(keys, self.seed, self.size)]
        return np.sort(slots)


ALL = AnswerSelection()
"""Every response."""


def _list_slots(
    project: Project,
    drawn: npt.NDArray[np.uint8],
    facts: npt.NDArray[np.bool_],
    task: Task,
    setting: int,
) -> tuple[Slots, npt.NDArray[np.intp]]:
    """The slots with a response to a task in a setting, and the place of the fact of each."""
    questions = project.index.questions[:, TASK_INDEX[task]]
    places = np.flatnonzero(facts & (questions > 0) & (questions < drawn.shape[1]))
    at, samples = np.nonzero(drawn[:, questions[places]].T)
    asked = questions[places[at]]
    return (asked << QUESTION_SHIFT) | (setting << SAMPLE_BITS) | samples, places[at]


def choose_first(keys: Sequence[str], seed: int, size: int) -> npt.NDArray[np.intp]:
    """The places of the first `size` keys in seeded order: ascending SHA-256 of what they name."""
    head = f"{seed}/{PURPOSE}/".encode()
    digest = hashlib.sha256
    joined = b"".join(
        digest(head + key.encode(errors="surrogatepass")).digest()[:16] for key in keys
    )
    halves = np.frombuffer(joined, ">u8").reshape(-1, 2)
    return np.lexsort((halves[:, 1], halves[:, 0]))[:size]
