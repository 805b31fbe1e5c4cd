"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import data_experimental
from tfgrad_jax.lib.data.dataset import DatasetV2 as _Dataset
from tfgrad_jax.lib.data.base import DatasetSpec as DatasetSpec
from tfgrad_jax.lib.data.readers import FixedLengthRecordDatasetV2 as _FixedLengthRecordDataset
from tfgrad_jax.lib.data.iterators import Iterator as Iterator
from tfgrad_jax.lib.data.iterators import IteratorSpec as IteratorSpec
from tfgrad_jax.lib.data.dataset import NumpyIterator as NumpyIterator
from tfgrad_jax.lib.data.options import Options as Options
from tfgrad_jax.lib.data.readers import TFRecordDatasetV2 as _TFRecordDataset
from tfgrad_jax.lib.data.readers import TextLineDatasetV2 as _TextLineDataset
from tfgrad_jax.lib.data.options import ThreadingOptions as ThreadingOptions
experimental = data_experimental
AUTOTUNE: int
Dataset = _Dataset
FixedLengthRecordDataset = _FixedLengthRecordDataset
INFINITE_CARDINALITY: int
TFRecordDataset = _TFRecordDataset
TextLineDataset = _TextLineDataset
UNKNOWN_CARDINALITY: int
