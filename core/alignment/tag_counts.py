"""How often each tag was set, by what; and its share where the answers were a sample."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import db.model_rows
import db.reference_sets
import db.responses
import db.tags_and_notes
from core.alignment.reference_set import read_set
from core.alignment.version_scores import weigh_answers, weigh_share
from core.errors import UsageError
from core.project import OpenProject
from core.results.profile_summary import list_fact_profiles, profiles
from core.scoring.policy import Policy
from core.settings.escapes import is_printable
from core.vocabulary import LABELS, TASKS
from db.slot_ids import QUESTION_SHIFT, unpack
from db.tags_and_notes import ANSWER, FACT, PlacedTag

GROUPS = ("model", "profile", "label", "grader", "task", "category")
"""What tags can be counted by."""

LONGEST_TAG = 40
"""Letters of a tag."""

NOTHING = "none"
"""The group of what has no label, profile or category."""

Targets = Mapping[int, tuple[int, int]]
"""The place of the fact and of the task of each question in use."""


def clean_tag(tag: str) -> str:
    """A tag as it is kept. Raises `UsageError` for what is none."""
    plain = " ".join(tag.split())
    if not plain or len(plain) > LONGEST_TAG or not is_printable(plain):
        raise UsageError(f"a tag is a short word or words, {LONGEST_TAG} letters at most")
    if "," in plain or plain == "*":
        raise UsageError("a tag has no comma, and is not * alone")
    return plain


def count_tags(
    project: OpenProject,
    by: str | None = None,
    policy: Policy = Policy(),  # noqa: B008 (frozen)
) -> dict[str, Any]:
    """The document of `tags`: answers, questions and facts by tag, the most used first.

    `by` is one of `GROUPS`; labels and profiles are those of the policy. `samples` has the share of
    each tag among the answers of reference sets, with its interval: elsewhere counts are no shares.
    Raises `UsageError` for another group.
    """
    if by is not None and by not in GROUPS:
        raise UsageError(f"cannot count tags by {by}: choose one of {', '.join(GROUPS)}")
    places = _places(project)
    found: dict[str, list[PlacedTag]] = defaultdict(list)
    for one in db.tags_and_notes.read_tagged(project.connection):
        if _fact_of(project, one, places) is not None:
            found[one.tag].append(one)
    group = None if by is None else _group_by(project, by, policy, places)
    rows = []
    for tag, ones in sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        row = {"tag": tag, **_count(project, ones, places)}
        if group is not None:
            parts: dict[str, list[PlacedTag]] = defaultdict(list)
            for one in ones:
                for name in group(one):
                    parts[name].append(one)
            row["groups"] = {name: _count(project, parts[name], places) for name in sorted(parts)}
        row["samples"] = list(_shares(project, tag, ones))
        rows.append(row)
    return {"by": by, "tags": rows}


def find_tagged_answers(project: OpenProject) -> dict[str, str]:
    """One answer with each tag that is on any: the first by slot."""
    first: dict[str, int] = {}
    for one in db.tags_and_notes.read_tagged(project.connection):
        if one.kind == ANSWER:
            first[one.tag] = min(one.target, first.get(one.tag, one.target))
    texts = dict(db.responses.texts_in(project.connection, list(first.values())))
    return {tag: texts[slot].strip() for tag, slot in first.items() if slot in texts}


def _places(project: OpenProject) -> Targets:
    facts, tasks = np.nonzero(project.index.questions)
    ids = project.index.questions[facts, tasks]
    pairs = zip(facts.tolist(), tasks.tolist(), strict=True)
    return dict(zip(ids.tolist(), pairs, strict=True))


def _question_of(one: PlacedTag) -> int | None:
    if one.kind == FACT:
        return None
    return one.target >> QUESTION_SHIFT if one.kind == ANSWER else one.target


def _fact_of(project: OpenProject, one: PlacedTag, places: Targets) -> int | None:
    """The place of the fact that a tag is about; None where that is gone."""
    if one.kind == FACT:
        place = int(np.searchsorted(project.index.ids, one.target))
        there = place < len(project.index) and project.index.ids[place] == one.target
        return place if there else None
    found = places.get(_question_of(one) or 0)
    return None if found is None else found[0]


def _count(project: OpenProject, ones: list[PlacedTag], places: Targets) -> dict[str, int]:
    return {
        "answers": sum(one.kind == ANSWER for one in ones),
        "questions": sum(one.kind == db.tags_and_notes.QUESTION for one in ones),
        "facts": len({_fact_of(project, one, places) for one in ones}),
    }


def _group_by(
    project: OpenProject, by: str, policy: Policy, places: Targets
) -> Callable[[PlacedTag], list[str]]:
    """What says in which groups a tag counts; on something without any it is in none."""
    settings = db.model_rows.settings(project.connection)
    if by == "category":
        return lambda one: [
            project.index.categories[_fact_of(project, one, places) or 0] or NOTHING
        ]
    if by == "task":
        return lambda one: [
            str(TASKS[places[question][1]])
            for question in [_question_of(one)]
            if question is not None
        ]
    if by == "model":
        return lambda one: [settings[unpack(one.target)[1]][0]] if one.kind == ANSWER else []
    if by == "grader":
        return lambda one: _graders_of(project, one)
    if by == "label":
        ranks, choice = project.ranks(policy), project.choice_questions()
        cells = {key: project.labels(ranks, key, choice) for key in settings}

        def find_label(one: PlacedTag) -> list[str]:
            if one.kind != ANSWER:
                return []
            question, setting, sample = unpack(one.target)
            there = cells[setting]
            code = 0
            if there is not None and sample < len(there) and question < there.shape[1]:
                code = int(there[sample, question])
            return [str(LABELS[code - 1]) if code else NOTHING]

        return find_label
    return _group_by_profile(project, policy, places, settings)


def _graders_of(project: OpenProject, one: PlacedTag) -> list[str]:
    if one.kind != ANSWER:
        return []
    at = np.array([one.target])
    names = {
        version.name
        for version in project.graders()
        if 0 < int(project.grids.at(version.plane, at)[0]) <= len(LABELS)
    }
    return sorted(names) or [NOTHING]


def _group_by_profile(
    project: OpenProject,
    policy: Policy,
    places: Targets,
    settings: Mapping[int, tuple[str, bool]],
) -> Callable[[PlacedTag], list[str]]:
    """By the profile of the fact: under the model that answered, or under every model."""
    found = profiles(project, policy)
    states: dict[tuple[str, str | None], str] = {}
    models: dict[str, None] = {}
    for row in list_fact_profiles(project, found):
        states[row.fact_id, row.model] = str(row.profile or NOTHING)
        models[row.model] = None

    def find_profiles(one: PlacedTag) -> list[str]:
        fact = project.index.fact_ids[_fact_of(project, one, places) or 0]
        asked = [settings[unpack(one.target)[1]][0]] if one.kind == ANSWER else list(models)
        return sorted({states.get((fact, model), NOTHING) for model in asked})

    return find_profiles


def _shares(project: OpenProject, tag: str, ones: list[PlacedTag]) -> Any:
    """The share of a tag among the answers of each reference set that has any with it."""
    tagged = {one.target for one in ones if one.kind == ANSWER}
    for stored in db.reference_sets.read_sets(project.connection):
        found = read_set(project, stored)
        hits = np.isin(found.slots, list(tagged))
        if not hits.any():
            continue
        sizes = {name: there for name, (there, _) in found.plan.strata.items()}
        share, interval = weigh_share(hits, weigh_answers(found.strata, sizes), found.facts)
        yield {
            "set": stored.name,
            "n": len(found),
            "tagged": int(hits.sum()),
            "share": share,
            "interval": interval,
        }
