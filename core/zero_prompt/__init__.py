"""Zero-prompt knowledge: pairs of one relation, then a subject, and what a model says next."""
