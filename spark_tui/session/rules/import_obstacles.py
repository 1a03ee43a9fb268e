"""What stands in the way of a wish about imports: nothing is unused, what is to go is used, or is not there."""

import re

from spark_tui.editing.checks import unknown_names
from spark_tui.editing.codemods.imports.imports_listed import names_to_go
from spark_tui.editing.codemods.imports.usual_imports import is_module
from spark_tui.editing.codemods.sort_imports import is_in_order
from spark_tui.editing.codemods.unused_import import unused_imports
from spark_tui.editing.snippet import Snippet
from spark_tui.session.rules.facts import FAULTS, Code, is_word

_Found = re.Match[str]


def absent_import(found: _Found, code: Code) -> str:
    """That no import brings a name; of a name without "import" beside it only where a module is called so."""
    name = found["name"]
    bare = found.groupdict().get("bare")
    if code.module is None or name in code.imported or (not bare and is_word(found)):
        return ""
    if bare and (not is_module(name) or code.said(name)):
        return ""
    return f"{name} is not imported in {code.path}"


def used_import(found: _Found, code: Code) -> str:
    """That a name which is imported is used."""
    line = code.used(found["name"])
    at = f", in line {line} of {code.path}" if line else f" in {code.path}"
    return "" if line is None else f"{found['name']} is used{at}"


def listed_imports(found: _Found, code: Code) -> str:
    """That one of several names that are to go is not imported, or used."""
    names = names_to_go(found.string)
    if code.module is None or not any(name in code.imported for name in names):
        return ""
    strange = [name for name in names if name not in code.imported]
    if strange:
        return f"{strange[0]} is not imported in {code.path}"
    used = [(name, line) for name in names if (line := code.used(name)) is not None]
    return f"{used[0][0]} is used, in line {used[0][1]} of {code.path}" if used else ""


def nothing_unused(_: _Found, code: Code) -> str:
    """That no import is unused, or that those which are may well be there for others."""
    if code.module is None:
        return ""
    if not any(code.imports):
        return f"there are no imports in {code.path}"
    try:
        unused = unused_imports(Snippet(tuple(code.file)))
    except FAULTS:
        return ""
    if unused and f"/{code.path}".endswith("/__init__.py"):
        return f"what {code.path} imports may be there for others; name the import that is to go"
    return "" if unused else f"every import of {code.path} is used"


def imported_already(found: _Found, code: Code) -> str:
    """That a name is imported, from the module told if one is."""
    name, module = found["name"], found.groupdict().get("module")
    line = code.imported_from(module, name) if module else code.imported.get(name)
    return f"{name} is imported already, in line {line} of {code.path}" if line else ""


def nothing_missing(_: _Found, code: Code) -> str:
    """That every name is known, so that no import is missing."""
    if code.module is None or unknown_names("\n".join(code.file).encode("utf-8", "replace")):
        return ""
    return f"every name in {code.path} is defined or imported; say what to import"


def nothing_to_tidy(found: _Found, code: Code) -> str:
    """That the imports are all used, and sorted."""
    used, sorted_ = nothing_unused(found, code), in_order(found, code)
    return f"{used}, and they are in order" if used and sorted_ and any(code.imports) else ""


def in_order(_: _Found, code: Code) -> str:
    """That the imports are sorted."""
    if code.module is None:
        return ""
    if not any(code.imports):
        return f"there are no imports in {code.path}"
    return f"the imports of {code.path} are in order already" if is_in_order(Snippet(tuple(code.file))) else ""
