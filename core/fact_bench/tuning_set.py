"""Sets of examples to fine-tune a model with: true answers, counterfactual ones, known, unknown.

FACT-BENCH, section 5. What is trained on is never among what is reported.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.errors import UsageError
from core.fact_bench.arm_prompts import write_prompt
from core.fact_bench.bench_evidence import BenchEvidence
from core.fact_bench.counterfactuals import assign_counterfactuals
from core.fact_bench.model_knowledge import find_known_facts
from core.fact_bench.set_shares import EVAL, order_triples
from core.modes import ZERO_SHOT
from core.pipeline.triple_text import show_answer
from core.settings.file_writer import deliver
from db.prepared_triples import SetTriple

SIZE = 2_500
"""Examples of a set that is chosen by what a model knows, unless another number is asked for."""

META = ".meta.json"
"""What the name of the file that says what an examples file holds ends in."""


class TuningKind(StrEnum):
    """Which triples a set holds, and with which answers."""

    REGULAR = "regular"
    COUNTERFACTUAL = "counterfactual"
    KNOWN = "known"
    UNKNOWN = "unknown"
    MIXED = "mixed"

    @property
    def needs_model(self) -> bool:
        """Whether it is chosen by what a model knows."""
        return self not in (TuningKind.REGULAR, TuningKind.COUNTERFACTUAL)


class TuningForm(StrEnum):
    """How examples are written: as services take them for chats, or for base models."""

    CHAT = "chat"
    PROMPT_COMPLETION = "prompt-completion"


@dataclass(frozen=True, slots=True)
class TuningExample:
    """A triple, and the triple whose answer it is taught with."""

    triple: SetTriple
    answer_of: SetTriple

    def line(self, form: TuningForm) -> str:
        """The example in a form: a zero-shot prompt and its answer.

        A completion goes on where its prompt ends, with the space that exemplars have there.
        """
        prompt, answer = write_prompt(ZERO_SHOT, (), self.triple.asked), show_answer(self.answer_of)
        if form is TuningForm.PROMPT_COMPLETION:
            said: object = {"prompt": prompt, "completion": f" {answer}"}
        else:
            said = {
                "messages": [
                    {"role": "user", "content": prompt},
                    {"role": "assistant", "content": answer},
                ]
            }
        return json.dumps(said, ensure_ascii=False)


def choose_examples(
    evidence: BenchEvidence, kind: TuningKind, model: str | None, size: int | None
) -> list[TuningExample]:
    """The examples of a set, in order "tune"; fewer where there are not so many.

    Raises `UsageError` for a set of what no model is named to know, of which it has no graded
    answers, or where no subset keeps what is reported apart.
    """
    triples, seed = evidence.triples, evidence.seed
    if not kind.needs_model:
        train = [one for one in triples.train if not one.rejected]
        line = order_triples(train, seed, "tune")
        if kind is TuningKind.REGULAR:
            return [TuningExample(one, one) for one in line][:size]
        others = assign_counterfactuals(train, seed)
        return [TuningExample(one, others[one.fact]) for one in line if one.fact in others][:size]
    if model is None:
        raise UsageError(f"{kind}: name with --model whose knowledge is meant")
    if not triples.has_subset:
        raise UsageError(
            f"{kind} examples are taken from eval: `fact-bench prepare --subset N` first marks "
            "what is reported"
        )
    line, known = (
        order_triples(list_unreported(evidence), seed, "tune"),
        find_known_facts(evidence, model),
    )
    if not any(one.fact in known for one in line):
        raise UsageError(
            f"{kind}: {model} has no graded zero-shot answers of eval outside of the subset: "
            f"`fact-bench run --model {model} --mode zero-shot --split eval` draws them"
        )
    chosen = _choose_by_knowledge(line, known, kind, SIZE if size is None else size)
    return [TuningExample(one, one) for one in line if one.fact in chosen]


def choose_validation(
    evidence: BenchEvidence, examples: Sequence[TuningExample], size: int
) -> list[TuningExample]:
    """So many examples to validate with, in order "validation", none of which is trained on."""
    taken = {one.triple.fact for one in examples}
    line = order_triples(list_unreported(evidence), evidence.seed, "validation")
    return [TuningExample(one, one) for one in line if one.fact not in taken][:size]


def list_unreported(evidence: BenchEvidence) -> list[SetTriple]:
    """The triples of eval outside of the subset."""
    rows = zip(evidence.triples.rows, evidence.triples.prepared, strict=True)
    return [
        one for one, said in rows if said.split == EVAL and not said.subset and not one.rejected
    ]


def _choose_by_knowledge(
    line: Sequence[SetTriple], known: Mapping[int, bool], kind: TuningKind, size: int
) -> set[int]:
    """Facts of so many triples that are known, unknown, or half of each (known rounded up)."""
    shares = {
        TuningKind.KNOWN: {True: size},
        TuningKind.UNKNOWN: {False: size},
        TuningKind.MIXED: {True: (size + 1) // 2, False: size // 2},
    }[kind]
    return {
        one.fact
        for knows, count in shares.items()
        for one in [one for one in line if known.get(one.fact) is knows][:count]
    }


def write_examples(
    path: Path,
    examples: Sequence[TuningExample],
    head: Mapping[str, object],
    form: TuningForm = TuningForm.CHAT,
) -> None:
    """Write examples, a line each, and beside them what they are: `head`, and facts by line.

    Raises `LostkeysError` where either cannot be written.
    """
    deliver(path, "".join(f"{one.line(form)}\n" for one in examples).encode())
    said = {**head, "facts": [one.triple.fact_id for one in examples]}
    content = json.dumps(said, ensure_ascii=False, indent=1) + "\n"
    deliver(path.with_name(path.name + META), content.encode())
