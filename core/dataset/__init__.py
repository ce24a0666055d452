"""The facts of a project as columns, their subsets, and the options of multiple choice."""
