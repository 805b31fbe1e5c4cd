"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.v1.initializers import Constant as constant
from tfgrad_jax.lib.v1.initializers import GlorotNormal as glorot_normal
from tfgrad_jax.lib.v1.initializers import GlorotUniform as glorot_uniform
from tfgrad_jax.lib.v1.initializers import Identity as identity
from tfgrad_jax.lib.v1.initializers import Ones as ones
from tfgrad_jax.lib.v1.initializers import Orthogonal as orthogonal
from tfgrad_jax.lib.v1.initializers import RandomNormal as random_normal
from tfgrad_jax.lib.v1.initializers import RandomUniform as random_uniform
from tfgrad_jax.lib.v1.initializers import TruncatedNormal as truncated_normal
from tfgrad_jax.lib.v1.initializers import UniformUnitScaling as uniform_unit_scaling
from tfgrad_jax.lib.v1.initializers import VarianceScaling as variance_scaling
from tfgrad_jax.lib.v1.initializers import Zeros as zeros
def global_variables() -> _Any:
    """`variables_initializer` of the variables in the collection 'variables'."""
def he_normal(seed: _Any = None) -> _Any:
    """Kaiming He's normal draws. Mirrors `tf.compat.v1.initializers.he_normal`."""
def he_uniform(seed: _Any = None) -> _Any:
    """Kaiming He's uniform draws. Mirrors `tf.compat.v1.initializers.he_uniform`."""
def lecun_normal(seed: _Any = None) -> _Any:
    """Yann LeCun's normal draws. Mirrors `tf.compat.v1.initializers.lecun_normal`."""
def lecun_uniform(seed: _Any = None) -> _Any:
    """Yann LeCun's uniform draws. Mirrors `tf.compat.v1.initializers.lecun_uniform`."""
def local_variables() -> _Any:
    """`variables_initializer` of the variables in the collection 'local_variables'."""
def tables_initializer(name: _Any = 'init_all_tables') -> _Any:
    """Nothing is left to do: tables are filled when they are made. Mirrors `tf.compat.v1.tables_initializer`."""
def variables(var_list: _Any, name: _Any = 'init') -> _Any:
    """Gives variables of a session's graph their initial values; eagerly they have them. `tf.compat.v1.variables_initializer`."""
