"""Graders that a person aligns with their own labels: reference sets, rubrics, what they say."""
