"""The real entry point under hostile names, terminals, signals and disks."""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from rich.cells import cell_len

from core.errors import LostkeysError
from core.transfer.row_writers import save
from tui.cli import main as cli_main
from tui.cli.terminal_text import fit_name, mark_unseen, one_line, print_error, print_json

ROOT = Path(__file__).resolve().parents[3]
EVIL = (
    "[/red][bold]\x1b[31m\x1b]8;;http://e\x07x\x1b]52;c;QQ==\x07\x9b31m\u202e\u200f"
    "😀👩\u200d👧\x00\x7f\U000e0041#'\"/\\"
)
MODELS = (EVIL, "a,b", "-dash", "m#1", "😀" * 60, "z" * 10_000, "plain")
GRADERS = ("b,c", "-g", EVIL)
ENTRY = """
from signal import SIG_DFL, SIGHUP, SIGINT, SIGTERM, default_int_handler, signal
signal(SIGINT, default_int_handler)  # whatever those who run the tests ignore
signal(SIGTERM, SIG_DFL)
signal(SIGHUP, SIG_DFL)
from tui.cli.main import main
main()
"""
TASKS = ("completion", "direct", "reverse")


def fact(fact_id: str, name: str) -> dict[str, object]:
    return {
        "fact_id": fact_id,
        "category": name + " category",
        "subject": name + " subject",
        "object": name + " object",
        "completion": "It is linked to ",
        "direct": "What is it linked to?",
        "reverse": "What is linked to it?",
    }


