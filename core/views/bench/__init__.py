"""What the Bench screen shows: arms, the board of one, the questions behind a row."""
