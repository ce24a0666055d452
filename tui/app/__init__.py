"""The app: screens, dialogs, the database worker, the lens and the jobs."""
