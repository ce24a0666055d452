"""Made-up jobs, and a service that has them instead of running any."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

from core.engine.run_counters import RecentAnswer
from core.jobs.job_progress import JobProgress, State
from core.jobs.job_view import JobSpend, JobStage, JobView, LogLine
from core.settings.preferences import Settings
from core.specs.answer_specs import AnsweringSpec
from core.specs.file_specs import ImportingSpec
from core.vocabulary import Label
from tui.app.app import LostkeysApp

ZONE = timezone(timedelta(hours=1))
NOW = datetime(2026, 7, 20, 14, 22, 31, tzinfo=ZONE)
BEGAN = NOW.replace(hour=13, minute=46, second=2)

RECENT = (
    RecentAnswer(1, "Otto Hahn", "J. J. Thomson"),
    RecentAnswer(2, "Glen Penfield", "Chicxulub crater"),
    RecentAnswer(3, "visionOS", "Apple Vision Pro", Label.CORRECT),
    RecentAnswer(4, "1960s", "Shanina's war diary", Label.PARTIALLY),
    RecentAnswer(5, "Jordan", "Aladdin", Label.CORRECT),
    RecentAnswer(6, "San Diego", "Raven Tor", Label.INCORRECT),
    RecentAnswer(7, "Comerica Park", "Detroit Tigers", Label.CORRECT),
)
GRADER = "llm:gemini:gemini-2.5-pro"
OFF, ON, GRADE = "answer, thinking off", "answer, thinking on", f"grade {GRADER}"

PROFILE = JobView(
    id=6,
    kind="run",
    name="gemma3-12b",
    state=State.RUNNING,
    here=True,
    spec=AnsweringSpec("openai:gemma3-12b@http://localhost:11434/v1", "gemma3-12b"),
    stages=(
        JobStage(OFF, 8_982, 38, 12_480),
        JobStage(ON, 17_200),
        JobStage(GRADE, 1_201, 16, 11_260, failed=3, reasons={"no readable label 3 times": 3}),
        JobStage("grade gpt-5", 12_480),
    ),
    spends=(
        JobSpend(OFF, "gemma3-12b", 1_560, 12_480, 1_100_000, 700_000, 0.0),
        JobSpend(GRADE, "gemini-2.5-pro", 4_000, 11_260, 1_200_000, 500_000, 3.10),
    ),
    max_cost=12.0,
    rate=4.1,
    rates=(1.2, 2.1, 3.0, 3.6, 3.7, 4.2, 4.3, 3.8, 0.2, 1.9, 3.4, 4.0, 4.1, 4.2, 4.2, 4.1),
    left=6_420.0,
    recent=RECENT,
    created=BEGAN,
    started=BEGAN,
)
PAUSED = replace(
    PROFILE,
    id=5,
    name="gemma3-4b",
    state=State.PAUSED,
    here=False,
    spends=(),
    recent=(),
    stages=(JobStage(OFF, 400, 0, 800), JobStage(ON, 1_200)),
)
WAITING = JobView(
    7, "grade", "gpt-5", State.WAITING, here=True, stages=(JobStage("grade gpt-5", 62_400),)
)
DONE = replace(
    PAUSED,
    id=3,
    name="gemma3-27b",
    state=State.FINISHED,
    reason="21,500 answers",
    stages=(JobStage(OFF, 0, 0, 21_500), JobStage(ON, 0, 0, 17_200)),
    started=BEGAN - timedelta(hours=3),
    ended=BEGAN - timedelta(minutes=56),
)
BUILT = JobView(
    2,
    "build",
    "questions",
    State.FINISHED,
    "2,150 questions",
    stages=(
        JobStage("pages", done=10_000),
        JobStage("entities", done=9_412, dropped=588),
        JobStage("candidates", done=5_000, dropped=8_804),
        JobStage("questions", done=4_871, dropped=117, failed=12),
        JobStage("refined", done=3_106, dropped=1_765),
        JobStage(
            "filtered by search",
            done=2_199,
            dropped=907,
            reasons={
                "several right answers": 512,
                "needs a clarification": 201,
                "answer in question": 118,
                "not found by search": 76,
            },
        ),
        JobStage("checked by hand", done=2_150, dropped=49),
    ),
    started=BEGAN - timedelta(days=1, hours=6, minutes=41),
    ended=BEGAN - timedelta(days=1),
)
FAILED = JobView(
    1,
    "import",
    "inspect.eval",
    State.FAILED,
    "inspect.eval, line 3: not valid JSON: save it again",
    spec=ImportingSpec("inspect.eval"),
    created=BEGAN - timedelta(days=2),
    started=BEGAN - timedelta(days=2),
    ended=BEGAN - timedelta(days=2),
)
VIEWS = (PROFILE, PAUSED, WAITING, DONE, BUILT, FAILED)

SAID = (
    ("13:46:02", "job", "profile gemma3-12b: 38,700 questions, 8 answers each"),
    ("13:46:02", "job", "0 of 38,700 here already"),
    ("13:46:04", "answer", "thinking is off: checked with 3 questions"),
    ("13:46:40", "answer", "first 100 questions, 2.9/s, 38 at a time"),
    ("13:51:15", "grade", "gemini-2.5-pro, rubric 3, equal answers share a call"),
    ("13:51:20", "answer", "1,000 of 38,700"),
    ("13:58:10", "warn", "server closed a connection, 8 questions asked again"),
    ("14:03:31", "answer", "4,000 of 38,700"),
    ("14:11:40", "answer", "8,000 of 38,700"),
    ("14:21:12", "grade", "61% of calls saved by sharing"),
    ("14:21:31", "warn", "3 answers show reasoning though thinking is off, marked"),
    ("14:21:44", "grade", "rate limit, waiting 2 s"),
    ("14:21:46", "grade", "resumed"),
    ("14:22:02", "fail", "3 gradings unparsed after 3 tries, kept to ask again"),
    ("14:22:10", "answer", "12,400 of 38,700"),
    ("14:22:30", "answer", "12,480 of 38,700"),
)


def log_lines(said: Sequence[tuple[str, str, str]] = SAID, job: int = 6) -> list[LogLine]:
    """Lines of a log."""
    return [
        LogLine(number, job, NOW.replace(hour=int(at[:2]), minute=int(at[3:5]), second=int(at[6:])),
                kind, text)
        for number, (at, kind, text) in enumerate(said, 1)
    ]  # fmt: skip


class Service:
    """Stands where the job service stands; notes what it is asked for."""

    def __init__(self, path: Path, views: Sequence[JobView] = VIEWS) -> None:
        self.path = path
        self.shown = list(views)
        self.asked: list[tuple[str, object]] = []
        self.tickets: dict[int, int] = {}

    @property
    def running(self) -> bool:
        return any(one.state in ("running", "paused", "waiting") for one in self.shown if one.here)

    def views(self) -> list[JobView]:
        return [one for one in self.shown if one.here]

    def view(self, job: int) -> JobView:
        return next(one for one in self.shown if job in (one.id, self.tickets.get(one.id)))

    def progress(self) -> JobProgress | None:
        view = next((one for one in self.views() if one.state != "waiting"), None)
        if view is None:
            return None
        return JobProgress(
            "answering", view.name, "answers", view.state, view.stages[0].done, 38_700,
            rate=view.rate, left=view.left, reason=view.reason,
        )  # fmt: skip

    def put(self, view: JobView) -> None:
        """A job is otherwise now."""
        self.shown = [view if one.id == view.id else one for one in self.shown]

    def pause(self, job: int) -> None:
        self.asked.append(("pause", job))

    def resume(self, job: int) -> int:
        self.asked.append(("resume", job))
        return job

    def retry(self, job: int) -> int:
        self.asked.append(("retry", job))
        return job

    def cancel(self, job: int | None = None) -> None:
        self.asked.append(("cancel", job))

    def start(self, spec: object, max_cost: float | None = None) -> int:
        self.asked.append(("start", spec))
        waiting = JobView(-1, "grade", "lexical", State.WAITING, here=True)
        self.shown = [*self.shown, waiting]
        return waiting.id

    def stored(self, job: int) -> None:
        """The job that was started last has its place in the file now."""
        self.tickets[job] = -1
        self.shown = [replace(one, id=job) if one.id == -1 else one for one in self.shown]

    def stop(self) -> None:
        self.asked.append(("stop", None))

    def leave(self, patience: float) -> bool:
        self.asked.append(("leave", None))
        return True

    def close(self, patience: float) -> bool:
        return True


class ShowingApp(LostkeysApp):
    """The app with made-up jobs: some of this program, the others in the file."""

    def __init__(
        self, path: Path, views: Sequence[JobView] = VIEWS, settings: Settings | None = None
    ) -> None:
        super().__init__(path, settings or Settings(name="mira"))
        self.service = Service(path, views)
        self.jobs.serve(path, self.service)  # type: ignore[arg-type]
        self.jobs._working = self.service.running
