"""What stands for people and for addresses of servers in what goes out without them."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from core.graders import grader_table
from core.graders.grader_record import is_model
from core.modes import MARK, is_arm
from core.scoring.policy import Policy
from core.scoring.precedence import HUMAN_PREFIX, PEOPLE

# Names found in texts however they are written: in one normal form, mapped back to the text.
#
# Case, compatibility and composition of letters make no difference (Unicode NFKD and full case
# folding), nor do marks above and below letters, nor signs without width within a word.

SHORTEST_PART = 3
"""Letters of a part of a name that stands for the person by itself: `Ada` of `Ada Lovelace`."""

PARTICLES = frozenset(
    "and bin das del dell della den der des dos for ibn les the und van von".split()  # noqa: SIM905
)
"""Parts of names that are no names: `the` of `Attila the Hun`."""

WIDTHLESS = "\u200b"
"""What stands in a folded text for each sign that has no width, such as a joiner."""

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
"""Letters of scripts that put no spaces between words, Korean in its parts among them."""

_LETTER = rf"(?![_{_UNSPACED}])\w"
_START, _END = rf"(?<!{_LETTER})", rf"(?!{_LETTER})"
_SYLLABLE_END = "(?![\u1160-\u11ff])"
"""The end of a Korean syllable."""

_ALIKE = str.maketrans({"ı": "i", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe"})
"""Letters that Unicode takes for letters of their own, and keyboards without them do not."""

_SELECTORS = re.compile("[\u034f\ufe00-\ufe0f\U000e0100-\U000e01ef]")


class FoldedNames:
    """Names with what each stands for; a name goes before a part of another, a longer before."""

    def __init__(self, meanings: Mapping[str, str]) -> None:
        patterns: dict[str, str] = {}
        for name, meaning in meanings.items():
            for pattern in _whole_patterns(name):
                patterns.setdefault(pattern, meaning)
        longest_first = dict(sorted(patterns.items(), key=lambda one: -len(one[0])))
        for name, meaning in meanings.items():
            for word in _parts(name):
                longest_first.setdefault(_word_pattern(word), meaning)
        self._meanings = tuple(longest_first.values())
        self._pattern = re.compile("|".join(f"({one})" for one in longest_first))
        self._starts = {start for name in meanings for start in _first_words(name)}

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where names stand in a text as it is written: start, end, what the name stands for."""
        if not self._meanings:
            return
        folded, places = fold(text)
        bare = folded.replace(WIDTHLESS, "")
        if not any(start in bare for start in self._starts):
            return
        before = 0
        for found in self._pattern.finditer(folded):
            start, end = places[found.start()], places[found.end() - 1] + 1
            while end < len(text) and not _fold_letter(text[end]):
                end += 1
            if start >= before:
                before = end
                yield start, end, self._meanings[(found.lastindex or 1) - 1]


def fold(text: str) -> tuple[str, list[int] | range]:
    """A text in the normal form, and for each of its letters the place in the text."""
    if text.isascii():
        return text.lower(), range(len(text))
    letters, places = [], []
    for place, letter in enumerate(text):
        for one in _fold_letter(letter):
            letters.append(one)
            places.append(place)
    return "".join(letters), places


@lru_cache(maxsize=4096)
def _fold_letter(letter: str) -> str:
    """A letter in the normal form: several, or none for a mark on the letter before."""
    split = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", letter).casefold())
    plain = unicodedata.normalize("NFKD", split.translate(_ALIKE).casefold())
    kept = (one for one in plain if not unicodedata.combining(one) and not _SELECTORS.match(one))
    return "".join(WIDTHLESS if unicodedata.category(one) == "Cf" else one for one in kept)


def _bare(name: str) -> str:
    return fold(name)[0].replace(WIDTHLESS, "").strip()


def _count_letters(word: str) -> int:
    return len(unicodedata.normalize("NFC", word))


