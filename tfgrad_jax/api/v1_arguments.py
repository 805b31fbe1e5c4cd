"""The arguments of `tf.compat.v1`'s functions, where they are not today's."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.composite import is_composite
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import filled_up, stop_gradient
from tfgrad_jax.ops.array.gather import gather


def one(**given: Any) -> Any:
    """The one of several arguments, of which all but one are old names, that is not None; None if all are.

    Raises:
      ValueError: if more than one is given.
    """
    found = {name: value for name, value in given.items() if value is not None}
    if len(found) > 1:
        first, second, *_ = found
        raise ValueError(f"Cannot specify both '{first}' and '{second}': they are two names of one argument")
    return next(iter(found.values()), None)


def _reduced(axis: Any, keepdims: Any, reduction_indices: Any, keep_dims: Any) -> dict[str, Any]:
    kept = one(keepdims=keepdims, keep_dims=keep_dims)
    return {"axis": one(axis=axis, reduction_indices=reduction_indices), "keepdims": bool(kept)}


def _blocks(block_size: Any, block_shape: Any) -> dict[str, Any]:
    return {"block_shape": one(block_shape=block_shape, block_size=None if block_size is None else [block_size] * 2)}


def _rate(keep_prob: Any, rate: Any) -> Any:
    if one(keep_prob=keep_prob, rate=rate) is None:
        raise ValueError("You must provide a rate to dropout.")
    return rate if keep_prob is None else 1 - keep_prob


def _whole(params: Any, strategy: str) -> Any:
    """A table of several tensors with its rows in order: they follow each other ("div"), or take turns ("mod")."""
    params = list(params) if hasattr(params, "partitions") else params
    if not isinstance(params, (list, tuple)) or len(params) < 2:
        return params
    if strategy not in ("mod", "div"):
        raise ValueError(f"Unrecognized partition strategy: {strategy}. Must be one of either `mod` or `div`.")
    if strategy == "div":
        return params
    sizes = [convert(part).shape[0] for part in params]
    if (
        None in sizes
        or any(size != sizes[0] and size != sizes[0] - 1 for size in sizes)
        or sizes != sorted(sizes)[::-1]
    ):
        raise ValueError(
            f"Tensors whose rows take turns (partition_strategy='mod') must have as many rows each, or one less from some of "
            f"them on, got {sizes}"
        )
    starts = np.cumsum([0, *sizes])
    order = [starts[part] + row for row in range(sizes[0]) for part, size in enumerate(sizes) if row < size]
    return gather(concat(list(params), 0), np.array(order, np.int64))


def _sampled(weights: Any, biases: Any, strategy: str) -> dict[str, Any]:
    return {"weights": _whole(weights, strategy), "biases": _whole(biases, strategy)}


def _windows(filter: Any, filters: Any, rates: Any, dilations: Any) -> dict[str, Any]:
    return {
        "filters": one(filters=filters, filter=filter),
        "dilations": one(dilations=dilations, rates=rates),
        "data_format": "NHWC",
    }


def _with_data(data: Any, message: Any) -> dict[str, Any]:
    if data is None:
        return {}
    return {"message": " ".join(map(str, [*([message] if message else []), *data]))}


REQUIRED = inspect.Parameter.empty

_MADE_FROM: tuple[tuple[list[str], Callable[..., dict[str, Any] | None]], ...] = (
    ([f"{room}reduce_{what}" for room in ("", "math.")
      for what in ("sum", "mean", "prod", "max", "min", "all", "any", "logsumexp")],
     lambda input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None:
        _reduced(axis, keepdims, reduction_indices, keep_dims)),
    (["argmax", "argmin", "math.argmax", "math.argmin"],
     lambda input, axis=None, name=None, dimension=None, output_type=dtypes.int64: {"axis": one(axis=axis, dimension=dimension)}),
    (["zeros_like", "ones_like"], lambda tensor, dtype=None, name=None, optimize=True: {"input": tensor}),
    (["shape", "size"], lambda input, name=None, out_type=None: None),
    (["nn.space_to_depth", "nn.depth_to_space"], lambda input, block_size, name=None, data_format="NHWC": None),
    (["space_to_batch", "nn.space_to_batch"], lambda input, paddings, block_size=None, name=None, block_shape=None:
        _blocks(block_size, block_shape)),
    (["norm", "linalg.norm"], lambda tensor, ord="euclidean", axis=None, keepdims=None, name=None, keep_dims=None: {
        "keepdims": one(keepdims=keepdims, keep_dims=keep_dims)}),
    (["nn.softmax", "nn.log_softmax"], lambda logits, axis=None, name=None, dim=None: {"axis": one(axis=axis, dim=dim)}),
    (["nn.max_pool", "nn.avg_pool", "nn.avg_pool2d"],
     lambda value, ksize, strides, padding, data_format="NHWC", name=None, input=None: {"input": one(input=input, value=value)}),
    (["math.in_top_k", "nn.in_top_k"], lambda predictions, targets, k, name=None: None),
    ([*[f"debugging.assert_{what}" for what in ("equal", "none_equal", "less", "less_equal", "greater", "greater_equal")],
      "assert_equal", "assert_less", "assert_greater"],
     lambda x, y, data=None, summarize=None, message=None, name=None: _with_data(data, message)),
    ([f"debugging.assert_{what}" for what in ("positive", "negative", "non_negative", "non_positive")],
     lambda x, data=None, summarize=None, message=None, name=None: _with_data(data, message)),
    (["assert_rank", "debugging.assert_rank", "debugging.assert_rank_at_least"],
     lambda x, rank, data=None, summarize=None, message=None, name=None: _with_data(data, message)),
)  # fmt: skip
"""Names that share their arguments in version 1, with the row for them all."""

OTHER_ARGUMENTS: dict[str, Callable[..., dict[str, Any] | None]] = {
    **{name: row for names, row in _MADE_FROM for name in names},
    "debugging.assert_near": lambda x, y, rtol=None, atol=None, data=None, summarize=None, message=None, name=None:
        _with_data(data, message),
    "debugging.assert_rank_in": lambda x, ranks, data=None, summarize=None, message=None, name=None: _with_data(data, message),
    "debugging.assert_scalar": lambda tensor, name=None, message=None: None,
    "debugging.assert_all_finite": lambda t=None, msg=None, name=None, x=None, message=None: {
        "x": one(x=x, t=t), "message": one(message=message, msg=msg)},
    "convert_to_tensor": lambda value, dtype=None, name=None, preferred_dtype=None, dtype_hint=None: {
        "dtype_hint": one(dtype_hint=dtype_hint, preferred_dtype=preferred_dtype)},
    "gradients": lambda ys, xs, grad_ys=None, name="gradients", colocate_gradients_with_ops=False, gate_gradients=False,
    aggregation_method=None, stop_gradients=None, unconnected_gradients="none": None,
    "hessians": lambda ys, xs, name="hessians", colocate_gradients_with_ops=False, gate_gradients=False,
    aggregation_method=None: None,
    "constant": lambda value, dtype=None, shape=None, name="Const", verify_shape=False:
        _of_shape(value, dtype, shape, verify_shape),
    "batch_to_space": lambda input, crops, block_size, name=None, block_shape=None: _blocks(block_size, block_shape),
    "math.bincount": lambda arr, weights=None, minlength=None, maxlength=None, dtype=dtypes.int32: None,
    "math.confusion_matrix": lambda labels, predictions, num_classes=None, dtype=dtypes.int32, name=None, weights=None: None,
    "expand_dims": lambda input, axis=None, name=None, dim=None: {"axis": one(axis=axis, dim=dim)},
    "squeeze": lambda input, axis=None, name=None, squeeze_dims=None: {"axis": one(axis=axis, squeeze_dims=squeeze_dims)},
    "transpose": lambda a, perm=None, name="transpose", conjugate=False: None,
    "boolean_mask": lambda tensor, mask, name="boolean_mask", axis=None: None,
    "gather": lambda params, indices, validate_indices=None, name=None, axis=None, batch_dims=0: None,
    "gather_nd": lambda params, indices, name=None, batch_dims=0, bad_indices_policy="": None,
    "pad": lambda tensor, paddings, mode="CONSTANT", name=None, constant_values=0: None,
    "reverse_sequence": lambda input, seq_lengths, seq_axis=None, batch_axis=None, name=None, seq_dim=None, batch_dim=None: {
        "seq_axis": one(seq_axis=seq_axis, seq_dim=seq_dim), "batch_axis": one(batch_axis=batch_axis, batch_dim=batch_dim)},
    "math.count_nonzero": lambda input_tensor=None, axis=None, keepdims=None, dtype=dtypes.int64, name=None, reduction_indices=None,
    keep_dims=None, input=None: {
        "input": one(input=input, input_tensor=input_tensor), **_reduced(axis, keepdims, reduction_indices, keep_dims)},
    "tuple": lambda tensors, name=None, control_inputs=None: None,
    "nn.moments": lambda x, axes, shift=None, name=None, keep_dims=None, keepdims=None: {
        "keepdims": bool(one(keepdims=keepdims, keep_dims=keep_dims))},
    "nn.weighted_moments": lambda x, axes, frequency_weights, name=None, keep_dims=None, keepdims=None: {
        "keepdims": bool(one(keepdims=keepdims, keep_dims=keep_dims))},
    "nn.sufficient_statistics": lambda x, axes, shift=None, keep_dims=None, name=None, keepdims=None: {
        "keepdims": bool(one(keepdims=keepdims, keep_dims=keep_dims))},
    "nn.batch_norm_with_global_normalization": lambda t=None, m=None, v=None, beta=None, gamma=None, variance_epsilon=None,
    scale_after_normalization=None, name=None, input=None, mean=None, variance=None: {
        "input": one(input=input, t=t), "mean": one(mean=mean, m=m), "variance": one(variance=variance, v=v)},
    "random.poisson": lambda lam, shape, dtype=dtypes.float32, seed=None, name=None: None,
    "nn.conv1d": lambda value=None, filters=None, stride=None, padding=None, use_cudnn_on_gpu=None, data_format=None, name=None,
    input=None, dilations=None: {"input": one(input=input, value=value), "data_format": data_format or "NWC"},
    "nn.conv2d": lambda input, filter=None, strides=None, padding=None, use_cudnn_on_gpu=True, data_format="NHWC",
    dilations=[1, 1, 1, 1], name=None, filters=None: {"filters": one(filters=filters, filter=filter)},
    "nn.conv3d": lambda input, filter=None, strides=None, padding=None, data_format="NDHWC", dilations=[1, 1, 1, 1, 1], name=None,
    filters=None: {"filters": one(filters=filters, filter=filter)},
    "nn.convolution": lambda input, filter, padding, strides=None, dilation_rate=None, name=None, data_format=None, filters=None,
    dilations=None: {
        "filters": one(filters=filters, filter=filter), "dilations": one(dilations=dilations, dilation_rate=dilation_rate)},
    "nn.conv2d_transpose": lambda value=None, filter=None, output_shape=None, strides=None, padding="SAME", data_format="NHWC",
    name=None, input=None, filters=None, dilations=None: {
        "input": one(input=input, value=value), "filters": one(filters=filters, filter=filter)},
    "nn.conv3d_transpose": lambda value, filter=None, output_shape=None, strides=None, padding="SAME", data_format="NDHWC",
    name=None, input=None, filters=None, dilations=None: {
        "input": one(input=input, value=value), "filters": one(filters=filters, filter=filter)},
    "nn.depthwise_conv2d": lambda input, filter, strides, padding, rate=None, name=None, data_format=None, dilations=None: {
        "dilations": one(dilations=dilations, rate=rate)},
    "nn.separable_conv2d": lambda input, depthwise_filter, pointwise_filter, strides, padding, rate=None, name=None,
    data_format=None, dilations=None: {"dilations": one(dilations=dilations, rate=rate)},
    "nn.sparse_softmax_cross_entropy_with_logits": lambda labels=None, logits=None, name=None: None,
    "nn.softmax_cross_entropy_with_logits": lambda labels=None, logits=None, dim=-1, name=None, axis=None: {
        "labels": labels if labels is None else stop_gradient(convert(labels)), "axis": dim if axis is None else axis},
    "nn.weighted_cross_entropy_with_logits": lambda labels=None, logits=None, pos_weight=None, name=None, targets=None: {
        "labels": one(labels=labels, targets=targets)},
    "nn.crelu": lambda features, name=None, axis=-1: None,
    "nn.dropout": lambda x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None: {"rate": _rate(keep_prob, rate)},
    "nn.embedding_lookup": lambda params, ids, partition_strategy="mod", name=None, validate_indices=True, max_norm=None: {
        "params": _whole(params, partition_strategy)},
    "nn.embedding_lookup_sparse": lambda params, sp_ids, sp_weights, partition_strategy="mod", name=None, combiner=None,
    max_norm=None, allow_fast_lookup=False: {"params": _whole(params, partition_strategy)},
    "nn.safe_embedding_lookup_sparse": lambda embedding_weights, sparse_ids, sparse_weights=None, combiner="mean",
    default_id=None, name=None, partition_strategy="div", max_norm=None, allow_fast_lookup=False: {
        "embedding_weights": _whole(embedding_weights, partition_strategy)},
    "nn.nce_loss": lambda weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
    remove_accidental_hits=False, partition_strategy="mod", name="nce_loss": _sampled(weights, biases, partition_strategy),
    "nn.sampled_softmax_loss": lambda weights, biases, labels, inputs, num_sampled, num_classes, num_true=1,
    sampled_values=None, remove_accidental_hits=True, partition_strategy="mod", name="sampled_softmax_loss", seed=None:
        _sampled(weights, biases, partition_strategy),
    "nn.dilation2d": lambda input, filter=None, strides=None, rates=None, padding=None, name=None, filters=None,
    dilations=None: _windows(filter, filters, rates, dilations),
    "nn.erosion2d": lambda value, kernel, strides, rates, padding, name=None: _windows(kernel, None, rates, None),
    "nn.depthwise_conv2d_native": lambda input, filter, strides, padding, data_format="NHWC", dilations=[1, 1, 1, 1], name=None:
        {"dilations": dilations[1:3] if data_format == "NHWC" else dilations[2:]},
    "random.stateless_multinomial": lambda logits, num_samples, seed, output_dtype=dtypes.int64, name=None: {
        "dtype": output_dtype},
    "image.crop_and_resize": lambda image, boxes, box_ind=None, crop_size=None, method="bilinear", extrapolation_value=0,
    name=None, box_indices=None: {"box_indices": one(box_indices=box_indices, box_ind=box_ind)},
    "image.draw_bounding_boxes": lambda images, boxes, name=None, colors=None: {"colors": colors},
    "image.sample_distorted_bounding_box": lambda image_size, bounding_boxes, seed=None, seed2=None, min_object_covered=0.1,
    aspect_ratio_range=None, area_range=None, max_attempts=None, use_image_if_no_bounding_boxes=None, name=None: None,
    **dict.fromkeys(("extract_image_patches", "image.extract_image_patches"),
        lambda images, ksizes=None, strides=None, rates=None, padding=None, name=None, sizes=None: {
            "sizes": one(sizes=sizes, ksizes=ksizes)}),
    **{f"{room}serialize_{many}sparse": (lambda sp_input, name=None, out_type=dtypes.string: None)
       for room in ("", "io.") for many in ("", "many_")},
    "nn.pool": lambda input, window_shape, pooling_type, padding, dilation_rate=None, strides=None, name=None, data_format=None,
    dilations=None: {"dilations": one(dilations=dilations, dilation_rate=dilation_rate)},
    "nn.max_pool_with_argmax": lambda input, ksize, strides, padding, data_format="NHWC", Targmax=None, name=None,
    output_dtype=None, include_batch_in_index=False: {
        "output_dtype": one(output_dtype=output_dtype, Targmax=Targmax) or dtypes.int64},
    "strings.length": lambda input, name=None, unit="BYTE": None,
    "strings.to_hash_bucket": lambda string_tensor=None, num_buckets=None, name=None, input=None: {
        "input": one(input=input, string_tensor=string_tensor)},
    "strings.reduce_join": lambda inputs, axis=None, keep_dims=None, separator="", name=None, reduction_indices=None,
    keepdims=None: _reduced(axis, keepdims, reduction_indices, keep_dims),
    "strings.substr": lambda input, pos, len, name=None, unit="BYTE": None,
    "strings.to_number": lambda string_tensor=None, out_type=dtypes.float32, name=None, input=None: {
        "input": one(input=input, string_tensor=string_tensor)},
    "device": lambda device_name_or_function: {"device_name": device_name_or_function},
    "name_scope": lambda name, default_name=None, values=None: {
        "name": ("" if default_name is None else default_name) if name is None else name
    },
    "arg_max": lambda input, dimension, output_type=dtypes.int64, name=None: {"axis": dimension},
    "arg_min": lambda input, dimension, output_type=dtypes.int64, name=None: {"axis": dimension},
    "batch_gather": lambda params, indices, name=None: _batched(indices),
    "nn.softmax_cross_entropy_with_logits_v2": lambda labels, logits, axis=None, name=None, dim=None: {
        "axis": one(axis=axis, dim=dim)},
    **dict.fromkeys(("sparse_add", "sparse.add"), lambda a, b, threshold=None, thresh=None: {
        "threshold": one(threshold=threshold, thresh=thresh)}),
    **dict.fromkeys(("sparse_concat", "sparse.concat"), lambda axis, sp_inputs, name=None, expand_nonconcat_dim=False,
    concat_dim=None, expand_nonconcat_dims=None: {
        "axis": one(axis=axis, concat_dim=concat_dim),
        "expand_nonconcat_dims": expand_nonconcat_dim if expand_nonconcat_dims is None else expand_nonconcat_dims}),
    **{f"{room}reduce_{how}_sparse": (lambda sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None: {
        "axis": one(axis=axis, reduction_axes=reduction_axes), "keepdims": bool(one(keepdims=keepdims, keep_dims=keep_dims)),
        "output_is_sparse": True}) for room in ("sparse_", "sparse.") for how in ("max", "sum")},
    **dict.fromkeys(("sparse_reduce_max", "sparse_reduce_sum", "sparse.reduce_max", "sparse.reduce_sum"),
        lambda sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None: {
            "axis": one(axis=axis, reduction_axes=reduction_axes), "keepdims": bool(one(keepdims=keepdims, keep_dims=keep_dims))}),
    **dict.fromkeys(("sparse_split", "sparse.split"),
        lambda keyword_required=None, sp_input=None, num_split=None, axis=None, name=None, split_dim=None: {
            "axis": one(axis=axis, split_dim=split_dim)}),
    **{f"{room}segment_{how}": (
        lambda data, indices, segment_ids, name=None, num_segments=None, sparse_gradient=False: None)
       for room in ("sparse_", "sparse.") for how in ("sum", "mean", "sqrt_n")},
    "sparse_matmul": lambda a, b, transpose_a=False, transpose_b=False, a_is_sparse=False, b_is_sparse=False, name=None: None,
    "gfile.Copy": lambda oldpath, newpath, overwrite=False: {"src": oldpath, "dst": newpath},
    "gfile.Rename": lambda oldname, newname, overwrite=False: {"src": oldname, "dst": newname},
    **dict.fromkeys(("gfile.Exists", "gfile.Remove", "gfile.Stat"), lambda filename: {"path": filename}),
    "gfile.Glob": lambda filename: {"pattern": filename},
    **dict.fromkeys(("gfile.DeleteRecursively", "gfile.IsDirectory", "gfile.ListDirectory", "gfile.MakeDirs", "gfile.MkDir"),
        lambda dirname: {"path": dirname}),
    "gfile.Walk": lambda top, in_order=True: {"topdown": in_order},
}  # fmt: skip


def _batched(indices: Any) -> dict[str, Any]:
    axis = len((indices if is_composite(indices) else convert(indices)).shape) - 1
    return {"axis": axis, "batch_dims": axis}


def _of_shape(value: Any, dtype: Any, shape: Any, verify_shape: bool) -> dict[str, Any] | None:
    if shape is None:
        return None
    if verify_shape and convert(value).shape != shape:
        raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, got {tuple(convert(value).shape)}.")
    return {"value": filled_up(value, dtype, shape)}
