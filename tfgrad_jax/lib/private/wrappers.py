"""Wrappers of dicts and tuples by their classes, which `optree` compares: of `wrapt`'s class, too, which takes long to load."""

from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.lib.tracking import DictWrapper, TupleWrapper
from tfgrad_jax.lib.tracking.proxies import settled

export_value(settled(DictWrapper), "python.trackable.data_structures._DictWrapper")
export_value(settled(TupleWrapper), "python.trackable.data_structures._TupleWrapper")
