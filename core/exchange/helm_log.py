"""Runs of HELM: the scenario state, with statistics and the run's name in files beside."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.exchange.gold_texts import GoldQuestion, ask_choices, gold_texts, is_answer
from core.exchange.json_rows import load_whole, parse_file
from core.exchange.left_out_parts import note_left_out
from core.exchange.log_reader import LogReader, is_failure, mapping_of, text_of
from core.exchange.log_samples import (
    LOG_PROBABILITIES,
    BadSample,
    LogAnswer,
    LogSample,
    LogScore,
)
from core.exchange.score_labels import SEVERAL, name_grader
from core.settings.compression import DamagedStreamError, find_packed

FORMAT = "helm"
STATE, STATISTICS, SPEC = "scenario_state.json", "per_instance_stats.json", "run_spec.json"

GRADES = (
    "exact_match",
    "quasi_exact_match",
    "prefix_exact_match",
    "quasi_prefix_exact_match",
    "f1_score",
)
"""Statistics that grade; others do where they are asked for."""

SCORING = ("multiple_choice_separate", "ranking", "language_modeling")
"""Starts of adapter methods that score given texts, and ask for none."""

OF_ADAPTER = frozenset(
    ["model", "model_deployment", "method", "stop", "num_outputs", "data_augmentation", "groups"]
)
"""Arguments of a run's name that say how was asked, and not what."""

Key = tuple[str, str, int]
"""Instance, perturbation, trial."""


class HelmLog(LogReader):
    """One run. `wanted`: statistics that are asked for beside those that grade."""

    wanted: frozenset[str] = frozenset()

    def samples(self) -> Iterator[LogSample | BadSample]:
        """Its requests, by their place."""
        state = mapping_of(load_whole(self))
        adapter = mapping_of(state.get("adapter_spec"))
        self.head.model = text_of(adapter.get("model")) or None
        outputs = adapter.get("num_outputs")
        scored = (text_of(adapter.get("method")) or "").startswith(SCORING)
        name, statistics = self._name(), self._statistics()
        requests = state.get("request_states")
        for place, request in enumerate(requests if isinstance(requests, list) else (), 1):
            told = mapping_of(request)
            width = outputs if type(outputs) is int and outputs > 0 else 1
            if scored or _is_scored(mapping_of(told.get("request"))):
                yield BadSample(place, LOG_PROBABILITIES)
            else:
                yield self._sample(place, told, name, width, statistics)

    def _sample(
        self,
        place: int,
        request: Mapping[str, Any],
        name: str,
        outputs: int,
        statistics: Mapping[Key, Mapping[str, Any]],
    ) -> LogSample | BadSample:
        instance, result = mapping_of(request.get("instance")), mapping_of(request.get("result"))
        if not result.get("success"):
            return BadSample(place, "the request failed")
        completions = result.get("completions")
        listed = completions if isinstance(completions, list) else []
        texts = [text_of(mapping_of(one).get("text")) for one in listed]
        if not texts or None in texts:
            return BadSample(place, "holds no answer text")
        if any(map(_has_failed, listed)):
            return BadSample(place, "the request failed")
        media = [mapping_of(instance.get("input")).get("multimedia_content")]
        media += [mapping_of(one).get("multimodal_content") for one in listed]
        note_left_out(self.head.notices, place, media)
        asked = _ask(instance, request.get("output_mapping"))
        if isinstance(asked, str):
            return BadSample(place, asked)
        key = _key(instance.get("id"), instance, request)
        void = SEVERAL if len(texts) > 1 else ""
        scores = list(self._scores(statistics.get(key, {}), void))
        thoughts = [mapping_of(mapping_of(one).get("thinking")).get("text") for one in listed]
        first = key[2] * outputs
        sample_id, changed = key[0] or str(place), key[1]
        return LogSample(
            place,
            f"{name}/{sample_id}{f'+{changed}' if changed else ''}",
            asked,
            [
                LogAnswer(
                    first + number, text or "", () if number else scores, (), text_of(thought)
                )
                for number, (text, thought) in enumerate(zip(texts, thoughts, strict=True))
            ],
            sample_id=instance.get("id"),
            prompt=text_of(mapping_of(request.get("request")).get("prompt")),
        )

    def _scores(self, found: Mapping[str, Any], void: str) -> Iterator[LogScore]:
        for name in (*GRADES, *sorted(self.wanted.difference(GRADES))):
            if name in found:
                grader = name_grader(FORMAT, name)
                yield LogScore(grader, name, found[name], void=void)

    def _read_beside(self, name: str) -> Any:
        """What a file of the same run holds; None where it is not there."""
        file = find_packed(self.path.with_name(self.plain.name.removesuffix(STATE) + name))
        if file is None or file == self.path:
            return None
        try:
            return parse_file(file)
        except (ValueError, RecursionError, DamagedStreamError) as error:
            raise self.read_error(f"{file.name} beside it is not valid JSON ({error})") from None

    def _name(self) -> str:
        if self.prefix:
            return self.prefix
        run = text_of(mapping_of(self._read_beside(SPEC)).get("name")) or ""
        told = self.plain.name.removesuffix(STATE).strip("_- ")
        return _name_set(run) or told or _name_set(self.path.absolute().parent.name)

    def _statistics(self) -> dict[Key, dict[str, Any]]:
        rows = self._read_beside(STATISTICS)
        if not isinstance(rows, list):
            self.head.notices.add(f"no {STATISTICS} beside it: answers without labels")
            return {}
        found: dict[Key, dict[str, Any]] = {}
        for row in map(mapping_of, rows):
            key = _key(row.get("instance_id"), row, row)
            means = found.setdefault(key, {})
            for one in _mappings(row.get("stats")):
                named = mapping_of(one.get("name"))
                changed = text_of(mapping_of(named.get("perturbation")).get("name")) or key[1]
                name = text_of(named.get("name"))
                if name and changed == key[1] and "mean" in one:
                    means.setdefault(name, one["mean"])
        return found


