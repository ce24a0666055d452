"""Tables for papers: rows of a document as LaTeX with booktabs, escaped, captioned."""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from core.settings.escapes import make_visible
from core.stats.number_format import format_decimal
from core.vocabulary import CODES, LABELS, Profile

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{mark: f"\\{mark}" for mark in "{}$&#_%"},
    **{mark: f"{{{mark}}}" for mark in "[]*"},
}
"""What TeX would read as something else: commands, options after a line's end, ligatures."""

_MARKS = re.compile("[" + re.escape("".join(_ESCAPED)) + "]")
_LIGATURES = re.compile(r"([-'`,])(?=\1)|[?!](?=`)")
NOTHING = "--"
RATES = (
    *("encodes", "knows", "knows_thinking"),
    *("not_gradable_share", "direct_inference_share", "excluded_share"),
)


def escape(text: str) -> str:
    """A text as TeX prints it, to the letter, on one line; what cannot be printed is spelled."""
    escaped = _MARKS.sub(lambda found: _ESCAPED[found[0]], make_visible(text))
    return _LIGATURES.sub(lambda found: f"{found[0]}{{}}", escaped)


def latex_table(rows: Sequence[Mapping[str, Any]], caption: str) -> str:
    """Rows as a `table` with the columns of all; needs the package booktabs."""
    limited = {key for row in rows for key in row.get("intervals") or ()}
    rows = [_spread_limits(row, limited) for row in rows]
    columns = list(dict.fromkeys(key for row in rows for key in row))
    kinds = ["l" if _is_text(row.get(name) for row in rows) else "r" for name in columns]
    lines = [
        "% \\usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        f"\\caption{{{escape(caption)}}}",
        f"\\begin{{tabular}}{{{''.join(kinds) or 'l'}}}",
        r"\toprule",
        _line(name.replace("_", " ") for name in columns),
        r"\midrule",
        *(_line(_cell(row.get(name)) for name in columns) for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _spread_limits(row: Mapping[str, Any], limited: Set[str]) -> dict[str, Any]:
    """A row whose intervals stand in two columns of their own, behind their number."""
    found = dict[str, Any]()
    intervals = row.get("intervals") or {}
    for key, value in row.items():
        if key == "interval":
            found["low"], found["high"] = value or (None, None)
        elif key != "intervals":
            found[key] = value
            if key in limited:
                limits = intervals.get(key) or (None, None)
                found[f"{key} low"], found[f"{key} high"] = limits
    return found


def policy_caption(what: str, head: Mapping[str, Any]) -> str:
    """What a table shows, under which policy."""
    graders = head.get("graders") or []
    weight = head.get("weight")
    parts = [
        *([f"policy {head['policy']}"] if head.get("policy") else []),
        *([f"tau = {head['tau']}"] if "tau" in head else []),
        *([f"strategy {head['strategy']}"] if "strategy" in head else []),
        *([f"weight {weight}"] if weight is not None else []),
        *([f"graders {' then '.join(graders)}"] if graders else []),
        *(["provisional"] if head.get("provisional") else []),
    ]
    return f"{what} ({'; '.join(parts)})." if parts else f"{what}."


def profile_rows(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The models of a `profiles --json` document, their groups below each."""
    rows = []
    for model in document["models"]:
        rows.append(_profile_row(str(model["model"]), model))
        groups = model.get("groups") or {}
        rows += [_profile_row(f"{model['model']}, {name}", one) for name, one in groups.items()]
    return rows


def _profile_row(name: str, one: Mapping[str, Any]) -> dict[str, Any]:
    shares = one["shares"] or {}
    sure = one.get("intervals") or {}
    spans = {CODES[profile]: span for profile, span in (sure.get("shares") or {}).items()}
    spans |= {key: sure[key] for key in RATES if key in sure}
    return {
        "model": name,
        "facts": one["total"],
        "included": one["included"],
        **{CODES[profile]: shares.get(profile) for profile in list(CODES)[: len(Profile)]},
        **{key: one[key] for key in RATES},
        **({"intervals": spans} if sure else {}),
    }


def matrix_rows(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The labels of two graders that a `confusion --json` document counts, or all pairs."""
    if "matrix" not in document:
        keys = ("a", "b", "n", "agreement", "kappa", "alpha")
        return [{key: pair.get(key) for key in keys} for pair in document["pairs"]]
    first = f"{document['a']} / {document['b']}"
    return [
        {first: label, **{other: document["matrix"][label][other] for other in LABELS}}
        for label in LABELS
    ]


def agreement_caption(document: Mapping[str, Any]) -> str:
    """How far two graders agree, in a caption."""
    if "matrix" not in document:
        return "Agreement of graders, two by two"
    said = [
        f"{name} {format_decimal(document[name], 3)}"
        for name in ("agreement", "kappa", "alpha")
        if document.get(name) is not None
    ]
    return (
        f"Labels of {document['a']} (rows) and {document['b']} (columns) over "
        f"{document['n']} responses{''.join(f', {one}' for one in said)}"
    )


def _is_text(values: Iterable[Any]) -> bool:
    return not all(
        value is None or (isinstance(value, int | float) and not isinstance(value, bool))
        for value in values
    )


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cell if cell == NOTHING else escape(cell) for cell in cells) + r" \\"


def _cell(value: Any) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return format_decimal(value, 3)
    if isinstance(value, list | tuple):
        return ", ".join(map(_cell, value))
    if isinstance(value, dict):
        return ", ".join(f"{key} {_cell(one)}" for key, one in value.items())
    return str(value)
