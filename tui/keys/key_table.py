"""The key table: every key of the program, once. Bindings, key line, help and palette follow it.

The order of the table is the order of the key line: what is used most comes first. Neighbours
with the same `words` are shown as one. `where` names the places in which a key works; a place is
the app (`everywhere`), a screen (`facts`, `task`), a pane (`answer`) or a kind of widget (`list`,
`dialog`).
"""

from collections.abc import Iterator
from typing import NamedTuple

from core.vocabulary import LABELS as LABEL_NAMES
from core.vocabulary import TASKS
from tui.app.tab_table import TABS


class Key(NamedTuple):
    """One thing to do by key.

    `keys` are Textual's key names, separated by commas, the one to show first; `action` is an
    action of the widget, screen or app that `where` names. `words` stand in the key line, `help`
    in the help dialog, for it and its neighbours together; `alone` is what it does by itself,
    where that is not the same. `line` is false for keys that the key line leaves out. `means` is
    the one thing that its letter means on all screens, if that is not the last word of the id.
    """

    id: str
    keys: str
    action: str
    words: str
    where: str
    group: str
    help: str
    alone: str = ""
    line: bool = True
    means: str = ""

    @property
    def meaning(self) -> str:
        """What its letter means: no other key of that letter may mean anything else."""
        return self.means or self.id.rpartition(".")[2]

    @property
    def places(self) -> tuple[str, ...]:
        """Where it works."""
        return tuple(self.where.split())


REASONS = (
    "gold is wrong",
    "not unique",
    "answer leaks",
    "not stable",
    "unclear",
    "another reason",
)
"""Why a question is rejected, in the order of the keys; the last is typed."""

DIGITS = "1234567890"
"""The keys of the ten tasks, in the order of the tasks."""

LETTERS = " ".join(place.letter for place in TABS)
"""The letters of the screens, in the order of their tabs."""

GRADED = "facts task profiles confusion review jobs figures"
"""The screens that go by the threshold."""

SIDES = "facts task confusion review jobs figures latent bench"
"""The screens on which `h` and `l` lead from pane to pane."""

QUEUED, BOARDS = "facts confusion review", "latent bench"
VIEWED = f"{QUEUED} {BOARDS}"
"""The screens whose lists views can name, and files hold."""

MOVING = "Place"
FACTS = "Facts"
TASK = "Task"
PROFILES = "Profiles"
CONFUSION = "Confusion"
REVIEW = "Review"
JOBS = "Jobs"
FIGURES = "Figures"
LATENT = "Latent"
BENCH = "Bench"
LISTS = "Lists"
LABELS = "Labels"
LENS = "Lens, everywhere"
SCREENS = "Screens"
ALL = "Everywhere"


LABEL_LETTERS = "cipo"
"""The keys that set one's label, in the order of the labels."""


def _labels() -> Iterator[Key]:
    for letter, label in zip(LABEL_LETTERS, LABEL_NAMES, strict=True):
        name = label.lower()
        yield Key(
            f"label.{name}", letter, f"label('{label}')", "label", "answer decision audit",
            LABELS, "set your label", f"your label: {name}",
        )  # fmt: skip


def _tasks() -> Iterator[Key]:
    for place, (digit, task) in enumerate(zip(DIGITS, TASKS, strict=True)):
        yield Key(
            f"task.{digit}", digit, f"choose({place})", "task", "facts task", MOVING,
            "the ten tasks", f"task {digit}: {task.replace('_', ' ')}", means="number",
        )  # fmt: skip


def _reasons() -> Iterator[Key]:
    for digit, reason in zip("123456", REASONS, strict=True):
        yield Key(
            f"review.reason.{digit}", digit, f"screen.because({digit})", "reason",
            "verdict decision", REVIEW, "after reject: why", f"reject: {reason}", means="number",
        )  # fmt: skip


def _screens() -> Iterator[Key]:
    for place in TABS:
        yield Key(
            f"screen.{place.tab}", place.key, f"visit('{place.tab}')", "screen", "everywhere",
            SCREENS, "go to a screen", f"go to {place.name}", False,
        )  # fmt: skip


def _views() -> Iterator[Key]:
    for digit in DIGITS[:9]:
        yield Key(
            f"lists.view.{digit}", f"alt+{digit}", f"switch_view({digit})", "view",
            VIEWED, LISTS, "switch to a view", f"switch to view {digit}", False,
        )  # fmt: skip


