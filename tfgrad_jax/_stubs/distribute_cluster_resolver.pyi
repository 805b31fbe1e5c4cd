"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.distribute.cluster_resolver import ClusterResolver as ClusterResolver
from tfgrad_jax.lib.distribute.cluster_resolver import SimpleClusterResolver as SimpleClusterResolver
from tfgrad_jax.lib.distribute.cluster_resolver import SlurmClusterResolver as SlurmClusterResolver
from tfgrad_jax.lib.distribute.cluster_resolver import TFConfigClusterResolver as TFConfigClusterResolver
from tfgrad_jax.lib.distribute.tpu import TPUClusterResolver as TPUClusterResolver
from tfgrad_jax.lib.distribute.cluster_resolver import UnionClusterResolver as _UnionResolver
class GCEClusterResolver(_Any): ...
class KubernetesClusterResolver(_Any): ...
UnionResolver = _UnionResolver
