"""What Keras 2 (`tf_keras`) asks TensorFlow for besides public names: hooks, classes that it tells apart, and small functions."""

from __future__ import annotations

import collections
import contextlib
import logging
from collections.abc import Callable
from typing import Any

from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.graph.graph import Graph
from tfgrad_jax.engine.names.export import export, export_value, registry
from tfgrad_jax.engine.state.trackable import Trackable
from tfgrad_jax.engine.state.variable import ResourceVariable, Variable
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.checkpoint import state
from tfgrad_jax.lib.data.structure import NoneTensorSpec
from tfgrad_jax.lib.distribute.variables import AggregatingVariable, DistributedVariable
from tfgrad_jax.lib.feature_column.base import DenseColumn, FeatureColumn, FeatureTransformationCache
from tfgrad_jax.lib.io.paths import path_text
from tfgrad_jax.lib.lookup.tables import LookupTable

_I, _P = "__internal__.", "python."


# -- what Keras registers ---------------------------------------------------------------------------------------------


def _accept(*args: Any, **kwargs: Any) -> None:
    """Accepted for compatibility: what is registered belongs to sessions and graph rewriting, which are not here."""


for _name in (
    "register_call_context_function", "register_clear_session_function", "register_get_session_function",
    "register_load_model_function", "tracking.register_session_provider", "mixed_precision.register_loss_scale_wrapper",
    "train.set_using_mixed_precision_policy",
):  # fmt: skip
    export_value(_accept, _I + _name)


@export(_I + "train.is_mixed_precision_graph_rewrite_enabled")
def is_mixed_precision_graph_rewrite_enabled() -> bool:
    """Whether graphs are rewritten for mixed precision: never."""
    return False


# -- classes that Keras derives from, or asks values for -----------------------------------------------------------------


@export(_I + "tracking.DelegatingTrackableMixin")
class DelegatingTrackableMixin:
    """Has another object's parts, so that checkpoints do not show what stands around it.

    Args:
      trackable_obj: the object.
    """

    def __init__(self, trackable_obj: Trackable) -> None:
        self._trackable = trackable_obj

    def __getattribute__(self, name: str) -> Any:
        if name in _DELEGATED:
            return getattr(object.__getattribute__(self, "_trackable"), name)
        return super().__getattribute__(name)


_DELEGATED = frozenset(name for name in vars(Trackable) if name.startswith("_") and not name.startswith("__"))


@export(_I + "tracking.CheckpointInitialValueCallable")
class CheckpointInitialValueCallable:
    """An initial value out of a checkpoint, of what an optimizer keeps for a variable.

    Args:
      checkpoint_position: where it was saved.
    """

    def __init__(self, checkpoint_position: Any) -> None:
        self._position = checkpoint_position

    @property
    def checkpoint_position(self) -> Any:
        """Where it was saved."""
        return self._position

    def __call__(self, shape: Any = None, dtype: Any = None, shard_info: Any = None) -> Any:
        """The value that was saved."""
        return self._position.value()


export_value(NoneTensorSpec, _P + "data.util.structure.NoneTensorSpec")
export_value(DistributedVariable, _P + "distribute.values.DistributedVariable")
export_value(AggregatingVariable, _P + "distribute.ps_values.AggregatingVariable")
export_value(ResourceVariable, _P + "ops.resource_variable_ops.BaseResourceVariable")
export_value(LookupTable, _P + "ops.lookup_ops.LookupInterface")
export_value(FeatureColumn, _I + "feature_column.FeatureColumn")
export_value(DenseColumn, _I + "feature_column.DenseColumn")
export_value(FeatureTransformationCache, _I + "feature_column.FeatureTransformationCache")


@export(_I + "feature_column.StateManager")
class StateManager:
    """The variables of feature columns, which belong to a layer.

    Args:
      layer: makes the variables, by `add_weight`.
      trainable: whether tapes watch them.
    """

    def __init__(self, layer: Any, trainable: bool) -> None:
        self._layer = layer
        self._trainable = trainable
        self._cols_to_vars_map: collections.defaultdict[Any, dict[str, Any]] = collections.defaultdict(dict)
        self._cols_to_resources_map: collections.defaultdict[Any, dict[str, Any]] = collections.defaultdict(dict)

    def create_variable(
        self, feature_column: Any, name: str, shape: Any, dtype: Any = None, trainable: bool = True, use_resource: bool = True,
        initializer: Any = None,
    ) -> Any:  # fmt: skip
        """Make a variable of a column.

        Raises:
          ValueError: if the column has one of that name.
        """
        if name in self._cols_to_vars_map[feature_column]:
            raise ValueError(f"Variable already exists: {name} of {feature_column}")
        trainable = self._trainable and trainable
        made = self._layer.add_weight(name=name, shape=shape, dtype=dtype, initializer=initializer, trainable=trainable)
        self._cols_to_vars_map[feature_column][name] = made
        return made

    def get_variable(self, feature_column: Any, name: str) -> Any:
        """A variable of a column."""
        return self._cols_to_vars_map[feature_column][name]


