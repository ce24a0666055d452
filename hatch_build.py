"""The wheel: one package `lostkeys`, which holds the folders of this project.

In the project the folders stand at the top, and `core.errors` is imported as that. In a wheel it
is `lostkeys.core.errors`, so that nobody's own `core` is hidden or taken for ours. An editable
install leaves the folders where they are and adds a package `lostkeys` that stands for them.
"""

import ast
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = "lostkeys"
FOLDERS = ("core", "db", "prompts", "tui")
_DOTTED = re.compile(rf"(?<![\w./-])(?:{'|'.join(FOLDERS)})(?:\.[A-Za-z_]\w*)+")

INIT = '''"""Does this model know that fact, and if so, why did it not say it?"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.api import *  # noqa: F403
    from core.api import __all__ as __all__

__version__ = "{version}"


def __getattr__(name: str) -> Any:
    """What the library offers, loaded when it is first asked for: commands do without."""
    if name == "__all__" or not (name in {folders} or name.startswith("__")):
        import core.api as api

        if name == "__all__" or name in api.__all__:
            return getattr(api, name)
    raise AttributeError(f"module {{__name__!r}} has no attribute {{name!r}}")


def __dir__() -> list[str]:
    import core.api as api

    return [*globals(), *api.__all__]
'''
MAIN = '''"""`python -m lostkeys`: the command line."""

from tui.cli.main import main

if __name__ == "__main__":
    main()
'''


class LostkeysWheel(BuildHookInterface):  # type: ignore[type-arg]  # hatchling has no public config type
    """Puts the folders into the package, with the names that they have there."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make what goes into the wheel, and say where it lies."""
        made = self._folder = Path(tempfile.mkdtemp())
        if version == "editable":
            write_package(made, self.metadata.version)
            build_data["force_include_editable"][str(made)] = NAME
        else:
            write_wheel(Path(self.root), made, self.metadata.version)
            build_data["force_include"][str(made)] = NAME

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was made."""
        shutil.rmtree(self._folder, ignore_errors=True)


def write_package(target: Path, version: str) -> None:
    """Write the files that only the package has."""
    (target / "__init__.py").write_text(INIT.format(version=version, folders=FOLDERS))
    (target / "__main__.py").write_text(MAIN)
    (target / "py.typed").touch()


def write_wheel(root: Path, target: Path, version: str) -> None:
    """Write the package with all folders of a project, names changed."""
    write_package(target, version)
    for folder in FOLDERS:
        shutil.copytree(
            root / folder, target / folder, ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
        )
    names = module_names(target)
    for file in target.rglob("*.py"):
        file.write_text(renamed(file.read_text(encoding="utf-8"), names), encoding="utf-8")


def module_names(target: Path) -> frozenset[str]:
    """All modules and packages below a folder, by the names that they have in the project."""
    files = (one.relative_to(target).with_suffix("") for one in target.rglob("*.py"))
    dotted = {".".join(one.parts) for one in files}
    return frozenset(one.removesuffix(".__init__") for one in dotted)


def renamed(source: str, names: frozenset[str]) -> str:
    """A module's source with our imports, and names of our modules in texts, below the package."""
    content = source.encode()
    starts = [0]
    for line in content.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    edits = []
    tree = ast.parse(source)
    # The parts of a formatted text have no place of their own in every version of Python.
    parts = {
        part
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
    }
    for node in ast.walk(tree):
        put = _put_of(node, names)
        if put is not None and node not in parts and isinstance(node, ast.stmt | ast.expr):
            first = starts[node.lineno - 1] + node.col_offset
            last = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            edits.append((first, last, put))
    for first, last, put in sorted(edits, reverse=True, key=lambda one: one[0]):
        content = content[:first] + put(content[first:last].decode()).encode() + content[last:]
    return content.decode()


def _put_of(node: ast.AST, names: frozenset[str]) -> Callable[[str], str] | None:
    """What makes the new text of a part of a module out of the old one; None: it stays."""
    if isinstance(node, ast.Import) and _is_ours(node.names[0].name):
        return lambda text: _import_text(node)
    if isinstance(node, ast.ImportFrom) and node.module and _is_ours(node.module):
        module = node.module
        return lambda text: text.replace(f"from {module}", f"from {NAME}.{module}", 1)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return lambda text: _rename_names(text, names)
    return None


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] in FOLDERS


def _import_text(node: ast.Import) -> str:
    """Statements for an import of whole modules, which binds the folder's name, or another."""
    found = []
    for one in node.names:
        folder, _, inside = one.name.partition(".")
        if one.asname:
            found.append(f"import {NAME}.{one.name} as {one.asname}")
            continue
        if inside:
            found.append(f"import {NAME}.{one.name}")
        found.append(f"from {NAME} import {folder}")
    return "; ".join(found)


def _rename_names(text: str, names: frozenset[str]) -> str:
    """A text with the names of our modules, and of what is in them, as they are in the package."""

    def put(found: re.Match[str]) -> str:
        parts = found.group().split(".")
        known = any(".".join(parts[:count]) in names for count in range(2, len(parts) + 1))
        return f"{NAME}.{found.group()}" if known else found.group()

    return _DOTTED.sub(put, text)
