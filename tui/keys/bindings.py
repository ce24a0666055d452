"""What keys do in each place, that none means two things there, and no letter two anywhere."""

from collections import defaultdict
from collections.abc import Mapping

from textual.binding import Binding, BindingType

from core.errors import UsageError
from tui.keys.key_format import cap
from tui.keys.key_table import KEYS, Key


def bindings(where: str, silent: bool = False) -> list[BindingType]:
    """The bindings of a place; `silent`: its keys stand elsewhere, and not in the key line."""
    return [
        Binding(key.keys, key.action, key.words, id=key.id, show=key.line and not silent)
        for key in KEYS
        if where in key.places
    ]


TOGETHER = (
    ("everywhere", "list", "facts"),
    ("search",),
    ("everywhere", "list", "task", "answer"),
    ("everywhere", "list", "profiles"),
    ("everywhere", "list", "flow"),
    ("everywhere", "list", "confusion", "decision"),
    ("everywhere", "list", "confusion", "audit"),
    ("everywhere", "list", "confusion", "audits"),
    ("everywhere", "list", "confusion", "align"),
    ("everywhere", "list", "review", "verdict"),
    ("everywhere", "list", "jobs"),
    ("everywhere", "list", "figures"),
    ("everywhere", "list", "latent"),
    ("everywhere", "list", "bench"),
    ("dialog", "found", "words"),
    ("dialog", "found", "choices"),
    ("dialog", "seen"),
    ("dialog", "list", "acts"),
    ("dialog", "list", "form"),
    ("dialog", "list", "graders"),
    ("dialog", "list", "columns"),
    ("dialog", "list", "views"),
    ("dialog", "list", "parts"),
    ("dialog", "editor"),
    ("dialog", "note"),
    ("dialog", "confirm"),
    ("dialog", "quitting"),
)
"""Places whose keys work at the same time, so that none may have two meanings."""


def resolve_keys(changes: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Changed keys that can hold together, and why the others cannot.

    Left out is the last one without which the others fit. Keys as they are in the table do.
    """
    kept, faults = dict(changes), []
    while kept and (fault := _find_clash(kept)) is not None:
        without = ({one: kept[one] for one in kept if one != name} for name in reversed(kept))
        rests = list(without)
        kept = next((rest for rest in rests if _find_clash(rest) is None), rests[0])
        faults.append(fault)
    return kept, faults


def _find_clash(changes: Mapping[str, str]) -> str | None:
    try:
        check(changes)
    except UsageError as error:
        return str(error)
    return None


def check(changes: Mapping[str, str]) -> None:
    """Raise `UsageError` if with changed keys one key would mean two things in one place."""
    for places in TOGETHER:
        meaning: dict[str, str] = {}
        for key in KEYS:
            if not set(places) & set(key.places):
                continue
            for name in changes.get(key.id, key.keys).split(","):
                other = meaning.setdefault(name.strip(), key.id)
                if other != key.id:
                    raise UsageError(
                        f"the key `{name.strip()}` cannot mean both {other} and {key.id}: "
                        "change one of them in the settings file"
                    )


QUESTIONS = frozenset(("confirm", "quitting"))
"""Places where a dialog asks something, and names the letters that answer it."""


def list_letters() -> dict[str, list[Key]]:
    """Each letter, digit and sign with its keys: they all mean the same, on every screen."""
    found: dict[str, list[Key]] = defaultdict(list)
    for key in KEYS:
        for name in key.keys.split(",") if QUESTIONS.isdisjoint(key.places) else ():
            if len(cap(name)) == 1:
                found[cap(name)].append(key)
    return dict(found)
