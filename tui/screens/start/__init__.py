"""The empty state: what to do where there are no facts."""
