"""Checks of a proposal without running it.

* "applies": the hunks turn the base into the proposal, and touch only lines that can be read.
* "conflict": the markers of a merge conflict are gone, or whole.
* "parses": the file parses no worse than before.
* "names": Python code uses no undefined name, and defines no name twice.
* "types": made by a session, where a language server is installed; see its `language_servers`.

`run_checks` makes the checks of a whole file. A fault that the file had before is no fault of the
proposal: such a check is ok, and its detail says so. The other functions serve files that Python
cannot parse: whether the region parses alone, whether new names are free, and whether uses of a
name are left behind that the region no longer defines.
"""

import ast
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
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
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a proposal.

    `detail` says what is wrong, or what could not be checked and why. `withholds`: whether an edit
    that fails the check is not offered; otherwise the edit is only called unsure.

    A new check is a function that returns a `Check`, or None where there is nothing to say, as
    `_half_conflict` does; `run_checks` calls it. Line numbers are those of `places_of_new_lines`.
    """

    name: str
    ok: bool
    detail: str = ""
    withholds: bool = True

    @property
    def fault(self) -> str:
        """What is wrong, for a reader.

        The name "parses" says what should be the case, so the text says "does not parse" instead.
        """
        subject = self.name.removesuffix("parses")
        if subject == self.name:
            return f"{self.name}: {self.detail}"
        return f"{subject or 'it '}does not parse: {self.detail}"


def run_checks(base: Text, proposed: Text, path: str) -> tuple[Check, ...]:
    """Check a proposal for the file at `path`. Never raises.

    The checks are "applies", "conflict" where markers are left (nothing else is checked then),
    "parses" where the language is known, and "names" for *.py. A very large *.py is read like any
    other language. In a document of several files each file that differs is checked by itself.

    One failing check withholds the edit: the next answer is shown in its place, unless the check
    says otherwise (`Check.withholds`). What only makes an edit unsure belongs into `_doubt` of
    `session.evaluator`. Checks that can pass are listed by name for every edit, including the
    user's own; the others only where they fail.
    """
    if is_document(base.raw):
        return tuple(_of_files(base, proposed))
    hunks = diff(base, proposed)
    # checks that need no language
    checks = [_applies(base, proposed, hunks)]
    if half_conflict := _half_conflict(base, proposed, hunks):
        return (*checks, half_conflict)
    return (*checks, *_language_checks(base, proposed, path, hunks))


def tells_much(checks: Iterable[Check]) -> bool:
    """Whether a check besides "applies", which holds for nearly any text, was made and held.

    This decides whether an edit is sure where no chance is known: that of an endpoint without
    log-probabilities, or one with too few decided edits so far. A new check that holds for nearly
    any text must therefore be listed only where it fails.
    """
    return any(check.ok and not check.detail and check.name != "applies" for check in checks)


def _language_checks(
    base: Text, proposed: Text, path: str, hunks: Sequence[Hunk]
) -> tuple[Check, ...]:
    """The checks that read a file in its language: "parses", and "names" for Python."""
    # Python reads a *.py exactly, and pyflakes knows its names; a very large one would keep all
    # other threads waiting, and is read by the grammar.
    if not path.endswith(".py") or is_large(base):
        verdict = parses_no_worse(base, proposed, path, hunks)
        if verdict is None:
            return ()
        return (Check("parses", verdict.ok, verdict.detail),)
    before = base.to_bytes()
    after = proposed.to_bytes()
    was_wrong = parse_error(before)
    is_wrong = parse_error(after)
    verdict = compared(was_wrong, is_wrong)
    parses = Check("parses", verdict.ok, verdict.detail)
    # names need the syntax trees of both versions
    if was_wrong or is_wrong:
        if is_wrong:
            why = "the file does not parse with the edit"
        else:
            why = "the file did not parse before the edit"
        return parses, Check("names", ok=True, detail=f"not checked: {why}")
    return parses, _names(before, after)


def _of_files(base: Text, proposed: Text) -> Iterator[Check]:
    """The checks of several files, one for each name; each detail begins with its file."""
    # "applies" is there even if no file is left to check
    by_name: dict[str, list[Check]] = {"applies": []}
    for path, before, after in changed(base, proposed, ""):
        if after is None:
            continue
        for check in run_checks(before or Text(()), after, path):
            detail = check.detail and f"{path}: {check.detail}"
            by_name.setdefault(check.name, []).append(replace(check, detail=detail))
    for name, checks in by_name.items():
        # faults go before remarks; only without any fault are remarks told
        failed = [check for check in checks if not check.ok]
        remarks = failed or [check for check in checks if check.detail]
        yield Check(
            name,
            not failed,
            "; ".join(check.detail for check in remarks),
            withholds=any(check.withholds for check in failed or checks),
        )


def new_names_are_free(
    before: Iterable[str], renamed: Collection[tuple[str, str]]
) -> tuple[Check, ...]:
    """A failed check where renamings run into names that the lines already use; else nothing.

    Args:
        before: The lines without the edit.
        renamed: Pairs of an old name and its new one.
    """
    if not renamed:
        return ()
    used = names_in("\n".join(before))
    taken = [new for _, new in renamed if new in used]
    if not taken:
        return ()
    return (Check("free name", ok=False, detail=f"{', '.join(taken)} is used here already"),)


def region_parses(lines: Iterable[str], *, above: int = 0) -> Check:
    """Whether a region parses on its own, for a file that does not parse.

    Args:
        above: How many lines stand above the region.
    """
    try:
        parse(_dedented(lines))
    except SyntaxError as error:
        line = (error.lineno or 1) + above
        return Check("region parses", ok=False, detail=f"line {line}: {error.msg}")
    except (ValueError, RecursionError, MemoryError):
        return Check("region parses", ok=False, detail="it is nested too deeply to be read")
    return Check("region parses", ok=True)


def _applies(base: Text, proposed: Text, hunks: Sequence[Hunk]) -> Check:
    """Whether the hunks change only readable lines, in the encoding of the file."""
    for hunk in hunks:
        for number, line in enumerate(hunk.old, hunk.start + 1):
            if undecodable(line):
                detail = f"line {number} is not UTF-8 and must stay as it is"
                return Check("applies", ok=False, detail=detail)
    if (mixed := base.mixed(proposed)) is not None:
        detail = f"line {mixed + 1} would hold UTF-8, and the file is encoded otherwise"
        return Check("applies", ok=False, detail=detail)
    return Check("applies", ok=apply_hunks(base, hunks) == proposed)


def _half_conflict(base: Text, proposed: Text, hunks: Iterable[Hunk]) -> Check | None:
    """A failed check where an edit leaves half a conflict: markers go together or not at all."""
    if not any(map(_has_marker, hunks)):
        return None
    # a half that was there before the edit is not the fault of the edit
    left = odd_marker(proposed.lines)
    if left is None or odd_marker(base.lines) is not None:
        return None
    detail = f"half of it is left, with the marker in line {left + 1}"
    return Check("conflict", ok=False, detail=detail)


def _has_marker(hunk: Hunk) -> bool:
    return any(map(is_marker, (*hunk.old_lines, *hunk.new_lines)))


def _unknown_names(tree: ast.Module) -> Mapping[str, int]:
    """The unknown names that a module uses, each with its first line.

    Raises:
        RecursionError: The code is nested too deeply.
    """
    lines: dict[str, int] = {}
    for message in sorted(Checker(tree).messages, key=lambda message: int(message.lineno)):
        if isinstance(message, _UNKNOWN):
            lines.setdefault(str(message.message_args[0]), int(message.lineno))
    return lines


@lru_cache(maxsize=16)
def _known_unknown(source: bytes) -> AbstractSet[str]:
    """The unknown names of a file before an edit.

    Raises:
        RecursionError: The code is nested too deeply.
    """
    return _unknown_names(_tree(source)).keys()


def _tree(source: bytes) -> ast.Module:
    with no_warnings():
        return parse(source)


def _twice(tree: ast.Module) -> Mapping[str, int]:
    """The functions and classes defined twice in a module or a class, with the later line.

    Decorated definitions do not count: overloads and setters have one name on purpose.
    """
    lines: dict[str, int] = {}
    bodies = [("", tree.body)]
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            bodies.append((f"{node.name}.", node.body))
    for owner, body in bodies:
        known = set[str]()
        for node in body:
            if not isinstance(node, _Definition) or node.decorator_list:
                continue
            if node.name in known:
                lines[owner + node.name] = node.lineno
            known.add(node.name)
    return lines


def _new_names(before: bytes, tree: ast.Module) -> Mapping[str, int]:
    """The names that are unknown only after an edit, each with its first line.

    Raises:
        RecursionError: The code is nested too deeply.
    """
    # most edits leave no name unknown, so the base is rarely read
    unknown = _unknown_names(tree)
    if not unknown:
        return {}
    known = _known_unknown(before)
    return {name: line for name, line in unknown.items() if name not in known}


def _names(before: bytes, after: bytes) -> Check:
    """Whether an edit of a module defines no name twice and uses no unknown name."""
    try:
        tree = _tree(after)
        if twice := _newly_twice(before, tree):
            places = ", ".join(f"{name} (line {twice[name]})" for name in sorted(twice))
            return Check("names", ok=False, detail=f"defined a second time: {places}")
        unknown = _new_names(before, tree)
    except RecursionError:
        return Check("names", ok=True, detail="not checked: it is nested too deeply")
    if unknown:
        places = ", ".join(f"{name} (line {line})" for name, line in unknown.items())
        return Check("names", ok=False, detail=f"undefined: {places}")
    return Check("names", ok=True)


def _newly_twice(before: bytes, tree: ast.Module) -> Mapping[str, int]:
    """The names that are defined twice only after an edit, each with the later line."""
    twice = _twice(tree)
    if not twice:
        return {}
    known = _twice(_tree(before))
    return {name: line for name, line in twice.items() if name not in known}


_MOST_SHOWN = 5
"""The most lines that a check names."""


def names_for_others(tree: ast.Module | None) -> set[str]:
    """The names that a module defines for other code; those of attributes begin with a dot.

    Args:
        tree: None for code that cannot be read, which has no names.
    """
    return set(_names_defined(tree)) if tree else set()


def left_behind(
    before: Sequence[str],
    after: Sequence[str],
    others: Sequence[tuple[int, Sequence[str]]],
    *,
    in_class: bool,
) -> tuple[Check, ...]:
    """A failed check where other lines still use a name that a region no longer defines.

    For files that cannot be read as a whole.

    Args:
        before: The region without an edit.
        after: The region with the edit.
        others: The other stretches of the file, each with the number of its first line.
        in_class: Whether the region is a method.
    """
    lost = names_for_others(_tree_of(before)) - names_for_others(_tree_of(after))
    # other code uses a method as an attribute
    if in_class:
        lost = {f".{name.removeprefix('.')}" for name in lost}
    used = set[str]()
    rows = set[int]()
    for first, lines in others:
        for name, row in _used(lines, first):
            if name in lost:
                used.add(name.removeprefix("."))
                rows.add(row)
    if not used:
        return ()
    names = ", ".join(sorted(used))
    shown = ", ".join(map(str, sorted(rows)[:_MOST_SHOWN]))
    if len(rows) > _MOST_SHOWN:
        shown += " and more"
    why = "which cannot be changed with it while the file does not parse; fix that first"
    return (Check("names", ok=False, detail=f"{names} is also in line {shown}, {why}"),)


def _used(lines: Sequence[str], first: int) -> Iterator[tuple[str, int]]:
    """The names that lines use, each with its line number.

    Args:
        first: The number of the first line.
    """
    text = "\n".join(lines)
    return ((use.name, first + text.count("\n", 0, use.start)) for use in uses(text))


def _tree_of(lines: Sequence[str]) -> ast.Module | None:
    return read_tree(_dedented(lines))


def _dedented(lines: Iterable[str]) -> bytes:
    return textwrap.dedent("\n".join(lines)).encode("utf-8", "surrogateescape")


def _names_defined(tree: ast.Module) -> Iterator[str]:
    # module level, then what classes and their methods define on instances
    yield from _defined(tree.body, "")
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(body=body):
                yield from _defined(body, ".")
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                yield f".{name}"


def _defined(body: Collection[ast.stmt], mark: str) -> Iterator[str]:
    """The names that statements define, each behind `mark`: "." for those of a class."""
    for statement in body:
        match statement:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                yield mark + name
            case ast.Assign(targets=targets):
                for target in targets:
                    if isinstance(target, ast.Name):
                        yield mark + target.id
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield mark + name
            case ast.If(body=inner, orelse=other) | ast.Try(body=inner, orelse=other):
                # names that are defined in one of several ways, as by the version of Python
                yield from _defined([*inner, *other], mark)
