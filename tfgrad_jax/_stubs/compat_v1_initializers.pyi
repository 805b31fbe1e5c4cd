"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.v1.initializers import Constant as _constant
from tfgrad_jax.lib.v1.initializers import GlorotNormal as _glorot_normal
from tfgrad_jax.lib.v1.initializers import GlorotUniform as _glorot_uniform
from tfgrad_jax.lib.v1.initializers import Identity as _identity
from tfgrad_jax.lib.v1.initializers import Ones as _ones
from tfgrad_jax.lib.v1.initializers import Orthogonal as _orthogonal
from tfgrad_jax.lib.v1.initializers import RandomNormal as _random_normal
from tfgrad_jax.lib.v1.initializers import RandomUniform as _random_uniform
from tfgrad_jax.lib.v1.initializers import TruncatedNormal as _truncated_normal
from tfgrad_jax.lib.v1.initializers import UniformUnitScaling as _uniform_unit_scaling
from tfgrad_jax.lib.v1.initializers import VarianceScaling as _variance_scaling
from tfgrad_jax.lib.v1.initializers import Zeros as _zeros
constant = _constant
def global_variables() -> _Any:
    """`variables_initializer` of the variables in the collection 'variables'."""
glorot_normal = _glorot_normal
glorot_uniform = _glorot_uniform
def he_normal(seed: _Any = None) -> _Any:
    """Kaiming He's normal draws. Mirrors `tf.compat.v1.initializers.he_normal`."""
def he_uniform(seed: _Any = None) -> _Any:
    """Kaiming He's uniform draws. Mirrors `tf.compat.v1.initializers.he_uniform`."""
identity = _identity
def lecun_normal(seed: _Any = None) -> _Any:
    """Yann LeCun's normal draws. Mirrors `tf.compat.v1.initializers.lecun_normal`."""
def lecun_uniform(seed: _Any = None) -> _Any:
    """Yann LeCun's uniform draws. Mirrors `tf.compat.v1.initializers.lecun_uniform`."""
def local_variables() -> _Any:
    """`variables_initializer` of the variables in the collection 'local_variables'."""
ones = _ones
orthogonal = _orthogonal
random_normal = _random_normal
random_uniform = _random_uniform
def tables_initializer(name: _Any = 'init_all_tables') -> _Any:
    """Nothing is left to do: tables are filled when they are made. Mirrors `tf.compat.v1.tables_initializer`."""
truncated_normal = _truncated_normal
uniform_unit_scaling = _uniform_unit_scaling
def variables(var_list: _Any, name: _Any = 'init') -> _Any:
    """Gives variables of a session's graph their initial values; eagerly they have them. `tf.compat.v1.variables_initializer`."""
variance_scaling = _variance_scaling
zeros = _zeros
