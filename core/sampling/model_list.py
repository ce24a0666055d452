"""The models of a database, and whether they answer."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

import db.label_grids
import db.model_rows
import db.responses
import db.served_models
from core.errors import LostkeysError, UsageError
from core.graders.answer_text import CUT_OFF, STEP_BY_STEP, has_marker
from core.project import OpenProject
from core.providers.capabilities import Capabilities
from core.providers.model_names import EMBEDDED, parse
from core.providers.model_traits import read_traits
from core.providers.registry import describe
from core.sampling.preflight import Check, Preflight, preflight
from core.sampling.recipe import find_known
from core.settings.known_addresses import known_addresses
from core.vocabulary import KNOWLEDGE, TASK_INDEX, TASKS
from db.served_models import StoredServed

MayAsk = Callable[[str], bool]
"""Whether a person lets a request go to this address, which came out of a file."""

MOST_CUT = 0.05
"""Above this share of an open question's answers cut at their limit, a notice names `--limit`."""

SEEN = ("state", "failed", "checks", "completion", "questions", "most_answers")
"""What a check of a model comes to, under whatever label."""


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One model: its label, responses, settings, and how it is asked (None: imported).

    `unmarked` is the share of step by step responses without `answer:`. `state` is what a preflight
    found, in one line, None without one; `failed` whether it found a fault; `checks` its parts.
    `known` is how the model is used, None where that has still to be found out. `completion` and
    `questions` are the endpoints at which it is asked, None where nobody knows; `most_answers` is
    how many answers to a request it gives, None where it refused no number.
    `served` is what its server called the model, in the order seen. `cut` counts the answers that
    ended at their limit, by task; `cut_too_often` names the open questions of which too many did.
    """

    model: str
    responses: int
    thinking: str
    asked_as: str | None
    unmarked: float | None = None
    state: str | None = None
    failed: bool = False
    checks: tuple[Check, ...] = ()
    known: Capabilities | None = None
    completion: str | None = None
    questions: str | None = None
    most_answers: int | None = None
    served: tuple[StoredServed, ...] = ()
    cut: Mapping[str, int] = field(default_factory=dict)
    cut_too_often: tuple[str, ...] = ()

    @property
    def way(self) -> str:
        """The model and how it is asked: what is the same for two labels is checked once."""
        return json.dumps([self.asked_as, self.known and self.known.as_json()], sort_keys=True)

    def as_json(self) -> dict[str, object]:
        """One entry of `models --json`."""
        hidden = ("known", "cut_too_often")
        values = {name: getattr(self, name) for name in self.__slots__ if name not in hidden}
        return {
            **values,
            "checks": [check.as_json() for check in self.checks],
            "served": [asdict(one) for one in self.served],
            "cut": dict(self.cut),
        }


def catalogue(
    path: Path, check: MayAsk | None = None, timeout: float | None = None
) -> list[ModelEntry]:
    """Models of a database (which may be absent) and the embedded one.

    With `check`, every model that can and may be asked is checked, each once whatever its labels;
    `check` is asked once for each address. timeout: seconds after which a request is given up.
    """
    entries = []
    if path.exists():
        with OpenProject(path, "read") as project:
            entries = [_entry(project, label) for label in project.models()]
    if all(entry.asked_as != EMBEDDED for entry in entries):
        here = describe(EMBEDDED)
        entries.append(
            ModelEntry(
                EMBEDDED,
                0,
                "–",
                EMBEDDED,
                known=here,
                completion=here.completion,
                questions=here.questions,
            )
        )
    return entries if check is None else _check_all(entries, cache(check), timeout)


def _check_all(
    entries: Sequence[ModelEntry], may_ask: MayAsk, timeout: float | None
) -> list[ModelEntry]:
    first: dict[str, ModelEntry] = {}
    for entry in entries:
        if entry.way not in first:
            first[entry.way] = check_entry(entry, may_ask, timeout)
    same = ((entry, first[entry.way]) for entry in entries)
    return [
        replace(entry, **{name: getattr(found, name) for name in SEEN}) for entry, found in same
    ]


def _entry(project: OpenProject, label: str) -> ModelEntry:
    settings = project.setting_ids()
    mine = {on: settings[label, on] for on in (False, True) if (label, on) in settings}
    asked_as = _find_name(db.model_rows.recipe_of(project.connection, label))
    known = _find_capabilities(project, asked_as, label)
    cut = count_cut(project, label)
    return ModelEntry(
        label,
        sum(_count_drawn(project, setting) for setting in mine.values()),
        " and ".join("on" if on else "off" for on in mine),
        asked_as,
        measure_unmarked(project, label),
        known=known,
        completion=None if known is None else known.completion,
        questions=None if known is None else known.questions,
        most_answers=_most_answers(project, asked_as),
        served=tuple(db.served_models.read_by_label(project.connection).get(label, ())),
        cut=cut,
        cut_too_often=find_cut_too_often(project, label, cut),
    )


def count_cut(project: OpenProject, label: str) -> dict[str, int]:
    """A model's answers that ended at their token limit, by task in the order of the ten."""
    mine = [key for (name, _), key in project.setting_ids().items() if name == label]
    found = db.responses.count_ended(project.connection, mine, CUT_OFF)
    by_task: Counter[str] = Counter()
    for (_, task), number in found.items():
        by_task[task] += number
    return {str(task): by_task[task] for task in TASKS if by_task[task]}


