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
AllCandidateSampler true_classes:int64 | num_true:int! num_sampled:int! unique:bool! seed:int seed2:int
Angle input:T=complex64 | Tout:type
AnonymousHashTable  | key_dtype:type! value_dtype:type!
AnonymousMutableHashTable  | key_dtype:type! value_dtype:type!
Any input:bool axis:Tidx=int32 | keep_dims:bool
ApproxTopK input:T | k:int! reduction_dimension:int recall_target:float is_max_k:bool
  reduction_input_size_override:int aggregate_to_topk:bool
ApproximateEqual x:T y:T | tolerance:float
ArgMax input:T dimension:Tidx=int32 | output_type:type
ArgMin input:T dimension:Tidx=int32 | output_type:type
AsString input:T | precision:int scientific:bool shortest:bool width:int fill:string
Asin x:T
Asinh x:T
Assert condition:bool data:T* | summarize:int
AssignAddVariableOp resource:resource value:dtype
AssignSubVariableOp resource:resource value:dtype
AssignVariableOp resource:resource value:dtype | validate_shape:bool
Atan x:T
Atan2 y:T x:T
Atanh x:T
AudioSpectrogram input:float32 | window_size:int! stride:int! magnitude_squared:bool
AvgPool value:T | ksize:list(int)! strides:list(int)! padding:string! data_format:string
AvgPool3D input:T | ksize:list(int)! strides:list(int)! padding:string! data_format:string
AvgPool3DGrad orig_input_shape:int32 grad:T | ksize:list(int)! strides:list(int)! padding:string! data_format:string
AvgPoolGrad orig_input_shape:int32 grad:T | ksize:list(int)! strides:list(int)! padding:string! data_format:string
BandedTriangularSolve matrix:T rhs:T | lower:bool adjoint:bool
BatchMatMul x:T y:T | adj_x:bool adj_y:bool grad_x:bool grad_y:bool
BatchMatMulV2 x:T y:T | adj_x:bool adj_y:bool grad_x:bool grad_y:bool
BatchMatMulV3 x:Ta y:Tb | Tout:type! adj_x:bool adj_y:bool grad_x:bool grad_y:bool
BatchToSpace input:T crops:Tidx=int32 | block_size:int!
BatchToSpaceND input:T block_shape:Tblock_shape=int32 crops:Tcrops=int32
BesselI0 x:T
BesselI0e x:T
BesselI1 x:T
BesselI1e x:T
BesselJ0 x:T
BesselJ1 x:T
BesselK0 x:T
BesselK0e x:T
BesselK1 x:T
BesselK1e x:T
BesselY0 x:T
BesselY1 x:T
Betainc a:T b:T x:T
BiasAdd value:T bias:T | data_format:string
BiasAddGrad out_backprop:T | data_format:string
BiasAddV1 value:T bias:T
Bincount arr:int32 size:int32 weights:T
Bitcast input:T | type:type!
BitwiseAnd x:T y:T
BitwiseOr x:T y:T
BitwiseXor x:T y:T
BroadcastArgs s0:T=int32 s1:T=int32
BroadcastTo input:T shape:Tidx=int32
CTCBeamSearchDecoder inputs:T=float32 sequence_length:int32 | beam_width:int! top_paths:int! merge_repeated:bool
CTCGreedyDecoder inputs:T=float32 sequence_length:int32 | merge_repeated:bool blank_index:int
CTCLoss inputs:T=float32 labels_indices:int64 labels_values:int32 sequence_length:int32 |
  preprocess_collapse_repeated:bool ctc_merge_repeated:bool ignore_longer_outputs_than_inputs:bool
Cast x:SrcT | DstT:type! Truncate:bool
Ceil x:T
CheckNumerics tensor:T | message:string!
CheckNumericsV2 tensor:T | message:string!
Cholesky input:T
CholeskyGrad l:T grad:T
ClipByValue t:T clip_value_min:T clip_value_max:T
CombinedNonMaxSuppression boxes:float32 scores:float32 max_output_size_per_class:int32 max_total_size:int32
  iou_threshold:float32 score_threshold:float32 | pad_per_class:bool clip_boxes:bool
