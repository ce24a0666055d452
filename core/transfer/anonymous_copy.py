"""A project without the names of its people: a passing copy in which they are numbers.

Whatever reads the copy writes no name, as none is in it: exports, reports, lakes, publications.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import db.audits
import db.connection
import db.lake_label_counts
import db.personal_columns
import db.project_values
from core.certainty import audit_frame
from core.project import OpenProject
from core.scoring.precedence import HUMAN_PREFIX, PEOPLE
from core.settings import preferences
from core.settings.known_addresses import known_addresses
from core.transfer.pseudonyms import (
    PersonNumbers,
    Pseudonyms,
    distinguish,
    find_hosts,
    name_graders,
    name_models,
)
from db.connection import write_transaction
from db.person_actions import ELSEWHERE
from db.personal_columns import Column


@dataclass(frozen=True, slots=True)
class AnonymousCopy:
    """The copy, open to read, and what things are called in it."""

    project: OpenProject
    names: Pseudonyms


@contextmanager
def open_anonymous(project: OpenProject) -> Iterator[AnonymousCopy]:
    """Copy a project, put numbers for its people, and open the copy; it is gone afterwards.

    People are told by the graders `human:NAME`, reviews, audits and the settings of who asks.
    Their names are replaced in names of graders, models, files, policies, sets and audits, and in
    notes and rationales; addresses of servers go. Facts, questions, golds, options and answers
    stay as they are. Raises `LostkeysError` where there is no room for the copy.
    """
    names = name_everything(project)
    with TemporaryDirectory(prefix="lostkeys-") as folder:
        path = Path(folder) / names.name(project.path.name)
        db.connection.copy(project.connection, path)
        with OpenProject(path, "write", counts=True) as copy:
            _hide_names(copy, names)
        with OpenProject(path, "read", counts=True) as copy:
            yield AnonymousCopy(copy, names)


def number_people(project: OpenProject) -> PersonNumbers:
    """Everybody whom a project knows: who labelled, oldest first, reviewed, audited, who asks."""
    connection, columns = project.connection, db.personal_columns
    graders = [*columns.read_values(connection, *columns.GRADERS), *_counted_graders(project)]
    audits = [audit_frame.read_plan(one.frame) for one in db.audits.audits(connection)]
    people = [
        one.removeprefix(HUMAN_PREFIX)
        for one in (*graders, *(plan.person for plan in audits))
        if one.startswith(HUMAN_PREFIX) and one not in (PEOPLE, HUMAN_PREFIX)
    ]
    acted = columns.read_values(connection, ("action", "author"))
    people += [one.removeprefix(HUMAN_PREFIX) for one in acted if one != ELSEWHERE]
    if asking := preferences.load().person:
        people.append(asking)
    models = columns.read_values(connection, *columns.MODELS)
    recipes = columns.read_values(connection, ("recipe", "content"))
    hosts = find_hosts([*graders, *models, *recipes, *known_addresses()])
    return PersonNumbers(people, hosts)


def name_everything(project: OpenProject) -> Pseudonyms:
    """What everything is called without names of people."""
    connection, columns = project.connection, db.personal_columns
    people = number_people(project)

    def name(*held: Column) -> dict[str, str]:
        return distinguish(columns.read_values(connection, *held), people.hide)

    graders = [*columns.read_values(connection, *columns.GRADERS), *_counted_graders(project)]
    models = columns.read_values(connection, *columns.MODELS)
    return Pseudonyms(
        people,
        name_graders(people, graders),
        name_models(people, models),
        {one: hidden for held in _OTHERS for one, hidden in name(*held).items()},
    )


_OTHERS = (
    db.personal_columns.FILES,
    db.personal_columns.POLICIES,
    db.personal_columns.SETS,
    db.personal_columns.FORMS,
    db.personal_columns.AUDITS,
)


def _counted_graders(project: OpenProject) -> list[str]:
    """The graders of a lake whose labels are counted here."""
    lake = db.lake_label_counts.counted_lake(project.connection)
    return [] if lake is None else [*lake.graders, *lake.versions]


def _hide_names(copy: OpenProject, names: Pseudonyms) -> None:
    connection, columns = copy.connection, db.personal_columns
    columns.open_references(connection)
    with write_transaction(connection):
        columns.rename(connection, columns.GRADERS, names.graders)
        columns.rename(connection, columns.MODELS, names.models)
        for held in _OTHERS:
            columns.rename(connection, held, names.others)
        columns.change_notes(connection, names.people.hide)
        columns.change_documents(connection, names.hide_values)
        columns.change_keys(connection, lambda key: names.where(key) or key)
        primary = db.project_values.value(connection, "primary_grader")
        if primary is not None:
            db.project_values.set_value(connection, "primary_grader", names.grader(primary))
        lake = db.lake_label_counts.counted_lake(connection)
        if lake is not None:
            hidden = replace(
                lake,
                path=names.name(lake.path),
                graders=tuple(map(names.grader, lake.graders)),
                versions={names.grader(one): said for one, said in lake.versions.items()},
            )
            db.lake_label_counts.note_lake(connection, hidden)
