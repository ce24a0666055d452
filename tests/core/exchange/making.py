"""Logs of Inspect as it writes them, for tests."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.exchange import log_archive

zipfile: Any = vars(log_archive)["zipfile"]
"""With Zstandard, also where the standard library has none."""

ZIP_DEFLATED = 8


def header(model: str = "m", task: str = "rivers", **more: Any) -> dict[str, Any]:
    """What a log says of itself."""
    return {
        "version": 2,
        "status": "success",
        "eval": {"eval_id": "ev1", "task": task, "model": model, **more},
        "plan": {"steps": [{"solver": "generate", "params": {}}]},
    }


def sample(key: int | str, text: Any = "Tavy", value: Any = "C", **more: Any) -> dict[str, Any]:
    """One sample with an answer and a score."""
    return {
        "id": key,
        "epoch": 1,
        "input": f"Which river is number {key}?",
        "target": "Tavy",
        "output": {"choices": [{"message": {"role": "assistant", "content": text}}]},
        "scores": {"match": {"value": value}},
        "uuid": f"u-{key}",
        **more,
    }


def log_of(samples: Sequence[Mapping[str, Any]], **more: Any) -> dict[str, Any]:
    """A whole log as one object."""
    return {**header(**more), "samples": list(samples)}


def write_log(path: Path, samples: Sequence[Mapping[str, Any]], **more: Any) -> Path:
    """A log in one `.json` file."""
    path.write_text(json.dumps(log_of(samples, **more)), encoding="utf-8")
    return path


def write_archive(
    path: Path,
    samples: Sequence[Mapping[str, Any]],
    method: int = ZIP_DEFLATED,
    extra: Mapping[str, bytes] = {},
    head: Mapping[str, Any] | None = None,
) -> Path:
    """A log as an archive, with further members."""
    with zipfile.ZipFile(path, "w", method) as file:
        for one in samples:
            name = f"samples/{one['id']}_epoch_{one['epoch']}.json"
            file.writestr(name, json.dumps(one))
        for name, content in extra.items():
            file.writestr(name, content)
        file.writestr("header.json", json.dumps(head or header()))
    return path
