"""What a person audits, as plain data: facts, their questions, answers, labels and verdicts."""
