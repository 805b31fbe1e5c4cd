"""The base of the distributions: what is asked of one, by which of its methods, and what follows from another answer."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.names.scopes import name_scope
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import get_static_value, is_tensor
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.lib.distributions.checks import as_value
from tfgrad_jax.lib.distributions.divergence import kl_divergence
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import convert_to_tensor
from tfgrad_jax.ops.array.shape import broadcast_dynamic_shape, broadcast_static_shape, reshape
from tfgrad_jax.ops.array.sizes import shape
from tfgrad_jax.ops.math.compare import equal
from tfgrad_jax.ops.math.elementary import exp, log, log1p
from tfgrad_jax.ops.math.power import sqrt, square
from tfgrad_jax.ops.math.reduce import reduce_prod


@export("compat.v1.distributions.ReparameterizationType")
class ReparameterizationType:
    """Whether gradients flow from samples to parameters. Mirrors `tf.compat.v1.distributions.ReparameterizationType`.

    Args:
      rep_type: what it is called.
    """

    def __init__(self, rep_type: str) -> None:
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameterization Type: {self._rep_type}>"


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")
export_value(FULLY_REPARAMETERIZED, "compat.v1.distributions.FULLY_REPARAMETERIZED")
export_value(NOT_REPARAMETERIZED, "compat.v1.distributions.NOT_REPARAMETERIZED")


def _one_minus(p: Any) -> Any:
    return 1.0 - p


def _log_of_rest(p: Any) -> Any:
    return log1p(-p)


_FOLLOWS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "log_prob": ("_prob", log),
    "prob": ("_log_prob", exp),
    "log_cdf": ("_cdf", log),
    "cdf": ("_log_cdf", exp),
    "log_survival_function": ("cdf", _log_of_rest),
    "survival_function": ("cdf", _one_minus),
    "variance": ("_stddev", square),
    "stddev": ("_variance", sqrt),
}
"""What is asked, the method that tells it too, and what to do with its answer."""


@export("compat.v1.distributions.Distribution")
class Distribution:
    """The base of distributions. Mirrors `tf.compat.v1.distributions.Distribution`.

    A subclass defines what it knows as methods whose names begin with `_`: `_sample_n(n, seed)`, `_log_prob(value)` or
    `_prob`, `_cdf`, `_mean`, `_variance` or `_stddev`, `_entropy`, `_mode`, and its shapes, `_batch_shape` and
    `_event_shape`. The public methods ask these; what one lacks and another one tells is computed of that.

    Args:
      dtype: of samples.
      reparameterization_type: `FULLY_REPARAMETERIZED` or `NOT_REPARAMETERIZED`.
      validate_args: whether values of arguments are checked.
      allow_nan_stats: whether what is not defined, such as the mode of some, is NaN; otherwise it raises.
      parameters: the arguments of the subclass, for `copy`.
      graph_parents: its tensors.
      name: of the scope of its operations.

    Raises:
      ValueError: if one of `graph_parents` is no tensor.
    """

    def __init__(
        self,
        dtype: Any,
        reparameterization_type: ReparameterizationType,
        validate_args: bool,
        allow_nan_stats: bool,
        parameters: dict[str, Any] | None = None,
        graph_parents: list[Any] | None = None,
        name: str | None = None,
    ) -> None:
        for i, parent in enumerate(graph_parents or []):
            if not is_tensor(parent):
                raise ValueError(f"Graph parent item {i} is not a Tensor; {parent}.")
        if not (name and name.endswith("/")):
            with name_scope(name or type(self).__name__) as name:
                pass
        self._name = None if executing_eagerly() else name
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._reparameterization_type = reparameterization_type
        self._validate_args = validate_args
        self._allow_nan_stats = allow_nan_stats
        self._parameters = parameters or {}
        self._graph_parents = graph_parents or []

    # -- what it is -----------------------------------------------------------------------------------------------------

    @property
    def name(self) -> Any:
        """The scope of its operations; None where these run at once."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The dtype of samples."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that it was made with."""
        return {k: v for k, v in self._parameters.items() if not k.startswith("__") and k != "self"}

    @property
    def reparameterization_type(self) -> ReparameterizationType:
        """Whether gradients flow from samples to parameters."""
        return self._reparameterization_type

    @property
    def allow_nan_stats(self) -> bool:
        """Whether what is not defined is NaN."""
        return self._allow_nan_stats

    @property
    def validate_args(self) -> bool:
        """Whether values of arguments are checked."""
        return self._validate_args

    def copy(self, **override_parameters_kwargs: Any) -> Any:
        """Another distribution of this class, with the same arguments but for those given."""
        return type(self)(**{**self.parameters, **override_parameters_kwargs})

    @classmethod
    def param_shapes(cls, sample_shape: Any, name: str = "DistributionParamShapes") -> dict[str, Any]:
        """By parameter, the shape with which one sample has the shape `sample_shape`."""
        with name_scope(name):
            return cls._param_shapes(sample_shape)

    @classmethod
    def param_static_shapes(cls, sample_shape: Any) -> dict[str, TensorShape]:
        """`param_shapes` as shapes rather than tensors.

        Raises:
          ValueError: if `sample_shape` is not known.
        """
        if isinstance(sample_shape, TensorShape):
            sample_shape = sample_shape.as_list()
        known = {k: get_static_value(v) for k, v in cls.param_shapes(sample_shape).items()}
        if any(value is None for value in known.values()):
            raise ValueError("param_static_shapes: sample_shape must be a fully-defined TensorShape or list/tuple")
        return {k: TensorShape([int(n) for n in value]) for k, value in known.items()}

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, Any]:
        raise NotImplementedError("_param_shapes not implemented")

    def __str__(self) -> str:
        shapes = {"batch_shape": self.batch_shape, "event_shape": self.event_shape}
        told = "".join(f", {what}={value}" for what, value in shapes.items() if value.rank is not None)
        return f'tfp.distributions.{type(self).__name__}("{self.name}"{told}, dtype={self.dtype.name})'

    def __repr__(self) -> str:
        shapes = f"batch_shape={self.batch_shape} event_shape={self.event_shape}"
        return f"<tfp.distributions.{type(self).__name__} '{self.name}' {shapes} dtype={self.dtype.name}>"

    # -- shapes ---------------------------------------------------------------------------------------------------------

    def _batch_shape(self) -> Any:
        return TensorShape(None)

    def _event_shape(self) -> Any:
        return TensorShape(None)

    @property
    def batch_shape(self) -> TensorShape:
        """How many distributions it is, as far as that is known."""
        return TensorShape(self._batch_shape())

    @property
    def event_shape(self) -> TensorShape:
        """The shape of one sample of one distribution, as far as that is known."""
        return TensorShape(self._event_shape())

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """How many distributions it is, as a vector."""
        with self._name_scope(name):
            return self._shape_tensor(self.batch_shape, "batch_shape_tensor")

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Any:
        """The shape of one sample of one distribution, as a vector."""
        with self._name_scope(name):
            return self._shape_tensor(self.event_shape, "event_shape_tensor")

    def _shape_tensor(self, known: TensorShape, asked: str) -> Any:
        if known.is_fully_defined():
            return convert_to_tensor(known.as_list(), dtype=dtypes.int32)
        return self._ask(asked)

    def is_scalar_event(self, name: str = "is_scalar_event") -> Any:
        """Whether a sample of one distribution is a scalar."""
        with self._name_scope(name):
            return _is_scalar(self.event_shape, self.event_shape_tensor)

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> Any:
        """Whether it is one distribution."""
        with self._name_scope(name):
            return _is_scalar(self.batch_shape, self.batch_shape_tensor)

    # -- samples --------------------------------------------------------------------------------------------------------

    def sample(self, sample_shape: Any = (), seed: Any = None, name: str = "sample") -> Any:
        """Random samples, of the shape `sample_shape + batch_shape + event_shape`.

        Args:
          sample_shape: an integer or a vector of them.
          seed: the operation's own seed, see `tf.random.set_seed`.
          name: of the operations.

        Raises:
          ValueError: if `sample_shape` is a matrix.
        """
        with self._name_scope(name):
            sizes: Any = convert_to_tensor(sample_shape, dtype=dtypes.int32)
            if sizes.shape.rank not in (None, 0, 1):
                raise ValueError("Input is neither scalar nor vector.")
            known = get_static_value(sizes)
            if known is None:
                count, sizes = reduce_prod(sizes), reshape(sizes, [-1])
            else:
                count, sizes = int(np.prod(known)), np.atleast_1d(known)
            drawn = self._ask("sample_n", count, seed)
            drawn = reshape(drawn, concat([sizes, shape(drawn)[1:]], 0))
            if known is not None:
                drawn.set_shape(TensorShape(sizes).concatenate(self.batch_shape).concatenate(self.event_shape))
            return drawn

    # -- what is asked --------------------------------------------------------------------------------------------------

    def log_prob(self, value: Any, name: str = "log_prob") -> Any:
        """The logarithm of the probability, or of its density, of a value."""
        return self._of_value("log_prob", value, name)

    def prob(self, value: Any, name: str = "prob") -> Any:
        """The probability, or its density, of a value."""
        return self._of_value("prob", value, name)

    def log_cdf(self, value: Any, name: str = "log_cdf") -> Any:
        """The logarithm of `cdf`."""
        return self._of_value("log_cdf", value, name)

    def cdf(self, value: Any, name: str = "cdf") -> Any:
        """The probability of samples up to a value."""
        return self._of_value("cdf", value, name)

    def log_survival_function(self, value: Any, name: str = "log_survival_function") -> Any:
        """The logarithm of `survival_function`."""
        return self._of_value("log_survival_function", value, name)

    def survival_function(self, value: Any, name: str = "survival_function") -> Any:
        """The probability of samples above a value."""
        return self._of_value("survival_function", value, name)

    def quantile(self, value: Any, name: str = "quantile") -> Any:
        """The value up to which samples have this probability."""
        return self._of_value("quantile", value, name)

    def entropy(self, name: str = "entropy") -> Any:
        """Shannon's entropy, in nats."""
        return self._of_itself("entropy", name)

    def mean(self, name: str = "mean") -> Any:
        """The mean of samples."""
        return self._of_itself("mean", name)

    def variance(self, name: str = "variance") -> Any:
        """The mean square of how far samples are from their mean."""
        return self._of_itself("variance", name)

    def stddev(self, name: str = "stddev") -> Any:
        """The standard deviation: the root of `variance`."""
        return self._of_itself("stddev", name)

    def covariance(self, name: str = "covariance") -> Any:
        """The covariances of the elements of samples."""
        return self._of_itself("covariance", name)

    def mode(self, name: str = "mode") -> Any:
        """The most probable value."""
        return self._of_itself("mode", name)

    def kl_divergence(self, other: Any, name: str = "kl_divergence") -> Any:
        """The Kullback-Leibler divergence of this distribution from another one."""
        with self._name_scope(name):
            return kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    def cross_entropy(self, other: Any, name: str = "cross_entropy") -> Any:
        """The entropy of samples of this distribution as the other one sees them."""
        with self._name_scope(name):
            return self.entropy() + kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    def _of_value(self, asked: str, value: Any, name: str) -> Any:
        with self._name_scope(name):
            return self._ask(asked, as_value(value, self.dtype))

    def _of_itself(self, asked: str, name: str) -> Any:
        with self._name_scope(name):
            return self._ask(asked)

    def _ask(self, asked: str, *arguments: Any) -> Any:
        """The answer of the subclass's own method, or what follows from that of another one."""
        try:
            own = getattr(self, f"_{asked}", None)
            if own is None:
                raise NotImplementedError(f"{asked} is not implemented: {type(self).__name__}")
            return own(*arguments)
        except NotImplementedError as error:
            other, then = _FOLLOWS.get(asked, (None, None))
            if other is None or then is None:
                raise
            method = getattr(self, other, None)
            if method is None:
                raise
            try:
                return then(method(*arguments))
            except NotImplementedError:
                raise error from None

    @contextlib.contextmanager
    def _name_scope(self, name: str) -> Iterator[None]:
        if self.name is None or executing_eagerly():
            yield
        else:
            with name_scope(self.name), name_scope(name):
                yield


