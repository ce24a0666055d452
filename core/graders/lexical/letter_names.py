"""Names of a letter, or of letters and a sign (A, C++, AB+), told from articles and pronouns."""

import re

from core.graders.lexical.english import FUNCTION_WORDS, split_words

BEFORE_LETTERS = frozenset(
    split_words(
        """
        vitamin vitamins hepatitis serie series type types group groups grade grades class option
        options choice choices answer answers letter plan league division category influenza rating
        level section part team appendix exhibit schedule phase stage model note key solution item
        """
    )
)
"""Words after which a letter is a name."""

_AFTER_LETTERS = frozenset(split_words("major minor sharp flat levels"))
_SPELLED = (
    (re.compile(r"\b([A-Za-z])[ -]?plus[ -]?plus\b", re.IGNORECASE), r"\1++"),
    (re.compile(r"\b([A-G])(?:[ -][Ss]harp\b|♯)"), r"\1#"),
    (re.compile(r"\b([A-GS])[ -][Ff]lat\b"), r"\1♭"),
    (re.compile(r"\b([A-Z]{1,2})[ -](?:[Pp]lus|[Pp]ositive|[Rr]h ?\+)(?!\w)"), r"\1+"),
    (re.compile(r"\b([A-Z]{1,2})[ -](?:[Mm]inus|[Nn]egative|[Rr]h ?-)(?!\w)"), r"\1-"),
)
_NAME = re.compile(r"[A-Za-z](?:\+{1,2}|#|♭|∗|-{1,2})?|[A-Z][A-Za-z]{1,2}(?:\+{1,2}|#|∗|-)")
_NEAR = 40
"""Characters on both sides of a letter that tell what it is."""

_LONGEST = len("C plus plus") + 1
_AROUND = "()[]{}\"' .:,;"
_COMMITMENT = re.compile(
    r"\b(?i:answer|choice|option)(?: is)?(?: option)?\W{0,4}"
    r"(?<![\w'])([A-Za-z])(?![\w+#♭∗'])(?! \w)"
    r"|\b(?i:answer|choice)(?: is|:)(?: option)? ?[(\[\"']*([A-Z])(?![\w+#♭∗'])",
)
_OPTION = re.compile(r"^ ?\(?([a-z])[).:] ", re.MULTILINE)
_CHOSEN = re.compile(
    r"\A[\s(\[\"']*([A-Za-z])(?:[)\]:]|\.?(?=[\s\"']*(?:\n|\Z)))"
    r"|\n[\s(\[\"']*([A-Z])(?![\w+#'])[^\w\n]*\Z"
)
_STARS = re.compile(r"(?<![*\w])([A-Za-z])\*(?![*\w])")
_BLOOD = re.compile(r"\bblood\b")


def keep_star(text: str) -> str:
    """A text in which the star of a name (A*) is no markup."""
    return _STARS.sub("\\1∗", text) if "*" in text else text


def letter_name(gold: str) -> str:
    """The name that a folded gold is if it is a letter, perhaps with a sign; empty for others."""
    name = gold.strip(_AROUND)
    if len(name) > _LONGEST:
        return ""
    name = _spell(name)
    return name.upper() if _NAME.fullmatch(name) else ""


def _spell(text: str) -> str:
    for pattern, sign in _SPELLED:
        text = pattern.sub(sign, text)
    return text


def offered_letters(question: str) -> frozenset[str]:
    """The letters, in upper case, of the options that a folded question lists in its lines."""
    found = frozenset(map(str.upper, _OPTION.findall(question)))
    return found if {"A", "B"} <= found else frozenset()


def chosen_letter(text: str) -> str:
    """The letter of an option that a folded answer settles on; empty where it says none.

    That is the last that it calls its answer, else one that it begins with or that ends it alone.
    """
    said = list(_COMMITMENT.finditer(text)) or list(_CHOSEN.finditer(text))
    return (said[-1][1] or said[-1][2]).upper() if said else ""


def find_letter(text: str, name: str, question: str) -> int:
    """Where a folded text has a letter as a name; -1 if it does not.

    Where it says which letter the answer is, no other one counts. In a `question` (lower case)
    about blood a group is met with its factor, too.
    """
    text = _spell(text)
    said = list(_COMMITMENT.finditer(text))
    if said and len(name) == 1:
        last = said[-1]
        letter = (last[1] or last[2]).upper()
        return last.start(1 if last[1] else 2) if letter == name else -1
    signs = r"(?![+\-](?!\w))" if not _BLOOD.search(question) else ""
    pattern = re.compile(
        rf"(?<![\w+#&@$])(?<!\w[.'’]){re.escape(name)}"
        r"(?![\w#♭∗&]|\+(?=\w)|[-.'][A-Za-z\d]|(?-i:\. [a-z]))" + ("" if len(name) > 1 else signs),
        re.IGNORECASE,
    )
    for match in pattern.finditer(text):
        if is_letter(text, *match.span()):
            return match.start()
    return -1


def is_before_mode(text: str, end: int) -> bool:
    """Whether what ends there stands before a word of names such as A minor and A levels."""
    word = re.match(r" ([^\W\d_]+)", text[end : end + _NEAR])
    return word is not None and word[1].lower() in _AFTER_LETTERS


def is_named_letter(text: str, start: int) -> bool:
    """Whether the word before a place of a text says that a letter follows: vitamin, serie."""
    word = re.search(r"([^\W\d_]+) \Z", text[max(0, start - _NEAR) : start])
    return word is not None and word[1].lower() in BEFORE_LETTERS


def is_letter(text: str, start: int, end: int) -> bool:
    """Whether what stands in a text there is a letter's name: no article, pronoun or initial."""
    raw = text[start:end]
    before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    quoted = before[-1:] in tuple("([\"'") and after[:1] in tuple(")]\"'")
    last = re.search(r"([^\W\d_]+)[^\w.!?\n]*$", before)
    word = last[1] if last else ""
    named = word.lower() in BEFORE_LETTERS or before.rstrip().endswith(":")
    follows = re.match(r" ([^\W\d_]+)", after)
    goes_on = follows[1] if follows else ""
    if before.endswith("-"):
        return word.lower() in BEFORE_LETTERS
    if len(raw) > 1 or quoted:
        return True
    if re.match(r"\. [A-Z][a-z]", after) and word[:1].isupper() and not named:
        return False
    if raw in "Aa":
        ends = follows is not None and not after[follows.end() :].strip(" .!?")
        return _is_a(raw, word, goes_on, named, ends)
    if raw in "Ii":
        return named or word in ("is", "be") or not (word or goes_on)
    return True


def _is_a(raw: str, word: str, goes_on: str, named: bool, ends: bool) -> bool:
    """Whether an "a" between two words of its sentence, either perhaps none, is no article.

    `ends`: the second word is the last of the text.
    """
    if not goes_on:
        return True
    joined = goes_on in FUNCTION_WORDS and goes_on not in ("few", "all")
    if raw == "a":
        return (named and joined) or (goes_on in _AFTER_LETTERS and not word and ends)
    if goes_on in _AFTER_LETTERS or named or joined:
        return True
    return bool(word) and goes_on.islower()
