"""Names that programs and books of TensorFlow 1 use, and what version 2 has in their place."""

from __future__ import annotations

_PAIRS = """
app compat.v1.app
assign Variable
batch_matmul linalg.matmul
div math.divide
floor_div math.floordiv
get_variable Variable
gfile io.gfile compat.v1.gfile
glorot_uniform_initializer keras.initializers.GlorotUniform
image.resize_bilinear image.resize
image.resize_images image.resize
layers keras.layers
logging compat.v1.logging
matrix_band_part linalg.band_part
matrix_determinant linalg.det
matrix_diag linalg.diag
matrix_inverse linalg.inv
matrix_solve linalg.solve
matrix_transpose linalg.matrix_transpose
merge_all_summaries summary.scalar
mul math.multiply
multinomial random.categorical
neg math.negative
nn.dynamic_rnn keras.layers.RNN
nn.rnn_cell keras.layers
pack stack
Print print
py_func py_function numpy_function
random_normal random.normal
random_shuffle random.shuffle
random_uniform random.uniform
scalar_summary summary.scalar
select where
self_adjoint_eig linalg.eigh
set_random_seed random.set_seed
sparse_to_dense sparse.to_dense
string_split strings.split
sub math.subtract
summary.FileWriter summary.create_file_writer
to_double cast
to_float cast
to_int32 cast
to_int64 cast
train.AdamOptimizer keras.optimizers.Adam
train.AdagradOptimizer keras.optimizers.Adagrad
train.GradientDescentOptimizer keras.optimizers.SGD
train.MomentumOptimizer keras.optimizers.SGD
train.RMSPropOptimizer keras.optimizers.RMSprop
train.Saver train.Checkpoint
train.exponential_decay keras.optimizers.schedules.ExponentialDecay
truncated_normal random.truncated_normal
truncated_normal_initializer keras.initializers.TruncatedNormal
unpack unstack
"""

RENAMED = {old: tuple(new) for old, *new in map(str.split, _PAIRS.strip().splitlines())}
"""For a name after `tf.`, those that took its place."""
