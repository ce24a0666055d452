"""Long inputs, what is known of models, and forms of inputs, between rows and the database."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import db.input_forms
import db.long_inputs
import db.model_rows
import db.relations
from core.errors import LostkeysError
from core.project import OpenProject
from core.scoring.latent_verdicts import ZERO_PROMPT
from core.specs.file_specs import ImportWords
from core.transfer.file_formats import FORM_COLUMNS, PATTERN
from core.transfer.import_report import ImportReport
from core.transfer.row_source import RowSource
from core.transfer.row_values import RowError, quote, read_json, text, views
from core.transfer.score_rows import logprob, setup_in
from core.zero_prompt.examples import ExampleKind
from core.zero_prompt.input_form import InputForm, template_of
from core.zero_prompt.scores import MOST
from db.connection import write_transaction
from db.input_forms import StoredForm
from db.long_inputs import LongInputKey, StoredInput, StoredPlace

HUMAN_WRITTEN = "hgp"
"""What a form without a kind is taken for."""


class _Lander:
    """Takes the rows of one file, batch by batch: each alone, in one transaction."""

    def __init__(
        self, project: OpenProject, source: RowSource, report: ImportReport, words: ImportWords
    ) -> None:
        self._project = project
        self._connection = project.connection
        self._report = report
        self._words = words

    def land(self, rows: Iterable[tuple[int, dict[str, Any]]]) -> None:
        """Add what is new; what is there must be the same."""
        with write_transaction(self._connection):
            for line, row in rows:
                try:
                    self._report.count(self._take(row))
                except RowError as error:
                    self._report.refuse(line, str(error))

    def _take(self, row: Mapping[str, Any]) -> bool:
        """Keep a row; gives whether it brings anything. Raises `RowError`."""
        raise NotImplementedError


class PositionRows(_Lander):
    """Takes rows of `zp-positions`."""

    def __init__(
        self, project: OpenProject, source: RowSource, report: ImportReport, words: ImportWords
    ) -> None:
        super().__init__(project, source, report, words)
        self._relations: dict[str, list[int]] = {}
        for one in db.relations.relations(self._connection):
            if words.set_name in (None, one.set_name):
                self._relations.setdefault(one.name, []).append(one.id)
        self._known = {one.key: one for one in db.long_inputs.read_inputs(self._connection)}

    def _take(self, row: Mapping[str, Any]) -> bool:
        name, model = text(row, "relation"), text(row, "model")
        if not name or not model:
            raise RowError(f"missing: {'model' if name else 'relation'}")
        found = self._relations.get(name, [])
        if len(found) != 1:
            wrong = "several sets have it: name one with --set" if found else "import its triples"
            raise RowError(f"relation {quote(name)}: {wrong}")
        setup = setup_in(row, 0)
        key = LongInputKey(model, found[0], setup.n, setup.seed, setup.inject or "")
        places = read_json(row.get("positions"), "positions")
        if not isinstance(places, list) or len(places) != setup.n:
            count = len(places) if isinstance(places, list) else 0
            raise RowError(f"{count:,} positions of {setup.n:,}: each example has one")
        one = StoredInput(key, tuple(map(_place, places)))
        there = self._known.get(key)
        if there is not None:
            if _round_places(there) != _round_places(one):
                raise RowError("this input is there with other positions, which are kept")
            return False
        self._known[key] = one
        owner = db.model_rows.ensure_model(self._connection, model)
        db.long_inputs.insert(self._connection, owner, one)
        return True


def _place(value: object) -> StoredPlace:
    if not isinstance(value, dict):
        raise RowError(f"positions has {quote(value)}, not an object")
    kind = value.get("kind", ExampleKind.CLEAN)
    if kind not in list(ExampleKind):
        raise RowError(f"kind is {quote(kind)}, not one of {', '.join(ExampleKind)}")
    found = logprob(value.get("logprob"))
    usable = found is not None and -float("inf") < found <= MOST
    return StoredPlace(
        text(value, "subject"), text(value, "object"), str(kind), found if usable else None
    )


def _round_places(one: StoredInput) -> list[tuple[object, ...]]:
    """The places of an input, with numbers as exact as they are kept."""
    return [
        (
            place.subject,
            place.object,
            place.kind,
            None if place.logprob is None else db.long_inputs.round_logprob(place.logprob),
        )
        for place in one.places
    ]


def position_rows(project: OpenProject, models: Iterable[str] | None) -> Iterator[dict[str, Any]]:
    """All long inputs as rows of `zp-positions`."""
    names = {one.id: one.name for one in db.relations.relations(project.connection)}
    wanted = None if models is None else set(models)
    for one in db.long_inputs.read_inputs(project.connection):
        if wanted is None or one.key.model in wanted:
            yield {
                "relation": names[one.key.relation],
                "model": one.key.model,
                "n": one.key.examples,
                "seed": one.key.seed,
                "inject": one.key.inject or None,
                "positions": [
                    {
                        "subject": place.subject,
                        "object": place.object,
                        "kind": place.kind,
                        "logprob": place.logprob,
                    }
                    for place in one.places
                ],
            }


class TraitRows(_Lander):
    """Takes rows of `zp-models`."""

    def _take(self, row: Mapping[str, Any]) -> bool:
        model = text(row, "model")
        if not model:
            raise RowError("missing: model")
        traits = (
            text(row, "family") or None,
            _parameters(row),
            text(row, "base") or None,
        )
        there = db.model_rows.traits(self._connection).get(model)
        if there is None:
            db.model_rows.add_traits(self._connection, model, *traits)
        elif there != traits:
            raise RowError(f"model {quote(model)} is there otherwise: the first is kept")
        return there is None


def _parameters(row: Mapping[str, Any]) -> int | None:
    try:
        return views(row.get("parameters"), "parameters")
    except RowError:
        said = quote(row.get("parameters"))
        raise RowError(f"parameters is {said}, not a whole number") from None


def trait_rows(project: OpenProject) -> Iterator[dict[str, Any]]:
    """What is known of models as rows of `zp-models`."""
    for model, (family, parameters, base) in db.model_rows.traits(project.connection).items():
        yield {"model": model, "family": family, "parameters": parameters, "base": base}


class FormRows(_Lander):
    """Takes rows of `zp-templates`; a form without a name is called by its kind and number."""

    def __init__(
        self, project: OpenProject, source: RowSource, report: ImportReport, words: ImportWords
    ) -> None:
        super().__init__(project, source, report, words)
        self._known = {
            (one.relation, one.name): one for one in db.input_forms.read_forms(self._connection)
        }
        self._unnamed: dict[tuple[str, str], int] = {}

    def _take(self, row: Mapping[str, Any]) -> bool:
        written = text(row, "template") or text(row, PATTERN)
        if not written:
            raise RowError("missing: template")
        relation, kind = text(row, "relation"), text(row, "kind") or HUMAN_WRITTEN
        name = text(row, "name") or self._number(relation, kind)
        inner, outer = _gap(row, "inner"), _gap(row, "outer")
        try:
            form = InputForm(name, template_of(written), inner, outer, kind, relation or None)
        except LostkeysError as error:
            raise RowError(str(error)) from None
        if ZERO_PROMPT in (name, kind) and form != InputForm(relation=relation or None):
            raise RowError(
                f"{ZERO_PROMPT} is the name and kind of the form without words: choose another"
            )
        one = StoredForm(relation, name, kind, form.template, form.inner, form.outer)
        there = self._known.setdefault((relation, name), one)
        if there != one:
            raise RowError(f"form {quote(name)} is there otherwise: the first is kept")
        if there is one:
            db.input_forms.insert(self._connection, one)
        return there is one

    def _number(self, relation: str, kind: str) -> str:
        count = self._unnamed[relation, kind] = self._unnamed.get((relation, kind), 0) + 1
        return f"{kind}-{count}"


def _gap(row: Mapping[str, Any], side: str) -> str:
    """What parts pairs or their sides: to the letter, one space where a row says nothing."""
    value = row.get(side)
    if value is None or value == "":
        return " "
    if not isinstance(value, str):
        raise RowError(f"{side} is {quote(value)}, not a text")
    return value


def form_rows(project: OpenProject) -> Iterator[dict[str, Any]]:
    """All forms as rows of `zp-templates`."""
    for one in db.input_forms.read_forms(project.connection):
        values = (one.relation or None, one.name, one.kind, one.template, one.inner, one.outer)
        yield dict(zip(FORM_COLUMNS, values, strict=True))
