"""Letters and texts of options in an answer, and what the words around them say of each."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.graders.choice import choice_words as said
from core.graders.choice.answer_form import AnswerForm, Found

LETTERS = "ABCD"

TEXT = "\0"
"""Stands among the words for the text of an option."""

BREAK = "\n"
ENDS = frozenset(".;!?")

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+|\n|[^\w\s]|_")
_LISTED = frozenset(",()[]{}&/–—-:")
"""What stands between letters of a list, and between a letter and its text."""

_JUDGING = frozenset(":-–—")
_STOPS = frozenset(["", BREAK, *".,;!-–—("])

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

    Words are in small letters. Takes time in proportion to the length of the answer.
    """

    def __init__(self, form: AnswerForm, found: Sequence[Found]) -> None:
        """`found` is where they stand, in their order."""
        self.form = form
        self.words: list[str] = []
        self._spans: list[tuple[int, int]] = []
        self.all = list(self._take_apart(found))
        self._starts_of = {one.at: one for one in self.all}
        _Listener(self).hear_all()
        self._read_verdicts()
        self._join()

    def word(self, number: int) -> str:
        """A word; empty before the first and behind the last."""
        return self.words[number] if 0 <= number < len(self.words) else ""

    def at(self, number: int) -> Mention | None:
        """The mention at a word."""
        return self._starts_of.get(number)

    @cached_property
    def starts(self) -> Sequence[int]:
        """Where in the answer each word begins."""
        found: list[int] = []
        last = 0
        for start, end in self._spans:
            found.extend(one.start() for one in _WORD.finditer(self.form.folded, last, start))
            found.append(start)
            last = end
        found.extend(one.start() for one in _WORD.finditer(self.form.folded, last))
        return found

    def _take_apart(self, found: Sequence[Found]) -> Iterator[Mention]:
        """Fill the words, and say what stands there for an option."""
        folded = self.form.folded
        last = 0
        for start, end, place in found:
            if end <= last:
                continue
            is_letter = place < 0
            first, behind = (
                (start, end)
                if is_letter
                else _take_whole_words(folded, max(start, last), end, last)
            )
            self.words += _WORD.findall(folded, last, first)
            yield Mention(~place if is_letter else place, len(self.words), is_letter)
            self.words.append(folded[start] if is_letter else TEXT)
            self._spans.append((first, behind))
            last = behind
        self.words += _WORD.findall(folded, last)

    def _read_verdicts(self) -> None:
        """Deny what is said to be wrong behind it: `A is wrong`, `A, C and D are not right`.

        What is said to be right is meant: `B is the right answer`.
        """
        verdicts: dict[int, bool | None] = {}
        for one in self.all:
            if one.at + 1 not in verdicts:
                self._read_verdict(one.at + 1, verdicts)
        for one in self.all:
            verdict = verdicts[one.at + 1]
            if verdict is False:
                one.denied = True
            elif verdict and one.cue is None and not one.denied:
                one.cue = one.at

    def _read_verdict(self, first: int, verdicts: dict[int, bool | None]) -> None:
        """Say for each word from the first on what follows says of a mention before it.

        Read backwards from the word behind which nothing can matter.
        """
        end = first
        while end < len(self.words) and (
            self._is_passed(end) or self.words[end] in said.BEFORE_VERDICT
        ):
            end += 1
        verdict = True if self._is_own(end) else _judge(self.word(end), None)
        verdicts[end] = _read_tick(self.word(end))
        for number in range(end - 1, first - 1, -1):
            word = self.words[number]
            if self._is_judged_briefly(number):
                verdicts[number] = self.words[number + 1] in said.POSITIVE
            elif self._is_passed(number):
                verdicts[number] = verdicts[number + 1]
            elif word in said.IS:
                verdicts[number] = verdict
            elif word in said.IS_NOT:
                verdicts[number] = None if verdict is False else False
            elif word in said.PERHAPS and self.word(number + 1) == "be":
                verdicts[number] = (verdict and self.word(number + 2) in said.OWNERS) or None
            else:
                verdicts[number] = None
            verdict = True if self._is_own(number) else _judge(word, verdict)

    def _is_own(self, number: int) -> bool:
        """Whether a word says what the speaker takes: `my choice`, `my final pick`."""
        return self.word(number) in said.OWNED and (
            self.word(number - 1) in said.OWNERS or self.word(number - 2) in said.OWNERS
        )

    def _is_judged_briefly(self, number: int) -> bool:
        """Whether a sign stands before a word that judges what is before the sign: `B: right`."""
        word = self.word(number + 1)
        return (
            self.words[number] in _JUDGING
            and (word in said.POSITIVE or word in said.NEGATIVE)
            and self.word(number + 2)[:1] in _STOPS
        )

    def _is_passed(self, number: int) -> bool:
        """Whether what is said behind a word is said of mentions before it too."""
        word = self.words[number]
        return (
            number in self._starts_of
            or word in said.JOINS
            or word in _LISTED
            or (word == "." and self._is_mark(number))
        )

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
        between = self.words[left.at + 1 : right.at]
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


