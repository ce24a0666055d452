"""What keys and clicks do to the lens: its policy, its facts, what its model is compared with."""

from functools import partial
from typing import TYPE_CHECKING

from core.dataset.fact_filters import Filters
from core.errors import LostkeysError, UsageError
from core.scoring.policy import Policy
from core.views.fact_query import FactQuery
from core.views.filter_choices import Choices
from core.views.lens import STRATEGIES, Lens
from core.views.profiles.profile_comparison import ComparisonTarget, list_others
from core.views.profiles.profile_counts import ProfileCounts
from core.views.snapshot import Snapshot
from core.views.verdict_reasons import format_tau
from tui.dialogs.choice_dialog import Choose, Option
from tui.dialogs.input_dialog import AskLine, AskNumber
from tui.screens.profiles import loader, sentences, subset_dialog
from tui.screens.profiles.loader import ProfileLoader
from tui.screens.profiles.state import ProfilesState
from tui.screens.profiles.widgets import ProfilesPanes
from tui.text.line import Line
from tui.text.typed_number import parse_number

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp


# What the Profiles screen asks: a threshold, a name for a policy, a search, what to compare.


def threshold_dialog(lens: Lens) -> AskLine:
    """Asks for a threshold."""
    question = "A question passes if its grade is above, from 0 to below 1:"
    return AskNumber("threshold", question, format_tau(lens.policy.tau), wrong_tau, does="applies")


def name_dialog(name: str | None) -> AskLine:
    """Asks for the name under which a policy is saved."""
    question = "Exports and figures made under this policy carry its name. Name:"
    return AskLine("save policy", question, name or "", wrong_name, does="saves it")


def search_dialog(search: str) -> AskLine:
    """Asks for what is to be found in facts."""
    question = "Only facts in which this is found, also in questions and answers:"
    return AskLine("search", question, search, does="searches")


def comparison_dialog(
    found: ProfileCounts, lens: Lens, name: str | None, against: ComparisonTarget | None
) -> Choose[ComparisonTarget] | None:
    """Asks for what the lens's model is compared with; None where there is nothing."""
    there = list_others(found, lens, name)
    options = [Option(one, *_option(one, lens.model or "")) for one in there]
    return Choose("compare with", options, against) if options else None


def _option(one: ComparisonTarget, model: str) -> tuple[str, Line | None]:
    if one.policy is None:
        return one.model or "", None
    return f"policy {one.policy}", Line(f"{model[:40]} under it", "ink-3")


def wrong_tau(text: str) -> str | None:
    """What is wrong with a typed threshold, if anything is."""
    try:
        Policy(tau=parse_number(text))
    except ValueError:
        return "give a number such as .5"
    except UsageError as error:
        return str(error)
    return None


def wrong_name(text: str) -> str | None:
    """What is wrong with the name of a policy, if anything is."""
    from core.results.saved_policies import check_name

    try:
        check_name(text)
    except LostkeysError as error:
        return str(error)
    return None


class LensControls:
    """Moves the lens, whoever shows it, and chooses which facts the bars are of."""

    def __init__(self, state: ProfilesState, panes: ProfilesPanes, loader: ProfileLoader) -> None:
        self._state, self._panes, self._loader = state, panes, loader

    @property
    def _app(self) -> "LostkeysApp":
        return self._panes.base.lostkeys

    # The policy

    def nudge(self, step: int) -> None:
        """The threshold a hundredth up or down."""
        lens = self._app.lens
        if lens is not None:
            end = "highest" if step > 0 else "lowest"
            self._look(lens.nudge_tau(step), f"this is the {end} threshold")

    def ask_threshold(self) -> None:
        """Type a threshold."""
        lens = self._app.lens
        if lens is not None:
            self._app.push_screen(threshold_dialog(lens), self.set_threshold)

    def set_threshold(self, text: str | None) -> None:
        """Another threshold, as it is written; None for none."""
        lens = self._app.lens
        if text is not None and lens is not None:
            self._look(lens.with_policy(tau=parse_number(text)), "that is the threshold already")

    def set_strategy(self, name: str) -> None:
        """Another strategy for what cannot be graded."""
        lens = self._app.lens
        if lens is not None:
            strategy = next(one for one in STRATEGIES if one.value == name)
            self._look(lens.with_policy(strategy=strategy), "")

    def _look(self, lens: Lens, same: str) -> None:
        if lens == self._app.lens:
            self._app.say(same)
        else:
            self._app.step_lens(lens)

    def save(self) -> None:
        """Name the policy, and save it."""
        lens = self._app.lens
        if lens is None or not lens.ranked or self._state.material is None:
            self._app.say("there is no policy to save yet: no label counts")
            return
        dialog = name_dialog(self._state.name_of(lens))
        self._app.push_screen(dialog, self._write)

    def _write(self, name: str | None) -> None:
        lens = self._app.lens
        if name is not None and lens is not None:
            self._app.write(partial(loader.write_policy, name, lens), self._take_written)

    def _take_written(self, done: tuple[str, Snapshot]) -> None:
        name, snapshot = done
        self._app.snapshot_changed(snapshot)
        self._app.say(sentences.describe_save(name))
        self._loader.request_counts()

    # What it is compared with

    def ask_comparison(self) -> None:
        """Choose what the lens's model is compared with."""
        found, lens, now = self._state.material, self._app.lens, self._state
        if found is None or lens is None or lens.model is None:
            return
        name = now.name_of(lens)
        dialog = comparison_dialog(found, lens, name, now.against)
        if dialog is None:
            self._app.say(sentences.explain_alone(lens.model))
        else:
            self._app.push_screen(dialog, self._compare)

    def _compare(self, against: ComparisonTarget | None) -> None:
        if against is None:
            return
        self._state.compare(against)
        self._panes.flow.bracket = None
        if against.policy is None:
            self._panes.base.paint()
        else:
            self._loader.request_counts()
        self._panes.focus_comparison()

    # Which facts

    def ask_filters(self) -> None:
        """Choose which facts the bars are of."""
        self._app.ask_dialog("choices", lambda session: session.choices(), self._offer)

    def _offer(self, choices: Choices) -> None:
        form = subset_dialog.SubsetForm(self._state.wanted.filters, choices)
        self._app.push_screen(form, self._filter)

    def _filter(self, filters: Filters | None) -> None:
        if filters is not None:
            self.show_facts(FactQuery(self._state.wanted.search, filters))

    def ask_search(self) -> None:
        """Only facts in which something is found."""
        dialog = search_dialog(self._state.wanted.search)
        self._app.push_screen(dialog, self._search)

    def _search(self, text: str | None) -> None:
        if text is not None:
            self.show_facts(FactQuery(text.strip(), self._state.wanted.filters))

    def show_facts(self, wanted: FactQuery) -> None:
        """The bars of other facts."""
        if wanted != self._state.wanted:
            self._state.wanted = wanted
            self._loader.request_counts()
