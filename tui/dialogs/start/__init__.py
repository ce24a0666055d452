"""The Start dialog: asking a model, grading, importing and exporting, in one form."""
