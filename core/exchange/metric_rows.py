"""Rows of one metric or filter each: which of them judge whether an answer is correct.

A sample has as many rows as there are metrics. The converters claim nothing for some metrics (they
write `is_correct: false` beside a full score), and give each epoch the mean of all.
"""

from collections import Counter, defaultdict
from typing import Any

SampleKey = tuple[str, int]
"""A sample of a model, and its epoch."""

NO_CORRECTNESS = ("f1", "rouge", "bleu", "chrf", "meteor", "bertscore", "bleurt", "cider")
"""Starts of the names of metrics that measure likeness."""

SPREADS = frozenset(("std", "stddev", "stderr", "bootstrap_stderr", "var", "variance"))


class MetricRows:
    """What all rows of a file say of its metrics, by task (a metric without a name is `""`).

    `left_out` are the metrics that say nothing of correctness, in the order of their coming.
    """

    def __init__(self) -> None:
        self._names: dict[str, dict[str, None]] = {}
        self._refuted: set[tuple[str, str]] = set()
        self._scores: dict[tuple[str, str], dict[str, dict[int, Any]]] = defaultdict(dict)
        self._votes: dict[str, Counter[str]] = defaultdict(Counter)
        self.left_out: dict[str, None] = {}

    def note(self, task: str, metric: str, key: SampleKey, score: Any, correct: Any) -> None:
        """Take in the score of a row, and whether it calls the answer correct."""
        self._names.setdefault(task, {})[metric] = None
        if isinstance(score, int | float) and score >= 1 and correct is False:
            self._refuted.add((task, metric))
        sample, epoch = key
        self._scores[task, metric].setdefault(sample, {})[epoch] = score

    def note_index(self, task: str, fits_text: bool, fits_index: bool) -> None:
        """Take in whether a reference that may be a text or an index fits as either."""
        if fits_text != fits_index:
            self._votes[task]["index" if fits_index else "text"] += 1

    def names_by_index(self, task: str) -> bool | None:
        """Return whether references are indices of options; None where no row or both tell."""
        votes = self._votes[task]
        return votes["index"] > 0 if bool(votes["index"]) != bool(votes["text"]) else None

    def name_metric(self, task: str, metric: str) -> str:
        """Return the metric's name where its task has several, else `""`."""
        return metric if len(self._names.get(task, ())) > 1 else ""

    def is_left_out(self, task: str, metric: str) -> bool:
        """Return whether a metric says nothing of correctness."""
        parts = metric.lower().replace("-", "_").split(":")
        found = (
            (task, metric) in self._refuted
            or any(part.startswith(NO_CORRECTNESS) for part in parts)
            or not SPREADS.isdisjoint(parts)
        )
        if found:
            self.left_out[metric or task] = None
        return found

    def is_over_epochs(self, task: str, metric: str, key: SampleKey) -> bool:
        """Return whether a sample's score is one over its epochs: it is alike for all of them.

        Where some sample of the file has unlike ones, each epoch has its own.
        """
        samples = self._scores[task, metric]
        if len(samples[key[0]]) < 2:
            return False
        return all(len(set(map(repr, one.values()))) == 1 for one in samples.values())
