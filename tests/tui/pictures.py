"""Writes the pictures of screens in docs/pictures, from a database of the demo: `make pictures`.

`uv run python -m tests.tui.pictures demo.db` takes the answers that are in `demo.db`. Without the
file it is made first, by `lostkeys demo --headless`, which takes the embedded model a while. The
file itself stays as it is.
"""

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from core.settings.paths import CONFIG_VARIABLE, STATE_VARIABLE
from core.settings.preferences import Settings
from tests.terminal import ROOT
from tests.tui.seeing import settled
from tui.app.app import LostkeysApp
from tui.app.screenshot import draw_svg

FOLDER = ROOT / "docs" / "pictures"
SIZE = (120, 32)
FACT = ("j",) * 7
"""The keys that lead to one fact of the demo: a lost key of the embedded model."""

PICTURES = {
    "facts": (*FACT, "5"),
    "task": (*FACT, "5", "enter", "enter"),
    "profiles": ("f3",),
    "confusion": ("f4",),
    "jobs": ("f6",),
    "figures": ("f7",),
}
"""The keys that lead to each picture."""

DEMO = ("demo", "--headless", "--facts", "12", "--samples", "4")


async def draw(database: Path, name: str) -> str:
    """The screen of a picture, as SVG."""
    app = LostkeysApp(database, Settings(name="ada", theme="dark"))
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        for key in PICTURES[name]:
            await pilot.press(key)
            await settled(pilot)
        return draw_svg(app)


def main() -> None:
    """Write all pictures of a database, which is made if it does not exist."""
    database = Path(sys.argv[1])
    if not database.exists():
        words = ["--db", str(database), *DEMO]
        subprocess.run([sys.executable, "-m", "lostkeys", *words], check=True, cwd=ROOT)
    with TemporaryDirectory() as folder:
        os.environ |= {CONFIG_VARIABLE: folder, STATE_VARIABLE: folder}
        for name in PICTURES:
            copy = shutil.copy(database, Path(folder) / "demo.db")
            svg = asyncio.run(draw(Path(copy), name))
            (FOLDER / f"{name}.svg").write_text(svg, encoding="utf-8")
            sys.stdout.write(f"{FOLDER / name}.svg\n")


if __name__ == "__main__":
    main()
