"""`tf.experimental.ExtensionType`: fields, specs, comparison, printing, and such values through everything that takes tensors."""
# ruff: noqa: UP006, UP007, UP035, UP045 -- the annotations that TensorFlow knows

import pickle
from functools import partial
from typing import Mapping, Optional, Tuple, Union

from conformance.helpers import raises
from conformance.registry import case

declared = partial(case, "composites/extension types")
used = partial(case, "composites/extension types in use")
batched = partial(case, "composites/batchable extension types")


def masked(tf, base=None):
    class Masked(base or tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

        def __validate__(self):
            self.values.shape.assert_is_compatible_with(self.mask.shape)

        def with_default(self, default):
            return tf.where(self.mask, self.values, default)

    return Masked


def network(tf):
    class Layer(tf.experimental.ExtensionType):
        w: tf.Tensor
        b: Optional[tf.Tensor] = None
        units: int = 2

    class Network(tf.experimental.ExtensionType):
        layers: Tuple[Layer, ...]
        named: Mapping[str, tf.Tensor]

    return Layer, Network


def weighted(tf):
    class Weighted(tf.experimental.ExtensionType):
        w: tf.Tensor
        n: int

        class Gradient:
            def get_gradient_components(self, value):
                return value.w

            def replace_gradient_components(self, value, gradient):
                return Weighted(gradient, value.n)

        @property
        def __composite_gradient__(self):
            return Weighted.Gradient()

    return Weighted


def example(tf):
    return masked(tf)([1.0, 2.0, 3.0], [True, False, True])


@declared("printed")
def _(tf):
    value = example(tf)
    return repr(value), str(value), repr(tf.type_spec_from_value(value))


@declared("nested fields printed")
def _(tf):
    layer, net = network(tf)
    value = net([layer([1.0]), layer([2.0], 3.0, units=5)], {"b": 1, "a": 2.0})
    return repr(value), repr(tf.type_spec_from_value(value)), value.named["a"], list(value.named)


@declared("fields of every kind are converted")
def _(tf):
    class Kinds(tf.experimental.ExtensionType):
        i: int
        f: float
        s: str
        y: bytes
        b: bool
        d: tf.DType
        h: tf.TensorShape
        t: Tuple[int, str]
        u: Union[int, str, tf.Tensor]
        n: None = None

    return repr(Kinds(1, 1.5, "s", b"y", True, "float32", [1, None], [1, "a"], [1.0]))


@declared("what does not fit a field")
def _(tf):
    def one(kind, value):
        space = {"__annotations__": {"f": kind}, "__module__": __name__}
        base = tf.experimental.ExtensionType
        return lambda: type(base)("One", (base,), space)(value)

    return [
        raises(one(int, 1.0), "expected 'int', got 'float'"),
        raises(one(float, 1), "expected 'float', got 'int'"),
        raises(one(str, b"a"), "expected 'str', got 'bytes'"),
        raises(one(tf.Tensor, None), "expected a Tensor, got 'NoneType'"),
        raises(one(tf.Tensor, [1, [2]]), "expected a Tensor, got 'list'"),
        raises(one(tf.TensorShape, "a"), "expected 'tf.TensorShape', got 'str'"),
        raises(one(Tuple[int, str], (1, 2)), "f[1]: expected 'str', got 'int'"),
        raises(one(Tuple[int, ...], 3), "expected tuple, got 'int'"),
        raises(one(Mapping[str, int], {"a": "b"}), "f['a']: expected 'int', got 'str'"),
        raises(one(Mapping[str, int], {1: 1}), "f[<key>]: expected 'str', got 'int'"),
        raises(one(Optional[int], 1.0), "got 'float'"),
        raises(one(masked(tf), 3), "expected 'Masked', got 'int'"),
    ]


@declared("annotations that no field may have")
def _(tf):
    def one(kind):
        space = {"__annotations__": {"f": kind}, "__module__": __name__}
        base = tf.experimental.ExtensionType
        return raises(lambda: bool(type(base)("One", (base,), space)), "In field 'f': Unsupported type annotation")

    return [one(kind) for kind in (list, dict, tuple, Tuple, list[int], object, tf.Variable, tf.TensorSpec([]))]


@declared("fields that cannot be declared")
def _(tf):
    def with_space(space, annotations=None):
        space = {"__annotations__": annotations or {"x": int}, "__module__": __name__, **space}
        base = tf.experimental.ExtensionType
        return raises(lambda: bool(type(base)("One", (base,), space)), "The field annotations for One are invalid")

    return [
        with_space({"y": 3}),
        with_space({"_y": (1,)}),
        with_space({"y": len}),
        with_space({}, {"self": int}),
        with_space({}, {"Spec": int}),
        with_space({}, {"_type_spec": int}),
        with_space({"x": "a"}),
    ]


@declared("nothing changes after construction")
def _(tf):
    value = example(tf)
    return [
        raises(lambda: setattr(value, "mask", 1), "Cannot mutate attribute `mask`"),
        raises(lambda: setattr(value, "other", 1), "Cannot mutate attribute `other`"),
        raises(lambda: delattr(value, "mask"), "Cannot mutate attribute `mask`"),
        raises(lambda: setattr(tf.type_spec_from_value(value), "mask", 1), "Cannot mutate attribute `mask`"),
        raises(lambda: hash(value), "unhashable type"),
    ]


@declared("wrong arguments of the constructor")
def _(tf):
    cls = masked(tf)
    return [
        raises(lambda: cls([1.0])),
        raises(lambda: cls([1.0], [True], 3)),
        raises(lambda: cls([1.0], values=[True])),
        raises(lambda: cls([1.0], [True], other=3)),
        raises(lambda: cls([1.0, 2.0], [True])),
        raises(lambda: tf.experimental.ExtensionType()),
    ]


@declared("a constructor of one's own")
def _(tf):
    class Own(tf.experimental.ExtensionType):
        x: tf.Tensor
        y: int

        def __init__(self, a, leave_out=False, wrong=False):
            self.x = a
            if not leave_out:
                self.y = "a" if wrong else 3

    return [repr(Own([1])), raises(lambda: Own(1, True), "Missing required fields"), raises(lambda: Own(1, wrong=True))]


@declared("inheritance and defaults")
def _(tf):
    base = masked(tf)

    class More(base):
        extra: int = 5

    value = More([1.0], [True])
    return repr(value), isinstance(value, base), More([1.0], [True], 7).extra, value == base([1.0], [True]), More.extra


@declared("equality")
def _(tf):
    cls = masked(tf)
    layer, _net = network(tf)
    one = cls([1.0, 2.0], [True, False])
    return [
        one == cls([1.0, 2.0], [True, False]),
        one != cls([1.0, 2.0], [True, False]),
        one == cls([1.0, 3.0], [True, False]),
        one == cls([1.0], [True]),
        one == cls([1, 2], [True, False]),
        one == 3,
        one != 3,
        layer([1.0], units=3) == layer([1.0], units=4),
        layer([1.0], 2.0) == layer([1.0], 2.0),
    ]


@declared("specs compare, cover and print")
def _(tf):
    cls = masked(tf)
    spec = cls.Spec(tf.TensorSpec([3], tf.float32), tf.TensorSpec([3], tf.bool))
    wide = cls.Spec(tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.bool))
    value, short = cls([1.0, 2.0, 3.0], [True] * 3), cls([1.0], [True])
    return [
        spec == tf.type_spec_from_value(value),
        hash(spec) == hash(tf.type_spec_from_value(value)),
        [s.is_compatible_with(v) for s in (spec, wide) for v in (value, short)],
        [spec.is_subtype_of(wide), wide.is_subtype_of(spec)],
        repr(spec.most_specific_common_supertype([tf.type_spec_from_value(short)])),
        spec.values,
        spec.value_type is cls,
        repr(cls.Spec.from_value(short)),
    ]


