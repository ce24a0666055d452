"""What came of it: profiles, every figure with its table, agreement of graders."""

from collections.abc import Iterator, Sequence

from core.errors import LostkeysError
from core.figures.figure_needs import profiled_facts
from core.figures.figure_table import CATALOGUE, THEMES, make
from core.report.figure_tables import tables_of
from core.report.report_numbers import cap_lines, coefficient, count, points, span
from core.report.report_parts import (
    Block,
    Bullets,
    Picture,
    ReportParagraph,
    ReportTable,
    Section,
    TableColumn,
    numbers,
    text,
)
from core.report.report_scope import ReportScope
from core.results import multi_rater
from core.results.agreement_table import Agreement
from core.results.share_intervals import Sureness
from core.scoring.precedence import CHOICE
from core.scoring.verdicts import ProfileSummary
from core.stats.intervals import LEVEL, Interval
from core.stats.number_format import format_amount
from core.vocabulary import CODES, Profile

ORDER = tuple(Profile(name) for name in list(CODES)[: len(Profile)])
"""The five profiles, from known to unknown."""

MOST_GRADERS = 8
MOST_FACTS = 100
FIGURES_ELSEWHERE = ("confusion",)
"""Figures that stand in another section than that of figures."""


def profile_section(scope: ReportScope) -> Section:
    """The profile table, and how sure its numbers are."""
    without = profiled_facts(scope.project)
    if without or not scope.models:
        return Section("Profiles of each model", [ReportParagraph(without or "No answers yet.")])
    blocks: list[Block] = [_profiles(scope)]
    if scope.found.sure:
        blocks.append(_sureness(scope))
    unmeasured = [name for name, one in scope.found.models.items() if not one.thinking]
    blocks += [ReportParagraph(f"{name}: thinking was not measured.") for name in unmeasured]
    return Section("Profiles of each model", blocks)


def _profiles(scope: ReportScope) -> ReportTable:
    rows = [[model, *_shares(one)] for model, one in scope.found.models.items()]
    return ReportTable(
        "Shares of the facts with a profile",
        [
            text("model"),
            *(TableColumn(f"{_profile_name(profile)} %", code=CODES[profile]) for profile in ORDER),
            *numbers("encodes %", "knows %", "knows with thinking %"),
            *numbers("not gradable %", "direct inference %", "excluded %", "facts"),
        ],
        rows,
        "facts: those with a profile, where thinking was not measured those complete and gradable; "
        "shares are of these; knows, with thinking or not, counts direct inference too; not "
        "gradable and direct inference, together excluded, are of all complete facts",
    )


def _profile_name(profile: Profile) -> str:
    return profile.value.replace("_", " ")


def _shares(one: ProfileSummary) -> list[str]:
    shares = one.shares or {}
    rates = (one.encodes, one.knows, one.knows_thinking)
    left_out = (one.not_gradable_share, one.direct_inference_share, one.excluded_share)
    values = [*(shares.get(profile) for profile in ORDER), *rates, *left_out]
    facts = one.total - one.incomplete - one.excluded_nan if one.included is None else one.included
    return [*(points(value) for value in values), count(facts)]


def _sureness(scope: ReportScope) -> ReportTable:
    rows = [[model, *_spans(one)] for model, one in scope.found.sure.items()]
    return ReportTable(
        "How sure the shares are",
        [
            text("model"),
            *(TableColumn(_profile_name(profile), code=CODES[profile]) for profile in ORDER),
            *numbers("encodes", "knows", "knows with thinking", "excluded"),
        ],
        rows,
        f"{LEVEL * 100:g} % intervals over facts, as graded: other facts of the kind, with the "
        "labels of the same graders",
    )


def _spans(one: Sureness) -> list[str]:
    shares = one.shares or {}
    rates = ("encodes", "knows", "knows_thinking", "excluded_share")
    found: list[Interval | None] = [shares.get(profile) for profile in ORDER]
    return [span(interval) for interval in (*found, *(one.rates.get(name) for name in rates))]


def figure_sections(scope: ReportScope) -> Iterator[Section]:
    """A section a theme; figures without data are named with what is missing.

    Those of scores, and of profiles that triples cannot have, are named by their theme, as they
    lack the same.
    """
    absent: list[str] = []
    without = profiled_facts(scope.project)
    for theme in THEMES:
        blocks: list[Block] = []
        for entry in CATALOGUE:
            if entry.theme != theme or entry.name in FIGURES_ELSEWHERE:
                continue
            picture, missing = picture_of(scope, entry.name)
            if picture is not None:
                blocks.append(picture)
            else:
                of_theme = entry.scored or missing == without
                absent.append(f"{theme if of_theme else entry.title}: {missing}")
        if blocks:
            yield Section(f"Figures: {theme}", blocks)
    if absent:
        yield Section("Figures without data", [Bullets(list(dict.fromkeys(absent)))])


def picture_of(
    scope: ReportScope, name: str, graders: tuple[str, str] | None = None
) -> tuple[Picture | None, str]:
    """A figure with its tables, or None and what is missing for it."""
    try:
        figure = make(
            *(scope.project, name, scope.policy, scope.named, scope.where),
            intervals=scope.intervals,
            graders=graders,
            set_name=scope.set_name,
        )
    except LostkeysError as error:
        return None, str(error)
    if figure.missing or not figure.panels:
        return None, figure.missing or "there is no data"
    return Picture(figure, tables_of(figure)), ""


def agreement_section(scope: ReportScope) -> Section:
    """Every two graders, and the first two crossed."""
    graders = [name for name in multi_rater.list_graders(scope.project) if name != CHOICE]
    if len(graders) < 2:
        lone = "One grader alone has labelled these answers: nothing to compare it with."
        return Section("Agreement of graders", [ReportParagraph(lone)])
    shown = graders[:MOST_GRADERS]
    together = multi_rater.convene(scope.project, shown, scope.models, scope.found.facts)
    rows = [[a, b, *_agreement(table)] for (a, b), table in together.pairs.items()]
    columns = [
        *(text("A"), text("B")),
        *numbers("answers", "agreement %", "95 %", "kappa", "95 %", "alpha", "95 %"),
    ]
    note = (
        f"Krippendorff's alpha of all {len(shown)}: {coefficient(together.alpha)}, over "
        f"{format_amount(together.n, 'answer')} that two or more of them labelled"
    )
    if len(graders) > len(shown):
        note += f"; {len(graders) - len(shown):,} more graders are not shown"
    blocks: list[Block] = [ReportTable("Every two graders", columns, rows, note)]
    crossed, missing = picture_of(scope, "confusion")
    blocks.append(crossed if crossed is not None else ReportParagraph(missing))
    return Section("Agreement of graders", blocks)


def _agreement(table: Agreement) -> list[str]:
    limits = table.intervals
    return [
        count(table.n),
        points(table.agreement),
        span(limits["agreement_interval"]),
        coefficient(table.kappa),
        _format_interval(limits["kappa_interval"]),
        coefficient(table.alpha),
        _format_interval(limits["alpha_interval"]),
    ]


def _format_interval(interval: Interval | None) -> str:
    return "–" if interval is None else f"{coefficient(interval[0])} to {coefficient(interval[1])}"


def doubtful_section(facts: Sequence[str]) -> Section:
    """The facts with a question that every model fails, as many as a page holds."""
    lines = cap_lines(list(facts), MOST_FACTS, "facts")
    return Section("Facts with a question that every model fails", [Bullets(lines)])
