"""Questions as a data set of Inspect: a sample each, which says whose question it is.

A log of its answers, imported, lands on the facts that the samples name.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from core.dataset import choice_options
from db.facts import StoredQuestion

DATASET_COLUMNS = ("id", "input", "target", "choices", "metadata")


def dataset_rows(questions: Iterable[StoredQuestion]) -> Iterator[dict[str, Any]]:
    """A sample a question; of multiple choice with options as sample 0 sees them."""
    for one in questions:
        row: dict[str, Any] = {"id": f"{one.fact_id}/{one.task}", "input": one.text}
        if one.choices is None:
            row["target"] = one.gold.text if not one.gold.aliases else list(one.gold.texts)
        else:
            gold = choice_options.gold_option(one.choices, one.gold.text)
            shown = choice_options.shown_order(one.choices, gold, one.seed or 0, 0)
            row |= {"target": "ABCD"[shown.index(gold)], "choices": list(shown)}
        yield row | {"metadata": {"fact_id": one.fact_id, "task": str(one.task)}}
