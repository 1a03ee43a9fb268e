"""Which files an instruction names: as a file, as a module, or as what is no Python and cannot be edited."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from spark_tui.context.wording import Sureness, file_names, mentions, module_names, pointed_at
from spark_tui.errors import UsageError

_NAME = r"[`'\"]?(?:\./)?(?P<name>(?:[\w.-]+/)*(?:[\w.-]*\.\w+|[A-Z]\w+))[`'\"]?"
"""A file by its ending, or without one by a capital: README, Makefile."""
_FILE = rf"(?:the\s+)?(?:file\s+)?{_NAME}(?:\s+file)?"
_PLEASE = r"^\W*(?:please\s+|can you\s+|could you\s+)*"
_EDITS = (
    r"(?:add|bump|change|comment|correct|delete|drop|edit|fix|increase|insert|lower|remove|rename|replace|rewrite|set"
    r"|sort|turn|update)\b"
)
_WHAT = (
    r"(?:(?!\b(?:are|finds?|gets?|if|is|loads?|looks?|opens?|parses?|reads?|saves?|stores?|that|unless|uses?|when|where"
    r"|which|writes?)\b)[^;:])*\s"
)
"""What is to be changed, as long as it is no code that goes to a file."""
_EDITED = tuple(
    re.compile(words)
    for words in (
        rf"(?i:^\W*(?:in|inside|within)\s+){_FILE}(?i:[,:]?\s+(?:please\s+)?{_EDITS})",
        rf"(?i:{_PLEASE}{_EDITS}{_WHAT}(?:in|inside|within)\s+){_FILE}\W*$",
        rf"(?i:{_PLEASE}(?:add|append)\b{_WHAT}to\s+){_FILE}\W*$",
        rf"(?i:{_PLEASE}(?:delete|drop|remove)\b{_WHAT}from\s+){_FILE}\W*$",
        rf"(?i:{_PLEASE}(?:edit|fix|format|lint|sort|tidy|update)\s+){_FILE}\W*$",
    )
)
"""How a file is told as what to edit."""


def refuse_no_python(instruction: str, names: Callable[[], Iterable[str]]) -> None:
    """Refuse what is to be done in a file that is there and is none of Python. Args: names: all files.

    Raises: UsageError: so it is.
    """
    told = {found["name"] for pattern in _EDITED if (found := pattern.search(instruction))}
    others = [name for name in told if not name.endswith((".py", ".pyi"))]
    if others and (name := next((one for one in others if _is_among(one, names())), None)):
        raise UsageError(no_python(name))


def _is_among(name: str, files: Iterable[str]) -> bool:
    return any(f"/{path}".endswith(f"/{name}") for path in files)


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
