"""What a run or a build will ask for, and about what it costs, before anything is sent."""
