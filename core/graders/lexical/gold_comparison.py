"""Golds that are words - names, terms, phrases - against an answer."""

from itertools import accumulate, pairwise

from rapidfuzz import fuzz

from core.graders.lexical.english import FUNCTION_WORDS, SHORT_NAMES, TITLES
from core.graders.lexical.lexical_answer import LexicalAnswer
from core.graders.lexical.lexical_gold import LexicalGold
from core.graders.lexical.word_alignment import SPELLING, Alignment, align, are_opposites
from core.vocabulary import Label


def same_given_name(one: str, other: str) -> bool:
    """Whether two given names may be one person's: equal, an initial, or a common short form."""
    if one == other:
        return True
    if len(one) == 1 or len(other) == 1:
        return one[0] == other[0]
    return any(one in group and other in group for group in SHORT_NAMES)


FULL = 0.6
"""Coverage of a gold's telling words from which an answer says it, whatever else it says.

Like the next two chosen on half A of the human labels (docs/background/graders.md): 0.55 to 0.7
change agreement there by 0.3 points, 0.35 to 0.45 for MOST_ALONE and 0.45 for MOST by none.
"""

MOST = 0.5
"""Coverage from which an answer that says other things, too, says a part of the gold."""

MOST_ALONE = 0.4
"""Coverage from which an answer that says nothing else means the gold."""

MOST_OF_NAME = 0.3
"""The same where the gold is a name and its first words stand alone (Toronto, Ontario, Canada)."""

SENTENCE = 8
"""Words from which an answer is a sentence, in which the head of a term stands for the term."""

MISSPELT = 80
"""Least likeness (rapidfuzz, percent) of a misspelt gold to the words of the answer.

Low, for whole names misheard (boxes D.18 and D.19); MISSPELT_WORD keeps other names out.
"""

MISSPELT_WORD = 70
"""The same for each of its telling words."""

MISSPELT_LENGTH = 60
"""Most characters of a gold that is looked for with other letters: that of long names."""

MOST_INITIALS = 6
"""Letters up to which a gold in capitals is looked for as initials."""

RUN_TOGETHER = 5
"""Least letters of a gold that is looked for without regard to spaces."""


_MODES = frozenset(("major", "minor"))


def contains_gold(gold: LexicalGold, answer: LexicalAnswer) -> bool:
    """Whether the answer has the gold word for word and does not deny it."""
    line = answer.line
    start = line.find(gold.line)
    while start >= 0:
        if not answer.denies(line.count(" ", 0, start)):
            return True
        start = line.find(gold.line, start + 1)
    return False


def compare(gold: LexicalGold, answer: LexicalAnswer, asks_person: bool) -> Label | None:
    """CORRECT, PARTIALLY, or None where the answer does not give this gold."""
    if _run_together(gold, answer) or _is_acronym(gold, answer) or _is_spelled_out(gold, answer):
        return Label.CORRECT
    found = align(gold, answer)
    if found.share == 0 or not (found.evidence or (gold.given and not answer.news)):
        if gold.common and found.head and MOST < found.share < 1:
            return Label.PARTIALLY
        return _match_misspelt(gold, answer)
    if _other_number(gold, answer, found) or _other_letter(gold, answer, found):
        return None
    if _other_mode(gold, answer, found):
        return None
    if answer.denies(min(at for at in found.at if at >= 0)):
        return None
    rule = _person if gold.person and asks_person else _phrase
    return rule(gold, answer, found) or _match_misspelt(gold, answer)


def _run_together(gold: LexicalGold, answer: LexicalAnswer) -> bool:
    """Whether the answer has the gold with other spaces (Hyungwon, Hyung Won).

    It has to start with a word, and to end with one unless it is long.
    """
    start = answer.joined.find(gold.joined)
    if start < 0 or len(gold.joined) < RUN_TOGETHER:
        return False
    bounds = [0, *accumulate(map(len, answer.passage.words))]
    if start not in bounds or answer.denies(bounds.index(start)):
        return False
    return start + len(gold.joined) in bounds or len(gold.joined) >= 2 * RUN_TOGETHER


def _is_acronym(gold: LexicalGold, answer: LexicalAnswer) -> bool:
    at = answer.index.get(gold.acronym, -1)
    return at >= 0 and answer.passage.capital[at] and not answer.denies(at)


def _is_spelled_out(gold: LexicalGold, answer: LexicalAnswer) -> bool:
    """Whether the answer has the words of which a gold is the initials (Department of ...)."""
    name = gold.passage.text.strip()
    if not (name.isalpha() and name.isupper() and 3 <= len(name) <= MOST_INITIALS):
        return False
    words, capital = answer.passage.words, answer.passage.capital
    named = [i for i, word in enumerate(words) if capital[i] and word not in FUNCTION_WORDS]
    initials = "".join(words[i][0] for i in named)
    at = initials.find(name.lower())
    if at < 0:
        return False
    span = named[at : at + len(name)]
    close = all(later - earlier <= 2 for earlier, later in pairwise(span))
    return close and not answer.denies(span[0])


def _other_number(gold: LexicalGold, answer: LexicalAnswer, found: Alignment) -> bool:
    """Whether a number of the gold is missing and the answer has another one instead.

    One that the question gives, too, is another one where it stands beside the gold's words.
    """
    beside = {i + step for i in found.at if i >= 0 for step in (-1, 1)} - set(found.at)
    missing = any(
        at < 0 and gold.passage.words[i].isdigit()
        for at, i in zip(found.at, gold.content, strict=True)
    )
    return missing and any(
        word.isdigit() and (i in answer.news or i in beside)
        for i, word in enumerate(answer.passage.words)
    )


