"""`tf.RaggedTensor` and `tf.ragged`: tensors whose rows differ in length. Loaded as a whole when the first name is asked for."""

from tfgrad_jax.composite.ragged import (  # noqa: F401
    constants,
    crosses,
    elementwise,
    joining,
    lookups,
    mapping,
    methods,
    of_shape,
    printing,
    products,
    ranges,
    reductions,
    shaping,
    strings,
    strings_v1,
    tensor,
    values,
)
