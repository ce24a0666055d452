"""A response's id is its slot: question, setting and sample packed into one integer.

Ids of the ten questions of a fact follow one another, so all that was answered about a fact
lies in one short stretch of the response table.
"""

import numpy as np
import numpy.typing as npt

Slots = npt.NDArray[np.int64]
"""Slots in ascending order, shape (slots,)."""

SAMPLE_BITS = 10
SETTING_BITS = 10
QUESTION_SHIFT = SAMPLE_BITS + SETTING_BITS
MAX_SAMPLE = (1 << SAMPLE_BITS) - 1
MAX_SETTING = (1 << SETTING_BITS) - 1


def slot(question: int, setting: int, sample: int) -> int:
    """The id of one draw: `sample` in 0..1023, `setting` in 1..1023."""
    return question << QUESTION_SHIFT | setting << SAMPLE_BITS | sample


def unpack(slot_id: int) -> tuple[int, int, int]:
    """Question, setting and sample of a slot."""
    return (
        slot_id >> QUESTION_SHIFT,
        slot_id >> SAMPLE_BITS & MAX_SETTING,
        slot_id & MAX_SAMPLE,
    )


def keep_cells(
    slots: Slots | None, cells: npt.NDArray[np.uint8], setting: int
) -> npt.NDArray[np.uint8]:
    """Cells of a setting, shape (samples, questions), with 0 where no slot is; None: all."""
    if slots is None:
        return cells
    own = slots[((slots >> SAMPLE_BITS) & MAX_SETTING) == setting]
    at = own & MAX_SAMPLE, own >> QUESTION_SHIFT
    kept = np.zeros_like(cells)
    kept[at] = cells[at]
    return kept


def slots_of_question(slots: Slots, question: int) -> set[int]:
    """Those of the slots that are of one question."""
    first, last = np.searchsorted(
        slots, [question << QUESTION_SHIFT, (question + 1) << QUESTION_SHIFT]
    )
    return set(slots[first:last].tolist())
