"""What models cost: prices that a person can edit, a budget, and estimates before a run."""

from core.pricing.budget import Budget, OverBudgetError
from core.pricing.prices import AccountLimits, Price, price_of, rates_of

__all__ = ["AccountLimits", "Budget", "OverBudgetError", "Price", "price_of", "rates_of"]
