"""How often the scorers of a log said what, and what of it is a label."""

from collections import Counter
from dataclasses import dataclass, field

from core.exchange.score_labels import (
    LESS_IS_BETTER,
    NO_GRADE,
    OTHER_SCALE,
    OUTSIDE,
    explain_scale,
)
from core.vocabulary import LABELS

_LABELS = tuple(map(str, LABELS))

What = tuple[str, str, str]
"""A grader with a label, or with the reason why there is none; the letter if it grades by one."""


@dataclass(slots=True)
class ScoreTally:
    """What scores of a log say, by grader and label or reason; `outside` are no graders at all.

    `edited` has the graders whose scores a person replaced; of `bounded` less is better, and a
    number up to the bound that was given is CORRECT.
    """

    counts: Counter[What] = field(default_factory=Counter)
    outside: set[str] = field(default_factory=set)
    edited: dict[str, set[str]] = field(default_factory=dict)
    bounded: set[str] = field(default_factory=set)

    @property
    def scales(self) -> dict[str, set[str]]:
        """The letters of graders whose letters are another scale than C, I, P, N."""
        found: dict[str, set[str]] = {}
        for grader, _, letter in self.counts:
            if letter:
                found.setdefault(grader, set()).add(letter)
        others = {
            grader: letters
            for grader, letters in found.items()
            if not OTHER_SCALE.isdisjoint(map(str.lower, letters))
        }
        people = {
            person: found[person]
            for person, graders in self.edited.items()
            if person in found and not others.keys().isdisjoint(graders)
        }
        return others | people

    def is_label(self, what: What) -> bool:
        """Return whether it is a label, by all that is known of its grader."""
        grader, said, letter = what
        if grader in self.outside or said not in _LABELS:
            return False
        return not letter or letter.lower() in OTHER_SCALE or grader not in self.scales

    def list_unlabelled(self) -> list[tuple[str, str, int]]:
        """Grader, reason and count of values that are no labels, by grader."""
        counted: Counter[tuple[str, str]] = Counter()
        for what, count in self.counts.items():
            grader, said, _ = what
            if grader in self.outside:
                counted[grader, OUTSIDE] += count
            elif not self.is_label(what):
                counted[grader, NO_GRADE if said in _LABELS else said] += count
        return sorted((grader, reason, count) for (grader, reason), count in counted.items())

    def list_labels(self) -> list[tuple[str, str, int]]:
        """Grader, label and count of values that are labels, by grader."""
        counted: Counter[tuple[str, str]] = Counter()
        for what, count in self.counts.items():
            if self.is_label(what):
                counted[what[:2]] += count
        return [
            (grader, label, counted[grader, label])
            for grader in sorted({one for one, _, _ in self.counts} - self.outside)
            for label in _LABELS
            if (grader, label) in counted
        ]

    def list_notices(self) -> list[str]:
        """Scorers that were not read in the usual way, and how to read them."""
        unread: dict[str, set[str]] = {}
        for what in self.counts:
            if what[2] and not self.is_label(what):
                unread.setdefault(what[0], set()).add(what[2])
        told = [explain_scale(grader, unread[grader]) for grader in sorted(unread)]
        less = {grader for grader, said, _ in self.counts if said == LESS_IS_BETTER}
        told += [
            f"{grader}: less is better, so its values are no labels: "
            f'--words "{grader}:0=CORRECT" reads a 0, --correct-at T a number up to T'
            for grader in sorted(less - self.outside - self.bounded)
        ]
        told += [
            f"{grader}: less is better, so a number up to that of --correct-at is CORRECT"
            for grader in sorted(self.bounded - self.outside)
        ]
        return told