def _whole_patterns(name: str) -> Iterator[str]:
    """What finds a whole name, one of two words either way round.

    One of a single letter is found only as `human:A`.
    """
    bare = _bare(name)
    if not bare:
        return
    if _count_letters(bare) == 1 and bare[0].isalnum():
        yield f"(?<=human:){_word_pattern(bare)}"
        return
    words = re.findall(r"[^\W_]+|[\W_]+", bare)
    inner = range(1, len(words) - 1)
    found = (
        r"[\W_]{0,3}" if place in inner and not one[0].isalnum() else _escape(one)
        for place, one in enumerate(words)
    )
    yield _bound("".join(found), bare)
    if len(words) == 3 and words[0][0].isalnum() and words[2][0].isalnum():
        yield rf"{_word_pattern(words[2])}[\W_]{{1,3}}{_word_pattern(words[0])}"


def _word_pattern(word: str) -> str:
    return _bound(_escape(word), word)


def _escape(text: str) -> str:
    """A text with whatever has no width between its letters."""
    return f"{WIDTHLESS}*".join(map(re.escape, text))


def _bound(pattern: str, text: str) -> str:
    """A pattern that begins and ends where words do, in scripts that part them."""
    start = _START if re.match(_LETTER, text[0]) else ""
    end = _END if re.match(_LETTER, text[-1]) else ""
    return f"{start}{pattern}{end}{_SYLLABLE_END}"


def _parts(name: str) -> list[str]:
    """The words of a name that stand for the person, folded; of a mail address those before @."""
    return [
        word
        for word in re.findall(r"[^\W\d_]+", _bare(name).partition("@")[0])
        if _count_letters(word) >= (SHORTEST_PART if re.match(_LETTER, word) else 2)
        if word not in PARTICLES
    ]


def _first_words(name: str) -> list[str]:
    """What a text holds that holds the name or a part of it."""
    return [*re.findall(r"[^\W_]+|[\W_]+", _bare(name))[:1], *_parts(name)]


SERVER = "server"
"""What stands for the address of a server."""

_ADDRESS_END = r"""[^\s#,;"'<>()]*"""
_AT_ADDRESS = re.compile(rf"@https?://{_ADDRESS_END}", re.IGNORECASE)
_USER_FOLDER = re.compile(r"(/home/|/Users/|\\Users\\)[^/\\\s]+")


def find_hosts(texts: Iterable[str]) -> set[str]:
    """The hosts of the addresses in names of models and the like."""
    found = set()
    for text in texts:
        for address in re.findall(rf"https?://{_ADDRESS_END}", text, re.IGNORECASE):
            try:
                found.add(urlsplit(address).hostname or "")
            except ValueError:
                continue
    return found - {""}


class PersonNumbers:
    """The numbers of some people, from 1, in the order in which they are named.

    `hosts` are servers whose addresses are hidden with the names.
    """

    def __init__(self, names: Iterable[str], hosts: Collection[str] = ()) -> None:
        self._numbers = {
            name: f"person-{number}" for number, name in enumerate(dict.fromkeys(names), 1)
        }
        self._names = FoldedNames(self._numbers)
        self._addresses = _address_pattern(hosts)

    def number(self, person: str) -> str:
        """What stands for a person; nothing for nobody."""
        return person and self._numbers.get(person, "person")

    def replace_in_grader(self, grader: str) -> str:
        """A grader's name; a person's with the number."""
        name, mark, version = grader.removeprefix(HUMAN_PREFIX).partition("#")
        if not grader.startswith(HUMAN_PREFIX) or grader == PEOPLE:
            return grader
        whole = self._numbers.get(f"{name}{mark}{version}")
        return HUMAN_PREFIX + (whole or f"{self._numbers.get(name, 'person')}{mark}{version}")

    def replace_in_text(self, text: str | None) -> str | None:
        """A text with numbers wherever names, or longer parts of one, stand as words.

        Addresses of the servers and names of users' folders are hidden, too.
        """
        return None if text is None else self.hide(text)

    def hide(self, text: str) -> str:
        """The same of a text that is there."""
        if "/" in text or "\\" in text:
            text = _USER_FOLDER.sub(r"\1person", _AT_ADDRESS.sub("", text))
        if self._addresses is not None:
            text = self._addresses.sub(SERVER, text)
        pieces, end = [], 0
        for start, stop, number in self._names.find(text):
            pieces += [text[end:start], number]
            end = stop
        return "".join([*pieces, text[end:]]) if pieces else text


