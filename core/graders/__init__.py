"""Graders: what turns one response into a label."""
