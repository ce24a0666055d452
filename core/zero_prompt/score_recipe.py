"""What the scores of a label were made with: they are not to be mixed with those of another way."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import db.option_scores
import db.project_values
from core.errors import UsageError
from core.project import OpenProject
from core.providers.logprobs.self_test import SelfTest
from core.sampling.recipe import describe_other_file, find_weights
from db.stored_values import read_object

SELF_TEST = "self_test"
"""What a stored recipe calls the test; null where there was none."""

PREFIX = "scores of "
"""Before a label, in the name of the value that the project keeps."""


@dataclass(frozen=True, slots=True)
class ScoreRecipe:
    """The model that is asked and its file of weights, where it runs here."""

    model: str
    weights: str | Mapping[str, object] | None

    def as_json(self) -> dict[str, object]:
        """What is compared of it."""
        return asdict(self)


def score_recipe(model: str) -> ScoreRecipe:
    """The recipe of a model by its name."""
    return ScoreRecipe(model, find_weights(model))


def read_recipe(project: OpenProject, label: str) -> Mapping[str, object] | None:
    """What a label's scores were made with; None where nobody knows, or there are none."""
    text = db.project_values.value(project.connection, PREFIX + label)
    return None if text is None else read_object(text, "a recipe of scores")


def find_known_way(project: OpenProject, label: str) -> str | None:
    """The way to a label's log probabilities that has passed its test; None where none has."""
    stored = read_recipe(project, label)
    test = None if stored is None else stored.get(SELF_TEST)
    way = test.get("way") if isinstance(test, dict) else None
    return way if isinstance(way, str) else None


def check_label(project: OpenProject, label: str, recipe: ScoreRecipe) -> None:
    """Raise `UsageError` where a label has scores of another model or file, or of unknown make."""
    stored = read_recipe(project, label)
    wanted = recipe.as_json()
    different = [name for name, value in wanted.items() if stored and stored.get(name) != value]
    other = describe_other_file(stored and stored.get("weights"), recipe.weights)
    if other and "weights" not in different:
        different = []  # the same file, which may lie elsewhere
    elif other:
        raise UsageError(
            f"{label} has scores of another file ({other}): use --as NAME to keep this run apart"
        )
    if different:
        raise UsageError(
            f"{label} has scores of another recipe (different: {', '.join(different)}): use "
            "--as NAME to keep this run apart"
        )
    known = {one.key.model for one in db.option_scores.read_series(project.connection)}
    if stored is None and label in known:
        raise UsageError(
            f"{label} has imported scores, whose settings are not known: use --as NAME to keep "
            "this run apart"
        )


def keep_recipe(
    project: OpenProject, label: str, recipe: ScoreRecipe, tested: SelfTest | None = None
) -> None:
    """Note what a label's scores are made with, and the test that was passed. In a transaction."""
    known = read_recipe(project, label) or {}
    passed = known.get(SELF_TEST) if tested is None else tested.as_json()
    content = json.dumps(
        {**recipe.as_json(), SELF_TEST: passed}, sort_keys=True, ensure_ascii=False
    )
    db.project_values.set_value(project.connection, PREFIX + label, content)
