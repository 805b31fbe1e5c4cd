"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.engine.tape.forward import ForwardAccumulator as ForwardAccumulator
from tfgrad_jax.engine.tape.tape import GradientTape as GradientTape
