"""Policies saved in a project under a name, so that figures can say which one they follow.

A policy is saved with its graders as they were resolved then: it goes on to mean the same when
the project gets another primary grader.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import db.saved_profiles
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.scoring.label_counts import numbers
from core.scoring.policy import DEFAULT_WEIGHT, Policy
from core.settings.escapes import is_printable
from core.vocabulary import Strategy
from db.connection import write_transaction
from db.sqlite_errors import StoredValueError
from db.stored_values import StoredValues, check_list, read_object, unreadable

LONGEST = 60
"""Characters of a policy's name."""


def read_policies(project: OpenProject) -> dict[str, Policy]:
    """All saved policies by name, the newest last; those that cannot be read are left out."""
    found = {}
    for name, text in db.saved_profiles.policies(project.connection).items():
        policy = _read_policy(text)
        if policy is not None:
            found[name] = policy
    return found


@dataclass(frozen=True, slots=True)
class SavedPolicy:
    """One saved policy as it is listed; `policy` is None if what is stored cannot be read.

    `at` is in UTC, `profiles` counts those saved with it.
    """

    name: str
    policy: Policy | None
    at: str
    profiles: int

    def as_json(self) -> dict[str, object]:
        """One entry of `policies --json`."""
        one = self.policy
        partial = one is not None and one.strategy is Strategy.PARTIAL
        return {
            "policy": self.name,
            "tau": one and one.tau,
            "strategy": one and str(one.strategy),
            "weight": one.weight if one and partial else None,
            "graders": None if one is None or one.graders is None else list(one.graders),
            "at": self.at,
            "profiles": self.profiles,
        }


def list_policies(project: OpenProject) -> list[SavedPolicy]:
    """All saved policies, the newest last."""
    kept = db.saved_profiles.read_saves(project.connection)
    texts = db.saved_profiles.policies(project.connection)
    return [SavedPolicy(name, _read_policy(text), *kept[name]) for name, text in texts.items()]


def remove(project: OpenProject, name: str) -> None:
    """Remove a saved policy and the profiles saved with it. Raises `UsageError` if unknown."""
    with write_transaction(project.connection):
        there = db.saved_profiles.remove(project.connection, name)
    if not there:
        raise _unknown_policy(name, db.saved_profiles.policies(project.connection))


def find(project: OpenProject, name: str) -> Policy:
    """A saved policy. Raises `UsageError` for an unknown name, `LostkeysError` for a broken one."""
    texts = db.saved_profiles.policies(project.connection)
    if name not in texts:
        raise _unknown_policy(name, texts)
    policy = _read_policy(texts[name])
    if policy is None:
        raise LostkeysError(f"the policy saved as {name} cannot be read: save it again")
    return replace(policy, asked_as=name)


def save(project: OpenProject, name: str, policy: Policy) -> str:
    """Save a policy; gives its name as saved. One of the same name is replaced.

    Profiles saved under the name under another policy go with it. Raises `UsageError` for a
    name that cannot be one, and as `OpenProject.ranks` does.
    """
    checked = check_name(name)
    before = read_policies(project).get(checked)
    same = before is not None and _is_same(project, before, policy)
    with write_transaction(project.connection):
        db.saved_profiles.save_policy(project.connection, checked, document(project, policy), same)
    return checked


def name_of(project: OpenProject, policy: Policy) -> str | None:
    """The name under which a policy is saved; None if it is not.

    Of several names it is the one that the policy was asked for by, else the newest.
    Policies are the same if every figure under them is: a weight matters where it is used, and
    graders are compared as resolved.
    """
    saved = read_policies(project)
    names = [name for name in reversed(saved) if _is_same(project, saved[name], policy)]
    if policy.asked_as in names:
        return policy.asked_as
    return names[0] if names else None


def check_name(name: str) -> str:
    """A name without white space around it. Raises `UsageError` if it cannot be one."""
    bare = name.strip()
    if not bare or not is_printable(bare):
        raise UsageError(f"{name!r} is no name for a policy: give it one line of printable text")
    if len(bare) > LONGEST:
        raise UsageError(f"the name of a policy has at most {LONGEST} characters: {bare[:20]}…")
    return bare


def document(project: OpenProject, policy: Policy) -> dict[str, object]:
    """A policy as it is stored: weight only where it is used, graders as resolved."""
    partial = policy.strategy is Strategy.PARTIAL
    return {
        "tau": policy.tau,
        "strategy": str(policy.strategy),
        "weight": policy.weight if partial else None,
        "graders": _graders(project, policy),
    }


def _unknown_policy(name: str, there: Mapping[str, str]) -> UsageError:
    saved = ", ".join(there) or "none yet"
    return UsageError(
        f"no policy saved as {name}: saved are {saved}; `lostkeys policies --save NAME` saves one"
    )


def _graders(project: OpenProject, policy: Policy) -> list[str]:
    return [rank.name for rank in project.ranks(policy)]


def _is_same(project: OpenProject, one: Policy, other: Policy) -> bool:
    if numbers(one) != numbers(other):
        return False
    try:
        return _graders(project, one) == _graders(project, other)
    except UsageError:  # a grader whose labels are gone
        return False


def _read_policy(text: str) -> Policy | None:
    """The policy that is stored so, None if it is not one."""
    try:
        return read_saved(text)
    except StoredValueError:
        return None


def read_saved(text: str) -> Policy:
    """The policy saved so. Raises `StoredValueError` for what is none."""
    what = "a saved policy"
    found = read_object(text, what)
    weight, graders = found.get("weight"), found.get("graders")
    try:
        return Policy(
            float(found["tau"]),
            Strategy(found["strategy"]),
            DEFAULT_WEIGHT if weight is None else float(weight),
            None if graders is None else check_list(graders, str, what),
        )
    except (TypeError, ValueError, KeyError, OverflowError, UsageError):
        raise unreadable(what, text) from None


STORED = StoredValues("saved_policy", "policy", read_saved, key="name")
