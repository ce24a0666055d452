"""What a person writes: labels, notes, flags, edits, discards, reviews, and the way back."""
