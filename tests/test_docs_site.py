"""The site of the documentation builds without a warning, and loads nothing from elsewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
LOADED = re.compile(r'<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)="(?:https?:)?//[^"]*"')
IMPORTED = re.compile(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)\"']*")


@pytest.mark.slow
def test_the_site_builds_without_warnings_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    """Strict: a link to a page or heading that does not exist is a warning, and ends the build."""
    pytest.importorskip("sphinx", reason="the dependency group docs is not installed")
    words = ["-q", "-W", "--keep-going", "-b", "html", str(DOCS), str(tmp_path)]
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", *words], capture_output=True, text=True, timeout=300
    )
    assert built.returncode == 0, built.stderr
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) > len(list(DOCS.rglob("*.md")))
    for page in pages:
        assert not LOADED.findall(page.read_text(encoding="utf-8")), page
    for sheet in tmp_path.rglob("*.css"):
        assert not IMPORTED.findall(sheet.read_text(encoding="utf-8")), sheet