Complex real:T=float32 imag:T=float32 | Tout:type
ComplexAbs x:T=complex64 | Tout:type
ComputeAccidentalHits true_classes:int64 sampled_candidates:int64 | num_true:int! seed:int seed2:int
Concat concat_dim:int32 values:T*N
ConcatOffset concat_dim:int32 shape:shape_type=int32*N
ConcatV2 values:T*N axis:Tidx=int32
Conj input:T=complex64
ConjugateTranspose x:T perm:Tperm=int32
Conv2D input:T filter:T | strides:list(int)! use_cudnn_on_gpu:bool padding:string! explicit_paddings:list(int)
  data_format:string dilations:list(int)
Conv2DBackpropFilter input:T filter_sizes:int32 out_backprop:T | strides:list(int)! use_cudnn_on_gpu:bool
  padding:string! explicit_paddings:list(int) data_format:string dilations:list(int)
Conv2DBackpropInput input_sizes:int32 filter:T out_backprop:T | strides:list(int)! use_cudnn_on_gpu:bool
  padding:string! explicit_paddings:list(int) data_format:string dilations:list(int)
Conv3D input:T filter:T | strides:list(int)! padding:string! data_format:string dilations:list(int)
Conv3DBackpropFilterV2 input:T filter_sizes:int32 out_backprop:T | strides:list(int)! padding:string!
  data_format:string dilations:list(int)
Conv3DBackpropInputV2 input_sizes:Tshape=int32 filter:T out_backprop:T | strides:list(int)! padding:string!
  data_format:string dilations:list(int)
Copy input:T | tensor_name:string debug_ops_spec:list(string)
CopyHost input:T | tensor_name:string debug_ops_spec:list(string)
Cos x:T
Cosh x:T
CropAndResize image:T boxes:float32 box_ind:int32 crop_size:int32 | method:string extrapolation_value:float
Cross a:T b:T
Cumprod x:T axis:Tidx=int32 | exclusive:bool reverse:bool
Cumsum x:T axis:Tidx=int32 | exclusive:bool reverse:bool
CumulativeLogsumexp x:T axis:Tidx=int32 | exclusive:bool reverse:bool
DataFormatDimMap x:T=int32 | src_format:string dst_format:string
DataFormatVecPermute x:T=int32 | src_format:string dst_format:string
Dawsn x:T
DebugIdentityV2 input:T | tfdbg_context_id:string op_name:string output_slot:int tensor_debug_mode:int
  debug_urls:list(string) circular_buffer_size:int tfdbg_run_id:string
DecodeAndCropJpeg contents:string crop_window:int32 | channels:int ratio:int fancy_upscaling:bool
  try_recover_truncated:bool acceptable_fraction:float dct_method:string
DecodeBase64 input:string
DecodeBmp contents:string | channels:int
DecodeCSV records:string record_defaults:OUT_TYPE* | field_delim:string use_quote_delim:bool na_value:string
  select_cols:list(int)
DecodeCompressed bytes:string | compression_type:string
DecodeGif contents:string
DecodeImage contents:string | channels:int dtype:type expand_animations:bool
DecodeJSONExample json_examples:string
DecodeJpeg contents:string | channels:int ratio:int fancy_upscaling:bool try_recover_truncated:bool
  acceptable_fraction:float dct_method:string
DecodePaddedRaw input_bytes:string fixed_length:int32 | out_type:type! little_endian:bool
DecodePng contents:string | channels:int dtype:type
DecodeRaw bytes:string | out_type:type! little_endian:bool
DecodeWav contents:string | desired_channels:int desired_samples:int
DecodeWebP contents:string | channels:int dtype:type
DeepCopy x:T
DenseBincount input:Tidx size:Tidx weights:T | binary_output:bool
DenseCountSparseOutput values:T weights:output_type | minlength:int maxlength:int binary_output:bool!
DenseToDenseSetOperation set1:T set2:T | set_operation:string! validate_indices:bool
DenseToSparseSetOperation set1:T set2_indices:int64 set2_values:T set2_shape:int64 | set_operation:string!
  validate_indices:bool
