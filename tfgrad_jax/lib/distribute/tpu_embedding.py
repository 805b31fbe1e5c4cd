"""`tf.tpu.experimental.embedding`: settings of tables that live on TPUs alone. Libraries name the classes; none can be made."""

from __future__ import annotations

import enum
from typing import Any

from tfgrad_jax.engine.names.export import export_value


class _EmbeddingFeature(enum.Enum):
    """What a TPU does for tables."""

    UNSUPPORTED = "UNSUPPORTED"
    V1 = "V1"
    V2 = "V2"


_INSTEAD = (
    "tables that live on TPUs alone are not supported: use tf.nn.embedding_lookup, whose tables tf.distribute spreads"
)


def _absent(name: str, **more: Any) -> None:
    def refuse(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"tf.tpu.experimental.{name}: {_INSTEAD}")

    members = {
        "__init__": refuse,
        "__doc__": f"Not here. Mirrors `tf.tpu.experimental.{name}`.",
        "instead": _INSTEAD,
        **more,
    }
    export_value(type(name.rpartition(".")[2], (), members), f"tpu.experimental.{name}")


for _name in (
    "Adagrad", "AdagradMomentum", "Adam", "CustomCombiner", "CustomOptimizer", "FTRL", "FeatureConfig",
    "QuantizationConfig", "RowIdInitializer", "SGD",
    "SparseCoreEmbeddingConfig", "TPUEmbedding", "TPUEmbeddingForServing", "TPUEmbeddingV0", "TPUEmbeddingV2", "TableConfig",
):  # fmt: skip
    _absent(f"embedding.{_name}")
_absent("HardwareFeature", EmbeddingFeature=_EmbeddingFeature)
