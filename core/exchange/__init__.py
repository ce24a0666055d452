"""Logs of other evaluation tools as facts, responses and labels: pure readers, no database."""
