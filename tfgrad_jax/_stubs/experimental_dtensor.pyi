"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.dtensor.saving import DTensorCheckpoint as DTensorCheckpoint
from tfgrad_jax.lib.dtensor.input import DTensorDataset as DTensorDataset
from tfgrad_jax.lib.dtensor.tensors import DVariable as DVariable
from tfgrad_jax.lib.dtensor.layout import Layout as Layout
from tfgrad_jax.lib.dtensor.mesh import Mesh as Mesh
MATCH: str
UNSHARDED: str
def barrier(mesh: _Any, barrier_name: _Any = None, timeout_in_ms: _Any = None) -> _Any:
    """Wait for all processes: there is one."""
def call_with_layout(fn: _Any, layout: _Any, *args: _Any, **kwargs: _Any) -> _Any:
    """What a function gives, laid out. Mirrors `tf.experimental.dtensor.call_with_layout`."""
def check_layout(tensor: _Any, layout: _Any) -> _Any:
    """That a tensor lies so."""
def client_id() -> _Any:
    """The number of this process."""
def copy_to_mesh(tensor: _Any, layout: _Any, source_layout: _Any = None) -> _Any:
    """A tensor put onto a mesh. Mirrors `tf.experimental.dtensor.copy_to_mesh`; raises as `relayout`."""
def create_distributed_mesh(mesh_dims: _Any, mesh_name: _Any = '', local_devices: _Any = None, device_type: _Any = None, use_xla_spmd: _Any = False) -> _Any:
    """A mesh of all processes' devices: here, of this one's. Arguments as of `create_mesh`."""
def create_mesh(mesh_dims: _Any = None, mesh_name: _Any = '', devices: _Any = None, device_type: _Any = None, use_xla_spmd: _Any = False) -> _Any:
    """A mesh of this process' devices. Mirrors `tf.experimental.dtensor.create_mesh`."""
def default_mesh(mesh: _Any) -> _Any:
    """A context in which tensors that lie on no mesh count as whole on every device of this one."""
def device_name() -> _Any:
    """The name that TensorFlow's messages have for what runs operations on meshes."""
def enable_save_as_bf16(variables: _Any) -> _Any:
    """Have variables saved as bfloat16, and restored from it."""
def fetch_layout(tensor: _Any) -> _Any:
    """How a tensor lies. Mirrors `tf.experimental.dtensor.fetch_layout`."""
def full_job_name(task_id: _Any = None) -> _Any:
    """The name of a process."""
def get_default_mesh() -> _Any:
    """The mesh whose scope is open, or None."""
def heartbeat_enabled() -> _Any:
    """Whether processes look for each other."""
def initialize_accelerator_system(device_type: _Any = None, enable_coordination_service: _Any = True, num_logical_cpu_devices: _Any = None, experimental_reset_context: _Any = False, experimental_enable_megcore: _Any = False) -> _Any:
    """Make devices ready: the CPU is divided, the others are. Mirrors the function of the same name."""
def initialize_multi_client(device_type: _Any = None, enable_coordination_service: _Any = True, num_logical_cpu_devices: _Any = None, experimental_reset_context: _Any = False, experimental_enable_megcore: _Any = False) -> _Any:
    """Make devices ready: the CPU is divided, the others are. Mirrors the function of the same name."""
def is_dtensor(tensor: _Any) -> _Any:
    """Whether a tensor lies on a mesh."""
def job_name() -> _Any:
    """The name of the processes' job."""
def jobs() -> _Any:
    """The addresses of the processes: none, as there is one."""
def local_devices(device_type: _Any, for_client_id: _Any = None) -> _Any:
    """The devices of a kind of this process."""
def name_based_restore(mesh: _Any, checkpoint_prefix: _Any, name_tensor_dict: _Any) -> _Any:
    """The tensors that a checkpoint has under some names, which lie as others do. Mirrors the function of the same name."""
def name_based_save(mesh: _Any, checkpoint_prefix: _Any, name_tensor_dict: _Any) -> _Any:
    """Write tensors and variables on a mesh under their names. Mirrors `tf.experimental.dtensor.name_based_save`."""
def num_clients() -> _Any:
    """How many processes there are: one."""
def num_global_devices(device_type: _Any) -> _Any:
    """How many devices of a kind there are."""
def num_local_devices(device_type: _Any) -> _Any:
    """How many devices of a kind there are."""
def pack(tensors: _Any, layout: _Any) -> _Any:
    """A tensor of the parts that each device is to have. Mirrors `tf.experimental.dtensor.pack`."""
def preferred_device_type() -> _Any:
    """The kind of devices that meshes have if nothing else is said."""
def relayout(tensor: _Any, layout: _Any, name: _Any = None) -> _Any:
    """A tensor that lies on a mesh in another way; its gradient lies as it lay. Mirrors `tf.experimental.dtensor.relayout`."""
def relayout_like(tensor: _Any, layout_tensor: _Any, name: _Any = None) -> _Any:
    """A tensor that lies on a mesh as another one does."""
def run_on(mesh: _Any) -> _Any:
    """A context in which tensors that lie on no mesh count as whole on every device of this one."""
def sharded_save(mesh: _Any, file_prefix: _Any, tensor_names: _Any, shape_and_slices: _Any, tensors: _Any) -> _Any:
    """Write tensors that lie on a mesh. Mirrors `tf.experimental.dtensor.sharded_save`."""
def shutdown_accelerator_system() -> _Any:
    """Forget that devices were made ready."""
def unpack(tensor: _Any) -> _Any:
    """The part of a tensor that each device has. Mirrors `tf.experimental.dtensor.unpack`."""
