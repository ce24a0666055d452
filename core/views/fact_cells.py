"""What the columns of a list of facts hold of each fact: grades, verdicts, notes and marks."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from core.scoring.latent_verdicts import Mask, select_latent
from core.scoring.question_states import grades
from core.views.fact_columns import grade_of, model_of_column
from core.views.snapshot import AGREE, AT_STAKE, Snapshot
from core.vocabulary import CODES, TASK_INDEX, Task

_NAMES = {code: str(name) for name, code in CODES.items()}


class FactCells:
    """What stands in the cells of a list under one snapshot."""

    def __init__(self, snapshot: Snapshot, notes: Mapping[int, str] = MappingProxyType({})) -> None:
        """`notes` are by fact (id)."""
        self.snapshot, self.notes = snapshot, notes
        self.has_scores = bool(snapshot.latent.any())
        """Whether scores of options say something of any fact."""
        self._grades: dict[tuple[Task, bool], npt.NDArray[np.float64] | None] = {}
        self._contradicts: Mask | None = None

    def grade(self, task: Task, thinking: bool, place: int) -> float | None:
        """The g of a task; None where it cannot be graded."""
        key = (task, thinking)
        if key not in self._grades:
            self._grades[key] = self._read_grades(task, thinking)
        found = self._grades[key]
        return None if found is None or np.isnan(found[place]) else float(found[place])

    def _read_grades(self, task: Task, thinking: bool) -> npt.NDArray[np.float64] | None:
        now = self.snapshot
        row = -1 if now.row is None else int(now.tally.rows[now.row, int(thinking)])
        if row < 0:
            return None
        return grades(now.tally.labels[row, :, TASK_INDEX[task]], now.lens.policy)

    def code(self, place: int, model: str | None = None) -> str | None:
        """A verdict's code for a model (the lens's by default), `RJ` for a rejected fact.

        None where the model has no responses.
        """
        now = self.snapshot
        if now.index.rejected[place]:
            return "RJ"
        if model is not None and model not in now.models:
            return None
        row = now.row if model is None else now.models.index(model)
        return None if row is None else now.code(place, row)

    def note(self, place: int) -> str:
        """What people noted on answers of the fact, the newest note."""
        return self.notes.get(int(self.snapshot.index.ids[place]), "")

    def contradicts(self, place: int) -> bool:
        """Whether scores of options say the opposite of the verdict."""
        if self._contradicts is None:
            now = self.snapshot
            self._contradicts = select_latent("contradicts", now.latent, now.code_places())
        return bool(self._contradicts[place])

    def marks(self, place: int) -> tuple[str, ...]:
        """What marks a fact, in the words of `--where`."""
        now = self.snapshot
        differs = int(now.differs[place])
        found = {
            "differs": differs not in (AGREE, AT_STAKE),
            "differs:profile": differs == AT_STAKE,
            "edited": bool(now.edited[place]),
            "flagged": bool(now.index.flagged[place]),
            "noted": bool(now.noted[place]),
            "zp:contradicts": self.has_scores and self.contradicts(place),
        }
        return tuple(word for word, there in found.items() if there)

    def value(self, column: str, place: int) -> object:
        """What a file holds in a column: text, a number, None where nothing is known.

        Verdicts are names where they have one, as `profiles` prints them.
        """
        graded, model = grade_of(column), model_of_column(column)
        if graded is not None:
            return self.grade(*graded, place)
        if column == "profile" or model is not None:
            code = self.code(place, model)
            return "rejected" if code == "RJ" else _NAMES.get(code or "", code)
        return self._read_plain(column, place) or None if column != "views" else self._views(place)

    def _views(self, place: int) -> int | None:
        views = int(self.snapshot.index.views[place])
        return views if views >= 0 else None

    def _read_plain(self, column: str, place: int) -> str | int:
        heading, index = self.snapshot.headings[place], self.snapshot.index
        match column:
            case "title":
                return heading.title
            case "subject":
                return heading.subject
            case "object":
                return heading.object
            case "topic":
                return index.categories[place]
            case "type":
                return index.object_types[place]
            case "marks":
                return " ".join(self.marks(place))
            case "note":
                return self.note(place)
            case "number":
                return int(index.ids[place])
        return index.fact_ids[place]