DepthToSpace input:T | block_size:int! data_format:string
DepthwiseConv2dNative input:T filter:T | strides:list(int)! padding:string! explicit_paddings:list(int)
  data_format:string dilations:list(int)
DepthwiseConv2dNativeBackpropFilter input:T filter_sizes:int32 out_backprop:T | strides:list(int)! padding:string!
  explicit_paddings:list(int) data_format:string dilations:list(int)
DepthwiseConv2dNativeBackpropInput input_sizes:int32 filter:T out_backprop:T | strides:list(int)! padding:string!
  explicit_paddings:list(int) data_format:string dilations:list(int)
DeserializeManySparse serialized_sparse:string | dtype:type!
DestroyResourceOp resource:resource | ignore_lookup_error:bool
Diag diagonal:T
DiagPart input:T
Digamma x:T
Dilation2D input:T filter:T | strides:list(int)! rates:list(int)! padding:string!
Dilation2DBackpropFilter input:T filter:T out_backprop:T | strides:list(int)! rates:list(int)! padding:string!
Dilation2DBackpropInput input:T filter:T out_backprop:T | strides:list(int)! rates:list(int)! padding:string!
DisableCopyOnRead resource:resource
Div x:T y:T
DivNoNan x:T y:T
DrawBoundingBoxes images:T=float32 boxes:float32
DrawBoundingBoxesV2 images:T=float32 boxes:float32 colors:float32
DynamicPartition data:T partitions:int32 | num_partitions:int!
DynamicStitch indices:int32*N data:T*N
EditDistance hypothesis_indices:int64 hypothesis_values:T hypothesis_shape:int64 truth_indices:int64 truth_values:T
  truth_shape:int64 | normalize:bool
Eig input:T | compute_v:bool Tout:type!
Einsum inputs:T*N | equation:string!
Elu features:T
EluGrad gradients:T outputs:T
Empty shape:int32 | dtype:type! init:bool
EmptyTensorList element_shape:shape_type max_num_elements:int32 | element_dtype:type!
EncodeBase64 input:string | pad:bool
EncodeJpeg image:uint8 | format:string quality:int progressive:bool optimize_size:bool chroma_downsampling:bool
  density_unit:string x_density:int y_density:int xmp_metadata:string
EncodeJpegVariableQuality images:uint8 quality:int32
EncodePng image:T=uint8 | compression:int
EncodeWav audio:float32 sample_rate:int32
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
ExtractGlimpseV2 input:float32 size:int32 offsets:float32 | centered:bool normalized:bool uniform_noise:bool
  noise:string
ExtractImagePatches images:T | ksizes:list(int)! strides:list(int)! rates:list(int)! padding:string!
ExtractJpegShape contents:string | output_type:type
ExtractVolumePatches input:T | ksizes:list(int)! strides:list(int)! padding:string!
FFT input:Tcomplex=complex64
FFT2D input:Tcomplex=complex64
FFT3D input:Tcomplex=complex64
Fact
FakeQuantWithMinMaxArgs inputs:float32 | min:float max:float num_bits:int narrow_range:bool
FakeQuantWithMinMaxArgsGradient gradients:float32 inputs:float32 | min:float max:float num_bits:int
  narrow_range:bool
FakeQuantWithMinMaxVars inputs:float32 min:float32 max:float32 | num_bits:int narrow_range:bool
FakeQuantWithMinMaxVarsGradient gradients:float32 inputs:float32 min:float32 max:float32 | num_bits:int
  narrow_range:bool
FakeQuantWithMinMaxVarsPerChannel inputs:float32 min:float32 max:float32 | num_bits:int narrow_range:bool
FakeQuantWithMinMaxVarsPerChannelGradient gradients:float32 inputs:float32 min:float32 max:float32 | num_bits:int
  narrow_range:bool
