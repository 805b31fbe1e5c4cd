"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
Adagrad: _Any
AdagradMomentum: _Any
Adam: _Any
CustomCombiner: _Any
CustomOptimizer: _Any
FTRL: _Any
FeatureConfig: _Any
QuantizationConfig: _Any
RowIdInitializer: _Any
SGD: _Any
SparseCoreEmbeddingConfig: _Any
TPUEmbedding: _Any
TPUEmbeddingForServing: _Any
TPUEmbeddingV0: _Any
TPUEmbeddingV2: _Any
TableConfig: _Any
