"""The demo: facts that come with the program, and the job that profiles the embedded model."""
