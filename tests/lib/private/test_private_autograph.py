"""`tensorflow.python.autograph`, as tests of conversions import it. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import tfgrad_jax as tf

PROGRAM = """
import tensorflow as tf
from tensorflow.python.autograph.converters import break_statements
from tensorflow.python.autograph.core import ag_ctx, converter, converter_testing, function_wrappers
from tensorflow.python.autograph.impl import api
from tensorflow.python.autograph.operators import control_flow, exceptions, logical, py_builtins
from tensorflow.python.autograph.utils import context_managers, misc, tensor_list, tensors

class Case(converter_testing.TestCase):
    def runTest(self):
        def first_even(x):
            while x > 0:
                x -= 1
                if x % 2 == 0:
                    break
            return x
        self.assertEqual(self.transform(first_even, break_statements)(4), 2)
        with self.assertPrints("a"):
            print("a", end="")

Case().debug()

@api.convert(recursive=True)
def halved(x):
    while tf.reduce_sum(x) > 3:
        x //= 2
    return x

print(halved(tf.constant([4, 8])).numpy().tolist(), tf.function(halved)(tf.constant([4, 8])).numpy().tolist())
print(api.converted_call(lambda x: -x, (1,), None, options=converter.ConversionOptions(recursive=True)))
print(py_builtins.len_(tf.zeros([3])), bool(logical.not_(tf.constant(True))), misc.get_range_len(1, 6, 2).numpy())
items = tensor_list.TensorList([], tf.int32)
items.append(4)
print(items.pop().numpy(), items.count().numpy(), tensors.is_dense_tensor(tf.constant(1)), function_wrappers.FunctionScope.__name__)
try:
    exceptions.assert_stmt(tf.constant(False), lambda: "bad")
except tf.errors.InvalidArgumentError as error:
    print("bad" in error.message)
"""


def test_what_tests_of_conversions_import(run_imported, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)  # conversions read the source
    done = run_imported("-m", "tfgrad_jax", str(tmp_path / "program.py"))
    assert done.stdout.splitlines() == ["[1, 2] [1, 2]", "-1", "3 False 3", "4 0 True FunctionScope", "True"], (
        done.stderr
    )


def test_names_in_scopes_of_functions():
    names = []
    note = names.append  # the feature of lists would make a variable of `names`

    @tf.function(experimental_autograph_options=tf.autograph.experimental.Feature.ALL)
    def outer(x):
        def inner(y):
            note(tf.add(y, 1.0, name="more").name)
            return y

        return inner(x) if x > 0 else x

    assert outer(tf.constant(1.0)).numpy() == 1.0 and names[-1].endswith("inner/more:0")
