"""How SavedModels are saved and loaded."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export


@export("saved_model.SaveOptions")
class SaveOptions:
    """Options of `tf.saved_model.save`. Mirrors `tf.saved_model.SaveOptions`.

    Args:
      function_aliases: by name a `tf.function`: what its traces are also known as.
      experimental_custom_gradients: whether gradients are saved beside functions, so that loaded ones can be differentiated.
      experimental_skip_saver: whether the functions that write variables again are left out.
      extra_tags: further tags of the graph.
      namespace_whitelist, save_debug_info, experimental_debug_stripper, experimental_io_device, experimental_variable_policy,
        experimental_image_format, experimental_sharding_callback: accepted for compatibility.
    """

    def __init__(
        self,
        namespace_whitelist: Any = None,
        save_debug_info: bool = False,
        function_aliases: Any = None,
        experimental_debug_stripper: bool = False,
        experimental_io_device: str | None = None,
        experimental_variable_policy: Any = None,
        experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False,
        experimental_skip_saver: bool = False,
        experimental_sharding_callback: Any = None,
        extra_tags: Any = None,
    ) -> None:
        self.namespace_whitelist = list(namespace_whitelist or [])
        self.save_debug_info = save_debug_info
        self.function_aliases = dict(function_aliases or {})
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = experimental_variable_policy
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = list(extra_tags or [])


@export("saved_model.LoadOptions")
class LoadOptions:
    """Options of `tf.saved_model.load`. Mirrors `tf.saved_model.LoadOptions`.

    Args:
      allow_partial_checkpoint: whether variables may be missing in the file; they are zeros then.
      experimental_skip_checkpoint: whether the file of variables is not read at all; they are zeros then.
      experimental_load_function_aliases: whether the root gets `function_aliases`: by the names in `SaveOptions`, the functions.
      experimental_io_device, experimental_variable_policy: accepted for compatibility.
    """

    def __init__(
        self,
        allow_partial_checkpoint: bool = False,
        experimental_io_device: str | None = None,
        experimental_skip_checkpoint: bool = False,
        experimental_variable_policy: Any = None,
        experimental_load_function_aliases: bool = False,
    ) -> None:
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_io_device = experimental_io_device
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = experimental_variable_policy
        self.experimental_load_function_aliases = experimental_load_function_aliases
