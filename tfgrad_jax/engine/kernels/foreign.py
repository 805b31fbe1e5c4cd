"""Maps that a foreign function computes in compiled programs of one device, and XLA in all others.

What is linear in three arrays is three maps, of two of them each: a convolution, and its gradients by the input and by the filters.
Each is the derivative of the others, so they are one primitive; what it becomes is decided when a program is lowered. A program
that is exported, is for several devices or is interpreted has what XLA itself would run, and so has what JAX batches.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Protocol

import jax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir  # as in `derivative_rules`


class Form(Protocol):
    """Says which map it is; hashable, equal for what is computed alike."""

    def type(self, wanted: int) -> jax.ShapeDtypeStruct:
        """The type of the one of the three arrays that is wanted."""

    def plain(self, wanted: int, *given: Any) -> Any:
        """The one of the three arrays that is wanted, as XLA computes it of the other two."""

    def foreign(self, wanted: int) -> tuple[str, dict[str, Any]] | None:
        """The name under which XLA knows the foreign function, and its attributes; None where XLA is as quick."""


_map = Primitive("map_of_three")


def mapped(form: Form, wanted: int, *given: Any) -> Any:
    """The one of three arrays that is wanted, given the other two in their order."""
    return _map.bind(*given, form=form, wanted=wanted)


def _plain(*given: Any, form: Form, wanted: int) -> Any:
    return form.plain(wanted, *given)


def _abstract(*given: Any, form: Form, wanted: int) -> Any:
    return jax.typeof(form.type(wanted))


def _transposed(place: int) -> Callable[..., Any]:
    """The rule of the operand at a place: it is what is wanted now, given the other one and a cotangent."""

    def rule(cotangent: Any, *given: Any, form: Form, wanted: int) -> Any:
        places = [p for p in range(3) if p != wanted]
        known = {wanted: cotangent, places[1 - place]: given[1 - place]}
        return mapped(form, places[place], *[known[p] for p in sorted(known)])

    return rule


def _batched(given: Any, axes: Any, **params: Any) -> Any:
    return jax.vmap(functools.partial(_plain, **params), axes)(*given), 0


def _lowered(context: Any, *given: Any, form: Form, wanted: int) -> Any:
    module = context.module_context
    alone = tuple(module.platforms) == ("cpu",) and getattr(module.axis_context, "num_devices", None) == 1
    call = form.foreign(wanted) if alone and not module.lowering_parameters.for_export else None
    if call is None:
        plain = functools.partial(_plain, form=form, wanted=wanted)
        return mlir.lower_fun(plain, multiple_results=False)(context, *given)
    return jax.ffi.ffi_lowering(call[0])(context, *given, **call[1])


_map.def_impl(_plain)
_map.def_abstract_eval(_abstract)
ad.defbilinear(_map, _transposed(0), _transposed(1))
batching.primitive_batchers[_map] = _batched
mlir.register_lowering(_map, _lowered)
