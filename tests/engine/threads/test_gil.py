"""Interpreters without a global lock."""

from __future__ import annotations

import sys
import warnings

import pytest

from tfgrad_jax.engine.threads.gil import check_gil


def test_an_interpreter_without_its_lock_is_warned_of(monkeypatch):
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    with pytest.warns(RuntimeWarning, match="PYTHON_GIL"):
        check_gil()


def test_the_usual_interpreter_is_not(monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        monkeypatch.delattr(sys, "_is_gil_enabled", raising=False)
        check_gil()
        monkeypatch.setattr(sys, "_is_gil_enabled", lambda: True, raising=False)
        check_gil()
