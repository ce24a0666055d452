"""A response's id is its slot: question, setting and sample packed into one integer.

Ids of the ten questions of a fact follow one another, so all that was answered about a fact
lies in one short stretch of the response table.
"""

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
