"""What stages share: inputs as quoted data, and questions as earlier stages left them."""

from core.pipeline import code_checks, stage_replies, text_match
from core.pipeline.stage import DroppedUnit, End, KeptUnit, Said, View
from core.vocabulary import Side, Task
from prompts.template import quote_text

HOLDS: dict[Task, str] = {
    Task.DIRECT: "minimize-direct",
    Task.REVERSE: "minimize-reverse",
    Task.DIRECT_NATURAL: "natural-direct",
    Task.REVERSE_NATURAL: "natural-reverse",
    Task.CONTEXTUAL: "contextual",
}
"""The stage that has the last word on each question that is asked openly."""


def data(**inputs: str) -> dict[str, str]:
    """Inputs as JSON strings, so that nothing in them can pass for a part of the prompt."""
    return {name: quote_text(text) for name, text in inputs.items()}


def question_of(view: View, task: Task) -> str:
    """The question of a task as it was last changed; KeyError where it was not made."""
    return str(view[HOLDS[task.asks]]["question"])


def gold_of(view: View, side: Side) -> str:
    """The answer on one side of the fact: its object, or the subject that `reverse` found."""
    return view.object if side is Side.OBJECT else str(view[HOLDS[Task.REVERSE]]["subject"])


def golds_of(view: View, side: Side) -> list[str]:
    """The answer on one side of the fact and its aliases."""
    return [gold_of(view, side), *view.aliases.get(side, ())]


def keep_suitable(reply: Said, reason: str) -> End:
    """Keeps what a model calls suitable; drops the rest for `reason`."""
    found = stage_replies.verdict(reply)
    return KeptUnit() if found.suitable else DroppedUnit(reason, found.why)


def keep_question(question: str, task: Task, view: View, subject: str = "") -> End:
    """Keeps a direct or reverse question (`subject` is a reverse one's) unless code forbids it."""
    gold = view.object if task.side is Side.OBJECT else subject
    if code_checks.holds_answer(question, [gold, *view.aliases.get(task.side, ())]):
        return DroppedUnit(code_checks.ANSWER_IN_QUESTION, question[:200])
    if task.side is Side.OBJECT:
        return KeptUnit({"question": question})
    if not text_match.contains(question, view.object):
        return DroppedUnit(code_checks.NO_OBJECT, question[:200])
    return KeptUnit({"question": question, "subject": subject})
