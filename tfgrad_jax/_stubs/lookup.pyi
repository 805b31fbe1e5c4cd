"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import lookup_experimental
from tfgrad_jax.lib.lookup.initializers import KeyValueTensorInitializer as KeyValueTensorInitializer
from tfgrad_jax.lib.lookup.tables import StaticHashTable as StaticHashTable
from tfgrad_jax.lib.lookup.tables import StaticVocabularyTable as StaticVocabularyTable
from tfgrad_jax.lib.lookup.initializers import TextFileIndex as TextFileIndex
from tfgrad_jax.lib.lookup.initializers import TextFileInitializer as TextFileInitializer
experimental = lookup_experimental
