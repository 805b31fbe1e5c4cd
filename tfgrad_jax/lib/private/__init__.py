"""Names that TensorFlow does not promise, and that libraries import all the same: Keras, TensorFlow Probability, Sonnet, GPflow.

Each stands here once, under the path that they import it from (`tensorflow.python...`), with who asks for it.
Loaded as a whole when the first of them is asked for.
"""

from tfgrad_jax.lib.private import framework, keras, nests, util  # noqa: F401
