"""What the facts are: by topic, types, page views and year of the page.

Source: Calderon et al., appendix A.1, figures 9, 10 and 11.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress

from core.analyses.analysis_evidence import AnalysisRow, Evidence
from core.analyses.analysis_record import AnalysisRecord, Column, ColumnKind
from core.dataset.fact_filters import NO_NAME

GROUPS = {
    "ARTIFACT": ("WORK_OF_ART", "PRODUCT"),
    "BIO_CHEM": ("ORGANISM", "CONDITION", "SUBSTANCE"),
    "CONCEPT": ("IDEA", "LANGUAGE", "LAW"),
    "DESCRIPTOR": ("CLASSIFICATION", "GROUP", "IDENTIFIER", "TITLE"),
}
"""The types that figure 11 draws as one; every other type is a group of its own."""

GROUP_OF = {name: group for group, names in GROUPS.items() for name in names}


@dataclass(frozen=True, slots=True)
class DistributionRow(AnalysisRow):
    """Facts of one group: `what` is the property, `share` = n / all facts looked at."""

    what: str
    group: str
    n: int
    share: float | None


def dataset(evidence: Evidence) -> list[DistributionRow]:
    """The facts by each property, the largest groups first; years and views in their order."""
    index, total = evidence.index, int(evidence.facts.sum())

    def choose(column: Sequence[str]) -> Iterator[str]:
        return (name or NO_NAME for name in compress(column, evidence.facts.tolist()))

    object_types = list(choose(index.object_types))
    counted: dict[str, Iterable[tuple[str, int]]] = {
        "category": _rank_names(choose(index.categories)),
        "subject_type": _rank_names(choose(index.subject_types)),
        "object_type": _rank_names(object_types),
        "object_group": _rank_names(GROUP_OF.get(name, name) for name in object_types),
        "year": _count_in_order(index.years[evidence.facts].tolist(), str),
        "views": _count_in_order(
            [_digits(views) for views in index.views[evidence.facts].tolist()], _name_power
        ),
    }
    return [
        DistributionRow(what, group, n, n / total)
        for what, groups in counted.items()
        for group, n in groups
    ]


def _rank_names(names: Iterable[str]) -> list[tuple[str, int]]:
    return sorted(Counter(names).items(), key=lambda pair: (-pair[1], pair[0]))


def _count_in_order(values: Sequence[int], name_of: Callable[[int], str]) -> list[tuple[str, int]]:
    """Groups from the least value to the greatest, those without one (below 0) last."""
    found = Counter(values)
    known = sorted(value for value in found if value >= 0)
    pairs = [(name_of(value), found[value]) for value in known]
    unknown = sum(count for value, count in found.items() if value < 0)
    return [*pairs, (NO_NAME, unknown)] if unknown else pairs


def _digits(views: int) -> int:
    """The number of digits of a view count, 0 for no views, -1 where it is unknown."""
    return views if views <= 0 else len(str(views))


def _name_power(digits: int) -> str:
    """The range of views with so many digits: `100-999`."""
    return "0" if digits == 0 else f"{10 ** (digits - 1)}-{10**digits - 1}"


RECORD = AnalysisRecord(
    "dataset",
    "what the facts are: topics, types, page views, years",
    dataset,
    (
        Column("what"),
        Column("group"),
        Column("n", ColumnKind.COUNT),
        Column("share", ColumnKind.SHARE, "%"),
    ),
    note="of all facts that are not rejected; object_group as in figure 11 of the paper",
    unmeasured="dataset counts facts, so there is nothing to be unsure of",
    is_of_facts=True,
)
