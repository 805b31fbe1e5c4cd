"""`tf.distribute`: programs spread over replicas (docs/distribution.md). Loaded as a whole when the first name is asked for."""

from tfgrad_jax.lib.distribute import (  # noqa: F401
    absent,
    cluster_resolver,
    communication,
    multi_worker,
    partitioners,
    preemption,
    tpu,
    version1,
)
