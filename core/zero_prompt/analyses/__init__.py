"""Tables and figures of zero-prompt knowledge, each a function from scores to rows."""