def _view_digits() -> Iterator[Key]:
    for digit in DIGITS[:9]:
        yield Key(
            f"views.{digit}", digit, f"choose({digit})", "its digit", "views", LISTS,
            "in the views: switch to the one of a digit", f"switch to view {digit}", means="number",
        )  # fmt: skip


# fmt: off
KEYS: tuple[Key, ...] = (
    Key("decision.a", "a", "side_with('a')", "A/B right", "decision", CONFUSION,
        "grader A or B is right", "accept A's label: grader A is right", means="accept"),
    Key("decision.b", "b", "side_with('b')", "A/B right", "decision", CONFUSION,
        "grader A or B is right", "accept B's label: grader B is right", means="accept B"),
    *_labels(),
    Key("decision.skip", "N", "skip", "skip", "decision", CONFUSION, "skip, to the next"),
    Key("review.accept", "a", "screen.accept", "accept", "verdict", REVIEW, "accept the question"),
    Key("review.reject", "d", "screen.reject", "reject", "verdict decision answer", REVIEW,
        "reject the question, then why"),
    Key("review.edit", "e", "screen.edit", "edit", "verdict decision answer", REVIEW,
        "edit question, gold or options"),
    *_reasons(),
    Key("review.skip", "N", "screen.skip", "skip", "verdict", REVIEW, "skip, to the next"),
    Key("review.note", "n", "screen.note", "note", "verdict", REVIEW, "note"),
    Key("review.also", "&", "screen.also", "alias", "verdict", REVIEW,
        "accept an alias of the gold"),
    Key("list.down", "j,down", "down", "move", "list", MOVING, "next, previous", "next"),
    Key("list.up", "k,up", "up", "move", "list", MOVING, "next, previous", "previous"),
    Key("offers.choose", "enter", "choose", "choose", "offers", MOVING, "do what is offered"),
    *_tasks(),
    Key("facts.unfold", "space", "unfold", "unfold", "facts", FACTS, "unfold a task"),
    Key("facts.open", "enter", "open", "open", "facts", FACTS, "open the task"),
    Key("facts.search", "slash", "search", "search", "facts", FACTS, "search"),
    Key("facts.filter", "f", "filter", "filter", "facts", FACTS, "filter"),
    Key("facts.sort", "s", "sort", "sort", "facts", FACTS, "sort by the next order"),
    *_views(),
    Key("lists.write", "W", "write_list", "to a file", QUEUED, LISTS,
        "write the list to a file", "", False),
    Key("lists.copy", "Y", "copy_list", "copy rows", VIEWED, LISTS,
        "copy the rows of the list", "", False),
    Key("search.leave", "enter", "leave", "to the list", "search", FACTS, "to the list"),
    Key("search.clear", "escape", "clear", "clear", "search", FACTS, "clear the search"),
    Key("search.down", "down", "move(1)", "move", "search", MOVING, "next, previous"),
    Key("search.up", "up", "move(-1)", "move", "search", MOVING, "next, previous"),
    Key("task.open", "enter", "open", "open", "task", TASK, "open the answer"),
    Key("task.differing", "N", "next_differing", "differing", "task", TASK,
        "next answer on which graders differ", means="skip"),
    Key("flow.left", "h,left", "screen.side(-1)", "cell", "flow", PROFILES,
        "choose a cell of a comparison", "cell to the left"),
    Key("flow.right", "l,right", "screen.side(1)", "cell", "flow", PROFILES,
        "choose a cell of a comparison", "cell to the right"),
    Key("profiles.left", "h,left", "side(-1)", "segment", "profiles", PROFILES,
        "choose a segment", "segment to the left"),
    Key("profiles.right", "l,right", "side(1)", "segment", "profiles", PROFILES,
        "choose a segment", "segment to the right"),
    Key("profiles.open", "enter", "open", "its facts", "profiles", PROFILES,
        "the facts of the segment"),
    Key("profiles.moved", "M", "moved", "moved facts", "profiles", PROFILES,
        "the facts that moved since the start"),
    Key("profiles.rows", "v", "rows", "rows by", "profiles", PROFILES,
        "models, topics, types, tiers", means="view"),
    Key("profiles.compare", "C", "compare", "compare", "profiles", PROFILES,
        "compare two models", "compare with another model, or under a saved policy"),
    Key("profiles.sort", "s", "sort", "sort", "profiles", PROFILES, "sort by the next order"),
    Key("profiles.filter", "f", "filter", "filter", "profiles", PROFILES, "which facts"),
    Key("profiles.search", "slash", "search", "search", "profiles", PROFILES,
        "only facts in which something is found"),
    Key("profiles.unfilter", "F", "unfilter", "all facts", "profiles", PROFILES,
        "all facts again"),
    Key("profiles.intervals", "I", "intervals", "intervals", "profiles", PROFILES,
        "95% intervals instead of differences"),
    Key("profiles.save", "w", "save", "save policy", "profiles", PROFILES,
        "name the policy and save it"),
    Key("profiles.typed", "#", "typed", "type threshold", "profiles", PROFILES,
        "type a threshold"),
    Key("profiles.finer_lower", "{", "nudge(-1)", "by .01", "profiles", PROFILES,
        "threshold by .01", "threshold .01 lower"),
    Key("profiles.finer_higher", "}", "nudge(1)", "by .01", "profiles", PROFILES,
        "threshold by .01", "threshold .01 higher"),
    Key("confusion.open", "enter", "open", "open", "confusion", CONFUSION,
        "open, queue the cell"),
    Key("confusion.same", '"', "same", "label the same", "confusion", CONFUSION,
        "label the same too"),
    Key("audit.put_off", "N", "put_off", "put off", "audit", CONFUSION,
        "in an audit: put the fact off", means="skip"),
    Key("audit.draw", "+", "draw_audit", "draw an audit", "audits", CONFUSION,
        "draw an audit through the lens", means="add"),
    Key("align.add", "+", "work('add')", "draw, example", "align", CONFUSION,
        "in a reference set: draw one, or make a miss of tune an example", means="add"),
    Key("align.try", "!", "work('try')", "try", "align", CONFUSION,
        "in a reference set: have a version label it"),
    Key("align.adopt", "A", "work('adopt')", "adopt", "align", CONFUSION,
        "in a reference set: make a version the project's grader"),
    Key("confusion.view", "v", "view", "queue", "confusion", CONFUSION,
        "queue: disagreements, audit, unsure, align"),
    Key("confusion.filter", "f", "filter", "filter", "confusion", CONFUSION, "filter"),
    Key("confusion.unfilter", "F", "unfilter", "no filters", "confusion", CONFUSION,
        "clear filters"),
    Key("confusion.blind", "B", "blind", "blind", "confusion", CONFUSION,
        "blind: graders hidden"),
    Key("review.view", "v", "view", "which", "review", REVIEW, "suspicious, random, stratified"),
    Key("review.open", "enter", "open", "open", "review", REVIEW, "open, its fact"),
    Key("review.sample", "+", "sample", "sample", "review", REVIEW,
        "draw a sample, let it grow", means="add"),
    Key("review.filter", "f", "filter", "all queues", "review", REVIEW, "choose among all queues"),
    Key("jobs.open", "enter", "open", "open", "jobs", JOBS, "what is behind the numbers"),
    Key("figures.open", "enter", "open", "its facts", "figures", FIGURES,
        "the facts behind a number"),
    Key("figures.save", "w", "save", "save", "figures", FIGURES, "save as SVG, PNG or PDF"),
    Key("figures.table", "v", "table", "as table", "figures", FIGURES, "as a table, as a figure",
        means="view"),
    Key("figures.intervals", "I", "intervals", "intervals", "figures", FIGURES,
        "intervals, or none"),
    Key("figures.copy", "y", "copy", "copy", "figures", FIGURES, "copy the numbers"),
    Key("figures.set", "E", "set", "set", "figures", FIGURES, "another set of triples"),
    Key("latent.fewer", "[", "examples(-1)", "examples", "latent", LATENT,
        "fewer, more examples", "fewer examples", means="lower"),
    Key("latent.more", "]", "examples(1)", "examples", "latent", LATENT,
        "fewer, more examples", "more examples", means="higher"),
    Key("latent.board", "v", "board", "models", "latent", LATENT,
        "relations with models as columns", means="view"),
    Key("latent.sort", "s", "sort", "differ first", "latent", LATENT, "sort by the next order"),
    Key("latent.copy", "y", "copy_input", "input", "latent", LATENT,
        "copy the input as it is sent"),
    Key("latent.open", "enter", "open", "open", "latent", LATENT,
        "the facts of a relation, the fact, then the Facts screen"),
    Key("bench.open", "enter", "open", "open", "bench", BENCH,
        "the board of an arm, the questions of a row, then Task"),
    Key("bench.breakdown", "v", "breakdown", "breakdown", "bench", BENCH,
        "groups by tier, property, domain or type", means="view"),
    Key("bench.compare", "C", "compare", "compare", "bench", BENCH,
        "compare with another arm"),
    Key("boards.write", "W", "write_list", "write list", f"profiles {BOARDS}", LISTS,
        "write the list to a file"),
    Key("start", "r", "start", "start", "everywhere", ALL,
        "start: ask a model, grade, import, export", "start something"),
    Key("lists.columns", "|", "columns", "columns", "facts", LISTS, "columns of the list"),
    Key("lists.views", "V", "views", "views", VIEWED, LISTS,
        "views of the list"),
    Key("latent.whole", "space", "whole", "whole fact", "latent", LATENT,
        "all of the input and the options, or as many as fit"),
    Key("latent.kind", "f", "kind", "form", "latent", LATENT,
        "the next form, seed, order or injection", means="filter"),
    Key("bench.sort", "s", "sort", "sort", "bench", BENCH, "sort the rows of the pane"),
    Key("bench.split", "f", "next_split", "split", "bench", BENCH,
        "eval, the subset, or train", means="filter"),
    Key("bench.prepare", "P", "prepare", "prepare", "bench", BENCH,
        "prepare the set: drop what cannot be asked, keep a part for exemplars"),
    Key("bench.copy", "y", "copy", "copy", "bench", BENCH, "copy the row"),
    Key("jobs.pause", "space", "pause", "pause", "jobs", JOBS, "pause, go on"),
    Key("jobs.cancel", "X", "cancel", "cancel", "jobs", JOBS, "cancel the job"),
    Key("jobs.retry", "R", "retry", "ask failed again", "jobs", JOBS, "ask failed again"),
    Key("jobs.discard", "D", "discard", "discard", "jobs", JOBS, "set its answers aside"),
    Key("jobs.kinds", "f", "kinds", "log", "jobs", JOBS, "which lines of the log",
        means="filter"),
    Key("label.note", "n", "note", "note", "answer decision audit", LABELS, "note"),
    Key("label.tags", "T", "tags", "tags", "facts answer decision audit", LABELS,
        "tag the answer, or on Facts the fact", "", False),
    Key("bench.set", "E", "app.model", "set", "bench", BENCH, "another set of triples"),
    Key("lens.model", "m", "app.model", "model", f"{GRADED} latent", LENS, "model"),
    Key("lens.grader", "g", "grader", "grader", "everywhere", LENS,
        "graders, in their order"),
    Key("lens.thinking", "t", "thinking", "thinking", "everywhere", LENS,
        "thinking off, on, both"),
    Key("answer.also", "&", "screen.also", "alias", "answer decision", LABELS,
        "accept the answer as an alias"),
    Key("label.withdraw", "backspace", "withdraw", "withdraw", "answer decision", LABELS,
        "withdraw it"),
    Key("undo", "u", "screen.undo", "undo", "everywhere", LABELS, "undo, redo", "undo"),
    Key("redo", "U", "screen.redo", "undo", "everywhere", LABELS, "undo, redo", "redo"),
    Key("task.view", "v", "view", "view", "task", TASK, "another view of the answer"),
    Key("facts.text", "v", "text", "whole text", "facts", FACTS, "whole text", means="view"),
    Key("flag", "x", "flag", "flag", "facts task decision", LABELS, "flag the fact"),
    Key("copy", "y", "copy", "copy", "facts task profiles", ALL, "copy"),
    Key("facts.unfilter", "F", "unfilter", "no filters", "facts", FACTS, "clear filters"),
    Key("facts.turn", "S", "turn", "turn order", "facts", FACTS, "reverse order"),
    Key("task.next", "J", "next_fact(1)", "fact", "task", TASK,
        "next, previous fact", "next fact"),
    Key("task.previous", "K", "next_fact(-1)", "fact", "task", TASK,
        "next, previous fact", "previous fact"),
    Key("lens.lower", "[", "app.tau(-1)", "threshold", GRADED, LENS,
        "threshold", "lower threshold"),
    Key("lens.higher", "]", "app.tau(1)", "threshold", GRADED, LENS,
        "threshold", "higher threshold"),
    Key("lens.before", "comma", "strategy(-1)", "not gradable", "everywhere", LENS,
        "not gradable", "previous strategy for what is not gradable"),
    Key("lens.after", ".", "strategy(1)", "not gradable", "everywhere", LENS,
        "not gradable", "next strategy for what is not gradable"),
    Key("lens.lighter", "<", "weight(-1)", "weight", "everywhere", LENS,
        "partial weight", "less weight for partially"),
    Key("lens.heavier", ">", "weight(1)", "weight", "everywhere", LENS,
        "partial weight", "more weight for partially"),
    Key("lens.start", "=", "start_values", "as at the start", "everywhere", LENS,
        "as at the start"),
    Key("back", "escape", "back", "back",
        f"{GRADED} latent bench", MOVING, "back"),
    Key("remove", "delete", "remove", "remove", "latent bench graders choices", LISTS,
        "remove a set, relation, model or grader; counts what goes and asks first", "remove it"),
    Key("place.earlier", "H,alt+left", "place(1)", "places", "everywhere", MOVING,
        "earlier, later places", "to the place before this one", False),
    Key("place.later", "L,alt+right", "place(-1)", "places", "everywhere", MOVING,
        "earlier, later places", "to the place after this one", False),
    Key("pane.next", "tab", "next_pane", "pane", "everywhere", MOVING,
        "next, previous pane", "next pane"),
    Key("pane.previous", "shift+tab", "previous_pane", "pane", "everywhere", MOVING,
        "next, previous pane", "previous pane"),
    Key("pane.alone", "z", "screen.alone", "zoom", "everywhere", MOVING,
        "this pane alone, or all"),
    Key("split.left", "ctrl+left", "screen.split('left')", "split", "everywhere", MOVING,
        "move the split", "split to the left"),
    Key("split.right", "ctrl+right", "screen.split('right')", "split", "everywhere", MOVING,
        "move the split", "split to the right"),
    Key("split.up", "ctrl+up", "screen.split('up')", "split", "everywhere", MOVING,
        "move the split", "split up", False),
    Key("split.down", "ctrl+down", "screen.split('down')", "split", "everywhere", MOVING,
        "move the split", "split down", False),
    Key("side.left", "h,left", "side(-1)", "sideways", SIDES,
        MOVING, "sideways", "to the left", False),
    Key("side.right", "l,right", "side(1)", "sideways", SIDES,
        MOVING, "sideways", "to the right", False),
    Key("list.page_down", "pagedown,ctrl+d", "page_down", "page", "list", MOVING,
        "a screenful", "a screenful down", False),
    Key("list.page_up", "pageup,ctrl+u", "page_up", "page", "list", MOVING,
        "a screenful", "a screenful up", False),
    Key("list.first", "home", "first", "ends", "list", MOVING, "first, last", "first", False),
    Key("list.last", "end,G", "last", "ends", "list", MOVING, "first, last", "last", False),
    *_screens(),
    Key("screen.go", "ctrl+o", "go", f"then {LETTERS}", "everywhere", SCREENS,
        "map of all screens",
        "the screens, what waits on each, and the way to it", False),
    Key("renew", "ctrl+r", "renew", "what is new", "everywhere", ALL, "show what is new", "",
        False),
    Key("help", "?", "help", "help", "everywhere", ALL, "this help", "help"),
    Key("commands", "ctrl+p", "command_palette", "commands", "everywhere", ALL, "any command"),
    Key("quit", "q", "quit", "quit", "everywhere", ALL, "quit", "", False),
    Key("dialog.close", "escape", "close", "close", "dialog", MOVING, "close"),
    Key("confirm.yes", "y", "yes", "yes", "confirm", MOVING, "yes"),
    Key("confirm.no", "n,enter", "close", "no", "confirm", MOVING, "no"),
    Key("quitting.background", "b", "background", "in the background", "quitting", MOVING,
        "go on in the background"),
    Key("quitting.stop", "q", "stop", "stop", "quitting", MOVING, "stop what runs, and quit"),
    Key("form.next", "tab", "field(1)", "field", "form", MOVING, "next, previous field",
        "next field"),
    Key("form.previous", "shift+tab", "field(-1)", "field", "form", MOVING,
        "next, previous field", "previous field"),
    Key("form.left", "h,left", "option(-1)", "option", "form", MOVING, "option to the left, right",
        "option to the left"),
    Key("form.right", "l,right", "option(1)", "option", "form", MOVING,
        "option to the left, right", "option to the right"),
    Key("form.open", "enter", "open", "open", "form", MOVING, "open what a field chooses from"),
    Key("form.start", "ctrl+s", "start", "start", "form", MOVING, "start"),
    Key("editor.next", "tab", "field(1)", "field", "editor", MOVING, "next, previous field",
        "next field"),
    Key("editor.previous", "shift+tab", "field(-1)", "field", "editor", MOVING,
        "next, previous field", "previous field"),
    Key("editor.keep", "ctrl+s", "keep", "keep", "editor", REVIEW,
        "keep the edit as the next version"),
    Key("line.propose", "tab", "propose", "take it", "line", MOVING,
        "in a field for text: take what stands there in grey", "take what is proposed"),
    Key("note.turn", "tab", "turn", "the other one", "note", LABELS,
        "note on the decision before, in sight"),
    Key("acts.open", "enter", "open", "go there", "acts", LABELS, "go where it was done"),
    Key("acts.undo", "u", "undo", "undo", "acts", LABELS, "undo this one"),
    Key("found.down", "down", "move(1)", "move", "found", MOVING, "next, previous"),
    Key("found.up", "up", "move(-1)", "move", "found", MOVING, "next, previous"),
    Key("found.page_down", "pagedown", "page(1)", "page", "found", MOVING, "a screenful"),
    Key("found.page_up", "pageup", "page(-1)", "page", "found", MOVING, "a screenful"),
    Key("help.screens", "tab", "screens", "all screens", "words", ALL,
        "all screens, or the one in sight"),
    Key("picker.complete", "tab", "complete", "complete", "picker", MOVING, "complete a path"),
    Key("picker.form", "ctrl+s", "form", "form and report", "picker", MOVING,
        "in the file picker: the form and the report"),
    Key("graders.include", "space", "include", "in, out", "graders", LENS,
        "in the list of graders: in, out", "take a grader in, or out"),
    Key("graders.later", "),shift+down", "shift(1)", "order", "graders", LENS,
        "in the list of graders: order", "a grader one place later"),
    Key("graders.earlier", "(,shift+up", "shift(-1)", "order", "graders", LENS,
        "in the list of graders: order", "a grader one place earlier"),
    Key("graders.compare", "C", "compare", "compared", "graders", LENS,
        "in the list of graders: compared as A, B, C, D", "compare a grader, or not"),
    Key("graders.first", "g", "first", "first row", "graders", MOVING,
        "g g: the first row of the list below", means="grader"),
    Key("graders.apply", "enter", "apply", "applies", "graders", LENS,
        "in the list of graders: apply it", "apply the list of graders"),
    *_view_digits(),
    Key("views.switch", "enter", "switch", "switch", "views", LISTS, "in the views: switch to one",
        "switch to the view"),
    Key("views.save", "+", "save", "save", "views", LISTS, "in the views: save what is seen",
        "save what is seen as a view", means="add"),
    Key("views.rename", "e", "rename", "name", "views", LISTS, "in the views: another name",
        "another name of the view", means="edit"),
    Key("views.remove", "delete,backspace", "remove", "remove", "views", LISTS,
        "in the views: remove one", "remove the view"),
    Key("views.later", "),shift+down", "shift(1)", "order", "views", LISTS, "in the views: order",
        "a view one place later"),
    Key("views.earlier", "(,shift+up", "shift(-1)", "order", "views", LISTS, "in the views: order",
        "a view one place earlier"),
    Key("parts.tick", "space", "tick", "tick", "parts", LISTS,
        "parts of the lens of a view: tick"),
    Key("parts.save", "enter", "screen.save", "save", "parts", LISTS, "save the view"),
    Key("columns.include", "space", "include", "in, out", "columns", LISTS,
        "in the columns: in, out", "take a column in, or out"),
    Key("columns.later", "),shift+down", "shift(1)", "order", "columns", LISTS,
        "in the columns: order", "a column one place later"),
    Key("columns.earlier", "(,shift+up", "shift(-1)", "order", "columns", LISTS,
        "in the columns: order", "a column one place earlier"),
    Key("columns.reset", "=", "reset", "as at the start", "columns", LISTS,
        "in the columns: as at the start", "the columns as at the start", means="start"),
    Key("columns.apply", "enter", "apply", "applies", "columns", LISTS,
        "in the columns: apply them", "apply the columns"),
    Key("small.quit", "q", "app.quit", "quit", "small", MOVING, "quit"),
    Key("seen", "enter,space", "close", "close", "seen", MOVING, "close"),
)
# fmt: on

BY_ID = {key.id: key for key in KEYS}
RANK = {key.id: place for place, key in enumerate(KEYS)}
