"""Audits as screens show them: the numbers, the facts, and the answer to decide, blind."""
