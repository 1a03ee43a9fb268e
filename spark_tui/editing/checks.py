"""What can be said about a proposal without running it: it applies, it parses, it uses no unknown names.

A fault that the file had before is no fault of the proposal: such a check is ok, and its detail tells.
"""

import ast
import textwrap
import warnings
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from pyflakes import messages
from pyflakes.checker import Checker

from spark_tui.editing.hunks import apply_hunks, diff
from spark_tui.editing.identifiers import names_in
from spark_tui.editing.script import Substitute
from spark_tui.editing.text import Text, undecodable

MAX_BYTES = 1_000_000
"""The names of a larger file are not checked: it would take a second for every hunk."""

_UNKNOWN = (messages.UndefinedName, messages.UndefinedLocal, messages.UndefinedExport)


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a proposal. `detail` says what is wrong, or what could not be checked and why."""

    name: str
    ok: bool
    detail: str = ""


def run_checks(base: Text, proposed: Text, path: str, *, told: Collection[str] = ()) -> tuple[Check, ...]:
    """Check a proposal for the file at `path`: "applies", and for *.py also "parses" and "names". Never raises.

    Args: told: names that the user asked for; they may be unknown as yet.
    """
    applies = _applies(base, proposed)
    if not path.endswith(".py"):
        return (applies,)
    before, after = base.to_bytes(), proposed.to_bytes()
    return applies, _parses(parse_error(before), parse_error(after)), _names(before, after, told)


def new_names_are_free(before: Iterable[str], renamed: Iterable[Substitute]) -> tuple[Check, ...]:
    """Whether renamings in these lines run into names that the lines use already; nothing when there are none."""
    used = names_in("\n".join(before))
    taken = [op.new for op in renamed if op.new in used]
    return (Check("free name", ok=False, detail=f"{', '.join(taken)} is used here already"),) if taken else ()


@lru_cache(maxsize=16)
def parse_error(source: bytes) -> str:
    """Why a Python file does not parse, or ""."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "file", "exec", dont_inherit=True)  # finds what the grammar allows, like a lone `return`
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg)
    except (ValueError, RecursionError, MemoryError):
        return "it is nested too deeply to be read"
    return ""


def region_parses(lines: Iterable[str]) -> Check:
    """Whether a region parses on its own, for a file that does not."""
    try:
        ast.parse(textwrap.dedent("\n".join(lines)).encode("utf-8", "surrogateescape"))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Check("region parses", ok=False, detail=str(error))
    return Check("region parses", ok=True)


def _applies(base: Text, proposed: Text) -> Check:
    hunks = diff(base, proposed)
    for hunk in hunks:
        for number, line in enumerate(hunk.old, hunk.start + 1):
            if undecodable(line):
                return Check("applies", ok=False, detail=f"line {number} is not UTF-8 and must stay as it is")
    return Check("applies", ok=apply_hunks(base, hunks) == proposed)


@lru_cache(maxsize=16)
def _unknown_names(source: bytes) -> Mapping[str, int]:
    """The unknown names that a file which parses uses, each with its first line."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
    found = [message for message in Checker(tree).messages if isinstance(message, _UNKNOWN)]
    lines: dict[str, int] = {}
    for message in sorted(found, key=lambda message: int(message.lineno)):
        lines.setdefault(str(message.message_args[0]), int(message.lineno))
    return lines


def _parses(before: str, after: str) -> Check:
    """Args: before, after: why the file does not parse, or ""."""
    if not after:
        return Check("parses", ok=True, detail="it did not parse before" if before else "")
    if not before:
        return Check("parses", ok=False, detail=after)
    return Check("parses", ok=True, detail=f"it did not parse before either ({before})")


def _names(before: bytes, after: bytes, told: Collection[str]) -> Check:
    if parse_error(before) or parse_error(after):
        when = "now" if parse_error(after) else "before"
        return Check("names", ok=True, detail=f"not checked: the file does not parse {when}")
    if max(len(before), len(after)) > MAX_BYTES:
        return Check("names", ok=True, detail="not checked: the file is very large")
    known = _unknown_names(before)
    new = {name: f"{name} (line {line})" for name, line in _unknown_names(after).items() if name not in known}
    wrong = [where for name, where in new.items() if name not in told]
    if wrong or not new:
        return Check("names", ok=not wrong, detail="undefined: " + ", ".join(wrong) if wrong else "")
    return Check("names", ok=True, detail="as told, but not defined in this file: " + ", ".join(new.values()))
