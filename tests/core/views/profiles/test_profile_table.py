"""The table as text: read back it has the same numbers, whatever the names are."""

from core.dataset.fact_filters import Filters
from core.scoring.verdicts import ProfileSummary
from core.views.fact_query import FactQuery
from core.views.lens import Lens
from core.views.profiles.profile_rows import ProfileRow, RowKind
from core.views.profiles.profile_scores import ModelCounts
from core.views.profiles.profile_table import COLUMNS, policy_words, subset_words, table
from core.vocabulary import CODE_ORDER, PROFILES, Profile, Strategy
from tests.core.views.making import lens_of


def row(name: str, thinking: bool = True) -> ProfileRow:
    summary = ProfileSummary(thinking, (5, 3, 1, 4, 2, 1, 2, 3, 0), 12, 6)
    if not thinking:
        summary = ProfileSummary(False, (0, 0, 0, 0, 0, 0, 2, 3, 16), 12, 6)
    counted = ModelCounts(summary, (0,) * len(CODE_ORDER))
    return ProfileRow(name, 0, counted, counted, 7, False)


def test_columns_and_numbers() -> None:
    lens = lens_of("m", a="x")
    text = table([row("m")], RowKind.MODELS, "m", lens, lens, "all 21 facts", "strict")
    about, moved, heading, line = text.splitlines()
    assert about == "profiles, tau 0.5, pair, graders human:* then x (strict); all 21 facts"
    assert moved.startswith("moved: ")
    values = dict(zip(heading.split("\t"), line.split("\t"), strict=True))
    place = PROFILES.index(Profile.ENCODING_FAILURE)
    assert values["encoding_failure"] == f"{(5, 3, 1, 4, 2)[place] / 15:.4f}"
    assert list(values)[1] == "direct_recall"
    assert values["included"] == "15"
    assert values["excluded_nan"] == "2"
    assert values["moved"] == "7"
    assert set(values) == {"model", *COLUMNS}


def test_without_thinking_there_are_no_shares() -> None:
    lens = Lens("m")
    text = table([row("m", thinking=False)], RowKind.MODELS, "m", lens, lens, "", None)
    values = text.splitlines()[-1].split("\t")
    assert values[1:6] == [""] * 5
    assert values[COLUMNS.index("encodes") + 1] == "0.7500"


def test_names_cannot_break_the_table() -> None:
    lens = lens_of("m\tn\n", a="g\x1b]0;x\x07")
    hostile = "a\tb\nc\x1b[31m"
    text = table([row(hostile)], RowKind.TOPICS, "m\tn\n", lens, lens, hostile, hostile)
    assert "\x1b" not in text
    lines = text.splitlines()
    assert len(lines) == 4
    assert len(lines[2].split("\t")) == len(lines[3].split("\t")) == len(COLUMNS) + 1


def test_words() -> None:
    lens = lens_of(a="x", people=False).with_policy(strategy=Strategy.PARTIAL, weight=0.4)
    assert policy_words(lens) == "tau 0.5, partial 0.4, graders x"
    assert subset_words(FactQuery(), 3, 3) == "all 3 facts"
    wanted = FactQuery(" river ", Filters(topics=frozenset({"Arts"}), tiers=frozenset({"top"})))
    assert subset_words(wanted, 1, 2150) == "1 of 2,150 facts: Arts, top, `river`"
