"""Knowledge profiles: pure functions from question states to verdicts and shares.

Source: Calderon et al., section 4 and appendix C.1; the identities of table 2 hold by
construction.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.question_states import (
    BARE,
    FAIL,
    NOT_GRADABLE,
    OPEN,
    PASS,
    UNDECIDED,
    UNLABELLED,
    CountCodes,
    States,
    code_counts,
)
from core.vocabulary import (
    CODE_ORDER,
    CODES,
    ENCODING,
    KNOWLEDGE,
    PROFILES,
    TASK_INDEX,
    NoProfile,
    Profile,
    Strategy,
)

Mask = npt.NDArray[np.bool_]

CELLS = tuple(
    [(task, False) for task in (*ENCODING, *KNOWLEDGE)] + [(task, True) for task in KNOWLEDGE]
)
"""The ten cells (task, thinking) that decide a profile; two neighbours make a pair."""

PAIRS = len(CELLS) // 2

DIRECT_INFERENCE, EXCLUDED_NAN, INCOMPLETE, NO_PROFILE = 5, 6, 7, 8
"""Verdicts after the five profiles, whose numbers are their places in `PROFILES`."""

VERDICTS: tuple[str | None, ...] = (
    *PROFILES,
    NoProfile.DIRECT_INFERENCE,
    NoProfile.EXCLUDED_NAN,
    NoProfile.INCOMPLETE,
    None,
)
"""What each verdict is called; None: complete, but the model was never asked with thinking."""

_FIRST_UNMEASURED = CODE_ORDER.index("EK")
_PLACE = np.array(
    [_FIRST_UNMEASURED if name is None else CODE_ORDER.index(CODES[name]) for name in VERDICTS],
    np.uint8,
)

VERDICT_BY_BITS = np.array(
    [
        PROFILES.index(Profile.ENCODING_FAILURE),
        PROFILES.index(Profile.INFERENCE_WITHOUT_ENCODING),
        DIRECT_INFERENCE,
        DIRECT_INFERENCE,
        PROFILES.index(Profile.RECALL_FAILURE),
        PROFILES.index(Profile.RECALL_WITH_THINKING),
        PROFILES.index(Profile.DIRECT_RECALL),
        PROFILES.index(Profile.DIRECT_RECALL),
    ],
    np.uint8,
)
"""Verdict by 4 E + 2 K0 + KT (Calderon et al., table of profiles)."""


class Verdicts(NamedTuple):
    """Per model and fact, shape (models, facts): the verdict, and E, K0, KT behind it.

    `thinking` (models,) says which models were asked with thinking; for others KT means
    nothing.
    """

    verdict: npt.NDArray[np.uint8]
    encodes: Mask
    knows: Mask
    knows_thinking: Mask
    thinking: Mask


def code_cells(tally: LabelCounts) -> CountCodes:
    """The cells of all models as codes, shape (cells, models, facts).

    Made once per tally; every policy is then a look-up.
    """
    models, facts = len(tally.models), tally.exists.shape[1]
    counts = np.zeros((4, len(CELLS), models, facts), tally.labels.dtype)
    exists = np.zeros((len(CELLS), 1, facts), np.bool_)
    rest = tally.count_left()
    left = None if rest is None else np.zeros((len(CELLS), models, facts), rest.dtype)
    for cell, (task, thinking) in enumerate(CELLS):
        place = TASK_INDEX[task]
        rows = tally.rows[:, int(thinking)]
        asked = rows >= 0
        counts[:, cell, asked] = tally.labels[rows[asked], :, place].transpose(1, 0, 2)
        exists[cell, 0] = tally.exists[place]
        if rest is not None and left is not None:
            left[cell, asked] = rest[rows[asked], place]
    return code_counts(counts, np.broadcast_to(exists, counts.shape[1:]), left)


def judge(
    cells: CountCodes, thinking: Mask, policy: Policy, skipping: Mask | None = None
) -> Verdicts:
    """Verdicts of all models and facts under a policy; `skipping` is the tally's."""
    return judge_states(cells.states(policy), thinking, policy.strategy, skipping)


