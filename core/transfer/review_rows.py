"""What people said of questions, as rows of a file."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import db.question_rows
import db.question_versions
import db.reviews
from core.project import OpenProject
from core.transfer.adjudications import format_time
from core.vocabulary import STRATIFIED, TASK_INDEX
from db.question_rows import Gold
from db.question_versions import QuestionVersion
from db.reviews import AuthoredReview


def read_rows(project: OpenProject, facts: Iterable[int]) -> Iterator[dict[str, Any]]:
    """Reviews of the questions of these facts (ids), of any version, as `REVIEW_COLUMNS`.

    Facts come in the order given, then tasks, versions, and people by name.
    """
    connection = project.connection
    said: dict[int, list[AuthoredReview]] = defaultdict(list)
    for one in db.reviews.reviews(connection):
        said[one.question].append(one)
    reviewed = {fact for fact, _, _ in db.reviews.places(connection, list(said)).values()}
    samples = _samples(project)
    ids = dict(zip(project.index.ids.tolist(), project.index.fact_ids, strict=True))
    for fact in facts:
        if fact not in reviewed:
            continue
        versions = db.question_versions.questions(connection, fact)
        now = {one.task: one for one in versions if one.current}
        golds = db.question_rows.golds(connection, fact)
        for version in sorted(versions, key=lambda one: (TASK_INDEX[one.task], one.version)):
            for one in sorted(said[version.id], key=lambda one: one.author):
                known = _describe_question(version, now.get(version.task), golds[version.task.side])
                drawn = samples.get(version.id, {})
                yield {
                    "fact_id": ids[fact],
                    **known,
                    **_describe_review(one),
                    **_describe_sample(drawn),
                }


def _describe_question(
    version: QuestionVersion, now: QuestionVersion | None, gold: Gold
) -> dict[str, Any]:
    another = now is not None and now.id != version.id
    return {
        "task": version.task.value,
        "version": version.version,
        "question": version.text,
        "gold": gold.text,
        "became": now.text if another and now is not None else None,
    }


def _describe_review(one: AuthoredReview) -> dict[str, Any]:
    review = one.review
    return {
        "verdict": review.verdict,
        "reason": review.reason or None,
        "note": review.note or None,
        "author": one.author,
        "at": format_time(review.at),
    }


def _describe_sample(samples: Mapping[str, str]) -> dict[str, Any]:
    """Of what kinds of samples a question is, and its stratum."""
    return {"sample": ", ".join(sorted(samples)) or None, "stratum": samples.get(STRATIFIED)}


def _samples(project: OpenProject) -> dict[int, dict[str, str]]:
    """The kinds of samples that questions are in, each with the stratum there."""
    found: dict[int, dict[str, str]] = defaultdict(dict)
    for sample in db.reviews.samples(project.connection):
        for one in db.reviews.read_sample(project.connection, sample.id):
            found[one.question][sample.kind] = one.stratum
    return found
