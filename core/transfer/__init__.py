"""Files in and out: facts, responses and labels in CSV, TSV, JSONL, JSON and Parquet."""

from core.transfer.exports import Subset, export
from core.transfer.import_report import ImportReport, Problem
from core.transfer.imports import import_file, rehearsal

__all__ = ["ImportReport", "Problem", "Subset", "export", "import_file", "rehearsal"]
