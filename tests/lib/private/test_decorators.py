"""Decorators, identities and small functions that tests of TensorFlow import. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import functools
import gc
import inspect
import typing

import numpy as np
import pytest

import tfgrad_jax as tf

util = tf.python.util


def plus_one(target):
    def around(x):
        return around.__wrapped__(x) + 1

    return util.tf_decorator.make_decorator(target, around)


def squared(target):
    def around(x):
        return around.__wrapped__(x) ** 2

    return util.tf_decorator.make_decorator(target, around, decorator_doc="It squares.")


def double(x):
    """Twice as much."""
    return x * 2


def test_decorators_say_what_they_stand_around():
    made = squared(plus_one(double))
    said, target = util.tf_decorator.unwrap(made)
    assert [d.decorator_name for d in said] == ["squared", "plus_one"] and said[0].decorator_doc == "It squares."
    assert target is double and made(1) == 9 and made.__name__ == "double" and made.__doc__ == "Twice as much."
    assert util.tf_decorator.unwrap(double) == ([], double)
    util.tf_decorator.rewrap(made, target, lambda x: x * 3)
    assert made(1) == 16
    assert util.tf_decorator.rewrap(double, double, len) is len


def test_a_decorator_that_is_an_object():
    spec = util.tf_inspect.FullArgSpec(["a", "b"], None, "c", (1,), [], None, {})
    made = util.tf_decorator.TFDecorator("named", double, "", spec)
    assert made(4) == 8 and made.__name__ == "double" and made.decorated_target is double
    assert str(inspect.signature(made)) == "(a, b=1, **c)" and util.tf_inspect.getfullargspec(made) == spec
    assert util.tf_inspect.isfunction(made) and util.tf_inspect.getdoc(made) == "Twice as much."


class Holder:
    def method(self, x, more=1):
        return x + more


@pytest.mark.parametrize("mode", ["eager", "function"])
def test_around_a_bound_method_there_is_no_self(mode):
    holder = Holder()
    spec = inspect.getfullargspec(holder.method)
    named = util.tf_decorator.make_decorator(
        holder.method, lambda *a, **k: holder.method(*a, **k), decorator_argspec=spec
    )
    around = util.tf_decorator.make_decorator(named, lambda *a, **k: named(*a, **k))
    assert str(inspect.signature(named)) == "(self, x, more=1)" and str(inspect.signature(around)) == "(x, more=1)"
    assert around.__self__ is holder and not hasattr(named, "__self__")
    called = tf.function(around) if mode == "function" else around
    assert float(called(tf.constant(2.0))) == 3 and float(called(tf.constant(2.0), more=3.0)) == 5


def test_contexts_say_so():
    @util.tf_contextlib.contextmanager
    def within(found):
        found.append(1)
        yield
        found.append(2)

    found = []
    with within(found):
        assert found == [1]
    assert found == [1, 2] and within._tf_decorator.decorator_name == "contextmanager"


class Callable:
    def __call__(self, x, y=1, **more):
        pass

    def method(self, a, b):
        pass


@pytest.mark.parametrize(
    ("function", "names", "more"),
    [
        (Callable(), ("x", "y"), True),
        (Callable().method, ("a", "b"), False),
        (functools.partial(Callable().method, 1), ("b",), False),
        (functools.partial(lambda x, y: 0, y=1), ("x",), False),
    ],
)
def test_parameters(function, names, more):
    assert util.function_utils.fn_args(function) == names and util.function_utils.has_kwargs(function) is more


def test_names_and_code_of_functions():
    asked = util.function_utils
    assert asked.get_func_name(Callable.method) == "Callable.method" and asked.get_func_name(lambda: 0) == "<lambda>"
    assert asked.get_func_code(double) is double.__code__ and asked.get_func_code(functools.partial(double)) is None
    for ask, error in (
        (asked.get_func_name, ValueError),
        (asked.get_func_code, ValueError),
        (asked.has_kwargs, TypeError),
    ):
        with pytest.raises(error, match="callable"):
            ask(3)
    assert util.keyword_args.keyword_args_only(lambda a: a)(a=1) == 1
    with pytest.raises(ValueError, match="only accepts keyword arguments"):
        util.keyword_args.keyword_args_only(double)(1)
    with pytest.raises(ValueError, match="is not a function"):
        util.decorator_utils.validate_callable(property(double), "named")


def test_types_and_modules():
    types = util.type_annotations
    assert types.is_generic_union(typing.Union[int, str]) and types.is_generic_list(list[int])  # noqa: UP007
    assert types.is_generic_tuple(tuple[int]) and not types.is_generic_mapping(dict[int, int])
    into = {}
    module = util.lazy_loader.LazyLoader("json", into, "json")
    assert "json" not in into and module.dumps([1]) == "[1]" and "json" in into


def test_objects_by_what_they_are():
    identity = util.object_identity
    first, second = [1], [1]
    both = identity.ObjectIdentitySet([first, second, first])
    assert len(both) == 2 and first in both and [1] not in both
    assert second in both.difference([first]) and first not in both.difference([first])
    kept, watched = identity.ObjectIdentityDictionary(), identity.ObjectIdentityWeakSet()
    kept[first] = 5
    thing = Callable()
    watched.add(thing)
    assert kept[first] == 5 and second not in kept and thing in watched
    del thing
    gc.collect()
    assert len(watched) == 0


def test_files(tmp_path):
    files, path = tf.python.lib.io.file_io, str(tmp_path / "x.txt")
    files.write_string_to_file(path, "abc")
    assert files.read_file_to_string(path) == "abc" and files.read_file_to_string(path, True) == b"abc"
    assert files.file_crc32(path) == "0x352441c2" and files.filecmp(path, path) and files.has_atomic_move(path)
    with pytest.raises(tf.errors.AlreadyExistsError, match="already exists"):
        files.atomic_write_string_to_file(path, "d", overwrite=False)
    files.atomic_write_string_to_file(path, "d")
    assert files.read_file_to_string(path) == "d" and len(list(tmp_path.iterdir())) == 1


def test_small_ones():
    assert util.serialization.get_json_type(tf.TensorShape([1, None])) == [1, None]
    assert (
        util.serialization.get_json_type(np.float32(1)) == 1.0 and util.serialization.get_json_type(double) == "double"
    )
    assert tf.python.module.module.camel_to_snake("CamelCase") == "camel_case"
    assert str(tf.compat.v1.ragged.constant_value([[1], [2, 3]])) == "<tf.RaggedTensorValue [[1], [2, 3]]>"
    rows = tf.ragged.constant([["a", "b"], ["c"]])
    assert tf.compat.v1.batch_gather(rows, tf.ragged.constant([[1], [0, 0]])).to_list() == [[b"b"], [b"c", b"c"]]
    truth = tf.ragged.constant([[True, False], [False]])
    assert tf.compat.v1.where(truth, rows, tf.ragged.constant([["x", "y"], ["z"]])).to_list() == [[b"a", b"y"], [b"z"]]
    assert tf.python.ops.nn_ops.relu is tf.nn.relu
    slow = tf.data.Dataset.range(2).apply(tf.python.data.experimental.ops.testing.sleep(1))
    assert [int(x) for x in slow] == [0, 1]
