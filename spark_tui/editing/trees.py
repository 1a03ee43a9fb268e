"""Python's own parser in a process of several threads."""

import ast
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import RLock

from spark_tui.editing.text import Text

MOST_READ = 300_000
"""Characters of a file that it is given: no other thread runs while it reads, so the screen would stand still."""
_PARSING = RLock()
"""CPython 3.11 to 3.13 count how deep they are in a tree in one place for all threads. Where another thread goes on in
the middle (garbage was collected, and something that went had code of its own to run) and parses as well, the count is
wrong, and parsing ends in "SystemError: AST constructor recursion depth mismatch"."""
_SETTING = RLock()
"""What becomes of a warning is set for the whole process: of two threads that did so side by side, the one to end last
would leave the other's setting behind for good."""


def parse(source: str | bytes, name: str = "<unknown>") -> ast.Module:
    """See `ast.parse`, for one thread at a time. Args: name: of the source, in errors.

    Raises: SyntaxError, ValueError, RecursionError, MemoryError: as `ast.parse`.
    """
    with _PARSING:
        return ast.parse(source, name)


def read_tree(source: str | bytes) -> ast.Module | None:
    """The tree of some code, without a warning; None where Python cannot read it."""
    try:
        with no_warnings():
            return parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@contextmanager
def no_warnings() -> Iterator[None]:
    """Let nothing be warned of for a moment, in any thread: the code is only read."""
    with _SETTING, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def is_large(text: Text) -> bool:
    """Whether a Python file is not given to Python's own parser."""
    return text.size > MOST_READ


@lru_cache(maxsize=16)
def parse_error(source: bytes) -> str:
    """Why a Python file does not parse, or ""."""
    try:
        with no_warnings():
            compile(source, "file", "exec", dont_inherit=True)  # finds what the grammar allows, like a lone `return`
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg)
    except (ValueError, RecursionError, MemoryError):
        return "it is nested too deeply to be read"
    return ""
