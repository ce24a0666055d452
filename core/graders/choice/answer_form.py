"""Answers to multiple choice as they are compared: without reasoning, markdown and wrappers."""

import re
from collections.abc import Sequence, Set
from typing import NamedTuple

from core.graders.choice.choice_words import AFTER_LETTER
from core.providers import reasoning_marks

MOST_THOUGHTS = 8
"""Stretches of reasoning that are dropped from one answer."""

Found = tuple[int, int, int]
"""Where a text stands (from, to), and which option it is of; of a letter `~place`."""

_FOLDED = (
    {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
    | dict(zip(map(ord, "。、【】「」《》،؛→⇒\u3000\xa0"), '.,[]"""",;::  ', strict=True))
    | dict.fromkeys(map(ord, "\u200b\u2060\ufeff"))
)
"""Full-width letters and signs, marks of other scripts."""

_BOXED = re.compile(r"\\f?boxed\s*\{?")
_COMMAND = re.compile(r"\\[a-zA-Z]+\s*\{|\\[()\[\],;! ]|\\(?=[\W_])|</?[a-zA-Z]{1,6}\s?/?>")
_WRAPPERS = re.compile(r"[*_`$\"“”„«»‘'’{}](?:(?<!['’])|(?!\w)|(?<!\w.))")
"""Marks of emphasis, brackets of commands, quotes; an apostrophe within a word is none."""

_BULLETS = frozenset("#>•+-–—")
_BULLET = re.compile(r"^(?:[#>•+]|[-–—](?=\s))[#>\s]*", re.MULTILINE)
_SCRIPTS = re.compile(
    r"(?<=[\u3040-\u9fff\uac00-\ud7af])(?=[A-Za-z])|(?<=[A-Za-z])(?=[\u3040-\u9fff\uac00-\ud7af])"
)


_LETTER = re.compile(
    r"[A-Da-d](?![\w'’+#&])(?<![\w'’#&+].)(?<!\w-.)(?<!\b[A-Za-z]\..)(?!\.[A-Za-z]\b)(?!-\w)"
)
"""A letter that is no part of a name such as C++, D.C. or A-level."""

_NEXT = re.compile(r"[^\S\n]*([^\W\d_]+(?:['’][^\W\d_]+)*|\d+|\S|\n)")
_MARKS = frozenset([*".):,-–—;!?]}|/\n", ""])
"""Behind one of these, or nothing, a letter is no article."""

_SIMPLE = re.compile(r"[A-Za-z0-9(\[][A-Za-z0-9 .,;:()\[\]!?]*")
"""A text without wrappers."""


class AnswerForm(NamedTuple):
    """A text without wrappers, and the same in one letter case, place for place."""

    text: str
    folded: str


def drop_reasoning(answer: str) -> str:
    """What follows the reasoning between thinking tags; empty where that never ends."""
    for _ in range(MOST_THOUGHTS):
        if "<" not in answer and "[" not in answer:
            break
        thought, rest = reasoning_marks.split(answer)
        if thought is None:
            break
        answer = rest
    return answer


def plain(text: str) -> str:
    """A whole text as it is compared: without case, white space and a final full stop."""
    return "".join(text.strip().removesuffix(".").casefold().split())


def unwrap(text: str) -> AnswerForm:
    """A text without what wraps it or parts of it."""
    if _SIMPLE.fullmatch(text) and "  " not in text:
        text = text.strip()
        return AnswerForm(text, text.lower())
    if not text.isascii():
        text = _SCRIPTS.sub(" ", text.translate(_FOLDED))
    if "\\" in text or "<" in text:
        text = _COMMAND.sub("", _BOXED.sub(" boxed: ", text))
    lines = (" ".join(line.split()) for line in _WRAPPERS.sub("", text).split("\n"))
    text = "\n".join(filter(None, lines))
    if "\n" in text or text[:1] in _BULLETS:
        text = _BULLET.sub("", text)
    folded = text.casefold()
    if len(folded) != len(text):
        text = "".join(one if len(one.casefold()) == 1 else one.casefold() for one in text)
        folded = text.casefold()
    return AnswerForm(text, folded)


def option_forms(texts: Sequence[str]) -> Sequence[str]:
    """The texts of options as they are looked for in answers.

    Empty where it is not looked for: several have it, or it is a letter from A to D.
    """
    forms = [unwrap(text).folded.replace("\n", " ") for text in texts]
    forms = [form.removesuffix(".").strip() or form for form in forms]
    return ["" if forms.count(one) > 1 or one in ("a", "b", "c", "d") else one for one in forms]


def find_mentions(form: AnswerForm, options: Sequence[str]) -> list[Found]:
    """Where letters from A to D and texts of options stand in an answer, in their order."""
    text, folded = form
    texts = find_texts(folded, options)
    starts = {one[0] for one in texts}
    letters = [
        (start, start + 1, ~"abcd".index(folded[start]))
        for start in map(re.Match.start, _LETTER.finditer(text))
        if not _is_article(folded, text[start], start + 1, starts)
    ]
    if not texts or not letters:
        return texts or letters
    found: list[Found] = []
    last = 0
    for one in sorted([*texts, *letters], key=lambda one: (one[0], -one[1])):
        if one[2] >= 0 or one[0] >= last:
            found.append(one)
            last = one[1]
    return found


def _is_article(folded: str, letter: str, end: int, texts: Set[int]) -> bool:
    """Whether a letter is a word: A before another, a small letter within a sentence.

    `texts` are the places where texts of options begin.
    """
    if letter not in "Aabcd" or folded[end : end + 1] in _MARKS:
        return False
    found = _NEXT.match(folded, end)
    if found is None or not texts.isdisjoint(range(*found.span(1))):
        return False
    word = found[1]
    if word[0].isalnum():
        return word not in AFTER_LETTER
    return letter == "a" and word not in _MARKS


def find_texts(folded: str, options: Sequence[str]) -> list[Found]:
    """Where texts of options stand in a text, as whole words; the longer goes before the shorter.

    `options` are their forms.
    """
    found: list[Found] = []
    for place, option in enumerate(options):
        at = folded.find(option) if option else -1
        while at >= 0:
            end = at + len(option)
            if _is_apart(folded, at, end):
                found.append((at, end, place))
            at = folded.find(option, end)
    found.sort(key=lambda one: (one[0], -one[1]))
    kept: list[Found] = []
    for one in found:
        if not kept or one[0] >= kept[-1][1]:
            kept.append(one)
        elif one[1] - one[0] > kept[-1][1] - kept[-1][0]:
            kept[-1] = one
    return kept


def _is_apart(text: str, start: int, end: int) -> bool:
    """Whether what stands there is a word or number of its own."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    if (before.isalnum() and text[start].isalnum()) or (
        after.isalnum() and text[end - 1].isalnum()
    ):
        return _is_script(text[start]) or _is_script(text[end - 1])
    number = text[end - 1].isdigit() and after in (".", ",") and text[end + 1 : end + 2].isdigit()
    begun = (
        text[start].isdigit()
        and before in (".", ",", "-")
        and text[start - 2 : start - 1].isdigit()
    )
    return not number and not (begun and start > 1)


def _is_script(sign: str) -> bool:
    """Whether a sign is of a script that writes no spaces between words."""
    return "\u3040" <= sign <= "\u9fff" or "\u0e00" <= sign <= "\u0e7f"
