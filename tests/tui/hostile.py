"""Hostile texts by kind, and what a terminal would make of lines of text."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from random import Random

from wcwidth import wcswidth, wcwidth

LONG = 10_000
ROWS = 4096
"""Rows that are remembered: most of a screen stands as it stood when it was looked at before."""

MARKUP = (
    *("[/]", "[/red]", "[link=http://e]hi[/link]", "[@click=app.quit]x[/]", "[bold red]", "[/bold"),
    *("\\[b]", "[on red]$accent[/]", "[$label-c]x[/]", "[@click=screen.label('CORRECT')]"),
    *("%s %(x)s {0} {ink}", "<b>&amp;", "`q` quits", "{{task}}", "$HOME", ":smile:"),
)
ESCAPES = (
    *("\x1b[31m", "\x1b[2J\x1b[H", "\x1b]0;owned\x07", "\x1b]2;owned\x1b\\", "\x1b]52;c;QQ==\x07"),
    *("\x1b]8;;http://e\x1b\\link\x1b]8;;\x1b\\", "\x1bP+q544e\x1b\\", "\x1bPq#0~\x1b\\"),
    *("\x1b_Ga=T;AAAA\x1b\\", "\x1b^pm\x1b\\", "\x1bXsos\x1b\\", "\x1b[?1049l", "\x1b[?1000l"),
    *("\x1bc", "\x1b(0", "\x0eqqq\x0f", "\x1b[6n", "\x1b[>c", "\x1b[21t", "\x1b#8", "\x1b[5i"),
    *("\x1b[?25l", "\x1b[3;1H", "\x1b[1;5r", "\x1b[8;1;1t", "\x1b]1337;File=:QQ==\x07", "\x1b"),
)
C1 = ("\x9b31m", "\x90q\x9c", "\x9d0;owned\x9c", "\x9f?\x9c", "\x84", "\x85", "\x8d", "\x9a")
BREAKS = ("\r", "\n", "\r\n", "\n\n\n", "\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\n\r", " \n\t")
UNSEEN = (
    *"\u200b\u200c\u200d\ufeff\u2060\u00ad\u180e\u034f\u115f\u1160\u3164\uffa0\u17b4\u17b5",
    *"\u2061\u2062\u2063\u2064\u206a\u206f\ufff9\ufffa\ufffb\u180b\ufe00\ufe0e\ufe0f\u2800",
    *("\U000e0001", "\U000e0041", "\U000e007f", "\U000e0100", "\U000e01ef", "\U0001d173"),
)
BIDI = tuple("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")
RIGHT_TO_LEFT = ("שלום", "مرحبا بالعالم", "ܫܠܡܐ", "ދިވެހި", "كَلِمَة", "א1ב2", "﷽", "ߒߞߏ")
EMOJI = (
    *("😀", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇪🇪", "🇪🇪🇫🇮", "🇪", "👍🏽", "🏽", "☺️", "☺︎", "❤️‍🔥", "1️⃣", "#️⃣"),
    *("🫱🏻‍🫲🏿", "🏴\U000e0067\U000e0062\U000e0065\U000e007f", "©️", "™", "⌚", "☎", "🀄", "🃏"),
    *("🅰️", "🈁", "⌚︎", "🕵️‍♀️", "👁️‍🗨️", "🧑🏿‍🚀", "🛝", "🫨", "\u200d😀", "😀\u200d", "\ufe0f"),
)
COMBINING = (
    *("e\u0301", "\u0301", "a" + "\u0301\u0316\u0488" * 6, "o\u20dd", "न\u093cम\u0938\u094dते"),
    *(
        "ก\u0e34\u0e48",
        "\u1112\u1161\u11ab",
        "த\u0bbfர\u0bc1",
        "\u0f66\u0f90\u0f7c",
        "q\u0307\u0323",
    ),
    *(
        "\u0e33",
        "\u0903",
        "ক\u09cdষ",
        "\u1100\u1161",
        "\u302a",
        "\u3099",
        "x\u1ab0\u1dc0\u20d0\ufe20",
    ),
)
WIDE = (
    "漢字",
    "カタカナ",
    "ｶﾀｶﾅ",
    "ＦＵＬＬ",
    "한국어",
    "①§¶αβ",
    "。、",
    "\u3000",
    "𠮷野家",
    "〔〕",
)
BLANKS = ("", " ", "\t", "\u3000", "\xa0", "\u2003\u2009", " \n ", "   ", "\n", "\u1680")
OWN_MARKS = (
    *("…", "¶", " ¶ ", "╭─ Facts ─────╮", "│", "╰──╯", "▌RF", "●x≈o", "·?-", "≠±Δ*†", "▶✓!"),
    *("nothing runs", "␛[31m", "\\x1b[31m", "\\u200b", "F1 Facts  F2 Task", "? help  ^p commands"),
    *(" RF  recall failure", "gold ", "…  …", "──────────", "ctrl+r tries again", "no label yet"),
)
QUERIES = (
    "AND",
    "NEAR(a b)",
    '"',
    "*",
    "^a",
    "a:b",
    "-x",
    "'; DROP TABLE fact;--",
    "%",
    "_",
    "NOT",
)
STRANGE = (
    *("\ufffe", "\uffff", "\U0010ffff", "\ue000", "\ue0041", "\uf8ff", "\u0378", "\U0002ffff"),
    *("\ufffd", "\ufdd0", "\u2fff", "\U000f0000", "\U0001fbff", "\x00", "\x7f", "\x08", "\x07"),
)
WORDS = ("Tartu", "is", "the", "second", "city", "of", "Estonia", "1632", "and", "naïve", "-")

_SAMPLES = {
    "markup": MARKUP,
    "escape": ESCAPES,
    "C1": C1,
    "breaks": BREAKS,
    "unseen": UNSEEN,
    "bidi": BIDI,
    "right to left": RIGHT_TO_LEFT,
    "emoji": EMOJI,
    "combining": COMBINING,
    "wide": WIDE,
    "own marks": OWN_MARKS,
    "query": QUERIES,
    "strange": STRANGE,
    "control": tuple(map(chr, range(0x20))),
}


def texts(seed: int, count: int) -> list[str]:
    """So many hostile texts, every kind in its turn; the first few of each are the plain ones."""
    random = Random(seed)
    kinds = list(KINDS.values())
    return [kinds[place % len(kinds)](random) for place in range(count)]


def _around(parts: tuple[str, ...]) -> Callable[[Random], str]:
    """Some of the parts, alone or among words."""

    def made(random: Random) -> str:
        found = random.choices(parts, k=random.choice((1, 1, 2, 3, 8)))
        if random.random() < 0.3:
            return "".join(found)
        among = [*found, *random.choices(WORDS, k=random.randint(1, 12))]
        random.shuffle(among)
        return random.choice(("", " ", " ", "  ")).join(among)

    return made


def _blank(random: Random) -> str:
    return "".join(random.choices(BLANKS, k=random.randint(1, 4)))


def _long(random: Random) -> str:
    """One line of many characters, with and without blanks, of one and of two cells."""
    part = random.choice(
        ("x", "word ", "漢", "a漢", "e\u0301", "\x1b[31m", "😀 ", "[/]", "א", "\u200b")
    )
    return (part * LONG)[: random.choice((700, 3000, LONG))]


def _any(random: Random) -> str:
    """Characters of chance from all of Unicode, half surrogates apart."""
    codes = [*range(0xD800), *range(0xE000, 0x3200)] if random.random() < 0.5 else range(0x110000)
    found = map(chr, random.choices(codes, k=random.randint(1, 40)))
    return "".join(char for char in found if not 0xD800 <= ord(char) < 0xE000)


def _mixed(random: Random) -> str:
    parts = [part for kind in random.choices(list(_SAMPLES.values()), k=6) for part in kind]
    return "".join(random.choices(parts, k=random.randint(2, 12)))


KINDS: dict[str, Callable[[Random], str]] = {
    **{name: _around(parts) for name, parts in _SAMPLES.items()},
    "blank": _blank,
    "long": _long,
    "any": _any,
    "mixed": _mixed,
}


# What a text comes to on a screen, said a second time and in another way than `tui.text.inert_text`

BLANK = frozenset(
    [
        *" \t\n\r\x0b\x0c\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000",
        *map(chr, range(0x2000, 0x200B)),
    ]
)
_PICTURES = {chr(0x2400 + code): chr(code) for code in range(0x20)} | {"␡": "\x7f"}
_NUMBER = re.compile(r"\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|\\u\{([0-9a-f]{5,6})\}")


def essence(shown: str) -> str:
    """What is left of a text, or of what is shown for it, when stand-ins are what they stand for.

    Blanks, breaks and their marks are left out: where they fall depends on the width.
    """
    plain = "".join(_PICTURES.get(char, char) for char in shown if char not in BLANK)
    plain = _NUMBER.sub(_numbered, plain)
    return "".join(char for char in plain if char not in BLANK and char != "¶")


def _numbered(found: re.Match[str]) -> str:
    code = int(next(filter(None, found.groups())), 16)
    return chr(code) if code < 0x110000 else found[0]


def shows(shown: str, text: str, least: int = 0) -> bool:
    """Whether all of a text is shown, or if that ends in `…`, a beginning of it."""
    found, whole = essence(shown), essence(text)
    if found == whole:
        return True
    if not shown.rstrip().endswith("…"):
        return False
    beginning = essence(re.sub(r"\\(?:[xu]\{?[0-9a-f]{0,6})?$", "", shown.rstrip()[:-1]))
    return len(beginning) >= least and whole.startswith(beginning)


def cells(row: str) -> list[str]:
    """The row's cells as a terminal fills them; the second cell of a wide character is empty."""
    return [*_cells(row)]


