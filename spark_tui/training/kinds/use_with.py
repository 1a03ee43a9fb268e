"""Put files and locks into a with statement."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import ClassVar

from spark_tui.editing.code import end_of, indentation, start_of, statement_lines, text_of
from spark_tui.editing.codemods.common.occasions import Change, Occasion, inserted, names_of, rewritten, solid
from spark_tui.editing.codemods.use_with import OPENERS, callee
from spark_tui.editing.script import Ranged
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools, staging
from spark_tui.training.kinds.base import Edit, Planted
from spark_tui.training.kinds.occasional import Occasional

_LOCKS = ("the lock", "this lock", "the locking", "the lock handling")
_MANY_LOCKS = ("the locks", "all locks", "both locks", "every lock")


class UseWith(Occasional):
    """`f = open(p)` and `f.close()` become `with open(p) as f:`, `lock.acquire()` and `lock.release()` `with lock:`.

    Slots: besides those of Occasional, {closed} for files and the like, {lock} for locks; both show nothing.
    """

    name: ClassVar[str] = "use_with"
    one: ClassVar[str] = "the file|this file|the resource|the open call|this one|the handle|what is opened here"
    many: ClassVar[str] = "the files|all files|both files|these files|all the open calls|every resource|the resources"
    named: ClassVar[str] = "{}|the {} here|the use of {}|the handling of {}|{} in this code|the closing of {}"
    skeletons: ClassVar[str] = """
