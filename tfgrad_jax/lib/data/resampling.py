"""Datasets whose classes are to come in given proportions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.lib.data.base import BaseDataset
from tfgrad_jax.lib.data.combining import Combining
from tfgrad_jax.lib.data.creation import Creation
from tfgrad_jax.ops.array.array import stack
from tfgrad_jax.ops.array.creation import one_hot
from tfgrad_jax.ops.array.gather import gather
from tfgrad_jax.ops.array.rearrange import tile
from tfgrad_jax.ops.array.shape import expand_dims
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.reduce import reduce_max, reduce_min, reduce_sum
from tfgrad_jax.ops.random.seeds import uniform

_BATCH = 32
_SMOOTHING = 10


def _acceptance(initial: Any, target: Any) -> tuple[Any, Any]:
    """How likely an element of each class is kept, and a stretch of the input is taken as it is.

    A mixture of both has the proportions asked for, and leaves out as few elements as can be.
    """
    tiny = np.finfo(initial.dtype.as_numpy_dtype).tiny
    ratio = target / (initial + tiny)
    least, most = reduce_min(ratio), reduce_max(ratio)
    return (ratio - least) / (most - least), least


class Resampling(BaseDataset):
    """`tf.data.Dataset.rejection_resample`."""

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: Any = None,
        name: str | None = None,
    ) -> Any:
        """Pairs of a class and an element, some left out so that classes come in given proportions.

        Mirrors `tf.data.Dataset.rejection_resample`.

        Args:
          class_func: gives the class of an element, an int32.
          target_dist: the proportions, one for each class.
          initial_dist: those of this dataset; estimated on the way if not given.
          seed: decides with the global seed what is left out.
          name: accepted for compatibility.

        Raises:
          TypeError: if a class is no integer.
        """
        target = convert(target_dist, None if hasattr(target_dist, "dtype") else dtypes.float32)
        dataset: Any = self
        classes = dataset.map(class_func)
        if not (isinstance(classes.element_spec, TensorSpec) and classes.element_spec.dtype.is_integer):
            raise TypeError(f"rejection_resample: a class must be an integer, not {classes.element_spec}")
        if initial_dist is not None:
            given = convert(initial_dist, None if hasattr(initial_dist, "dtype") else dtypes.float32)
            probabilities = _acceptance(given, target)
            kept, as_it_is = (Creation.from_tensors(v).repeat() for v in probabilities)
            share = None if isinstance(probabilities[1], SymbolicTensor) else float(probabilities[1])
        else:
            initial = _estimated(classes, target)
            both = initial.map(lambda initial: _acceptance(initial, target))
            kept, as_it_is, share = both.map(lambda a, _: a), both.map(lambda _, m: m), None
            # TensorFlow looks at the proportions once more: where each iteration is another, one more goes by.
            kept = Combining.zip((kept, initial)).map(lambda a, _: a)

        def with_class(*element: Any) -> Any:
            return class_func(*element), element if len(element) > 1 else element[0]

        def with_probability(probabilities: Any, element: Any) -> Any:
            found, element = with_class(*element) if type(element) is tuple else with_class(element)
            return found, gather(probabilities, found), element

        def accepted(_: Any, probability: Any, __: Any) -> Any:
            return uniform([], seed=seed, dtype=probability.dtype) < probability

        whole = dataset.map(with_class)
        if share == 1.0:
            return whole
        filtered = Combining.zip((kept, dataset)).map(with_probability).filter(accepted)
        filtered = filtered.map(lambda c, _, element: (c, element)).prefetch(3)
        if share == 0.0:
            return filtered
        weights = as_it_is.map(lambda m: stack([m, 1.0 - m]))
        return Combining.sample_from_datasets([whole, filtered], weights, seed, True)


def _estimated(classes: Any, target: Any) -> Any:
    """The proportions of the classes that came so far, for each element."""
    count = target.shape[0]

    def counted(seen: Any, batch: Any) -> Any:
        seen = seen + reduce_sum(one_hot(batch, count, dtype=dtypes.int64), 0)
        proportions = cast(seen / reduce_sum(seen), dtypes.float32)
        return seen, tile(expand_dims(proportions, 0), [_BATCH, 1])

    first = np.full(count, _SMOOTHING, np.int64)
    return classes.batch(_BATCH).scan(first, counted).unbatch()
