"""What follows from labels: profiles, agreement, two models compared, saved policies."""
