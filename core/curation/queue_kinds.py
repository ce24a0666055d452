"""The words by which samples and queues are kept and shown."""

from enum import StrEnum

UNIFORM, STRATIFIED = "random", "stratified"
"""Kinds of samples, as they are stored."""


class QueueKind(StrEnum):
    """What a queue holds."""

    SUSPICIOUS = "suspicious"
    RANDOM = UNIFORM
    STRATIFIED = STRATIFIED
    STAGE = "changed by a stage"
    EDITED = "edited"
