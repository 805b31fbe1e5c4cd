"""`tf.compat.v1.ConfigProto` and its parts: settings of sessions, which programs fill in and nothing here reads."""

from __future__ import annotations

from typing import Any, ClassVar

from tfgrad_jax.engine.names.export import export

_TEXT, _WHOLE, _REAL, _TRUTH = "", 0, 0.0, False


class _Message:
    """A message of fields with usual values; a field that is a message itself is made when it is first asked for.

    Args:
      **fields: values of some of them.

    Raises:
      ValueError: for a field that there is not.
      TypeError: for a value of another type.
    """

    _fields: ClassVar[dict[str, Any]] = {}

    def __init__(self, **fields: Any) -> None:
        for name, value in fields.items():
            if name not in self._fields:
                raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
            known = getattr(self, name)
            if isinstance(known, dict):
                known.update(value)
            elif isinstance(known, list):
                known.extend(value)
            elif isinstance(known, _Message):
                vars(self)[name] = value
            else:
                setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name not in self._fields:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        usual = self._fields[name]
        if isinstance(usual, type):
            return vars(self).setdefault(name, usual())
        return usual

    def __setattr__(self, name: str, value: Any) -> None:
        usual = self._fields.get(name)
        if usual is None or isinstance(usual, type):
            known = "has no such field" if usual is None else "cannot be assigned: set its parts"
            raise AttributeError(f"{type(self).__name__}.{name} {known}")
        accepted = (int, float) if isinstance(usual, float) else str if isinstance(usual, str) else int
        if not isinstance(value, accepted):
            raise TypeError(f"{type(self).__name__}.{name} has type {type(usual).__name__}, got {value!r}")
        vars(self)[name] = type(usual)(value)

    def HasField(self, name: str) -> bool:
        """Whether a part was asked for or set."""
        return name in vars(self)

    def CopyFrom(self, other: Any) -> None:
        """Take all values of another message."""
        vars(self).clear()
        self.MergeFrom(other)

    def MergeFrom(self, other: Any) -> None:
        """Take the values that another message has."""
        for name, value in vars(other).items():
            if isinstance(value, _Message):
                getattr(self, name).MergeFrom(value)
            elif isinstance(value, (dict, list)):
                vars(self)[name] = type(value)(value)
            else:
                vars(self)[name] = value

    def __eq__(self, other: Any) -> bool:
        return type(self) is type(other) and str(self) == str(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> list[str]:
        lines = []
        for name in self._fields:
            value = vars(self).get(name)
            if isinstance(value, dict):
                for key in sorted(value):
                    lines += [f"{name} {{", f'  key: "{key}"', f"  value: {value[key]}", "}"]
            elif isinstance(value, _Message):
                lines += [f"{name} {{", *(f"  {line}" for line in value._lines()), "}"]
            elif isinstance(value, list):
                lines += [f'{name}: "{part}"' if isinstance(part, str) else f"{name}: {part}" for part in value]
            elif value:
                shown = f'"{value}"' if isinstance(value, str) else str(value).lower()
                lines.append(f"{name}: {shown}")
        return lines


@export("compat.v1.GPUOptions")
class GPUOptions(_Message):
    """Settings of GPUs; `tf.config.experimental.set_memory_growth` and its kin are what has an effect."""

    _fields: ClassVar[dict[str, Any]] = {
        "per_process_gpu_memory_fraction": _REAL, "allow_growth": _TRUTH, "allocator_type": _TEXT,
        "deferred_deletion_bytes": _WHOLE, "visible_device_list": _TEXT,
        "polling_active_delay_usecs": _WHOLE, "polling_inactive_delay_msecs": _WHOLE,
        "force_gpu_compatible": _TRUTH,
    }  # fmt: skip


@export("compat.v1.OptimizerOptions")
class OptimizerOptions(_Message):
    """Settings of TensorFlow's optimizer of graphs; XLA has its own."""

    L1, L0, DEFAULT, OFF, ON_1, ON_2 = 0, -1, 0, -1, 1, 2

    _fields: ClassVar[dict[str, Any]] = {
        "do_common_subexpression_elimination": _TRUTH, "do_constant_folding": _TRUTH, "max_folded_constant_in_bytes": _WHOLE,
        "do_function_inlining": _TRUTH, "opt_level": _WHOLE, "global_jit_level": _WHOLE, "cpu_global_jit": _TRUTH,
    }  # fmt: skip


class _RewriterConfig(_Message):
    OFF, ON = 2, 1

    _fields: ClassVar[dict[str, Any]] = dict.fromkeys(
        (
            "layout_optimizer", "constant_folding", "shape_optimization", "remapping", "arithmetic_optimization",
            "dependency_optimization", "loop_optimization", "function_optimization", "memory_optimization", "auto_mixed_precision",
            "scoped_allocator_optimization", "pin_to_host_optimization", "meta_optimizer_iterations", "min_graph_nodes",
        ),
        _WHOLE,
    ) | {"disable_model_pruning": _TRUTH, "disable_meta_optimizer": _TRUTH}  # fmt: skip


@export("compat.v1.GraphOptions")
class GraphOptions(_Message):
    """Settings of graphs; XLA has its own."""

    _fields: ClassVar[dict[str, Any]] = {
        "enable_recv_scheduling": _TRUTH, "optimizer_options": OptimizerOptions, "build_cost_model": _WHOLE,
        "build_cost_model_after": _WHOLE, "infer_shapes": _TRUTH, "place_pruned_graph": _TRUTH, "enable_bfloat16_sendrecv": _TRUTH,
        "timeline_step": _WHOLE, "rewrite_options": _RewriterConfig,
    }  # fmt: skip


@export("compat.v1.ConfigProto")
class ConfigProto(_Message):
    """Settings of a session. Mirrors `tf.compat.v1.ConfigProto`; nothing reads them, since there are no sessions."""

    _fields: ClassVar[dict[str, Any]] = {
        "device_count": dict, "intra_op_parallelism_threads": _WHOLE, "inter_op_parallelism_threads": _WHOLE,
        "use_per_session_threads": _TRUTH, "placement_period": _WHOLE, "device_filters": list, "gpu_options": GPUOptions,
        "allow_soft_placement": _TRUTH, "log_device_placement": _TRUTH, "graph_options": GraphOptions,
        "operation_timeout_in_ms": _WHOLE, "isolate_session_state": _TRUTH, "share_cluster_devices_in_session": _TRUTH,
    }  # fmt: skip


@export("compat.v1.RunOptions")
class RunOptions(_Message):
    """Settings of one call of `Session.run`. Mirrors `tf.compat.v1.RunOptions`; nothing reads them."""

    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = range(4)

    _fields: ClassVar[dict[str, Any]] = {
        "trace_level": _WHOLE, "timeout_in_ms": _WHOLE, "inter_op_thread_pool": _WHOLE, "output_partition_graphs": _TRUTH,
        "report_tensor_allocations_upon_oom": _TRUTH,
    }  # fmt: skip
