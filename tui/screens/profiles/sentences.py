"""What the Profiles screen says where it has no bars."""

from core.scoring.missing_pairs import MissingPairs, find_missing_pairs
from core.views.fact_query import FactQuery
from core.views.profiles.profile_comparison import ComparisonTarget, CrossedProfiles
from core.views.profiles.profile_counts import ProfileCounts
from core.views.snapshot import Snapshot
from tui.dialogs.start.form_fields import Do
from tui.screens.profiles import subset_dialog
from tui.text.line import Line
from tui.theme.glyphs import spell

KEY = "accent bold"


def explain_no_bars(snapshot: Snapshot | None, material: ProfileCounts | None) -> list[Line] | None:
    """What is missing and how to get it; None where there are bars, or they are being read."""
    if snapshot is None:
        return None
    if not len(snapshot.index):
        words = Line("No facts here yet. ", "ink-2").add("F1", KEY)
        return [words.add(" tries the demo, or imports a file.", "ink-2")]
    missing = _find_unprofiled(snapshot)
    if missing is not None:
        words = Line(f"{missing.describe()}. ", "ink-2").add("r", KEY)
        words.add(f" and {Do.BENCH} asks triples in modes of their own, ", "ink-2").add("F9", KEY)
        return [words.add(" shows what came of it.", "ink-2")]
    if not snapshot.models:
        words = Line("No model has been asked yet. ", "ink-2").add("r", KEY)
        return [words.add(" asks one.", "ink-2")]
    if material is None:
        return None
    if not material.labelled:
        words = Line("No answer has a label that counts. ", "ink-2").add("r", KEY)
        words.add(" has answers graded, ", "ink-2").add("g", KEY)
        return [words.add(" chooses whose labels count.", "ink-2")]
    if not material.facts.any():
        return nothing_found(material)
    return None


def _find_unprofiled(snapshot: Snapshot) -> MissingPairs | None:
    """What the facts lack where they are triples and none of them can have a profile."""
    if not snapshot.has_relations:
        return None
    facts = ~snapshot.index.rejected
    missing = find_missing_pairs(snapshot.index.questions.T > 0, facts)
    return missing if missing is not None and missing.facts == int(facts.sum()) else None


def nothing_found(material: ProfileCounts) -> list[Line]:
    """The subset is empty."""
    search = material.wanted.search.strip()
    words = Line("Nothing matches", "ink-2")
    if search:
        words.add(f" `{search}`", "ink-2")
    else:
        words.add(" all of that", "ink-2")
    words.add(". ", "ink-2").add("F", KEY).add(" shows all facts again.", "ink-2")
    if material.complete:
        return [words]
    return [words, Line("Answers are still being indexed: some may be found later.", "ink-3")]


def explain_alone(model: str) -> Line:
    """There is nothing to compare a model with."""
    line = Line(model, "ink bold").clip(30).add(" is the only model here, and no other ", "ink-2")
    line.add("policy is saved: ", "ink-2").add("r", KEY).add(" asks another, ", "ink-2")
    return line.add("w", KEY).add(" saves a policy", "ink-2")


def explain_no_flow(
    crossed: CrossedProfiles | None, against: ComparisonTarget | None, model: str | None
) -> list[Line]:
    """Why there is no flow table, and what to do."""
    if crossed is None:
        name = Line((against and (against.policy or against.model)) or "", "ink bold").clip(30)
        if against is not None and against.policy is None and against.model == model:
            name.add(" is on both sides. ", "ink-2").add("C", KEY)
            return [
                name.add(" compares it with another, ", "ink-2")
                .add("m", KEY)
                .add(" looks at another.", "ink-2")
            ]
        name.add(" cannot be compared with any more. ", "ink-2").add("C", KEY)
        return [name.add(" chooses another, ", "ink-2").add("esc", KEY).add(" shows all.", "ink-2")]
    sides = (crossed.found.a, crossed.found.b)
    missing = list(dict.fromkeys(side.model for side in sides if not side.thinking))
    line = Line("No profiles: ", "ink-2")
    for place, one in enumerate(missing):
        line.add(" and " if place else "", "ink-2").join(Line(one, "ink bold").clip(30))
    verb = "were" if len(missing) > 1 else "was"
    line.add(f" {verb} not asked with thinking. ", "ink-2").add("r", KEY).add(" asks.", "ink-2")
    return [line, Line("What is encoded, and known without thinking, is compared below.", "ink-3")]


def describe_save(name: str) -> Line:
    """A policy was saved."""
    line = Line("the policy is saved as ", "ink-2").add(name, "ink bold")
    return line.add("; exports and figures made under it say so", "ink-2")


def facts(found: ProfileCounts | None, wanted: FactQuery, known: int | None) -> str:
    """Of how many facts the bars are: `all 2,074`, `312 of 2,074`; `known` while that is read."""
    if found is None:
        return spell("…") if known is None else f"all {known:,}"
    if not subset_dialog.is_set(wanted):
        return f"all {found.total:,}"
    return f"{int(found.facts.sum()):,} of {found.total:,}"
