"""Sentences of the Latent screen: empty panes, status line, edges."""

from core.views.latent.latent_fact import LatentFact, ScoreStatus
from core.views.latent.latent_relations import LatentOrder
from core.views.verdict_reasons import format_g
from core.zero_prompt.examples import ExampleKind
from core.zero_prompt.score_matrix import Setup
from tui.dialogs.start.validation import read_error
from tui.screens.latent.state import LatentState
from tui.text.line import Line
from tui.theme.glyphs import spell

NO_TEXT = "(no text)"
"""Stands for an option that a file brought without its text."""

ORDER_WORDS = {
    LatentOrder.DIFFER: "models that differ first",
    LatentOrder.METHODS: "methods that part first",
    LatentOrder.GOLD: "by p gold",
    LatentOrder.SUBJECT: "by subject",
    LatentOrder.IMPORTED: "as imported",
}

ALTERED = {ExampleKind.INCORRECT: "wrong object", ExampleKind.UNKNOWN: "invented"}

STATUS = {
    ScoreStatus.SCORED: "scored",
    ScoreStatus.FAILED: "failed",
    ScoreStatus.UNSCORED: "not scored",
    ScoreStatus.LEFT_OUT: "left out",
}


def no_relations() -> list[Line]:
    """What there is to do where no fact has a relation."""
    return [
        Line("No relations here yet.", "ink"),
        Line("Latent shows what a model says after pairs of one relation, unasked.", "ink-2"),
        Line("lostkeys import FILE --format triples", "accent").add(
            " brings subjects, relations and objects; ", "ink-2"
        ),
        Line("r", "accent bold").add(" imports from here.", "ink-2"),
        Line("enter", "accent bold").add(
            " brings 190 countries and their capitals, to try it with; it asks first.", "ink-2"
        ),
    ]


def no_facts(now: LatentState) -> list[Line]:
    """Why a relation has no row."""
    if now.lists is None:
        return []
    return [Line("No fact of this relation is asked about: all are examples.", "ink-2")]


def status_words(one: LatentFact, running: bool) -> list[Line]:
    """What has become of a fact that has no options to show, and what to do."""
    if one.status is ScoreStatus.FAILED:
        return [
            Line("Failed: ", "label-i bold").add(
                "the log probability of an option is missing. It counts nowhere.", "ink"
            ),
            Line("r", "accent bold").add(" asks again.", "ink-2"),
        ]
    if one.response is not None:
        verdict = ("known", "label-c bold") if one.response_right else ("not known", "label-i bold")
        said = Line(f" {verdict[0]}", verdict[1]).add(
            f" by what {one.model} goes on with, the test response", "ink"
        )
        return [said, Line("r", "accent bold").add(" scores options too.", "ink-2")]
    if one.status is ScoreStatus.LEFT_OUT:
        return [
            Line("Left out ", "label-p bold").add(
                f"before anything is asked: {read_error(one.why)[1]}", "ink"
            ),
            Line("What would be sent stands below.", "ink-2"),
        ]
    who = one.model or "No model"
    said = Line(who, "ink bold").add(
        f" has {'not ' if one.model else ''}scored this fact with {setup_words(one.setup)}.", "ink"
    )
    if running:
        return [said, Line("A run is at it: scores appear here as they come.", "ink-2")]
    return [said, Line("r", "accent bold").add(" scores it; what is sent stands below.", "ink-2")]


def setup_words(setup: Setup) -> str:
    """A setup in a few words: what is not as usual is named."""
    parts = [
        f"n {setup.n:,}",
        setup.form,
        *([f"seed {setup.seed}"] if setup.seed else []),
        *([f"order {setup.order}"] if setup.order else []),
        *([setup.inject] if setup.inject else []),
        *([f"{setup.options:,} options"] if setup.options != Setup().options else []),
        *([f"{setup.tokens} tokens"] if setup.tokens != Setup().tokens else []),
    ]
    return ", ".join(parts)


def overlap(mass: float) -> Line:
    """Why options beside each other cannot be told apart."""
    line = Line("Some options begin others: ", "label-p bold")
    return line.add(f"their probabilities sum to {format_g(mass)}", "ink")


def contradiction(one: LatentFact) -> str:
    """What it means that scores and questions say the opposite."""
    if one.known and one.code == "RF":
        return "stored: our questions do not reach it"
    if one.known:
        return "in there: our questions do not reach it"
    return "questions reach it, the bare subject does not"


def position(at: int | None, of: int) -> Line:
    """Where in a list the cursor is."""
    return Line("" if at is None else f"{at + 1:,} of {of:,}", "ink-3")


def fact_edge(one: LatentFact) -> Line:
    """What the fact is called, and how many options it has."""
    dot = spell("·")
    said = not one.options or one.setup.options != Setup().options
    options = "" if said else f" {dot} {len(one.options):,} options"
    return Line(f"{one.fact_id}{options} {dot} {setup_words(one.setup)}", "ink-3")


def summary(now: LatentState) -> Line:
    """The relation in one line, for where there is no room for its pane."""
    row, at = now.row, now.model_place
    if row is None:
        return Line()
    line = Line(f" {row.title[:60]}", "ink bold").add(f"  {row.facts:,} facts", "ink-3")
    count = row.counts[at] if at is not None else None
    if count is not None and count.share is not None:
        line.add(f"  {count.correct:,} of {count.n:,} scored right", "ink-2")
    place = now.relation_place
    return line.add(f"  {(place or 0) + 1} of {len(now.rows)}", "ink-3")


def no_other_number(now: LatentState) -> str:
    """Why the number of examples stays."""
    numbers = [] if now.lists is None else now.lists.board.numbers()
    there = ", ".join(f"{one:,}" for one in numbers) or "none"
    return f"numbers of examples with scores: {there}"


NO_OTHER_KIND = "there are scores of one form, seed and order only"
NO_OTHER_MODEL = "no other model has scores under this setup"


def describe_copy(one: LatentFact) -> Line:
    """What the clipboard holds."""
    words = (
        f"copied the input as it is sent: {one.examples:,} examples, {len(one.input):,} characters"
    )
    return Line(words, "ink-2")


def status(now: LatentState, file: str) -> Line | None:
    """What the status line says where nothing has just happened."""
    if not now.rows or now.lists is None:
        return None
    facts, relations = now.lists.board.facts, len(now.rows)
    line = Line(file, "ink-2")
    line.add(f"  {facts:,} facts in {relations:,} relation{'s' if relations != 1 else ''}", "ink-3")
    return line
