"""BLAS keeps to one thread while kernels are interpreted, and is left as it was found."""

import threading

import numpy as np
import threadpoolctl

import tfgrad_jax as tf
from tfgrad_jax.engine.host import blas


def threads():
    """The number of threads of each BLAS in this process, by whether it is SciPy's own copy."""
    libraries = threadpoolctl.ThreadpoolController().lib_controllers
    return {"scipy" in lib.filepath.split("/")[-2]: lib.num_threads for lib in libraries if lib.user_api == "blas"}


def test_products_use_one_thread_and_leave_numpy_as_it_was():
    with threadpoolctl.threadpool_limits(3, user_api="blas"):
        before = threads()
        with blas.alone:
            inside = [threads()[False]]
            other = threading.Thread(target=lambda: blas.matmul(np.ones([2, 2]), np.ones([2, 2])))
            other.start()
            other.join()
            inside.append(threads()[False])  # whoever leaves last sets it back
        assert inside == [1, 1]
        assert threads() == before and before[False] == 3


def test_decompositions_use_one_thread():
    blas.linear_algebra.cache_clear()
    numpys = threads()[False]
    with threadpoolctl.threadpool_limits(3, user_api="blas"):
        tf.linalg.inv(tf.eye(3, dtype=tf.float64) * 2)
        with tf.extras.execution("immediate", tiers="interpreted"):
            inverse = tf.linalg.inv(tf.eye(4) * 2)
        assert np.allclose(inverse, np.eye(4) / 2)
        blas.linear_algebra()
        assert threads() == {False: 3, True: 1}
    assert threads()[False] == numpys
    blas.linear_algebra.cache_clear()
    blas.linear_algebra()
    assert threads()[True] == 1