<use> with for {what}
<use> a with statement for {what}
<use> a with block for {what}
<use> a context manager for {what}
<use> `with` [for|around] {what}
<use> with instead of [closing by hand|close()|close|try/finally|a manual close] for {what}{closed}
<rewrite> {what} with a [with statement|context manager|with block]
<convert> {what} to a [with statement|with block|context manager]
<put> {what} in a with [block|statement|]
<wrap> {what} in a with [block|statement|]
<move> {what} into a with [block|statement]
{what} <should> be in a with [block|statement]
{what} <should> use [with|a context manager|a with statement]
{what} <should> be closed [automatically|by a with block|even if something fails]{closed}
{what} <should> be managed by with
[why|how come] no with for {what}
can't we use with for {what}
{what} [is|may be] left open [if something fails|when an exception is raised|on errors], <use> with{closed}
make sure {what} gets closed, <with> a with [block|statement]{closed}
make sure {what} is closed, <use> with{closed}
let with [close|handle|take care of] {what}{closed}
{what} leaks [if something fails|on errors|when this raises], <use> with{closed}
{what} [is|stays] open when [this raises|an error happens|it fails]{closed}
<get_rid> the manual [close|closing] of {what} with a with [block|statement]{closed}
no manual [close|closing|cleanup] for {what}, <use> with{closed}
<simplify> [the handling of|] {what} with a with [block|statement]
<lint>: SIM115 use a context manager for {what}{closed}
<lint>: R1732 consider using with for {what}
SIM115 {what}{closed}
R1732 consider-using-with: {what}
<nit>: with for {what}
<review>: with for {what} [please|]
<review>: {what} <should> be in a with
with block for {what} [please|]
context manager for {what}
<want> a with around {what}
open {what} in a with [block|statement]{closed}
guard {what} with a with statement
<use> with{unsaid}
<use> a with [statement|block]{unsaid}
<use> a context manager{unsaid}
<use> with instead of [close|close()|closing by hand|try/finally|try and finally|a manual close]{unsaid}{closed}
[with|with statement|context manager] [here|please|instead|]{unsaid}
SIM115 Use a context manager for opening files{unsaid}{closed}
R1732: Consider using 'with' for resource-allocating operations{unsaid}
<lint>: consider-using-with{unsaid}
ResourceWarning: unclosed file{unsaid}{closed}
ResourceWarning: unclosed file <_io.TextIOWrapper>, <use> with{unsaid}{closed}
it [is|may be] never closed [if something fails|on errors|when an exception comes|]{unsaid}{closed}
it [leaks|may leak] [a file handle|file handles|file descriptors|a descriptor]{unsaid}{closed}
we leak [a file handle|file descriptors|resources|handles] here{unsaid}{closed}
OSError: \\[Errno 24\\] Too many open files{unsaid}{closed}
too many open files after a while{unsaid}{closed}
make sure it [gets|is] closed [properly|always|in any case|]{unsaid}{closed}
<ensure> it gets closed [on errors|even on exceptions|if something raises|]{unsaid}{closed}
close it [automatically|properly|reliably|even on errors]{unsaid}{closed}
no need to close [it|by hand|manually|anything], with [does that|exists]{unsaid}{closed}
<get_rid> the [manual close|try/finally|explicit close|close call] by [using|means of] with{unsaid}{closed}
[why|how come] do we close by hand{unsaid}{closed}
the pythonic way is [with|a with statement|a context manager]{unsaid}
this <should> be a with [statement|block|]{unsaid}
<nit>: with statement [instead|]{unsaid}
@<use> with [here|for this|]{plain}
@<use> a context manager [here|]{plain}
@<make> this a with [block|statement]{plain}
@this <should> be [in a|a] with [block|statement|]{plain}
@with [statement|block|] [here|please|]{plain}
@context manager{plain}
@[SIM115|R1732] [here|]{plain}{closed}
@this is never closed{plain}{closed}
@this leaks{plain}{closed}
@close this properly{plain}{closed}
@<put> this in a with [block|]{plain}
@<convert> to a with [statement|block]{plain}
@[why|how come] no with [here|]{plain}
with!{unsaid}
with, not close(){unsaid}{closed}
with open ... as{unsaid}{closed}
with instead of finally{unsaid}
who closes this?{unsaid}{closed}
who closes the file?{unsaid}{closed}
nobody closes it when [this|it] raises{unsaid}{closed}
never closed{unsaid}{closed}
not closed on [an exception|errors|the error path]{unsaid}{closed}
if something throws in between it stays open{unsaid}{closed}
if it crashes in the middle the [file|lock|handle] stays [open|held]{unsaid}
an exception in between and [we deadlock|the file stays open|it's never released]{unsaid}
<should> be [closed|released] even if [it raises|something goes wrong|we crash]{unsaid}
must be [closed|released] in any case, with{unsaid}
on windows the file can't be deleted afterwards because it's still open{unsaid}{closed}
PermissionError: \\[WinError 32\\] The process cannot access the file because it is being used by another process{unsaid}{closed}
ResourceWarning: unclosed file \\<_io.TextIOWrapper name='data.txt' mode='r' encoding='UTF-8'>{unsaid}{closed}
ResourceWarning: Enable tracemalloc to get the object allocation traceback{unsaid}
pytest: PytestUnraisableExceptionWarning, unclosed file{unsaid}{closed}
lsof shows [hundreds|dozens] of open handles{unsaid}{closed}
ulimit -n is hit after [an hour|a day|a while]{unsaid}{closed}
we run out of file descriptors{unsaid}{closed}
fd leak{unsaid}{closed}
handle leak{unsaid}{closed}
leaky{unsaid}{closed}
close() can go, with does it{unsaid}{closed}
the close() is easy to miss, a with block isn't{unsaid}{closed}
don't rely on the gc to close it{unsaid}{closed}
don't wait for the garbage collector, close it right away{unsaid}{closed}
the data isn't flushed [until the process ends|in time], close it properly{unsaid}{closed}
half of the file is missing, it isn't closed [in time|]{unsaid}{closed}
nit: with{unsaid}
context manager?{unsaid}
could be a with{unsaid}
can we have a with here?{unsaid}
try/finally -> with{unsaid}
R1732: Consider using 'with' for resource-allocating operations (consider-using-with){unsaid}
sonar: Use a "with" statement{unsaid}
deepsource: file opened without with{unsaid}{closed}
FURB101/SIM115, with{unsaid}{closed}
{what} in a with
{what}: with
{what} without close(), by with{closed}
with around {what}
who closes {what}?{closed}
{what} isn't closed when it crashes in between{closed}
{what} stays open [if it raises|on errors|for ever]{closed}
{what} <should> not need a close(){closed}
{what} <should> close itself{closed}
{what} <should> be cleaned up whatever happens
{what} must not stay open{closed}
close() for {what} is easy to forget, with isn't{closed}
an exception and {what} [is never closed|leaks|stays open]{closed}
ResourceWarning: unclosed file ({what}){closed}
R1732 at {what}, with please
can we have a with for {what}?
why close {what} by hand?{closed}
the scope of {what} <should> be a with block
@who closes this?{plain}{closed}
@with!{plain}
@never closed{plain}{closed}
@leak{plain}{closed}
@stays open on errors{plain}{closed}
@context manager please{plain}
@with instead{plain}
@close() -> with{plain}{closed}
{lock}{unsaid}with lock
{lock}{unsaid}with the lock, not acquire and release
{lock}{unsaid}deadlock when it raises in between
{lock}{unsaid}the lock stays [held|taken|locked] when something raises
{lock}{unsaid}never released after an exception
{lock}{unsaid}the second call hangs after an error, the lock is still taken
{lock}{unsaid}acquire/release -> with
{lock}{unsaid}no acquire() and release() by hand
{lock}{unsaid}locks are context managers
{lock}{unsaid}release it even when it fails
{lock}{unsaid}R1732 / use the lock as a context manager
{lock}{what}: no acquire and release, a with
{lock}{what} is never released when it raises
{lock}{what} <should> be released whatever happens
{lock}{what} as a context manager
{lock}hold {what} by with
@{lock}{plain}not released on errors
@{lock}{plain}deadlock if this raises
@{lock}{plain}acquire/release -> with
"""

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """As for any place, in the words for files or those for locks."""
        edit = super().propose(snippet, rng)
        if edit is None:
            return None
        lock = ".acquire()" in "\n".join(snippet.lines[at] for at in sorted(_gone(edit)))
        slots = {**edit.slots, ("lock" if lock else "closed"): ""}
        if lock and slots.get("what") in (*self.one.split("|"), *self.many.split("|")):
            slots["what"] = rng.choice(_LOCKS if slots["what"] in self.one.split("|") else _MANY_LOCKS)
        elif lock and "what" in slots:
            slots["what"] = slots["what"].replace("the closing of", "the release of")
        return replace(edit, slots=slots)

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Open and close by hand, or forget to close; a file that a call takes, a lock around what an object keeps."""
        fit = [node for node in ast.walk(snippet.tree) if isinstance(node, ast.With) and _fits(snippet, node)]
        if not fit:
            return _made_up(snippet, rng) if rng.random() < 0.12 else None
        node = rng.choice(fit)
        opening, closing = _parts(snippet, node)
        indent = indentation(snippet.lines[node.lineno - 1])
        (first, _), (_, last) = statement_lines(node.body[0]), statement_lines(node.body[-1])
        head: Change = ((node.lineno - 1, 0), (node.lineno - 1, len(snippet.lines[node.lineno - 1])), indent + opening)
        flat = [
            ((at, 0), (at, len(snippet.layout.unit)), "") for at in range(node.lineno, last + 1) if snippet.lines[at]
        ]
        leaves = any(isinstance(one, ast.Return | ast.Continue | ast.Break | ast.Yield) for one in ast.walk(node))
        roll = rng.random()
        if (leaves and roll < 0.5) or roll < 0.35 or ("open(" not in opening and leaves):
            lines = [f"{indent}finally:", f"{indent}{snippet.layout.unit}{closing}"]
            changes = [head, inserted(snippet, node.lineno - 1, [f"{indent}try:"]), inserted(snippet, last, lines)]
            changes = [(head[0], head[1], f"{head[2]}\n{indent}try:"), changes[2]]
        elif (leaves or roll > 0.7) and "open(" in opening:
            changes = [head, *flat]
        else:
            changes = [head, *flat, inserted(snippet, last, [indent + closing])]
        after = rewritten(snippet, [Occasion(node.lineno - 1, tuple(changes))]) if first > node.lineno - 1 else None
        return Planted(Snippet(tuple(after))) if after else None


def _fits(snippet: Snippet, node: ast.With) -> bool:
    (_, last), line = statement_lines(node.body[-1]), snippet.lines[node.lineno - 1]
    unit = snippet.layout.unit
    level = len(indentation(line)) + len(unit)
    inside = [text for text in snippet.lines[node.lineno : last + 1] if text]
    if (
        len(node.items) != 1
        or not line.rstrip().endswith(":")
        or any(indentation(text) < " " * level for text in inside)
    ):
        return False
    return bool(_parts(snippet, node)[0]) and all(map(solid, node.body)) and "\t" not in unit


def _parts(snippet: Snippet, node: ast.With) -> tuple[str, str]:
    """What opens and what closes by hand."""
    match node.items[0]:
        case ast.withitem(context_expr=ast.Call(func=function) as call, optional_vars=ast.Name(id=name)):
            text = text_of(snippet, call)
            return (f"{name} = {text}", f"{name}.close()") if callee(function) in OPENERS and text else ("", "")
        case ast.withitem(context_expr=ast.Name() | ast.Attribute() as lock, optional_vars=None):
            text = text_of(snippet, lock)
            if any(word in text.lower() for word in ("lock", "mutex", "semaphore", "cond")):
                return f"{text}.acquire()", f"{text}.release()"
    return "", ""


def _made_up(snippet: Snippet, rng: Random) -> Planted | None:
    """A file or a lock where there was none."""
    ways = [_file, _written, _read] if rng.random() < 0.65 else [_lock]
    found = (way(snippet, rng) for way in rng.sample(ways, len(ways)))
    return next((one for one in found if one is not None), None)


def _written(snippet: Snippet, rng: Random) -> Planted | None:
    """What has been assigned goes to a file."""
    fit = [node for node in staging.simple_statements(snippet) if _assigned(node)]
    names = _file_names(snippet)
    if not fit or not names:
        return None
    node = rng.choice(fit)
    name, value, row = rng.choice(names), _assigned(node), node.lineno - 1
    text = rng.choice((f"{name}.write({value})", f"{name}.write(str({value}))", f"json.dump({value}, {name})"))
    indent = indentation(snippet.lines[row])
    head = f'{name} = open("{pools.noun(rng)}{rng.choice((".txt", ".json", ".log"))}", "{rng.choice("wwa")}")'
    moved = Snippet((*snippet.lines[: row + 1], indent + text, *snippet.lines[row + 1 :]))
    return _guarded(moved, row + 1, row + 1, [head, f"{name}.close()"], [indent + text], rng, finally_=False)


def _read(snippet: Snippet, rng: Random) -> Planted | None:
    """What is assigned comes from a file; which may stay open."""
    fit = [node for node in staging.simple_statements(snippet) if _assigned(node)]
    names = _file_names(snippet)
    if not fit or not names:
        return None
    node = rng.choice(fit)
    name, target, row = rng.choice(names), _assigned(node), node.lineno - 1
    indent = indentation(snippet.lines[row])
    opened = f'open("{pools.noun(rng)}{rng.choice((".txt", ".json", ".csv"))}")'
    way = rng.choice(
        ("{}.read()", "{}.readlines()", "json.load({})", "yaml.safe_load({})", "list({})", "{}.read().strip()")
    )
    if rng.random() < 0.25:
        line = f"{indent}{target} = {way.format(opened)}"
        return Planted(Snippet((*snippet.lines[:row], line, *snippet.lines[row + 1 :])))
    line = f"{indent}{target} = {way.format(name)}"
    if rng.random() < 0.2:
        return Planted(Snippet((*snippet.lines[:row], f"{indent}{name} = {opened}", line, *snippet.lines[row + 1 :])))
    return _guarded(snippet, row, row, [f"{name} = {opened}", f"{name}.close()"], [line], rng, finally_=False)


def _assigned(node: ast.stmt) -> str:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return ""


def _file_names(snippet: Snippet) -> list[str]:
    known = names_of(snippet.tree)
    return [name for name in ("f", "f", "fh", "file", "handle", "fp", "stream", "infile") if name not in known]


def _file(snippet: Snippet, rng: Random) -> Planted | None:
    """Before a call that takes a path, open it; close it afterwards."""
    fit = [(node, one) for node in staging.simple_statements(snippet) for one in _paths(node)]
    free = _file_names(snippet)
    if not fit or not free:
        return None
    node, path = rng.choice(fit)
    name, row = rng.choice(free), node.lineno - 1
    start, end = start_of(snippet, path), end_of(snippet, path)
    line = snippet.lines[row][: start[1]] + name + snippet.lines[row][end[1] :]
    mode = rng.choice(("", "", ', "rb"', ', "w"', ', encoding="utf-8"'))
    head = f"{name} = open({ast.unparse(path)}{mode})"
    return _guarded(snippet, row, row, [head, f"{name}.close()"], [line], rng, finally_=isinstance(node, ast.Return))


def _paths(node: ast.stmt) -> Iterator[ast.expr]:
    """The arguments that sound like a path."""
    for call in staging.outside_strings(node):
        if isinstance(call, ast.Call) and callee(call.func) not in (*OPENERS, "join", "exists", "isinstance"):
            yield from (
                one
                for one in call.args
                if isinstance(one, ast.Name | ast.Attribute) and staging.is_path(ast.unparse(one))
            )


def _lock(snippet: Snippet, rng: Random) -> Planted | None:
    """Acquire a lock before an object changes, and release it afterwards."""
    fit = [
        node
        for node in staging.simple_statements(snippet)
        if isinstance(node, ast.Assign | ast.AugAssign)
        and any(isinstance(n, ast.Attribute) and ast.unparse(n.value) == "self" for n in ast.walk(node))
    ]
    if not fit:
        return None
    row = rng.choice(fit).lineno - 1
    name = rng.choice(("self._lock", "self._lock", "self.lock", "self._mutex", "lock", "self._write_lock"))
    lines = [snippet.lines[row]]
    return _guarded(snippet, row, row, [f"{name}.acquire()", f"{name}.release()"], lines, rng, finally_=False)


def _guarded(
    snippet: Snippet, first: int, last: int, ends: Sequence[str], lines: Sequence[str], rng: Random, *, finally_: bool
) -> Planted:
    """Lines between what opens and what closes, now and then in a try with finally."""
    indent, unit = indentation(snippet.lines[first]), snippet.layout.unit
    if finally_ or rng.random() < 0.35:
        middle = [f"{indent}try:", *(unit + line for line in lines), f"{indent}finally:", f"{indent}{unit}{ends[1]}"]
    else:
        middle = [*lines, indent + ends[1]]
    return Planted(Snippet((*snippet.lines[:first], indent + ends[0], *middle, *snippet.lines[last + 1 :])))


def _gone(edit: Edit) -> set[int]:
    """The lines that an edit changes."""
    return {row for op in edit.ops if isinstance(op, Ranged) for row in range(op.first, op.last + 1)}
