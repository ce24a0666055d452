"""The Bench screen: what models say of triples in each mode, by group and by question."""
