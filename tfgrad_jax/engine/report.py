"""A look at the programs of fused mode."""
from typing import Any
from tfgrad_jax.engine import compiler
def programs() -> list[Any]:
    return [dict(where=p.steps[-1][0].where, ops=len(p.steps), uses=p.uses, state=p.state, compile=p.compile_seconds, secs=p.seconds, reasons=dict(p.reasons), error=p.error) for p in compiler.registered()]
