"""How well a grader agrees with labels given by people, from a file of such labels."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import LostkeysError
from core.settings.compression import open_file
from core.settings.plain_data import parse_integer
from core.stats.cluster_intervals import kappa_interval, share_interval
from core.stats.intervals import Interval
from core.vocabulary import LABELS, Label

if TYPE_CHECKING:
    from core.graders.form.weighed_label import WeighedLabel


# Whether a grader's chances are what they say, and how right it is where it is surest.
#
# Source: Brier (1950); Naeini, Cooper and Hauskrecht (2015), the expected calibration error over
# ten bins of equal width; Geifman and El-Yaniv (2017), accuracy by coverage.

BINS = 10
COVERAGES = tuple(part / 10 for part in range(10, 0, -1))


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Answers whose chances lie between two tenths: how many, their mean chance, those right."""

    n: int
    chance: float
    right: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """Chances beside what people said.

    `brier`: mean squared error of a chance. `ece`: how far chances and shares are apart on
    average. `coverage`: accuracy by chance of the surest part of the answers, all first. `bins`
    leave out empty ones.
    """

    brier: float
    ece: float
    coverage: tuple[tuple[float, float], ...]
    bins: tuple[ReliabilityBin, ...]

    def as_json(self) -> dict[str, object]:
        """The keys that `graders evaluate --json` adds."""
        return {
            "brier": self.brier,
            "ece": self.ece,
            "coverage": [
                {"coverage": part, "accuracy": accuracy} for part, accuracy in self.coverage
            ],
            "reliability": [
                {"n": one.n, "chance": one.chance, "right": one.right} for one in self.bins
            ],
        }


def measure_reliability(chances: Sequence[float], right: Sequence[bool]) -> Reliability:
    """How chances of being right compare with what was right; there has to be at least one.

    Of the surest part the number of answers is rounded; equally sure ones stand in their order.
    """
    p, hit = np.array(chances, np.float64), np.array(right, np.bool_)
    n = p.size
    place = np.minimum((p * BINS).astype(np.intp), BINS - 1)
    bins = tuple(
        ReliabilityBin(int(of.sum()), float(p[of].mean()), float(hit[of].mean()))
        for of in (place == at for at in range(BINS))
        if of.any()
    )
    surest = np.argsort(-np.maximum(p, 1 - p), kind="stable")
    agrees = ((p >= 0.5) == hit)[surest]
    return Reliability(
        float(np.mean((p - hit) ** 2)),
        sum(one.n * abs(one.chance - one.right) for one in bins) / n,
        tuple((part, float(agrees[: max(1, round(part * n))].mean())) for part in COVERAGES),
        bins,
    )


CORRECT, WRONG = "correct", "wrong"
_BINARY = (CORRECT, WRONG)


@dataclass(frozen=True, slots=True)
class EvaluationCase:
    """One answer that people have judged.

    `question` is the question or, if `completion`, the left context; empty if the file gives
    neither. `truth` is "correct" or "wrong", or one of the four labels.
    """

    id: str
    question: str
    completion: bool
    golds: tuple[str, ...]
    answer: str
    truth: str
    source: str


