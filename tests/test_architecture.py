"""The house rules: arrows run one way, and starting up imports little."""

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("core", "db", "prompts", "tui")
LEAF = {"core.vocabulary", "core.errors"}
"""Vocabulary and error bases: they import nothing of ours, so all may import them."""

ALLOWED = {
    "db": {"db"},
    "prompts": {"prompts"},
    "core": {"core", "db", "prompts"},
    "tui": {"tui", "core"},
}
FORBIDDEN = {
    "db": {"textual", "rich", "click", "openai", "google", "httpx", "aiohttp"},
    "prompts": {"textual", "rich", "click", "openai", "google", "httpx", "aiohttp", "sqlite3"},
    "core": {"textual", "rich", "click"},
    "tui": {"sqlite3", "sqlite_utils", "openai", "google", "httpx", "httpx2", "aiohttp"},
}


def modules(package: str) -> Iterator[Path]:
    yield from sorted((ROOT / package).rglob("*.py"))


@cache
def nodes(path: Path) -> list[ast.AST]:
    """What a file is made of."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imports(path: Path) -> Iterator[str]:
    """Full names of everything a file imports, wherever in the file."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def running_imports(path: Path) -> Iterator[str]:
    """As `imports`, but within `tui` without those for type checking only, which are no arrows."""
    checked = [
        one
        for node in nodes(path)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for one in ast.walk(node)
    ]
    for node in nodes(path):
        if path.is_relative_to(ROOT / "tui") and any(one is node for one in checked):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_leaf(name: str) -> bool:
    return any(name == leaf or name.startswith(leaf + ".") for leaf in LEAF)


@pytest.mark.parametrize("package", PACKAGES)
def test_arrows_run_one_way(package: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules(package)
        for name in imports(path)
        if name.split(".")[0] in PACKAGES
        and name.split(".")[0] not in ALLOWED[package]
        and not is_leaf(name)
    ]
    assert wrong == []


@pytest.mark.parametrize("package", PACKAGES)
def test_no_package_knows_what_is_not_its_business(package: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules(package)
        for name in imports(path)
        if name.split(".")[0] in FORBIDDEN[package]
    ]
    assert wrong == []


FLOORS = (
    "core.vocabulary",
    "core.errors",
    "core.modes",
    "core.settings core.glossary",
    "core.dataset",
    "core.stats",
    "core.scoring",
    "core.project",
    "core.providers",
    "core.pricing",
    "core.graders",
    "core.engine",
    "core.specs",
    "core.sampling",
    "core.grading core.pipeline",
    "core.results",
    "core.analyses core.certainty",
    "core.zero_prompt core.alignment",
    "core.fact_bench",
    "core.figures",
    "core.scale",
    "core.exchange",
    "core.report core.transfer",
    "core.curation",
    "core.estimates",
    "core.demo",
    "core.jobs",
    "core.doctor",
    "core.views",
    "core.library",
    "core.api",
)
"""Rooms of core from the ground up; a room imports from those below it, and from none beside it."""


def room(name: str) -> str:
    return ".".join(name.split(".")[:2])


def test_rooms_of_core_stand_on_floors() -> None:
    """Imports for type checking count as well, and so do those within functions."""
    floor = {one: number for number, row in enumerate(FLOORS) for one in row.split()}
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules("core")
        for here in [room(module_of(path))]
        for name in imports(path)
        if here != "core" and name.startswith("core.") and room(name) != here
        if floor[room(name)] >= floor[here]
    ]
    assert wrong == []


def module_of(path: Path) -> str:
    """A file's name as a module."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def arrows(packages: Sequence[str]) -> dict[str, set[str]]:
    """What each module imports of these packages when it runs; of a package, its own file."""
    files = {module_of(path): path for package in packages for path in modules(package)}
    found: dict[str, set[str]] = {}
    for module, path in files.items():
        found[module] = set()
        for name in running_imports(path):
            target = name if name in files else name.rpartition(".")[0]
            if target in files and target != module and files[target].name != "__init__.py":
                found[module].add(target)
    return found


def test_no_modules_import_each_other_in_circles() -> None:
    """Imports within functions count as well, those for type checking outside `tui` too."""
    graph = arrows(PACKAGES)
    while leaves := {one for one, below in graph.items() if not below & graph.keys()}:
        graph = {one: below for one, below in graph.items() if one not in leaves}
    assert sorted(graph) == []


def test_screens_do_not_import_the_app() -> None:
    """They know its type; when they run, only how to load, the tabs and the words of undo."""
    offered = {f"tui.app.{part}" for part in ("loader", "tab_table", "undo_text")}
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for room in ("text", "theme", "keys", "widgets", "frame", "dialogs", "screens")
        for path in modules(f"tui/{room}")
        for name in running_imports(path)
        if name.startswith("tui.app.") and ".".join(name.split(".")[:3]) not in offered
    ]
    assert wrong == []


def test_no_screen_imports_another() -> None:
    """What several draw stands in `tui/text` and `tui/widgets`; Facts holds the empty state."""
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules("tui/screens")
        for name in imports(path)
        if name.startswith("tui.screens.") and len(own := path.relative_to(ROOT).parts) > 3
        if name.split(".")[2] not in (own[2], "base_screen", "screen_panes")
        if (own[2], name.split(".")[2]) != ("facts", "start")
    ]
    assert wrong == []


def test_no_module_is_named_for_what_it_does() -> None:
    nouns = {"grading", "pricing", "sampling", "prompting", "thinking", "phrasing", "reasoning"}
    paths = [path for package in PACKAGES for path in modules(package)]
    gerunds = {path.stem for path in paths if path.stem.endswith("ing")} - nouns
    assert gerunds == set()


ENDINGS = ("ed", "en", "ght", "ing", "lt", "pt", "wn")
BARE = """
    inputs names of read rows words
    become begun come done felt found given gone had heard held hidden hung kept known laid lain
    led left lost made meant met paid said sat seen sent sold spent stood struck stuck sung
    swept told torn won worn
