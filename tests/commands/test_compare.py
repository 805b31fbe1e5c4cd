"""`python -m tfgrad_jax compare`: what counts as a difference, and how it is shown."""

from __future__ import annotations

import base64
import sys

import numpy as np
import pytest

from tfgrad_jax.commands.compare import main
from tfgrad_jax.commands.differences import Tolerance, difference, same_text, worth_comparing

NEAR = Tolerance(1e-3, 1e-4)


def written(*numbers, dtype="float32"):
    array = np.array(numbers, dtype)
    data = base64.b64encode(array.tobytes()).decode()
    return {"dtype": dtype, "shape": list(array.shape), "stored": array.dtype.str, "data": data}


def texts(*items):
    return {"dtype": "string", "shape": [len(items)], "texts": list(items)}


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("loss 0.2500", "loss 0.2501", True),  # the last digit
        ("loss 0.2500", "loss 0.2600", False),
        ("[1.  2.5]", "[1. 2.5]", True),
        ("[ 1.0001 2.5 ]", "[1.0 2.5]", True),
        ("step 10", "step 11", False),
        ("step 10", "batch 10", False),
        ("1e-7", "0.0", True),
        ("nan", "nan", True),
        ("nan", "1.0", False),
        ("inf", "-inf", False),
        ("took 3.2s", "took 10 ms", True),
        ("<object at 0x7f12>", "<object at 0x8a>", True),
        ("2/2 \x1b[32m━━\x1b[0m 0s 3ms/step - loss: 0.1", "2/2 ━━ 1s 44ms/step - loss: 0.1", True),
        ("a\rb", "b", True),
    ],
)
def test_text(a, b, same):
    assert same_text(a, b, NEAR) is same


def test_progress_on_its_way_is_not_compared():
    assert not worth_comparing("1/8 ━━━ 0s 20ms/step - loss: 1.0")
    assert worth_comparing("8/8 ━━━ 0s 20ms/step - loss: 1.0")
    assert worth_comparing("accuracy 1/8")


@pytest.mark.parametrize(
    ("a", "b", "how"),
    [
        (written(1.0, 2.0), written(1.0, 2.0001), ""),
        (written(np.nan, np.inf), written(np.nan, np.inf), ""),
        (written(1.0, 2.0), written(1.0, 3.0), "element [1]: 2.0 and 3.0; 1 of 2 numbers differ, by up to 1"),
        (written(1.0), written(np.nan), "element [0]: 1.0 and nan; 1 of 1 numbers differ"),
        (written(1, dtype="int32"), written(1, dtype="int64"), "the dtype is int32 and int64"),
        (written(1.0), written(1.0, 2.0), "the shape is [1] and [2]"),
        (written(10**9, dtype="int64"), written(10**9 + 1, dtype="int64"), "element [0]"),
        (written(True, dtype="bool"), written(False, dtype="bool"), "element [0]: True and False"),
        ([written(1.0), "None"], [written(1.0), "None"], ""),
        ([written(1.0), "None"], [written(1.0), written(0.0)], "value 1: None and [0.] (float32, shape (1,))"),
        (["1"], ["1", "2"], "there are 1 values and 2"),
        (texts("b'a'", "b'b'"), texts("b'a'", "b'c'"), "element 1: b'b' and b'c'"),
    ],
)  # fmt: skip
def test_values(a, b, how):
    found = difference(a, b, NEAR)
    assert found.startswith(how) and bool(found) == bool(how)


PROGRAM = """\
import sys
import tensorflow as tf

print("arguments", sys.argv[1:])
tf.random.set_seed(1)
v = tf.Variable(tf.random.normal([2]), name="v")


@tf.function
def step(x):
    return tf.random.uniform([2]) * x * v


with tf.GradientTape() as tape:
    y = tf.reduce_sum(step(2.0) ** 2)
gradient = tape.gradient(y, v)
tf.print("gradient", gradient)
v.assign_sub(0.1 * gradient)
weights = [tf.Variable(tf.cast([1.5], tf.bfloat16)), {"a": tf.Variable(["text"])}]
assert "raise" not in sys.argv, "asked for"
"""


