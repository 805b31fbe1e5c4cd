"""Notebooks: `%load_ext tfgrad_jax`, what cells print, and cells as places."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = [
    "%load_ext tfgrad_jax\nimport tensorflow as tf\ntf.__name__",
    "x = tf.Variable([1.0, 2.0], name='x')\nx",
    "x + 1",
    "@tf.function\ndef f(a):\n    if tf.reduce_sum(a) > 0:\n        return a * 2\n    return a\n\nf(x)",
    "with tf.extras.explaining(), tf.GradientTape() as tape:\n    y = tf.stop_gradient(x)\n    z = y * x\ntape",
    "tape.explain(y, x)",
    "tape.draw(z)",
    "tape.gradient(z, x)",
    "@tf.function\ndef g(a):\n    tf.print('ran with', a)\n\ng(x)",
    "import tempfile\ntf.saved_model.save(tf.Module(), tempfile.mkdtemp() + '/m')",
]

RUN = """
import json, sys
import nbformat
from nbclient import NotebookClient

cells = [nbformat.v4.new_code_cell(text) for text in json.loads(sys.argv[1])]
notebook = nbformat.v4.new_notebook(cells=cells)
NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
print(json.dumps([[dict(o.get("data", {o.get("name"): o.get("text")})) for o in cell.outputs] for cell in notebook.cells]))
"""


@pytest.fixture(scope="module")
def shown(run_python, tmp_path_factory):
    """What each cell shows, by MIME type."""
    home = tmp_path_factory.mktemp("jupyter")
    places = {name: str(home) for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR")}
    done = run_python("-W", "ignore", "-c", RUN, json.dumps(CELLS), env=places)
    assert done.returncode == 0, done.stderr
    outputs = json.loads(done.stdout.splitlines()[-1])
    assert all(len(output) == 1 for output in outputs), outputs
    return [output[0] for output in outputs]


def test_the_name_means_this_package(shown):
    assert shown[0] == {"text/plain": "'tfgrad_jax'"}


def test_values_print_as_text(shown):
    assert shown[1] == {
        "text/plain": "<tf.Variable 'x:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>"
    }
    assert shown[2] == {"text/plain": "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 3.], dtype=float32)>"}
    assert list(shown[4]) == ["text/plain"] and "GradientTape at 0x" in shown[4]["text/plain"]


def test_functions_of_cells_are_converted(shown):
    assert "numpy=array([2., 4.], dtype=float32)" in shown[3]["text/plain"]


def test_places_are_cells(shown):
    assert "stop_gradient (In[5]:2)" in shown[5]["text/plain"]


def test_drawings_are_pictures(shown):
    assert shown[6]["image/svg+xml"].startswith("<svg") and "Mul" in shown[6]["text/plain"]
    assert "numpy=array([1., 2.], dtype=float32)" in shown[7]["text/plain"]


def test_what_functions_print_and_what_is_told_is_shown_in_the_cell(shown):
    assert shown[8] == {"stdout": "ran with [1 2]\n"}
    assert shown[9]["stdout"].startswith("INFO:tensorflow:Assets written to: /")