""".split()  # noqa: SIM905
"""Names that say nothing of their object, and participles with endings of their own."""

LOOK_SO = """
    accept attempt beginning breakdown children default fault feed flatten heading heed height
    interrupt listen listing mapping markdown meaning nothing open phrasing preflight prompt ranking
    reasoning reopen result right setting spawn spelling thinking weight
""".split()  # noqa: SIM905
"""Nouns and verbs with the ending of a participle; each of them is a name somewhere."""

OFFERED = {"core.api.read", "core.providers.body_limits.read"}
"""Names that `import lostkeys` offers, and that a library calls."""


def is_property(node: ast.AST) -> bool:
    decorators = getattr(node, "decorator_list", ())
    return any("property" in ast.unparse(one) for one in decorators)


def looks_bare(name: str) -> bool:
    """Whether a name is one word that seems to say neither what is done nor to what."""
    word = name.strip("_")
    is_one = word.isalpha() and word[1:].islower()
    return is_one and (word.lower() in BARE or word.lower().endswith(ENDINGS))


def test_no_function_or_class_is_named_by_a_bare_participle() -> None:
    """A function is a verb with its object, a class says what it holds; properties are nouns."""
    named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    found = {
        f"{module_of(path)}.{node.name}": node.name.strip("_").lower()
        for package in PACKAGES
        for path in modules(package)
        for node in nodes(path)
        if isinstance(node, named) and not node.name.startswith("__") and not is_property(node)
        if looks_bare(node.name)
    }
    assert sorted(name for name, word in found.items() if word not in LOOK_SO) == sorted(OFFERED)
    assert set(LOOK_SO) - set(found.values()) == set()
    assert len(LOOK_SO) <= 40


def test_the_leaf_imports_nothing_of_ours() -> None:
    for leaf in LEAF:
        path = ROOT / Path(*leaf.split(".")).with_suffix(".py")
        assert [name for name in imports(path) if name.split(".")[0] in PACKAGES] == []


def test_commands_import_no_textual() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules("tui/cli")
        for name in imports(path)
        if name.split(".")[0] == "textual"
    ]
    assert wrong == []


OF_LAKES = "core/scale/lake_queries.py"
"""What DuckDB is asked about a lake, which is no database of the project's."""


def test_sql_stands_in_db_alone() -> None:
    words = ("SELECT ", "INSERT INTO ", "DELETE FROM ", "PRAGMA ", "CREATE TABLE ")
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for package in ("core", "tui", "prompts")
        for path in modules(package)
        if path != ROOT / OF_LAKES
        for node in nodes(path)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and any(word in node.value for word in words)
    ]
    assert wrong == []


