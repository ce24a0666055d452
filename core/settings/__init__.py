"""What belongs to the user: preferences, paths, recent files, and safe writing of small files."""
