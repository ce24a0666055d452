"""What a term of the glossary comes to under the present lens, in words."""

from collections.abc import Callable

from core.stats.number_format import format_amount
from core.views.glossary_values import term_filters, term_value
from core.views.lens import Lens
from core.views.snapshot import Snapshot
from core.views.verdict_reasons import format_tau
from tui.dialogs.help_page import TermDetails
from tui.screens.profiles.render_numbers import percent
from tui.text.grader_list import short_list
from tui.text.inert_text import make_inert
from tui.text.line import cut
from tui.theme.look import Look

LONGEST = 40
"""Cells of a model's or a grader's name."""

_LENS: dict[str, Callable[[Lens], str | None]] = {
    "model": lambda lens: lens.model,
    "thinking": lambda lens: lens.thinking.value,
    "graders": lambda lens: " then ".join(lens.ranked),
    "A": lambda lens: lens.a,
    "B": lambda lens: lens.b,
    "tau": lambda lens: format_tau(lens.policy.tau),
    "strategy": lambda lens: lens.policy.strategy.value,
    "weight": lambda lens: format_tau(lens.policy.weight),
}
"""Terms that are parts of the lens."""


def term_details(term: str, snapshot: Snapshot, look: Look) -> TermDetails | None:
    """The value of a term here; None for one that has none."""
    lens = snapshot.lens
    if term in _LENS:
        words = _LENS[term](lens)
        return TermDetails(_shorten_text(words), "", False) if words else None
    value = term_value(term, snapshot)
    if value is None:
        return None
    parts = []
    if value.count is not None:
        parts.append(format_amount(value.count, "fact"))
    if value.share is not None or value.count is None:
        parts.append(value.missing or percent(value.share))
    return TermDetails(", ".join(parts), under_lens(lens, look), _has_facts(term, snapshot))


def under_lens(lens: Lens, look: Look) -> str:
    """Model, graders and threshold of a number: `gemma3-27b, you›A, τ .50`."""
    tau = f"{look.glyph('tau')} {format_tau(lens.policy.tau)}"
    parts = (_shorten_text(lens.model or ""), short_list(lens, look), tau)
    return ", ".join(part for part in parts if part)


def _shorten_text(text: str) -> str:
    return cut(make_inert(text), LONGEST)


def _has_facts(term: str, snapshot: Snapshot) -> bool:
    return term_filters(term, snapshot) is not None
