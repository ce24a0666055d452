"""How far a number can be trusted: audits, intervals valid at every look, a planner."""
