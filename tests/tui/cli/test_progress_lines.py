"""Progress where there is no terminal: a line now and then, each once."""

import pytest

from core.jobs.job_progress import JobProgress, State
from tui.cli.progress_bar import LINE_EVERY, LineReporter


def test_a_line_that_says_nothing_new_is_not_said_again(capsys: pytest.CaptureFixture[str]) -> None:
    times = iter(range(0, 1_000, int(LINE_EVERY)))
    reporter = LineReporter(lambda: float(next(times)))
    for done, latest in [
        (0, ""),
        (0, ""),
        (3, "entities 3 of 12: no entity"),
        (3, "objects 1 of 1"),
    ]:
        wanted = 12 if latest else 0
        reporter.show(
            JobProgress("building", "m", "steps", State.RUNNING, done, wanted, latest=latest)
        )
    assert capsys.readouterr().err.splitlines() == [
        "building m: under way",
        "building m: 3 of 12; entities 3 of 12: no entity",
        "building m: 3 of 12; objects 1 of 1",
    ]