def _take_whole_words(text: str, start: int, end: int, last: int) -> tuple[int, int]:
    """A stretch with the whole of the words at its edges, none before `last`."""
    if not (_is_within_word(text, start) or _is_within_word(text, end)):
        return start, end
    for word in _WORD.finditer(text, last):
        if word.start() >= end:
            break
        if word.end() > start:
            start, end = min(start, word.start()), max(end, word.end())
    return start, end


def _is_within_word(text: str, at: int) -> bool:
    """Whether a word may go on there: `Paris's`, or a script without spaces."""
    beside = text[at - 1 : at + 1] if at else ""
    return len(beside) == 2 and all(sign.isalnum() or sign in "'’" for sign in beside)


def _read_tick(word: str) -> bool | None:
    """What a mark says: whether something is right."""
    return True if word in said.TICKS else False if word in said.CROSSES else None


def _judge(word: str, verdict: bool | None) -> bool | None:
    """Whether something is right of which a sentence says the word, and behind it `verdict`."""
    if word in ("not", "never"):
        return verdict is False
    if word in said.NEGATIVE or word in said.POSITIVE:
        return word in said.POSITIVE
    return verdict if word in said.MILD else None


class _Listener:
    """One way through the words before mentions, which are meant or denied by them.

    `cue` is the word after which a letter is meant; `denies`: a denial holds, `held`: a mention
    was denied by it, so that it holds for a list. `far` is the last cue of the sentence, among the
    words before `sought`.
    """

    def __init__(self, mentions: Mentions) -> None:
        self._mentions = mentions
        self._forget()
        self._far: int | None = None
        self._sought = 0

    def _forget(self) -> None:
        self._cue: int | None = None
        self._denies = self._held = False

    def hear_all(self) -> None:
        """Say of each mention what is known by the words before it."""
        heard = 0
        for one in self._mentions.all:
            first = one.at
            while first > heard and not self._begins_anew(first - 1):
                first -= 1
            if first > heard:
                self._forget()
            for number in range(first, one.at):
                self._hear(number, self._mentions.words[number])
            self._meet(one)
            heard = one.at + 1

    def _begins_anew(self, number: int) -> bool:
        """Whether nothing before a word says anything of what follows it."""
        word = self._mentions.words[number]
        if word[0].isalnum():
            return not (word in said.HEARD or said.is_cue(word))
        return word in ENDS and self._mentions.word(number - 1) != "ans"

    def _hear(self, number: int, word: str) -> None:
        if word == BREAK:
            if not self._goes_on(number):
                self._forget()
        elif word[0].isalnum():
            self._hear_word(number, word)
        elif word in ENDS and self._mentions.word(number - 1) != "ans":
            self._forget()
        elif word == ",":
            self._denies = self._denies and self._held

    def _meet(self, one: Mention) -> None:
        one.denied = self._denies
        one.cue = self._cue
        if one.cue is None and self._mentions.word(one.at - 1) in said.LINKS:
            one.cue = self._find_linked(one.at)
        self._held = self._denies
        if self._mentions.word(one.at + 1) not in _OPENING:
            self._cue = None

    def _find_far(self, at: int) -> int | None:
        """The last cue before a mention in its sentence."""
        for number in range(at - 1, self._sought - 1, -1):
            word = self._mentions.words[number]
            if said.is_cue(word) or self._is_title(number, word):
                self._far = number
                break
            if (word in ENDS and self._mentions.word(number - 1) != "ans") or (
                word == BREAK and not self._goes_on(number)
            ):
                self._far = None
                break
        self._sought = at
        return self._far

    def _find_linked(self, at: int) -> int | None:
        """The cue of a mention behind `is`: the last of its sentence, else the `it` before `is`.

        That is one only where the sentence ends: `Since it has a river, it is B.`
        """
        far = self._find_far(at)
        word = self._mentions.word
        first = at - 1
        if word(first) not in ("it's", "that's"):
            first -= 2 if word(first) == "be" and word(first - 1) in said.MUST else 1
        if word(first) not in said.ITS:
            return far
        if word(first - 1) in said.DOUBTS:
            return None
        after = word(at + 1)
        return first if far is None and not after[:1].isalnum() and after not in (",", "?") else far

    def _goes_on(self, number: int) -> bool:
        """Whether a sentence goes on behind the line break."""
        return said.goes_on(self._mentions.word(number - 1))

    def _is_title(self, number: int, word: str) -> bool:
        return word in said.TITLES and self._mentions.word(number + 1) == ":"

    def _hear_word(self, number: int, word: str) -> None:
        if word in said.DENIALS:
            self._denies, self._held = True, False
        elif said.is_cue(word) or self._is_title(number, word):
            self._cue = number if self._cue is None else self._cue
            self._denies = self._denies and word not in said.NEW_THOUGHT
        elif word in said.JOINS and self._held:
            return
        elif word == "but" and self._held:
            self._cue, self._denies, self._held = number, False, False
        elif word not in said.FILLERS:
            self._cue, self._denies, self._held = None, False, False
        elif self._held and self._mentions.word(number - 1) == ",":
            self._denies = self._held = False