def judge_states(
    cells: States, thinking: Mask, strategy: Strategy, skipping: Mask | None = None
) -> Verdicts:
    """Verdicts from the states of the ten cells, shape (cells, models, facts).

    A fact with undecided cells is incomplete, unless it is one of `skipping` (models, facts) and
    they cannot change E, K0, KT or whether it is excluded.
    """
    pairs = cells[0::2] | cells[1::2]
    encoding, direct, reverse, direct_on, reverse_on = pairs
    off, on = direct | reverse, direct_on | reverse_on
    encodes = (encoding & PASS) != 0
    knows = (off & FAIL) == 0
    knows_thinking = (on & FAIL) == 0
    verdict = VERDICT_BY_BITS[(encodes * np.uint8(4)) | (knows * np.uint8(2)) | knows_thinking]
    verdict[~thinking] = NO_PROFILE
    _set_aside(verdict, pairs, thinking, strategy, skipping)
    return Verdicts(verdict, encodes, knows, knows_thinking, thinking)


def _set_aside(
    verdict: npt.NDArray[np.uint8],
    pairs: States,
    thinking: Mask,
    strategy: Strategy,
    skipping: Mask | None,
) -> None:
    """Mark facts without a profile: not gradable where the strategy minds it, then incomplete."""
    counted = np.ones(PAIRS, np.bool_), np.array([True, True, True, False, False])
    for models, which in ((thinking, counted[0]), (~thinking, counted[1])):
        if not models.any():
            continue
        seen = pairs[which][:, models]
        if strategy is Strategy.FACT:
            ungradable = ((seen & NOT_GRADABLE) != 0).any(axis=0)
        else:
            ungradable = (seen == NOT_GRADABLE).any(axis=0)
        incomplete = ((seen == 0) | ((seen & (UNLABELLED | UNDECIDED)) != 0)).any(axis=0)
        if skipping is not None and skipping.any():
            whole = ((seen != 0) & ((seen & UNLABELLED) == 0)).all(axis=0)
            incomplete &= ~(skipping[models] & whole & _find_decided(seen, strategy))
        part = verdict[models]
        part[ungradable] = EXCLUDED_NAN
        part[incomplete] = INCOMPLETE
        verdict[models] = part


def _find_decided(pairs: States, strategy: Strategy) -> Mask:
    """Facts of which E, K0 and KT are decided and no pair can be found not gradable.

    `pairs` (pairs, models, facts) starts with encoding; with the strategy `fact` no cell can be.
    """
    if strategy is Strategy.FACT:
        decided = ((pairs & (BARE | NOT_GRADABLE)) == 0).all(axis=0)
    else:
        decided = ((pairs & (PASS | FAIL | OPEN)) != 0).all(axis=0)
    parts = [pairs[0]] + [pairs[place] | pairs[place + 1] for place in range(1, len(pairs), 2)]
    for part, settling in zip(parts, (PASS, FAIL, FAIL), strict=False):
        decided &= ((part & settling) != 0) | ((part & UNDECIDED) == 0)
    found: Mask = decided
    return found


def code_places(
    verdict: npt.NDArray[np.uint8], encodes: Mask, knows: Mask
) -> npt.NDArray[np.uint8]:
    """Places in `CODE_ORDER` of verdicts, by the columns of `Verdicts`, in their shape."""
    unmeasured = np.where(verdict == NO_PROFILE, 2 * ~encodes + ~knows, 0)
    found: npt.NDArray[np.uint8] = _PLACE[verdict] + unmeasured.astype(np.uint8)
    return found


def code_of(verdict: int, encodes: bool, knows: bool) -> str:
    """The two letters of one verdict."""
    if verdict == NO_PROFILE:
        return ("E" if encodes else "-") + ("K" if knows else "-")
    return CODE_ORDER[_PLACE[verdict]]