@dataclass(frozen=True, slots=True)
class GraderReport:
    """A grader's labels (None: it gave none) beside what people say, case by case.

    Against binary truth CORRECT counts as correct and everything else, no label included, as
    wrong. Against four labels a grader is right if it gives the same label; precision and recall
    are then those of CORRECT, and the wrong answers those that people call INCORRECT.
    """

    grader: str
    graded: tuple[tuple[EvaluationCase, Label | None], ...]
    chances: tuple[float, ...] = ()
    """The chance of each answer to be right, from a grader that says how sure it is."""

    @property
    def misses(self) -> list[tuple[EvaluationCase, Label | None]]:
        """The cases in which the grader and people differ, with its label."""
        return [(case, label) for case, label in self.graded if not _agrees(case, label)]

    @property
    def reliability(self) -> Reliability | None:
        """Chances beside what people say; None without any."""
        right = [_is_correct(case) for case, _ in self.graded]
        return measure_reliability(self.chances, right) if self.chances else None

    def as_json(self) -> dict[str, Any]:
        """The document of `graders evaluate --json`; fractions, None for 0 / 0."""
        reliability = self.reliability
        truths = [case.truth for case, _ in self.graded]
        seen = _LABELS_OF_TRUTH if set(truths) <= set(LABELS) else _BINARY
        labels = [label for _, label in self.graded]
        n = len(self.graded)
        given = [case.truth for case, label in self.graded if label == Label.CORRECT]
        wanted = [label for case, label in self.graded if _is_correct(case)]
        wrong = [label for case, label in self.graded if case.truth in (WRONG, Label.INCORRECT)]
        hits = wanted.count(Label.CORRECT)
        return {
            "grader": self.grader,
            "n": n,
            "unlabelled": labels.count(None),
            "accuracy": _ratio(n - len(self.misses), n),
            "kappa": _kappa([(case.truth, _as_truth(case, label)) for case, label in self.graded]),
            "precision": _ratio(hits, len(given)),
            "recall": _ratio(hits, len(wanted)),
            "wrong_as_incorrect": _ratio(wrong.count(Label.INCORRECT), len(wrong)),
            "confusion": {truth: self._labels_where(truth) for truth in seen} if n else {},
            "by_source": self._by_source(),
            **(reliability.as_json() if reliability else {}),
        }

    def intervals(self) -> dict[str, Any]:
        """The 95 % intervals of accuracy, kappa, precision and recall, and of each source.

        Answers to one question hang together, so intervals take questions for what was drawn.
        """
        given = [(case, _is_correct(case)) for case, label in self.graded if label == Label.CORRECT]
        wanted = [
            (case, label == Label.CORRECT) for case, label in self.graded if _is_correct(case)
        ]
        every = [(case, _agrees(case, label)) for case, label in self.graded]
        sources = sorted({case.source for case, _ in self.graded})
        return {
            "accuracy": _share_interval(every),
            "kappa": self._kappa_interval(),
            "precision": _share_interval(given),
            "recall": _share_interval(wanted),
            "by_source": {
                source: _share_interval([one for one in every if one[0].source == source])
                for source in sources
            },
        }

    def _kappa_interval(self) -> Interval | None:
        pairs = [(case.truth, str(_as_truth(case, label))) for case, label in self.graded]
        values = {value: at for at, value in enumerate(sorted({v for pair in pairs for v in pair}))}
        clusters = _clusters([case for case, _ in self.graded])
        tables = np.zeros((len(pairs), len(values), len(values)), np.int64)
        for cluster, (truth, given) in zip(clusters, pairs, strict=True):
            tables[cluster, values[truth], values[given]] += 1
        return kappa_interval(tables.sum(axis=0), tables)

    def _labels_where(self, truth: str) -> dict[str, int]:
        counts = Counter(label for case, label in self.graded if case.truth == truth)
        return {label.value: counts[label] for label in LABELS}

    def _by_source(self) -> dict[str, dict[str, float | None]]:
        n = Counter(case.source for case, _ in self.graded)
        missed = Counter(case.source for case, _ in self.misses)
        return {
            source: {"n": n[source], "accuracy": _ratio(n[source] - missed[source], n[source])}
            for source in sorted(n)
        }


_LABELS_OF_TRUTH = tuple(label.value for label in LABELS)


def evaluate(
    grader: str, grade: Callable[[EvaluationCase], Label | None], cases: Iterable[EvaluationCase]
) -> GraderReport:
    """Grade the cases; `grade` gives a label, or None where it comes to none."""
    return GraderReport(grader, tuple((case, grade(case)) for case in cases))


def evaluate_chances(
    grader: str,
    weigh: Callable[[str, Sequence[str], str], "WeighedLabel"],
    cases: Sequence[EvaluationCase],
) -> GraderReport:
    """The same for a grader that says how sure it is."""
    found = [weigh(case.question, case.golds, case.answer) for case in cases]
    graded = tuple((case, one.label) for case, one in zip(cases, found, strict=True))
    return GraderReport(grader, graded, tuple(one.chance for one in found))