def write_lines(path: Path, rows: Sequence[Mapping[str, object]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Facts and responses whose every name is hostile."""
    facts = [fact("[/red]\x1b]52;c;x\x07", EVIL), fact("y" * 500, "Y" * 100_000)]
    responses = [
        {
            "fact_id": one["fact_id"],
            "task": task,
            "model": model,
            "thinking": thinking,
            "sample": 0,
            "response": EVIL,
            "grades": dict.fromkeys(GRADERS, "CORRECT"),
        }
        for one in facts
        for task in TASKS
        for model in MODELS
        for thinking in (False, True)
    ]
    return write_lines(tmp_path / "f.jsonl", facts), write_lines(tmp_path / "r.jsonl", responses)


@pytest.fixture
def database(files: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    path = str(tmp_path / "some folder ü" / "#?%20.db")
    Path(path).parent.mkdir()
    assert lostkeys(monkeypatch, "--db", path, "import", *files) == 0
    return path


def lostkeys(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """Exit code of the entry point itself."""
    monkeypatch.setattr("sys.argv", ["lostkeys", *words])
    with pytest.raises(SystemExit) as stop:
        cli_main.main()
    assert isinstance(stop.value.code, int)
    return stop.value.code


def in_a_process(
    *words: str, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", ENTRY, *words],
        env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("profiles", "--grader=-g"),
        ("profiles", "--grader=-g", "--by", "category", "--per-fact"),
        ("models",),
        ("graders",),
        ("confusion", "--", "-g", "b,c"),
    ],
)
def test_tables_stay_whole(
    database: str,
    words: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert lostkeys(monkeypatch, "--db", database, *words) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown
    for line in shown:
        assert line.isprintable()
        assert cell_len(line) <= 80
        assert line.split()[-1:] != ["…"], "a number has given way to a name"


def test_the_numbers_beside_long_names_are_shown(
    database: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = ("--db", database, "profiles", "--grader=-g", "--by", "category")
    assert lostkeys(monkeypatch, *words) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if "DR 100.0" in line]
    assert len(rows) == 3 * len(MODELS)
    assert all(row.split()[-7:-1] == ["100.0"] * 3 + ["0.0"] * 3 for row in rows)


def test_json_is_ascii_and_says_every_name_to_the_letter(
    database: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert lostkeys(monkeypatch, "--db", database, "profiles", "--grader=-g", "--json") == 0
    out = capsys.readouterr().out
    assert out.isascii()
    assert out.replace("\n", "").isprintable()
    assert [row["model"] for row in json.loads(out)["models"]] == list(MODELS)
    print_json({"half": "\ud800"})
    assert json.loads(capsys.readouterr().out) == {"half": "\ud800"}


def test_a_name_with_a_comma_stands_in_quotes(
    database: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--db", database, "profiles", "--model", '"a,b",plain', "--grader", '"b,c",-g')
    assert lostkeys(monkeypatch, *words, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["model"] for row in document["models"]] == ["a,b", "plain"]
    assert document["graders"] == ["b,c", "-g"]
    assert lostkeys(monkeypatch, "--db", database, "profiles", "--model", "a\nb") == 2


def test_reading_leaves_no_file(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for words in (("profiles", "--grader=-g"), ("models",), ("graders",)):
        assert lostkeys(monkeypatch, "--db", database, *words) == 0
    assert list(Path(database).parent.iterdir()) == [Path(database)]


def test_what_is_bad_shows_in_the_exit_code(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = write_lines(tmp_path / "bad.jsonl", [fact("2", "A"), {"fact_id": "3"}])
    assert lostkeys(monkeypatch, "--db", database, "import", "--format", "facts", bad) == 1


def test_a_dry_run_sees_the_files_before(
    files: tuple[str, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "none.db"
    assert lostkeys(monkeypatch, "--db", str(path), "import", "--dry-run", *files) == 0
    assert f"would add {2 * len(TASKS) * len(MODELS) * 2}" in capsys.readouterr().err
    assert not path.exists()


def test_tracebacks_are_asked_for_and_safe(
    database: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("graders", "primary", "nobody\x1b[31m", "--db", database)
    assert lostkeys(monkeypatch, *words) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert lostkeys(monkeypatch, *words, "--debug") == 2
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert "\x1b" not in err
    assert lostkeys(monkeypatch, "profiles", "\x1b[31m") == 2
    assert "\x1b" not in capsys.readouterr().err


def test_the_database_may_be_named_after_a_group(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert lostkeys(monkeypatch, "graders", "--db", database, "primary", "b,c") == 0
    words = ("graders", "evaluate", "exact", "--labels", "none.jsonl")
    assert lostkeys(monkeypatch, *words, "--db", database, "--debug") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
)
def test_terminals_without_unicode(database: str, environment: dict[str, str]) -> None:
    words = ("--db", database, "profiles", "--grader=-g", "--per-fact")
    out, err = in_a_process(*words, environment=environment).communicate()
    assert err == b""
    assert b"DR" in out


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_asked_to_end(database: str, number: signal.Signals) -> None:
    with in_a_process("--db", database, "discard", "--model", "plain") as process:
        assert process.stderr is not None
        seen = b""
        while b"[y/N]" not in seen:
            some = os.read(process.stderr.fileno(), 4096)
            assert some, seen
            seen += some
        process.send_signal(number)
        _, rest = process.communicate(timeout=60)
        assert process.returncode == 130
        assert b"stopped" in rest


def test_an_export_that_has_no_room_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # there is no room for a module either
    rows = ({"fact_id": "x" * 100} for _ in range(10_000))
    old = tmp_path / "facts.csv"
    old.write_text("old", encoding="utf-8")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
    try:
        with pytest.raises(LostkeysError, match=r"facts\.csv cannot be written"):
            save(old, {"fact_id": str}, rows)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == [old]
    assert old.read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize("text", [EVIL, "😀" * 60, "日本" * 40, "\ud800\u3000a\nb\xa0"])
def test_names_are_cut_in_their_middle_and_fit(text: str) -> None:
    for width in range(1, 30):
        assert cell_len(fit_name(text, width)) <= width
    assert fit_name(f"{text} off", 12) != fit_name(f"{text} on", 12)
    assert fit_name("a short one", 12) == "a short one"
    assert fit_name("openai:gpt@http://host:8000", 16) == "openai:gpt…:8000"


@pytest.mark.parametrize("text", [EVIL, "😀" * 60, "日本" * 40, "\ud800\u3000a\nb\xa0"])
def test_one_line_is_visible_and_fits(text: str) -> None:
    assert mark_unseen(text).isprintable()
    assert one_line(text).isprintable()
    for width in range(1, 30):
        assert cell_len(one_line(text, width)) <= width


def test_an_endless_name_hides_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    print_error(f"choose with --grader, one of {'L' * 10_000}, lexical")
    said = capsys.readouterr().err
    assert f"one of {'L' * 60}… (10,001 letters) lexical" in said
