"""Raw operations, as `table.py` has them: those from N on."""

from __future__ import annotations

TABLE = """
Ndtri x:T
Neg x:T
NextAfter x1:T=float32 x2:T=float32
NoOp
NonMaxSuppression boxes:float32 scores:float32 max_output_size:int32 | iou_threshold:float
NonMaxSuppressionV2 boxes:T=float32 scores:T=float32 max_output_size:int32 iou_threshold:T_threshold=float32
NonMaxSuppressionV3 boxes:T=float32 scores:T=float32 max_output_size:int32 iou_threshold:T_threshold=float32
  score_threshold:T_threshold=float32
NonMaxSuppressionV4 boxes:T=float32 scores:T=float32 max_output_size:int32 iou_threshold:T_threshold=float32
  score_threshold:T_threshold=float32 | pad_to_max_output_size:bool
NonMaxSuppressionV5 boxes:T=float32 scores:T=float32 max_output_size:int32 iou_threshold:T=float32
  score_threshold:T=float32 soft_nms_sigma:T=float32 | pad_to_max_output_size:bool
NonMaxSuppressionWithOverlaps overlaps:float32 scores:float32 max_output_size:int32 overlap_threshold:float32
  score_threshold:float32
NotEqual x:T y:T | incompatible_shape_error:bool
NthElement input:T n:int32 | reverse:bool
OneHot indices:TI=int64 depth:int32 on_value:T off_value:T | axis:int
OnesLike x:T
Pack values:T*N | axis:int
Pad input:T paddings:Tpaddings=int32
PadV2 input:T paddings:Tpaddings=int32 constant_values:T
ParallelConcat values:T*N | shape:shape!
ParallelDynamicStitch indices:int32*N data:T*N
ParseTensor serialized:string | out_type:type!
Polygamma a:T x:T
PopulationCount x:T
Pow x:T y:T
PreventGradient input:T | message:string
Prod input:T axis:Tidx=int32 | keep_dims:bool
Qr input:T | full_matrices:bool
QuantizeAndDequantizeV2 input:T input_min:T input_max:T | signed_input:bool num_bits:int range_given:bool
  round_mode:string narrow_range:bool axis:int
QuantizeAndDequantizeV3 input:T input_min:T input_max:T num_bits:int32 | signed_input:bool range_given:bool
  narrow_range:bool axis:int
QuantizeAndDequantizeV4 input:T input_min:T input_max:T | signed_input:bool num_bits:int range_given:bool
  round_mode:string narrow_range:bool axis:int
RFFT input:Treal=float32 fft_length:int32 | Tcomplex:type
RFFT2D input:Treal=float32 fft_length:int32 | Tcomplex:type
RFFT3D input:Treal=float32 fft_length:int32 | Tcomplex:type
RGBToHSV images:T=float32
RaggedBincount splits:int64 values:Tidx size:Tidx weights:T | binary_output:bool
RaggedCountSparseOutput splits:int64 values:T weights:output_type | minlength:int maxlength:int binary_output:bool!
RaggedGather params_nested_splits:Tsplits*PARAMS_RAGGED_RANK params_dense_values:Tvalues indices:Tindices=int32 |
  OUTPUT_RAGGED_RANK:int!
RaggedRange starts:T=int32 limits:T=int32 deltas:T=int32 | Tsplits:type
RaggedTensorToSparse rt_nested_splits:Tsplits=int64*RAGGED_RANK rt_dense_values:T
RaggedTensorToTensor shape:Tshape values:T default_value:T row_partition_tensors:Tindex*num_row_partition_tensors |
  row_partition_types:list(string)!
RandomGamma shape:S=int32 alpha:T | seed:int seed2:int
RandomPoisson shape:S=int32 rate:dtype | seed:int seed2:int
RandomPoissonV2 shape:S=int32 rate:R=float64 | seed:int seed2:int dtype:type
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
ResizeArea images:T size:int32 | align_corners:bool
ResizeBicubic images:T size:int32 | align_corners:bool half_pixel_centers:bool
ResizeBicubicGrad grads:float32 original_image:T | align_corners:bool half_pixel_centers:bool
ResizeBilinear images:T size:int32 | align_corners:bool half_pixel_centers:bool
ResizeBilinearGrad grads:float32 original_image:T | align_corners:bool half_pixel_centers:bool
ResizeNearestNeighbor images:T size:int32 | align_corners:bool half_pixel_centers:bool
ResizeNearestNeighborGrad grads:T size:int32 | align_corners:bool half_pixel_centers:bool
ResourceApplyAdaMax var:resource m:resource v:resource beta1_power:T lr:T beta1:T beta2:T epsilon:T grad:T |
  use_locking:bool
ResourceApplyAdadelta var:resource accum:resource accum_update:resource lr:T rho:T epsilon:T grad:T | use_locking:bool
ResourceApplyAdagrad var:resource accum:resource lr:T grad:T | use_locking:bool update_slots:bool
ResourceApplyAdagradDA var:resource gradient_accumulator:resource gradient_squared_accumulator:resource grad:T lr:T
  l1:T l2:T global_step:int64 | use_locking:bool
ResourceApplyAdagradV2 var:resource accum:resource lr:T epsilon:T grad:T | use_locking:bool update_slots:bool
ResourceApplyAdam var:resource m:resource v:resource beta1_power:T beta2_power:T lr:T beta1:T beta2:T epsilon:T grad:T
  | use_locking:bool use_nesterov:bool
ResourceApplyAdamWithAmsgrad var:resource m:resource v:resource vhat:resource beta1_power:T beta2_power:T lr:T beta1:T
  beta2:T epsilon:T grad:T | use_locking:bool
ResourceApplyAddSign var:resource m:resource lr:T alpha:T sign_decay:T beta:T grad:T | use_locking:bool
ResourceApplyCenteredRMSProp var:resource mg:resource ms:resource mom:resource lr:T rho:T momentum:T epsilon:T grad:T
  | use_locking:bool
ResourceApplyFtrl var:resource accum:resource linear:resource grad:T lr:T l1:T l2:T lr_power:T | use_locking:bool
  multiply_linear_by_lr:bool
ResourceApplyFtrlV2 var:resource accum:resource linear:resource grad:T lr:T l1:T l2:T l2_shrinkage:T lr_power:T |
  use_locking:bool multiply_linear_by_lr:bool
ResourceApplyGradientDescent var:resource alpha:T delta:T | use_locking:bool
ResourceApplyKerasMomentum var:resource accum:resource lr:T grad:T momentum:T | use_locking:bool use_nesterov:bool
ResourceApplyMomentum var:resource accum:resource lr:T grad:T momentum:T | use_locking:bool use_nesterov:bool
ResourceApplyPowerSign var:resource m:resource lr:T logbase:T sign_decay:T beta:T grad:T | use_locking:bool
ResourceApplyProximalAdagrad var:resource accum:resource lr:T l1:T l2:T grad:T | use_locking:bool
ResourceApplyProximalGradientDescent var:resource alpha:T l1:T l2:T delta:T | use_locking:bool
ResourceApplyRMSProp var:resource ms:resource mom:resource lr:T rho:T momentum:T epsilon:T grad:T | use_locking:bool
ResourceGather resource:resource indices:Tindices | batch_dims:int validate_indices:bool dtype:type!
ResourceGatherNd resource:resource indices:Tindices | dtype:type!
ResourceScatterAdd resource:resource indices:Tindices updates:dtype
ResourceScatterDiv resource:resource indices:Tindices updates:dtype
ResourceScatterMax resource:resource indices:Tindices updates:dtype
ResourceScatterMin resource:resource indices:Tindices updates:dtype
ResourceScatterMul resource:resource indices:Tindices updates:dtype
ResourceScatterNdAdd ref:resource indices:Tindices updates:T | use_locking:bool bad_indices_policy:string
ResourceScatterNdMax ref:resource indices:Tindices updates:T | use_locking:bool bad_indices_policy:string
ResourceScatterNdMin ref:resource indices:Tindices updates:T | use_locking:bool bad_indices_policy:string
ResourceScatterNdSub ref:resource indices:Tindices updates:T | use_locking:bool bad_indices_policy:string
ResourceScatterNdUpdate ref:resource indices:Tindices updates:T | use_locking:bool bad_indices_policy:string
ResourceScatterSub resource:resource indices:Tindices updates:dtype
ResourceScatterUpdate resource:resource indices:Tindices updates:dtype
ResourceStridedSliceAssign ref:resource begin:Index end:Index strides:Index value:T | begin_mask:int end_mask:int
  ellipsis_mask:int new_axis_mask:int shrink_axis_mask:int
Reverse tensor:T dims:bool
ReverseSequence input:T seq_lengths:Tlen=int64 | seq_dim:int! batch_dim:int
ReverseV2 tensor:T axis:Tidx=int32
RightShift x:T y:T
Rint x:T
Roll input:T shift:Tshift axis:Taxis
Round x:T
Rsqrt x:T
RsqrtGrad y:T dy:T
ScatterNd indices:Tindices updates:T shape:Tindices | bad_indices_policy:string
ScatterNdNonAliasingAdd input:T indices:Tindices updates:T | bad_indices_policy:string
SegmentMax data:T segment_ids:Tindices
SegmentMean data:T segment_ids:Tindices
SegmentMin data:T segment_ids:Tindices
SegmentProd data:T segment_ids:Tindices
SegmentSum data:T segment_ids:Tindices
Select condition:bool x:T y:T
SelectV2 condition:bool t:T e:T
SelfAdjointEigV2 input:T | compute_v:bool
Selu features:T
SeluGrad gradients:T outputs:T
SerializeManySparse sparse_indices:int64 sparse_values:T sparse_shape:int64 | out_type:type
SerializeSparse sparse_indices:int64 sparse_values:T sparse_shape:int64 | out_type:type
SerializeTensor tensor:T
SetSize set_indices:int64 set_values:T set_shape:int64 | validate_indices:bool
Shape input:T | out_type:type
ShapeN input:T*N | out_type:type
ShardedFilename basename:string shard:int32 num_shards:int32
ShardedFilespec basename:string num_shards:int32
Sigmoid x:T
SigmoidGrad y:T dy:T
Sign x:T
Sin x:T
Sinh x:T
Size input:T | out_type:type
Slice input:T begin:Index size:Index
Snapshot input:T
SobolSample dim:int32 num_results:int32 skip:int32 | dtype:type
Softmax logits:T
SoftmaxCrossEntropyWithLogits features:T labels:T
Softplus features:T
SoftplusGrad gradients:T features:T
Softsign features:T
SoftsignGrad gradients:T features:T
SpaceToBatch input:T paddings:Tpaddings=int32 | block_size:int!
SpaceToBatchND input:T block_shape:Tblock_shape=int32 paddings:Tpaddings=int32
SpaceToDepth input:T | block_size:int! data_format:string
SparseAdd a_indices:int64 a_values:T a_shape:int64 b_indices:int64 b_values:T b_shape:int64 thresh:Treal
SparseBincount indices:int64 values:Tidx dense_shape:int64 size:Tidx weights:T | binary_output:bool
SparseConcat indices:int64*N values:T*N shapes:int64*N | concat_dim:int!
SparseCountSparseOutput indices:int64 values:T dense_shape:int64 weights:output_type | minlength:int maxlength:int
  binary_output:bool!
SparseDenseCwiseAdd sp_indices:int64 sp_values:T sp_shape:int64 dense:T
SparseDenseCwiseDiv sp_indices:int64 sp_values:T sp_shape:int64 dense:T
SparseDenseCwiseMul sp_indices:int64 sp_values:T sp_shape:int64 dense:T
SparseFillEmptyRows indices:int64 values:T dense_shape:int64 default_value:T
SparseFillEmptyRowsGrad reverse_index_map:int64 grad_values:T
SparseMatMul a:Ta=float32 b:Tb=float32 | transpose_a:bool transpose_b:bool a_is_sparse:bool b_is_sparse:bool
SparseReduceMax input_indices:int64 input_values:T input_shape:int64 reduction_axes:int32 | keep_dims:bool
SparseReduceMaxSparse input_indices:int64 input_values:T input_shape:int64 reduction_axes:int32 | keep_dims:bool
SparseReduceSum input_indices:int64 input_values:T input_shape:int64 reduction_axes:int32 | keep_dims:bool
SparseReduceSumSparse input_indices:int64 input_values:T input_shape:int64 reduction_axes:int32 | keep_dims:bool
SparseReorder input_indices:int64 input_values:T input_shape:int64
SparseReshape input_indices:int64 input_shape:int64 new_shape:int64
SparseSegmentMean data:T indices:Tidx=int32 segment_ids:Tsegmentids=int32 | sparse_gradient:bool
SparseSegmentMeanGrad grad:T indices:Tidx=int32 segment_ids:Tsegmentids=int32 output_dim0:int32
SparseSegmentMeanWithNumSegments data:T indices:Tidx=int32 segment_ids:Tsegmentids=int32
  num_segments:Tnumsegments=int32 | sparse_gradient:bool
SparseSegmentSqrtN data:T indices:Tidx=int32 segment_ids:Tsegmentids=int32 | sparse_gradient:bool
SparseSegmentSqrtNGrad grad:T indices:Tidx=int32 segment_ids:Tsegmentids=int32 output_dim0:int32
SparseSegmentSqrtNWithNumSegments data:T indices:Tidx=int32 segment_ids:Tsegmentids=int32
  num_segments:Tnumsegments=int32 | sparse_gradient:bool
SparseSegmentSum data:T indices:Tidx=int32 segment_ids:Tsegmentids=int32 | sparse_gradient:bool
SparseSegmentSumGrad grad:T indices:Tidx=int32 segment_ids:Tsegmentids=int32 output_dim0:int32
SparseSegmentSumWithNumSegments data:T indices:Tidx=int32 segment_ids:Tsegmentids=int32
  num_segments:Tnumsegments=int32 | sparse_gradient:bool
SparseSlice indices:int64 values:T shape:int64 start:int64 size:int64
SparseSoftmax sp_indices:int64 sp_values:T sp_shape:int64
SparseSoftmaxCrossEntropyWithLogits features:T labels:Tlabels=int64
SparseSparseMaximum a_indices:int64 a_values:T a_shape:int64 b_indices:int64 b_values:T b_shape:int64
SparseSparseMinimum a_indices:int64 a_values:T a_shape:int64 b_indices:int64 b_values:T b_shape:int64
SparseSplit split_dim:int64 indices:int64 values:T shape:int64 | num_split:int!
SparseTensorDenseAdd a_indices:Tindices a_values:T a_shape:Tindices b:T
SparseTensorDenseMatMul a_indices:Tindices=int64 a_values:T a_shape:int64 b:T | adjoint_a:bool adjoint_b:bool
SparseToDense sparse_indices:Tindices output_shape:Tindices sparse_values:T default_value:T | validate_indices:bool
SparseToSparseSetOperation set1_indices:int64 set1_values:T set1_shape:int64 set2_indices:int64 set2_values:T
  set2_shape:int64 | set_operation:string! validate_indices:bool
Spence x:T
Split axis:int32 value:T | num_split:int!
SplitV value:T size_splits:Tlen=int64 axis:int32 | num_split:int!
Sqrt x:T
SqrtGrad y:T dy:T
Square x:T
SquaredDifference x:T y:T
Squeeze input:T | axis>squeeze_dims:list(int)
StatelessMultinomial logits:T num_samples:int32 seed:Tseed=int64 | output_dtype:type
StatelessParameterizedTruncatedNormal shape:S=int32 seed:Tseed=int64 means:dtype stddevs:dtype minvals:dtype
  maxvals:dtype
StatelessRandomBinomial shape:S=int32 seed:Tseed=int64 counts:T=float64 probs:T=float64 | dtype:type
StatelessRandomGammaV2 shape:T=int32 seed:Tseed=int64 alpha:dtype
StatelessRandomGetAlg
StatelessRandomGetKeyCounter seed:Tseed=int64
StatelessRandomGetKeyCounterAlg seed:Tseed=int64
StatelessRandomNormal shape:T=int32 seed:Tseed=int64 | dtype:type
StatelessRandomNormalV2 shape:Tshape=int32 key:uint64 counter:uint64 alg:int32 | dtype:type
StatelessRandomPoisson shape:T=int32 seed:Tseed=int64 lam:Rtype | dtype:type!
StatelessRandomUniform shape:T=int32 seed:Tseed=int64 | dtype:type
StatelessRandomUniformFullInt shape:T=int32 seed:Tseed=int64 | dtype:type
StatelessRandomUniformFullIntV2 shape:Tshape=int32 key:uint64 counter:uint64 alg:int32 | dtype:type
StatelessRandomUniformInt shape:T seed:Tseed=int64 minval:dtype maxval:dtype
StatelessRandomUniformIntV2 shape:Tshape=int32 key:uint64 counter:uint64 alg:int32 minval:dtype maxval:dtype
StatelessRandomUniformV2 shape:Tshape=int32 key:uint64 counter:uint64 alg:int32 | dtype:type
StatelessTruncatedNormal shape:T=int32 seed:Tseed=int64 | dtype:type
StatelessTruncatedNormalV2 shape:Tshape=int32 key:uint64 counter:uint64 alg:int32 | dtype:type
StaticRegexFullMatch input:string | pattern:string!
StaticRegexReplace input:string | pattern:string! rewrite:string! replace_global:bool
StopGradient input:T
StridedSlice input:T begin:Index end:Index strides:Index | begin_mask:int end_mask:int ellipsis_mask:int
  new_axis_mask:int shrink_axis_mask:int
StridedSliceGrad shape:Index begin:Index end:Index strides:Index dy:T | begin_mask:int end_mask:int
  ellipsis_mask:int new_axis_mask:int shrink_axis_mask:int
StringFormat inputs:T* | template:string placeholder:string summarize:int
StringJoin inputs:string*N | separator:string
StringLength input:string | unit:string
StringLower input:string | encoding:string
StringNGrams data:string data_splits:Tsplits | separator:string! ngram_widths:list(int)! left_pad:string!
  right_pad:string! pad_width:int! preserve_short_sequences:bool!
StringSplit input:string delimiter:string | skip_empty:bool
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
TensorListConcat input_handle:variant | element_dtype:type! element_shape:shape
TensorListConcatLists input_a:variant input_b:variant | element_dtype:type!
TensorListConcatV2 input_handle:variant element_shape:shape_type leading_dims:int64 | element_dtype:type!
TensorListElementShape input_handle:variant | shape_type:type!
TensorListFromTensor tensor:element_dtype element_shape:shape_type
TensorListGather input_handle:variant indices:int32 element_shape:int32 | element_dtype:type!
TensorListGetItem input_handle:variant index:int32 element_shape:Tshape=int32 | element_dtype:type!
TensorListLength input_handle:variant
TensorListPushBack input_handle:variant tensor:element_dtype
TensorListReserve element_shape:shape_type num_elements:int32 | element_dtype:type!
TensorListScatter tensor:element_dtype indices:int32 element_shape:shape_type=int32
TensorListScatterIntoExistingList input_handle:variant tensor:element_dtype indices:int32
TensorListScatterV2 tensor:element_dtype indices:int32 element_shape:shape_type=int32 num_elements:int32
TensorListSetItem input_handle:variant index:int32 item:element_dtype | resize_if_index_out_of_bounds:bool
TensorListStack input_handle:variant element_shape:int32 | element_dtype:type! num_elements:int
TensorScatterAdd tensor:T indices:Tindices updates:T | bad_indices_policy:string
TensorScatterMax tensor:T indices:Tindices updates:T | bad_indices_policy:string
TensorScatterMin tensor:T indices:Tindices updates:T | bad_indices_policy:string
TensorScatterSub tensor:T indices:Tindices updates:T | bad_indices_policy:string
TensorScatterUpdate tensor:T indices:Tindices updates:T | bad_indices_policy:string
TensorStridedSliceUpdate input:T begin:Index end:Index strides:Index value:T | begin_mask:int end_mask:int
  ellipsis_mask:int new_axis_mask:int shrink_axis_mask:int
Tile input:T multiples:Tmultiples=int32
Timestamp
ToBool input:T
TopK input:T | k:int! sorted:bool
TopKV2 input:T k:Tk=int32 | sorted:bool index_type:type
Transpose x:T perm:Tperm=int32
TridiagonalMatMul superdiag:T maindiag:T subdiag:T rhs:T
TridiagonalSolve diagonals:T rhs:T | partial_pivoting:bool perturb_singular:bool
TruncateDiv x:T y:T
TruncateMod x:T y:T
TruncatedNormal shape:T | seed:int seed2:int dtype:type!
UnicodeDecode input:string | input_encoding:string! errors:string replacement_char:int
  replace_control_characters:bool Tsplits:type
UnicodeDecodeWithOffsets input:string | input_encoding:string! errors:string replacement_char:int
  replace_control_characters:bool Tsplits:type
UnicodeEncode input_values:int32 input_splits:Tsplits=int64 | errors:string output_encoding:string!
  replacement_char:int
UnicodeScript input:int32
UnicodeTranscode input:string | input_encoding:string! output_encoding:string! errors:string replacement_char:int
  replace_control_characters:bool
UniformCandidateSampler true_classes:int64 | num_true:int! num_sampled:int! unique:bool! range_max:int! seed:int
  seed2:int
Unique x:T | out_idx:type
UniqueV2 x:T axis:Taxis=int64 | out_idx:type
UniqueWithCounts x:T | out_idx:type
UniqueWithCountsV2 x:T axis:Taxis=int64 | out_idx:type
Unpack value:T | num:int! axis:int
UnravelIndex indices:Tidx=int32 dims:Tidx=int32
UnsortedSegmentJoin inputs:string segment_ids:Tindices num_segments:Tnumsegments=int32 | separator:string
UnsortedSegmentMax data:T segment_ids:Tindices num_segments:Tnumsegments=int32
UnsortedSegmentMin data:T segment_ids:Tindices num_segments:Tnumsegments=int32
UnsortedSegmentProd data:T segment_ids:Tindices num_segments:Tnumsegments=int32
UnsortedSegmentSum data:T segment_ids:Tindices num_segments:Tnumsegments=int32
UpperBound sorted_inputs:T values:T | out_type:type
VarHandleOp | container:string shared_name:string debug_name:string dtype:type! shape:shape!
  allowed_devices:list(string)
VarIsInitializedOp resource:resource
VariableShape input:resource | out_type:type
Where condition:T
WriteFile filename:string contents:string
Xdivy x:T y:T
Xlog1py x:T y:T
Xlogy x:T y:T
ZerosLike x:T
Zeta x:T q:T
"""