@declared("a spec's constructor checks")
def _(tf):
    cls = masked(tf)
    return [
        raises(lambda: cls.Spec([3], tf.TensorSpec([3])), "values: expected a TensorSpec, got 'list'"),
        raises(lambda: cls.Spec(), "values"),
        raises(lambda: cls.Spec(values=3, mask=4)),
    ]


@declared("a spec of one's own")
def _(tf):
    class Own(tf.experimental.ExtensionType):
        x: tf.Tensor
        k: str

        class Spec:
            def __init__(self, n, k="q"):
                self.x = tf.TensorSpec([n])
                self.k = k

            @property
            def length(self):
                return self.x.shape[0]

    return Own.Spec(3).length, Own.Spec(3).k, tf.type_spec_from_value(Own([1.0, 2.0], "z")).length


@declared("fields as a dict")
def _(tf):
    layer, _net = network(tf)
    return tf.experimental.extension_type.as_dict(layer([1.0], units=4))


@declared("nests leave it whole or take it apart")
def _(tf):
    value = example(tf)
    return [
        tf.nest.is_nested(value),
        len(tf.nest.flatten([value, {"a": value}])),
        tf.nest.flatten(value, expand_composites=True),
        repr(tf.nest.pack_sequence_as(value, [1, 2], expand_composites=True)),
        raises(lambda: tf.nest.assert_same_structure(value, network(tf)[0]([1.0])), None),
        raises(lambda: tf.nest.assert_same_structure(value, network(tf)[0]([1.0]), expand_composites=True)),
    ]


