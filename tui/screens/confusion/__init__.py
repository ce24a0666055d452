"""The Confusion screen: where two graders differ, and deciding it at the keyboard."""
