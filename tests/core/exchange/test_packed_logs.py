"""Logs that are packed come in as they do unpacked."""

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from backports import zstd

from core.errors import LostkeysError
from core.project import OpenProject
from core.transfer.imports import import_file
from tests.core.exchange.making import sample, write_log
from tests.core.exchange.test_peer_logs import MATH, NARRATIVE, answers_of, labels_of
from tests.core.making import new_project

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
}


def pack(path: Path, folder: Path, ending: str) -> Path:
    packed = folder / f"{path.name}{ending}"
    packed.write_bytes(PACKERS[ending](path.read_bytes()))
    return packed


def check_same(plain: Path, packed: Path, folder: Path, form: str) -> None:
    """Both bring the same facts, answers and labels."""
    found = []
    for name, path in (("plain.db", plain), ("packed.db", packed)):
        with new_project(folder / name) as project:
            report = import_file(project, path)
            assert (report.format, report.bad) == (form, 0)
            found.append((answers_of(project), labels_of(project), report.unlabelled))
    assert found[0] == found[1]
    assert found[0][0]


@pytest.mark.parametrize("ending", PACKERS)
def test_lm_eval_with_its_results_beside(
    ending: str, shared: Callable[[str], Path], tmp_path: Path
) -> None:
    path = shared(MATH)
    (results,) = path.parent.glob("results_*.json")
    packed = pack(path, tmp_path, ending)
    pack(results, tmp_path, ending)
    check_same(path, packed, tmp_path, "lm-eval")


def test_helm_with_packed_files_beside(shared: Callable[[str], Path], tmp_path: Path) -> None:
    path = shared(NARRATIVE)
    for file in path.parent.glob("*.json"):
        pack(file, tmp_path, ".gz")
    check_same(path, tmp_path / f"{path.name}.gz", tmp_path, "helm")
    with new_project(tmp_path / "o.db") as project, pytest.raises(LostkeysError, match="beside"):
        import_file(project, next(tmp_path.glob("*per_instance_stats.json.gz")))


def test_inspect_in_one_file(tmp_path: Path) -> None:
    path = write_log(tmp_path / "rivers.json", [sample(1), sample(2, value="I")])
    check_same(path, pack(path, tmp_path, ".zst"), tmp_path, "inspect")


def test_a_packed_log_that_is_cut_off_lands_nothing(
    shared: Callable[[str], Path], tmp_path: Path
) -> None:
    packed = pack(shared(MATH), tmp_path, ".gz")
    packed.write_bytes(packed.read_bytes()[:-900])
    with new_project(tmp_path / "o.db") as project:
        with pytest.raises(LostkeysError, match="gz: not a sound gz file"):
            import_file(project, packed, "lm-eval")
        assert _rows(project) == 0


def _rows(project: OpenProject) -> int:
    found: int = project.connection.execute("SELECT count(*) FROM response").fetchone()[0]
    return found


def test_a_bomb_says_no_line_where_none_was_read(tmp_path: Path) -> None:
    path = tmp_path / "samples_x_2026-01-02T03-04-05.jsonl.gz"
    path.write_bytes(gzip.compress(b" " * 40_000_000))
    with (
        new_project(tmp_path / "o.db") as project,
        pytest.raises(LostkeysError, match=r"\.gz: holds more than 1,000 times its size: unpack"),
    ):
        import_file(project, path, "lm-eval")


@pytest.mark.parametrize("name", ["samples_x_2026-01-02T03-04-05.jsonl", "rivers.json"])
def test_a_log_in_another_encoding_is_told_what_logs_are_read_in(tmp_path: Path, name: str) -> None:
    row = {"doc_id": 1, "doc": {"question": "Où?"}, "resps": [["é"]]}
    inspect = {"version": 2, "eval": {"model": "é"}, "samples": []}
    text = json.dumps(row if name.endswith("l") else inspect, ensure_ascii=False)
    (tmp_path / name).write_text(text, encoding="cp1252")
    with (
        new_project(tmp_path / "o.db") as project,
        pytest.raises(LostkeysError, match="not UTF-8 text: save the file as UTF-8"),
    ):
        import_file(project, tmp_path / name)
