"""Names of rooms that are loaded late as a whole, which are many."""

from __future__ import annotations

NUMPY = """
abs absolute add all allclose amax amin angle any append arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh
argmax argmin argsort around array array_equal asanyarray asarray ascontiguousarray atleast_1d atleast_2d atleast_3d
average bitwise_and bitwise_not bitwise_or bitwise_xor bool_ broadcast_arrays broadcast_to cbrt ceil clip complex128
complex64 complex_ compress concatenate conj conjugate copy cos cosh count_nonzero cross cumprod cumsum deg2rad diag
diag_indices diagflat diagonal diff divide divmod dot dsplit dstack e einsum empty empty_like equal exp exp2 expand_dims
experimental_enable_numpy_behavior expm1 eye fabs finfo fix flatten flip fliplr flipud float16 float32 float64 float_
float_power floor floor_divide full full_like gcd geomspace greater greater_equal heaviside hsplit hstack hypot identity
iinfo imag inexact inf inner int16 int32 int64 int8 int_ isclose iscomplex iscomplexobj isfinite isinf isnan isneginf
isposinf isreal isrealobj isscalar issubdtype ix_ kron lcm less less_equal linspace log log10 log1p log2 logaddexp
logaddexp2 logical_and logical_not logical_or logical_xor logspace matmul max maximum mean meshgrid min minimum mod
moveaxis multiply nanmean nanprod nansum ndarray ndim negative newaxis nextafter nonzero not_equal object_ ones
ones_like outer pad pi polyval positive power prod promote_types ptp rad2deg random.poisson random.rand random.randint
random.randn random.random random.seed random.standard_normal random.uniform ravel real reciprocal remainder repeat
reshape result_type roll rot90 round select shape sign signbit sin sinc sinh size sort split sqrt square squeeze stack
std string_ subtract sum swapaxes take take_along_axis tan tanh tensordot tile trace transpose tri tril triu true_divide
uint16 uint32 uint64 uint8 unicode_ vander var vdot vsplit vstack where zeros zeros_like
"""

RAW = """
Abs AccumulateNV2 Acos Acosh Add AddN AddV2 AdjustContrastv2 AdjustHue AdjustSaturation All Angle AnonymousHashTable
AnonymousMutableHashTable Any ArgMax ArgMin AsString Asin Asinh AssignAddVariableOp AssignSubVariableOp AssignVariableOp
Atan Atan2 Atanh AvgPool AvgPool3D BatchMatMul BatchMatMulV2 BatchMatMulV3 BatchToSpaceND BesselI0 BesselI0e BesselI1
BesselI1e Betainc BiasAdd BiasAddGrad BiasAddV1 Bitcast BitwiseAnd BitwiseOr BitwiseXor BroadcastArgs BroadcastTo Cast
Ceil CheckNumerics CheckNumericsV2 Cholesky ClipByValue Complex Concat ConcatOffset ConcatV2 Conj Conv2D
Conv2DBackpropInput Conv3D Conv3DBackpropInputV2 Cos Cosh Cross Cumprod Cumsum CumulativeLogsumexp DataFormatDimMap
DataFormatVecPermute DecodeBase64 DenseBincount DepthToSpace DepthwiseConv2dNative DestroyResourceOp Diag DiagPart
Digamma DisableCopyOnRead Div DivNoNan DynamicPartition DynamicStitch Einsum Elu Empty EmptyTensorList EncodeBase64
EnsureShape Equal Erf Erfc Erfinv EuclideanNorm Exp ExpandDims Expint Expm1 Fill Floor FloorDiv FloorMod FusedBatchNorm
FusedBatchNormV3 Gather GatherNd GatherV2 Greater GreaterEqual HSVToRGB HistogramFixedWidth Igamma Igammac Imag InTopKV2
Inv InvGrad Invert InvertPermutation IsFinite IsInf IsNan L2Loss LRN LeakyRelu LeftShift Less LessEqual Lgamma LinSpace
Log Log1p LogMatrixDeterminant LogSoftmax LogicalAnd LogicalNot LogicalOr MatMul MatrixBandPart MatrixDeterminant
MatrixDiagPartV3 MatrixDiagV3 MatrixInverse MatrixSetDiagV3 MatrixSolve MatrixTriangularSolve Max MaxPool MaxPool3D
MaxPoolWithArgmax Maximum Mean Min Minimum MirrorPad Mod Mul MulNoNan Multinomial MutableHashTable MutableHashTableV2
Ndtri Neg NextAfter NotEqual OneHot OnesLike Pack Pad PadV2 ParallelDynamicStitch Polygamma Pow PreventGradient Prod Qr
RGBToHSV RandomShuffle RandomStandardNormal RandomUniform RandomUniformInt Range Rank ReadFile ReadVariableOp
ReadVariableXlaSplitND Real RealDiv Reciprocal ReciprocalGrad ReduceJoin RegexFullMatch RegexReplace Relu Relu6
Relu6Grad ReluGrad Reshape ResizeBicubic ResizeBilinear ResizeNearestNeighbor ResourceApplyAdaMax ResourceApplyAdadelta
ResourceApplyAdagrad ResourceApplyAdagradV2 ResourceApplyAdam ResourceApplyAdamWithAmsgrad ResourceApplyCenteredRMSProp
ResourceApplyFtrl ResourceApplyFtrlV2 ResourceApplyGradientDescent ResourceApplyKerasMomentum ResourceApplyMomentum
ResourceApplyRMSProp ResourceGather ResourceGatherNd ResourceScatterAdd ResourceScatterDiv ResourceScatterMax
ResourceScatterMin ResourceScatterMul ResourceScatterNdAdd ResourceScatterNdSub ResourceScatterNdUpdate
ResourceScatterSub ResourceScatterUpdate ReverseSequence ReverseV2 RightShift Rint Roll Round Rsqrt RsqrtGrad ScatterNd
SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum Select SelectV2 SelfAdjointEigV2 Selu Shape ShapeN Sigmoid
SigmoidGrad Sign Sin Sinh Size Slice Snapshot Softmax SoftmaxCrossEntropyWithLogits Softplus Softsign SpaceToBatchND
SpaceToDepth SparseSoftmaxCrossEntropyWithLogits Spence Split SplitV Sqrt SqrtGrad Square SquaredDifference Squeeze
StatelessMultinomial StatelessRandomGetKeyCounter StatelessRandomNormal StatelessRandomNormalV2 StatelessRandomUniform
StatelessRandomUniformFullIntV2 StatelessRandomUniformIntV2 StatelessRandomUniformV2 StatelessTruncatedNormal
StatelessTruncatedNormalV2 StaticRegexFullMatch StaticRegexReplace StopGradient StridedSlice StringFormat StringJoin
StringLength StringLower StringSplitV2 StringStrip StringToHashBucket StringToHashBucketFast StringToHashBucketStrong
StringToNumber StringUpper Sub Substr Sum Svd Tan Tanh TanhGrad TensorScatterAdd TensorScatterMax TensorScatterMin
TensorScatterSub TensorScatterUpdate Tile TopKV2 Transpose TruncateDiv TruncateMod TruncatedNormal Unique UniqueV2
UniqueWithCounts UniqueWithCountsV2 Unpack UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum
VarIsInitializedOp VariableShape Where Xdivy Xlog1py Xlogy ZerosLike Zeta
"""
