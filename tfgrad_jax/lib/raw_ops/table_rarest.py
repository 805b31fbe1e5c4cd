"""Raw operations, as `table.py` has them: those that next to no program calls, and those that call functions."""

from __future__ import annotations

TABLE = """
AddManySparseToTensorsMap sparse_indices:int64 sparse_values:T sparse_shape:int64 | container:string
  shared_name:string
AddSparseToTensorsMap sparse_indices:int64 sparse_values:T sparse_shape:int64 | container:string shared_name:string
BlockLSTM seq_len_max:int64 x:T cs_prev:T h_prev:T w:T wci:T wcf:T wco:T b:T | forget_bias:float cell_clip:float
  use_peephole:bool
BlockLSTMGrad seq_len_max:int64 x:T cs_prev:T h_prev:T w:T wci:T wcf:T wco:T b:T i:T cs:T f:T o:T ci:T co:T h:T
  cs_grad:T h_grad:T | use_peephole:bool!
BlockLSTMGradV2 seq_len_max:int64 x:T cs_prev:T h_prev:T w:T wci:T wcf:T wco:T b:T i:T cs:T f:T o:T ci:T co:T h:T
  cs_grad:T h_grad:T | use_peephole:bool!
Case branch_index:int32 input:Tin* | Tout:list(type)! branches:list(func)! output_shapes:list(shape)
Conv input:T filter:T | strides:list(int)! padding:string! explicit_paddings:list(int) data_format:string
  dilations:list(int) batch_dims:int groups:int
DeserializeSparse serialized_sparse:Tserialized=string | dtype:type!
DeviceIndex  | device_names:list(string)!
ExtractGlimpse input:float32 size:int32 offsets:float32 | centered:bool normalized:bool uniform_noise:bool
  noise:string
FixedUnigramCandidateSampler true_classes:int64 | num_true:int! num_sampled:int! unique:bool! range_max:int!
  vocab_file:string distortion:float num_reserved_ids:int num_shards:int shard:int unigrams:list(float) seed:int
  seed2:int
For start:int32 limit:int32 delta:int32 input:T* | body:func!
FractionalAvgPoolGrad orig_input_tensor_shape:int64 out_backprop:T row_pooling_sequence:int64
  col_pooling_sequence:int64 | overlapping:bool
FractionalMaxPoolGrad orig_input:T orig_output:T out_backprop:T row_pooling_sequence:int64
  col_pooling_sequence:int64 | overlapping:bool
GRUBlockCellGrad x:T h_prev:T w_ru:T w_c:T b_ru:T b_c:T r:T u:T c:T d_h:T
GenerateVocabRemapping new_vocab_file:string old_vocab_file:string | new_vocab_offset:int! num_new_vocab:int!
  old_vocab_size:int
If cond:Tcond input:Tin* | Tout:list(type)! then_branch:func! else_branch:func! output_shapes:list(shape)
LSTMBlockCellGrad x:T cs_prev:T h_prev:T w:T wci:T wcf:T wco:T b:T i:T cs:T f:T o:T ci:T co:T cs_grad:T h_grad:T |
  use_peephole:bool!
MapClear  | capacity:int memory_limit:int dtypes:list(type)! container:string shared_name:string
MapIncompleteSize  | capacity:int memory_limit:int dtypes:list(type)! container:string shared_name:string
MapPeek key:int64 indices:int32 | capacity:int memory_limit:int dtypes:list(type)! container:string
  shared_name:string
MapSize  | capacity:int memory_limit:int dtypes:list(type)! container:string shared_name:string
MapStage key:int64 indices:int32 values:fake_dtypes* | capacity:int memory_limit:int dtypes:list(type)!
  container:string shared_name:string
MapUnstage key:int64 indices:int32 | capacity:int memory_limit:int dtypes:list(type)! container:string
  shared_name:string
MapUnstageNoKey indices:int32 | capacity:int memory_limit:int dtypes:list(type)! container:string shared_name:string
Mfcc spectrogram:float32 sample_rate:int32 | upper_frequency_limit:float lower_frequency_limit:float
  filterbank_channel_count:int dct_coefficient_count:int
OptionalFromValue components:Toutput_types*
OptionalGetValue optional:variant | output_types:list(type)! output_shapes:list(shape)!
OptionalHasValue optional:variant
OptionalNone
OrderedMapClear  | capacity:int memory_limit:int dtypes:list(type)! container:string shared_name:string
OrderedMapIncompleteSize  | capacity:int memory_limit:int dtypes:list(type)! container:string shared_name:string
OrderedMapPeek key:int64 indices:int32 | capacity:int memory_limit:int dtypes:list(type)! container:string
  shared_name:string
OrderedMapSize  | capacity:int memory_limit:int dtypes:list(type)! container:string shared_name:string
OrderedMapStage key:int64 indices:int32 values:fake_dtypes* | capacity:int memory_limit:int dtypes:list(type)!
  container:string shared_name:string
OrderedMapUnstage key:int64 indices:int32 | capacity:int memory_limit:int dtypes:list(type)! container:string
  shared_name:string
OrderedMapUnstageNoKey indices:int32 | capacity:int memory_limit:int dtypes:list(type)! container:string
  shared_name:string
ParseExample serialized:string names:string sparse_keys:string*Nsparse dense_keys:string*Ndense
  dense_defaults:Tdense* | sparse_types:list(type)! dense_shapes:list(shape)!
ParseExampleV2 serialized:string names:string sparse_keys:string dense_keys:string ragged_keys:string
  dense_defaults:Tdense* | num_sparse:int! sparse_types:list(type)! ragged_value_types:list(type)!
  ragged_split_types:list(type)! dense_shapes:list(shape)!
ParseSequenceExample serialized:string debug_name:string context_dense_defaults:Tcontext_dense* |
  feature_list_dense_missing_assumed_empty:list(string)! context_sparse_keys:list(string)!
  context_dense_keys:list(string)! feature_list_sparse_keys:list(string)! feature_list_dense_keys:list(string)!
  Ncontext_sparse:int Ncontext_dense:int Nfeature_list_sparse:int Nfeature_list_dense:int
  context_sparse_types:list(type) feature_list_dense_types:list(type) context_dense_shapes:list(shape)
  feature_list_sparse_types:list(type) feature_list_dense_shapes:list(shape)
ParseSequenceExampleV2 serialized:string debug_name:string context_sparse_keys:string context_dense_keys:string
  context_ragged_keys:string feature_list_sparse_keys:string feature_list_dense_keys:string
  feature_list_ragged_keys:string feature_list_dense_missing_assumed_empty:bool context_dense_defaults:Tcontext_dense*
  | Ncontext_sparse:int context_sparse_types:list(type) context_ragged_value_types:list(type)
  context_ragged_split_types:list(type) context_dense_shapes:list(shape) Nfeature_list_sparse:int
  Nfeature_list_dense:int feature_list_dense_types:list(type) feature_list_sparse_types:list(type)
  feature_list_ragged_value_types:list(type) feature_list_ragged_split_types:list(type)
  feature_list_dense_shapes:list(shape)
ParseSingleExample serialized:string dense_defaults:Tdense* | num_sparse:int! sparse_keys:list(string)!
  dense_keys:list(string)! sparse_types:list(type)! dense_shapes:list(shape)!
ParseSingleSequenceExample serialized:string feature_list_dense_missing_assumed_empty:string
  context_sparse_keys:string*Ncontext_sparse context_dense_keys:string*Ncontext_dense
  feature_list_sparse_keys:string*Nfeature_list_sparse feature_list_dense_keys:string*Nfeature_list_dense
  context_dense_defaults:Tcontext_dense* debug_name:string | context_sparse_types:list(type)
  feature_list_dense_types:list(type) context_dense_shapes:list(shape) feature_list_sparse_types:list(type)
  feature_list_dense_shapes:list(shape)
PartitionedCall args:Tin* | Tout:list(type)! f:func! config:string config_proto:string executor_type:string
Print input:T data:U* | message:string first_n:int summarize:int
PrintV2 input:string | output_stream:string end:string
RaggedCross ragged_values:ragged_values_types* ragged_row_splits:ragged_splits_types* sparse_indices:int64*Nsparse
  sparse_values:sparse_values_types* sparse_shape:int64*Nsparse dense_inputs:dense_types* | input_order:string!
  hashed_output:bool! num_buckets:int! hash_key:int! out_values_type:type! out_row_splits_type:type!
RemoteCall target:string args:Tin* | Tout:list(type)! f:func!
SparseCross indices:int64*N values:sparse_types* shapes:int64*N dense_inputs:dense_types* | hashed_output:bool!
  num_buckets:int! hash_key:int! out_type:type! internal_type:type!
SparseCrossV2 indices:int64*N values:sparse_types* shapes:int64*N dense_inputs:dense_types* sep:string
Stage values:dtypes* | capacity:int memory_limit:int container:string shared_name:string
StageClear  | capacity:int memory_limit:int dtypes:list(type)! container:string shared_name:string
StagePeek index:int32 | capacity:int memory_limit:int dtypes:list(type)! container:string shared_name:string
StageSize  | capacity:int memory_limit:int dtypes:list(type)! container:string shared_name:string
StatefulPartitionedCall args:Tin* | Tout:list(type)! f:func! config:string config_proto:string executor_type:string
StatefulRandomBinomial resource:resource algorithm:int64 shape:S counts:T=float64 probs:T=float64 | dtype:type
StatelessCase branch_index:int32 input:Tin* | Tout:list(type)! branches:list(func)! output_shapes:list(shape)
StatelessIf cond:Tcond input:Tin* | Tout:list(type)! then_branch:func! else_branch:func! output_shapes:list(shape)
StackCloseV2 handle:resource |
StackPopV2 handle:resource | elem_type:type!
StackPushV2 handle:resource elem:T | swap_memory:bool
StackV2 max_size:int32 | elem_type:type! stack_name:string
StatelessWhile input:T* | cond:func! body:func! output_shapes:list(shape) parallel_iterations:int
TakeManySparseFromTensorsMap sparse_handles:int64 | dtype:type! container:string shared_name:string
Unstage  | capacity:int memory_limit:int dtypes:list(type)! container:string shared_name:string
While input:T* | cond:func! body:func! output_shapes:list(shape) parallel_iterations:int
"""