@declared("printed by tf.print and print", function_ok=False)
def _(tf):
    print(example(tf))
    return str(example(tf))


@declared("what no function takes without dispatch")
def _(tf):
    value = example(tf)
    calls = (tf.add, lambda x, y: x + y, lambda x, y: tf.constant(1.0) + x, lambda x, y: tf.convert_to_tensor(x))
    return [raises(lambda call=call: call(value, value)) for call in calls]


@used("identity and stop_gradient keep the type")
def _(tf):
    return repr(tf.identity(example(tf))), repr(tf.stop_gradient(example(tf)))


@used("arguments and results of a function")
def _(tf):
    cls, traces = masked(tf), []

    @tf.function
    def doubled(x):
        traces.append(1)
        return [cls(x.values * 2, x.mask)], {"default": x.with_default(-1.0)}

    results = [repr(doubled(cls([1.0, 2.0], [True, False]))), repr(doubled(cls([3.0, 2.0], [True, True])))]
    doubled(cls([1.0], [True]))
    return results, len(traces)


@used("static fields are part of a trace")
def _(tf):
    layer, _net = network(tf)
    traces = []

    @tf.function
    def call(x):
        traces.append(1)
        return x.w * x.units

    return [call(layer([1.0], units=n)) for n in (2, 3, 2)], call(layer([1.0], 2.0)), len(traces)


@used("a signature of specs")
def _(tf):
    cls = masked(tf)

    @tf.function(input_signature=[cls.Spec(tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.bool))])
    def total(x):
        return tf.reduce_sum(x.with_default(0.0)), x

    return [
        repr(total(cls([1.0, 2.0], [True, False]))),
        repr(total(cls([1.0], [True]))),
        raises(lambda: total(cls([1], [True]))),
        raises(lambda: total([1.0])),
        raises(lambda: total(network(tf)[0]([1.0]))),
    ]


@used("a concrete function of a spec")
def _(tf):
    cls = masked(tf)
    spec = cls.Spec(tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.bool))
    concrete = tf.function(lambda x: cls(x.values * 2, x.mask)).get_concrete_function(spec)
    signature = repr(concrete.structured_input_signature)
    return (
        repr(concrete(cls([1.0, 2.0], [True, False]))),
        signature,
        repr(tf.type_spec_from_value(concrete.structured_outputs)),
    )


@used("relaxed retracing generalises")
def _(tf):
    cls, traces = masked(tf), []

    @tf.function(reduce_retracing=True)
    def values(x):
        traces.append(1)
        return x.values

    shapes = [values(cls(tf.ones([n]), tf.ones([n], tf.bool))).shape for n in (1, 2, 3, 4)]
    return shapes, len(traces)


@used("branches")
def _(tf):
    cls = masked(tf)

    @tf.function
    def chosen(condition):
        return tf.cond(condition, lambda: cls([1.0, 2.0], [True, False]), lambda: cls([3.0], [True]))

    return repr(chosen(tf.constant(True))), repr(chosen(tf.constant(False)))


@used("branches that differ in type")
def _(tf):
    cls, layer = masked(tf), network(tf)[0]

    def mixed(one, other):
        return raises(lambda: tf.function(lambda c: tf.cond(c, one, other))(tf.constant(True)))

    return [
        mixed(lambda: cls([1.0], [True]), lambda: layer([1.0], 2.0)),
        mixed(lambda: layer([1.0], 2.0), lambda: layer([1.0])),
        mixed(lambda: layer([1.0], units=3), lambda: layer([1.0], units=4)),
        mixed(lambda: layer([1.0]), lambda: tf.constant([1.0])),
    ]


