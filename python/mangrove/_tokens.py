"""Tokens that are keys of maps: ``valueMap(True)`` and ``elementMap()`` have some."""

from enum import Enum


class T(Enum):
    """What an element has besides properties."""

    id = "id"
    label = "label"
    key = "key"
    value = "value"

    def __repr__(self) -> str:
        return f"T.{self.name}"


class Direction(Enum):
    """The ends of an edge."""

    OUT = "OUT"
    IN = "IN"
    BOTH = "BOTH"

    def __repr__(self) -> str:
        return f"Direction.{self.name}"