def loaded_after(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter has loaded after running `code`."""
    program = f"{code}\nimport sys\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


HEAVY = {
    "textual",
    "numpy",
    "openai",
    "google",
    "sqlite3",
    "sqlite_utils",
    "rich",
    "pyarrow",
    "duckdb",
}


def test_help_imports_nothing_heavy() -> None:
    code = "from click.testing import CliRunner\nfrom tui.cli.main import cli\n"
    code += "assert CliRunner().invoke(cli, ['--help']).exit_code == 0"
    assert loaded_after(code) & HEAVY == set()


def test_core_runs_without_screen_or_sdk() -> None:
    modules = (
        "core.results.profile_summary",
        "core.results.agreement",
        "core.sampling.sample_work",
        "core.graders.stored_answers",
    )
    code = f"import {', '.join(modules)}"
    assert loaded_after(code) & {"textual", "rich", "click", "openai", "google", "pyarrow"} == set()


LATE = (
    *(
        "core.transfer",
        "core.analyses",
        "core.zero_prompt",
        "core.figures",
        "core.jobs.job_service",
    ),
    *("core.graders.lexical", "core.views.review", "core.views.disagreements"),
    *("textual.widgets._text_area", "tui.screens.task", "rapidfuzz", "numpy.random"),
    *("core.views.audits", "core.views.fact_view", "core.views.fact_search", "core.certainty"),
    *("core.curation.undo_history", "core.glossary.glossary", "core.jobs.job_list", "core.specs"),
    *("core.providers", "core.sampling", "prompts", "tui.screens.start"),
    *("core.curation", "core.views.task_view", "core.views.fact_case", "core.views.saved_views"),
    *("core.scoring.lake_labels", "core.scoring.curtailed_runs", "core.glossary.glossary_entry"),
    *("core.scoring.fact_lookups", "core.jobs.job_progress", "tui.screens.facts.render_fact"),
    *("db.person_actions", "db.documents", "db.option_scores", "db.response_sources"),
    *("db.question_versions", "db.lake_label_counts", "tui.dialogs"),
    *("db.facts", "db.question_rows", "db.reviews", "db.triples", "core.settings.recent_files"),
    *("tui.theme.user_themes", "tui.frame.too_small", "hashlib", "csv", "shlex", "getpass"),
)
"""What Facts is painted without: other screens and the worker load it when they need it."""

FIRST = "tui.app.app, tui.screens.facts.screen, core.views.saved_session"
"""What loads all that Facts is painted with."""


def test_the_first_screen_loads_nothing_that_others_need() -> None:
    code = f"import sys, {FIRST}\n"
    code += f"print(*[name for name in {LATE!r} if name in sys.modules], '.')"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["."]


MOST_DATACLASSES = 22
"""Of ours before the first list. One takes 0.2 to 0.7 ms to make, eight times a named tuple."""


def test_the_first_screen_makes_few_dataclasses() -> None:
    code = f"import sys, {FIRST}\n"
    code += (
        f"ours = [sys.modules[name] for name in [*sys.modules] if name.startswith({PACKAGES!r})]\n"
    )
    code += "made = {one for module in ours for one in vars(module).values() "
    code += "if isinstance(one, type) and '__dataclass_params__' in vars(one) "
    code += "and one.__module__ == module.__name__}\n"
    code += "print(*sorted(one.__qualname__ for one in made))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert 0 < len(done.stdout.split()) <= MOST_DATACLASSES, done.stdout


def test_every_command_stands_where_the_table_says() -> None:
    code = "import click\nfrom tui.cli.main import COMMANDS, cli\n"
    code += "for name in COMMANDS: assert cli.get_command(None, name).help"
    loaded = loaded_after(code)
    assert "textual" not in loaded
    assert "click" in loaded


TWICE = {
    "doctor": "what is wrong with a file, and the command that says it",
}
"""File names that two rooms share, beside those that the pattern of a screen fixes."""

PATTERN = {"__init__", "screen", "state", "loader", "render", "widgets", "sentences"}

SHORT = {
    "core.dataset.seeded_order": "the one rule of chance, which several methods share",
    "core.jobs.demo_job": "a kind of job is one file",
    "core.jobs.export_job": "a kind of job is one file",
    "core.settings.process_limits": "programs set these limits before they load more",
    "core.views.user_errors": "the one place where faults of files become lines for people",
    "tui.cli.commands.doctor": "a command is one file",
    "tui.cli.commands.merge": "a command is one file",
}
"""Files of less than 40 lines, each for a reason."""


def test_names_stand_once() -> None:
    paths = [path for package in PACKAGES for path in modules(package)]
    stems = Counter(path.stem for path in paths)
    twice = {stem for stem, count in stems.items() if count > 1 and stem not in PATTERN}
    assert {stem for stem in twice if not stem.startswith("render")} == set(TWICE)
    classes = Counter(
        node.name
        for path in paths
        for node in nodes(path)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, count in classes.items() if count > 1} == set()
    assert len(TWICE) <= 6


def test_a_file_is_a_concept_and_no_fragment() -> None:
    short = {
        module_of(path)
        for package in PACKAGES
        for path in modules(package)
        if path.name != "__init__.py" and len(path.read_text().splitlines()) < 40
    }
    assert sorted(short) == sorted(SHORT)
    assert len(SHORT) <= 12


def test_no_class_is_spread_over_files() -> None:
    """What a part or a screen lacks it has as an object, it does not inherit it from beside it."""
    found = set()
    for path in (*modules("tui/app"), *modules("tui/screens")):
        folder = module_of(path).rpartition(".")[0] + "."
        beside = {name.rpartition(".")[2] for name in imports(path) if name.startswith(folder)}
        found |= {
            f"{node.name} on {base.id}"
            for node in nodes(path)
            if isinstance(node, ast.ClassDef)
            for base in node.bases
            if isinstance(base, ast.Name) and base.id in beside
        }
    assert sorted(found) == []