@used("while_loop")
def _(tf):
    cls = masked(tf)

    def loop(x):
        return tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, cls(x.values * 2.0, x.mask)), (tf.constant(0), x))

    value = cls([1.0, 2.0], [True, False])
    return repr(loop(value)), repr(tf.function(loop)(value))


@used("shape invariants of a spec")
def _(tf):
    cls = masked(tf)

    def grown(invariant):
        def twice(i, x):
            return i + 1, cls(tf.concat([x.values] * 2, 0), tf.concat([x.mask] * 2, 0))

        @tf.function
        def run(x):
            return tf.while_loop(lambda i, x: i < 3, twice, (tf.constant(0), x), invariant)[1].values

        return run(cls([1.0], [True]))

    spec = cls.Spec(tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.bool))
    shape = tf.TensorShape([])
    return [grown((shape, spec)), raises(lambda: grown(None)), raises(lambda: grown((shape, tf.TensorShape([None]))))]


@used("Python branches and loops of a function")
def _(tf):
    cls = masked(tf)

    @tf.function
    def run(x, n):
        if n > 2:
            x = cls(x.values + 1.0, x.mask)
        for _ in tf.range(n):
            x = cls(x.values * 2.0, x.mask)
        while tf.reduce_sum(x.values) < 100.0:
            x = cls(x.values + 10.0, x.mask)
        return x

    value = cls([1.0, 2.0], [True, False])
    return run(value, tf.constant(3)).values, run(value, tf.constant(1)).values


@used("gradients flow through it")
def _(tf):
    cls, x = masked(tf), tf.constant([1.0, 2.0])
    call = tf.function(lambda m: cls(m.values * m.values, m.mask))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        direct = cls(x * x, [True, False]).with_default(0.0)
        through = call(cls(x, [True, True])).values
    return tape.gradient(direct, x), tape.gradient(through, x)


@used("watched with its components")
def _(tf):
    value = example(tf)
    with tf.GradientTape() as tape:
        tape.watch(value.values)
        y = value.with_default(1.0) ** 2
    return tape.gradient(y, value.values)


