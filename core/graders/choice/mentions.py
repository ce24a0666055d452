"""Letters and texts of options in an answer, and what the words around them say of each."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.graders.choice import choice_words as said
from core.graders.choice.answer_form import AnswerForm, find_texts

LETTERS = "ABCD"

TEXT = "\0"
"""Stands among the words for the text of an option."""

BREAK = "\n"
ENDS = frozenset(".;!?")

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+|\n|[^\w\s]|_")
_APART = re.compile(
    r"(?<![\w'’#&+])(?<!\w-)(?<!\b[A-Za-z]\.)[A-Da-d](?![\w'’+#&])(?!\.[A-Za-z]\b)(?!-\w)"
)
"""A letter that is no part of a name such as C++, D.C. or A-level."""

_MARKS = frozenset(".):,-–—;!?]}|/\n\0")
_LISTED = frozenset(",()[]{}&/–—-:")
"""What stands between letters of a list, and between a letter and its text."""

BRACKETS = {"(": ")", "[": "]", "{": "}"}
_OPENING = frozenset("([)]:.\0")


@dataclass(slots=True)
class Mention:
    """A letter, or the text of an option, at the word `at`: the option's place from A.

    `cue` is the place of the word that says that it is meant. Mentions side by side have one
    `group`, those that are denied none.
    """

    place: int
    at: int
    is_letter: bool
    cue: int | None = None
    denied: bool = False
    group: int = 0


class Mentions:
    """The words of an answer (signs and line breaks among them), and its mentions in their order.

    Takes time in proportion to the length of the answer.
    """

    def __init__(self, form: AnswerForm, options: Sequence[str]) -> None:
        """`options` are forms of the options' texts, in the order shown."""
        self.text = form.text
        self.words: list[str] = []
        self.starts: list[int] = []
        self.all: list[Mention] = []
        self._take_apart(form, options)
        self._lowered = [word.lower() for word in self.words]
        self.all = [one for one in self.all if not self._is_article(one)]
        self._starts_of = {one.at: one for one in self.all}
        _Listener(self).hear_all()
        self._read_verdicts()
        self._join()

    def word(self, number: int) -> str:
        """A word in small letters; empty before the first and behind the last."""
        return self._lowered[number] if 0 <= number < len(self._lowered) else ""

    def at(self, number: int) -> Mention | None:
        """The mention at a word."""
        return self._starts_of.get(number)

    def _take_apart(self, form: AnswerForm, options: Sequence[str]) -> None:
        texts = find_texts(form.folded, options)
        here, seen = 0, -1
        for found in _WORD.finditer(self.text):
            start, word = found.start(), found[0]
            while here < len(texts) and texts[here][1] <= start:
                here += 1
            if here < len(texts) and texts[here][0] < found.end():
                if seen == here:
                    continue
                seen, start, word = here, texts[here][0], TEXT
                self.all.append(Mention(texts[here][2], len(self.words), False))
            elif len(word) == 1 and word.upper() in LETTERS and _APART.match(self.text, start):
                self.all.append(Mention(LETTERS.index(word.upper()), len(self.words), True))
            self.words.append(word)
            self.starts.append(start)

    def _is_article(self, one: Mention) -> bool:
        """Whether a letter is a word: A before another, a small letter within a sentence."""
        letter, before, after = self.words[one.at], self.word(one.at - 1), self.word(one.at + 1)
        if not one.is_letter or BRACKETS.get(before) == after or not after or after in _MARKS:
            return False
        if letter not in "Aabcd":
            return False
        return after not in said.AFTER_LETTER if after[0].isalnum() else letter == "a"

    def _read_verdicts(self) -> None:
        """Deny what is said to be wrong behind it: `A is wrong`, `A, C and D are not right`.

        What is said to be right is meant: `B is the right answer`.
        """
        verdict: bool | None = None
        verdicts: list[bool | None] = [None] * (len(self.words) + 1)
        for number in range(len(self.words) - 1, -1, -1):
            word = self._lowered[number]
            if (
                number in self._starts_of
                or word in said.JOINS
                or word in _LISTED
                or (word == "." and self._is_mark(number))
            ):
                verdicts[number] = verdicts[number + 1]
            elif word in said.IS:
                verdicts[number] = verdict
            elif word in said.IS_NOT:
                verdicts[number] = None if verdict is False else False
            verdict = _judge(word, verdict)
        for one in self.all:
            if verdicts[one.at + 1] is False:
                one.denied = True
            elif verdicts[one.at + 1] and one.cue is None and not one.denied:
                one.cue = one.at

    def _is_mark(self, number: int) -> bool:
        """Whether a full stop belongs to the letter before it, as in `A. Berlin is wrong`."""
        before = self.at(number - 1)
        listed = before is not None and before.is_letter and before.cue is None
        return listed and self.word(number + 1) == TEXT

    def _join(self) -> None:
        """Number the groups of mentions that stand side by side: `B or C`, `B, C`, `B) Paris`."""
        group, last = 0, None
        for one in self.all:
            if not one.denied:
                group += last is None or not self._are_beside(last, one)
                one.group, last = group, one

    def _are_beside(self, left: Mention, right: Mention) -> bool:
        between = [self.word(number) for number in range(left.at + 1, right.at)]
        if any(word[0].isalnum() and word not in said.JOINS for word in between):
            return False
        if any(word in said.JOINS or word in "/&" for word in between):
            return True
        if not any(word in ENDS or word in ",\n" for word in between):
            return True
        if left.is_letter and right.is_letter and BREAK in between:
            return self.word(right.at + 1) in ("", BREAK)
        follows = self.word(right.at + 1)
        goes_on = follows[:1].isalnum() and follows not in said.JOINS
        return not goes_on or (left.is_letter and left.cue is None and between == ["."])


