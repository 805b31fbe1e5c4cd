"""The execution modes and how to choose one."""

from __future__ import annotations

import os
from typing import Any

from tfgrad_jax.engine.fused.note import fused, resting
from tfgrad_jax.engine.kernels.policy import policy
from tfgrad_jax.engine.run.execute import immediate
from tfgrad_jax.engine.threads.context import Context, context

MODES = {"immediate": immediate, "fused": fused}


def use(executor: Any) -> None:
    """Let this executor run what is eager on this thread; a function that is being traced goes on being traced."""
    if context.eager is executor:
        return
    flush()
    recorders = context.recorders if context.executor is context.eager else ()
    for r in recorders:
        r.closed()
    if context.executor is context.eager:
        context.executor = executor
    context.eager = executor
    context.pace = None
    for r in recorders:
        r.opened()


def forget_pace() -> None:
    """What this thread noted lately no longer counts: where fused mode rests, it notes again."""
    use(chosen())
    context.pace = None


def chosen() -> Any:
    """The executor of this thread's mode."""
    # Where fused mode rests, it goes on afresh: its pace is forgotten.
    return fused if context.eager is resting else context.eager


def gathers_unseen() -> bool:
    """Whether operations are gathered, as in fused mode, and no tape or other recorder sees them."""
    return context.executor in (fused, resting) and not context.recorders


def flush() -> None:
    """Run the operations of this thread that are still pending."""
    if context.pending is not None:
        context.pending.flush("flush")


class execution:
    """Choose how eager operations run.

    Called, it sets the mode of this thread and of threads that start later; as a context manager, of this thread within.
    While a function is traced, it holds for what runs eagerly all the same, as in `tf.init_scope`, and after the tracing.

    Args:
      mode: `"fused"` (operations are gathered and run as one compiled program) or `"immediate"` (each runs at once).
      tiers: None, or which tiers are in use from now on, for the whole process: `"mixed"` (an operation is interpreted until
        compiling it pays by its measured cost), `"compiled"` (each is compiled when it is met first, so that what runs how does
        not depend on time) or `"interpreted"` (nothing is compiled that can be interpreted). `TFGRAD_JAX_TIERS` in the environment
        gives the first one.

    Raises:
      ValueError: if `mode` or `tiers` is none of these.
    """

    def __init__(self, mode: str, tiers: str | None = None) -> None:
        if mode not in MODES:
            raise ValueError(f"execution mode must be one of {', '.join(map(repr, MODES))}, got {mode!r}")
        self._before = chosen(), Context.default_executor, policy.choice
        if tiers is not None:
            policy.choose(tiers)
        use(MODES[mode])
        Context.default_executor = MODES[mode]

    def __enter__(self) -> execution:
        Context.default_executor = self._before[1]
        return self

    def __exit__(self, *exc: object) -> None:
        use(self._before[0])
        policy.choose(self._before[2])

    def undo(self) -> None:
        """Choose what was chosen before."""
        self.__enter__().__exit__()


execution(os.environ.get("TFGRAD_JAX_MODE", "fused"))
