"""What surrounds every screen: the top bar, the status line and the key line."""