def _judge(word: str, verdict: bool | None) -> bool | None:
    """Whether something is right of which a sentence says the word, and behind it `verdict`."""
    if word in ("not", "never"):
        return verdict is False
    if word in said.NEGATIVE or word in said.POSITIVE:
        return word in said.POSITIVE
    return verdict if word in said.MILD else None


class _Listener:
    """One way through the words, from the first to the last: which mentions are meant or denied.

    `cue` is the word after which a letter is meant, `far` one of the same sentence; `denies`: a
    denial holds, `held`: a mention was denied by it, so that it holds for a list.
    """

    def __init__(self, mentions: Mentions) -> None:
        self._mentions = mentions
        self._cue: int | None = None
        self._far: int | None = None
        self._denies = self._held = False

    def hear_all(self) -> None:
        """Say of each mention what is known by the words before it."""
        for number in range(len(self._mentions.words)):
            word = self._mentions.word(number)
            if (one := self._mentions.at(number)) is not None:
                self._meet(one)
            elif word == BREAK:
                self._break(number)
            elif word[0].isalnum():
                self._hear(number, word)
            elif word in ENDS and self._mentions.word(number - 1) != "ans":
                self._cue = self._far = None
                self._denies = self._held = False
            elif word == ",":
                self._denies = self._denies and self._held

    def _meet(self, one: Mention) -> None:
        one.denied = self._denies
        is_linked = self._mentions.word(one.at - 1) in said.LINKS
        one.cue = self._far if self._cue is None and is_linked else self._cue
        self._held = self._denies
        if self._mentions.word(one.at + 1) not in _OPENING:
            self._cue = None

    def _break(self, number: int) -> None:
        """A line ends; its sentence goes on where it ends with `is`, a cue or a colon."""
        before = self._mentions.word(number - 1)
        if before in said.LINKS or said.is_cue(before):
            return
        self._cue = self._far = None
        self._denies = self._held = False

    def _is_title(self, number: int, word: str) -> bool:
        return word in said.TITLES and self._mentions.word(number + 1) == ":"

    def _hear(self, number: int, word: str) -> None:
        if word in said.DENIALS:
            self._denies, self._held = True, False
        elif said.is_cue(word) or self._is_title(number, word):
            self._cue = number if self._cue is None else self._cue
            self._far = number
            self._denies = self._denies and word not in said.NEW_THOUGHT
        elif word in said.JOINS and self._held:
            return
        elif word not in said.FILLERS:
            self._cue, self._denies, self._held = None, False, False
        elif self._held and self._mentions.word(number - 1) == ",":
            self._denies = self._held = False
