"""What an answer does with what it names: affirms, denies, refuses, says nothing."""

import re
from collections.abc import Sequence

from core.graders.lexical.english import DENIALS, DENYING_PAIRS, FILLERS, NO_DENIALS, USUALLY

_REFUSAL = re.compile(
    r"\b(?:i|we) (?:do not|don't|dont|did not|didn't) (?:\w+ )?"
    r"(?:know|have|recall|remember|find|understand)\b"
    r"|\b(?:i am|i'm|we are|we're) (?:\w+ )?"
    r"(?:unable|not able|not sure|unsure|sorry|not aware|not certain|not familiar)\b"
    r"|\b(?:can ?not|can't|could ?n[o']t|could not|unable to) (?:be )?(?:\w+ )?"
    r"(?:answer|determine|find|provide|say|tell|verify|identif\w+|assist|help)"
    r"|\bas an ai\b|\bai language model\b"
    r"|\bno (?:information|answer|data|definitive|specific|clear|evidence|record|idea)\b"
    r"|\bneed (?:more|additional|further) (?:context|information|detail\w*)"
    r"|\bprovide (?:me with )?(?:more|additional|further) (?:context|information|detail\w*)"
    r"|\bnot (?:specified|known|available|clear|certain)\b|\b(?:unclear|unknown|uncertain)\b"
    r"|\bsorry\b|\bidk\b|\bn/a\b"
)
_DESCRIPTION = re.compile(
    r"(?:(?:who|which|that|he|she|it|they) )?(?:(?:is|was|were|are|has been|became|become) )?"
    r"(?:\w+ly |well |best )?"
    r"(?:noted|known|famous|renowned|recogni[sz]ed|remembered|celebrated) (?:for|as)\b"
)
_GOES_ON = re.compile(r"(?:or|nor|but|and|who|whose|which|where|when|because|although)\b")
_SENTENCE_END = re.compile(r"(?<=[.!?]) +|\n+|[,;] (?=but\b|however\b|although\b|though\b)")
_REACH = 4
"""A denial reaches this many words on, within its clause."""

_YES = frozenset({"yes", "true", "correct"})
_NO = frozenset({"no", "false", "incorrect"})


def refuses(text: str) -> bool:
    """Whether a folded lower-case text says that it gives no answer."""
    return bool(_REFUSAL.search(text))


def drop_refusals(text: str) -> str:
    """The sentences and contrasting clauses of a folded text that give more than a refusal."""
    return " ".join(part for part in _SENTENCE_END.split(text) if not refuses(part.lower()))


def is_filler(words: Sequence[str]) -> bool:
    """Whether words are a bare acknowledgement that answers nothing."""
    return all(word in FILLERS for word in words)


def describes(text: str, unfinished: bool) -> bool:
    """Whether a folded lower-case text goes on about its subject without naming anything.

    The continuation of an `unfinished` text does so, too, if it begins with a conjunction or a
    relative clause.
    """
    text = text.lstrip(" .,;:-")
    return bool(_DESCRIPTION.match(text) or (unfinished and _GOES_ON.match(text)))


def denies(words: Sequence[str], clause: Sequence[int], at: int) -> bool:
    """Whether the words just before position `at`, in its clause, deny what stands there."""
    near = [words[i] for i in range(max(0, at - _REACH), at) if clause[i] == clause[at]]
    for i, word in enumerate(near):
        if word in DENIALS:
            return NO_DENIALS.isdisjoint(near[i + 1 :])
        if (word, *near[i + 1 : i + 2]) in DENYING_PAIRS:
            return True
    return False


def plain_polarity(words: Sequence[str]) -> bool | None:
    """Whether a gold is a yes (True) or a no (False), perhaps a usual one; None for any other."""
    said = [word for word in words if word not in USUALLY]
    if len(said) != 1 or said[0] not in _YES | _NO or len(words) > len(said) + 2:
        return None
    return said[0] in _YES


def polarity(words: Sequence[str], text: str, echoes: bool) -> bool | None:
    """Whether an answer says yes (True) or no (False): by its first word, else by negation.

    A usual one (typically, no) is one. None if it does neither: it refuses, or has no such word
    and does not even echo the question. `words` are those of the folded lower-case `text`.
    """
    first = next((word for word in words if word not in USUALLY), "")
    if first in _YES | _NO:
        return first in _YES
    said = set(words)
    if refuses(text) or not (echoes or said & (_YES | _NO)):
        return None
    return not (said & (_NO | {"not", "never", "cannot"}) or "n't" in text)
