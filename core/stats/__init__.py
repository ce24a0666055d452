"""Pure statistics: intervals, the bootstrap over facts, exact paired tests."""
