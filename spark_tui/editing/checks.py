"""Checks of a proposal: whether it applies, and which names it leaves undefined.

What can be said about a proposal without running it: it applies, it parses, it uses no unknown
names.

A fault that the file had before is no fault of the proposal: such a check is ok, and its detail
tells.

Names that code gives to others, and what of these an edit leaves behind that no longer leads
anywhere.
"""

import ast
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

from pyflakes import messages
from pyflakes.checker import Checker

from spark_tui.editing.conflicts import is_marker, odd_marker
from spark_tui.editing.hunks import Hunk, apply_hunks, diff
from spark_tui.editing.identifiers import names_in, uses
from spark_tui.editing.line_diff import is_document
from spark_tui.editing.multi_file import changed
from spark_tui.editing.syntax import (
    compared,
    is_large,
    no_warnings,
    parse,
    parse_error,
    parses_no_worse,
    read_tree,
)
from spark_tui.editing.text import Text, undecodable

_UNKNOWN = (messages.UndefinedName, messages.UndefinedLocal, messages.UndefinedExport)


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a proposal.

    `detail` says what is wrong, or what could not be checked and why.
    """

    name: str
    ok: bool
    detail: str = ""

    @property
    def fault(self) -> str:
        """What is wrong, for a reader; a name that says what should be the case would read as
        if it was.
        """
        what = self.name.removesuffix("parses")
        name = self.name if what == self.name else f"{what or 'it '}does not parse"
        return f"{name}: {self.detail}"


def run_checks(base: Text, proposed: Text, path: str) -> tuple[Check, ...]:
    """Check a proposal for the file at `path`: "applies", "parses" where its language is known, for
    *.py also "names".

    Of several files' text (see `documents`) each that differs is checked by itself. Never raises. A
    very large *.py is read as any other language is. One check that fails withholds the edit
    (`Evaluator`); there is no milder kind. Those that can pass are told by name wherever an edit
    is, be it the user's own; the others only where they fail.
    """
    if is_document(base.raw):
        return tuple(_of_files(base, proposed))
    hunks = diff(base, proposed)
    halved = _halved(base, proposed, hunks)
    of_any_file = (
        _applies(base, proposed, hunks),
        *halved,
    )  # a check that needs no language goes here
    return of_any_file if halved else (*of_any_file, *_as_read(base, proposed, path, hunks))


def tells_much(checks: Iterable[Check]) -> bool:
    """Whether any check besides "applies" was made and held; that one holds for any text at all."""
    return any(check.ok and not check.detail and check.name != "applies" for check in checks)


def _as_read(base: Text, proposed: Text, path: str, hunks: Sequence[Hunk]) -> tuple[Check, ...]:
    """What can be said once a file is read in its language."""
    if not path.endswith(".py") or is_large(base):
        verdict = parses_no_worse(base, proposed, path, hunks)
        return (Check("parses", verdict.ok, verdict.detail),) if verdict else ()
    before = base.to_bytes()
    after = proposed.to_bytes()
    verdict = compared(was_wrong := parse_error(before), is_wrong := parse_error(after))
    parses = Check("parses", verdict.ok, verdict.detail)
    if was_wrong or is_wrong:
        if is_wrong:
            why = "the file does not parse with the edit"
        else:
            why = "the file did not parse before the edit"
        return parses, Check("names", ok=True, detail=f"not checked: {why}")
    return parses, _names(before, after)


def _of_files(base: Text, proposed: Text) -> Iterator[Check]:
    """The checks of several files by their names: what is wrong, or was not checked, with the
    file it is about.
    """
    found: dict[str, list[Check]] = {"applies": []}
    for path, before, after in changed(base, proposed, ""):
        for check in run_checks(before or Text(()), after, path) if after else ():
            detail = check.detail and f"{path}: {check.detail}"
            found.setdefault(check.name, []).append(Check(check.name, check.ok, detail))
    for name, checks in found.items():
        told = [check.detail for check in checks if not check.ok] or [
            check.detail for check in checks if check.detail
        ]
        yield Check(name, all(check.ok for check in checks), "; ".join(told))


def new_names_are_free(
    before: Iterable[str], renamed: Collection[tuple[str, str]]
) -> tuple[Check, ...]:
    """Whether renamings in these lines run into names that the lines use already; nothing when
    there are none.

    Args:
        renamed: The old name of each, and the new one.
    """
    used = names_in("\n".join(before)) if renamed else ()
    taken = [new for _, new in renamed if new in used]
    if taken:
        return (Check("free name", ok=False, detail=f"{', '.join(taken)} is used here already"),)
    return ()


def region_parses(lines: Iterable[str], *, above: int = 0) -> Check:
    """Whether a region parses on its own, for a file that does not.

    Args:
        above: How many lines are above it.
    """
    try:
        parse(textwrap.dedent("\n".join(lines)).encode("utf-8", "surrogateescape"))
    except SyntaxError as error:
        return Check(
            "region parses", ok=False, detail=f"line {(error.lineno or 1) + above}: {error.msg}"
        )
    except (ValueError, RecursionError, MemoryError):
        return Check("region parses", ok=False, detail="it is nested too deeply to be read")
    return Check("region parses", ok=True)


def _applies(base: Text, proposed: Text, hunks: Sequence[Hunk]) -> Check:
    for hunk in hunks:
        for number, line in enumerate(hunk.old, hunk.start + 1):
            if undecodable(line):
                return Check(
                    "applies", ok=False, detail=f"line {number} is not UTF-8 and must stay as it is"
                )
    if (mixed := base.mixed(proposed)) is not None:
        detail = f"line {mixed + 1} would hold UTF-8, and the file is encoded otherwise"
        return Check("applies", ok=False, detail=detail)
    return Check("applies", ok=apply_hunks(base, hunks) == proposed)


def _halved(base: Text, proposed: Text, hunks: Iterable[Hunk]) -> tuple[Check, ...]:
    """That half a conflict is left, if so: its markers go together or not at all."""
    if not any(is_marker(line) for hunk in hunks for line in (*hunk.old_lines, *hunk.new_lines)):
        return ()
    left = odd_marker(proposed.lines)
    if left is None or odd_marker(base.lines) is not None:
        return ()
    return (
        Check(
            "conflict", ok=False, detail=f"half of it is left, with the marker in line {left + 1}"
        ),
    )


def _unknown_names(tree: ast.Module) -> Mapping[str, int]:
    """The unknown names that a file which parses uses, each with its first line.

    Raises:
        RecursionError.
    """
    lines: dict[str, int] = {}
    for message in sorted(Checker(tree).messages, key=lambda one: int(one.lineno)):
        if isinstance(message, _UNKNOWN):
            lines.setdefault(str(message.message_args[0]), int(message.lineno))
    return lines


@lru_cache(maxsize=16)
def _known_unknown(source: bytes) -> AbstractSet[str]:
    """The unknown names of a file before an edit.

    Raises:
        RecursionError.
    """
    return _unknown_names(_tree(source)).keys()


def _tree(source: bytes) -> ast.Module:
    with no_warnings():
        return parse(source)


def _twice(tree: ast.Module) -> Mapping[str, int]:
    """The functions and classes that are defined once more in the same place, each with the
    line of the later one.
    """
    found: dict[str, int] = {}
    classes = (node for node in tree.body if isinstance(node, ast.ClassDef))
    for owner, body in (("", tree.body), *((f"{each.name}.", each.body) for each in classes)):
        known = set[str]()
        for node in body:
            if (
                isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
                and not node.decorator_list
            ):
                if node.name in known:
                    found[owner + node.name] = node.lineno
                known.add(node.name)
    return found


def _new_names(before: bytes, tree: ast.Module) -> Mapping[str, int]:
    """The names that are unknown after an edit only, each with its first line.

    Raises:
        RecursionError.
    """
    unknown = _unknown_names(tree)
    known = _known_unknown(before) if unknown else set()
    return {name: line for name, line in unknown.items() if name not in known}


def _names(before: bytes, after: bytes) -> Check:
    try:
        tree = _tree(after)
        if (twice := _twice(tree)) and (again := twice.keys() - _twice(_tree(before)).keys()):
            where = ", ".join(f"{name} (line {twice[name]})" for name in sorted(again))
            return Check("names", ok=False, detail=f"defined a second time: {where}")
        new = [f"{name} (line {line})" for name, line in _new_names(before, tree).items()]
    except RecursionError:
        return Check("names", ok=True, detail="not checked: it is nested too deeply")
    return Check("names", ok=not new, detail="undefined: " + ", ".join(new) if new else "")


_MOST_SHOWN = 5


def names_for_others(tree: ast.Module | None) -> set[str]:
    """The names in a module that others may know; those of attributes begin with a dot.

    None: it cannot be read.
    """
    return set(_names_used(tree)) if tree else set()


def left_behind(
    before: Sequence[str],
    after: Sequence[str],
    others: Sequence[tuple[int, Sequence[str]]],
    *,
    in_class: bool,
) -> tuple[Check, ...]:
    """That a name which a region loses is still used around it, where the file cannot be read; or
    nothing.

    Args:
        before, after: The region without and with an edit.
        others: The other lines of the file, with the number of their first.
        in_class: Whether the region is a method.
    """
    lost = names_for_others(_tree_of(before)) - names_for_others(_tree_of(after))
    lost = {f".{name.removeprefix('.')}" for name in lost} if in_class else lost
    found = [
        (use, row) for first, lines in others for use, row in _used(lines, first) if use in lost
    ]
    if not found:
        return ()
    names = ", ".join(sorted({name.removeprefix(".") for name, _ in found}))
    rows = sorted({row for _, row in found})
    shown = ", ".join(map(str, rows[:_MOST_SHOWN])) + (
        " and more" if len(rows) > _MOST_SHOWN else ""
    )
    why = "which cannot be changed with it while the file does not parse; fix that first"
    return (Check("names", ok=False, detail=f"{names} is also in line {shown}, {why}"),)


def _used(lines: Sequence[str], first: int) -> Iterator[tuple[str, int]]:
    text = "\n".join(lines)
    return ((use.name, first + text.count("\n", 0, use.start)) for use in uses(text))


def _tree_of(lines: Sequence[str]) -> ast.Module | None:
    return read_tree(textwrap.dedent("\n".join(lines)).encode("utf-8", "surrogateescape"))


def _names_used(tree: ast.Module) -> Iterator[str]:
    yield from _defined(tree.body, "")
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(body=body):
                yield from _defined(body, ".")
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                yield f".{name}"


def _defined(body: Collection[ast.stmt], mark: str) -> Iterator[str]:
    for statement in body:
        match statement:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                yield mark + name
            case ast.Assign(targets=targets):
                yield from (mark + target.id for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield mark + name
            case ast.If(body=inner, orelse=other) | ast.Try(body=inner, orelse=other):
                yield from _defined([*inner, *other], mark)
