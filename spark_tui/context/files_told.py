"""Which files an instruction names: as a file, as a module, or as what is no Python and cannot be edited."""

from collections.abc import Iterable, Iterator, Sequence

from spark_tui.context.wording import Sureness, file_names, mentions, module_names, pointed_at
from spark_tui.errors import UsageError


def files_meant(instruction: str, files: Sequence[str]) -> tuple[str, ...]:
    """The files the instruction names, else all of them. Raises: UsageError: one that it points at is not there."""
    for name in pointed_at(instruction):
        if any(f"/{path}".endswith(f"/{name}") for path in files):
            continue
        if not name.endswith((".py", ".pyi")):
            raise UsageError(no_python(name))
        raise UsageError(f"there is no file {name}; check its name")
    return files_named(instruction, files) or tuple(files)


def files_named(instruction: str, files: Iterable[str]) -> tuple[str, ...]:
    """Those of these files that an instruction names, as a file or as a module."""
    ends = tuple(f"/{name}" for name in (*file_names(instruction), *_modules(instruction)))
    return tuple(path for path in files if f"/{path}".endswith(ends))


def no_python(name: str) -> str:
    """That a file cannot be edited."""
    return f"{name} is no Python file, and Python is all that can be edited"


def _modules(instruction: str) -> Iterator[str]:
    """The files of what is called a module, or told as the place with its package ("in shop.cart")."""
    dotted = (
        ".".join(one.parts) for one in mentions(instruction) if one.sureness is Sureness.PLACE and len(one.parts) > 1
    )
    yield from (f"{name.replace('.', '/')}.py" for name in module_names(instruction))
    for name in dotted:
        yield from (f"{name.replace('.', '/')}{end}" for end in (".py", "/__init__.py"))
