"""Two graders' labels crossed: the matrix, how far they agree, by task and by model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.results.agreement_table import Agreement
from core.results.disagreements import Ints
from core.stats.intervals import Interval
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.disagreements.identical_answers import GraderComparison
from core.views.lens import Lens
from core.vocabulary import LABELS, TASKS


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """Agreement on the answers of one task or model.

    `table` has the matrix (rows A, columns B), `n`, `agreement`, `kappa`, `alpha`. `differ`
    counts disagreements; B's label alone would change the question's state in `question` of
    them, and in `profile` of them the verdict on the fact too.
    """

    name: str
    table: Agreement
    differ: int
    question: int
    profile: int


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """What the graders of a lens say of the answers that both have labelled.

    `whole` is the line of all of them; tasks and models without common answers have no line.
    Nobody's decisions change any of this: it compares A with B.
    """

    lens: Lens
    among: DisagreementFilter
    whole: AgreementRow
    by_task: tuple[AgreementRow, ...]
    by_model: tuple[AgreementRow, ...]

    @property
    def agreement(self) -> Interval | None:
        """95 % interval of the agreement; None where nothing can be said, as of the others."""
        return self.whole.table.intervals["agreement_interval"]

    @property
    def kappa(self) -> Interval | None:
        """95 % interval of kappa."""
        return self.whole.table.intervals["kappa_interval"]

    @property
    def alpha(self) -> Interval | None:
        """95 % interval of alpha."""
        return self.whole.table.intervals["alpha_interval"]


def empty_matrix(lens: Lens, among: DisagreementFilter) -> ConfusionMatrix:
    """The crossing of fewer than two graders."""
    none = Agreement(np.zeros((len(LABELS), len(LABELS)), np.int64))
    return ConfusionMatrix(lens, among, AgreementRow("", none, 0, 0, 0), (), ())


def cross_graders(
    lens: Lens, compared: GraderComparison, among: DisagreementFilter
) -> ConfusionMatrix:
    """The crossing of the answers looked at."""
    models = compared.snapshot.answerers
    labels = compared.crossed.filter_labels(among, models)
    keep = compared.crossed.mask_disagreements(among, models)
    found = compared.crossed.found
    question, profile = keep & compared.state, keep & compared.profile
    return ConfusionMatrix(
        lens,
        among,
        _line("", labels.whole, int(question.sum()), int(profile.sum())),
        _lines(TASKS, labels.count_by_task(), found.task[question], found.task[profile]),
        _lines(models, labels.count_by_model(models), found.model[question], found.model[profile]),
    )


def _lines(
    names: Sequence[str], tables: Mapping[str, Agreement], question: Ints, profile: Ints
) -> tuple[AgreementRow, ...]:
    """Lines of the names that have answers; `question` and `profile` hold places of names."""
    changing = (np.bincount(one, minlength=len(names)).tolist() for one in (question, profile))
    return tuple(
        _line(name, tables[name], *changes)
        for name, *changes in zip(names, *changing, strict=True)
        if name in tables
    )


def _line(name: str, table: Agreement, question: int, profile: int) -> AgreementRow:
    return AgreementRow(name, table, int(table.n - np.trace(table.matrix)), question, profile)
