"""How keys are written and ordered in the key line and in help."""

from collections.abc import Iterable, Mapping, Sequence

from tui.keys.key_table import BY_ID, RANK, Key
from tui.theme.glyphs import spell

FOLLOWING = ("label.note", "undo", "redo", "task.view", "review.reject")
"""Keys that matter more than others where an answer is open: they follow labels and moves."""

READING = ("lens.thinking",)
"""Keys that matter more than those of the list where a fact alone is in sight: they follow
`facts.open`."""

LIVE = (
    "profiles.compare",
    "lens.lower",
    "lens.higher",
    "lens.before",
    "lens.after",
    "lens.grader",
    "profiles.rows",
)
"""Keys that matter more than others where all bars change at once: they follow `profiles.open`."""

ALWAYS = ("help", "commands")
"""What the key line keeps at its right end."""

CAPS = {
    "slash": "/",
    "comma": ",",
    "plus": "+",
    "full_stop": ".",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "equals_sign": "=",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "question_mark": "?",
    "ampersand": "&",
    "vertical_line": "|",
    "exclamation_mark": "!",
    "number_sign": "#",
    "quotation_mark": '"',
    "left_parenthesis": "(",
    "right_parenthesis": ")",
    "pagedown": "pgdn",
    "pageup": "pgup",
}
"""How keys are written that have a longer name."""

ARROWS = {"left": "←", "right": "→", "up": "↑", "down": "↓"}
"""How keys with arrows are written where the terminal shows arrows."""

CTRL = "ctrl+"

RUN = 4
"""Keys that are named one by one; more are shown as a range."""


def cap(name: str, short: bool = False) -> str:
    """How a key is written: `/`, `F1`, `ctrl+p`, `escape`, in short `^p`, `esc`."""
    shown = CAPS.get(name, name)
    if short and shown == "escape":
        return "esc"
    if short and shown.startswith(CTRL):
        return "^" + shown.removeprefix(CTRL)
    return shown.upper() if shown[:1] == "f" and shown[1:].isdigit() else shown


def _with_arrow(shown: str) -> str:
    """A key with the arrow that is on it, where the terminal shows arrows."""
    held, plus, last = shown.rpartition("+")
    arrow = ARROWS.get(last, "")
    return f"{held}{plus}{arrow}" if arrow and spell(arrow) == arrow else shown


def cap_of(key: str, changed: Mapping[str, str]) -> str:
    """The cap of a key by its id in the table; `changed` has the user's own by their ids."""
    return _with_arrow(cap(changed.get(key, BY_ID[key].keys).partition(",")[0]))


def caps(names: Sequence[str], short: bool = False) -> str:
    """Several keys for one thing: `j/k`, `[ ]`, `c i p o`, `1-0`, `ctrl+← →`."""
    shown = [_with_arrow(cap(name, short)) for name in names]
    if len(names) > 1 and all(name.startswith(CTRL) for name in names):
        others = [_with_arrow(name.removeprefix(CTRL)) for name in names[1:]]
        return ("/" if "".join(others).isalnum() else " ").join([shown[0], *others])
    if len(shown) > RUN:
        return f"{shown[0]}-{shown[-1]}"
    return ("/" if len(shown) == 2 and "".join(shown).isalnum() else " ").join(shown)


def _order_keys(keys: list[tuple[Key, str]], reading: bool) -> list[tuple[Key, str]]:
    """Keys as in the table; where an answer is open with what follows its labels."""
    judging = any(key.id == "label.correct" for key, _ in keys)
    live = any(key.id == "profiles.open" for key, _ in keys)

    def rank(key: Key) -> tuple[int, int]:
        if judging and key.id in FOLLOWING:
            return RANK["list.up"], RANK["list.up"] + 1 + FOLLOWING.index(key.id)
        if live and key.id in LIVE:
            return RANK["profiles.open"], RANK["profiles.open"] + 1 + LIVE.index(key.id)
        if reading and key.id in READING:
            return RANK["facts.open"], RANK[key.id]
        return RANK[key.id], RANK[key.id]

    return sorted(keys, key=lambda pair: rank(pair[0]))


def merge_keys(
    keys: Iterable[tuple[Key, str]], reading: bool = False
) -> list[tuple[list[str], Key]]:
    """Keys with the names they have now; neighbours in the table with the same words become one.

    `reading` says that a fact alone is in sight.
    """
    found: list[tuple[list[str], Key]] = []
    for key, name in _order_keys(list(keys), reading):
        if found and found[-1][1].words == key.words and found[-1][1].group == key.group:
            found[-1][0].append(name)
        else:
            found.append(([name], key))
    return found
