"""The screens on a sample database, for `textual run --dev tests.tui.dev:app`."""

from pathlib import Path
from tempfile import mkdtemp

from core.settings.preferences import Settings
from tests.tui.sample import sample_project
from tui.app.app import LostkeysApp

app = LostkeysApp(sample_project(Path(mkdtemp(prefix="lostkeys-dev-")) / "sample.db"), Settings())
