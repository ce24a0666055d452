"""Where things of the user's lie outside the project."""

import os
from pathlib import Path

import platformdirs

DATABASE_VARIABLE = "LOSTKEYS_DB"
PROMPTS_VARIABLE = "LOSTKEYS_PROMPTS"
DEFAULT_DATABASE = "lostkeys.db"


def database(given: str | None) -> Path:
    """The project's database: as given, else `$LOSTKEYS_DB`, else `lostkeys.db` here."""
    return Path(given or os.environ.get(DATABASE_VARIABLE) or DEFAULT_DATABASE)


def prompts_folder() -> Path | None:
    """The folder of the user's own prompt templates, if there is one."""
    folder = os.environ.get(PROMPTS_VARIABLE)
    found = Path(folder) if folder else platformdirs.user_config_path("lostkeys") / "prompts"
    return found if found.is_dir() else None
