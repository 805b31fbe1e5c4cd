"""Objects that know their parts: what checkpoints and SavedModels walk over."""

from tfgrad_jax.engine.state.trackable import Trackable, TrackableReference
from tfgrad_jax.lib.tracking.autotrackable import (
    AutoTrackable,
    no_automatic_dependency_tracking,
    no_automatic_dependency_tracking_scope,
)
from tfgrad_jax.lib.tracking.data_structures import (
    NoDependency,
    TrackableDataStructure,
    sticky_attribute_assignment,
    wrap,
)
from tfgrad_jax.lib.tracking.lists import ListWrapper
from tfgrad_jax.lib.tracking.proxies import DictWrapper, TupleWrapper

__all__ = [
    "AutoTrackable",
    "DictWrapper",
    "ListWrapper",
    "NoDependency",
    "Trackable",
    "TrackableDataStructure",
    "TrackableReference",
    "TupleWrapper",
    "no_automatic_dependency_tracking",
    "no_automatic_dependency_tracking_scope",
    "sticky_attribute_assignment",
    "wrap",
]
