"""What is not installed is named, with the command that gets it."""

import tomllib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from core.errors import LostkeysError
from core.providers.embedded import weights
from core.providers.registry import open_provider, open_scorer, open_service
from core.settings.extras import EXTRAS, check_extra
from core.transfer.file_kinds import open_source
from core.transfer.row_writers import save

ROOT = Path(__file__).parents[3]


@pytest.fixture(params=EXTRAS)
def lacking(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """An extra of which nothing is installed."""

    def look(module: str) -> object:
        return None if module in EXTRAS[request.param] else find_spec(module)

    monkeypatch.setattr("core.settings.extras.find_spec", look)
    return str(request.param)


def uses(folder: Path) -> dict[str, list[Callable[[], object]]]:
    """What needs each extra."""
    (folder / "a.parquet").write_bytes(b"PAR1")
    (folder / "a.xlsx").write_bytes(b"PK")
    (folder / "a.html").write_text("<p>x")
    return {
        "local": [
            lambda: open_provider("embedded:smollm2-135m"),
            lambda: open_scorer("embedded:smollm2-135m"),
        ],
        "openai": [
            lambda: open_provider("openai:m@http://127.0.0.1:9/v1"),
            lambda: open_service("openai:m@http://127.0.0.1:9/v1"),
        ],
        "gemini": [lambda: open_provider("gemini:gemini-2.5-pro")],
        "arrow": [
            lambda: open_source(folder / "a.parquet").keys(),
            lambda: save(folder / "b.parquet", {"a": str}, iter([{"a": "x"}]), False),
        ],
        "figures": [lambda: check_extra("figures")],
        "inspect": [lambda: check_extra("inspect")],
        "scale": [lambda: check_extra("scale")],
        "sheets": [lambda: open_source(folder / "a.xlsx").keys()],
        "documents": [lambda: list(open_source(folder / "a.html").read_rows())],
    }


def test_it_is_named_with_what_gets_it(lacking: str, tmp_path: Path) -> None:
    for use in uses(tmp_path)[lacking]:
        with pytest.raises(LostkeysError, match=rf"is not installed: .*lostkeys\[{lacking}\]"):
            use()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.html", "a.parquet", "a.xlsx"]


def test_weights_without_their_runtime_name_the_runtime(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("LOSTKEYS_GGUF", raising=False)
    monkeypatch.setenv("LOSTKEYS_STATE", str(tmp_path))
    monkeypatch.setattr(weights, "_find_installed", lambda: None)
    monkeypatch.setattr(weights, "find_pull_target", lambda: tmp_path / "none.gguf")
    monkeypatch.setattr("core.settings.extras.find_spec", lambda module: None)
    with pytest.raises(LostkeysError, match=r"lostkeys\[local\]"):
        weights.find()


def test_the_extras_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = project["optional-dependencies"]
    assert set(EXTRAS) <= set(named)
    for extra, modules in EXTRAS.items():
        brought = " ".join(named[extra]).replace("-", ".").replace("beautifulsoup4", "bs4")
        brought += brought.replace(".", "_")
        assert all(module in brought for module in modules), extra
    assert not any(
        one.startswith(("openai", "google", "pyarrow")) for one in project["dependencies"]
    )
