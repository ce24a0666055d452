"""The Profiles screen: all models as bars, at once under every threshold and strategy."""
