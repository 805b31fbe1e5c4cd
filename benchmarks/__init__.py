"""Side-by-side benchmarks against TensorFlow, PyTorch and hand-written ``jax.jit``: see ``python -m benchmarks -h``.

Nothing here imports a framework at module level: every peer runs these files in an interpreter of its own.
"""
