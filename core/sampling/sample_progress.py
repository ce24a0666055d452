"""Telling a job's counters what the answers of a plan come to."""

from collections.abc import Sequence

import db.label_grids
from core.engine.run_counters import RECENT, RecentAnswer, RunCounters
from core.graders.grader_table import builtin
from core.project import OpenProject
from core.providers.reasoning_marks import split
from core.sampling.response_store import ResponseStore, StoreResult
from core.sampling.sample_plan import Plan, count_slots
from core.sampling.sample_requests import SampleRequest, stage_of
from core.scoring.precedence import CHOICE

NO_ANSWER = "no answer came"


def grading_stage(grader: str) -> str:
    """The name of the stage in which a grader's labels are counted."""
    return f"grade {grader}"


class SampleProgress:
    """Counts for one plan; the engine itself counts the answers that it asks for.

    The graders are those that label as answers are stored; `choice` has no stage of its own.
    """

    def __init__(
        self, project: OpenProject, plan: Plan, counters: RunCounters, storing: ResponseStore
    ) -> None:
        """Declare the plan's stages, with what is there already."""
        self._project, self._plan, self._counters = project, plan, counters
        self._answer = storing.answer
        graders = storing.graders.items()
        self._graders = {name: plane for name, plane in graders if name != CHOICE}
        self.reasoned = 0
        for thinking in plan.thinking:
            total, done = self._answers(thinking)
            counters.expect(stage_of(thinking, self._plan.mode), total - done, done)
        for name in self._graders:
            total, done = self._grades(name)
            counters.expect(self._name_stage(name), total - done, done)

    def note_answers(self, asks: Sequence[tuple[SampleRequest, str]], stored: StoreResult) -> None:
        """Answers to asks have come, each about something; they are stored and labelled."""
        for name in self._graders:
            self.note_grades(name, len(stored.labels[name]))
        before = self.reasoned
        self.reasoned += sum(
            _shows_reasoning(stored, key)
            for ask, _ in asks
            if not ask.thinking
            for key in ask.slots
        )
        if len(str(self.reasoned)) > len(str(before)):  # at 10, 100, 1,000 ...
            self._warn(self.reasoned)
        self._remember(asks[-RECENT:], stored)

    def note_grades(self, grader: str, count: int) -> None:
        """A grader has labelled so many."""
        self._counters.begin(self._name_stage(grader), count)
        self._counters.finish(self._name_stage(grader), count)

    def _name_stage(self, grader: str) -> str:
        """The stage of a grader's labels; the arms of a job have stages of their own."""
        mode = self._plan.mode
        return f"{grading_stage(grader)}, {mode}" if mode else grading_stage(grader)

    def note_failure(self, ask: SampleRequest) -> None:
        """An ask has failed: there is nothing to grade."""
        for name in self._graders:
            if ask.question.task.is_choice == builtin(name).reads_choice:
                self._counters.drop(self._name_stage(name), len(ask.samples), NO_ANSWER)

    def fail_unaskable(self, stage: str, count: int, reason: str) -> None:
        """Things that waited cannot even be asked for."""
        self._counters.begin(stage, count)
        self._counters.fail(stage, count, reason)

    def end(self, plan: Plan) -> None:
        """Say what is left to say, and count anew, as others may have worked on the plan too.

        `plan` is the same one, of the project as it is now.
        """
        if self.reasoned:
            self._warn(self.reasoned)
        self._plan = plan
        if plan.only_failed:
            return
        for thinking in self._plan.thinking:
            total, done = self._answers(thinking)
            self._counters.recount(stage_of(thinking, self._plan.mode), done, total - done)
        for name in self._graders:
            total, done = self._grades(name)
            self._counters.recount(self._name_stage(name), done, total - done)

    def _answers(self, thinking: bool) -> tuple[int, int]:
        wanted, drawn = count_slots(self._project, self._plan, thinking, db.label_grids.DRAWN)
        return int(wanted.sum()), int(drawn.sum())

    def _grades(self, name: str) -> tuple[int, int]:
        """How many labels are wanted of a grader in all settings, and how many are there."""
        plane, choice = self._graders[name], builtin(name).reads_choice
        counts = [
            count_slots(self._project, self._plan, thinking, plane, choice)
            for thinking in self._plan.thinking
        ]
        return sum(int(one.sum()) for one, _ in counts), sum(int(two.sum()) for _, two in counts)

    def _warn(self, count: int) -> None:
        noun = "answer shows" if count == 1 else "answers show"
        self._counters.say("warn", f"{count:,} {noun} reasoning though thinking is off, marked")

    def _remember(self, asks: Sequence[tuple[SampleRequest, str]], stored: StoreResult) -> None:
        found = [
            (ask, row, about)
            for ask, about in asks
            for key in ask.slots
            if (row := stored.rows.get(key)) is not None
        ]
        for ask, row, about in found[-RECENT:]:
            labels = (one.get(row.slot) for one in stored.labels.values())
            label = next((one for one in labels if one is not None), None)
            answer = self._answer(ask.question.task, ask.thinking, row.text, row.finish)
            self._counters.remember_answer(RecentAnswer(row.slot, answer, about, label))


def _shows_reasoning(stored: StoreResult, key: int) -> bool:
    row = stored.rows.get(key)
    return row is not None and bool(
        (row.reasoning or "").strip() or row.reasoning_tokens or (split(row.text)[0] or "").strip()
    )
