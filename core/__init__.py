"""Meaning: facts, tasks, sampling, graders, profiles and their analyses. Knows no screen."""
