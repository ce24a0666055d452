"""How long the texts are that a run would send."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

import db.question_rows
import prompts
from core.dataset.fact_index import FactIndex
from core.project import OpenProject
from core.sampling.arm_form import ArmForm
from core.sampling.recipe import Recipe, is_raw, template_for
from core.vocabulary import TASK_INDEX, Task


class Texts:
    """Bytes of questions and of what is sent around them; read once for a set of facts."""

    def __init__(self) -> None:
        self._index: FactIndex | None = None
        self._lengths: npt.NDArray[np.int64] = np.zeros(1, np.int64)
        self._means: dict[Task, float] = {}

    def take(self, project: OpenProject) -> None:
        """Read the lengths of a project's texts, unless they are the ones read last."""
        if self._index is project.index:
            return
        ids, lengths = db.question_rows.text_lengths(project.connection)
        self._lengths = np.zeros(max(ids, default=0) + 1, np.int64)
        self._lengths[ids] = lengths
        self._index, self._means = project.index, {}

    def count_bytes(self, questions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Bytes of each of these questions (ids)."""
        return self._lengths[np.minimum(questions, self._lengths.size - 1)]

    def mean(self, task: Task) -> float:
        """Bytes of a task's questions, on average."""
        if task not in self._means and self._index is not None:
            questions = self._index.questions[:, TASK_INDEX[task]]
            found = self.count_bytes(questions[questions > 0])
            self._means[task] = float(found.mean()) if found.size else 0.0
        return self._means.get(task, 0.0)


def count_bytes(text: str) -> int:
    """Bytes of a text in UTF-8."""
    return len(text.encode(errors="surrogatepass"))


@dataclass(frozen=True, slots=True)
class Frame:
    """What is sent around a question: bytes, and messages (0: one text is sent)."""

    size: int
    messages: int


def frame(
    task: Task, thinking: bool, recipe: Recipe, folder: Path | None, form: ArmForm | None = None
) -> Frame:
    """What a task's template adds to its question and options; of an arm, what its form adds."""
    raw = is_raw(task, thinking, recipe)
    if form is not None:
        passages = form.passages or {}
        read = sum(map(count_bytes, passages.values())) // max(1, len(passages))
        return Frame(count_bytes(form.write("", "", folder)) + read, 0 if raw else 1)
    if raw and task is Task.COMPLETION:
        return Frame(0, 0)
    prompt = prompts.load(template_for(task, thinking, recipe), folder)
    nothing = dict.fromkeys(prompt.inputs, "")
    if raw:
        return Frame(count_bytes(prompt.render_text(**nothing)), 0)
    messages = prompt.render(**nothing)
    return Frame(sum(count_bytes(message.content) for message in messages), len(messages))
