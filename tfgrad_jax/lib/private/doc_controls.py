"""`tensorflow.tools.docs.doc_controls`: marks for those who make pages of documentation; nothing here reads them."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export_value


def _unchanged(obj: Any) -> Any:
    """The object itself."""
    return obj


for _name in (
    "do_not_generate_docs", "do_not_doc_inheritable", "doc_in_current_and_subclasses", "for_subclass_implementers",
    "doc_private", "hide_from_search",
):  # fmt: skip
    export_value(_unchanged, f"tools.docs.doc_controls.{_name}")