def find_cut_too_often(project: OpenProject, label: str, cut: Mapping[str, int]) -> tuple[str, ...]:
    """The tasks of open questions of which more than `MOST_CUT` of the answers were cut."""
    mine = [key for (name, _), key in project.setting_ids().items() if name == label]
    too_often = []
    for task in KNOWLEDGE if cut else ():
        asked = project.index.questions[:, TASK_INDEX[task]]
        planes = [project.grids.cells(db.label_grids.DRAWN, setting) for setting in mine]
        drawn = sum(
            int(np.count_nonzero(one[:, asked[asked > 0]])) for one in planes if one is not None
        )
        if cut.get(str(task), 0) > MOST_CUT * drawn:
            too_often.append(str(task))
    return tuple(too_often)


def measure_unmarked(project: OpenProject, label: str) -> float | None:
    """The share of a model's step by step responses without `answer:`; None where it has none."""
    recipe = db.model_rows.recipe_of(project.connection, label)
    setting = project.setting_ids().get((label, True))
    if setting is None or not recipe or recipe["thinking"] != STEP_BY_STEP:
        return None
    texts = [has_marker(text) for text in db.responses.texts(project.connection, setting)]
    return texts.count(False) / len(texts) if texts else None


def _find_capabilities(project: OpenProject, model: str | None, label: str) -> Capabilities | None:
    """How a model is used; None where it cannot be, which its check will say, or is not known."""
    try:
        return None if model is None else find_known(project.connection, model, label)
    except UsageError:
        return None


def _most_answers(project: OpenProject, model: str | None) -> int | None:
    return None if model is None else read_traits(project.connection, model).most_answers


def _count_drawn(project: OpenProject, setting: int) -> int:
    cells = project.grids.cells(db.label_grids.DRAWN, setting)
    return 0 if cells is None else int(np.count_nonzero(cells))


def _find_name(recipe: Mapping[str, object] | None) -> str | None:
    return None if recipe is None else str(recipe["model"])


def check_entry(entry: ModelEntry, may_ask: MayAsk, timeout: float | None = None) -> ModelEntry:
    """Check the model with a few requests and note what came of it; `timeout` of each."""
    if entry.asked_as is None:
        return replace(entry, state="imported, cannot be asked")
    try:
        name = parse(entry.asked_as)
        if name.is_stranger(known_addresses()) and not may_ask(name.base_url or ""):
            return replace(entry, state="not asked: its address came out of the file")
        found = asyncio.run(_ask_model(entry.asked_as, entry.known, timeout))
    except LostkeysError as error:
        return replace(entry, state=str(error), failed=True)
    state = found.reason if found.failed else "answers"
    where = found.endpoints or entry
    return replace(
        entry,
        state=state,
        failed=bool(found.failed),
        checks=found.checks,
        completion=where.completion,
        questions=where.questions,
        most_answers=found.most_answers or entry.most_answers,
    )


async def _ask_model(model: str, known: Capabilities | None, timeout: float | None) -> Preflight:
    from core.providers.registry import open_provider

    provider = open_provider(model)
    provider.deadline.timeout = timeout
    try:
        return await preflight(provider, model, known=known, replies=True)
    finally:
        await provider.close()
