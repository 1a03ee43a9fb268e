"""All the kinds there are: every concrete Kind defined in a module of this package."""

import importlib
import inspect
import pkgutil
from functools import cache
from typing import TypeGuard

from spark_tui.editing.format import NO_EDIT
from spark_tui.training import kinds as package
from spark_tui.training.kinds.base import Kind


@cache
def kinds() -> tuple[Kind, ...]:
    """One of each kind, sorted by name. Raises: ValueError: two kinds of one name."""
    found: dict[str, Kind] = {}
    for module_info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{module_info.name}")
        for member in vars(module).values():
            if not _is_kind(member) or member.__module__ != module.__name__:
                continue
            if member.name in found:
                raise ValueError(f"two kinds are named {member.name}")
            found[member.name] = member()
    return tuple(found[name] for name in sorted(found))


def _is_kind(member: object) -> TypeGuard[type[Kind]]:
    return (
        inspect.isclass(member)
        and issubclass(member, Kind)
        and not inspect.isabstract(member)
        and hasattr(member, "name")
    )


KIND_NAMES = tuple(kind.name for kind in kinds())
"""The names of all kinds, sorted; the model has one mark for each."""

EDIT_KINDS = tuple(kind for kind in kinds() if kind.name != NO_EDIT)
"""The kinds that change something."""
