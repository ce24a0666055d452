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
    "counted": "▫",
    "at-stake": "≠",
    "differs": "±",
    "edited": "Δ",
    "flagged": "*",
    "noted": "†",
    "contradicts": "Z",
    "models-differ": "±",
    "methods-part": "≠",
    "none": "·",
    "running": "▶",
    "paused": "⏸",
    "waiting": "·",
    "done": "✓",
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
    "half": "▀",
    "from": "├",
    "until": "┤",
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
    "counted": "_",
    "at-stake": "#",
    "differs": "%",
    "edited": "e",
    "flagged": "*",
    "noted": "n",
    "contradicts": "Z",
    "models-differ": "%",
    "methods-part": "#",
    "none": ".",
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
    "half": "=",
    "from": "|",
    "until": "|",
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
        "‹": "<",
        "↑": "^",
        "↓": "v",
        "○": "o",
        "■": "#",
        "□": "%",
        "◆": "*",
        "◇": "x",
        "∅": "-",
        "└": "\\",
    }
)
"""What our own text is drawn with in ASCII, by character."""

SPOKEN = {
    **ASCII,
    **dict.fromkeys(UNICODE.keys() & {"bar", "track", "grid", "knob", "notch"}, " "),
    **dict.fromkeys((name for name in UNICODE if name.startswith("level-")), " "),
    **dict.fromkeys(("cursor", "thin", "half", "from", "until", "hatch", "dense"), " "),
    "at-stake": ", verdict at stake",
    "differs": ", graders differ",
    "edited": ", edited",
    "flagged": ", flagged",
    "noted": ", has a note",
    "contradicts": ", scores contradict",
    "models-differ": ", models differ",
    "methods-part": ", methods part",
    "none": "0",
    "running": "running",
    "paused": "paused",
    "waiting": "waiting",
    "done": "done",
    "failed": "failed",
    "arrow": "to",
    "up": "upwards",
    "down": "downwards",
    "then": ", then ",
    "chosen": "chosen",
}
"""Marks for who hears them; those of labels are put in words where a line is spoken."""

SPOKEN_SPELLINGS = SPELLINGS | str.maketrans(
    {
        "─": " ",
        "│": " ",
        "└": " ",
        "→": "to",
        "·": ",",
        "≥": "at least ",
        "±": "plus or minus ",
        "¶": " ",
        "›": "then",
        "‹": "before that",
        "≠": "differs",
        "Δ": "edited",
        "†": "note",
        "●": "correct",
        "▶": "",
    }
)
"""What our own text is drawn with for who hears it, by character."""

_terminal: dict[str, Mapping[int, str]] = {}
"""The spellings that the one terminal of the program needs."""


def draw_unicode() -> None:
    """Draw all text of ours as it is written."""
    _terminal.clear()


def draw_ascii() -> None:
    """Draw all text of ours in ASCII."""
    _terminal["spellings"] = SPELLINGS


def draw_spoken() -> None:
    """Draw all text of ours as it is to be heard."""
    _terminal["spellings"] = SPOKEN_SPELLINGS


def spell(text: str) -> str:
    """Text of ours, which holds nothing of the data, in the glyphs that the terminal shows."""
    return text if text.isascii() or not _terminal else text.translate(_terminal["spellings"])


def lacks_unicode(environment: Mapping[str, str], encoding: str) -> bool:
    """Whether a terminal is not to be trusted with more than ASCII: console, `dumb`, no UTF-8.

    A locale that is not named says nothing; `encoding` is that of what is written.
    """
    names = (environment.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next(filter(None, names), "UTF-8")
    utf8 = all("utf8" in one.lower().replace("-", "") for one in (locale, encoding))
    return environment.get("TERM") in ("linux", "dumb") or not utf8
