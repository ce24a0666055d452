"""The engine: asks models for whatever a work wants, and has what comes written down.

Retrying, rates, concurrency, cost and leases live here, once for answering, grading and building.
"""
