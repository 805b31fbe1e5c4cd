"""Raw operations, as `table.py` has them: those that few programs call."""

from __future__ import annotations

TABLE = """
ControlTrigger
CropAndResizeGradBoxes grads:float32 image:T boxes:float32 box_ind:int32 | method:string
CropAndResizeGradImage grads:float32 boxes:float32 box_ind:int32 image_size:int32 | T:type! method:string
DebugGradientIdentity input:T
DebugIdentity input:T | device_name:string tensor_name:string debug_urls:list(string) gated_grpc:bool
DebugIdentityV3 input:T | device_name:string tensor_name:string io_of_node:string is_input:bool io_index:int
  debug_urls:list(string) gated_grpc:bool
FusedPadConv2D input:T paddings:int32 filter:T | mode:string! strides:list(int)! padding:string!
FusedResizeAndPadConv2D input:T size:int32 paddings:int32 filter:T | resize_align_corners:bool mode:string!
  strides:list(int)! padding:string!
MaxPool3DGradGrad orig_input:T orig_output:T grad:T | ksize:list(int)! strides:list(int)! padding:string!
  data_format:string
MaxPoolGradGrad orig_input:T orig_output:T grad:T | ksize:list(int)! strides:list(int)! padding:string!
  data_format:string
MaxPoolGradGradV2 orig_input:T orig_output:T grad:T ksize:int32 strides:int32 | padding:string! data_format:string
MaxPoolGradGradWithArgmax input:T grad:T argmax:Targmax | ksize:list(int)! strides:list(int)! padding:string!
  include_batch_in_index:bool
NearestNeighbors points:float32 centers:float32 k:int64
NonDeterministicInts shape:shape_dtype=int64 | dtype:type
PlaceholderWithDefault input:dtype | shape:shape!
QuantizeAndDequantizeV4Grad gradients:T input:T input_min:T input_max:T | axis:int
RaggedFillEmptyRows value_rowids:int64 values:T nrows:int64 default_value:T
RaggedFillEmptyRowsGrad reverse_index_map:int64 grad_values:T
RandomIndexShuffle index:dtype seed:Tseed max_index:dtype | rounds:int
ResourceCountUpTo resource:resource | limit:int! T:type!
ResourceSparseApplyAdadelta var:resource accum:resource accum_update:resource lr:T rho:T epsilon:T grad:T
  indices:Tindices | use_locking:bool
ResourceSparseApplyAdagrad var:resource accum:resource lr:T grad:T indices:Tindices | use_locking:bool
  update_slots:bool
ResourceSparseApplyAdagradDA var:resource gradient_accumulator:resource gradient_squared_accumulator:resource grad:T
  indices:Tindices lr:T l1:T l2:T global_step:int64 | use_locking:bool
ResourceSparseApplyAdagradV2 var:resource accum:resource lr:T epsilon:T grad:T indices:Tindices | use_locking:bool
  update_slots:bool
ResourceSparseApplyCenteredRMSProp var:resource mg:resource ms:resource mom:resource lr:T rho:T momentum:T epsilon:T
  grad:T indices:Tindices | use_locking:bool
ResourceSparseApplyFtrl var:resource accum:resource linear:resource grad:T indices:Tindices lr:T l1:T l2:T lr_power:T
  | use_locking:bool multiply_linear_by_lr:bool
ResourceSparseApplyFtrlV2 var:resource accum:resource linear:resource grad:T indices:Tindices lr:T l1:T l2:T
  l2_shrinkage:T lr_power:T | use_locking:bool multiply_linear_by_lr:bool
ResourceSparseApplyKerasMomentum var:resource accum:resource lr:T grad:T indices:Tindices momentum:T |
  use_locking:bool use_nesterov:bool
ResourceSparseApplyMomentum var:resource accum:resource lr:T grad:T indices:Tindices momentum:T | use_locking:bool
  use_nesterov:bool
ResourceSparseApplyProximalAdagrad var:resource accum:resource lr:T l1:T l2:T grad:T indices:Tindices |
  use_locking:bool
ResourceSparseApplyProximalGradientDescent var:resource alpha:T l1:T l2:T grad:T indices:Tindices | use_locking:bool
ResourceSparseApplyRMSProp var:resource ms:resource mom:resource lr:T rho:T momentum:T epsilon:T grad:T
  indices:Tindices | use_locking:bool
RngReadAndSkip resource:resource alg:int32 delta:uint64
RngSkip resource:resource algorithm:int64 delta:int64
SampleDistortedBoundingBox image_size:T bounding_boxes:float32 | seed:int seed2:int min_object_covered:float
  aspect_ratio_range:list(float) area_range:list(float) max_attempts:int use_image_if_no_bounding_boxes:bool
SampleDistortedBoundingBoxV2 image_size:T bounding_boxes:float32 min_object_covered:float32 | seed:int seed2:int
  aspect_ratio_range:list(float) area_range:list(float) max_attempts:int use_image_if_no_bounding_boxes:bool
ScaleAndTranslate images:T size:int32 scale:float32 translation:float32 | kernel_type:string antialias:bool
ScaleAndTranslateGrad grads:T original_image:T scale:float32 translation:float32 | kernel_type:string antialias:bool
SparseAddGrad backprop_val_grad:T a_indices:int64 b_indices:int64 sum_indices:int64
SparseSegmentMeanGradV2 grad:T indices:Tidx=int32 segment_ids:Tsegmentids=int32 dense_output_dim0:int32
SparseSegmentSqrtNGradV2 grad:T indices:Tidx=int32 segment_ids:Tsegmentids=int32 dense_output_dim0:int32
SparseSegmentSumGradV2 grad:T indices:Tidx=int32 segment_ids:Tsegmentids=int32 dense_output_dim0:int32
SparseSliceGrad backprop_val_grad:T input_indices:int64 input_start:int64 output_indices:int64
StatefulStandardNormalV2 resource:resource algorithm:int64 shape:shape_dtype=int64 | dtype:type
StatefulTruncatedNormal resource:resource algorithm:int64 shape:shape_dtype=int64 | dtype:type
StatefulUniform resource:resource algorithm:int64 shape:shape_dtype=int64 | dtype:type
StatefulUniformFullInt resource:resource algorithm:int64 shape:shape_dtype=int64 | dtype:type
StatefulUniformInt resource:resource algorithm:int64 shape:shape_dtype=int64 minval:dtype=int64 maxval:dtype=int64
StatelessRandomGammaV3 shape:shape_dtype=int32 key:uint64 counter:uint64 alg:int32 alpha:dtype
StatelessSampleDistortedBoundingBox image_size:T bounding_boxes:float32 min_object_covered:float32 seed:Tseed |
  aspect_ratio_range:list(float) area_range:list(float) max_attempts:int use_image_if_no_bounding_boxes:bool
StatelessShuffle value:T key:uint64 counter:uint64 alg:int32
SyncDevice
TensorListPopBack input_handle:variant element_shape:int32 | element_dtype:type!
TensorListResize input_handle:variant size:int32
TensorListSplit tensor:element_dtype element_shape:shape_type lengths:int64
XlaConcatND inputs:T*N | num_concats:list(int)! paddings:list(int)
XlaSplitND input:T | N:int! num_splits:list(int)! paddings:list(int)
"""
