"""Whether an object is the one completion of its left context, and a hard one; whether two
questions make a pair.

Source: Calderon et al., Boxes D.4, D.5, D.6, D.12.
"""

from core.pipeline.stage import VERDICT, End, Said, Stage, UnitKind, View
from core.pipeline.stages.stage_inputs import data, gold_of, keep_suitable, question_of
from core.vocabulary import Side, Task

NOT_UNIQUE = "other completions are possible"
NOT_CONSTRAINED = "the left context does not call for one answer"
NOT_HARD = "easy to guess, leaked or not stable"


def with_object(view: View) -> dict[str, str]:
    """Left context and object."""
    return data(left_context=view.left_context.rstrip(), object=view.object)


def without_object(view: View) -> dict[str, str]:
    """The left context alone."""
    return data(left_context=view.left_context.rstrip())


def read_with_gold(reply: Said, view: View) -> End:
    """A verdict."""
    return keep_suitable(reply, NOT_UNIQUE)


def read_without_gold(reply: Said, view: View) -> End:
    """A verdict."""
    return keep_suitable(reply, NOT_CONSTRAINED)


def read_difficulty(reply: Said, view: View) -> End:
    """A verdict."""
    return keep_suitable(reply, NOT_HARD)


WITH_GOLD = Stage(
    "verify-with-gold",
    "verify with gold",
    UnitKind.CANDIDATE,
    after=("objects",),
    prompt="verify-with-gold",
    inputs=with_object,
    read=read_with_gold,
    room=VERDICT,
)
WITHOUT_GOLD = Stage(
    "verify-without-gold",
    "verify without gold",
    UnitKind.CANDIDATE,
    after=("verify-with-gold",),
    prompt="verify-without-gold",
    inputs=without_object,
    read=read_without_gold,
    room=VERDICT,
)
DIFFICULTY = Stage(
    "verify-difficulty",
    "verify difficulty",
    UnitKind.CANDIDATE,
    after=("verify-without-gold",),
    prompt="verify-difficulty",
    inputs=with_object,
    read=read_difficulty,
    room=VERDICT,
)


NO_PAIR = "not a fit pair of questions"


def pair_inputs(view: View) -> dict[str, str]:
    """Both questions with their answers."""
    return data(
        direct=question_of(view, Task.DIRECT),
        object=view.object,
        reverse=question_of(view, Task.REVERSE),
        subject=gold_of(view, Side.SUBJECT),
    )


def read_pair(reply: Said, view: View) -> End:
    """A verdict."""
    return keep_suitable(reply, NO_PAIR)


PAIR = Stage(
    "verify-pair",
    "verify pair",
    UnitKind.CANDIDATE,
    after=("minimize-reverse",),
    prompt="verify-pair",
    inputs=pair_inputs,
    read=read_pair,
    task=Task.REVERSE,
    needs_tasks=(Task.DIRECT, Task.REVERSE),
    room=VERDICT,
)
