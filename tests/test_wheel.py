"""The wheel holds `lostkeys` alone, and runs beside folders of the user's with our names."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from hatch_build import FOLDERS, renamed

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "docs" / "reference" / "python.ipynb"
NAMES = frozenset({"core.errors", "core.jobs.answer_job", "db.facts", "tui.cli.main", "prompts"})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from core.errors import UsageError", "from lostkeys.core.errors import UsageError"),
        ("    from core import errors", "    from lostkeys.core import errors"),
        ("import db.facts", "import lostkeys.db.facts; from lostkeys import db"),
        ("import db.facts as f", "import lostkeys.db.facts as f"),
        ("import prompts", "from lostkeys import prompts"),
        ("import dbm.dumb, corelib", "import dbm.dumb, corelib"),
        ("P = 'from tui.cli.main import main'", "P = 'from lostkeys.tui.cli.main import main'"),
        ("K = ('ä', 'core.jobs.answer_job')", "K = ('ä', 'lostkeys.core.jobs.answer_job')"),
        ("U = 'db.nothing', 'my/core.errors'", "U = 'db.nothing', 'my/core.errors'"),
        ("x = f'{db.facts.name}'", "x = f'{db.facts.name}'"),
    ],
)
def test_imports_and_names_of_modules_stand_below_the_package(before: str, after: str) -> None:
    source = before if not before.startswith(" ") else f"def f():\n{before}"
    wanted = after if not after.startswith(" ") else f"def f():\n{after}"
    assert renamed(source, NAMES) == wanted


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, unpacked."""
    made = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(made)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    with zipfile.ZipFile(next(made.glob("*.whl"))) as packed:
        packed.extractall(made / "in")
    return made / "in"


@pytest.fixture
def work(wheel: Path, tmp_path: Path) -> Path:
    """A folder of a user's with packages of our names, which say so when they are imported."""
    for name in FOLDERS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"print('the user has {name}')\n")
    return tmp_path


def ran(wheel: Path, work: Path, *words: str) -> str:
    """What a program prints that finds the wheel first, then the user's folders."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=work,
        env={
            "PYTHONPATH": f"{wheel}:{work}",
            "PATH": "/usr/bin:/bin",
            "LOSTKEYS_STATE": str(work / "state"),
            "LOSTKEYS_CONFIG": str(work / "config"),
            "LOSTKEYS_THREADS": os.environ["LOSTKEYS_THREADS"],
        },
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_wheel_has_one_package(wheel: Path) -> None:
    top = {one.name for one in wheel.iterdir()}
    assert {one for one in top if not one.endswith(".dist-info")} == {"lostkeys"}
    assert (wheel / "lostkeys" / "py.typed").is_file()
    commands = next(wheel.glob("*.dist-info/entry_points.txt")).read_text()
    assert "lostkeys = lostkeys.__main__:main" in commands


@pytest.mark.slow
def test_a_user_s_packages_of_our_names_are_neither_seen_nor_hidden(
    wheel: Path, work: Path
) -> None:
    assert "Usage:" in ran(wheel, work, "-m", "lostkeys", "--help")
    code = "import lostkeys, core; print(core.__file__)"
    assert str(work / "core") in ran(wheel, work, "-c", code)


@pytest.mark.slow
def test_every_module_of_the_wheel_is_imported_from_there(wheel: Path, work: Path) -> None:
    """All of them at once: a name that was not changed would find the user's package."""
    children = {"child_process", "score_process", "__main__"}
    modules = [
        ".".join(one.relative_to(wheel).with_suffix("").parts).removesuffix(".__init__")
        for one in sorted((wheel / "lostkeys").rglob("*.py"))
        if one.stem not in children
    ]
    code = f"import importlib\nfor one in {modules!r}: importlib.import_module(one)"
    assert ran(wheel, work, "-c", code) == ""


@pytest.mark.slow
def test_the_wheel_asks_the_embedded_model_and_scores(wheel: Path, work: Path) -> None:
    start = ("-m", "lostkeys", "--db", "d.db")
    said = ran(wheel, work, *start, "demo", "--facts", "1", "--samples", "1", "--headless")
    assert "the user has" not in said
    assert "embedded" in said
    model = ("--model", "embedded:smollm2-135m")
    assert "log probabilities by" in ran(wheel, work, *start, "zp-lke", "check", *model)


@pytest.mark.slow
def test_a_program_in_the_background_finds_the_package(wheel: Path, work: Path) -> None:
    code = "from lostkeys.core.jobs import job_service; exec(job_service.PROGRAM)"
    assert "Usage:" in ran(wheel, work, "-P", "-c", code, "--help")


def shown(cell: Any) -> tuple[str, str]:
    """What a cell shows: as HTML, and as text."""
    html, plain = "", ""
    for output in cell["outputs"]:
        data = output.get("data", {})
        html += data.get("text/html", "")
        plain += data.get("text/plain", "") + output.get("text", "")
    return html, plain


@pytest.mark.slow
def test_the_notebook_of_the_manual_runs_beside_a_user_s_packages(
    wheel: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project opens, a label is set, a profile moves."""
    client = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    nbformat: Any = pytest.importorskip("nbformat", reason="nbformat is not installed")
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "LOSTKEYS_CONFIG"):
        monkeypatch.setenv(name, str(work / name))
    monkeypatch.setenv("PYTHONPATH", str(wheel))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook["cells"])
    resources = {"metadata": {"path": str(work)}}
    client.NotebookClient(notebook, timeout=600, resources=resources).execute()

    cells = [shown(cell) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert "the user has" not in "".join(text for _, text in cells)
    loaded, profiles, before, answers, after, agreement, exported = cells[1:8]
    assert "<td>answers.jsonl</td>" in loaded[0]
    assert "<td>some-model</td>" in profiles[0]
    assert "<td>recall_failure</td>" in before[0]
    assert "China and Nepal" in answers[1]
    assert "<td>direct_recall</td>" in after[0]
    assert agreement[1] == "0.0"
    assert exported[1] == "6"
    labels = [json.loads(line) for line in (work / "labels.jsonl").read_text().splitlines()]
    assert {row["grader"] for row in labels} == {"rules", "human:ada"}