def _is_scalar(known: TensorShape, sizes: Callable[[], Any]) -> Any:
    if known.rank is not None:
        return convert_to_tensor(known.rank == 0)
    return equal(shape(sizes())[0], 0)


class Parametric(Distribution):
    """A distribution whose shapes are those of its parameters.

    Args:
      given: the arguments of the subclass, by name: `locals()` there.
      dtype: of samples.
      reparameterization_type: as for the base.
      shaped: the parameters that have its shape together, once they are broadcast.
      name: of the scope that the parameters were made in.
    """

    _event_rank = 0
    """How many axes of the parameters are those of one sample."""

    def __init__(
        self,
        given: dict[str, Any],
        dtype: Any,
        reparameterization_type: ReparameterizationType,
        shaped: list[Any],
        name: str,
    ) -> None:
        validate, allow = given["validate_args"], given["allow_nan_stats"]
        super().__init__(dtype, reparameterization_type, validate, allow, given, shaped, name)
        self._shaped = shaped

    def _static(self) -> TensorShape:
        return functools.reduce(broadcast_static_shape, [tensor.shape for tensor in self._shaped])

    def _dynamic(self) -> Any:
        return functools.reduce(broadcast_dynamic_shape, [shape(tensor) for tensor in self._shaped])

    def _batch_shape(self) -> Any:
        return self._static()[: -self._event_rank] if self._event_rank else self._static()

    def _event_shape(self) -> Any:
        return self._static()[-self._event_rank :] if self._event_rank else TensorShape([])

    def _batch_shape_tensor(self) -> Any:
        return self._dynamic()[: -self._event_rank] if self._event_rank else self._dynamic()

    def _event_shape_tensor(self) -> Any:
        return self._dynamic()[-self._event_rank :]

    def _drawn(self, count: Any) -> Any:
        """The shape of so many samples of distributions whose samples are scalars."""
        return concat([[count], self.batch_shape_tensor()], 0)