@used("no source or target of its own accord")
def _(tf):
    value = network(tf)[0]([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(value)
        y = tf.reduce_sum(value.w**2)
    says = "is not supported as a gradient source or gradient target"
    return [
        raises(lambda: tape.gradient(y, value), says),
        raises(lambda: tape.gradient(y, [value.w, {"a": value}]), says),
        raises(lambda: tape.gradient(value, value.w), says),
    ]


@used("a source that names its differentiable components")
def _(tf):
    value, other = weighted(tf)([1.0, 2.0], 3), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([value, other])
        y = tf.reduce_sum(value.w**2) * other
    found = tape.gradient(y, [value, {"other": other}])
    return repr(found[0]), found[1], repr(tape.gradient(y, value)), tape.gradient(tf.constant(1.0), value)


@used("a target that names its differentiable components")
def _(tf):
    cls = weighted(tf)
    value = cls([1.0, 2.0], 3)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(value)
        y = cls(value.w**2, 1)
    return repr(tape.gradient(y, value)), repr(tape.gradient(y, value, output_gradients=cls([3.0, 4.0], 1)))


@used("custom gradients of it")
def _(tf):
    cls = weighted(tf)

    @tf.custom_gradient
    def from_value(a):
        return a.w * 2.0, lambda up: cls(up * 10.0, a.n)

    @tf.custom_gradient
    def to_value(x):
        return cls(x * 2.0, 3), lambda up: up.w * 10.0

    value, x = cls([1.0, 2.0], 3), tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([value, x])
        y, z = from_value(value), to_value(x)
        again = tf.recompute_grad(lambda a: a.w**2)(value)
    return repr(tape.gradient(y, value)), tape.gradient(z.w, x), again, repr(z)


@used("a variable in it is read")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        value = network(tf)[0](v)
        y = tf.reduce_sum(value.w**2)
    return tape.gradient(y, v), repr(value)


@used("operators that it defines")
def _(tf):
    class Plus(tf.experimental.ExtensionType):
        x: tf.Tensor

        def __add__(self, other):
            return "add"

        def __radd__(self, other):
            return "radd"

        def __getitem__(self, i):
            return self.x[i]

        def __call__(self, y):
            return self.x * y

    value = Plus([1.0, 2.0])
    call = tf.function(lambda v: (v(3.0), v[1]))
    return value + 3, 3 + value, value + tf.constant(1.0), tf.constant(1.0) + value, call(value)


@used("conversion by __tf_tensor__")
def _(tf):
    class Like(tf.experimental.ExtensionType):
        x: tf.Tensor

        def __tf_tensor__(self, dtype=None, name=None):
            return tf.convert_to_tensor(self.x, dtype)

    value = Like([1.0, 2.0])
    return tf.add(value, 1.0), value + tf.constant(1.0), tf.constant(1.0) - value, tf.reduce_sum(value)


@batched("map_fn takes, gives and changes it")
def _(tf):
    cls = masked(tf, tf.experimental.BatchableExtensionType)
    value = cls([[1.0, 2.0], [3.0, 4.0]], [[True, False], [True, True]])
    spec = cls.Spec(tf.TensorSpec([3]), tf.TensorSpec([3], tf.bool))

    def all_of_them():
        return [
            tf.map_fn(lambda m: m.with_default(0.0), value, fn_output_signature=tf.float32),
            tf.nest.flatten(tf.map_fn(lambda m: cls(m.values * 2, m.mask), value), expand_composites=True),
            tf.nest.flatten(
                tf.map_fn(lambda x: cls(x, x > 0), tf.ones([2, 3]), fn_output_signature=spec), expand_composites=True
            ),
            tf.map_fn(lambda p: p[0] * p[1].values, (tf.constant([1.0, 2.0]), value), fn_output_signature=tf.float32),
        ]

    return all_of_them(), tf.function(all_of_them)()


@batched("specs with and without a batch")
def _(tf):
    cls = masked(tf, tf.experimental.BatchableExtensionType)
    spec = tf.type_spec_from_value(cls([[1.0]], [[True]]))
    return repr(spec._batch(5)), repr(spec._unbatch())


@batched("vectorized_map")
def _(tf):
    cls = masked(tf, tf.experimental.BatchableExtensionType)
    value = cls([[1.0, 2.0], [3.0, 4.0]], [[True, False], [True, True]])
    return tf.vectorized_map(lambda m: m.with_default(0.0), value), repr(tf.vectorized_map(lambda m: m, value))


@batched("an encoder of one's own")
def _(tf):
    class Encoder(tf.experimental.ExtensionTypeBatchEncoder):
        def batch(self, spec, batch_size):
            return Table.Spec(tf.TensorSpec([batch_size, 2]), tf.TensorSpec([batch_size, 2]))

        def unbatch(self, spec):
            return Table.Spec(tf.TensorSpec([2]), tf.TensorSpec([2]))

        def encode(self, spec, value, minimum_rank=0):
            return tf.stack([value.left, value.right], axis=-1)

        def decode(self, spec, encoded_value):
            return Table(encoded_value[..., 0], encoded_value[..., 1])

        def encoding_specs(self, spec):
            return tf.TensorSpec([2, 2])

    class Table(tf.experimental.BatchableExtensionType):
        left: tf.Tensor
        right: tf.Tensor
        __batch_encoder__ = Encoder()

    value = Table([[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]])
    return repr(tf.map_fn(lambda t: Table(t.right, t.left), value))


@batched("what is not batchable is not mapped over")
def _(tf):
    return raises(lambda: tf.map_fn(lambda m: m.values, example(tf), fn_output_signature=tf.float32))


class Pickled:
    """Holds what pickling finds by name."""


@declared("copied and pickled")
def _(tf):
    cls = masked(tf)
    cls.__qualname__ = cls.__name__ = "PickledMasked"
    cls.Spec.__qualname__ = "PickledMasked.Spec"
    globals()["PickledMasked"] = cls
    spec = tf.type_spec_from_value(cls([1.0], [True]))
    return pickle.loads(pickle.dumps(spec)) == spec, repr(pickle.loads(pickle.dumps(cls([1.0], [True]))))
