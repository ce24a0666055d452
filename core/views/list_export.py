"""A list as a command and the library write it: read through a lens, people hidden where asked."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from core.project import OpenProject
from core.scoring.policy import Policy
from core.settings.preferences import load
from core.transfer.anonymous_copy import open_anonymous
from core.transfer.pseudonyms import Pseudonyms
from core.views.lens import Lens, Thinking
from core.views.list_file import write_list
from core.views.list_rows import read_list
from core.views.list_words import QUEUES, ListWords
from core.views.where_resolver import command_lens


def export_list(
    database: Path,
    file: Path,
    words: ListWords,
    policy: Policy,
    models: Sequence[str] | None = None,
    compared: Sequence[str] = (),
    thinking: Thinking = Thinking.BOTH,
    excel_safe: bool = False,
    anonymous: bool = False,
) -> int:
    """Write the list that words ask for, with what it is a list of beside it; gives its rows.

    The rest as in `command_lens`. With `anonymous` people are numbers, and addresses are hidden.
    Raises `UsageError` for words that cannot be.
    """
    if not anonymous:
        choose = command_lens(policy, models, compared, thinking)
        return _write(database, file, words, choose, excel_safe)
    with OpenProject(database, "read") as project, open_anonymous(project) as copy:
        names = copy.names
        choose = command_lens(
            names.policy(policy),
            names.rename_models(models),
            tuple(map(names.grader, compared)),
            thinking,
        )
        return _write(copy.project.path, file, words, choose, excel_safe, names)


def _write(
    database: Path,
    file: Path,
    words: ListWords,
    choose_lens: Callable[[OpenProject], Lens],
    excel_safe: bool,
    names: Pseudonyms | None = None,
) -> int:
    """Write a list as it is shown; of an anonymous copy with its `names`."""
    name = load().person if words.name in QUEUES else ""
    if names is not None:
        where, name = names.where(words.where) or "", names.people.number(name)
        words = replace(words, where=where)
    found = read_list(database, words, choose_lens, name or None)
    said = found.words
    if names is not None:
        view = said.view and names.name(said.view)
        said = replace(said, where=names.people.hide(said.where), view=view)
    write_list(file, found.table, said, found.lens, excel_safe)
    return len(found.table.rows)
