"""Drawing responses: recipes, what to ask, and the engine that fills missing slots."""
