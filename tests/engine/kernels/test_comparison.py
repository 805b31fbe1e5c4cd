"""Compiled or interpreted: what is judged by clocks that only calls move on, of a machine that others use too."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine.kernels.tiering import way_of
from tfgrad_jax.engine.kernels import clock, costs
from tfgrad_jax.engine.kernels.comparison import Comparison
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.threads import background

pytestmark = pytest.mark.usefixtures("by_measured_cost")
X = np.arange(6, dtype=np.float32)


class Machine:
    """What a kernel takes on a machine of which somebody else may have a part, by clocks that only calls move on.

    Attributes:
      busy: how many times as long everything takes by the wall clock.
      calls: how often it ran compiled, and interpreted.
    """

    def __init__(self, monkeypatch, compiled, interpreted, busy=1.0, operand=X):
        self._times = dict.fromkeys(("own", "processors", "wall"), 0.0)
        for name in self._times:
            monkeypatch.setattr(clock, name, lambda name=name: self._times[name])
        self.busy = busy
        self.calls = {"compiled": 0, "interpreted": 0}
        self._operand = operand
        self._kernel = Kernel("Double", lambda x: x * 2.0)
        self._kernel.interpreter = lambda types: self.taking("interpreted", interpreted)
        self.run()
        background.wait()
        self.way = way_of(self._kernel, operand)
        if self.way.call is not None:
            self.way.call = self.taking("compiled", compiled)

    def taking(self, form, seconds):
        def run(x):
            self.calls[form] += 1
            for name in self._times:
                self._times[name] += seconds * (self.busy if name == "wall" else 1)
            return x * 2.0

        return run

    def run(self, count=1):
        for _ in range(count):
            self._kernel.run(self._operand)


@pytest.mark.parametrize(("then", "later", "best"), [(2.0, 0.5, "compiled"), (0.5, 2.0, "quicker interpreted")])
def test_a_busy_moment_decides_nothing_for_long(eager_to_compile, monkeypatch, then, later, best):
    machine = Machine(monkeypatch, then, 1.0)
    machine.run(10)
    assert machine.way.state != best and machine.way.state != "trial"
    machine.way.call = machine.taking("compiled", later)
    machine.run(160)
    assert machine.way.state == best
    machine.calls.update(dict.fromkeys(machine.calls, 0))
    machine.run(20_000)
    assert min(machine.calls.values()) < 60  # now and then the other one is asked, ever more rarely
    assert machine.way.state == best


def test_what_else_the_machine_does_does_not_count(eager_to_compile, monkeypatch):
    machine = Machine(monkeypatch, 1.0, 1.5)
    for _ in range(5):
        machine.busy = 20.0  # whenever the compiled form runs
        machine.run()
        machine.busy = 1.0
        machine.run()
    assert machine.way.state == "compiled"
    monkeypatch.setattr(costs, "COMPILE_SECONDS", 30.0)
    machine = Machine(monkeypatch, 1.0, 1.0, busy=100.0)
    machine.run(5)
    assert machine.way.state == "interpreted"


def test_what_is_clearly_quicker_is_not_tried_long(eager_to_compile, monkeypatch):
    machine = Machine(monkeypatch, 0.001, 0.2)
    assert machine.calls == {"compiled": 0, "interpreted": 1}
    machine.run(10_000)
    assert machine.calls["interpreted"] == 1
    machine.run(10)
    assert machine.calls["interpreted"] == 2 and machine.way.state == "compiled"
    heavy = Machine(monkeypatch, 0.01, 1.0)
    heavy.run(100_000)
    assert heavy.calls == {"compiled": 100_000, "interpreted": 1}


def test_what_runs_beside_the_call_belongs_to_the_compiled_form(eager_to_compile, monkeypatch):
    machine = Machine(monkeypatch, 0.0, 1.0)

    class Late:
        """A result that is not there when the call returns."""

        block_until_ready = staticmethod(lambda: machine.taking("compiled", 2.0)(X))

    took = machine.way.call
    machine.way.call = lambda x: (took(x), Late())[1]
    machine.run(10)
    assert machine.way.state == "quicker interpreted"


def test_numbers_without_dimensions_are_compared_as_well(eager_to_compile, monkeypatch):
    machine = Machine(monkeypatch, 1.0, 1.5, operand=np.array(2.0, np.float32))
    machine.run(10)
    assert machine.way.state == "compiled"


@pytest.mark.parametrize(("made", "quicker"), [(1 << 10, False), (1 << 20, True)])
def test_large_results_of_interpretation_will_be_copied(made, quicker):
    comparison = Comparison()
    for _ in range(5):
        comparison.compiled(1.2e-4)
        comparison.interpreted(1e-4, made)
    assert comparison.verdict(1e-4) is quicker
