"""Language models that can be asked: one small interface, and what implements it."""
