"""Profiles live: what all models' bars are made of, computed anew for every key."""
