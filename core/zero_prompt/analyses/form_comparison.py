"""Zero-prompt inputs against human-written and mined prompts, in both tests.

ZP-LKE, figures 5, 6, 14 and 15, table 1.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from statistics import fmean
from typing import Any

from core.analyses.analysis_record import Column, ColumnKind
from core.scoring.verdicts import ratio
from core.zero_prompt.latent_analysis import LatentAnalysis, LatentTable
from core.zero_prompt.score_matrix import ScoreMatrix


def compare_forms(
    all_scores: Iterable[ScoreMatrix], kind_of: Callable[[str, str], str | None]
) -> list[dict[str, object]]:
    """A row a model, relation, form and number of examples, of setups that differ in these.

    `kind_of` gives the kind of a form from a relation and its name.
    """
    found: list[dict[str, object]] = []
    for scores in all_scores:
        form, counted = scores.setup.form, scores.counted
        correct, answered = scores.count(scores.known), scores.count(scores.answered)
        right = scores.count(scores.answers_right & scores.answered)
        asked = scores.count(scores.asked)
        found += [
            {
                "model": model,
                "relation": relation,
                "form": form,
                "kind": kind_of(relation, form),
                "n": scores.setup.n,
                "facts": int(counted[at]),
                "accuracy": ratio(correct[at], counted[at]),
                "response_facts": int(answered[at]),
                "response_accuracy": ratio(right[at], answered[at]),
            }
            for row, model in enumerate(scores.models)
            for column, relation in enumerate(scores.relations)
            if asked[at := (row, column)] or answered[at]
        ]
    found.sort(key=itemgetter("model", "relation", "form", "n"))
    return found


def compare_kinds(
    all_scores: Iterable[ScoreMatrix], kind_of: Callable[[str, str], str | None]
) -> list[dict[str, object]]:
    """A row a model, kind of form and number of examples: means over relations.

    The accuracy of a relation is the mean over its forms of the kind. Relations count that every
    kind of the model has, in either test by itself; `relations` are those of the options. A form
    that nobody has described is of no kind.
    """
    by_model: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in compare_forms(all_scores, kind_of):
        if row["kind"] is not None:
            by_model[str(row["model"])].append(row)
    found: list[dict[str, object]] = []
    for model, rows in by_model.items():
        shared = {test: _list_shared(rows, test) for test in TESTS}
        rows.sort(key=lambda row: (row["kind"], row["n"]))
        for (kind, n), group in groupby(rows, key=lambda row: (row["kind"], row["n"])):
            mine = list(group)
            means = {
                test: [
                    fmean(values)
                    for relation in sorted(shared[test])
                    if (values := [row[test] for row in mine if _has(row, relation, test)])
                ]
                for test in TESTS
            }
            found.append(
                {
                    "model": model,
                    "kind": kind,
                    "n": n,
                    "relations": len(means["accuracy"] or means["response_accuracy"]),
                    "forms": len({row["form"] for row in mine}),
                    **{test: fmean(values) if values else None for test, values in means.items()},
                }
            )
    return found


TESTS = ("accuracy", "response_accuracy")


def _has(row: Mapping[str, Any], relation: str, test: str) -> bool:
    return bool(row["relation"] == relation and row[test] is not None)


def _list_shared(rows: Sequence[Mapping[str, Any]], test: str) -> set[str]:
    """The relations of which every kind that has any in a test has a number."""
    having: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row[test] is not None:
            having[row["kind"]].add(row["relation"])
    return set.intersection(*having.values()) if having else set()


FORMS = LatentAnalysis(
    "forms",
    "whether a prompt does better than none",
    LatentTable(
        lambda evidence: compare_forms(evidence.all_scores(("form", "n")), evidence.kind_of),
        (
            Column("model"),
            Column("relation"),
            Column("form"),
            Column("kind"),
            Column("n", ColumnKind.COUNT),
            Column("facts", ColumnKind.COUNT),
            Column("accuracy", ColumnKind.SHARE),
            Column("response_facts", ColumnKind.COUNT, "responses"),
            Column("response_accuracy", ColumnKind.SHARE, "right"),
        ),
        "n examples before the subject; % of facts, and of responses that name the object",
    ),
    {
        "kinds": LatentTable(
            lambda evidence: compare_kinds(evidence.all_scores(("form", "n")), evidence.kind_of),
            (
                Column("model"),
                Column("kind"),
                Column("n", ColumnKind.COUNT),
                Column("relations", ColumnKind.COUNT),
                Column("forms", ColumnKind.COUNT),
                Column("accuracy", ColumnKind.SHARE),
                Column("response_accuracy", ColumnKind.SHARE, "right"),
            ),
            "means over forms, then over the relations that every kind of the model has",
        )
    },
)
