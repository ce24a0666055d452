"""What was asked of whom, and who graded: facts, models with recipes, graders with versions."""

import json
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress

import numpy as np

import db.model_rows
import db.project_values
import db.served_models
import prompts
from core.errors import LostkeysError
from core.report.report_numbers import NONE, count, join_names
from core.report.report_parts import (
    Block,
    Bullets,
    ReportParagraph,
    ReportTable,
    Section,
    numbers,
    text,
)
from core.report.report_scope import ReportScope
from core.sampling.model_list import count_cut
from core.scoring.precedence import GraderVersion
from core.settings import paths
from core.stats.number_format import format_amount
from core.vocabulary import LABELS, TASKS, VERIFICATION, Outcome
from db.answer_counts import StoredRecipe
from db.stored_values import RECIPE, read_object

MOST_GROUPS = 40
WORDING = (
    "The wording of the prompts is that of Lostkeys, except where a person replaced a template. "
    "Inputs stand in braces."
)
HASH = 12
"""Digits of a hash that are shown: enough to tell recipes and templates apart."""


def section(scope: ReportScope) -> Section:
    """Facts, models, prompts, graders."""
    blocks: list[Block] = [_questions(scope), *_categories(scope)]
    models = [_models(scope), *_server_names(scope)]
    return Section("What was asked", [*blocks, *models, *_prompts(scope), _graders(scope)])


def _questions(scope: ReportScope) -> ReportTable:
    """How many questions of each kind the facts have."""
    exists = scope.found.tally.exists[:, scope.found.facts]
    rows = [
        [str(task).replace("_", " "), task.side.value, count(int(have.sum()))]
        for task, have in zip(TASKS, exists, strict=True)
    ]
    chosen = int(scope.found.facts.sum())
    choice = sum(int(exists[TASKS.index(task)].sum()) for task in VERIFICATION)
    note = f"of {format_amount(chosen, 'fact')}; {format_amount(choice, 'question')} have options"
    return ReportTable(
        "Questions", [text("task"), text("gold answer"), *numbers("facts")], rows, note
    )


def _categories(scope: ReportScope) -> list[Block]:
    """Facts by category, the largest first."""
    chosen = np.flatnonzero(scope.found.facts)
    names = Counter(scope.project.index.categories[int(fact)] or "none given" for fact in chosen)
    if len(names) < 2:
        return []
    rows = [[name, count(number)] for name, number in names.most_common(MOST_GROUPS)]
    left = len(names) - len(rows)
    note = f"and {left:,} more categories" if left > 0 else ""
    return [ReportTable("Facts by category", [text("category"), *numbers("facts")], rows, note)]


def _models(scope: ReportScope) -> ReportTable:
    rows = []
    for model in scope.models:
        made = scope.recipes.get(model)
        drawn = [count(scope.count_drawn(model, thinking)) for thinking in (False, True)]
        cut = count(sum(count_cut(scope.project, model).values()))
        rows.append([model, *drawn, cut, *_recipe(made)])
    columns = [
        text("model"),
        *numbers("answers, thinking off", "thinking on", "cut at the limit"),
        *(text(name) for name in ("asked as", "thinking", "endpoints", "drawn with", "recipe")),
    ]
    note = "recipe: the hash of all that could change what a model answers, and the day of its use"
    return ReportTable("Models", columns, rows, note)


def _server_names(scope: ReportScope) -> list[Block]:
    """What servers called the models that answered, where they said it."""
    known = db.served_models.read_by_label(scope.project.connection)
    rows = [
        [model, one.name or NONE, one.fingerprint or NONE, one.at[:10]]
        for model in scope.models
        for one in known.get(model, ())
    ]
    if not rows:
        return []
    columns = [text(name) for name in ("model", "served as", "fingerprint", "since")]
    note = "by the responses themselves; several rows of a model: what was served has changed"
    return [ReportTable("Served models", columns, rows, note)]


