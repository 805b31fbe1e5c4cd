"""Raw operations on quantized numbers, as `table.py` has the others."""

from __future__ import annotations

TABLE = """
Dequantize input:T min_range:float32 max_range:float32 | mode:string narrow_range:bool axis:int dtype:type
QuantizeDownAndShrinkRange input:Tinput input_min:float32 input_max:float32 | out_type:type!
QuantizeV2 input:float32 min_range:float32 max_range:float32 | T:type! mode:string round_mode:string
  narrow_range:bool axis:int ensure_minimum_range:float
QuantizedAdd x:T1 y:T2 min_x:float32 max_x:float32 min_y:float32 max_y:float32 | Toutput:type
QuantizedAvgPool input:T min_input:float32 max_input:float32 | ksize:list(int)! strides:list(int)! padding:string!
QuantizedBatchNormWithGlobalNormalization t:Tinput t_min:float32 t_max:float32 m:Tinput m_min:float32 m_max:float32
  v:Tinput v_min:float32 v_max:float32 beta:Tinput beta_min:float32 beta_max:float32 gamma:Tinput gamma_min:float32
  gamma_max:float32 | out_type:type! variance_epsilon:float! scale_after_normalization:bool!
QuantizedBiasAdd input:T1 bias:T2 min_input:float32 max_input:float32 min_bias:float32 max_bias:float32 |
  out_type:type!
QuantizedConcat concat_dim:int32 values:T*N input_mins:float32*N input_maxes:float32*N |
QuantizedConv2D input:Tinput filter:Tfilter min_input:float32 max_input:float32 min_filter:float32
  max_filter:float32 | strides:list(int)! padding:string! out_type:type dilations:list(int)
QuantizedInstanceNorm x:T x_min:float32 x_max:float32 | output_range_given:bool given_y_min:float given_y_max:float
  variance_epsilon:float min_separation:float
QuantizedMatMul a:T1 b:T2 min_a:float32 max_a:float32 min_b:float32 max_b:float32 | Toutput:type transpose_a:bool
  transpose_b:bool Tactivation:type
QuantizedMaxPool input:T min_input:float32 max_input:float32 | ksize:list(int)! strides:list(int)! padding:string!
QuantizedMul x:T1 y:T2 min_x:float32 max_x:float32 min_y:float32 max_y:float32 | Toutput:type
QuantizedRelu features:Tinput min_features:float32 max_features:float32 | out_type:type
QuantizedRelu6 features:Tinput min_features:float32 max_features:float32 | out_type:type
QuantizedReshape tensor:T shape:Tshape=int32 input_min:float32 input_max:float32 |
QuantizedResizeBilinear images:T size:int32 min:float32 max:float32 | align_corners:bool half_pixel_centers:bool
RequantizationRange input:Tinput input_min:float32 input_max:float32 |
Requantize input:Tinput input_min:float32 input_max:float32 requested_output_min:float32
  requested_output_max:float32 | out_type:type!
"""
