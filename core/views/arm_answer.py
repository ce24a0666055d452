"""What FACT-BENCH says of an answer: its scores, and how its arm put the question."""

from dataclasses import dataclass, replace

import db.arms
import db.prepared_triples
import db.relations
from core.fact_bench.arm_prompts import fill_prompt, find_answers, find_passage
from core.fact_bench.stored_sets import page_reader
from core.graders.em.normal_form import AnswerKind
from core.graders.em.response_scores import AnswerScores, GoldMatch, find_gold, score_response
from core.modes import READING, Arm
from core.project import OpenProject
from core.settings import paths
from core.views.sent_prompts import Call, SentExemplar
from db.question_rows import StoredQuestion


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """The scores of an answer, and the gold that it comes nearest to; None for none at all."""

    scores: AnswerScores
    match: GoldMatch | None


def score_answer(question: StoredQuestion, response: str, arm: Arm) -> ScoredAnswer:
    """The scores of a response in an arm, with the golds as they are now."""
    kind = AnswerKind(question.answer_type, question.unit)
    scores = score_response(response, question.gold.texts, kind, str(arm.mode))
    return ScoredAnswer(scores, find_gold(scores.answer, question.gold.texts, kind))


def with_exemplars(project: OpenProject, question: StoredQuestion, arm: Arm, call: Call) -> Call:
    """A call with the prompt of its arm, and the exemplars in it.

    It stays as it is where the arm was imported: nobody knows what was sent.
    """
    set_name = db.relations.set_of(project.connection, question.fact)
    if set_name is None:
        return call
    stored = db.arms.read_set_arms(project.connection, set_name).get(str(arm))
    if stored is None:
        return call
    folder = paths.prompts_folder()
    shown = [(one.question, one.answer) for one in stored.exemplars]
    places = find_answers(arm.mode, stored.prompt, shown, folder)
    passage = _find_passage(project, question) if arm.mode == READING else None
    return replace(
        call,
        prompt=fill_prompt(arm.mode, stored.prompt, question.text, passage, folder),
        exemplars=tuple(
            SentExemplar(place, one.gold, one.fact == one.answer_of, one.known)
            for place, one in zip(places, stored.exemplars, strict=True)
        ),
    )


def _find_passage(project: OpenProject, question: StoredQuestion) -> str | None:
    """What of its document a question is asked about, None where the document is gone."""
    triple = db.prepared_triples.read_triple(project.connection, question.fact)
    page = None if triple is None else page_reader(project)(triple)
    return None if page is None else find_passage(page.text, question.gold.texts)
