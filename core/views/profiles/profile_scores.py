"""Verdicts as small codes, and the counts of them over groups of facts: one pass for all."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.dataset.subsets import Mask
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.question_states import CountCodes
from core.scoring.verdicts import (
    DIRECT_INFERENCE,
    EXCLUDED_NAN,
    INCOMPLETE,
    NO_PROFILE,
    VERDICTS,
    ProfileSummary,
    code_places,
    judge,
)
from core.vocabulary import CODE_ORDER, PROFILES

Codes = npt.NDArray[np.uint8]

_WITH_E, _WITH_K0 = len(VERDICTS), 2 * len(VERDICTS)
KEYS = 4 * len(VERDICTS)
"""Different keys: a verdict, and whether E and K0 hold."""

_VERDICT = np.tile(np.arange(len(VERDICTS), dtype=np.uint8), 4)
_E = np.arange(KEYS) // _WITH_E % 2 == 1
_K0 = np.arange(KEYS) // _WITH_K0 == 1
_PLACE = code_places(_VERDICT, _E, _K0)
"""The place in `CODE_ORDER` of each key."""


_STORED_UNKNOWN = _E & ~_K0 & ~np.isin(_VERDICT, (EXCLUDED_NAN, INCOMPLETE))
"""Keys of facts of the analysis set that are encoded and not known without thinking."""


@dataclass(frozen=True, slots=True)
class ProfileScores:
    """All verdicts under one policy.

    `keys` (models, facts) hold a verdict with E and K0, `codes` its place in `CODE_ORDER`;
    `thinking` (models,) says which models were asked with thinking.
    """

    keys: Codes
    codes: Codes
    thinking: Mask


@dataclass(frozen=True, slots=True)
class ModelCounts:
    """What is counted of one model over some facts: its summary, and facts by `CODE_ORDER`."""

    summary: ProfileSummary
    by_code: tuple[int, ...]


def judge_tally(tally: LabelCounts, cells: CountCodes, policy: Policy) -> ProfileScores:
    """The verdicts of all models of a tally (`cells` are its codes) under a policy."""
    found = judge(cells, tally.thinks(), policy, tally.find_skipping(policy))
    keys = found.verdict + np.uint8(_WITH_E) * found.encodes + np.uint8(_WITH_K0) * found.knows
    return ProfileScores(keys, _PLACE[keys], found.thinking)


def count_by_model(found: ProfileScores, facts: Mask) -> list[ModelCounts]:
    """Every model counted over the facts of a mask, shape (facts,)."""
    keys = found.keys[:, facts]
    models = np.arange(len(keys))[:, None]
    counts = _counts(keys + KEYS * models, len(keys))
    return [_summarise_keys(row, bool(on)) for row, on in zip(counts, found.thinking, strict=True)]


def count_by_group(
    found: ProfileScores, model: int, facts: Mask, groups: npt.NDArray[np.intp], size: int
) -> list[ModelCounts]:
    """One model (its place) counted over each of `size` groups; `groups` has each fact's."""
    keys = found.keys[model, facts].astype(np.intp)
    counts = _counts(keys + KEYS * groups[facts], size)
    return [_summarise_keys(row, bool(found.thinking[model])) for row in counts]


def _counts(keys: npt.NDArray[np.intp], size: int) -> npt.NDArray[np.intp]:
    return np.bincount(keys.ravel(), minlength=KEYS * size).reshape(size, KEYS)


def _summarise_keys(counts: npt.NDArray[np.intp], thinking: bool) -> ModelCounts:
    """The same numbers as `core.scoring.verdicts.summarise` gives, from how often each key
    occurs.
    """
    by_key: list[int] = counts.tolist()
    by_verdict, by_code = [0] * len(VERDICTS), [0] * len(CODE_ORDER)
    encoding = knowing = 0
    for key, count in enumerate(by_key):
        if not count:
            continue
        verdict = key % _WITH_E
        by_verdict[verdict] += count
        by_code[_PLACE[key]] += count
        included = verdict < len(PROFILES) if thinking else verdict == NO_PROFILE
        encoding += count * (included and key // _WITH_E % 2)
        knowing += count * ((included or verdict == DIRECT_INFERENCE) and key // _WITH_K0)
    return ModelCounts(
        ProfileSummary(thinking, tuple(by_verdict), encoding, knowing), tuple(by_code)
    )


def find_moved(now: ProfileScores, before: ProfileScores, model: int, facts: Mask) -> Mask:
    """Facts of a mask of which a model's code is another one now."""
    found: Mask = (now.codes[model] != before.codes[model]) & facts
    return found


def find_stored_unknown(found: ProfileScores, model: int) -> Mask:
    """Facts of the analysis set that a model encodes, and does not know without thinking."""
    stored: Mask = _STORED_UNKNOWN[found.keys[model]]
    return stored


def move_counts(now: ProfileScores, before: ProfileScores, facts: Mask) -> list[int]:
    """For every model how many of these facts have another code now."""
    counts: Sequence[int] = np.count_nonzero((now.codes != before.codes) & facts, axis=1).tolist()
    return list(counts)
