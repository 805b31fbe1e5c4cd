"""What is deprecated says so, in its documentation and by the logger. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

deprecation, nest, tf_export = (getattr(tf.python.util, n) for n in ("deprecation", "nest", "tf_export"))


@pytest.fixture
def said(monkeypatch):
    """What was said."""
    found = []
    monkeypatch.setattr(
        tf.python.platform.tf_logging, "warning", lambda text, *parts: found.append(text % parts), raising=False
    )
    return found


def test_functions_and_classes(said):
    @deprecation.deprecated("2016-07-04", "Use another.", warn_once=False)
    def twice(x):
        """Twice.

        Args:
          x: it.
        """
        return 2 * x

    @deprecation.deprecated(None, "Use another.")
    class Kind:
        def __init__(self, x):
            self.x = x

    assert twice.__doc__ == (
        "Twice. (deprecated)\n\nDeprecated: THIS FUNCTION IS DEPRECATED. It will be removed after 2016-07-04.\n"
        "Instructions for updating:\nUse another.\n\nArgs:\n  x: it."
    )
    assert Kind.__doc__.startswith("DEPRECATED CLASS\n\nDeprecated: THIS CLASS IS DEPRECATED. It will be removed in a")
    assert twice(2) == twice(2) == 4 and len(said) == 2 and "will be removed after 2016-07-04" in said[0]
    assert Kind(3).x == Kind(3).x == 3 and len(said) == 3
    with deprecation.silence():
        assert twice(1) == 2 and len(said) == 3
    with pytest.raises(ValueError, match="make sure @property appears before"):
        deprecation.deprecated(None, "No.")(property(len))
    for wrong in (("07-04-2016", "No."), (None, "")):
        with pytest.raises(ValueError, match=r"YYYY-MM-DD|instructions"):
            deprecation.deprecated(*wrong)


def test_arguments(said):
    @deprecation.deprecated_args("2016-07-04", "No.", "old", ("older", 7))
    def added(x, old=None, older=None, *more):
        return x

    assert "SOME ARGUMENTS ARE DEPRECATED: `(old, older)`. They will" in added.__doc__
    assert added(1) == added(1, older=7) == 1 and not said
    assert added(1, 2, 3) == added(1, 2, 3) == 1 and len(said) == 2
    with pytest.raises(ValueError, match=r"not present.*\['missing'\]"):
        deprecation.deprecated_args(None, "No.", "missing")(added)

    @deprecation.deprecated_arg_values(None, "No.", warn_once=False, flag=True)
    def valued(flag=True):
        return flag

    assert valued() and not valued(False) and len(said) == 3 and "flag=True" in said[2]


def test_other_names(said):
    alias = deprecation.deprecated_alias("old", "new", abs)
    assert alias(-1) == alias(-1) == 1 and len(said) == 1 and "Please use new instead" in said[0]
    marked = deprecation.deprecated_endpoints("a", "b")(lambda: 1)
    assert marked._tf_deprecated_api_names == ("a", "b")
    with pytest.raises(deprecation.DeprecatedNamesAlreadySetError):
        deprecation.deprecated_endpoints("c")(marked)
    assert deprecation.rewrite_argument_docstring("`a`\n  a: it", "a", "b") == "`b`\n  b: it"
    tf_export.tf_export("one", v1=["two"])(marked)
    assert tf_export.get_v1_names(marked) == ["two"] and tf_export.get_v2_names(marked) == ["one"]
    tf_export.tf_export("LIMIT").export_constant(__name__, "limit")
    assert tf_export.get_v1_constants(__import__("sys").modules[__name__]) == [(("LIMIT",), "limit")]
    with pytest.raises(tf_export.InvalidSymbolNameError):
        tf_export.tf_export("estimator.x")(marked)


def test_nests_say_what_differs():
    assert nest.STRUCTURES_HAVE_MISMATCHING_LENGTHS.format(input_length=2, shallow_length=3).endswith("has length 3.")
    with pytest.raises(ValueError, match=r'"type=tuple str=..1, 2., 3." is a sequence, while substructure "type=str'):
        nest.assert_same_structure((((1, 2), 3), 4), ("spam",))
    with pytest.raises(ValueError, match=r"^Structure had 2 atoms, but flat_sequence had 3 items."):
        nest.pack_sequence_as([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="Key had 3 elements, but value had 4 elements"):
        nest.flatten_dict_items({(4, (5, 6)): (1, (2, (3, 4)))})
    with pytest.raises(TypeError, match="returned a non-bool scalar"):
        nest.get_traverse_shallow_structure(lambda _: 1, [1])