@pytest.fixture
def compared(tmp_path, monkeypatch, capsys):
    """Compares a program under this package with itself, with what takes TensorFlow's place changed by some code."""

    def run(text: str, *arguments: str, change: str = ""):
        place = tmp_path / "place"
        place.mkdir()
        code = f"import sys\nimport tfgrad_jax as tf\nsys.modules['tensorflow'] = tf\n{change}\n"
        (place / "tensorflow.py").write_text(code)
        (tmp_path / "work").mkdir()
        (tmp_path / "work" / "program.py").write_text(text)
        path = [str(place), *filter(None, sys.path)]
        monkeypatch.setenv("PYTHONPATH", ":".join(path))
        script = str(tmp_path / "work" / "program.py")
        status = main(["--tensorflow", sys.executable, script, *arguments])
        return status, capsys.readouterr()

    return run


def test_no_difference(compared):
    status, said = compared(PROGRAM, "--rate=1", "--", "--rtol")
    assert said.out == (
        "no difference (rtol 0.001, atol 0.0001): 1 line of text, 1 tf.print, 3 variables, 1 assignment, 1 gradient, "
        "1 draw of random numbers, 2 final values\n"
    ), said.err
    assert status == 0


DISPATCHED = """\
import random
import tensorflow as tf
from tfgrad_jax.lib.private.dispatchers import GlobalOpDispatcher

class Nobody(GlobalOpDispatcher):
    def handle(self, op, args, kwargs):
        return self.NOT_SUPPORTED

Nobody().register()
print(random.random(), tf.random.stateless_normal([2], [1, 2]))
"""


def test_draws_through_dispatchers_and_numbers_of_python_s(compared):
    _, said = compared(DISPATCHED, change="import random\nrandom.random()")
    assert said.out == "no difference (rtol 0.001, atol 0.0001): 1 line of text, 1 draw of random numbers\n", said.err


SESSION = """\
import tensorflow
tf = tensorflow.compat.v1
tf.disable_eager_execution()
x = tf.constant([1.0])
w = tf.get_variable("w", initializer=x)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run(w + x))
"""


def test_a_program_of_sessions(compared):
    _, said = compared(SESSION)
    assert said.out == "no difference (rtol 0.001, atol 0.0001): 1 line of text, 1 final value\n", said.err


def test_a_difference_in_a_gradient(compared):
    change = "right = tf.GradientTape.gradient\ntf.GradientTape.gradient = lambda *a: 2 * right(*a)"
    status, said = compared(PROGRAM, change=change)
    assert status == 1
    first, theirs, ours, how, before = said.out.splitlines()
    assert first == "program.py:16: the gradient differs"
    assert theirs.startswith("  TensorFlow  [") and ours.startswith("  tfgrad_jax  [") and "float32, shape (2,)" in ours
    assert how.startswith("  element [0]: ") and "2 of 2 numbers differ" in how
    assert before == "equal before that: 1 line of text, 1 variable, 1 draw of random numbers"


def test_an_error_in_one_of_them(compared):
    change = "def fail(*a, **k):\n    raise ValueError('no')\ntf.reduce_sum = fail"
    status, said = compared(PROGRAM, change=change)
    assert status == 1
    assert "here the two go different ways:\n  TensorFlow  program.py:15 raises ValueError: no\n" in said.out
    assert "  tfgrad_jax  program.py:16 computes the gradient [" in said.out


def test_an_error_in_both_is_equal(compared):
    status, said = compared("raise KeyError('a')")
    told = "both end here: program.py:1 raises KeyError: 'a'\n"
    assert (status, said.out) == (0, told + "no difference (rtol 0.001, atol 0.0001): 1 error\n")


def test_what_cannot_be_run(tmp_path, capsys):
    script = tmp_path / "a.py"
    script.write_text("1")
    assert main([str(script)]) == 2
    assert "--tensorflow names a Python interpreter" in capsys.readouterr().err
    assert main([str(tmp_path / "b.py"), "--tensorflow", "python"]) == 2
    assert "there is no script" in capsys.readouterr().err
    assert main([str(script), "--tensorflow", str(tmp_path / "none")]) == 2
    assert "cannot run" in capsys.readouterr().err
