"""A real browser opens a report made of hostile text, and nothing of it runs."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.report.report_file import write
from core.scoring.policy import Policy
from tests.core.report.telling import hostile, profiled
from tests.core.report.test_markup import Read

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--dump-dom",
)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to open pages with")


def opened(page: Path, home: Path, *more: str) -> Read:
    """The page as the browser has it once everything that could run has run."""
    assert CHROMIUM is not None
    done = subprocess.run(
        [CHROMIUM, *QUIET, f"--user-data-dir={home}", *more, page.as_uri()],
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2_000:]
    return Read(done.stdout.decode())


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A profile of its own for the browser."""
    folder = tmp_path / "browser"
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def test_the_browser_does_run_what_it_is_given(tmp_path: Path, home: Path) -> None:
    page = tmp_path / "live.html"
    page.write_text("<title>still</title><p></p><script>document.title='ran'</script>")
    assert "ran" in opened(page, home).said


def test_a_printed_report_has_lines_and_no_pictures(tmp_path: Path, home: Path) -> None:
    """A pattern would be printed as a picture at each use: megabytes of them."""
    page, paper = tmp_path / "report.html", tmp_path / "report.pdf"
    with profiled(tmp_path / "p.db") as project:
        write(project, page, Policy(graders=("lexical",)))
    opened(page, home, f"--print-to-pdf={paper}")
    printed = paper.read_bytes()
    assert printed.startswith(b"%PDF")
    assert b"/Font" in printed
    assert b"/Subtype /Image" not in printed


def test_hostile_text_does_not_run(tmp_path: Path, home: Path) -> None:
    path = tmp_path / "report.html"
    with hostile(tmp_path / "p.db") as project:
        write(project, path, Policy())
    written, read = Read(path.read_text(encoding="utf-8")), opened(path, home)
    assert "ran" not in read.said
    assert read.said.count("Knowledge profiles") == 2  # title and heading
    assert sorted(read.tags) == sorted(written.tags)
    assert not [name for name, _ in read.values if name.startswith("on")]
    assert any("<script>document.title='ran'</script>" in said for said in read.said)
