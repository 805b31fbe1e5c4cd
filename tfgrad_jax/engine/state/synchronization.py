"""How copies of a variable on several devices relate."""

from __future__ import annotations

from enum import Enum

from tfgrad_jax.engine.names.export import export


@export("VariableSynchronization")
class VariableSynchronization(Enum):
    """When copies of a variable on several devices are brought together; accepted for compatibility."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


@export("VariableAggregation")
class VariableAggregation(Enum):
    """How copies of a variable on several devices are combined; accepted for compatibility."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
