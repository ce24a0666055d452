"""Drawing responses: recipes, plans, what to ask, and the work that fills missing slots."""
