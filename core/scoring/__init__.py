"""From labels to verdicts: policy, precedence, label counts, question states, profiles."""