def _address_pattern(hosts: Collection[str]) -> re.Pattern[str] | None:
    """What finds addresses of these hosts; a host of one word counts only with its port."""
    if not hosts:
        return None
    longest_first = sorted(hosts, key=len, reverse=True)
    every = "|".join(map(re.escape, longest_first))
    dotted = "|".join(re.escape(one) for one in longest_first if "." in one or ":" in one)
    forms = [
        rf"https?://(?:[^\s/@]*@)?\[?(?:{every})(?![\w.-]*\w){_ADDRESS_END}",
        rf"(?<![\w.-])\[?(?:{every})\]?:\d+(?!\w)",
        *([rf"(?<![\w.-])\[?(?:{dotted})\]?(?![\w-]|\.\w)"] if dotted else []),
    ]
    return re.compile("|".join(forms), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """What stands for what a project's people, graders, models and further things are called."""

    people: PersonNumbers
    graders: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)
    """Of files, policies and sets."""

    def policy(self, policy: Policy) -> Policy:
        """A policy by people and models as they are called in the copy."""
        named = policy.graders and tuple(map(self.grader, policy.graders))
        asked = policy.asked_as and self.name(policy.asked_as)
        return replace(policy, graders=named, asked_as=asked)

    def grader(self, name: str) -> str:
        """A grader, perhaps with its version, as it is called in the copy."""
        bare, mark, version = name.rpartition(MARK)
        if name not in self.graders and bare in self.graders:
            return f"{self.graders[bare]}{mark}{version}"
        return self.graders.get(name, name)

    def rename_models(self, models: Iterable[str] | None) -> list[str] | None:
        """Models as they are called in the copy."""
        return None if models is None else [self.models.get(one, one) for one in models]

    def name(self, name: str) -> str:
        """Any name as it is called in the copy, a grader's perhaps with its version."""
        for known in (self.graders, self.models, self.others):
            if name in known:
                return known[name]
        bare = name.rpartition(MARK)[0]
        return self.grader(name) if bare in self.graders else self.people.hide(name)

    def where(self, where: str | None) -> str | None:
        """A filter in which graders, models and files are called as in the copy."""
        changed = {
            name: hidden
            for known in (self.others, self.models, self.graders)
            for name, hidden in known.items()
            if name != hidden
        }
        if not where or not changed:
            return where
        longest_first = sorted(changed, key=len, reverse=True)
        pattern = "|".join(re.escape(one) for one in longest_first)
        return re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", lambda found: changed[found[0]], where)

    def hide_values(self, value: Any, data: Collection[str] = ()) -> Any:
        """Plain data with the texts in it hidden, but for what stands under keys of `data`."""
        if isinstance(value, str):
            return self.name(value)
        if isinstance(value, list):
            return [self.hide_values(one, data) for one in value]
        if isinstance(value, dict):
            return {
                key: one if key in data else self.hide_values(one, data)
                for key, one in value.items()
            }
        return value


def name_graders(people: PersonNumbers, graders: Iterable[str]) -> dict[str, str]:
    """What graders are called: those of the program as ever, each by a name of its own."""
    return distinguish(graders, lambda name: _hide_grader(people, name))


def _hide_grader(people: PersonNumbers, name: str) -> str:
    if name in grader_table.BUILTIN or name == PEOPLE:
        return name
    if name.startswith(HUMAN_PREFIX):
        return people.replace_in_grader(name)
    if is_model(name):
        kind, mark, model = name.partition(":")
        return f"{kind}{mark}{people.hide(model)}"
    return people.hide(name)


def name_models(people: PersonNumbers, labels: Iterable[str]) -> dict[str, str]:
    """What models are called; an arm by its model's name with the same mode."""
    found = {one: one.rpartition(MARK) if is_arm(one) else (one, "", "") for one in labels}
    named = distinguish((base for base, _, _ in found.values()), people.hide)
    return {one: f"{named[base]}{mark}{mode}" for one, (base, mark, mode) in found.items()}


def distinguish(names: Iterable[str], hide: Callable[[str], str]) -> dict[str, str]:
    """Names with what hides each; of those that come out alike the later ones are numbered."""
    every = list(dict.fromkeys(names))
    hidden = {name: hide(name) for name in every}
    taken = {name for name in every if hidden[name] == name}
    found = {}
    for name in every:
        made, number = hidden[name], 1
        while made != name and made in taken:
            number += 1
            made = f"{hidden[name]} ({number})"
        taken.add(made)
        found[name] = made
    return found