def _other_letter(gold: LexicalGold, answer: LexicalAnswer, found: Alignment) -> bool:
    """Whether a letter of the gold is missing and another one stands beside its words."""
    words = gold.passage.words
    if all(
        at >= 0 or not _is_letter(words[i]) for at, i in zip(found.at, gold.content, strict=True)
    ):
        return False
    said = answer.passage.words
    beside = {i + step for i in found.at if i >= 0 for step in (-1, 1)} - set(found.at)
    return any(0 <= i < len(said) and _is_letter(said[i]) for i in beside)


def _other_mode(gold: LexicalGold, answer: LexicalAnswer, found: Alignment) -> bool:
    """Whether the answer has major where the gold has minor, or the other way round."""
    aligned = zip(found.at, gold.content, strict=True)
    missing = _MODES & {gold.passage.words[i] for at, i in aligned if at < 0}
    return bool(missing) and not (_MODES - missing).isdisjoint(answer.passage.words)


def _is_letter(word: str) -> bool:
    return len(word.rstrip("'+#∗♭-")) == 1 and word != "a" and not word.isdigit()


def _phrase(gold: LexicalGold, answer: LexicalAnswer, found: Alignment) -> Label | None:
    """A term or a name that is no person's.

    A modifier alone stands for the whole (a continental one), the bare head of a common noun
    for less (a photographer), the bare head of a name for another one (Perimeter Wall).
    """
    if found.coverage >= FULL:
        return None if _other_head(gold, answer, found) else Label.CORRECT
    if gold.common and not found.head and found.coverage >= MOST:
        return Label.CORRECT
    if answer.news <= set(found.at):
        if gold.person and not found.head and not answer.telling <= set(found.at):
            return None
        part = found.head if gold.common else gold.person and not found.head
        least = MOST_ALONE if gold.common or found.head else MOST_OF_NAME
        whole = found.coverage >= least and not part
        return Label.CORRECT if whole else Label.PARTIALLY
    if found.coverage >= MOST and (gold.common or not found.head):
        said = gold.common and len(answer.passage.words) >= SENTENCE
        return Label.CORRECT if said else Label.PARTIALLY
    return None


def _other_head(gold: LexicalGold, answer: LexicalAnswer, found: Alignment) -> bool:
    """Whether an answer of as many words has another one in place of the gold's last."""
    if found.head or gold.common or len(answer.telling) != len(gold.content):
        return False
    if len(answer.passage.words) > len(gold.passage.words):
        return False
    last = max(answer.telling)
    return last not in found.at and last in answer.news and last > max(found.at)


def _person(gold: LexicalGold, answer: LexicalAnswer, found: Alignment) -> Label | None:
    """A person's name: the surname decides, unless someone else's given names precede it."""
    named = [(gold.passage.words[i], at) for i, at in zip(gold.content, found.at, strict=True)]
    named = [(word, at) for word, at in named if word not in TITLES] or named
    (_, surname), given = named[-1], named[:-1]
    if surname < 0:
        return Label.PARTIALLY if _only_first(answer, given) else None
    if gold.given or any(at in answer.news for _, at in named):
        stems = answer.passage.stems
        bearers = [i for i, stem in enumerate(stems) if stem == stems[surname]]
        names = [word for word, _ in given]
        if not all(_another_bearer(answer, at, names) for at in bearers):
            return Label.CORRECT
    return None


def _only_first(answer: LexicalAnswer, given: list[tuple[str, int]]) -> bool:
    """Whether an answer is nothing but the given names of a person, letter for letter."""
    words = answer.passage.words
    named = {at for name, at in given if at >= 0 and words[at] == name}
    return bool(named) and answer.telling <= named


def _another_bearer(answer: LexicalAnswer, surname: int, given: list[str]) -> bool:
    """Whether the words before a surname are given names, and none of those expected."""
    words, clause, capital = answer.passage.words, answer.passage.clause, answer.passage.capital
    before = [
        words[i]
        for i in range(max(0, surname - 3), surname)
        if clause[i] == clause[surname]
        and (capital[i] or len(words) <= 4)
        and words[i] not in FUNCTION_WORDS
        and words[i] not in TITLES
    ]
    if not before or words[surname - 1] != before[-1]:
        return False
    return not any(
        same_given_name(one, other) or fuzz.ratio(one, other) >= SPELLING
        for one in _add_initials(given)
        for other in _add_initials(before)
    )


def _add_initials(names: list[str]) -> list[str]:
    return [*names, "".join(name[0] for name in names)] if names else []


def _is_misspelt(one: str, other: str) -> bool:
    return fuzz.ratio(one, other) >= MISSPELT_WORD and not are_opposites(one, other)


def _match_misspelt(gold: LexicalGold, answer: LexicalAnswer) -> Label | None:
    """CORRECT if some stretch of the answer is the gold with other letters here and there."""
    line, text = gold.line.strip(), answer.line.strip()
    if not RUN_TOGETHER <= len(line) <= MISSPELT_LENGTH or any(map(str.isdigit, line)):
        return None
    words, at = answer.passage.words, 0
    if fuzz.ratio(line, text) < MISSPELT:
        near = fuzz.partial_ratio_alignment(line, text, score_cutoff=MISSPELT)
        if near is None or len(line) > len(text):
            return None
        at = text.count(" ", 0, near.dest_start)
        words = words[at : text.count(" ", 0, near.dest_end) + 1]
    if answer.denies(at) or not all(
        any(_is_misspelt(gold.passage.words[i], word) for word in words) for i in gold.content
    ):
        return None
    return Label.CORRECT
