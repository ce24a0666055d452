"""A comparison as text: the flow of facts between profiles, and the numbers of both sides."""

from core.results.model_comparison import FLOWS
from core.settings.escapes import shown
from core.stats.fact_shares import RECORDED
from core.views.lens import Lens
from core.views.profiles.crossed_profiles import CrossedProfiles
from core.views.profiles.profile_table import policy_words

HEADS = ("number", "A", "B", "B-A", "low", "high", "only A", "only B", "p adjusted")


def text(crossed: CrossedProfiles, lens: Lens, subset: str) -> str:
    """Rows with tabs between, under headings that say what is compared and how.

    Shares are fractions; nothing stands where nothing has been worked out.
    """
    found = crossed.found
    other = f"itself under {crossed.b}" if crossed.policies else crossed.b
    lines = [
        shown(f"A {crossed.a}, B {other}, {policy_words(lens)}; {subset}"),
        f"{int(found.compared.sum())} facts compared, {int(found.other.sum())} moved",
    ]
    if found.table is not None:
        lines.append("\t".join(["A down, B across", *FLOWS]))
        rows = zip(FLOWS, found.table.tolist(), strict=True)
        lines += ["\t".join([name, *map(str, row)]) for name, row in rows]
    lines.append("\t".join(HEADS))
    for change in found.changes:
        low, high = change.interval or (None, None)
        p = change.tested and change.tested.p_adjusted
        values = (change.a, change.b, change.difference, low, high)
        counts = [str(change.only_a), str(change.only_b)]
        cells = [*map(_number, values), *counts, "" if p is None else f"{p:.3g}"]
        lines.append("\t".join([change.number, *cells]))
    lines.append(f"{RECORDED['level']:.0%} intervals over facts, as {RECORDED['scope']}")
    return "\n".join(lines) + "\n"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
