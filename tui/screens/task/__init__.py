"""The Task screen: one question, its answers, and judging them."""