def _nobody(name: str, *paths: str) -> type:
    """A class of which nothing is: to ask values for it is well-defined, and always denied."""
    cls = type(name, (), {"__doc__": "A class of TensorFlow's of which there are no objects here."})
    for path in paths:
        export_value(cls, f"{path}.{name}")
    return cls


for _module, _name in (
    ("from_generator_op", "_GeneratorDataset"),
    ("range_op", "_RangeDataset"),
    ("from_sparse_tensor_slices_op", "_SparseTensorSliceDataset"),
    ("from_tensors_op", "_TensorDataset"),
    ("from_tensor_slices_op", "_TensorSliceDataset"),
):
    _nobody(_name, f"{_P}data.ops.{_module}")
_nobody("ShardedVariable", _I + "distribute")
_nobody("RestoredResource", _P + "trackable.resource")


@export(_P + "saved_model.model_utils.mode_keys.KerasModeKeys")
class KerasModeKeys:
    """What a model is used for."""

    TRAIN = "train"
    TEST = "test"
    PREDICT = "predict"


# -- functions --------------------------------------------------------------------------------------------------------


@export(_I + "execute_fn_for_device")
def execute_fn_for_device(
    device_branch_fns: dict[str, Callable[[], Any]], default_fn: Callable[[], Any], name: str = ""
) -> Any:
    """What the default branch gives: one program serves every device."""
    return default_fn()


@export(_I + "ops.is_resource_variable", _P + "ops.resource_variable_ops.is_resource_variable")
def is_resource_variable(var: Any) -> bool:
    """Whether a value is a variable."""
    return isinstance(var, Variable)


@export(_I + "ops.broadcast_weights")
def broadcast_weights(weights: Any, values: Any) -> Tensor:
    """Weights in the shape of the values.

    Args:
      weights: a scalar, or a tensor of the values' rank whose sizes are theirs or 1.
      values: a tensor.

    Raises:
      ValueError: if the shapes do not fit.
    """
    weights = registry["convert_to_tensor"](weights)
    values = registry["convert_to_tensor"](values)
    a, b = weights.shape, values.shape
    if a.rank is not None and b.rank is not None:
        if a.rank and (a.rank != b.rank or any(x not in (1, None) and y is not None and x != y for x, y in zip(a, b))):
            raise ValueError(f"broadcast_weights: weights of shape {a} can not be broadcast to values of shape {b}")
        if a.is_fully_defined() and a == b:
            return weights
    return registry["math.multiply"](weights, registry["ones_like"](values, dtype=weights.dtype))


