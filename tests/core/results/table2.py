"""Table 2 of Calderon et al. as printed, and facts in the proportions of its rows."""

import csv
from collections.abc import Mapping
from pathlib import Path

from core.vocabulary import PROFILES, Profile

STRATEGIES = {
    "ignore_fact_if_any_nan": "fact",
    "ignore_fact_if_task_pair_nan": "pair",
    "partially_weight_0.51": "partial",
}
BITS = {
    "encoding_failure": (False, False, False),
    "recall_failure": (True, False, False),
    "direct_recall": (True, True, False),
    "recall_with_thinking": (True, False, True),
    "inference_without_encoding": (False, False, True),
    "direct_inference": (False, True, True),
}
"""E, K0 and KT of each kind of fact that can be graded."""

ADDENDS = {"encodes": 3, "knows": 2, "knows_with_thinking": 4, "excluded": 2}
"""Printed numbers that make up a printed sum, each rounded to a tenth of a point by itself."""


def published() -> list[dict[str, str]]:
    """The printed rows; none where the file is not here."""
    path = Path(__file__).resolve().parents[4] / "shared/data/published/table2_profiles.csv"
    if not path.exists():
        return []
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


ROWS = published()


def tolerance(row: Mapping[str, str], name: str, rounding: float = 0.01) -> float:
    """Points that rounding explains: of the printed numbers, and of our facts to whole ones."""
    unbalanced = abs(sum(float(row[profile]) for profile in PROFILES) - 100)
    return 0.05 * (1 + ADDENDS.get(name, 1)) + unbalanced + rounding


def facts_behind(row: Mapping[str, str], of_point: int = 20) -> list[str]:
    """Facts in the proportions that the row prints, so many for each point of a profile."""
    kinds = [name for name in Profile for _ in range(round(of_point * float(row[name])))]
    excluded, inference = (
        float(row[name]) / 100 for name in ("other_or_partially", "direct_inference")
    )
    complete = len(kinds) / (1 - excluded - inference)
    return [
        *(str(kind) for kind in kinds),
        *["excluded_nan"] * round(complete * excluded),
        *["direct_inference"] * round(complete * inference),
    ]