@lru_cache(ROWS)
def _cells(row: str) -> tuple[str, ...]:
    found: list[str] = []
    for char in row:
        width = wcwidth(char)
        assert width >= 0, f"a control character is in {row!r}"
        if width:
            found += [char, *[""] * (width - 1)]
        elif found:
            found[-1 if found[-1] else -2] += char
    return tuple(found)


@lru_cache(ROWS)
def fault(row: str, width: int) -> str | None:
    """What is wrong with a row for a terminal of a width; None if nothing is."""
    if not row.isprintable():
        return f"not printable: {row!r}"
    if unicodedata.combining(row[0]) or not wcwidth(row[0]):
        return f"begins with a mark for what stands before it: {row!r}"
    agreed = "".join(filter(_is_agreed, row))
    for name, measured in (("", len(cells(row))), (" by clusters", wcswidth(agreed))):
        if measured != width:
            return f"{measured} cells{name}, not {width}: {row!r}"
    return None


def _is_agreed(char: str) -> bool:
    """Whether all terminals give a character the same width: not so marks of Indic scripts."""
    return unicodedata.category(char) != "Mc" and unicodedata.combining(char) != 9


# What a program writes to a terminal

_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x1b[\]P_^X].*?(?:\x1b\\|\x07)"  # OSC, DCS, APC, PM, SOS
    r"|\x1b[ -/]*[0-~]",  # others
    re.DOTALL,
)
_USUAL = re.compile(
    r"\x1b\[(?:[0-9;:]*m"  # colours
    r"|[0-9;]*[HABCDGdJK]"  # places
    r"|\?(?:25|1000|1002|1003|1004|1006|1015|1016|1049|2004|2026|2027|2031|2048|7)(?:[hl]|\$p)"
    r"|[<>=]\d*u|\?u|\?996n"  # keyboard, and asking for it
    r")|\x1b\]22;default\x07"  # the mouse pointer
)


def unusual(raw: bytes) -> set[str]:
    """Sequences and control characters in a program's output that no full-screen program needs."""
    text = raw.decode(errors="backslashreplace")
    found = {one for one in _SEQUENCE.findall(text) if not _USUAL.fullmatch(one)}
    rest = _SEQUENCE.sub("", text)
    return found | {char for char in rest if unicodedata.category(char) == "Cc"} - {"\r", "\n"}


def unique(found: Iterable[str]) -> list[str]:
    """The texts, each once, in their order."""
    return list(dict.fromkeys(found))
