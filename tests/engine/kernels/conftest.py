"""Fixtures of the tests of kernels."""

from __future__ import annotations

import pytest

from tfgrad_jax.engine.kernels import costs
from tfgrad_jax.engine.threads import background


@pytest.fixture
def eager_to_compile(monkeypatch):
    """Everything has earned to be compiled when it has run once, and nothing else waits for the compiler."""
    background.wait()
    monkeypatch.setattr(costs, "COMPILE_SECONDS", 0.0)
    monkeypatch.setattr(costs, "SMALL_SECONDS", 0.0)


@pytest.fixture
def compiler_jobs(monkeypatch):
    """What was to be compiled beside the program; none of it is."""
    jobs = []
    monkeypatch.setattr(costs, "COMPILE_SECONDS", 1e9)
    monkeypatch.setattr(background, "run", lambda work, first: jobs.append(work))
    return jobs
