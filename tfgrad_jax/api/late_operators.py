"""Private names around operations, of which TensorFlow's tests of operations make use."""

from __future__ import annotations

OPERATORS = {
    "tfgrad_jax.lib.private.index_tables": (
        "python.ops.lookup_ops.FastHashSpec",
        "python.ops.lookup_ops.HasherSpec",
        "python.ops.lookup_ops.IdTableWithHashBuckets",
        "python.ops.lookup_ops.StrongHashSpec",
        "python.ops.lookup_ops.TextFileIdTableInitializer",
        "python.ops.lookup_ops.TextFileStringTableInitializer",
        "python.ops.lookup_ops.index_table_from_file",
        "python.ops.lookup_ops.index_table_from_tensor",
        "python.ops.lookup_ops.index_to_string_table_from_file",
        "python.ops.lookup_ops.index_to_string_table_from_tensor",
    ),
    "tfgrad_jax.lib.private.linear_operator_checks": ("python.ops.linalg.linear_operator_test_util.add_tests",),
    "tfgrad_jax.lib.private.linear_operator_tests": (
        "python.ops.linalg.linear_operator_test_util.CheckTapeSafeSkipOptions",
        "python.ops.linalg.linear_operator_test_util.LinearOperatorDerivedClassTest",
        "python.ops.linalg.linear_operator_test_util.NonSquareLinearOperatorDerivedClassTest",
        "python.ops.linalg.linear_operator_test_util.OperatorShapesInfo",
        "python.ops.linalg.linear_operator_test_util.SquareLinearOperatorDerivedClassTest",
    ),
    "tfgrad_jax.lib.private.linear_operators": (
        "python.ops.linalg.linear_operator_util.arg_is_blockwise",
        "python.ops.linalg.linear_operator_util.assert_compatible_matrix_dimensions",
        "python.ops.linalg.linear_operator_util.assert_is_batch_matrix",
        "python.ops.linalg.linear_operator_util.assert_no_entries_with_modulus_zero",
        "python.ops.linalg.linear_operator_util.assert_not_ref_type",
        "python.ops.linalg.linear_operator_util.assert_zero_imag_part",
        "python.ops.linalg.linear_operator_util.base_dtype",
        "python.ops.linalg.linear_operator_util.broadcast_matrix_batch_dims",
        "python.ops.linalg.linear_operator_util.check_dtype",
        "python.ops.linalg.linear_operator_util.convert_nonref_to_tensor",
        "python.ops.linalg.linear_operator_util.dtype_name",
        "python.ops.linalg.linear_operator_util.is_aat_form",
        "python.ops.linalg.linear_operator_util.is_adjoint_pair",
        "python.ops.linalg.linear_operator_util.is_ref",
        "python.ops.linalg.linear_operator_util.matrix_solve_with_broadcast",
        "python.ops.linalg.linear_operator_util.split_arg_into_blocks",
        "python.ops.linalg.linear_operator_util.use_operator_or_provided_hint_unless_contradicting",
        "python.ops.linalg.property_hint_util.combined_commuting_positive_definite_hint",
        "python.ops.linalg.property_hint_util.combined_commuting_self_adjoint_hint",
        "python.ops.linalg.property_hint_util.combined_non_singular_hint",
        "python.ops.linalg.property_hint_util.is_square",
    ),
    "tfgrad_jax.lib.private.operations": (
        "python.ops.tensor_getitem_override._SLICE_TYPE_ERROR",
        "python.ops.weights_broadcast_ops._ASSERT_BROADCASTABLE_ERROR_PREFIX",
        "python.ops.weights_broadcast_ops.assert_broadcastable",
        "python.util.compat.collections_abc",
    ),
    "tfgrad_jax.lib.private.random_matrices": (
        "python.ops.linalg.linear_operator_test_util.random_normal",
        "python.ops.linalg.linear_operator_test_util.random_normal_correlated_columns",
        "python.ops.linalg.linear_operator_test_util.random_positive_definite_matrix",
        "python.ops.linalg.linear_operator_test_util.random_sign_uniform",
        "python.ops.linalg.linear_operator_test_util.random_tril_matrix",
        "python.ops.linalg.linear_operator_test_util.random_uniform",
    ),
}
"""Names by the modules that have them."""
