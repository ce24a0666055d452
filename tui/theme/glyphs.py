"""Marks, in characters that nearly every font has, and in ASCII: each is one cell, save `tau`.

Text of ours goes through `spell` as it is drawn; text of the data never does.
"""

from collections.abc import Mapping

UNICODE = {
    "CORRECT": "●",
    "INCORRECT": "x",
    "PARTIALLY": "≈",
    "OTHER": "o",
    "unlabelled": "·",
    "ungraded": "?",
    "undrawn": "-",
    "at-stake": "≠",
    "differs": "±",
    "edited": "Δ",
    "flagged": "*",
    "noted": "†",
    "running": "▶",
    "paused": "=",
    "waiting": "·",
    "done": "√",
    "failed": "!",
    "cursor": "▌",
    "arrow": "→",
    "up": "▲",
    "down": "▼",
    "bar": "━",
    "track": "─",
    "grid": "│",
    "knob": "●",
    "notch": "┼",
    "thin": "▔",
    "hatch": "░",
    "dense": "▒",
    **{f"level-{place}": char for place, char in enumerate("▁▂▃▄▅▆▇█")},
    "then": "›",
    "chosen": ">",
    "tau": "τ",
}

ASCII = {
    **dict.fromkeys(UNICODE, " "),
    "CORRECT": "+",
    "INCORRECT": "x",
    "PARTIALLY": "~",
    "OTHER": "o",
    "unlabelled": ".",
    "ungraded": "?",
    "undrawn": "-",
    "at-stake": "#",
    "differs": "%",
    "edited": "e",
    "flagged": "*",
    "noted": "n",
    "running": ">",
    "paused": "=",
    "waiting": ".",
    "done": "v",
    "failed": "!",
    "cursor": "|",
    "arrow": ">",
    "up": "^",
    "down": "v",
    "bar": "=",
    "track": "-",
    "grid": "|",
    "knob": "O",
    "notch": "|",
    "thin": '"',
    "hatch": ":",
    "dense": "%",
    **{f"level-{place}": char for place, char in enumerate("_.-:=+*#")},
    "then": ">",
    "chosen": ">",
    "tau": "tau",
}

SPELLINGS = str.maketrans(
    {char: ASCII[name] for name, char in reversed(UNICODE.items())}
    | {
        "…": "...",
        "–": "-",
        "−": "-",
        "±": "+-",
        "≥": ">=",
        "¶": "|",
        "κ": "kappa",
        "α": "alpha",
        "←": "<",
        "↑": "^",
        "↓": "v",
        "○": "o",
        "■": "#",
        "□": "%",
        "◆": "*",
        "◇": "x",
        "∅": "-",
    }
)
"""What our own text is drawn with in ASCII, by character."""

_terminal = {"ascii": False}
"""What the one terminal of the program shows."""


def draw_ascii(wanted: bool) -> None:
    """Draw all text of ours in ASCII, or in Unicode."""
    _terminal["ascii"] = wanted


def spell(text: str) -> str:
    """Text of ours, which holds nothing of the data, in the glyphs that the terminal shows."""
    return text if text.isascii() or not _terminal["ascii"] else text.translate(SPELLINGS)


def lacks_unicode(environment: Mapping[str, str], encoding: str) -> bool:
    """Whether a terminal is not to be trusted with more than ASCII: console, `dumb`, no UTF-8.

    A locale that is not named says nothing; `encoding` is that of what is written.
    """
    names = (environment.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next(filter(None, names), "UTF-8")
    utf8 = all("utf8" in one.lower().replace("-", "") for one in (locale, encoding))
    return environment.get("TERM") in ("linux", "dumb") or not utf8
