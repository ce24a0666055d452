"""Sentences of the Bench screen: empty panes, status line, edges, and what numbers mean."""

from core.graders.grader_record import JUDGE
from core.stats.number_format import format_amount
from core.views.bench.bench_board import ArmRow
from tui.screens.bench.state import BenchState
from tui.text.line import Line
from tui.text.number_text import percent
from tui.theme.glyphs import spell

RUN = "lostkeys fact-bench run --model M --mode 10-shot"

BREAKDOWN_WORDS = {
    "popularity": "tier",
    "property": "property",
    "domain": "domain",
    "answer-type": "type",
}
"""What triples are grouped by, as it is shown."""

ORDER_WORDS = {
    "arms model": "arms by model and mode",
    "arms em": "arms by exact match",
    "board listed": "groups as listed",
    "board best": "groups by exact match",
    "board most": "the largest groups first",
    "questions wrong": "wrong answers first",
    "questions parted": "where exact match and the judge part first",
    "questions subject": "by subject",
    "questions imported": "as imported",
}

NO_OTHER_SET = "there is one set of triples only"
NO_OTHER_ARM = "there is no other arm to compare with"
NO_COMPARISON = "none"
NO_OTHER_SPLIT = "there is one split only"


def no_sets() -> list[Line]:
    """What there is to do where there is no set."""
    return [
        Line("No triples here yet.", "ink"),
        Line("Bench shows what models say of triples, and what exemplars do to that.", "ink-2"),
        Line("lostkeys import FILE --format triples", "accent").add(
            " brings subjects, properties and objects; ", "ink-2"
        ),
        Line("r", "accent bold").add(" imports from here.", "ink-2"),
    ]


def ask_prepare(name: str) -> str:
    """What preparing a set does."""
    return (
        f"Prepare {name}? Triples that cannot be asked are dropped, and a part of the others is "
        "kept for exemplars; answers stay."
    )


def ask_again(refusal: str) -> str:
    """The same where triples with answers would change split."""
    return f"{refusal.partition(':')[0]}. Prepare it nevertheless? Answers stay."


def no_arms(now: BenchState) -> list[Line]:
    """What there is to do where nobody has been asked."""
    count = 0 if now.lists is None else now.lists.triples
    return [
        Line(
            f"No model has been asked about the {format_amount(count, 'triple')} of this set.",
            "ink",
        ),
        Line("r", "accent bold")
        .add(" asks one here, ", "ink-2")
        .add(RUN, "accent")
        .add(" in a shell.", "ink-2"),
        Line("P", "accent bold").add(
            " prepares the set: a part is kept for the exemplars of 1-shot to 10-shot.", "ink-2"
        ),
        Line("lostkeys import FILE", "accent").add(
            " brings responses of MODEL#MODE, as gemma3-27b#10-shot.", "ink-2"
        ),
    ]


def mode_words(row: ArmRow) -> str:
    """A mode as it is shown; below its plain arm a shuffled one is only that."""
    return f"{spell('└')} shuffle" if row.is_below else mode_name(row)


def mode_name(row: ArmRow) -> str:
    """A mode by itself."""
    return row.mode.replace(":", " ").replace("-shuffle", " shuffle")


def arm_words(row: ArmRow) -> str:
    """An arm as titles have it."""
    return f"{row.model} {mode_name(row)}"


def position(at: int | None, of: int) -> Line:
    """Where in a list the cursor is."""
    return Line("" if at is None else f"{at + 1:,} of {of:,}", "ink-3")


def arms_edge(now: BenchState) -> Line:
    """Where the cursor is, over what the figures are, and what their intervals are."""
    line = position(now.arm_place, len(now.arms))
    if now.lists is None or not line.spans:
        return line
    judge = f"judge {now.lists.judge.removeprefix(JUDGE)}" if now.lists.judge else "no judge"
    dot = spell("·")
    words = (
        f" {dot} {format_amount(now.lists.triples, 'triple')} of {now.lists.split} {dot} {judge}"
    )
    return line.add(f"{words} {dot} 95 %, Wilson", "ink-3")


def summary(now: BenchState) -> Line:
    """The arm in one line, for where there is no room for its pane."""
    row = now.arm_row
    if row is None:
        return Line()
    line = Line(f" {arm_words(row)[:60]}", "ink bold")
    return line.add(f"  EM {percent(row.figures.em, 1)}", "ink-2")


def status(now: BenchState, file: str) -> Line | None:
    """What the status line says where nothing has just happened: what a shuffled arm loses."""
    row, lists = now.arm_row, now.lists
    if lists is None or not now.arms:
        return None
    line = Line(file, "ink-2").add(
        f"  {format_amount(lists.triples, 'triple')} of {lists.split}", "ink-3"
    )
    pair = shuffled_row(now)
    if row is None or pair is None or pair.drop is None or pair.p_adjusted is None:
        return line
    line.add(f"   {mode_name(pair)} ", "ink-2")
    drop = percent(pair.drop, 1).replace("-", spell("−"))
    line.add(f"drop {drop} points", "ink bold")
    p = f"{pair.p_adjusted:.3f}".removeprefix("0")
    return line.add(f"  adjusted p {'< .001' if pair.p_adjusted < 0.001 else p}", "ink-3")


def shuffled_row(now: BenchState) -> ArmRow | None:
    """The shuffled arm of the chosen one, which may be itself."""
    row = now.arm_row
    if row is None or row.is_shuffled:
        return row
    names = (f"{row.label}:shuffle", f"{row.label}-shuffle")
    return next((one for one in now.arms if one.label in names), None)


def describe_copy(what: str) -> Line:
    """What the clipboard holds."""
    return Line(f"copied {what}", "ink-2")
