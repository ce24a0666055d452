"""Widgets that every screen is built from."""
