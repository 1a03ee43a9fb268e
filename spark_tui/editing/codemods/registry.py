"""All the codemods there are: every concrete Codemod defined in a module of this package."""

import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from functools import cache

from spark_tui.editing import codemods as package
from spark_tui.editing.codemods.base import Codemod, Request, plainly
from spark_tui.editing.snippet import Snippet


@cache
def codemods() -> Mapping[str, Codemod]:
    """One of each codemod by the name of its kind. Raises: ValueError: two of one kind."""
    found: dict[str, Codemod] = {}
    for module_info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{module_info.name}")
        for member in vars(module).values():
            if not (inspect.isclass(member) and issubclass(member, Codemod) and hasattr(member, "kind")):
                continue
            if member.__module__ != module.__name__ or member.__name__.startswith("_"):
                continue
            if member.kind in found:
                raise ValueError(f"two codemods are of kind {member.kind}")
            found[member.kind] = member()
    return found


def plain_kind(before: Snippet, request: Request) -> str:
    """The kind of which the words ask for an edit so plainly that nothing else can be meant, or ""."""
    return next((kind for kind, codemod in codemods().items() if plainly(codemod, before, request)), "")