def read_cases(path: Path) -> list[EvaluationCase]:
    """The judged answers of a JSONL file, with binary or four-label truth (not both).

    Keys of a row: `prediction`; `gold_answers` (list) or `gold`; `human_correct` (bool) or
    `label`; optionally `question`, `left_context`, `id`, `source` or `box`. Errors: a
    LostkeysError that names file and line.
    """
    try:
        with open_file(path) as file:
            lines = file.read().decode("utf-8-sig").split("\n")
    except OSError as error:
        raise LostkeysError(f"{path}: {error.strerror}; check the name") from error
    except UnicodeDecodeError as error:
        raise LostkeysError(f"{path}: is not UTF-8 text ({error}); convert it first") from error
    cases = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            cases.append(_case(json.loads(line, parse_int=parse_integer), number))
        except (ValueError, RecursionError) as error:
            what = "is no JSON" if isinstance(error, json.JSONDecodeError) else str(error)
            raise LostkeysError(f"{path}, line {number}: {what}; mend or drop the row") from error
        if (cases[-1].truth in _BINARY) != (cases[0].truth in _BINARY):
            raise LostkeysError(
                f"{path}, line {number}: `human_correct` and `label` in one file; split it in two"
            )
    if not cases:
        raise LostkeysError(f"{path}: no labelled answers in it; give a JSONL file with rows")
    return cases


def _case(row: object, number: int) -> EvaluationCase:
    """A row as a case; ValueError says what is wrong with it."""
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    question, context = _text(row, "question"), _text(row, "left_context")
    answer = _text(row, "prediction")
    if answer is None:
        raise ValueError("no `prediction`")
    return EvaluationCase(
        _text(row, "id") or str(number),
        question or context or "",
        question is None and context is not None,
        _golds(row),
        answer,
        _truth(row),
        _text(row, "source") or _text(row, "box") or "",
    )


def _text(row: dict[str, Any], key: str) -> str | None:
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"`{key}` is not text")
    return value


def _golds(row: dict[str, Any]) -> tuple[str, ...]:
    golds = row.get("gold_answers", row.get("gold"))
    golds = [golds] if isinstance(golds, str) else golds
    if not isinstance(golds, list) or not golds or not all(isinstance(g, str) for g in golds):
        raise ValueError("no gold: `gold_answers` has to be a list of texts, or `gold` a text")
    return tuple(golds)


def _truth(row: dict[str, Any]) -> str:
    correct, label = row.get("human_correct"), row.get("label")
    if isinstance(correct, bool):
        return CORRECT if correct else WRONG
    if label in LABELS:
        return str(label)
    raise ValueError(
        f"no truth: `human_correct` has to be true or false, or `label` one of {', '.join(LABELS)}"
    )


def _is_correct(case: EvaluationCase) -> bool:
    return case.truth in (CORRECT, Label.CORRECT)


def _as_truth(case: EvaluationCase, label: Label | None) -> str | None:
    """A grader's label in the terms of the case's truth."""
    if case.truth in _BINARY:
        return CORRECT if label == Label.CORRECT else WRONG
    return label


def _agrees(case: EvaluationCase, label: Label | None) -> bool:
    return _as_truth(case, label) == case.truth


def _clusters(cases: Sequence[EvaluationCase]) -> list[int]:
    """The number of each case's question; one without a question stands alone."""
    numbers: dict[tuple[str, str], int] = {}
    return [
        numbers.setdefault((one.question, "" if one.question else one.id), len(numbers))
        for one in cases
    ]


def _share_interval(found: Sequence[tuple[EvaluationCase, bool]]) -> Interval | None:
    """Interval of the share of cases that are so, by question."""
    clusters = _clusters([case for case, _ in found])
    sizes = np.bincount(np.array(clusters, np.intp))
    hits = np.bincount(np.array(clusters, np.intp), [hit for _, hit in found])
    return share_interval(hits.round().astype(np.int64), sizes)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _kappa(pairs: Sequence[tuple[str, str | None]]) -> float | None:
    """Cohen's kappa of two raters; None where chance alone already agrees in full."""
    n = len(pairs)
    one, other = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    by_chance = sum(one[value] * other[value] for value in one)
    if by_chance == n * n:
        return None
    agreed = sum(a == b for a, b in pairs)
    return (agreed * n - by_chance) / (n * n - by_chance)