def _recipe(made: StoredRecipe | None) -> list[str]:
    if made is None:
        return ["imported", NONE, NONE, NONE, NONE]
    recipe = made.recipe
    drawn = [f"temperature {recipe.get('temperature', NONE)}", f"top p {recipe.get('top_p', NONE)}"]
    options = recipe.get("options")
    if isinstance(options, Mapping):
        drawn += [f"{name} {json.dumps(value)}" for name, value in options.items()]
    thinking = str(recipe.get("thinking", NONE)).replace("_", " ")
    return [
        str(recipe.get("model", NONE)),
        thinking,
        _endpoints(recipe),
        ", ".join(drawn),
        f"{made.hash[:HASH]}, {made.at[:10]}",
    ]


def _endpoints(recipe: Mapping[str, object]) -> str:
    """Where the completion task is asked, and where the questions."""
    said = {**db.model_rows.UNSAID, **recipe}
    return f"completion {said.get('completion', NONE)}, questions {said['questions']}"


def _prompts(scope: ReportScope) -> list[Block]:
    """Which template versions which models were asked with."""
    used: dict[tuple[str, str], list[str]] = {}
    for model in scope.models:
        made = scope.recipes.get(model)
        templates = made.recipe.get("prompts") if made else None
        if isinstance(templates, Mapping):
            for name, digest in templates.items():
                used.setdefault((str(name), str(digest)), []).append(model)
    if not used:
        return [ReportParagraph("No prompts are known: the answers were imported.")]
    rows = [[name, digest[:HASH], join_names(models)] for (name, digest), models in used.items()]
    return [
        ReportTable("Prompts", [text("template"), text("version"), text("models")], rows),
        ReportParagraph(WORDING),
        Bullets([_quote_prompt(name, digest) for name, digest in used]),
    ]


def _quote_prompt(name: str, digest: str) -> str:
    """The text of a template of this hash, with its inputs in braces, if it still lies here."""
    for folder in dict.fromkeys((paths.prompts_folder(), None)):
        with suppress(LostkeysError):
            prompt = prompts.load(name, folder)
            if prompt.hash == digest:
                filled = prompt.render(**{one: f"{{{one}}}" for one in prompt.inputs})
                return f"{name}: " + " ".join(f"[{one.role}] {one.content}" for one in filled)
    return f"{name}: the text of version {digest[:HASH]} is not on this machine"


def _graders(scope: ReportScope) -> ReportTable:
    """Every grader version with what it said of these models' answers."""
    grids = scope.project.grids
    settings = [key for (model, _), key in scope.settings.items() if model in scope.models]
    questions = scope.questions()
    rows = []
    for version in scope.project.graders():
        said = np.zeros(len(Outcome) + 1, np.int64)
        for setting in settings:
            cells = grids.cells(version.plane, setting)
            if cells is not None:
                here = cells[:, questions[questions < cells.shape[1]]]
                said += np.bincount(here.ravel(), minlength=said.size)[: said.size]
        labels = [int(said[Outcome.from_label(label)]) for label in LABELS]
        states = int(said[len(LABELS) + 1 :].sum())
        numbered = [count(one) for one in (sum(labels), *labels, states)]
        rows.append([version.name, version.version, *numbered, _grader_prompts(scope, version)])
    return ReportTable(
        "Graders",
        [
            text("grader"),
            text("version"),
            *numbers("labels", *(label.lower() for label in LABELS), "no label"),
            text("prompts"),
        ],
        rows,
        "all tasks, multiple choice too; no label: unparsed, refused, or failed. Order of the "
        f"policy: {join_names(rank.name for rank in scope.found.ranks)}",
    )


def _grader_prompts(scope: ReportScope, version: GraderVersion) -> str:
    """The templates that a grader which is a model is asked with."""
    key = f"recipe of {version.name}#{version.version}"
    kept = db.project_values.value(scope.project.connection, key)
    templates = read_object(kept, RECIPE).get("prompts") if kept else None
    if not isinstance(templates, dict):
        return NONE
    return join_names(f"{name} {str(digest)[:HASH]}" for name, digest in templates.items())
