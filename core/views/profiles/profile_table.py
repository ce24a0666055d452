"""The rows of the Profiles screen as text, with all that is needed to read them later."""

from collections.abc import Sequence

from core.dataset.fact_filters import Filters, where_words
from core.scoring.verdicts import ProfileSummary
from core.settings.escapes import make_visible
from core.stats.number_format import format_amount
from core.views.fact_query import FactQuery
from core.views.lens import Lens
from core.views.list_file import ListTable
from core.views.profiles.profile_rows import ProfileRow, RowKind
from core.vocabulary import CODES, PROFILES, Strategy

COLUMNS = (
    *(str(name) for name in CODES if name in PROFILES),
    *("encodes", "knows", "knows_thinking", "excluded_share"),
    *("included", "direct_inference", "excluded_nan", "incomplete", "total", "moved"),
)


GROUPS = {
    RowKind.TOPICS: ("topic", "category"),
    RowKind.TYPES: ("type", "object_type"),
    RowKind.TIERS: ("tier", "popularity"),
}
"""What one group of facts is called, and after which `--by` of `lostkeys profiles`."""


def rows_table(rows: Sequence[ProfileRow], by: RowKind, model: str) -> ListTable:
    """Rows as a table: a model each, or a group of one model's facts. Shares are fractions."""
    heads = ["model"] if by is RowKind.MODELS else ["model", GROUPS[by][0]]
    shares = COLUMNS[: COLUMNS.index("included")]
    kinds: dict[str, type] = {
        **dict.fromkeys(heads, str),
        **{name: float if name in shares else int for name in COLUMNS},
    }
    named = ([row.name] if by is RowKind.MODELS else [model, row.name] for row in rows)
    return ListTable(
        kinds,
        [
            dict(zip(heads, names, strict=True)) | _values(row)
            for names, row in zip(named, rows, strict=True)
        ],
    )


def build_command(by: RowKind, model: str, where: str) -> list[str]:
    """The command that shows the same rows, but for its options of the lens."""
    command = ["profiles", *(["--where", where] if where else [])]
    return command if by is RowKind.MODELS else [*command, "--by", GROUPS[by][1], "--model", model]


def policy_words(lens: Lens, name: str | None = None) -> str:
    """What a lens counts by: `tau 0.5, pair, graders human:* then lexical`."""
    policy = lens.policy
    partial = policy.strategy is Strategy.PARTIAL
    strategy = f"{policy.strategy} {policy.weight}" if partial else str(policy.strategy)
    graders = " then ".join(lens.ranked) or "none"
    named = f" ({name})" if name else ""
    return f"tau {policy.tau}, {strategy}, graders {graders}{named}"


def subset_words(wanted: FactQuery, facts: int, total: int) -> str:
    """Which facts are meant: `all 2,150 facts`, or `178 of 2,150 facts: Geography`."""
    parts = subset_parts(wanted)
    if not parts:
        return f"all {format_amount(total, 'fact')}"
    return f"{facts:,} of {format_amount(total, 'fact')}: {', '.join(parts)}"


def subset_parts(wanted: FactQuery) -> list[str]:
    """What a subset asks for, one by one."""
    asked: Filters = wanted.filters
    parts = [
        name
        for names in (asked.topics, asked.types, asked.tiers, asked.reviews)
        for name in sorted(names)
    ]
    parts += where_words(asked.typed)
    return [*parts, f"`{wanted.search.strip()}`"] if wanted.search.strip() else parts


def table(
    rows: Sequence[ProfileRow],
    by: RowKind,
    model: str,
    lens: Lens,
    start: Lens,
    subset: str,
    name: str | None,
) -> str:
    """Rows with tabs between, under a heading that says how they were counted.

    Shares are fractions; nothing stands where there is nothing to divide by.
    """
    first = "model" if by is RowKind.MODELS else f"{by.value} of {model}"
    lines = [
        make_visible(f"profiles, {policy_words(lens, name)}; {subset}"),
        make_visible(f"moved: facts with another profile than under {policy_words(start)}"),
        "\t".join([make_visible(first), *COLUMNS]),
    ]
    lines += ["\t".join([make_visible(row.name), *_cells(row)]) for row in rows]
    return "\n".join(lines) + "\n"


def _cells(row: ProfileRow) -> list[str]:
    return [_number(value) for value in _values(row).values()]


def _values(row: ProfileRow) -> dict[str, object]:
    """What stands in each of `COLUMNS`; None where there is nothing to divide by."""
    summary: ProfileSummary = row.now.summary
    document, shares = summary.as_json(), summary.shares or {}
    values = {
        column: shares.get(column) if column in PROFILES else document.get(column)
        for column in COLUMNS[:-1]
    }
    return values | {"moved": row.moved}


def _number(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)
