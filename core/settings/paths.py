"""Where things of the user's lie outside the project."""

import os
from pathlib import Path

import platformdirs

DATABASE_VARIABLE = "LOSTKEYS_DB"
CONFIG_VARIABLE = "LOSTKEYS_CONFIG"
STATE_VARIABLE = "LOSTKEYS_STATE"
PROMPTS_VARIABLE = "LOSTKEYS_PROMPTS"
DEFAULT_DATABASE = "lostkeys.db"
PRICES_FILE = "prices.toml"


def database(given: str | None) -> Path:
    """The project's database: as given, else `$LOSTKEYS_DB`, else `lostkeys.db` here."""
    return Path(given or os.environ.get(DATABASE_VARIABLE) or DEFAULT_DATABASE)


def config_folder() -> Path:
    """The folder of the user's settings: `$LOSTKEYS_CONFIG`, else where the system has them."""
    chosen = os.environ.get(CONFIG_VARIABLE)
    return Path(chosen) if chosen else platformdirs.user_config_path("lostkeys")


def state_folder() -> Path:
    """Where the program keeps what it remembers: `$LOSTKEYS_STATE`, else the user's own place."""
    chosen = os.environ.get(STATE_VARIABLE)
    return Path(chosen) if chosen else platformdirs.user_state_path("lostkeys")


def prompts_folder() -> Path | None:
    """The folder of the user's own prompt templates, if there is one."""
    found = prompts_place()
    return found if found.is_dir() else None


def prompts_place() -> Path:
    """Where the user's own prompt templates lie, or would: `$LOSTKEYS_PROMPTS`, else here."""
    folder = os.environ.get(PROMPTS_VARIABLE)
    return Path(folder) if folder else config_folder() / "prompts"


def prices_file() -> Path:
    """Where the person's own prices are, or would be."""
    return config_folder() / PRICES_FILE
