"""Import code that settings name, such as a model class or a retriever of the user's own."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import Any

from state.errors import SettingsError
from tools.configuration import require_allowed_code


def load_custom_object(name: str) -> Any:
    """Import what a setting names as `module:attribute`; blocks. Raise `SettingsError` if that is refused or fails."""
    if ":" not in name:
        raise SettingsError(f"The setting {name!r} names no code; write it as `package.module:attribute`.")
    require_allowed_code([name])
    try:
        return resolve_name(name)
    except Exception as error:  # the import runs the user's module, which may raise anything
        raise SettingsError(
            f"The code {name} cannot be imported ({error}); correct the name, or add its folder to PYTHONPATH."
        ) from error
