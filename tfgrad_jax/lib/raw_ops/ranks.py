"""The ranks that raw operations ask of their operands, where the public functions made of them take more."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.values.shapes import UNRANKED

_TABLE = """
AdjustContrastv2 contrast_factor=0
AdjustHue delta=0
AdjustSaturation scale=0
ArgMax dimension=0
ArgMin dimension=0
BiasAddGrad out_backprop=2+
Bincount size=0
BroadcastArgs s0=1 s1=1
BroadcastGradientArgs s0=1 s1=1
Cumprod axis=0
Cumsum axis=0
CumulativeLogsumexp axis=0
DataFormatVecPermute x=1+
DenseBincount input=2- size=0
EditDistance hypothesis_indices=2 hypothesis_values=1 hypothesis_shape=1 truth_indices=2 truth_values=1 truth_shape=1
FakeQuantWithMinMaxVarsGradient min=0 max=0
FakeQuantWithMinMaxVarsPerChannelGradient min=1 max=1
HistogramFixedWidth value_range=1 nbins=0
InTopKV2 predictions=2 targets=1 k=0
MatMul a=2 b=2
MatrixBandPart num_lower=0 num_upper=0
MatrixDiagPartV2 padding_value=0
MatrixDiagPartV3 padding_value=0
MatrixDiagV2 num_rows=0 num_cols=0 padding_value=0
MatrixDiagV3 num_rows=0 num_cols=0 padding_value=0
MatrixSolveLs l2_regularizer=0
NearestNeighbors points=2 centers=2 k=0
QuantizeAndDequantizeV3 num_bits=0
QuantizedResizeBilinear size=1
Range start=0 limit=0 delta=0
Reverse dims=1
SetSize set_indices=2 set_values=1 set_shape=1
StackV2 max_size=0
StatelessMultinomial num_samples=0
StatelessRandomGammaV3 key=1 counter=1 alg=0
StatelessRandomNormalV2 key=1 counter=1 alg=0
StatelessRandomUniformFullIntV2 key=1 counter=1 alg=0
StatelessRandomUniformIntV2 key=1 counter=1 alg=0 minval=0 maxval=0
StatelessRandomUniformV2 key=1 counter=1 alg=0
StatelessShuffle key=1 counter=1 alg=0
StatelessTruncatedNormalV2 key=1 counter=1 alg=0
StringSplit input=1 delimiter=0
StringSplitV2 input=1 sep=0
TopKV2 k=0
UniqueV2 axis=1
UniqueWithCountsV2 axis=1
UnsortedSegmentJoin num_segments=0
"""
"""A line for each operation: `=2` is a rank, `=2+` and `=2-` are the least and the most that it may be."""

_WORDS = {"": "", "+": "at least ", "-": "at most "}


def _parsed(line: str) -> tuple[str, dict[str, tuple[int, str]]]:
    name, *operands = line.split()
    found = [word.split("=") for word in operands]
    return name, {label: (int(rank[0]), rank[1:]) for label, rank in found}


_RANKS = dict(map(_parsed, _TABLE.strip().splitlines()))


def check_rank(operation: str, label: str, operand: Any) -> None:
    """Refuse an operand of a rank that an operation does not take.

    Args:
      operation: the raw name.
      label: the operand's name.
      operand: the tensor.

    Raises:
      InvalidArgumentError: if it is of another rank; a ValueError while a graph is recorded.
    """
    wanted = _RANKS.get(operation, {}).get(label)
    if wanted is None or operand.spec.shape is UNRANKED:
        return
    shape = operand.spec.shape
    rank, bound = wanted
    if not (len(shape) == rank if not bound else len(shape) >= rank if bound == "+" else len(shape) <= rank):
        raise misfit(
            f"argument {label}: Shape must be {_WORDS[bound]}rank {rank} but is rank {len(shape)}: {list(shape)}",
            operation,
        )
