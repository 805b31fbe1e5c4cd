"""`tf.distribute`: programs spread over replicas (docs/distribution.md). Loaded as a whole when the first name is asked for."""

from tfgrad_jax.lib.distribute import absent, cluster_resolver, communication, multi_worker, partitioners, tpu  # noqa: F401
