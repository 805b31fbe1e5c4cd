"""`tensorflow.dtensor.python.tests`: what TensorFlow's own tests of tensors on meshes are built on.

A CPU that nothing has run on yet is divided into eight devices when this is loaded, as most of those tests need.
"""

from __future__ import annotations

import contextlib
import enum
import itertools
import multiprocessing
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from tfgrad_jax.engine.messages.optional import optional
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.lib.devices.devices import list_logical_devices, list_physical_devices
from tfgrad_jax.lib.devices.visible import (
    LogicalDeviceConfiguration,
    reset_context,
    set_logical_device_configuration,
)
from tfgrad_jax.lib.dtensor import clients
from tfgrad_jax.lib.dtensor.layout import Layout
from tfgrad_jax.lib.dtensor.mesh import Mesh
from tfgrad_jax.lib.dtensor.tensors import fetch_layout, unpack
from tfgrad_jax.lib.private import dtensor
from tfgrad_jax.lib.testing.case import TestCase

_T, _B, _N = (f"dtensor.python.tests.test_{module}." for module in ("util", "backend_util", "backend_name"))

_COUNT = 8

if getattr(jax.config, "jax_num_cpu_devices", 0) < _COUNT and "host_platform_device_count" not in os.environ.get(
    "XLA_FLAGS", ""
):
    with contextlib.suppress(RuntimeError):  # too late: there are as many as there are
        jax.config.update("jax_num_cpu_devices", _COUNT)

DEFAULT_TOL = export_value(1e-5, _T + "DEFAULT_TOL")
export_value(reset_context, _T + "reset_context")
export_value(dtensor.reset, _T + "reset_dtensor")
export_value(dtensor.is_gpu_present, _T + "is_gpu_present")
export_value(dtensor.is_tpu_present, _T + "is_tpu_present")


@export(_N + "DTensorTestUtilBackend")
class DTensorTestUtilBackend(enum.Enum):
    """The machines that tests are meant for."""

    UNSPECIFIED = "unspecified"
    CPU = "cpu"
    GPU = "gpu"
    GPU_2DEVS_BACKEND = "2gpus"
    TPU = "tpu"
    TPU_STREAM_EXECUTOR = "tpu_se"
    TPU_V3_DONUT_BACKEND = "tpu_v3_2x2"
    TPU_V4_DONUT_BACKEND = "tpu_v4_2x2"


export_value(
    DTensorTestUtilBackend(os.environ.get("DTENSOR_TEST_UTIL_BACKEND", "unspecified")),
    _N + "DTENSOR_TEST_UTIL_BACKEND",
)


@export(_B + "DTensorTestBackendConfigurator")
class DTensorTestBackendConfigurator:
    """Gives devices back after a test.

    Args:
      test_case: the test.
    """

    def __init__(self, test_case: Any) -> None:
        self._test_case = test_case

    def tearDown(self) -> None:
        """Give them back."""
        if clients.is_initialized():
            clients.shutdown_accelerator_system()


@export(_B + "get_mp_context")
def get_mp_context() -> Any:
    """How tests start processes."""
    return multiprocessing.get_context("forkserver")


