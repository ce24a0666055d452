"""What a build would take: requests by stage, as far as earlier stages let units through.

How many units a stage keeps is taken from the file once enough have been through, else it lies
between what the paper's own build kept and all of them.
"""

from collections.abc import Sequence
from dataclasses import replace

import db.candidates
import prompts
from core.estimates.estimate import NONE, Estimate, EstimatePart, QuantityRange
from core.estimates.estimate_text import NAME, NO_TIME, EstimateRow
from core.estimates.job_history import ENOUGH, History
from core.pipeline.build_scope import OBJECTS, before, by_model, scope_of
from core.pipeline.funnel import FunnelRow as Standing
from core.pipeline.funnel import funnel
from core.pipeline.stage import Stage, UnitKind
from core.pipeline.stage_table import STAGES
from core.pipeline.stages.objects import MOST
from core.pricing.budget import dollars
from core.pricing.prices import BYTES_PER_TOKEN, NOTHING, price_of
from core.project import OpenProject
from core.sampling.found_capabilities import known_now
from core.specs.build_specs import BuildingSpec
from core.stats.number_format import format_duration, format_large

GROUNDED_CHARS = 6_000
"""Characters of a grounded question: passages go with it."""

QUESTION_CHARS, USUAL_CHARS = 120, 800
"""Characters of a question, and of a document's first paragraph where none is here yet."""

LENGTH = "length"
"""The stage that every document comes to first."""

SHORT = QuantityRange(4, 60)
"""Tokens of a reply, where it does not give a text back."""

THOUGHTS = QuantityRange(100, 2_000)
"""Tokens of thoughts in a reply of a model that reasons by itself."""

TRIES = 1.02
"""Requests for a unit: few replies are off their format."""


def estimate(project: OpenProject, spec: BuildingSpec, coming: int = 0) -> Estimate:
    """What a build would take. Raises `UsageError` as the build itself would.

    `coming`: documents that are to be imported before it.
    """
    scope = scope_of(spec.until, spec.only, spec.paragraphs, spec.set_name)
    if spec.model is None:
        return Estimate(0, 0, NONE)
    connection = project.connection
    found = {row.stage.name: row for row in funnel(connection, replace(scope, stages=STAGES))}
    lacking = len(db.candidates.lacking_facts(connection))
    thinks = known_now(connection, spec.model).thinking == "native"
    chars = db.candidates.mean_length(connection) or USUAL_CHARS
    kept: dict[str, QuantityRange] = {}
    found[LENGTH] = replace(found[LENGTH], waiting=found[LENGTH].waiting + coming)
    parts = []
    for stage in scope.stages:
        units = _units(stage, found[stage.name], kept, lacking, spec)
        kept[stage.name] = _estimate_kept(stage, found[stage.name], units)
        if by_model(stage) and units.high:
            parts.append(_part(spec.model, stage, units, chars, thinks))
    requests = sum((part.requests for part in parts), NONE)
    seconds = _measure_seconds(parts, History(connection))
    return Estimate(0, 0, requests, parts=tuple(parts), seconds=seconds)


def _measure_seconds(parts: Sequence[EstimatePart], history: History) -> float | None:
    """How long the stages would take at the most; None where the rate of one is not known."""
    found = 0.0
    for part in parts:
        used = history.find_building(part.model, part.stage.removeprefix("build "))
        if used is None or not used.requests or not used.seconds:
            return None
        found += part.requests.high * used.seconds / used.requests
    return found


def make_lines(found: Estimate) -> list[str]:
    """The estimate as it is printed."""
    return [
        f"{row.name:<{NAME}}{', '.join(filter(None, (row.what, row.beside)))}"
        for row in make_rows(found)
    ]


def make_rows(found: Estimate) -> list[EstimateRow]:
    """Requests, tokens, time and cost."""
    if not found.parts:
        return [EstimateRow("requests", "none: nothing waits for a model, or none is named")]
    low, high = round(found.answers.low), round(found.answers.high)
    into, out = found.input_tokens, found.output_tokens
    return [
        EstimateRow("requests", f"{low:,} to {high:,}", "by how many candidates the stages keep"),
        EstimateRow(
            "tokens",
            f"{format_large(into.low)} to {format_large(into.high)} in",
            f"{format_large(out.low)} to {format_large(out.high)} out",
        ),
        NO_TIME
        if found.seconds is None
        else EstimateRow(
            "time", f"up to {format_duration(found.seconds)}", "stages as fast as last time"
        ),
        _cost(found),
    ]


def _cost(found: Estimate) -> EstimateRow:
    apart = "searches of a service apart"
    if found.cost is None:
        return EstimateRow(
            "cost", "not known", f"no price of {found.unpriced[0]}: prices.toml can say"
        )
    low, high = dollars(found.cost.low), dollars(found.cost.high)
    if all(part.free for part in found.parts):
        return EstimateRow("cost", "nothing", f"the model runs here, {apart}")
    return EstimateRow("cost", high if low == high else f"{low} to {high}", apart)


def _units(
    stage: Stage, row: Standing, kept: dict[str, QuantityRange], lacking: int, spec: BuildingSpec
) -> QuantityRange:
    """Units that a stage will take: those that wait, and those that come from before."""
    names = [name for name in before(stage.name) if name in kept]
    coming = kept[names[-1]] if names else NONE
    if stage.of is UnitKind.CANDIDATE and names == [OBJECTS]:
        coming = QuantityRange(coming.low, coming.high * MOST)
    more = lacking if stage.makes is not None else 0
    found = QuantityRange(row.waiting + coming.low, row.waiting + coming.high + more)
    if stage.whole and spec.target is not None:
        room, again = max(0, spec.target - row.kept), row.dropped.total()
        return QuantityRange(min(found.low + again, room), min(found.high + again, room))
    return found


def _estimate_kept(stage: Stage, row: Standing, units: QuantityRange) -> QuantityRange:
    if stage.whole:
        return units
    through = row.kept + row.dropped.total()
    if through >= ENOUGH:
        share = row.kept / through
        return QuantityRange(units.low * share, units.high * share)
    reported = stage.reported
    lost = 0.0 if reported is None else reported.dropped_share or 0.0
    return QuantityRange(units.low * (1 - lost), units.high)


def _part(
    model: str, stage: Stage, units: QuantityRange, chars: float, thinks: bool
) -> EstimatePart:
    requests = QuantityRange(units.low, units.high * TRIES)
    into = (_frame(stage) + chars + QUESTION_CHARS) / BYTES_PER_TOKEN
    out = SHORT if not stage.room.share else QuantityRange(chars / 5, chars / 3 + SHORT.high)
    if thinks:
        out += THOUGHTS
    tokens = QuantityRange(requests.low * out.low, requests.high * out.high)
    price = price_of(model)
    cost = None
    if price is not None:
        cost = QuantityRange(
            price.cost(round(requests.low * into), round(tokens.low)),
            price.cost(round(requests.high * into), round(tokens.high)),
        )
    first = (price or NOTHING).cost(round(into), round(out.high))
    free = price is not None and price.is_free
    sent = QuantityRange(requests.low * into, requests.high * into)
    return EstimatePart(f"build {stage.name}", model, requests, sent, tokens, cost, first, free)


def _frame(stage: Stage) -> int:
    """Characters that are sent around a stage's inputs."""
    if stage.prompt is None:
        return GROUNDED_CHARS
    prompt = prompts.load(stage.prompt)
    messages = prompt.render(**dict.fromkeys(prompt.inputs, ""))
    return sum(len(message.content) for message in messages)