Fill dims:index_type=int32 value:T
Fingerprint data:T method:string
Floor x:T
FloorDiv x:T y:T
FloorMod x:T y:T
FractionalAvgPool value:T | pooling_ratio:list(float)! pseudo_random:bool overlapping:bool deterministic:bool seed:int
  seed2:int
FractionalMaxPool value:T | pooling_ratio:list(float)! pseudo_random:bool overlapping:bool deterministic:bool seed:int
  seed2:int
FresnelCos x:T
FresnelSin x:T
FusedBatchNorm x:T scale:T offset:T mean:T variance:T | epsilon:float exponential_avg_factor:float data_format:string
  is_training:bool
FusedBatchNormGrad y_backprop:T x:T scale:T reserve_space_1:T reserve_space_2:T | epsilon:float data_format:string
  is_training:bool
FusedBatchNormGradV2 y_backprop:T x:T scale:float32 reserve_space_1:U reserve_space_2:U | epsilon:float
  data_format:string is_training:bool
FusedBatchNormGradV3 y_backprop:T x:T scale:float32 reserve_space_1:U reserve_space_2:U reserve_space_3:U |
  epsilon:float data_format:string is_training:bool
FusedBatchNormV3 x:T scale:U offset:U mean:U variance:U | epsilon:float exponential_avg_factor:float
  data_format:string is_training:bool
GRUBlockCell x:T h_prev:T w_ru:T w_c:T b_ru:T b_c:T
Gather params:Tparams indices:Tindices | validate_indices:bool
GatherNd params:Tparams indices:Tindices | bad_indices_policy:string
GatherV2 params:Tparams indices:Tindices axis:Taxis | batch_dims:int
Greater x:T y:T
GreaterEqual x:T y:T
GuaranteeConst input:T
HSVToRGB images:T=float32
HashTableV2 | container:string shared_name:string use_node_name_sharing:bool key_dtype:type! value_dtype:type!
HistogramFixedWidth values:T value_range:T nbins:int32 | dtype:type
IFFT input:Tcomplex=complex64
IFFT2D input:Tcomplex=complex64
IFFT3D input:Tcomplex=complex64
IRFFT input:Tcomplex=complex64 fft_length:int32 | Treal:type
IRFFT2D input:Tcomplex=complex64 fft_length:int32 | Treal:type
IRFFT3D input:Tcomplex=complex64 fft_length:int32 | Treal:type
IdentityN input:T*
Igamma a:T x:T
Igammac a:T x:T
Imag input:T=complex64 | Tout:type
ImageProjectiveTransformV2 images:dtype transforms:float32 output_shape:int32 | interpolation:string! fill_mode:string
InTopK predictions:float32 targets:T=int32 | k:int!
InTopKV2 predictions:float32 targets:T=int32 k:T=int32
InitializeTableV2 table_handle:resource keys:Tkey values:Tval
InplaceAdd x:T i:int32 v:T
InplaceSub x:T i:int32 v:T
InplaceUpdate x:T i:int32 v:T
Inv x:T
InvGrad y:T dy:T
Invert x:T
InvertPermutation x:T=int32
IsFinite x:T
IsInf x:T
IsNan x:T
IsotonicRegression input:T | output_dtype:type
L2Loss t:T
LRN input:T=float32 | depth_radius:int bias:float alpha:float beta:float
LRNGrad input_grads:T=float32 input_image:T=float32 output_image:T=float32 | depth_radius:int bias:float alpha:float
  beta:float
LSTMBlockCell x:T cs_prev:T h_prev:T w:T wci:T wcf:T wco:T b:T | forget_bias:float cell_clip:float use_peephole:bool
LeakyRelu features:T=float32 | alpha:float
LeakyReluGrad gradients:T=float32 features:T=float32 | alpha:float
LeftShift x:T y:T
Less x:T y:T
LessEqual x:T y:T
Lgamma x:T
LinSpace start:T stop:T num:Tidx=int32
ListDiff x:T y:T | out_idx:type
Log x:T
Log1p x:T
LogMatrixDeterminant input:T
LogSoftmax logits:T
LogUniformCandidateSampler true_classes:int64 | num_true:int! num_sampled:int! unique:bool! range_max:int! seed:int
  seed2:int
