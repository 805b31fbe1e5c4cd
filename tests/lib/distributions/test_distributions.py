"""`tf.compat.v1.distributions` against TensorFlow's figures: values, samples by seed, errors, graphs."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

D = tf.compat.v1.distributions
NAN, INF = float("nan"), float("inf")

CASES = {
    "Bernoulli": (
        lambda: D.Bernoulli(probs=[0.2, 0.9]),
        [0, 1],
        {
            "log_prob": [-0.2231435, -0.1053605],
            "prob": [0.8, 0.9],
            "cdf": None,
            "log_cdf": None,
            "survival_function": None,
            "log_survival_function": None,
        },
        {
            "mean": [0.2, 0.9],
            "stddev": [0.4, 0.3],
            "variance": [0.16, 0.09000002],
            "entropy": [0.5004025, 0.325083],
            "mode": [0, 1],
            "covariance": None,
        },
        [[0, 1], [0, 1]],
    ),
    "Normal": (
        lambda: D.Normal([0.0, 1.0], [[1.0], [2.5]]),
        [0.3, -40.0],
        {
            "log_prob": [[-0.9639385, -841.4189], [-1.842429, -136.3152]],
            "prob": [[0.3813878, 0.0], [0.1584321, 0.0]],
            "cdf": [[0.6179114, 0.0], [0.5477584, 0.0]],
            "log_cdf": [[-0.4814102, -845.1331], [-0.601921, -138.1999]],
            "survival_function": [[0.3820886, 1.0], [0.4522416, 1.0]],
            "log_survival_function": [[-0.9621028, -0.0], [-0.7935388, -0.0]],
        },
        {
            "mean": [[0.0, 1.0], [0.0, 1.0]],
            "stddev": [[1.0, 1.0], [2.5, 2.5]],
            "variance": [[1.0, 1.0], [6.25, 6.25]],
            "entropy": [[1.418939, 1.418939], [2.335229, 2.335229]],
            "mode": [[0.0, 1.0], [0.0, 1.0]],
            "covariance": None,
        },
        [[[0.9447038, 0.03320932], [2.012929, 4.25829]], [[0.2149045, 0.2653424], [2.206962, -0.9363701]]],
    ),
    "Categorical": (
        lambda: D.Categorical(logits=[[0.1, 0.5, 2.0], [1.0, 1.0, -1.0]]),
        [2, 1],
        {
            "log_prob": [-0.3167787, -0.7586237],
            "prob": [0.728492, 0.4683105],
            "cdf": [0.2715081, 0.4683105],
            "log_cdf": [-1.303763, -0.7586237],
            "survival_function": [0.7284919, 0.5316895],
            "log_survival_function": [-0.3167788, -0.6316956],
        },
        {
            "mean": None,
            "stddev": None,
            "variance": None,
            "entropy": [0.7676247, 0.8853815],
            "mode": [2, 0],
            "covariance": None,
        },
        [[1, 2], [2, 0]],
    ),
    "Uniform": (
        lambda: D.Uniform([0.0, -1.0], 3.0),
        [[0.5, 0.5], [-2.0, 7.0]],
        {
            "log_prob": [[-1.098612, -1.386294], [-INF, -INF]],
            "prob": [[0.3333333, 0.25], [0.0, 0.0]],
            "cdf": [[0.1666667, 0.375], [0.0, 1.0]],
            "log_cdf": [[-1.791759, -0.9808292], [-INF, 0.0]],
            "survival_function": [[0.8333333, 0.625], [1.0, 0.0]],
            "log_survival_function": [[-0.1823216, -0.4700036], [-0.0, -INF]],
        },
        {
            "mean": [1.5, 1.0],
            "stddev": [0.8660254, 1.154701],
            "variance": [0.75, 1.333333],
            "entropy": [1.098612, 1.386294],
            "mode": None,
            "covariance": None,
        },
        [[1.203264, 0.5073557], [0.9278784, -0.6476974]],
    ),
    "Exponential": (
        lambda: D.Exponential([1.0, 0.5]),
        [0.5, 2.0],
        {
            "log_prob": [-0.5, -1.693147],
            "prob": [0.6065307, 0.1839397],
            "cdf": [0.3934694, 0.6321205],
            "log_cdf": [-0.9327521, -0.4586753],
            "survival_function": [0.6065307, 0.3678795],
            "log_survival_function": [-0.5, -1.0],
        },
        {
            "mean": [1.0, 2.0],
            "stddev": [1.0, 2.0],
            "variance": [1.0, 4.0],
            "entropy": [1.0, 1.693147],
            "mode": [NAN, NAN],
            "covariance": None,
        },
        [[0.9135747, 1.951875], [1.173467, 4.859118]],
    ),
    "Gamma": (
        lambda: D.Gamma([0.5, 3.0], 1.5),
        [0.5, 2.0],
        {
            "log_prob": [-0.7730588, -1.090458],
            "prob": [0.461599, 0.3360627],
            "cdf": [0.7793286, 0.5768099],
            "log_cdf": [-0.2493224, -0.5502425],
            "survival_function": [0.2206714, 0.4231901],
            "log_survival_function": [-1.511081, -0.8599337],
        },
        {
            "mean": [0.3333333, 2.0],
            "stddev": [0.4714045, 1.154701],
            "variance": [0.2222222, 1.333333],
            "entropy": [-0.3148556, 1.442114],
            "mode": [NAN, 1.333333],
            "covariance": None,
        },
        [[0.07136767, 1.812831], [0.7902247, 2.51789]],
    ),
    "Beta": (
        lambda: D.Beta([0.5, 2.0], [2.0, 1.5]),
        [0.5, 0.2],
        {
            "log_prob": [-0.6342556, -0.3992538],
            "prob": [0.5303301, 0.6708204],
            "cdf": [0.8838834, 0.06979572],
            "log_cdf": [-0.1234302, -2.662183],
            "survival_function": [0.1161166, 0.9302043],
            "log_survival_function": [-2.15316, -0.07235106],
        },
        {
            "mean": [0.2, 0.5714286],
            "stddev": [0.213809, 0.2332847],
            "variance": [0.04571429, 0.05442177],
            "entropy": [-0.7652791, -0.1080499],
            "mode": [NAN, 0.6666667],
            "covariance": None,
        },
        [[0.06924945, 0.6543899], [0.5724555, 0.7563203]],
    ),
    "Dirichlet": (
        lambda: D.Dirichlet([3.0, 2.0, 4.0]),
        [[0.5, 0.2, 0.3]],
        {
            "log_prob": [1.512045],
            "prob": [4.535997],
            "cdf": None,
            "log_cdf": None,
            "survival_function": None,
            "log_survival_function": None,
        },
        {
            "mean": [0.3333333, 0.2222222, 0.4444444],
            "stddev": [0.1490712, 0.1314684, 0.1571348],
            "variance": [0.02222222, 0.01728395, 0.02469136],
            "entropy": -1.312552,
            "mode": [0.3333333, 0.1666667, 0.5],
            "covariance": [
                [0.02222222, -0.007407408, -0.01481482],
                [-0.007407408, 0.01728395, -0.009876545],
                [-0.01481482, -0.009876545, 0.02469136],
            ],
        },
        [[0.1098136, 0.2641991, 0.6259873], [0.3406834, 0.2316637, 0.427653]],
    ),
    "Laplace": (
        lambda: D.Laplace([0.0, 1.0], [2.0, 0.5]),
        [0.5, -2.0],
        {
            "log_prob": [-1.636294, -6.0],
            "prob": [0.1947002, 0.002478752],
            "cdf": [0.6105996, 0.001239389],
            "log_cdf": [-0.4933138, -6.693147],
            "survival_function": [0.3894004, 0.9987606],
            "log_survival_function": [-0.9431472, -0.001240145],
        },
        {
            "mean": [0.0, 1.0],
            "stddev": [2.828427, 0.7071068],
            "variance": [8.0, 0.5],
            "entropy": [2.386294, 1.0],
            "mode": [0.0, 1.0],
            "covariance": None,
        },
        [[-0.4408549, 0.8586049], [-0.9606392, 0.1317941]],
    ),
    "StudentT": (
        lambda: D.StudentT([0.5, 1.5, 5.0], [0.0, 1.0, 2.0], [1.0, 2.0, 0.5]),
        [0.5, -2.0, 2.2],
        {
            "log_prob": [-1.614632, -2.915161, -0.3699684],
            "prob": [0.1989639, 0.05419531, 0.6907561],
            "cdf": [0.6213409, 0.1549974, 0.6471633],
            "log_cdf": [-0.4758753, -1.864347, -0.4351566],
            "survival_function": [0.3786591, 0.8450026, 0.3528367],
            "log_survival_function": [-0.971119, -0.1684156, -1.04175],
        },
        {
            "mean": [NAN, 1.0, 2.0],
            "stddev": [NAN, INF, 0.6454972],
            "variance": [NAN, INF, 0.4166667],
            "entropy": [3.666728, 2.842806, 0.9343545],
            "mode": [0.0, 1.0, 2.0],
            "covariance": None,
        },
        [[1711.619, -1.476798, 2.250921], [1.719413, 2.991354, 1.670383]],
    ),
    "Multinomial": (
        lambda: D.Multinomial([4.0, 2.0], logits=[[0.2, 0.3, 0.5], [1.0, 2.0, 3.0]]),
        [[2.0, 1.0, 1.0], [0.0, 1.0, 1.0]],
        {
            "log_prob": [-2.074418, -1.122065],
            "prob": [0.1256296, 0.3256069],
            "cdf": None,
            "log_cdf": None,
            "survival_function": None,
            "log_survival_function": None,
        },
        {
            "mean": [[1.157732, 1.279492, 1.562775], [0.1800611, 0.489457, 1.330482]],
            "stddev": [[0.9069986, 0.9328543, 0.9758118], [0.4047841, 0.6080073, 0.6673761]],
            "variance": [[0.8226464, 0.8702171, 0.9522086], [0.1638501, 0.3696729, 0.4453909]],
            "entropy": None,
            "mode": None,
            "covariance": [
                [
                    [0.8226464, -0.3703274, -0.452319],
                    [-0.3703274, 0.8702171, -0.4998897],
                    [-0.452319, -0.4998897, 0.9522086],
                ],
                [
                    [0.1638501, -0.04406609, -0.119784],
                    [-0.04406609, 0.3696729, -0.3256068],
                    [-0.119784, -0.3256068, 0.4453909],
                ],
            ],
        },
        [[[2.0, 1.0, 1.0], [0.0, 1.0, 1.0]], [[0.0, 1.0, 3.0], [0.0, 0.0, 2.0]]],
    ),
    "DirichletMultinomial": (
        lambda: D.DirichletMultinomial(5.0, [2.0, 3.0, 0.5]),
        [2.0, 1.0, 2.0],
        {
            "log_prob": -3.978925,
            "prob": 0.01870574,
            "cdf": None,
            "log_cdf": None,
            "survival_function": None,
            "log_survival_function": None,
        },
        {
            "mean": [1.818182, 2.727273, 0.4545455],
            "stddev": [1.367128, 1.415112, 0.8170155],
            "variance": [1.86904, 2.002543, 0.6675143],
            "entropy": None,
            "mode": None,
            "covariance": [
                [1.86904, -1.602034, -0.2670057],
                [-1.602034, 2.002543, -0.4005086],
                [-0.2670057, -0.4005086, 0.6675143],
            ],
        },
        [[1.0, 3.0, 1.0], [3.0, 2.0, 0.0]],
    ),
}
"""By class: a distribution, values, what it says of them, what it says of itself, two samples with the seeds 7 and 3."""


def _same(found, expected):
    np.testing.assert_allclose(found, np.asarray(expected, found.numpy().dtype), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_answers_are_tensorflows(name):
    make, value, of_value, of_itself, _ = CASES[name]
    distribution = make()
    for asked, arguments, expected in [
        *[(q, (value,), e) for q, e in of_value.items()],
        *[(q, (), e) for q, e in of_itself.items()],
    ]:
        if expected is None:
            with pytest.raises(NotImplementedError, match=f"{asked} is not implemented: {name}"):
                getattr(distribution, asked)(*arguments)
        else:
            _same(getattr(distribution, asked)(*arguments), expected)


@pytest.mark.parametrize("name", CASES)
def test_samples_by_seed_are_tensorflows(name):
    make, *_, expected = CASES[name]
    tf.random.set_seed(7)
    distribution = make()
    drawn = distribution.sample(2, seed=3)
    assert drawn.dtype == distribution.dtype
    assert drawn.shape == [2, *distribution.batch_shape, *distribution.event_shape]
    _same(drawn, expected)


@pytest.mark.parametrize("name", CASES)
def test_functions_answer_as_eager_calls_do(name):
    make, value, of_value, *_ = CASES[name]
    _same(tf.function(lambda v: make().log_prob(v))(tf.constant(value)), of_value["log_prob"])
    sizes = make().batch_shape.concatenate(make().event_shape)

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def some(count):
        return make().sample(count, seed=3)

    assert some(3).shape == tf.TensorShape([3]).concatenate(sizes)
    fixed = tf.function(lambda: make().sample([2, 1], seed=3)).get_concrete_function()
    assert fixed.output_shapes == tf.TensorShape([2, 1]).concatenate(sizes)


def test_divergences():
    pairs = [
        (D.Normal(0.0, 1.0), D.Normal([1.0, -1.0], 2.0), [0.44315, 0.44315], [1.86209, 1.86209]),
        (D.Beta(1.0, 2.0), D.Beta(2.0, 0.5), 1.73083, 1.53768),
        (D.Gamma(1.0, 2.0), D.Gamma(2.0, 0.5), 2.5998, 2.90666),
        (D.Bernoulli(0.1), D.Bernoulli(-1.0), 0.14634, 0.83824),
        (D.Categorical([0.1, 0.3]), D.Categorical([1.0, -1.0]), 0.53842, 1.2266),
        (D.Dirichlet([1.0, 2.0]), D.Dirichlet([2.0, 0.5]), 1.73083, 1.53768),
        (D.Exponential(1.0), D.Gamma(2.0, 2.0), 0.19092, 1.19092),
    ]
    for a, b, divergence, entropy in pairs:
        np.testing.assert_allclose(D.kl_divergence(a, b), divergence, atol=1e-5)
        np.testing.assert_allclose(a.kl_divergence(b), divergence, atol=1e-5)
        np.testing.assert_allclose(a.cross_entropy(b), entropy, atol=1e-5)
    with pytest.raises(NotImplementedError, match="type Normal and distribution_b type Gamma"):
        D.kl_divergence(D.Normal(0.0, 1.0), D.Gamma(1.0, 1.0))
    with pytest.raises(ValueError, match=r"KL\(Normal \|\| Normal\) has already been registered"):
        D.RegisterKL(D.Normal, D.Normal)(lambda a, b, name=None: 0.0)
    with pytest.raises(TypeError, match="kl_fn must be callable"):
        D.RegisterKL(D.Normal, D.Beta)(3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="is NaN"):
        D.kl_divergence(D.Normal(0.0, 1.0), D.Normal(NAN, 1.0), allow_nan_stats=False)


def test_a_divergence_of_a_class_of_ones_own_comes_before_its_parents():
    class Unit(D.Normal):
        def __init__(self):
            super().__init__(0.0, 1.0)

    assert D.kl_divergence(Unit(), D.Normal(0.0, 1.0)).numpy() == 0.0
    D.RegisterKL(Unit, D.Normal)(lambda a, b, name=None: tf.constant(5.0))
    assert D.kl_divergence(Unit(), D.Normal(0.0, 1.0)).numpy() == 5.0


REFUSED = {
    "both forms": (lambda: D.Bernoulli(1.0, 1.0), ValueError, "Must pass probs or logits, but not both"),
    "neither": (lambda: D.Categorical(), ValueError, "Must pass probs or logits, but not both"),
    "integers": (lambda: D.Bernoulli(probs=1), TypeError, "probs must have a floating dtype"),
    "parameters": (lambda: D.Normal(0, 1), ValueError, "Expected floating point type"),
    "a scalar": (lambda: D.Categorical(probs=1.0), ValueError, "must have rank at least 1"),
    "a matrix": (lambda: D.Normal(0.0, 1.0).sample([[1, 2]]), ValueError, "neither scalar nor vector"),
    "a label": (lambda: D.Categorical([0.5, 0.5]).prob(5), tf.errors.InvalidArgumentError, "5"),
    "half": (lambda: D.Normal(*tf.constant([0.0, 1.0], tf.float16)).cdf(1.0), TypeError, "float16"),
    "one class": (lambda: D.Categorical(probs=[1.0], validate_args=True), ValueError, "at least 2 events"),
    "a parent": (lambda: D.Distribution(tf.float32, None, False, True, graph_parents=[3]), ValueError, "item 0"),
}
VALUES = {
    "scale": (lambda: D.Normal(0.0, -1.0, validate_args=True), "x > 0"),
    "above 1": (lambda: D.Bernoulli(probs=1.5, validate_args=True), "probs has components greater than 1"),
    "below 0": (lambda: D.Bernoulli(probs=-0.5, validate_args=True), "x >= 0"),
    "a sum": (lambda: D.Categorical(probs=[0.2, 0.2], validate_args=True), "probs does not sum to 1"),
    "bounds": (lambda: D.Uniform(1.0, 0.0, validate_args=True), "uniform not defined when low >= high"),
    "a concentration": (lambda: D.Beta(-1.0, 1.0, validate_args=True), "must be positive"),
    "above": (lambda: D.Beta(1.0, 1.0, validate_args=True).prob(1.5), "less than `1`"),
    "no mode": (lambda: D.Beta(1.0, 2.0, allow_nan_stats=False).mode(), "Mode undefined for concentration1 <= 1"),
    "a rate": (lambda: D.Gamma(1.0, 0.0, validate_args=True), "x > 0"),
    "negative": (lambda: D.Exponential(1.0, validate_args=True).prob(-1.0), "x > 0"),
    "no mean": (lambda: D.StudentT(0.5, 0.0, 1.0, allow_nan_stats=False).mean(), "mean not defined"),
    "df": (lambda: D.StudentT(0.0, 0.0, 1.0, validate_args=True), "x > 0"),
    "event size": (lambda: D.Dirichlet([1.0], validate_args=True), "event_size >= 2"),
    "shares": (lambda: D.Dirichlet([1.0, 1.0], validate_args=True).prob([0.2, 0.2]), "must sum to `1`"),
    "part of a draw": (lambda: D.Multinomial(1.5, probs=[0.2, 0.8], validate_args=True), "fractional components"),
    "counts": (lambda: D.Multinomial(2.0, probs=[0.2, 0.8], validate_args=True).prob([1.0, 2.0]), "counts must sum"),
    "half an event": (lambda: D.Bernoulli(0.5, validate_args=True).prob(0.5), "bool-equivalent"),
    "no event": (lambda: D.Bernoulli(0.5, validate_args=True).prob(-1), "non-negative"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refusals(what):
    call, error, message = REFUSED[what]
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("what", VALUES)
def test_values_are_checked_where_that_is_asked_for(what):
    call, message = VALUES[what]
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        call()


def test_gradients_flow_to_parameters_as_in_tensorflow():
    cases = [
        (lambda p: D.Normal(p, 1.0).sample(3, seed=2), 6.25752),
        (lambda p: D.Gamma(p, 1.0).sample(3, seed=2), 1.26246),
        (lambda p: D.Laplace(p, 2.0).sample(3, seed=2), -0.40566),
        (lambda p: D.Bernoulli(logits=p).log_prob(1), -0.26756),
        (lambda p: D.Categorical(logits=[p, 1.0]).log_prob(1), 0.47182),
        (lambda p: D.Dirichlet([p, 1.0]).sample(3, seed=2), -1.04703),
        (lambda p: D.Beta(p, 1.0).sample(3, seed=2), 0.919),
        (lambda p: D.Exponential(p).sample(3, seed=2), -53.67501),
    ]
    for compute, expected in cases:
        p = tf.Variable(0.7)
        with tf.GradientTape() as tape:
            tf.random.set_seed(1)
            total = tf.reduce_sum(tf.square(compute(p)))
        np.testing.assert_allclose(tape.gradient(total, p), expected, rtol=2e-5)


def test_dtypes_of_values_and_samples():
    wide = D.Normal(*tf.constant([0.0, 2.0], tf.float64))
    assert wide.log_prob(0.3).dtype == tf.float64
    np.testing.assert_allclose(wide.log_cdf([-60.0, 0.3]), [-454.3212439565018, -0.5805014205893697], rtol=1e-10)
    assert D.Bernoulli(probs=0.3, dtype=tf.bool).sample(4).dtype == tf.bool
    assert D.Categorical(probs=[0.1, 0.9], dtype=tf.int64).sample(4).dtype == tf.int64


def test_what_a_distribution_says_of_itself():
    normal = D.Normal([0.0, 1.0], 2.0)
    assert str(normal) == 'tfp.distributions.Normal("None", batch_shape=(2,), event_shape=(), dtype=float32)'
    assert repr(normal) == "<tfp.distributions.Normal 'None' batch_shape=(2,) event_shape=() dtype=float32>"
    assert sorted(normal.parameters) == ["allow_nan_stats", "loc", "name", "scale", "validate_args"]
    assert normal.copy(scale=3.0).stddev().numpy().tolist() == [3.0, 3.0]
    assert normal.reparameterization_type is D.FULLY_REPARAMETERIZED
    assert repr(D.NOT_REPARAMETERIZED) == "<Reparameterization Type: NOT_REPARAMETERIZED>"
    assert (bool(normal.is_scalar_event()), bool(normal.is_scalar_batch())) == (True, False)
    assert normal.batch_shape_tensor().numpy().tolist() == [2]
    assert D.Normal.param_static_shapes([2, 3]) == {"loc": [2, 3], "scale": [2, 3]}


def test_a_class_of_ones_own_has_what_follows_from_its_methods():
    class Ramp(D.Distribution):
        def __init__(self):
            super().__init__(tf.float32, D.FULLY_REPARAMETERIZED, False, True, parameters=locals())

        def _batch_shape(self):
            return tf.TensorShape([2])

        def _event_shape(self):
            return tf.TensorShape([])

        def _prob(self, x):
            return 2 * x

        def _cdf(self, x):
            return x * x

        def _variance(self):
            return tf.constant(4.0)

        def _sample_n(self, n, seed=None):
            return tf.zeros([n, 2])

    ramp = Ramp()
    asked = [q(0.4).numpy() for q in (ramp.log_prob, ramp.log_cdf, ramp.survival_function, ramp.log_survival_function)]
    np.testing.assert_allclose(asked, [-0.22314, -1.83258, 0.84, -0.17435], atol=1e-5)
    assert ramp.stddev().numpy() == 2.0
    assert ramp.sample([2, 3]).shape == [2, 3, 2]
    assert ramp.parameters == {}
    with pytest.raises(NotImplementedError, match="quantile is not implemented: Ramp"):
        ramp.quantile(0.5)


def test_graphs_for_sessions():
    with tf.Graph().as_default():
        given = tf.compat.v1.placeholder(tf.float32, [None, 2])
        open_batch, unit, other = D.Normal(given, 1.0), D.Normal(0.0, 1.0), D.Normal(0.0, 1.0)
        assert (open_batch.name, unit.name, other.name) == ("Normal/", "Normal_1/", "Normal_2/")
        assert open_batch.sample([2, 1]).shape.as_list() == [2, 1, None, 2]
        assert other.sample(name="hey").name == "Normal_2/hey/Reshape:0"
        checked = D.Normal(0.0, tf.compat.v1.placeholder_with_default(-1.0, []), validate_args=True).mean()
        with tf.compat.v1.Session() as session:
            drawn = session.run(open_batch.sample(3), {given: np.zeros([4, 2], np.float32)})
            assert drawn.shape == (3, 4, 2)
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(checked)
