"""What the packages say of themselves, and what they carry."""

import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from core.providers.embedded import weights
from hatch_build import FOLDERS

ROOT = Path(__file__).resolve().parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BREAKING = ("google-genai", "openai", "sqlite-utils", "textual")
"""Dependencies whose major versions break."""

DEPENDENCIES: list[str] = [
    *PROJECT["project"]["dependencies"],
    *chain.from_iterable(PROJECT["project"]["optional-dependencies"].values()),
]


def test_the_license_goes_along_in_full() -> None:
    assert PROJECT["project"]["license"] == "Apache-2.0"
    first, notice = ((ROOT / name).read_text("utf-8") for name in ("LICENSE", "NOTICE"))
    assert PROJECT["project"]["license-files"] == ["LICENSE", "NOTICE"]
    assert "END OF TERMS AND CONDITIONS" in first
    assert all("The Lostkeys authors" in text for text in (first, notice))


def test_data_and_models_have_their_licenses_named() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    carried = [
        path.relative_to(ROOT)
        for room in FOLDERS
        for path in (ROOT / room).rglob("*")
        if path.suffix in (".jsonl", ".toml", ".csv", ".gguf")
    ]
    assert len(carried) > 1
    for named in (*map(str, carried), "prompts/templates/", weights.FILE, weights.DISTRIBUTION):
        assert named in notice, named
    assert "xllamacpp" in notice


@pytest.mark.parametrize("name", BREAKING)
def test_major_versions_that_break_are_kept_out(name: str) -> None:
    (found,) = (one for one in DEPENDENCIES if one.partition(">=")[0].partition("[")[0] == name)
    lowest, _, bound = found.partition(">=")[2].partition(",<")
    assert int(bound) == int(lowest.partition(".")[0]) + 1
