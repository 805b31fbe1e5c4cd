"""`tf.test.Benchmark`: methods that begin with `benchmark`, and how they report."""

from __future__ import annotations

import json
import os
import sys
from types import SimpleNamespace
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.v1.evaluation import evaluated_nest


@export("test.Benchmark")
class Benchmark:
    """Base class of benchmarks. Mirrors `tf.test.Benchmark`.

    A report is printed as one line of JSON, and kept in the folder of `TEST_REPORT_FILE_PREFIX` if that variable is set.
    """

    @classmethod
    def is_abstract(cls) -> bool:
        """Whether it is this class itself."""
        return len(cls.mro()) <= 2

    def _get_name(self, overwrite_name: str | None = None) -> str:
        return f"{type(self).__name__}.{overwrite_name or sys._getframe(2).f_code.co_name}"

    def evaluate(self, tensors: Any) -> Any:
        """A nest of tensors as NumPy values."""
        return evaluated_nest(tensors)

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: dict[str, Any] | None = None,
        name: str | None = None,
        metrics: list[dict[str, Any]] | None = None,
    ) -> None:
        """Report what was measured.

        Args:
          iters: how often it ran.
          cpu_time: seconds of the processor.
          wall_time: seconds by the clock.
          throughput: megabytes a second.
          extras: further numbers and texts by name.
          name: of the benchmark; the calling method's where None.
          metrics: mappings with `name`, `value`, and maybe `min_value` and `max_value`.

        Raises:
          TypeError: if `extras` is no mapping, or `metrics` no list of mappings.
          ValueError: if a metric lacks name or value.
        """
        if extras is not None and not isinstance(extras, dict):
            raise TypeError("extras must be a dict")
        for metric in metrics or ():
            if not isinstance(metric, dict):
                raise TypeError("metrics must be a list of dicts")
            if "name" not in metric or "value" not in metric:
                raise ValueError("every metric must have a `name` and a `value`")
        entry: dict[str, Any] = {
            "name": self._get_name(name),
            **{key: value for key, value in (("iters", iters), ("cpu_time", cpu_time)) if value is not None},
            **{
                key: value for key, value in (("wall_time", wall_time), ("throughput", throughput)) if value is not None
            },
            **({"extras": extras} if extras else {}),
            **({"metrics": metrics} if metrics else {}),
        }
        line = json.dumps({"entry": [entry]}, default=str)
        print(line)
        if prefix := os.environ.get("TEST_REPORT_FILE_PREFIX"):
            with open(f"{prefix}{entry['name'].replace('/', '__')}", "w") as file:
                file.write(line)

    def run_op_benchmark(self, sess: Any, op_or_tensor: Any, *args: Any, **kwargs: Any) -> Any:
        """Not here: operations are no objects that can be run.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError(
            "tf.test.Benchmark.run_op_benchmark runs an operation of a graph in a session, which do not exist here; "
            "time a tf.function and use report_benchmark"
        )


@export("test.benchmark_config")
def benchmark_config() -> Any:
    """A configuration for benchmarks' sessions: an empty one. Mirrors `tf.test.benchmark_config`."""
    return SimpleNamespace()
