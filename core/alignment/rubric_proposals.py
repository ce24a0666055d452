"""Proposals: a model writes a rubric anew from what a version missed on `tune`."""

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import prompts
from core.alignment.reference_set import TUNE, ReferenceSet
from core.alignment.rubric_versions import keep_rubric, list_versions, name_version, read_rubric
from core.alignment.set_report import list_misses
from core.engine.model_channel import ModelChannel
from core.engine.run_counters import RunCounters, Spend
from core.engine.token_usage import total
from core.engine.trial_provider import TrialProvider
from core.errors import LostkeysError, UsageError
from core.grading.prompt_rubric import LONGEST_RULES, PromptRubric
from core.pricing import Budget, price_of
from core.project import OpenProject
from core.providers.base import Provider, Request, retry_request
from core.providers.registry import open_provider
from core.sampling.found_capabilities import capabilities_of, temperature_of
from db.rubrics import StoredRubric
from prompts.template import quote_text

TEMPLATE = "suggest-rubric"
MOST_MISSES = 40
"""Misses that a proposal sees."""

TRIES = 3
TOKENS = 2_000
_LONGEST_TEXT = 1_000
"""Letters of a text of a miss that a model is shown."""

_REPLY = re.compile(r"\s*<rubric>\s*(.*?\S)\s*</rubric>\s*", re.DOTALL)


class ProposalError(LostkeysError):
    """No rubric came."""


def propose_rules(
    project: OpenProject,
    model: str,
    rules: str,
    misses: Sequence[dict[str, Any]],
    max_cost: float | None = None,
    folder: Path | None = None,
    open_: Callable[[str], Provider] = open_provider,
) -> tuple[str, Spend]:
    """The rules that a model writes in place of these, and what it used.

    A reply off its form is asked for again, twice at most. Raises `ProposalError` then, and what
    the engine raises.
    """
    asked = prompts.load(TEMPLATE, folder).render(
        rules=quote_text(rules) if rules else "none yet",
        misses="\n".join(_write_miss(number, one) for number, one in enumerate(misses, 1)),
    )
    return asyncio.run(_propose(project, model, asked, max_cost, open_))


def _write_miss(number: int, miss: dict[str, Any]) -> str:
    def quote(text: str | None) -> str:
        return quote_text((text or "")[:_LONGEST_TEXT])

    said = [
        f"Answer {number}: {quote(miss['response'])}",
        f"It answers: {quote(miss['question'])}",
        f"Gold answer: {quote(miss['gold'])}",
        f"The grader said {miss['grader_label']}: {quote(miss['reason'])}",
        f"The person said {miss['label']}" + (f": {quote(miss['note'])}" if miss["note"] else ""),
    ]
    return "\n".join(said)


async def _propose(
    project: OpenProject,
    model: str,
    asked: tuple[prompts.Message, ...],
    max_cost: float | None,
    open_: Callable[[str], Provider],
) -> tuple[str, Spend]:
    provider, counters = open_(model), RunCounters()
    try:
        budget = None if max_cost is None else Budget(max_cost)
        channel = ModelChannel(provider, model, price=price_of(model))
        tried = TrialProvider(channel, counters, budget)
        known = await capabilities_of(tried, model, project.connection)
        request = Request(
            n=1,
            max_tokens=TOKENS,
            temperature=temperature_of(project.connection, model),
            top_p=1.0,
            messages=asked,
            options={**known.options, **({"thinking": True} if known.thinking == "native" else {})},
        )
        for number in range(TRIES):
            # The same request at temperature 0 would bring the same reply.
            again = replace(request, temperature=1.0) if number else request
            reply = await retry_request(tried, again)
            found = _REPLY.fullmatch(reply.draws[0].text) if reply.draws else None
            if found is not None and len(found[1]) <= LONGEST_RULES:
                return found[1], total(list(counters.spends.values()))
    finally:
        await provider.close()
    raise ProposalError(f"{model} wrote no rubric in {TRIES} replies: name another with --model")


def suggest_rubric(
    project: OpenProject,
    found: ReferenceSet,
    name: str,
    model: str,
    grader: str,
    person: str | None = None,
    *,
    start: StoredRubric | None = None,
    skip: Callable[[str], bool] = lambda fact: False,
    max_cost: float | None = None,
    folder: Path | None = None,
    open_: Callable[[str], Provider] = open_provider,
) -> tuple[StoredRubric | None, StoredRubric, Spend]:
    """Have a model write a version of a rubric from what a grader version missed on `tune`.

    Gives the version that it began with (None where there was none), the draft, and what was used.
    The draft grades nothing until it is tried. `skip` leaves out misses on facts (ids).
    Raises `UsageError` where nothing was missed.
    """
    before = start
    if before is None:
        try:
            before = list_versions(project, name)[-1]
        except UsageError:
            before = None
    misses = [
        one for one in list_misses(project, found, grader, TUNE, person) if not skip(one["fact_id"])
    ]
    if not misses:
        raise UsageError(f"{grader} missed nothing on tune of {found.stored.name}")
    rules = "" if before is None else before.rules
    shown = misses[:MOST_MISSES]
    text, spend = propose_rules(project, model, rules, shown, max_cost, folder, open_)
    examples = () if before is None else read_rubric(before).examples
    why = f"written by {model} from {len(shown)} misses of {grader}"
    draft = keep_rubric(project, name, PromptRubric(text, examples), model, why, before)
    return before, draft, spend


def describe_proposal(before: StoredRubric | None, draft: StoredRubric) -> dict[str, Any]:
    """The document of `align suggest`."""
    from core.alignment.rubric_versions import compare_rules

    old = "" if before is None else before.rules
    return {
        "rubric": name_version(draft),
        "parent": None if before is None else name_version(before),
        "rules": draft.rules,
        "diff": list(compare_rules(old, draft.rules)),
    }
