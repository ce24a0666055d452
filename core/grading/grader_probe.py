"""Getting a grader ready: how its model is to be asked, found out with a few requests."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import ProviderError
from core.graders.grader_record import model_of
from core.grading.answer_batches import AnswerBatch, DistinctAnswer, Subject, apply_reply, sheet_of
from core.grading.model_grader import ModelGrader, grader_for
from core.grading.prompt_rubric import PromptRubric
from core.providers import model_traits
from core.providers.base import (
    FatalError,
    Provider,
    SchemaRefusedError,
    UnanswerableError,
    retry_request,
)
from core.providers.model_names import parse
from core.sampling.found_capabilities import (
    DEFAULT,
    capabilities_of,
    known_now,
    remember_warm,
    temperature_of,
)
from core.sampling.preflight import KNOWN
from core.sampling.recipe import is_found_out
from core.specs.answer_specs import ReplyWord
from core.vocabulary import Outcome

EXPECTED = (Outcome.CORRECT, Outcome.INCORRECT)
ANSWERS = (DistinctAnswer("Lake Geneva", (0,)), DistinctAnswer("Lake Constance", (1,)))
SUBJECT = Subject(0, False, "On which lake does the city of Geneva lie?", ("Lake Geneva",))
"""What a grader is tried with."""


@dataclass(frozen=True, slots=True)
class ReadyGrader:
    """A grader as it is to be asked, and what a person should know of it, in lines."""

    grader: ModelGrader
    notes: tuple[str, ...] = ()


async def prepare_grader(
    provider: Provider,
    name: str,
    connection: sqlite3.Connection | None,
    folder: Path | None = None,
    tried: bool = False,
    effort: str | None = None,
    replies: ReplyWord = "auto",
    rubric: PromptRubric | None = None,
) -> ReadyGrader:
    """Find out how a grader's model thinks, replies and what temperature it takes, and try it.

    `rubric`: what a person adds. What is found is kept in the database, if there is one. The
    embedded model and a replay are known, and not tried; nor is one of which it is said that it
    was `tried` and is kept.
    Raises `ProviderError` where the model does not answer.
    """
    model = model_of(name)
    known = await capabilities_of(provider, model, connection, replies)
    warm = temperature_of(connection, model)
    grader = grader_for(name, known, warm, folder, effort, replies, rubric)
    if tried or parse(model).provider in KNOWN:
        return ReadyGrader(grader)
    try:
        return ReadyGrader(grader, await _try(provider, grader))
    except (FatalError, UnanswerableError) as error:
        warmer = grader_for(name, known, DEFAULT, folder, effort, replies, rubric)
        try:
            notes = await _try(provider, warmer)
        except ProviderError:
            raise ProviderError(f"{error}; nothing was graded") from None
    remember_warm(connection, model)
    return ReadyGrader(warmer, (f"{name} refuses temperature 0 and is asked at its own", *notes))


def version_now(
    connection: sqlite3.Connection,
    name: str,
    folder: Path | None = None,
    effort: str | None = None,
    replies: ReplyWord = "auto",
    rubric: PromptRubric | None = None,
) -> str | None:
    """The version of a grader as it would be asked; None while that has to be found out."""
    model = model_of(name)
    if is_found_out(model):
        traits = model_traits.read_traits(connection, model)
        if traits.thinking is None or (replies == "auto" and traits.replies is None):
            return None
    known = known_now(connection, model)
    warm = temperature_of(connection, model)
    return grader_for(name, known, warm, folder, effort, replies, rubric).recipe.version


async def _try(provider: Provider, grader: ModelGrader) -> tuple[str, ...]:
    """Have two plain answers graded; gives what there is to say. Raises `ProviderError`."""
    outcomes: list[Outcome] = []
    sheet: AnswerBatch | None = sheet_of(grader, SUBJECT, ANSWERS)
    while sheet is not None:
        try:
            reply = await retry_request(provider, sheet.request)
        except SchemaRefusedError:
            plain = sheet.make_text()
            if plain is None:
                raise
            sheet = plain
            continue
        came = apply_reply(sheet, reply) if reply.draws else None
        if came is None or not came.graded:
            return (f"{grader.name}: its reply to a trial could not be read as labels",)
        outcomes += [one.outcome for one in came.graded]
        sheet = came.next
    return _doubts(grader, outcomes)


def _doubts(grader: ModelGrader, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    if tuple(outcomes) == EXPECTED:
        return ()
    said = " and ".join(one.name for one in outcomes)
    return (f"{grader.name}: of a right and a wrong answer in a trial it said {said}",)
