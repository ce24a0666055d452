"""Files in and out: facts, responses and labels in CSV, TSV, JSONL, JSON and Parquet."""