@export(_B + "handle_test_main")
def handle_test_main(main: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Run a program."""
    main(*args, **kwargs)


@export(_T + "get_use_xla_spmd")
def get_use_xla_spmd(device_type: str) -> bool:
    """Whether TensorFlow leaves it to XLA to spread programs: on TPUs."""
    return device_type == "TPU" and os.environ.get("DTENSOR_TEST_USE_XLA_SPMD", "0") != "0"


@export(_T + "create_device_ids_array")
def create_device_ids_array(shape: Sequence[int]) -> np.ndarray:
    """Numbers of devices in an array."""
    return np.arange(int(np.prod(shape))).reshape(shape)


@export(_T + "create_device_array")
def create_device_array(shape: Sequence[int], device_type: str) -> np.ndarray:
    """Names of devices in an array."""
    names = [f"/job:localhost/replica:0/task:0/device:{device_type}:{i}" for i in range(int(np.prod(shape)))]
    return np.array(names).reshape(shape)


@export(_T + "create_device_list")
def create_device_list(shape: Sequence[int], device_type: str) -> list[str]:
    """Names of devices."""
    return create_device_array(shape, device_type).ravel().tolist()


@export(_T + "list_local_logical_devices")
def list_local_logical_devices(device_type: str) -> list[Any]:
    """The devices of a kind."""
    return list_logical_devices(device_type)


@export(_T + "is_tfrt_enabled")
def is_tfrt_enabled() -> bool:
    """Whether TensorFlow's other runtime is in use: never."""
    return False


@export(_T + "reset_logical_devices")
def reset_logical_devices(device_type: str, count: int) -> None:
    """Divide the first device of a kind into as many.

    Raises:
      ValueError: for another kind than CPU and GPU.
    """
    if device_type.upper() not in ("CPU", "GPU"):
        raise ValueError(f"resetting logical device for non-supported device type : {device_type}")
    reset_context()
    there = list_physical_devices(device_type.upper())
    if len(there) < count and device_type.upper() == "CPU":
        set_logical_device_configuration(there[0], [LogicalDeviceConfiguration() for _ in range(count)])


@export(_T + "product")
def product(*lists: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """All combinations of named parameters, whose names are put together."""
    return [
        ("".join([one[0] for one in chosen]), *itertools.chain.from_iterable(one[1:] for one in chosen))
        for chosen in itertools.product(*lists)
    ]


_parameterized: Any = optional("absl.testing.parameterized", "testing", "tensorflow.dtensor.python.tests.test_util")
export_value(optional("absl.flags", "testing", "tensorflow.dtensor.python.tests.test_util").FLAGS, _T + "FLAGS")


@export(_T + "DTensorBaseTest")
class DTensorBaseTest(TestCase, _parameterized.TestCase):
    """A test of tensors on meshes."""

    def setUp(self) -> None:
        """As every test's."""
        super().setUp()
        self._backend_configurator = DTensorTestBackendConfigurator(self)

    def tearDown(self) -> None:
        """As every test's, and devices are given back."""
        dtensor.reset()
        self._backend_configurator.tearDown()
        super().tearDown()

    @staticmethod
    def configTestMesh(device_type_mesh_map: Mapping[str, Mesh]) -> Mesh:
        """Of a mesh for each kind of devices that of this machine, whose devices are made ready.

        Raises:
          ValueError: if there is none.
        """
        kind = "TPU" if dtensor.is_tpu_present() else "GPU" if dtensor.is_gpu_present() else "CPU"
        mesh = device_type_mesh_map.get(kind)
        if mesh is None:
            raise ValueError(f"Requires a {kind} mesh to run test on {kind}.")
        if kind == "TPU":
            reset_context()
        else:
            reset_logical_devices(kind, mesh.size)
        clients.initialize_accelerator_system(kind)
        return mesh

    def skipForDeviceType(
        self, device_type: Sequence[str], reason: str, unless_device_count_equals_to: int | None = None
    ) -> None:
        """Skip the test on machines of some kinds.

        Args:
          device_type: the kinds.
          reason: why.
          unless_device_count_equals_to: TPUs with so many devices are no reason.
        """
        there = {device.device_type for device in list_physical_devices()}
        for kind in device_type:
            if kind == "CPU":
                skipped = there == {"CPU"}
            else:
                skipped = kind in there
            if kind == "TPU" and skipped and unless_device_count_equals_to is not None:
                skipped = len(list_logical_devices("TPU")) != unless_device_count_equals_to
            if skipped:
                self.skipTest(reason)

    def skipForTfrt(self, reason: str) -> None:
        """Never skips: there is one runtime."""

    def skipTest(self, reason: Any) -> Any:
        """Skip the test; devices are given back."""
        if hasattr(self, "_backend_configurator"):
            self._backend_configurator.tearDown()
        super().skipTest(reason)

    def assertDTensorEqual(
        self, expected_result: Any, expected_layout: Layout | None, result_dtensor: Any, tol: float = DEFAULT_TOL
    ) -> None:
        """A tensor on a mesh has this value and lies so, and devices that have the same part have the same values.

        Args:
          expected_result: the value.
          expected_layout: how it lies; None if that does not matter.
          result_dtensor: the tensor, or a variable.
          tol: how far values may be off.
        """
        if isinstance(result_dtensor, Variable):
            result_dtensor = result_dtensor.value()
        layout = fetch_layout(result_dtensor)
        if expected_layout is not None:
            found, expected = layout.to_string(), expected_layout.to_string()
            self.assertEqual(layout, expected_layout, f"the tensor lies as\n  {found}\nand not as\n  {expected}")
        parts = [np.asarray(part) for part in unpack(result_dtensor)]
        self.assertAllEqual(expected_result.shape, result_dtensor.shape)
        whole = dtensor.unpacked_to_numpy(parts, layout)
        self.assertEqual(expected_result.dtype, whole.dtype, whole)
        self.assertAllClose(expected_result, whole, atol=tol, rtol=tol)
        first: dict[Any, Any] = {}
        for place, part in zip(layout.offset_to_shard(), parts, strict=True):
            self.assertAllClose(first.setdefault(place, part), part)
