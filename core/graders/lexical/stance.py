"""What an answer does with what it names: affirms, denies, refuses, says nothing."""

import re
from collections.abc import Sequence

from core.graders.lexical.english import (
    DENIALS,
    DENYING_PAIRS,
    FILLERS,
    NO_DENIALS,
    TURNS,
    USUALLY,
    split_words,
)

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

_CLAUSE = 8
"""So many words before and behind are looked at for what a whole clause says of a name."""

_DISBELIEF = re.compile(
    r"\b(?:(?:dont|doesnt|didnt|wouldnt|cannot|cant|(?:do|does|did|would|can) not)"
    r" (?:\w+ly )?(?:think|believe|say|suppose)|(?<!\bno )(?<!\bnot )(?<!\bnever )doubt|unlikely)\b"
    r"(?!.*\b(?:doubt|any|anything|anyone|anywhere|other|else|but|without|for|if)\b)"
)
"""I don't think that it is Lyon; I doubt that; it is unlikely to be."""

_OTHERS_SAY = re.compile(
    r"\b(?:(?:many|most|some|people|others)(?: people)?(?: might| may| would)?"
    r"(?: often| commonly| mistakenly| wrongly| incorrectly| falsely)? (?:say|think|believe|assume)"
    r"|(?:1|initially|originally) thought(?: of)?|(?:going|tempted) to say)\b"
)
"""Who says it is not who answers, where something else follows behind `but` or `actually`. The word
first is the figure 1 there."""

_CONTRAST = re.compile(r"\b(?:but|actually|however)\b(?! (?:some|others|a few|it may|it might)\b)")
_CALLED_WRONG = re.compile(
    r"(?:\w+ ){0,3}(?:is|was|are|were|would be) (?:\w+ly )?"
    r"(?:wrong|incorrect|untrue|false|not (?:right|correct|the (?:right |correct )?answer))\b"
)
"""What is said of a name right behind it: Lyon is wrong."""

_DENIED_FIGURE = re.compile(
    r"(?:\bnot|n't|\bneither|\bnor|\brather than|\binstead of) "
    r"(?![^,.;]{0,40}\b(?:until|till|before|only|just|than|since|sure|certain|after)\b)"
    r"[^,.;:!?]{0,24}?\d(?:[^,;!?.]|[.,](?=\d))*?(?=\bbut\b|, |[;!?]|\.(?!\d)|$)"
)
"""A number or a date that is denied: not 1931 but 1932."""

_YES = frozenset(split_words("yes true correct yep yeah yup aye affirmative yea"))
_NO = frozenset(split_words("no false incorrect nope nah nay wrong untrue"))
_BRIEF = re.compile(
    r"\W*(?:(?:well|oh|ah|and|but|i think|i believe|i would say|i'd say|in fact|actually)\b\W*)*"
    r"(?:(?P<no>(?:certainly|definitely|absolutely|of course|surely|probably|indeed)? ?not\b"
    r"|by no means|no way|never\b|on the contrary|not at all|far from it|hardly\b|negative\b"
    r"|(?:i do not|i don't) (?:think|believe) so"
    r"|(?:that is|that's|this is|it is|it's) (?:not (?:so|true|correct|right|the case)|false|wrong"
    r"|incorrect|untrue))"
    r"|(?P<yes>indeed|of course|certainly|definitely|absolutely|surely|exactly|precisely|right\b"
    r"|sure(?:\W*$| it| they| he| she| thing)|without (?:a )?doubt|undoubtedly|undeniably|naturally"
    r"|obviously|positive\b|so\b(?= ?[.!]*$)|very much so"
    r"|(?:it|they|that|this) sure (?:is|are|does)|by all means|affirmative|you bet"
    r"|(?:i think|i believe) so"
    r"|(?:that is|that's|this is|it is|it's) (?:so|true|correct|right|the case|indeed)\b)"
    r"|(?:it|he|she|they|we|you|i|that|this|these|those|there|one) "
    r"(?:indeed |really |certainly |definitely |actually |probably )?"
    r"(?:is|are|was|were|am|does|do|did|has|have|had|can|could|will|would|shall|should|may|might|"
    r"must|wo(?=n't))(?P<denied>n't|nt\b| ?not\b)?(?: indeed| really| so| certainly)?"
    r"(?=\W*(?:$|[.!,;:\n])))"
)
"""A yes or no without the word: by an adverb, or by pronoun and verb alone."""


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
    """Whether the words just before position `at`, in its clause, deny what stands there.

    Of "not Lyon but Paris" only the first is denied.
    """
    near = [words[i] for i in range(max(0, at - _REACH), at) if clause[i] == clause[at]]
    for i, word in enumerate(near):
        if word in DENIALS:
            return NO_DENIALS.isdisjoint(near[i + 1 :]) and not _turns(near[i + 2 :])
        if (word, *near[i + 1 : i + 2]) in DENYING_PAIRS:
            return True
    first, end = at, at + 1
    while first > max(0, at - _CLAUSE) and clause[first - 1] == clause[at]:
        first -= 1
    while end < min(len(words), at + _CLAUSE) and clause[end] == clause[at]:
        end += 1
    before = " ".join(words[first:at])
    if _DISBELIEF.search(before) or _CALLED_WRONG.match(" ".join(words[at + 1 : end])):
        return True
    behind = " ".join(words[at + 1 : at + 1 + _CLAUSE])
    return bool(_OTHERS_SAY.search(before) and _CONTRAST.search(behind))


def drop_denied_figures(text: str) -> str:
    """A folded lower-case text without the numbers and dates that it denies."""
    return _DENIED_FIGURE.sub(" ", text)


def _turns(words: Sequence[str]) -> bool:
    """Whether words go from what is denied to what is meant."""
    return any(
        word in TURNS and (word, *words[i + 1 : i + 2]) not in DENYING_PAIRS
        for i, word in enumerate(words)
    )


def plain_polarity(words: Sequence[str]) -> bool | None:
    """Whether a gold is a yes (True) or a no (False), perhaps a usual one; None for any other."""
    said = [word for word in words if word not in USUALLY]
    if len(said) != 1 or said[0] not in _YES | _NO or len(words) > len(said) + 2:
        return None
    return said[0] in _YES


def polarity(words: Sequence[str], text: str, echoes: bool) -> bool | None:
    """Whether an answer says yes (True) or no (False): by its first word, else by negation.

    A usual one (typically, no) is one, and so are others without the word (indeed; it is; it
    isn't). None if it does neither: it refuses, or has no such word and does not even echo the
    question. `words` are those of the folded lower-case `text`.
    """
    said = [word for word in words if word not in USUALLY]
    first = said[0] if said else ""
    if first in _YES | _NO:
        return first in _YES
    brief = _BRIEF.match(text)
    if brief is not None and not refuses(text):
        if brief["yes"] or brief["no"]:
            return bool(brief["yes"])
        return not brief["denied"]
    known = set(words)
    if refuses(text) or not (echoes or known & (_YES | _NO)):
        return None
    return not (known & (_NO | {"not", "never", "cannot"}) or "n't" in text)
