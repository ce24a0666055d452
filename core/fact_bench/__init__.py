"""FACT-BENCH: sets of triples prepared, and what models say of them in several modes."""
