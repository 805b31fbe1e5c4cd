"""`python -m tfgrad_jax doctor`: what it says, and when something is wrong."""

from __future__ import annotations

from importlib import metadata

import pytest

from tfgrad_jax.commands import doctor

REQUIRED = [
    "numpy>=2.0",
    'tfgrad_jax[files,images]; extra == "all"',
    'fsspec>=2024.2 ; extra == "files"',
    'pillow>=11; extra == "images"',
]


@pytest.fixture
def installed(monkeypatch):
    """Sets the versions of packages; what is not named is missing."""

    def choose(**versions):
        def version(name):
            if name not in versions:
                raise metadata.PackageNotFoundError(name)
            return versions[name]

        class Told:
            def get_all(self, what):
                return ["all", "files", "images", "test"]

        monkeypatch.setattr(doctor.metadata, "version", version)
        monkeypatch.setattr(doctor.metadata, "requires", lambda package: REQUIRED)
        monkeypatch.setattr(doctor.metadata, "metadata", lambda package: Told())

    return choose


def test_all_is_well(installed, capsys, monkeypatch):
    monkeypatch.setenv("TFGRAD_JAX_CACHE", "0")
    monkeypatch.setenv("TF_VAR_password", "secret")
    installed(numpy="2.4.6", fsspec="2025.1")
    assert doctor.main([]) == 0
    said = capsys.readouterr().out
    assert said.endswith("all is well\n")
    assert "with the API of TensorFlow 2.21.0" in said and "  numpy 2.4.6\n" in said
    assert "  TFGRAD_JAX_CACHE=0\n" in said and "secret" not in said
    assert "  files: fsspec 2025.1\n  images: pillow missing (pip install 'tfgrad_jax[images]')\n" in said
    assert "test:" not in said


def test_what_is_wrong(installed, capsys, monkeypatch):
    installed(numpy="1.26.4")
    monkeypatch.setitem(doctor._CHECKS, "a gradient", lambda: False)
    monkeypatch.setitem(doctor._CHECKS, "random numbers", lambda: 1 / 0)
    assert doctor.main([]) == 1
    said = capsys.readouterr().out
    assert "  WRONG: numpy 1.26.4, older than 2.0\n" in said
    assert "  WRONG: a gradient: another answer than TensorFlow's\n" in said
    assert "  WRONG: random numbers: ZeroDivisionError: division by zero\n" in said
    assert said.endswith("3 things wrong\n")


def test_usage(capsys):
    assert doctor.main(["--help"]) == 0 and doctor.main(["more"]) == 2
    both = capsys.readouterr()
    assert both.out.startswith("usage:") and both.err == both.out
