"""Reports: what was asked, under which policy, and what came of it, in one file."""