LogicalAnd x:bool y:bool
LogicalNot x:bool
LogicalOr x:bool y:bool
LookupTableExportV2 table_handle:resource | Tkeys:type! Tvalues:type!
LookupTableFindV2 table_handle:resource keys:Tin default_value:Tout
LookupTableInsertV2 table_handle:resource keys:Tin values:Tout
LookupTableRemoveV2 table_handle:resource keys:Tin
LookupTableSizeV2 table_handle:resource
LowerBound sorted_inputs:T values:T | out_type:type
Lu input:T | output_idx_type:type
MatMul a:T b:T | transpose_a:bool transpose_b:bool grad_a:bool grad_b:bool
MatchingFiles pattern:string
MatrixBandPart input:T num_lower:Tindex=int64 num_upper:Tindex=int64
MatrixDeterminant input:T
MatrixDiag diagonal:T
MatrixDiagPart input:T
MatrixDiagPartV3 input:T k:int32 padding_value:T | align:string
MatrixDiagV2 diagonal:T k:int32 num_rows:int32 num_cols:int32 padding_value:T
MatrixDiagV3 diagonal:T k:int32 num_rows:int32 num_cols:int32 padding_value:T | align:string
MatrixInverse input:T | adjoint:bool
MatrixLogarithm input:T
MatrixSetDiag input:T diagonal:T
MatrixSetDiagV2 input:T diagonal:T k:int32
MatrixSetDiagV3 input:T diagonal:T k:int32 | align:string
MatrixSolve matrix:T rhs:T | adjoint:bool
MatrixSolveLs matrix:T rhs:T l2_regularizer:float64 | fast:bool
MatrixSquareRoot input:T
MatrixTriangularSolve matrix:T rhs:T | lower:bool adjoint:bool
Max input:T axis:Tidx=int32 | keep_dims:bool
MaxPool input:T=float32 | ksize:list(int)! strides:list(int)! padding:string! explicit_paddings:list(int)
  data_format:string
MaxPool3D input:T | ksize:list(int)! strides:list(int)! padding:string! data_format:string
MaxPool3DGrad orig_input:TInput=float32 orig_output:TInput=float32 grad:T=float32 | ksize:list(int)!
  strides:list(int)! padding:string! data_format:string
MaxPoolGrad orig_input:T=float32 orig_output:T=float32 grad:T=float32 | ksize:list(int)! strides:list(int)!
  padding:string! explicit_paddings:list(int) data_format:string
MaxPoolGradV2 orig_input:T=float32 orig_output:T=float32 grad:T=float32 ksize:int32 strides:int32 | padding:string!
  data_format:string
MaxPoolGradWithArgmax input:T grad:T argmax:Targmax | ksize:list(int)! strides:list(int)! padding:string!
  include_batch_in_index:bool
MaxPoolV2 input:T=float32 ksize:int32 strides:int32 | padding:string! data_format:string
MaxPoolWithArgmax input:T | ksize:list(int)! strides:list(int)! Targmax:type padding:string!
  include_batch_in_index:bool
Maximum x:T y:T
Mean input:T axis:Tidx=int32 | keep_dims:bool
Min input:T axis:Tidx=int32 | keep_dims:bool
Minimum x:T y:T
MirrorPad input:T paddings:Tpaddings=int32 | mode:string!
MirrorPadGrad input:T paddings:Tpaddings=int32 | mode:string!
Mod x:T y:T
Mul x:T y:T
MulNoNan x:T y:T
Multinomial logits:T num_samples:int32 | seed:int seed2:int output_dtype:type
MutableHashTable  | container:string shared_name:string use_node_name_sharing:bool key_dtype:type! value_dtype:type!
MutableHashTableV2  | container:string shared_name:string use_node_name_sharing:bool key_dtype:type! value_dtype:type!
"""
