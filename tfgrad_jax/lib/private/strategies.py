"""`tensorflow.python.distribute.combinations` and `strategy_combinations`: tests that run once for each of some strategies.

What needs GPUs or TPUs that the machine lacks, servers, or several processes, is skipped and says so.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfgrad_jax.engine.function.function import function
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.lib.devices.devices import list_logical_devices, list_physical_devices
from tfgrad_jax.lib.devices.visible import LogicalDeviceConfiguration, set_logical_device_configuration
from tfgrad_jax.lib.distribute.mirrored import CentralStorageStrategy, MirroredStrategy, OneDeviceStrategy
from tfgrad_jax.lib.distribute.strategy import get_strategy
from tfgrad_jax.lib.private import combinations as plain

_C, _S, _I = (
    "python.distribute.combinations.",
    "python.distribute.strategy_combinations.",
    "__internal__.distribute.combinations.",
)

for _name in ("combine", "times", "NamedObject"):
    export_value(getattr(plain, _name), _C + _name)
export_value(plain.NamedObject("TfFunction", function), _C + "tf_function")
export_value(plain.NamedObject("NoTfFunction", lambda f: f), _C + "no_tf_function")


@export(_C + "concat")
def concat(*combined: list[Any]) -> list[Any]:
    """Lists of combinations one after the other."""
    return [one for listed in combined for one in listed]


@export(_C + "NamedDistribution")
class NamedDistribution:
    """A strategy with the name that tests show it by.

    Args:
      name: the name.
      distribution_fn: makes the strategy.
      required_gpus, required_physical_gpus, required_tpu, use_cloud_tpu: what it needs.
      has_chief, num_workers, num_ps: the processes that it needs.
      share_gpu, pool_runner_fn, no_xla: accepted for compatibility.
    """

    def __init__(
        self,
        name: str,
        distribution_fn: Callable[[], Any],
        required_gpus: int | None = None,
        required_physical_gpus: int = 0,
        required_tpu: bool = False,
        use_cloud_tpu: bool = False,
        has_chief: bool = False,
        num_workers: int = 1,
        num_ps: int = 0,
        share_gpu: bool = True,
        pool_runner_fn: Any = None,
        no_xla: bool = False,
    ) -> None:
        self._name, self._make = name, distribution_fn
        self.required_gpus, self.required_physical_gpus = required_gpus, required_physical_gpus
        self.required_tpu, self.use_cloud_tpu = required_tpu, use_cloud_tpu
        self.has_chief, self.num_workers, self.num_ps = has_chief, num_workers, num_ps
        self.share_gpu, self.no_xla = share_gpu, no_xla

    @property
    def strategy(self) -> Any:
        """The strategy, made anew."""
        return self._make()

    def __repr__(self) -> str:
        return self._name


def _distributions(kwargs: Mapping[str, Any]) -> list[NamedDistribution]:
    return [value for value in kwargs.values() if isinstance(value, NamedDistribution)]


class _Strategy(plain.ParameterModifier):
    """A test is given the strategies themselves."""

    def modified_arguments(self, kwargs: dict[str, Any], requested_parameters: Sequence[str]) -> dict[str, Any]:
        return {name: value.strategy for name, value in kwargs.items() if isinstance(value, NamedDistribution)}


class _Processes(plain.ParameterModifier):
    """A test that asks how many processes there are is told."""

    def modified_arguments(self, kwargs: dict[str, Any], requested_parameters: Sequence[str]) -> dict[str, Any]:
        one = next(iter(_distributions(kwargs)), None)
        said = {"has_chief": False, "num_workers": 1, "num_ps": 0, "runner": None, "share_gpu": True}
        return {n: getattr(one, n, kwargs.get(n, v)) for n, v in said.items() if n in requested_parameters}


@export(_C + "DistributionCombination")
class DistributionCombination(plain.TestCombination):
    """Tests are given strategies."""

    def parameter_modifiers(self) -> Sequence[plain.ParameterModifier]:
        """A test need not take `use_var_policy`."""
        return [_Strategy(), plain.OptionalParameter("use_var_policy")]


@export(_C + "ClusterCombination")
class ClusterCombination(plain.TestCombination):
    """Tests for several processes are skipped."""

    def should_execute_combination(self, kwargs: Mapping[str, Any]) -> tuple[bool, str | None]:
        """Whether one process is enough."""
        given = [kwargs.get("num_workers", 1) + bool(kwargs.get("has_chief")), kwargs.get("num_ps", 0) + 1]
        needed = [d.num_workers + d.has_chief + d.num_ps for d in _distributions(kwargs)]
        return max([*given, *needed]) <= 1, "tests of several processes are not run here"

    def parameter_modifiers(self) -> Sequence[plain.ParameterModifier]:
        """A test may ask for the processes."""
        return [_Processes()]


@export(_C + "GPUCombination")
class GPUCombination(plain.TestCombination):
    """Tests that need more GPUs than there are are skipped."""

    def should_execute_combination(self, kwargs: Mapping[str, Any]) -> tuple[bool, str | None]:
        """Whether there are enough GPUs."""
        needed = [kwargs.get("required_gpus") or 0, kwargs.get("required_physical_gpus") or 0]
        needed += [n or 0 for d in _distributions(kwargs) for n in (d.required_gpus, d.required_physical_gpus)]
        there = len(list_physical_devices("GPU"))
        return max(needed) <= there, f"Only {there} of {max(needed)} required GPUs are available."

    def parameter_modifiers(self) -> Sequence[plain.ParameterModifier]:
        """A test need not take what it requires."""
        return [plain.OptionalParameter("required_gpus"), plain.OptionalParameter("required_physical_gpus")]


@export(_C + "TPUCombination")
class TPUCombination(plain.TestCombination):
    """Tests that need a TPU are skipped."""

    def should_execute_combination(self, kwargs: Mapping[str, Any]) -> tuple[bool, str | None]:
        """Whether no TPU is needed."""
        needed = [kwargs.get("required_tpu"), kwargs.get("required_tpus"), kwargs.get("use_cloud_tpu")]
        needed += [d.required_tpu or d.use_cloud_tpu for d in _distributions(kwargs)]
        return not any(needed), "Test requires a TPU, but it's not available."

    def parameter_modifiers(self) -> Sequence[plain.ParameterModifier]:
        """A test need not take what it requires."""
        return [plain.OptionalParameter(name) for name in ("required_tpus", "required_tpu", "use_cloud_tpu")]


@export(_C + "generate", _I + "generate")
def generate(
    combinations: Sequence[Mapping[str, Any]], test_combinations: tuple[Any, ...] = ()
) -> Callable[[Any], Any]:
    """As `tf.__internal__.test.combinations.generate`; what is a named distribution is the strategy to the test."""
    usual = (
        plain.EagerGraphCombination(),
        plain.TFVersionCombination(),
        ClusterCombination(),
        DistributionCombination(),
        GPUCombination(),
        TPUCombination(),
    )
    return plain.generate(combinations, usual + tuple(test_combinations))


@export(_C + "in_main_process", _I + "in_main_process")
def in_main_process() -> bool:
    """Always true: tests run in one process."""
    return True


@export("python.distribute.test_util.set_logical_devices_to_at_least")
def set_logical_devices_to_at_least(device: str, num: int) -> None:
    """Divide the first device of a kind into as many, where there are fewer.

    Args:
      device: the kind, such as "CPU".
      num: the number.
    """
    there = list_physical_devices(device)
    if there and len(list_logical_devices(device)) < num:
        set_logical_device_configuration(there[0], [LogicalDeviceConfiguration() for _ in range(num)])


@export(_S + "set_virtual_cpus_to_at_least")
def set_virtual_cpus_to_at_least(num_virtual_cpus: int) -> None:
    """As many CPUs, or more."""
    set_logical_devices_to_at_least("CPU", num_virtual_cpus)


def _mirrored(*devices: str) -> Callable[[], Any]:
    def make() -> Any:
        cpus = [int(device.rpartition(":")[2]) for device in devices if "cpu" in device]
        with contextlib.suppress(RuntimeError):  # too late to divide it: replicas take turns on the one that there is
            set_logical_devices_to_at_least("CPU", max(cpus, default=0) + 1)
        return MirroredStrategy(list(devices))

    return make


def _absent() -> Any:
    raise NotImplementedError("tests of this strategy are skipped: there is no machine like that")


def _defined() -> dict[str, NamedDistribution]:
    named = NamedDistribution
    found = {
        "default_strategy": named("Default", get_strategy),
        "one_device_strategy": named("OneDeviceCPU", lambda: OneDeviceStrategy("/cpu:0")),
        "one_device_strategy_gpu": named("OneDeviceGPU", lambda: OneDeviceStrategy("/gpu:0"), required_gpus=1),
        "one_device_strategy_on_worker_1": named("OneDeviceOnWorker1CPU", _absent, num_workers=2),
        "one_device_strategy_gpu_on_worker_1": named("OneDeviceOnWorker1GPU", _absent, required_gpus=1, num_workers=2),
        "mirrored_strategy_with_one_cpu": named("Mirrored1CPU", _mirrored("/cpu:0")),
        "mirrored_strategy_with_one_gpu": named("Mirrored1GPU", _mirrored("/gpu:0"), required_gpus=1),
        "mirrored_strategy_with_gpu_and_cpu": named(
            "MirroredCPUAndGPU", _mirrored("/gpu:0", "/cpu:0"), required_gpus=1
        ),
        "mirrored_strategy_with_two_cpus": named("Mirrored2CPUs", _mirrored("/cpu:0", "/cpu:1"), required_gpus=0),
        "mirrored_strategy_with_two_gpus": named("Mirrored2GPUs", _mirrored("/gpu:0", "/gpu:1"), required_gpus=2),
        "mirrored_strategy_with_two_gpus_no_merge_call": named(
            "Mirrored2GPUsNoMergeCall", _mirrored("/gpu:0", "/gpu:1"), required_physical_gpus=2
        ),
        "mirrored_strategy_with_cpu_1_and_2": named("Mirrored2CPU", _mirrored("/cpu:1", "/cpu:2")),
        "central_storage_strategy_with_two_gpus": named(
            "CentralStorage2GPUs", lambda: CentralStorageStrategy(["/gpu:0", "/gpu:1"]), required_gpus=2
        ),
        "central_storage_strategy_with_gpu_and_cpu": named(
            "CentralStorageCPUAndGPU", lambda: CentralStorageStrategy(["/gpu:0", "/cpu:0"]), required_gpus=1
        ),
    }
    for name, title in {
        "": "", "_packed_var": "PackedVar", "_spmd": "UseSPMD", "_one_step": "OneStep", "_one_core": "OneCore",
        "_one_step_one_core": "OneStepOneCore",
    }.items():  # fmt: skip
        found[f"tpu_strategy{name}"] = named(f"TPU{title}", _absent, required_tpu=True)
    found["cloud_tpu_strategy"] = named("CloudTPU", _absent, required_tpu=True, use_cloud_tpu=True)
    for name, (title, workers, gpus) in {
        "2x1_cpu": ("2x1CPU", 1, 0), "2x1_gpu": ("2x1GPU", 1, 1), "2x1_gpu_noshare": ("2x1GPUNoShare", 1, 1),
        "2x2_gpu": ("2x2GPU", 1, 2), "2x2_gpu_no_merge_call": ("2x2GPUNoMergeCall", 1, 2), "4x1_cpu": ("4x1CPU", 3, 0),
    }.items():  # fmt: skip
        found[f"multi_worker_mirrored_{name}"] = named(
            f"MultiWorkerMirrored{title}", _absent, required_gpus=gpus, has_chief=True, num_workers=workers
        )
    for workers in (1, 3):
        for name, title, gpus in (("cpu", "CPU", 0), ("1gpu", "1GPU", 1)):
            found[f"parameter_server_strategy_{workers}worker_2ps_{name}"] = named(
                f"ParameterServer{workers}Worker2PS{title}",
                _absent,
                required_gpus=gpus,
                has_chief=True,
                num_workers=workers,
                num_ps=2,
            )
    return found


_ALL = _defined()
_INTERNAL = (
    "central_storage_strategy_with_gpu_and_cpu", "central_storage_strategy_with_two_gpus", "cloud_tpu_strategy",
    "default_strategy", "mirrored_strategy_with_cpu_1_and_2", "mirrored_strategy_with_gpu_and_cpu",
    "mirrored_strategy_with_one_cpu", "mirrored_strategy_with_one_gpu", "mirrored_strategy_with_two_cpus",
    "mirrored_strategy_with_two_gpus", "mirrored_strategy_with_two_gpus_no_merge_call", "multi_worker_mirrored_2x1_cpu",
    "multi_worker_mirrored_2x1_gpu", "multi_worker_mirrored_2x1_gpu_noshare", "multi_worker_mirrored_2x2_gpu",
    "multi_worker_mirrored_2x2_gpu_no_merge_call", "one_device_strategy", "one_device_strategy_gpu",
    "parameter_server_strategy_1worker_2ps_1gpu", "parameter_server_strategy_1worker_2ps_cpu",
    "parameter_server_strategy_3worker_2ps_1gpu", "parameter_server_strategy_3worker_2ps_cpu", "tpu_strategy",
    "tpu_strategy_one_core", "tpu_strategy_packed_var",
)  # fmt: skip
for _name, _one in _ALL.items():
    export_value(_one, _S + _name, *([_I + _name] if _name in _INTERNAL else []))

_GPUS = ("mirrored_strategy_with_gpu_and_cpu", "mirrored_strategy_with_two_gpus")
_TPUS = ("tpu_strategy", "tpu_strategy_one_step", "tpu_strategy_packed_var", "cloud_tpu_strategy")
_ONES = ("one_device_strategy", "one_device_strategy_gpu")
_CENTRAL = ("central_storage_strategy_with_gpu_and_cpu",)
_WORKERS = ("multi_worker_mirrored_2x1_cpu", "multi_worker_mirrored_2x1_gpu")
_LISTS = {
    "strategies_minus_tpu": ("default_strategy", *_ONES, *_GPUS, *_CENTRAL),
    "strategies_minus_default_and_tpu": (*_ONES, *_GPUS),
    "tpu_strategies": _TPUS,
    "all_strategies_minus_default": (*_ONES, *_GPUS, *_TPUS),
    "all_strategies": ("default_strategy", *_ONES, *_GPUS, *_CENTRAL, *_TPUS),
    "two_replica_strategies": (*_GPUS, *_WORKERS, *_TPUS[:2], *_CENTRAL),
    "four_replica_strategies": ("multi_worker_mirrored_2x2_gpu", "multi_worker_mirrored_4x1_cpu"),
    "multidevice_strategies": (*_GPUS, *_TPUS[:2]),
    "multiworker_strategies": (*_WORKERS, "multi_worker_mirrored_2x2_gpu"),
}
for _name, _listed in _LISTS.items():
    export_value([_ALL[one] for one in _listed], _S + _name)
export_value(["graph", "eager"], _S + "graph_and_eager_modes")


def _combinations(*lists: tuple[str, list[str]]) -> Callable[[], list[Any]]:
    def make() -> list[Any]:
        chosen = [([_ALL[one] for one in _LISTS[name]], modes) for name, modes in lists]
        return [one for listed, modes in chosen for one in plain.combine(distribution=listed, mode=modes)]

    return make


_BOTH = ["graph", "eager"]
for _name, _parts in {
    "strategy_minus_tpu_combinations": [("strategies_minus_tpu", _BOTH)],
    "tpu_strategy_combinations": [("tpu_strategies", ["graph"])],
    "all_strategy_combinations": [("strategies_minus_tpu", _BOTH), ("tpu_strategies", ["graph"])],
    "all_strategy_minus_default_and_tpu_combinations": [("strategies_minus_default_and_tpu", _BOTH)],
    "all_strategy_combinations_minus_default": [
        ("strategies_minus_default_and_tpu", _BOTH),
        ("tpu_strategies", ["graph"]),
    ],
}.items():
    export_value(_combinations(*_parts), _S + _name)
