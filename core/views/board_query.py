"""Lists of Latent and Bench in words: what views keep, and what `--where` asks for.

Latent: `model:M form:zero-prompt n:50 seed:0 order:0 inject:unknown:40:block options:100`, and
`relation:R set:S` for the facts of a relation; without a relation the list is that of relations.

Bench: `set:S split:eval`, `arm:LABEL by:property` for the groups of an arm, and `group:G` for the
questions of one; without an arm the list is that of arms.

The order is that of the innermost list which the words name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import TypeVar

from core.errors import UsageError
from core.fact_bench.set_shares import EVAL, TRAIN
from core.views.bench.bench_board import BREAKDOWNS, ArmOrder, GroupOrder
from core.views.bench.bench_questions import QuestionOrder
from core.views.bench.bench_service import BenchRequest
from core.views.latent.latent_relations import LatentOrder
from core.views.queue_query import check_choice, join_words, parse_words
from core.zero_prompt.score_matrix import Setup

Order = TypeVar("Order", bound=StrEnum)

OF_LATENT = (
    "model",
    "form",
    "n",
    "seed",
    "order",
    "inject",
    "options",
    "tokens",
    "relation",
    "set",
)
OF_BENCH = ("set", "split", "arm", "by", "group")
SPLITS = (EVAL, "subset", TRAIN, "all")


@dataclass(frozen=True, slots=True)
class LatentQuery:
    """A list of Latent: relations, or the facts of one under a setup, in an order.

    Without a set the relation is the first of its name.
    """

    setup: Setup = field(default_factory=Setup)
    model: str | None = None
    relation: str | None = None
    set_name: str = ""
    order: LatentOrder = LatentOrder.DIFFER


def format_latent(wanted: LatentQuery) -> tuple[str, str]:
    """A list of Latent as words and an order; what is as usual of a setup is left out."""
    usual, setup = Setup(), wanted.setup
    parts = {one.name: getattr(setup, one.name) for one in fields(setup)}
    unusual = {
        name: str(value)
        for name, value in parts.items()
        if name == "n" or value != getattr(usual, name)
    }
    there = {"model": wanted.model, **unusual}
    if wanted.relation is None:
        return _format(OF_LATENT, there), ""
    there |= {"relation": wanted.relation, "set": wanted.set_name}
    return _format(OF_LATENT, there), str(wanted.order)


def parse_latent(where: str, sort: str = "") -> LatentQuery:
    """The list that words ask for. Raises `UsageError` for a word or order that cannot be."""
    found = parse_words(where, OF_LATENT, "Latent")
    relation = found.get("relation")
    if relation is None and ("set" in found or sort):
        raise UsageError("set: and an order go with relation:, whose facts they are of")
    usual = Setup()
    setup = Setup(
        found.get("form", usual.form),
        _number("n", found, usual.n),
        _number("seed", found, usual.seed),
        _number("order", found, usual.order),
        found.get("inject"),
        _number("options", found, usual.options),
        _number("tokens", found, usual.tokens),
    )
    order = _order(LatentOrder, sort)
    return LatentQuery(setup, found.get("model"), relation, found.get("set", ""), order)


def format_bench(wanted: BenchRequest) -> tuple[str, str]:
    """A list of Bench as words and an order: of arms, of an arm's groups, or of questions."""
    there = {"set": wanted.set_name, "split": wanted.split}
    order: StrEnum = wanted.arm_order
    if wanted.arm is not None:
        there |= {"arm": wanted.arm, "by": wanted.by}
        order = wanted.group_order
        if wanted.group is not None:
            there["group"], order = wanted.group, wanted.question_order
    return _format(OF_BENCH, there), str(order)


def parse_bench(where: str, sort: str = "") -> BenchRequest:
    """The list that words ask for. Raises `UsageError` for a word or order that cannot be."""
    found = parse_words(where, OF_BENCH, "Bench")
    for name, needed in (("by", "arm"), ("group", "arm"), ("group", "by")):
        if name in found and needed not in found:
            raise UsageError(f"{name}: goes with {needed}:")
    by = check_choice("by", found.get("by", BREAKDOWNS[0]), BREAKDOWNS)
    split = found.get("split")
    if split is not None:
        check_choice("split", split, SPLITS)
    wanted = BenchRequest(found.get("set"), split, found.get("arm"), by, found.get("group"))
    if wanted.arm is None:
        return replace(wanted, arm_order=_order(ArmOrder, sort))
    if wanted.group is None:
        return replace(wanted, group_order=_order(GroupOrder, sort))
    return replace(wanted, question_order=_order(QuestionOrder, sort))


def _format(names: Sequence[str], values: Mapping[str, str | None]) -> str:
    return join_words((name, values.get(name)) for name in names)


def _order(kind: type[Order], sort: str) -> Order:
    orders = list(kind)
    return kind(check_choice("order", sort, [str(one) for one in orders])) if sort else orders[0]


def _number(name: str, found: Mapping[str, str], usual: int) -> int:
    value = found.get(name)
    if value is None:
        return usual
    if not (value.isascii() and value.isdigit() and len(value) <= 9):
        raise UsageError(f"{name}:{value}: a whole number stands here, as in {name}:{usual}")
    return int(value)
