"""Fixtures for all tests."""

import gc
import os
import re
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.effort import HEAVY, choose_cases

if TYPE_CHECKING:
    from core.project import OpenProject

END = "-----END CERTIFICATE-----"
SHARED = Path(__file__).resolve().parents[2] / "shared"
# What the terminal of whoever starts the tests says of its colours.
COLOUR_VARIABLES = ("COLORTERM", "NO_COLOR", "FORCE_COLOR", "TEXTUAL_COLOR_SYSTEM")
LOCALE_VARIABLES = ("LC_ALL", "LC_CTYPE", "LANG")
NUMBERS = count()


def pytest_configure(config: pytest.Config) -> None:
    """Prepare what every test, and every program it starts, finds."""
    name_terminal()
    forget_everything()
    hear_the_terminal_go()
    leave_the_disk_its_time()
    look_for_garbage_seldom()
    think_on_one_core()
    watch_open_databases()
    prepare_cache(config)
    hands_tests_out = config.getoption("tx", None) and not hasattr(config, "workerinput")
    if not hands_tests_out:
        take_time_for_examples()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage in what collecting makes, now and later: it is all there to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Read no file without slow tests where only these are wanted: each program reads them all."""
    if config.option.markexpr != "slow" or not collection_path.name.startswith("test_"):
        return None
    return None if "slow" in collection_path.read_text(encoding="utf-8") else True


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run a sample of the cases of slow tests; a case that is named is run."""
    if HEAVY or any("[" in one for one in config.args):
        return
    items[:], left_out = choose_cases(items)
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def name_terminal() -> None:
    """The same pictures in every terminal: the program draws for the colours that one has."""
    os.environ["TERM"] = "xterm"
    for name in (*COLOUR_VARIABLES, *LOCALE_VARIABLES):
        os.environ.pop(name, None)


def forget_everything() -> None:
    """No test finds how another one, or anybody, left a database: unless it names a folder for it.

    There can be no such folder, so nothing is read or written.
    """
    os.environ["LOSTKEYS_STATE"] = str(Path(os.devnull) / "state")


def hear_the_terminal_go() -> None:
    """SIGHUP ends programs, though tests that are started by `nohup` inherit that it does not."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def leave_the_disk_its_time() -> None:
    """No test cuts the power: what is written is there for all programs, also before the disk."""
    import db.connection

    os.fsync = lambda fd: None
    db.connection.SYNCHRONOUS = "OFF"


def look_for_garbage_seldom() -> None:
    """An app makes more at its start than Python would let lie, and nearly all of it lives on."""
    gc.set_threshold(20_000, 20, 20)


def think_on_one_core() -> None:
    """Models share the machine with other tests: more threads would wait for each other, busily."""
    os.environ.setdefault("LOSTKEYS_THREADS", "1")


OPENED_BESIDE_SQLITE: list[str] = []
"""Databases that a program had open while an ordinary file of them was opened too."""


def watch_open_databases() -> None:
    """SQLite alone opens a live database: to close an ordinary file takes its locks away.

    Looks at what the system says the program has open; nothing is watched where it does not say.
    """
    from db import open_files

    def watch(event: str, words: tuple[object, ...]) -> None:
        if event == "open" and isinstance(words[0], str | bytes):
            path = Path(os.fsdecode(words[0]))
            if path.suffix not in (".py", ".pyc") and open_files.is_open(path) and is_held(path):
                OPENED_BESIDE_SQLITE.append(str(path))

    if OPEN_FILES.is_dir():
        sys.addaudithook(watch)


OPEN_FILES = Path("/proc/self/fd")


def is_held(path: Path) -> bool:
    """Whether the program has a file open."""
    real, held = str(path.resolve()), []
    for one in OPEN_FILES.iterdir():
        with suppress(OSError):
            held.append(str(one.readlink()))
    return real in held


@pytest.fixture(autouse=True)
def databases_left_to_sqlite() -> Iterator[None]:
    """No test, and nothing that it does, opens a live database as an ordinary file."""
    OPENED_BESIDE_SQLITE.clear()
    yield
    assert OPENED_BESIDE_SQLITE == []


def prepare_cache(config: pytest.Config) -> None:
    """Keep in pytest's own cache what would cost every test, and every program it starts, again.

    Most of the time that a start of the program takes goes into compiling, where packages were
    installed without bytecode and none may be written beside them. Most of the time that a client
    takes goes into reading the certificates of all authorities: no test meets any of theirs, so
    one stands for them.
    """
    if hasattr(config, "cache") and not hasattr(config, "workerinput"):
        import certifi

        trusted = config.cache.mkdir("trust") / "one.pem"
        first, end, _ = Path(certifi.where()).read_text("ascii").partition(END)
        trusted.write_text(first + end + "\n", "ascii")
        os.environ["SSL_CERT_FILE"] = str(trusted)
        place = str(config.cache.mkdir("bytecode"))
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = place
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.dont_write_bytecode = False


def take_time_for_examples() -> None:
    """Examples may take as long as the machine does."""
    from hypothesis import HealthCheck, settings

    unhurried = [HealthCheck.too_slow]
    settings.register_profile("untimed", deadline=None, suppress_health_check=unhurried)
    settings.load_profile("untimed")


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of one test.

    Pytest's own looks through the folders of all tests before it for a number that is free.
    """
    name = re.sub(r"\W", "_", request.node.name)[:30]
    return tmp_path_factory.mktemp(f"{name}{next(NUMBERS)}", numbered=False)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the program remembers things: one of each test, not the user's."""
    folder = tmp_path / "state"
    monkeypatch.setenv("LOSTKEYS_STATE", str(folder))
    return folder


@pytest.fixture
def shared() -> Callable[[str], Path]:
    """Path of real data or worked examples kept beside the project; skips where absent."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"../shared/{name} is not here")
        return path

    return find


@pytest.fixture
def project(tmp_path: Path) -> "Iterator[OpenProject]":
    """An empty project."""
    from tests.core.making import new_project

    with new_project(tmp_path / "project.db") as made:
        yield made