@export(_I + "train.assign_moving_average")
def assign_moving_average(
    variable: Any, value: Any, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Any:
    """Bring a variable nearer to a value: `variable * decay + value * (1 - decay)`.

    With `zero_debias`, two more variables tell how much of that is the zero from which an average starts, and it is left out.
    """
    decay = registry["cast"](1.0 - registry["convert_to_tensor"](decay), variable.dtype)
    value = registry["cast"](value, variable.dtype)
    if not zero_debias:
        return variable.assign_sub((variable - value) * decay)
    scope, make = registry["compat.v1.variable_scope"], registry["compat.v1.get_variable"]
    zeros = registry["compat.v1.zeros_initializer"]()
    with registry["init_scope"](), scope(variable.name.partition(":")[0], reuse=registry["compat.v1.AUTO_REUSE"]):
        biased = make("biased", variable.shape, variable.dtype, initializer=zeros, trainable=False)
        steps = make("local_step", [], variable.dtype, initializer=zeros, trainable=False)
    average, count = biased.assign_sub((biased - value) * decay), steps.assign_add(1.0)
    return variable.assign(average / (1.0 - registry["pow"](1.0 - decay, count)))


@export(_I + "get_enclosing_xla_context", _P + "ops.control_flow_ops.get_enclosing_xla_context")
def get_enclosing_xla_context() -> None:
    """None: programs are compiled as a whole, and nothing in them is told apart."""
    return


setattr(Graph, "_get_control_flow_context", lambda self: None)  # noqa: B010 -- graphs of branches and loops are their own


@export(_P + "eager.context.get_device_name")
def get_device_name() -> None:
    """None: no device is asked for."""
    return


@export(_P + "eager.context.get_config")
def get_config() -> Any:
    """The settings of sessions: those that hold unless others are asked for."""
    return registry["compat.v1.ConfigProto"]()


for _name in ("DEBUG", "ERROR", "FATAL", "INFO", "WARN"):
    export_value(getattr(logging, _name), f"{_P}platform.tf_logging.{_name}")


@export(_P + "pywrap_tfe.TF_ListPluggablePhysicalDevices")
def list_pluggable_devices() -> list[Any]:
    """Devices of plugins, of which there are none."""
    return []


@export(_P + "distribute.input_ops.auto_shard_dataset")
def auto_shard_dataset(dataset: Any, num_shards: Any, index: Any, num_replicas_in_sync: Any = None) -> Any:
    """The part of a dataset that belongs to one of several workers."""
    return dataset.shard(num_shards, index)


def _nothing(*args: Any, **kwargs: Any) -> Any:
    """A context that changes nothing: values are read where they are asked for."""
    return contextlib.nullcontext()


export_value(
    _nothing, _I + "load_context", _I + "distribute.variable_sync_on_read_context",
    _P + "distribute.distribute_utils.cache_variable_reads",
)  # fmt: skip


@export(_P + "ops.ragged.ragged_util.assert_splits_match")
def assert_splits_match(nested_splits_lists: Any) -> list[Any]:
    """Assertions that ragged tensors are divided alike.

    Raises:
      ValueError: if they are not of one rank.
    """
    first, *others = nested_splits_lists
    if any(len(splits) != len(first) for splits in others):
        raise ValueError("Inputs must have identical ragged splits: their ragged ranks differ")
    equal, message = registry["debugging.assert_equal"], "Inputs must have identical ragged splits"
    return [equal(a, b, message=message) for splits in others for a, b in zip(splits, first, strict=True)]


export_value(lambda *args, **kwargs: registry["map_fn"](*args, **kwargs), _P + "ops.ragged.ragged_map_ops.map_fn")
export_value(vars(RaggedTensor)["__getitem__"], "__operators__.ragged_getitem")


# -- saved models -----------------------------------------------------------------------------------------------------


@export(_I + "saved_model.load.VersionedTypeRegistration")
class VersionedTypeRegistration:
    """How an object of a registered class is made again.

    Args:
      object_factory: takes the message that describes it.
      version, min_producer_version, min_consumer_version, bad_consumers: which versions belong together.
      setter: sets an attribute of it.
    """

    def __init__(
        self,
        object_factory: Callable[[Any], Any],
        version: int,
        min_producer_version: int,
        min_consumer_version: int,
        bad_consumers: Any = None,
        setter: Callable[..., Any] = setattr,
    ) -> None:
        self.object_factory = object_factory
        self.version = version
        self.setter = setter


_revived: dict[str, list[VersionedTypeRegistration]] = {}


@export(_I + "saved_model.load.register_revived_type")
def register_revived_type(
    identifier: str, predicate: Callable[[Any], bool], versions: list[VersionedTypeRegistration]
) -> None:
    """Name a class of objects that loading may make again."""
    _revived[identifier] = versions


@export(_I + "saved_model.load.registered_identifiers")
def registered_identifiers() -> list[str]:
    """The names that were registered."""
    return [*_revived]


# -- checkpoints ------------------------------------------------------------------------------------------------------


@export(_I + "train.update_checkpoint_state")
def update_checkpoint_state(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Any = None,
    latest_filename: str | None = None,
    save_relative_paths: bool = False,
    all_model_checkpoint_timestamps: Any = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Write the file that says what the newest checkpoint is, with paths relative to its folder if that is wanted."""
    state.update_checkpoint_state(
        path_text(save_dir), path_text(model_checkpoint_path), all_model_checkpoint_paths or (), latest_filename,
        all_model_checkpoint_timestamps or (), last_preserved_timestamp or 0.0, relative=save_relative_paths,
    )  # fmt: skip
