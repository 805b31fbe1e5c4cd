"""How TensorFlow's graphs say that shapes do not fit: in the words of shape functions, which kernels do not use.

Programs look for these words, so the error of an operation that is recorded begins with them. Nothing is asked here unless an
operation has been refused already.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from typing import Any

Shapes = Sequence[Any]
"""Of each operand its sizes, None where one is not known; something other than a tuple where not even the rank is."""


def listed(shape: Any) -> str:
    """A shape as TensorFlow's kernels write it."""
    if not isinstance(shape, tuple):
        return "<unknown>"
    return "[" + ",".join("?" if n is None else str(n) for n in shape) + "]"


def _rank(i: int, wanted: int) -> Callable[[Shapes], str | None]:
    def said(shapes: Shapes) -> str | None:
        fits = not isinstance(shapes[i], tuple) or len(shapes[i]) == wanted
        return None if fits else f"Shape must be rank {wanted} but is rank {len(shapes[i])}"

    return said


def _rank_from(i: int, least: int) -> Callable[[Shapes], str | None]:
    def said(shapes: Shapes) -> str | None:
        fits = not isinstance(shapes[i], tuple) or len(shapes[i]) >= least
        return None if fits else f"Shape must be at least rank {least} but is rank {len(shapes[i])}"

    return said


def _rank_to(i: int, most: int) -> Callable[[Shapes], str | None]:
    def said(shapes: Shapes) -> str | None:
        fits = not isinstance(shapes[i], tuple) or len(shapes[i]) <= most
        return None if fits else f"Shape must be at most rank {most} but is rank {len(shapes[i])}"

    return said


def _differ(a: int | None, b: int | None) -> str | None:
    if a is None or b is None or a == b:
        return None
    return f"Dimensions must be equal, but are {a} and {b}"


def _same_size(i: int, of_i: int, j: int, of_j: int) -> Callable[[Shapes], str | None]:
    def said(shapes: Shapes) -> str | None:
        both = isinstance(shapes[i], tuple) and isinstance(shapes[j], tuple)
        return _differ(shapes[i][of_i], shapes[j][of_j]) if both else None

    return said


def _broadcast(i: int, j: int) -> Callable[[Shapes], str | None]:
    def said(shapes: Shapes) -> str | None:
        if not isinstance(shapes[i], tuple) or not isinstance(shapes[j], tuple):
            return None
        for a, b in zip(reversed(shapes[i]), reversed(shapes[j]), strict=False):
            if 1 not in (a, b) and (found := _differ(a, b)) is not None:
                return found
        return None

    return said


def _merged(i: int, j: int) -> Callable[[Shapes], str | None]:
    def said(shapes: Shapes) -> str | None:
        one, other = shapes[i], shapes[j]
        if not isinstance(one, tuple) or not isinstance(other, tuple):
            return None
        if len(one) != len(other):
            return f"Shapes must be equal rank, but are {len(one)} and {len(other)}"
        for axis, (a, b) in enumerate(zip(one, other, strict=True)):
            if None not in (a, b) and a != b:
                return (
                    f"Dimension {axis} in both shapes must be equal, but are {a} and {b}. Shapes are {listed(one)} and "
                    f"{listed(other)}."
                )
        return None

    return said


def _square(i: int) -> tuple[Callable[[Shapes], str | None], ...]:
    return _rank_from(i, 2), _same_size(i, -2, i, -1)


