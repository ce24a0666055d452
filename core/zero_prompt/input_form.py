"""Forms of an input: what stands around subjects and objects; zero-prompt is two spaces.

ZP-LKE, section 3 (equation 1) and section 4.4 (rivals: human-written and mined prompts).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import LostkeysError
from core.scoring.latent_verdicts import ZERO_PROMPT
from core.zero_prompt.examples import Example

SUBJECT = "{subject}"


@dataclass(frozen=True, slots=True)
class InputForm:
    """A template with one `{subject}`, what parts it from the object, and pairs from each other.

    `relation` is the only one that it is for; None for all.
    """

    name: str = ZERO_PROMPT
    template: str = SUBJECT
    inner: str = " "
    outer: str = " "
    kind: str = ZERO_PROMPT
    relation: str | None = None

    def __post_init__(self) -> None:
        if self.template.count(SUBJECT) != 1:
            raise LostkeysError(f"template {self.name!r}: {SUBJECT} must stand in it once")

    def about(self, subject: str) -> str:
        """The template with a subject."""
        before, _, after = self.template.partition(SUBJECT)
        return f"{before}{subject}{after}"


def template_of(text: str) -> str:
    """A template as it is kept: `[X] was born in [Y] .` is `{subject} was born in`.

    Raises a `LostkeysError` where `[Y]` stands before `[X]`, or there is no subject.
    """
    if "[X]" not in text:
        if SUBJECT in text:
            return text
        raise LostkeysError(f"template {text!r}: has neither {SUBJECT} nor [X]")
    before, gap, _ = text.partition("[Y]")
    if gap and "[X]" not in before:
        raise LostkeysError(f"template {text!r}: [Y] stands before [X]")
    return before.rstrip().replace("[X]", SUBJECT, 1) if gap else text.replace("[X]", SUBJECT, 1)


def input_text(form: InputForm, examples: Sequence[Example], subject: str) -> str:
    """The input of a subject: the examples, then the template with it, nothing after it."""
    pairs = [f"{form.about(one.subject)}{form.inner}{one.object}" for one in examples]
    return form.outer.join([*pairs, form.about(subject.strip())])
