"""What the code that the authors of ZP-LKE published writes: inputs, and products of options.

Its options have no texts, the gold is the last. A product that is zero has underflowed.
"""

import math
from collections.abc import Iterable
from typing import Any

from core.dataset.seeded_order import key_of
from core.errors import UsageError
from core.project import OpenProject
from core.specs.file_specs import ImportWords
from core.transfer.file_formats import REFERENCE_COLUMNS
from core.transfer.import_report import ImportReport
from core.transfer.json_files import JsonFile
from core.transfer.row_source import RowSource
from core.transfer.row_values import RowError, quote
from core.transfer.score_rows import ScoreRow, ScoreRows
from core.zero_prompt.score_matrix import Setup
from core.zero_prompt.stored_relations import choose_relations, read_relations
from core.zero_prompt.stored_scores import key_of_series

PROMPTS, OUTPUTS = "base_prompts", "post_processed_outputs"


class ReferenceFile(JsonFile):
    """One object with a list of inputs and one of products; rows are numbered by their places."""

    def _list_rows(self, content: Any) -> list[Any]:
        lists = [content.get(name) if isinstance(content, dict) else None for name in _LISTS]
        prompts, outputs = lists
        if not isinstance(prompts, list) or not isinstance(outputs, list):
            raise self.read_error(
                "", f"not an object with {PROMPTS} and {OUTPUTS}", "check the file"
            )
        if len(prompts) != len(outputs):
            what = f"{len(prompts):,} {PROMPTS} with {len(outputs):,} {OUTPUTS}"
            raise self.read_error("", what, "check the file")
        return [
            dict(zip(REFERENCE_COLUMNS, pair, strict=True))
            for pair in zip(prompts, outputs, strict=True)
        ]


_LISTS = (PROMPTS, OUTPUTS)


class ReferenceRows:
    """Takes the rows of one file: scores of the facts with which its inputs end."""

    def __init__(
        self, project: OpenProject, source: RowSource, report: ImportReport, words: ImportWords
    ) -> None:
        if words.relation is None or words.model is None or words.examples is None:
            raise UsageError(
                "zp-reference needs --relation, --model and --examples: the file does not say them"
            )
        chosen = choose_relations(project, [words.relation], words.set_name)
        (self._relation,) = read_relations(project, chosen)
        self._scores = ScoreRows(project, source, report, words)
        self._report = report
        self._model, self._examples = words.model, words.examples
        self._subjects: dict[str, list[str]] = {}
        for one in self._relation.relation.triples.values():
            self._subjects.setdefault(key_of(one.subject), []).append(one.id)

    def land(self, rows: Iterable[tuple[int, dict[str, Any]]]) -> None:
        """Add what is new in these rows, in one transaction."""
        batch = []
        for line, row in rows:
            try:
                batch.append((line, self._parse(row)))
            except RowError as error:
                self._report.refuse(line, str(error))
        self._scores.store(batch)

    def _parse(self, row: dict[str, Any]) -> ScoreRow:
        prompt, products = (row.get(name) for name in REFERENCE_COLUMNS)
        if not isinstance(prompt, str):
            raise RowError(f"the input is {quote(prompt)}, not a text")
        if not isinstance(products, list) or not products:
            raise RowError(f"the products are {quote(products)}, not a list")
        *others, gold = map(_logarithm, products)
        setup = Setup(n=self._examples, options=len(products))
        key = key_of_series(self._model, setup)
        return ScoreRow(self._find(prompt), key, None, (gold, *others), None)

    def _find(self, prompt: str) -> str:
        """The fact whose subject an input ends with: of several the longest."""
        words = key_of(prompt).split(" ")
        for start in range(len(words)):
            found = self._subjects.get(" ".join(words[start:]), [])
            if len(found) == 1:
                return found[0]
            if found:
                raise RowError(f"{len(found):,} facts have the subject {quote(prompt)} ends with")
        raise RowError(f"no subject of {self._relation.name} stands at the end of the input")


def _logarithm(product: object) -> float | None:
    """The logarithm of a product of probabilities, None for one that has underflowed."""
    if isinstance(product, bool) or not isinstance(product, int | float):
        raise RowError(f"a product is {quote(product)}, not a number")
    if not math.isfinite(product) or product <= 0:
        return None
    return math.log(product)