class ProfileSummary(NamedTuple):
    """One model's totals over some facts; the properties are those of semantics section 4."""

    thinking: bool
    by_verdict: tuple[int, ...]
    encoding: int
    knowing: int

    @property
    def total(self) -> int:
        """All facts of the subset."""
        return sum(self.by_verdict)

    @property
    def incomplete(self) -> int:
        """Facts with a missing pair or a cell without labels."""
        return self.by_verdict[INCOMPLETE]

    @property
    def excluded_nan(self) -> int:
        """Complete facts whose questions cannot be graded."""
        return self.by_verdict[EXCLUDED_NAN]

    @property
    def direct_inference(self) -> int | None:
        """Facts known without being encoded; None without thinking."""
        return self.by_verdict[DIRECT_INFERENCE] if self.thinking else None

    @property
    def included(self) -> int | None:
        """Facts with one of the five profiles; None without thinking."""
        return sum(self.by_verdict[: len(PROFILES)]) if self.thinking else None

    @property
    def counts(self) -> dict[str, int] | None:
        """Facts by profile; None without thinking."""
        if not self.thinking:
            return None
        return dict(zip(map(str, PROFILES), self.by_verdict, strict=False))

    @property
    def shares(self) -> dict[str, float | None] | None:
        """Shares of the five profiles in the included facts; None without thinking."""
        counts = self.counts
        if counts is None:
            return None
        return {name: ratio(count, self.included) for name, count in counts.items()}

    @property
    def not_gradable_share(self) -> float | None:
        """Share of the complete facts that cannot be graded."""
        return ratio(self.excluded_nan, self.total - self.incomplete)

    @property
    def direct_inference_share(self) -> float | None:
        """Share of the complete facts that are direct inference; None without thinking."""
        if self.direct_inference is None:
            return None
        return ratio(self.direct_inference, self.total - self.incomplete)

    @property
    def excluded_share(self) -> float | None:
        """Share of the complete facts that have no profile."""
        if self.direct_inference is None:
            return None
        return ratio(self.excluded_nan + self.direct_inference, self.total - self.incomplete)

    @property
    def encodes(self) -> float | None:
        """Share of facts that the model encodes."""
        return ratio(self.encoding, self._base())

    @property
    def knows(self) -> float | None:
        """Share of facts known without thinking."""
        return ratio(self.knowing, self._base())

    @property
    def knows_thinking(self) -> float | None:
        """Share of facts known without or with thinking; None without thinking."""
        if not self.thinking:
            return None
        known = sum(
            self.by_verdict[PROFILES.index(profile)]
            for profile in (
                Profile.DIRECT_RECALL,
                Profile.RECALL_WITH_THINKING,
                Profile.INFERENCE_WITHOUT_ENCODING,
            )
        )
        return ratio(known + self.by_verdict[DIRECT_INFERENCE], self.included)

    def _base(self) -> int:
        if self.included is not None:
            return self.included
        return self.total - self.incomplete - self.excluded_nan

    def as_json(self) -> dict[str, object]:
        """The keys of `profiles --json` for one model or group."""
        return {
            "thinking": self.thinking,
            "total": self.total,
            "incomplete": self.incomplete,
            "excluded_nan": self.excluded_nan,
            "direct_inference": self.direct_inference,
            "included": self.included,
            "counts": self.counts,
            "shares": self.shares,
            "not_gradable_share": self.not_gradable_share,
            "direct_inference_share": self.direct_inference_share,
            "excluded_share": self.excluded_share,
            "encodes": self.encodes,
            "knows": self.knows,
            "knows_thinking": self.knows_thinking,
        }


def summarise(verdicts: Verdicts, facts: Mask) -> list[ProfileSummary]:
    """One summary a model over the facts of the mask, shape (facts,)."""
    return [_summary(verdicts, model, facts) for model in range(verdicts.verdict.shape[0])]


def summarise_groups(
    verdicts: Verdicts, model: int, groups: Mapping[str, Mask]
) -> dict[str, ProfileSummary]:
    """One model's summaries over several groups of facts."""
    return {name: _summary(verdicts, model, mask) for name, mask in groups.items()}


def _summary(verdicts: Verdicts, model: int, facts: Mask) -> ProfileSummary:
    thinking = bool(verdicts.thinking[model])
    found = verdicts.verdict[model, facts]
    by_verdict = np.bincount(found, minlength=len(VERDICTS))
    counted = found < len(PROFILES) if thinking else found == NO_PROFILE
    encodes, knows = verdicts.encodes[model, facts], verdicts.knows[model, facts]
    # Table 2's identity: direct inference counts as knowing, though it is not in the base.
    knowing = knows & (counted | (found == DIRECT_INFERENCE))
    return ProfileSummary(
        thinking,
        tuple(int(count) for count in by_verdict),
        int(np.count_nonzero(encodes & counted)),
        int(np.count_nonzero(knowing)),
    )


def ratio(part: float, whole: float | None) -> float | None:
    """A share; None for 0 / 0."""
    return float(part / whole) if whole else None
