"""The Facts screen: the list, and the fact under its cursor."""
