"""What Inspect itself does with data sets and logs, for `tests.forker`."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal


def warm_up() -> None:
    """Import what Inspect imports only as it runs, which takes it as long as the rest."""
    with TemporaryDirectory() as folder:
        row = {"id": "one", "input": "?", "target": "!"}
        Path(folder, "data.jsonl").write_text(json.dumps(row))
        draw(folder, "eval", "open", ["!"])
        (log,) = Path(folder, "logs").iterdir()
        read(str(log), f"{folder}/found.json")


def draw(folder: str, form: Literal["eval", "json"], solver: str, answers: list[str]) -> None:
    """Run the data set of a folder on a model that gives these answers in turn, twice each."""
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import json_dataset
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import choice, includes, match
    from inspect_ai.solver import generate, multiple_choice

    data = json_dataset(f"{folder}/data.jsonl")
    outputs = [ModelOutput.from_content("m", f"It is {word}. [/b]<script>") for word in answers]
    for one in outputs:
        one.usage = ModelUsage()  # else a vocabulary is fetched to count tokens
    model = get_model("mockllm/model", custom_outputs=outputs * 100)
    chooses = solver == "choice"
    task = Task(
        dataset=data,
        solver=[multiple_choice()] if chooses else [generate()],
        scorer=[choice()] if chooses else [match(), includes()],
        name="cities",
    )
    evaluate(task, model=model, epochs=2, log_dir=f"{folder}/logs", log_format=form, display="none")


def read(log: str, found: str) -> None:
    """Write what stands in a log into a file."""
    from inspect_ai.log import read_eval_log

    stored = read_eval_log(log)
    assert stored.results is not None
    assert stored.samples is not None
    samples = []
    for sample in stored.samples:
        assert sample.scores is not None
        score = sample.scores["match"]
        history = [
            {
                "value": one.value,
                "author": one.provenance and one.provenance.author,
                "reason": one.provenance and one.provenance.reason,
            }
            for one in score.history
        ]
        samples.append(
            {"id": sample.id, "epoch": sample.epoch, "value": score.value, "history": history}
        )
    accuracy = {one.name: one.metrics["accuracy"].value for one in stored.results.scores}
    Path(found).write_text(
        json.dumps({"status": stored.status, "samples": samples, "accuracy": accuracy})
    )