def _name_set(run: str) -> str:
    """The set of questions that a run's name says: the scenario with its own arguments."""
    first, *others = run.split(",")
    scenario, _, argument = first.partition(":")
    told = [one.strip() for one in (argument, *others)]
    kept = [one for one in told if one and one.partition("=")[0] not in OF_ADAPTER]
    return ":".join(filter(None, (scenario.strip(), ",".join(kept))))


def _is_scored(request: Mapping[str, Any]) -> bool:
    """Whether a request asks how probable its own text is."""
    return request.get("max_tokens") == 0 and request.get("echo_prompt") is True


def _has_failed(completion: Any) -> bool:
    finish = mapping_of(completion).get("finish_reason")
    return is_failure(mapping_of(finish).get("reason") if isinstance(finish, dict) else finish)


def _key(name: Any, instance: Mapping[str, Any], numbered: Mapping[str, Any]) -> Key:
    changed = text_of(mapping_of(instance.get("perturbation")).get("name")) or ""
    trial = numbered.get("train_trial_index")
    return str(name or ""), changed, trial if type(trial) is int and trial >= 0 else 0


def _mappings(value: Any) -> Sequence[Mapping[str, Any]]:
    return [mapping_of(one) for one in value] if isinstance(value, list) else []


def _ask(instance: Mapping[str, Any], letters: Any) -> GoldQuestion | str:
    question = text_of(mapping_of(instance.get("input")).get("text")) or ""
    golds = gold_texts(
        [
            mapping_of(one.get("output")).get("text")
            for one in _mappings(instance.get("references"))
            if "correct" in (one.get("tags") or ())
        ]
    )
    if not isinstance(letters, dict) or not letters:
        return GoldQuestion(question, golds)
    if not all(map(is_answer, letters.values())):
        return "an option is no text"
    options = [str(letters[letter]) for letter in sorted(letters)]
    right = {place for place, text in enumerate(options) if text.strip() in golds}
    return ask_choices(question, options, right)


def is_state(content: Any) -> bool:
    """Whether a file holds the state of a scenario."""
    return isinstance(content, dict) and {"adapter_spec", "request_states"} <= content.keys()


READER = HelmLog
