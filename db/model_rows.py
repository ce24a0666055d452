"""Models (labels of recipes) and their settings, and values that are kept with the project."""

import json
import sqlite3
from collections.abc import Mapping

from db.slot_ids import MAX_SETTING
from db.sqlite_errors import DatabaseError
from db.stored_values import RECIPE, RowsById, StoredValues, read_object, unreadable

UNSAID: Mapping[str, object] = {"questions": "chat", "stop": {}}
"""What recipes made before there was another way leave unsaid."""

NEEDED: Mapping[str, type] = {"model": str, "thinking": str, "options": dict}
"""Fields that every recipe has, whoever made it."""


def read_recipe(text: str) -> Mapping[str, object]:
    """A stored recipe."""
    found = read_object(text, RECIPE)
    for name, kind in NEEDED.items():
        if not isinstance(found.get(name), kind):
            raise unreadable(f"{RECIPE} without {name}", text)
    return found


STORED = (StoredValues("recipe", "content", read_recipe),)


def ensure_setting(connection: sqlite3.Connection, label: str, thinking: bool) -> int:
    """The id of a model x thinking, made where it is new. Inside a transaction."""
    model = ensure_model(connection, label)
    row = connection.execute(
        "SELECT id FROM setting WHERE model = ? AND thinking = ?", (model, thinking)
    ).fetchone()
    if row:
        return int(row[0])
    newest = connection.execute("SELECT coalesce(max(id), 0) FROM setting").fetchone()[0]
    if newest >= MAX_SETTING:
        raise DatabaseError(
            f"{label}: one database holds at most {MAX_SETTING} settings (models, thinking off "
            "and on counted apart): use another file"
        )
    cursor = connection.execute(
        "INSERT INTO setting (model, thinking) VALUES (?, ?)", (model, thinking)
    )
    return int(cursor.lastrowid or 0)


def ensure_model(connection: sqlite3.Connection, label: str) -> int:
    """The id of a model label, made where it is new. Inside a transaction."""
    connection.execute("INSERT OR IGNORE INTO model (label) VALUES (?)", (label,))
    row = connection.execute("SELECT id FROM model WHERE label = ?", (label,)).fetchone()
    return int(row[0])


def model_ids(connection: sqlite3.Connection) -> dict[str, int]:
    """Ids of all models by label."""
    return dict(connection.execute("SELECT label, id FROM model"))


def settings(connection: sqlite3.Connection) -> RowsById[tuple[str, bool]]:
    """Model label and thinking of every setting id, models in the order of their coming."""
    rows = connection.execute(
        "SELECT setting.id, label, thinking FROM setting JOIN model ON model.id = model "
        "ORDER BY model.id, thinking"
    )
    return RowsById("setting", ((key, (label, bool(thinking))) for key, label, thinking in rows))


def recipe_of(connection: sqlite3.Connection, label: str) -> Mapping[str, object] | None:
    """The recipe a model label stands for, or None where it has none (imported, or unknown)."""
    row = connection.execute(
        "SELECT content FROM recipe JOIN model ON model.recipe = recipe.id WHERE label = ?",
        (label,),
    ).fetchone()
    return read_recipe(row[0]) if row else None


def set_recipe(connection: sqlite3.Connection, label: str, recipe: Mapping[str, object]) -> None:
    """Let the label stand for this recipe. Inside a transaction."""
    from hashlib import sha256

    content = json.dumps(recipe, sort_keys=True, ensure_ascii=False)
    digest = sha256(content.encode()).hexdigest()
    connection.execute(
        "INSERT OR IGNORE INTO recipe (hash, content) VALUES (?, ?)", (digest, content)
    )
    connection.execute(
        "UPDATE model SET recipe = (SELECT id FROM recipe WHERE hash = ?) WHERE id = ?",
        (digest, ensure_model(connection, label)),
    )


def recipes(connection: sqlite3.Connection) -> dict[int, Mapping[str, object]]:
    """Recipes by setting id; imported models have none."""
    return {
        key: read_recipe(content)
        for key, content in connection.execute(
            "SELECT setting.id, content FROM setting JOIN model ON model.id = setting.model "
            "JOIN recipe ON recipe.id = model.recipe"
        )
    }


def traits(connection: sqlite3.Connection) -> dict[str, tuple[str | None, int | None, str | None]]:
    """Family, parameters and base of the models of which any is known, by label."""
    rows = connection.execute(
        "SELECT label, family, parameters, base FROM model_trait JOIN model ON model.id = model "
        "ORDER BY model.id"
    )
    return {label: (family, parameters, base) for label, family, parameters, base in rows}


def add_traits(
    connection: sqlite3.Connection,
    label: str,
    family: str | None,
    parameters: int | None,
    base: str | None,
) -> None:
    """Note what is known of a model that had nothing noted. Inside a transaction."""
    connection.execute(
        "INSERT INTO model_trait (model, family, parameters, base) VALUES (?, ?, ?, ?)",
        (ensure_model(connection, label), family, parameters, base),
    )


def take_traits(connection: sqlite3.Connection) -> list[str]:
    """Add what the attached database `other` knows of models; in a transaction.

    Needs `model_of`. Gives the models of which something else is known here.
    """
    joined = "FROM other.model_trait AS theirs JOIN model_of ON model_of.theirs = theirs.model"
    clashes = connection.execute(
        f"SELECT label {joined} JOIN main.model_trait AS mine ON mine.model = model_of.ours "
        "JOIN main.model ON model.id = mine.model WHERE (mine.family, mine.parameters, mine.base) "
        "IS NOT (theirs.family, theirs.parameters, theirs.base) ORDER BY model.id"
    ).fetchall()
    connection.execute(
        "INSERT OR IGNORE INTO main.model_trait (model, family, parameters, base) "
        f"SELECT model_of.ours, theirs.family, theirs.parameters, theirs.base {joined}"
    )
    return [label for (label,) in clashes]
