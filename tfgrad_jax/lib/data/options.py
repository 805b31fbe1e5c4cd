"""`tf.data.Options`: what a program says of how its datasets are to run."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, ClassVar

from tfgrad_jax.engine.names.export import export, export_value

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2

for _name, _value in (("INFINITE", INFINITE_CARDINALITY), ("UNKNOWN", UNKNOWN_CARDINALITY)):
    export_value(_value, f"data.{_name}_CARDINALITY", f"data.experimental.{_name}_CARDINALITY")
export_value(AUTOTUNE, "data.AUTOTUNE", "data.experimental.AUTOTUNE")


@export("data.experimental.AutoShardPolicy")
class AutoShardPolicy(enum.IntEnum):
    """How a dataset is spread over workers. Mirrors `tf.data.experimental.AutoShardPolicy`."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


@export("data.experimental.ExternalStatePolicy")
class ExternalStatePolicy(enum.Enum):
    """What happens where a saved dataset has state outside. Mirrors `tf.data.experimental.ExternalStatePolicy`."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


@export("data.experimental.AutotuneAlgorithm")
class AutotuneAlgorithm(enum.Enum):
    """Accepted for compatibility. Mirrors `tf.data.experimental.AutotuneAlgorithm`."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class _Group:
    """Settings, all None unless set; what stands in no list, or has another type than there, is refused."""

    _settings: ClassVar[Mapping[str, type]] = {}

    def __init__(self) -> None:
        for name in self._settings:
            object.__setattr__(self, name, None)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._settings:
            raise AttributeError(
                f"Cannot set the property {name} on {type(self).__name__}: it has the settings {', '.join(self._settings)}."
            )
        if not isinstance(value, self._settings[name]):
            raise TypeError(
                f"Property {name!r} must be of type {self._settings[name]}, got: {value} (type: {type(value)})"
            )
        object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def over(self, other: Any) -> Any:
        """These settings, and where there are none those of `other`."""
        found = type(self)()
        for name in self._settings:
            mine, theirs = getattr(self, name), getattr(other, name)
            value = mine.over(theirs) if isinstance(mine, _Group) else theirs if mine is None else mine
            object.__setattr__(found, name, value)
        return found


@export("data.experimental.AutotuneOptions")
class AutotuneOptions(_Group):
    """Accepted for compatibility: nothing needs tuning. Mirrors `tf.data.experimental.AutotuneOptions`."""

    _settings: ClassVar[Mapping[str, type]] = {
        "enabled": bool, "cpu_budget": int, "ram_budget": int, "autotune_algorithm": AutotuneAlgorithm,
        "initial_parallelism": int, "min_parallelism": int,
    }  # fmt: skip


@export("data.experimental.DistributeOptions")
class DistributeOptions(_Group):
    """How a dataset is spread over workers. Mirrors `tf.data.experimental.DistributeOptions`."""

    _settings: ClassVar[Mapping[str, type]] = {"auto_shard_policy": AutoShardPolicy, "num_devices": int}

    def __init__(self) -> None:
        super().__init__()
        self.auto_shard_policy = AutoShardPolicy.AUTO


@export("data.experimental.OptimizationOptions")
class OptimizationOptions(_Group):
    """Accepted for compatibility. Mirrors `tf.data.experimental.OptimizationOptions`."""

    _settings: ClassVar[Mapping[str, type]] = dict.fromkeys((
        "apply_default_optimizations", "filter_fusion", "filter_parallelization", "inject_prefetch", "map_and_batch_fusion",
        "map_and_filter_fusion", "map_fusion", "map_parallelization", "noop_elimination", "parallel_batch",
        "seq_interleave_prefetch", "shuffle_and_repeat_fusion",
    ), bool)  # fmt: skip


@export("data.ThreadingOptions", "data.experimental.ThreadingOptions")
class ThreadingOptions(_Group):
    """Accepted for compatibility. Mirrors `tf.data.ThreadingOptions`."""

    _settings: ClassVar[Mapping[str, type]] = {"max_intra_op_parallelism": int, "private_threadpool_size": int}


@export("data.experimental.service.ServiceOptions")
class ServiceOptions(_Group):
    """Accepted for compatibility."""

    _settings: ClassVar[Mapping[str, type]] = {"pinned": bool}


@export("data.Options")
class Options(_Group):
    """What a program says of how a dataset is to run. Mirrors `tf.data.Options`.

    Orders are deterministic here whatever `deterministic` says, so that is a promise kept in any case.
    """

    _settings: ClassVar[Mapping[str, type]] = {
        "autotune": AutotuneOptions, "dataset_name": str, "deterministic": bool, "experimental_deterministic": bool,
        "experimental_distribute": DistributeOptions, "experimental_external_state_policy": ExternalStatePolicy,
        "experimental_optimization": OptimizationOptions, "experimental_slack": bool, "experimental_symbolic_checkpoint": bool,
        "experimental_threading": ThreadingOptions, "experimental_warm_start": bool, "framework_type": list,
        "service": ServiceOptions, "threading": ThreadingOptions,
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.autotune = AutotuneOptions()
        self.experimental_distribute = DistributeOptions()
        self.experimental_optimization = OptimizationOptions()
        self.threading = self.experimental_threading = ThreadingOptions()

    def merge(self, options: Any) -> Any:
        """These options, where `options` has none. Mirrors `tf.data.Options.merge`."""
        return options.over(self)
