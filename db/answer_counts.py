"""Where a project's answers come from, and what of them is set apart, as counts."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from db.model_rows import read_recipe


@dataclass(frozen=True, slots=True)
class StoredRecipe:
    """What a model label stands for: its recipe, the recipe's hash, when it was first used."""

    recipe: Mapping[str, object]
    hash: str
    at: str


def recipes(connection: sqlite3.Connection) -> dict[str, StoredRecipe]:
    """Recipes by model label; imported models have none."""
    rows = connection.execute(
        "SELECT label, content, hash, at FROM model JOIN recipe ON recipe.id = model.recipe"
    )
    return {
        label: StoredRecipe(read_recipe(content), digest, at) for label, content, digest, at in rows
    }


def count_with_reasoning(connection: sqlite3.Connection) -> dict[int, int]:
    """How many stored answers of each setting (id) came with reasoning, thinking off alone."""
    return dict(
        connection.execute(
            "SELECT setting.id, count(*) FROM draw "
            "JOIN setting ON setting.id = (draw.response >> 10) & 1023 "
            "WHERE NOT setting.thinking AND (reasoning <> '' OR reasoning_tokens > 0) "
            "GROUP BY setting.id"
        )
    )


def set_aside(connection: sqlite3.Connection) -> dict[str, int]:
    """How many answers are set aside, by reason."""
    return dict(connection.execute("SELECT reason, count(*) FROM aside GROUP BY reason"))


def count_stale(connection: sqlite3.Connection) -> int:
    """How many grades were given against an earlier gold, and do not count any more."""
    sql = (
        "SELECT count(*) FROM stale_grade AS stale JOIN gold AS made ON made.id = stale.gold "
        "JOIN gold AS used ON used.fact = made.fact AND used.side = made.side AND used.current "
        "WHERE used.text <> made.text OR NOT EXISTS (SELECT 1 FROM grade "
        "WHERE grade.response = stale.response AND grade.grader = stale.grader)"
    )
    return int(connection.execute(sql).fetchone()[0])