_BROADCASTING = (_broadcast(0, 1),)
_SAYS: dict[str, tuple[Callable[[Shapes], str | None], ...]] = {
    **dict.fromkeys(
        (
            *("Add", "AddV2", "Sub", "Mul", "MulNoNan", "Div", "RealDiv", "TruncateDiv", "FloorDiv", "DivNoNan", "Mod"),
            *("FloorMod", "TruncateMod", "Maximum", "Minimum", "Pow", "SquaredDifference", "Atan2", "Xdivy", "Xlogy"),
            *("Xlog1py", "Igamma", "Igammac", "Polygamma", "Zeta", "Complex", "Less", "LessEqual", "Greater"),
            *("GreaterEqual", "Equal", "NotEqual", "ApproximateEqual", "LogicalAnd", "LogicalOr", "BitwiseAnd"),
            *("BitwiseOr", "BitwiseXor", "LeftShift", "RightShift", "NextAfter", "Equal/string", "NotEqual/string"),
        ),
        _BROADCASTING,
    ),
    "MatMul": (_rank(0, 2), _rank(1, 2), _same_size(0, 1, 1, 0)),
    **dict.fromkeys(
        (
            "Cholesky",
            "MatrixInverse",
            "MatrixDeterminant",
            "LogMatrixDeterminant",
            "MatrixSquareRoot",
            "MatrixLogarithm",
        ),
        _square(0),
    ),
    **dict.fromkeys(("MatrixExponential", "SelfAdjointEigV2", "Eig", "Lu"), _square(0)),
    **dict.fromkeys(("Qr", "Svd", "MatrixBandPart"), (_rank_from(0, 2),)),
    **dict.fromkeys(
        ("MatrixSolve", "MatrixTriangularSolve"), (*_square(0), _rank_from(1, 2), _same_size(0, -1, 1, -2))
    ),
    "MatrixSolveLs": (_rank_from(0, 2), _rank_from(1, 2), _same_size(0, -2, 1, -2)),
    "GatherV2": (_rank_from(0, 1),),
    "GatherNd": (_rank_from(1, 1),),
    "TopKV2": (_rank_from(0, 1),),
    "Roll": (_rank_from(0, 1), _rank_to(1, 1)),
    "Pack": (_merged(0, 1),),
    "AddN": (_merged(0, 1),),
    **dict.fromkeys(
        ("SegmentSum", "SegmentMean", "SegmentProd", "SegmentMin", "SegmentMax"),
        (_rank(1, 1), _rank_from(0, 1), _same_size(0, 0, 1, 0)),
    ),
    **dict.fromkeys(
        (*("UnsortedSegmentSum", "UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd"),),
        (_rank_from(0, 1), _same_size(0, 0, 1, 0)),
    ),
    **dict.fromkeys(
        (
            *("Conv2D", "Dilation2D", "SpaceToDepth", "DepthToSpace", "MaxPool", "AvgPool", "LRN", "FusedBatchNormV3"),
            *("CropAndResize", "ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea"),
        ),
        (_rank(0, 4),),
    ),
    "DepthwiseConv2dNative": (_rank(0, 4), _same_size(0, -1, 1, 2)),
    "Multinomial": (_rank(0, 2),),
    "MatrixDiagPartV3": (_rank_from(0, 2),),
    "MatrixDiagV3": (_rank_from(0, 1),),
    "Diag": (_rank_from(0, 1),),
    "SelectV2": (_broadcast(1, 2), _broadcast(0, 1), _broadcast(0, 2)),
    "ClipByValue": (_broadcast(0, 2), _broadcast(0, 1)),
    "Betainc": (_merged(0, 1), _merged(0, 2)),
    "StringJoin": (_merged(0, 1),),
    **dict.fromkeys(("Conv3D", "MaxPool3D", "AvgPool3D"), (_rank(0, 5),)),
    "BiasAdd": (_rank_from(0, 2), _rank(1, 1), _same_size(0, -1, 1, 0)),
    "InTopKV2": (_rank(1, 2), _rank(0, 1), _same_size(1, 0, 0, 0)),
    "SparseSoftmaxCrossEntropyWithLogits": (_rank(0, 2), _rank(1, 1), _same_size(0, 0, 1, 0)),
    "SoftmaxCrossEntropyWithLogits": (_broadcast(0, 1),),
    **dict.fromkeys(("IFFT", "FFT", "RFFT", "IRFFT"), (_rank_from(0, 1),)),
    **dict.fromkeys(("IFFT2D", "FFT2D", "RFFT2D", "IRFFT2D"), (_rank_from(0, 2),)),
    **dict.fromkeys(("IFFT3D", "FFT3D", "RFFT3D", "IRFFT3D"), (_rank_from(0, 3),)),
}


_OF_ATTRIBUTES: tuple[tuple[str, str], ...] = (
    (
        r"Computed output size would be negative: .*input_size: (\d+), effective_filter_size: (\d+)",
        r"Negative dimension size caused by subtracting \2 from \1",
    ),
    (
        r"input depth must be evenly divisible by filter depth: (\d+) vs (\d+)",
        r"Depth of input (\1) is not a multiple of input depth of filter (\2)",
    ),
    (
        r"Input to reshape is a tensor with (\d+) values, but the requested shape has (\d+) \(from \S+ to (\S+)\)",
        r"Cannot reshape a tensor with \1 elements to shape \3 (\2 elements)",
    ),
    (
        r"Input to reshape is a tensor with (\d+) values, but the requested shape requires a multiple of (\d+)",
        r"Dimension size must be evenly divisible by \2 but is \1",
    ),
    (
        r"Number of ways to split should evenly divide .*\(size = (\d+)\) and num_split (\d+)",
        r"Dimension size must be evenly divisible by \2 but is \1",
    ),
    (
        r"input must have at least k columns. Had (\d+), needed (\d+)",
        r"input must have last dimension >= k = \2 but is \1",
    ),
    (
        r"transpose expects a vector of size (\d+). But input\(1\) is a vector of size (\d+)",
        r"Dimension must be \1 but is \2",
    ),
    (
        r"multiples argument to be a vector of length (\d+) but got length (\d+)",
        r"Shape must be rank \1 but is rank \2",
    ),
    (
        r"Need k >= 0, got (-\d+)",
        r"Dimension size, given by scalar input 1, must be non-negative but is \1",
    ),
    (
        r"shift and axis must have the same size, got (\d+) and (\d+)",
        r"Dimension 0 in both shapes must be equal, but are \1 and \2. Shapes are [\1] and [\2].",
    ),
    (r"Input shape axis 0 must equal (\d+), got shape \[(\d+)\D", r"Dimension must be \1 but is \2"),
)
"""What is refused because of attributes, by the words of kernels, in those of shape functions."""


def _of_operands(op: str, shapes: Shapes) -> str | None:
    for rule in _SAYS.get(op, ()):
        with contextlib.suppress(IndexError):  # fewer operands or dimensions than the rule looks at
            if (found := rule(shapes)) is not None:
                return found
    return None


def in_words_of_graphs(op: str, name: str, shapes: Shapes, message: str) -> str:
    """A message that begins as that of TensorFlow's graphs does, where it is known how.

    Args:
      op: the raw name of the operation.
      name: what the operation is called in the graph.
      shapes: of the operands.
      message: what the kernel says.
    """
    found = _of_operands(op, shapes)
    known = all(isinstance(shape, tuple) and None not in shape for shape in shapes)
    if found is None and known:
        matches = ((re.search(pattern, message), said) for pattern, said in _OF_ATTRIBUTES)
        found = next((match.expand(said) for match, said in matches if match), None)
    if found is None:
        return message
    return f"{found} for '{{{{node {name}}}}} = {op}' with input shapes: {', '.join(map(listed, shapes))}. {message}"
