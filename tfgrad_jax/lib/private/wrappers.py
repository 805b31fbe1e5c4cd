"""Wrappers of dicts and tuples by their classes, which libraries such as `optree` compare: `wrapt`, of whose class they are, takes long."""

from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.lib.tracking import _DictWrapper, _TupleWrapper
from tfgrad_jax.lib.tracking.proxies import settled

export_value(settled(_DictWrapper), "python.trackable.data_structures._DictWrapper")
export_value(settled(_TupleWrapper), "python.trackable.data_structures._TupleWrapper")
