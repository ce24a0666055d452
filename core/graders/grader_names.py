"""Names of graders: which of them are models, and which model that is.

Job specs and the start of the program need no more of a grader, so none is imported here.
"""

from core.errors import UsageError
from core.providers import model_names

LLM, JUDGE = "llm:", "judge:"
"""How the names of graders begin that are models: the rest is the model's name."""


def is_model(name: str) -> bool:
    """Whether a grader of this name is a model that can be asked."""
    return name.startswith((LLM, JUDGE))


def model_of(name: str) -> str:
    """The name of the model that a grader is. Raises `UsageError` for none of a known form."""
    if not is_model(name):
        raise UsageError(f"{name} is no model: graders that are begin with {LLM} or {JUDGE}")
    model = name.partition(":")[2]
    model_names.parse(model)
    return model
