"""What the Profiles screen asks: a threshold, a name for a policy, a search, what to compare."""

from core.errors import LostkeysError, UsageError
from core.scoring.policy import Policy
from core.views.lens import Lens
from core.views.profiles.profile_comparison import ComparisonTarget, list_others
from core.views.profiles.profile_counts import ProfileCounts
from core.views.verdict_reasons import format_tau
from tui.dialogs.choice_dialog import Choose, Option
from tui.dialogs.input_dialog import AskLine, AskNumber
from tui.text.line import Line
from tui.text.typed_number import parse_number


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
