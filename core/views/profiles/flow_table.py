"""A comparison as text: the flow of facts between profiles, and the numbers of both sides."""

from core.results.model_comparison import FLOWS, ShareChange
from core.settings.escapes import make_visible
from core.stats.fact_shares import RECORDED
from core.views.lens import Lens
from core.views.list_file import ListTable
from core.views.profiles.profile_comparison import CrossedProfiles
from core.views.profiles.profile_table import policy_words

HEADS = ("number", "A", "B", "B-A", "low", "high", "only A", "only B", "p adjusted")


def flow_rows(crossed: CrossedProfiles) -> ListTable | None:
    """How many facts go from which profile of A to which of B; None where thinking is unknown."""
    table = crossed.found.table
    if table is None:
        return None
    kinds: dict[str, type] = {"A down, B across": str, **dict.fromkeys(FLOWS, int)}
    return ListTable(
        kinds,
        [
            {"A down, B across": name, **dict(zip(FLOWS, row, strict=True))}
            for name, row in zip(FLOWS, table.tolist(), strict=True)
        ],
    )


def number_rows(crossed: CrossedProfiles) -> ListTable:
    """The numbers of both sides, with the difference, its interval and its test."""
    rows = [
        dict(zip(HEADS, (one.number, *_numbers(one)), strict=True)) for one in crossed.found.changes
    ]
    counts = {"only A", "only B"}
    kinds = {name: int if name in counts else float for name in HEADS[1:]}
    return ListTable({"number": str, **kinds}, rows)


def _numbers(change: ShareChange) -> tuple[float | int | None, ...]:
    low, high = change.interval or (None, None)
    p = None if change.tested is None else change.tested.p_adjusted
    return change.a, change.b, change.difference, low, high, change.only_a, change.only_b, p


def text(crossed: CrossedProfiles, lens: Lens, subset: str) -> str:
    """Rows with tabs between, under headings that say what is compared and how.

    Shares are fractions; nothing stands where nothing has been worked out.
    """
    found = crossed.found
    other = f"itself under {crossed.b}" if crossed.policies else crossed.b
    lines = [
        make_visible(f"A {crossed.a}, B {other}, {policy_words(lens)}; {subset}"),
        f"{int(found.compared.sum())} facts compared, {int(found.other.sum())} moved",
    ]
    if found.table is not None:
        lines.append("\t".join(["A down, B across", *FLOWS]))
        rows = zip(FLOWS, found.table.tolist(), strict=True)
        lines += ["\t".join([name, *map(str, row)]) for name, row in rows]
    lines.append("\t".join(HEADS))
    for change in found.changes:
        *values, only_a, only_b, p = _numbers(change)
        cells = [*map(_number, values), str(only_a), str(only_b), "" if p is None else f"{p:.3g}"]
        lines.append("\t".join([change.number, *cells]))
    lines.append(f"{RECORDED['level']:.0%} intervals over facts, as {RECORDED['scope']}")
    return "\n".join(lines) + "\n"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
