"""The queues of Confusion and Review as rows of a file, in their order."""

from core.views.disagreements.disagreement_queue import DisagreementQueue, DisagreementRow, RowFate
from core.views.list_file import ListTable
from core.views.review.review_queue import ReviewQueue
from core.views.session import Session

DISAGREEMENTS: dict[str, type] = {
    "fact_id": str,
    "subject": str,
    "task": str,
    "model": str,
    "thinking": bool,
    "sample": int,
    "response": str,
    "label_a": str,
    "label_b": str,
    "label": str,
    "others": dict,
    "would_change": str,
    "before": str,
    "after": str,
    "g": float,
    "g_after": float,
}
"""Columns of a queue of disagreements; `label` is one's own, `others` other people's by name."""

QUESTIONS: dict[str, type] = {
    "fact_id": str,
    "subject": str,
    "task": str,
    "question": str,
    "verdict": str,
    "reason": str,
    "fails": int,
    "of": int,
    "stratum": str,
}
"""Columns of a queue of questions: of so many strong models so many fail."""


def read_disagreements(queue: DisagreementQueue, blind: bool, session: Session) -> ListTable:
    """A queue of disagreements with their answers, of which long ones are cut as on screen.

    Blind, what graders said is left out where one has not decided.
    """
    places = range(len(queue))
    answers = session.confusions.answers(queue, places)
    ids = session.snapshot.index.fact_ids

    def read_row(place: int) -> dict[str, object]:
        row = queue.row(place)
        found = {
            "fact_id": ids[row.fact],
            "subject": row.heading.subject,
            "task": str(row.task),
            "model": row.model,
            "thinking": row.thinking,
            "sample": row.sample,
            "response": answers.get(row.slot),
            "label": None if row.decision is None else str(row.decision),
            "others": {name: str(label) for name, label in row.others} or None,
        }
        hidden = blind and row.decision is None and row.fate is RowFate.OPEN
        return found if hidden else found | _describe_labels(row)

    return ListTable(DISAGREEMENTS, [read_row(place) for place in places])


def _describe_labels(row: DisagreementRow) -> dict[str, object]:
    """What the graders said, and what B's label would change."""
    return {
        "label_a": row.a and str(row.a),
        "label_b": row.b and str(row.b),
        "would_change": row.group.name.lower(),
        "before": row.before,
        "after": row.after,
        "g": row.g,
        "g_after": row.g_after,
    }


def read_questions(queue: ReviewQueue, session: Session) -> ListTable:
    """A queue of questions."""
    places = range(len(queue))
    texts = session.reviews.texts(queue, places)
    ids = session.snapshot.index.fact_ids

    def read_row(place: int) -> dict[str, object]:
        row = queue.row(place)
        return {
            "fact_id": ids[row.fact],
            "subject": row.heading.subject,
            "task": str(row.task),
            "question": texts.get(row.question),
            "verdict": row.standing.verdict,
            "reason": row.standing.reason,
            "fails": row.fails,
            "of": row.of,
            "stratum": row.stratum or None,
        }

    return ListTable(QUESTIONS, [read_row(place) for place in places])
