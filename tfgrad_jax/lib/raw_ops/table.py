"""Raw operations: the operands of each with their dtypes, and its attributes with their kinds.

A star follows the dtype of operands that are lists, with the attribute that counts them; the dtype of what is no tensor follows an
equals sign, where TensorFlow has a default for it. An exclamation mark follows the kind of attributes that have no default, and `>`
comes before the name that nodes have for one. Lines that begin with blanks go on with the one before.
"""

from __future__ import annotations

TABLE = """
Abs x:T
AccumulateNV2 inputs:T*N | shape:shape!
Acos x:T
Acosh x:T
Add x:T y:T
AddN inputs:T*N
AddV2 x:T y:T
AdjustContrastv2 images:T=float32 contrast_factor:float32
AdjustHue images:T=float32 delta:float32
AdjustSaturation images:T=float32 scale:float32
All input:bool axis:Tidx=int32 | keep_dims:bool
Angle input:T=complex64 | Tout:type
AnonymousHashTable  | key_dtype:type! value_dtype:type!
AnonymousMutableHashTable  | key_dtype:type! value_dtype:type!
Any input:bool axis:Tidx=int32 | keep_dims:bool
ArgMax input:T dimension:Tidx=int32 | output_type:type
ArgMin input:T dimension:Tidx=int32 | output_type:type
AsString input:T | precision:int scientific:bool shortest:bool width:int fill:string
Asin x:T
Asinh x:T
AssignAddVariableOp resource:resource value:dtype
AssignSubVariableOp resource:resource value:dtype
AssignVariableOp resource:resource value:dtype | validate_shape:bool
Atan x:T
Atan2 y:T x:T
Atanh x:T
AvgPool value:T | ksize:list(int)! strides:list(int)! padding:string! data_format:string
AvgPool3D input:T | ksize:list(int)! strides:list(int)! padding:string! data_format:string
BatchMatMul x:T y:T | adj_x:bool adj_y:bool grad_x:bool grad_y:bool
BatchMatMulV2 x:T y:T | adj_x:bool adj_y:bool grad_x:bool grad_y:bool
BatchMatMulV3 x:Ta y:Tb | Tout:type! adj_x:bool adj_y:bool grad_x:bool grad_y:bool
BatchToSpaceND input:T block_shape:Tblock_shape=int32 crops:Tcrops=int32
BesselI0 x:T
BesselI0e x:T
BesselI1 x:T
BesselI1e x:T
Betainc a:T b:T x:T
BiasAdd value:T bias:T | data_format:string
BiasAddGrad out_backprop:T | data_format:string
BiasAddV1 value:T bias:T
Bitcast input:T | type:type!
BitwiseAnd x:T y:T
BitwiseOr x:T y:T
BitwiseXor x:T y:T
BroadcastArgs s0:T=int32 s1:T=int32
BroadcastTo input:T shape:Tidx=int32
Cast x:SrcT | DstT:type! Truncate:bool
Ceil x:T
CheckNumerics tensor:T | message:string!
CheckNumericsV2 tensor:T | message:string!
Cholesky input:T
ClipByValue t:T clip_value_min:T clip_value_max:T
Complex real:T=float32 imag:T=float32 | Tout:type
Concat concat_dim:int32 values:T*N
ConcatOffset concat_dim:int32 shape:shape_type=int32*N
ConcatV2 values:T*N axis:Tidx=int32
Conj input:T=complex64
Conv2D input:T filter:T | strides:list(int)! use_cudnn_on_gpu:bool padding:string! explicit_paddings:list(int)
  data_format:string dilations:list(int)
Conv2DBackpropInput input_sizes:int32 filter:T out_backprop:T | strides:list(int)! use_cudnn_on_gpu:bool
  padding:string! explicit_paddings:list(int) data_format:string dilations:list(int)
Conv3D input:T filter:T | strides:list(int)! padding:string! data_format:string dilations:list(int)
Conv3DBackpropInputV2 input_sizes:Tshape=int32 filter:T out_backprop:T | strides:list(int)! padding:string!
  data_format:string dilations:list(int)
Cos x:T
Cosh x:T
Cross a:T b:T
Cumprod x:T axis:Tidx=int32 | exclusive:bool reverse:bool
Cumsum x:T axis:Tidx=int32 | exclusive:bool reverse:bool
CumulativeLogsumexp x:T axis:Tidx=int32 | exclusive:bool reverse:bool
DataFormatDimMap x:T=int32 | src_format:string dst_format:string
DataFormatVecPermute x:T=int32 | src_format:string dst_format:string
DecodeBase64 input:string
DenseBincount input:Tidx size:Tidx weights:T | binary_output:bool
DepthToSpace input:T | block_size:int! data_format:string
DepthwiseConv2dNative input:T filter:T | strides:list(int)! padding:string! explicit_paddings:list(int)
  data_format:string dilations:list(int)
DestroyResourceOp resource:resource | ignore_lookup_error:bool
Diag diagonal:T
DiagPart input:T
Digamma x:T
DisableCopyOnRead resource:resource
Div x:T y:T
DivNoNan x:T y:T
DynamicPartition data:T partitions:int32 | num_partitions:int!
DynamicStitch indices:int32*N data:T*N
Einsum inputs:T*N | equation:string!
Elu features:T
Empty shape:int32 | dtype:type! init:bool
EmptyTensorList element_shape:shape_type max_num_elements:int32 | element_dtype:type!
EncodeBase64 input:string | pad:bool
EnsureShape input:T | shape:shape!
Equal x:T y:T | incompatible_shape_error:bool
Erf x:T
Erfc x:T
Erfinv x:T
EuclideanNorm input:T axis:Tidx=int32 | keep_dims:bool
Exp x:T
ExpandDims input:T axis:Tdim=int32
Expint x:T
Expm1 x:T
Fill dims:index_type=int32 value:T
Floor x:T
FloorDiv x:T y:T
FloorMod x:T y:T
FusedBatchNorm x:T scale:T offset:T mean:T variance:T | epsilon:float exponential_avg_factor:float data_format:string
  is_training:bool
FusedBatchNormV3 x:T scale:U offset:U mean:U variance:U | epsilon:float exponential_avg_factor:float
  data_format:string is_training:bool
Gather params:Tparams indices:Tindices | validate_indices:bool
GatherNd params:Tparams indices:Tindices | bad_indices_policy:string
GatherV2 params:Tparams indices:Tindices axis:Taxis | batch_dims:int
Greater x:T y:T
GreaterEqual x:T y:T
HSVToRGB images:T=float32
HistogramFixedWidth values:T value_range:T nbins:int32 | dtype:type
Igamma a:T x:T
Igammac a:T x:T
Imag input:T=complex64 | Tout:type
InTopKV2 predictions:float32 targets:T=int32 k:T=int32
Inv x:T
InvGrad y:T dy:T
Invert x:T
InvertPermutation x:T=int32
IsFinite x:T
IsInf x:T
IsNan x:T
L2Loss t:T
LRN input:T=float32 | depth_radius:int bias:float alpha:float beta:float
LeakyRelu features:T=float32 | alpha:float
LeftShift x:T y:T
Less x:T y:T
LessEqual x:T y:T
Lgamma x:T
LinSpace start:T stop:T num:Tidx=int32
Log x:T
Log1p x:T
LogMatrixDeterminant input:T
LogSoftmax logits:T
LogicalAnd x:bool y:bool
LogicalNot x:bool
LogicalOr x:bool y:bool
MatMul a:T b:T | transpose_a:bool transpose_b:bool grad_a:bool grad_b:bool
MatrixBandPart input:T num_lower:Tindex=int64 num_upper:Tindex=int64
MatrixDeterminant input:T
MatrixDiagPartV3 input:T k:int32 padding_value:T | align:string
MatrixDiagV3 diagonal:T k:int32 num_rows:int32 num_cols:int32 padding_value:T | align:string
MatrixInverse input:T | adjoint:bool
MatrixSetDiagV3 input:T diagonal:T k:int32 | align:string
MatrixSolve matrix:T rhs:T | adjoint:bool
MatrixTriangularSolve matrix:T rhs:T | lower:bool adjoint:bool
Max input:T axis:Tidx=int32 | keep_dims:bool
MaxPool input:T=float32 | ksize:list(int)! strides:list(int)! padding:string! explicit_paddings:list(int)
  data_format:string
MaxPool3D input:T | ksize:list(int)! strides:list(int)! padding:string! data_format:string
MaxPoolWithArgmax input:T | ksize:list(int)! strides:list(int)! Targmax:type padding:string!
  include_batch_in_index:bool
Maximum x:T y:T
Mean input:T axis:Tidx=int32 | keep_dims:bool
Min input:T axis:Tidx=int32 | keep_dims:bool
Minimum x:T y:T
MirrorPad input:T paddings:Tpaddings=int32 | mode:string!
Mod x:T y:T
Mul x:T y:T
MulNoNan x:T y:T
Multinomial logits:T num_samples:int32 | seed:int seed2:int output_dtype:type
MutableHashTable  | container:string shared_name:string use_node_name_sharing:bool key_dtype:type! value_dtype:type!
MutableHashTableV2  | container:string shared_name:string use_node_name_sharing:bool key_dtype:type! value_dtype:type!
Ndtri x:T
Neg x:T
NextAfter x1:T=float32 x2:T=float32
NotEqual x:T y:T | incompatible_shape_error:bool
OneHot indices:TI=int64 depth:int32 on_value:T off_value:T | axis:int
OnesLike x:T
Pack values:T*N | axis:int
Pad input:T paddings:Tpaddings=int32
PadV2 input:T paddings:Tpaddings=int32 constant_values:T
ParallelDynamicStitch indices:int32*N data:T*N
Polygamma a:T x:T
Pow x:T y:T
PreventGradient input:T | message:string
Prod input:T axis:Tidx=int32 | keep_dims:bool
Qr input:T | full_matrices:bool
RGBToHSV images:T=float32
RandomShuffle value:T | seed:int seed2:int
RandomStandardNormal shape:T | seed:int seed2:int dtype:type!
RandomUniform shape:T | seed:int seed2:int dtype:type!
RandomUniformInt shape:T minval:Tout maxval:Tout | seed:int seed2:int
Range start:Tidx=int32 limit:Tidx=int32 delta:Tidx=int32
Rank input:T
ReadFile filename:string
ReadVariableOp resource:resource | dtype:type!
ReadVariableXlaSplitND resource:resource | T:type! N:int! num_splits:list(int)! paddings:list(int)
Real input:T=complex64 | Tout:type
RealDiv x:T y:T
Reciprocal x:T
ReciprocalGrad y:T dy:T
ReduceJoin inputs:string reduction_indices:int32 | keep_dims:bool separator:string
RegexFullMatch input:string pattern:string
RegexReplace input:string pattern:string rewrite:string | replace_global:bool
Relu features:T
Relu6 features:T
Relu6Grad gradients:T features:T
ReluGrad gradients:T features:T
Reshape tensor:T shape:Tshape=int32
ResizeBicubic images:T size:int32 | align_corners:bool half_pixel_centers:bool
ResizeBilinear images:T size:int32 | align_corners:bool half_pixel_centers:bool
ResizeNearestNeighbor images:T size:int32 | align_corners:bool half_pixel_centers:bool
ResourceApplyAdaMax var:resource m:resource v:resource beta1_power:T lr:T beta1:T beta2:T epsilon:T grad:T |
  use_locking:bool
ResourceApplyAdadelta var:resource accum:resource accum_update:resource lr:T rho:T epsilon:T grad:T | use_locking:bool
ResourceApplyAdagrad var:resource accum:resource lr:T grad:T | use_locking:bool update_slots:bool
ResourceApplyAdagradV2 var:resource accum:resource lr:T epsilon:T grad:T | use_locking:bool update_slots:bool
ResourceApplyAdam var:resource m:resource v:resource beta1_power:T beta2_power:T lr:T beta1:T beta2:T epsilon:T grad:T
  | use_locking:bool use_nesterov:bool
ResourceApplyAdamWithAmsgrad var:resource m:resource v:resource vhat:resource beta1_power:T beta2_power:T lr:T beta1:T
  beta2:T epsilon:T grad:T | use_locking:bool
ResourceApplyCenteredRMSProp var:resource mg:resource ms:resource mom:resource lr:T rho:T momentum:T epsilon:T grad:T
  | use_locking:bool
ResourceApplyFtrl var:resource accum:resource linear:resource grad:T lr:T l1:T l2:T lr_power:T | use_locking:bool
  multiply_linear_by_lr:bool
ResourceApplyFtrlV2 var:resource accum:resource linear:resource grad:T lr:T l1:T l2:T l2_shrinkage:T lr_power:T |
  use_locking:bool multiply_linear_by_lr:bool
ResourceApplyGradientDescent var:resource alpha:T delta:T | use_locking:bool
ResourceApplyKerasMomentum var:resource accum:resource lr:T grad:T momentum:T | use_locking:bool use_nesterov:bool
ResourceApplyMomentum var:resource accum:resource lr:T grad:T momentum:T | use_locking:bool use_nesterov:bool
ResourceApplyRMSProp var:resource ms:resource mom:resource lr:T rho:T momentum:T epsilon:T grad:T | use_locking:bool
ResourceGather resource:resource indices:Tindices | batch_dims:int validate_indices:bool dtype:type!
ResourceGatherNd resource:resource indices:Tindices | dtype:type!
ResourceScatterAdd resource:resource indices:Tindices updates:dtype
ResourceScatterDiv resource:resource indices:Tindices updates:dtype
ResourceScatterMax resource:resource indices:Tindices updates:dtype
ResourceScatterMin resource:resource indices:Tindices updates:dtype
ResourceScatterMul resource:resource indices:Tindices updates:dtype
ResourceScatterNdAdd ref:resource indices:Tindices updates:T | use_locking:bool bad_indices_policy:string
ResourceScatterNdSub ref:resource indices:Tindices updates:T | use_locking:bool bad_indices_policy:string
ResourceScatterNdUpdate ref:resource indices:Tindices updates:T | use_locking:bool bad_indices_policy:string
ResourceScatterSub resource:resource indices:Tindices updates:dtype
ResourceScatterUpdate resource:resource indices:Tindices updates:dtype
ReverseSequence input:T seq_lengths:Tlen=int64 | seq_dim:int! batch_dim:int
ReverseV2 tensor:T axis:Tidx=int32
RightShift x:T y:T
Rint x:T
Roll input:T shift:Tshift axis:Taxis
Round x:T
Rsqrt x:T
RsqrtGrad y:T dy:T
ScatterNd indices:Tindices updates:T shape:Tindices | bad_indices_policy:string
SegmentMax data:T segment_ids:Tindices
SegmentMean data:T segment_ids:Tindices
SegmentMin data:T segment_ids:Tindices
SegmentProd data:T segment_ids:Tindices
SegmentSum data:T segment_ids:Tindices
Select condition:bool x:T y:T
SelectV2 condition:bool t:T e:T
SelfAdjointEigV2 input:T | compute_v:bool
Selu features:T
Shape input:T | out_type:type
ShapeN input:T*N | out_type:type
Sigmoid x:T
SigmoidGrad y:T dy:T
Sign x:T
Sin x:T
Sinh x:T
Size input:T | out_type:type
Slice input:T begin:Index size:Index
Snapshot input:T
Softmax logits:T
SoftmaxCrossEntropyWithLogits features:T labels:T
Softplus features:T
Softsign features:T
SpaceToBatchND input:T block_shape:Tblock_shape=int32 paddings:Tpaddings=int32
SpaceToDepth input:T | block_size:int! data_format:string
SparseSoftmaxCrossEntropyWithLogits features:T labels:Tlabels=int64
Spence x:T
Split axis:int32 value:T | num_split:int!
SplitV value:T size_splits:Tlen=int64 axis:int32 | num_split:int!
Sqrt x:T
SqrtGrad y:T dy:T
Square x:T
SquaredDifference x:T y:T
Squeeze input:T | axis>squeeze_dims:list(int)
StatelessMultinomial logits:T num_samples:int32 seed:Tseed=int64 | output_dtype:type
StatelessRandomGetKeyCounter seed:Tseed=int64
StatelessRandomNormal shape:T=int32 seed:Tseed=int64 | dtype:type
StatelessRandomNormalV2 shape:Tshape=int32 key:uint64 counter:uint64 alg:int32 | dtype:type
StatelessRandomUniform shape:T=int32 seed:Tseed=int64 | dtype:type
StatelessRandomUniformFullIntV2 shape:Tshape=int32 key:uint64 counter:uint64 alg:int32 | dtype:type
StatelessRandomUniformIntV2 shape:Tshape=int32 key:uint64 counter:uint64 alg:int32 minval:dtype maxval:dtype
StatelessRandomUniformV2 shape:Tshape=int32 key:uint64 counter:uint64 alg:int32 | dtype:type
StatelessTruncatedNormal shape:T=int32 seed:Tseed=int64 | dtype:type
StatelessTruncatedNormalV2 shape:Tshape=int32 key:uint64 counter:uint64 alg:int32 | dtype:type
StaticRegexFullMatch input:string | pattern:string!
StaticRegexReplace input:string | pattern:string! rewrite:string! replace_global:bool
StopGradient input:T
StridedSlice input:T begin:Index end:Index strides:Index | begin_mask:int end_mask:int ellipsis_mask:int
  new_axis_mask:int shrink_axis_mask:int
StringFormat inputs:T* | template:string placeholder:string summarize:int
StringJoin inputs:string*N | separator:string
StringLength input:string | unit:string
StringLower input:string | encoding:string
StringSplitV2 input:string sep:string | maxsplit:int
StringStrip input:string
StringToHashBucket string_tensor:string | num_buckets:int!
StringToHashBucketFast input:string | num_buckets:int!
StringToHashBucketStrong input:string | num_buckets:int! key:list(int)!
StringToNumber string_tensor:string | out_type:type
StringUpper input:string | encoding:string
Sub x:T y:T
Substr input:string pos:T len:T | unit:string
Sum input:T axis:Tidx=int32 | keep_dims:bool
Svd input:T | compute_uv:bool full_matrices:bool
Tan x:T
Tanh x:T
TanhGrad y:T dy:T
TensorScatterAdd tensor:T indices:Tindices updates:T | bad_indices_policy:string
TensorScatterMax tensor:T indices:Tindices updates:T | bad_indices_policy:string
TensorScatterMin tensor:T indices:Tindices updates:T | bad_indices_policy:string
TensorScatterSub tensor:T indices:Tindices updates:T | bad_indices_policy:string
TensorScatterUpdate tensor:T indices:Tindices updates:T | bad_indices_policy:string
Tile input:T multiples:Tmultiples=int32
TopKV2 input:T k:Tk=int32 | sorted:bool index_type:type
Transpose x:T perm:Tperm=int32
TruncateDiv x:T y:T
TruncateMod x:T y:T
TruncatedNormal shape:T | seed:int seed2:int dtype:type!
Unique x:T | out_idx:type
UniqueV2 x:T axis:Taxis=int64 | out_idx:type
UniqueWithCounts x:T | out_idx:type
UniqueWithCountsV2 x:T axis:Taxis=int64 | out_idx:type
Unpack value:T | num:int! axis:int
UnsortedSegmentMax data:T segment_ids:Tindices num_segments:Tnumsegments=int32
UnsortedSegmentMin data:T segment_ids:Tindices num_segments:Tnumsegments=int32
UnsortedSegmentProd data:T segment_ids:Tindices num_segments:Tnumsegments=int32
UnsortedSegmentSum data:T segment_ids:Tindices num_segments:Tnumsegments=int32
VarIsInitializedOp resource:resource
VariableShape input:resource | out_type:type
Where condition:T
Xdivy x:T y:T
Xlog1py x:T y:T
Xlogy x:T y:T
ZerosLike x:T
Zeta x:T q:T
"""
