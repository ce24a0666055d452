"""Files in and out: facts, responses and labels in CSV, TSV, JSONL, JSON and Parquet."""

from core.transfer.exports import Subset, export
from core.transfer.imports import import_file, rehearsal
from core.transfer.report import Problem, Report

__all__ = ["Problem", "Report", "Subset", "export", "import_file", "rehearsal"]
