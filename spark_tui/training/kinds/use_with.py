"""Put files and locks into a with statement."""

import ast
from random import Random
from typing import ClassVar

from spark_tui.editing.code import indentation, statement_lines, text_of
from spark_tui.editing.codemods.occasions import Change, Occasion, inserted, rewritten, solid
from spark_tui.editing.codemods.use_with import OPENERS, callee
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Planted
from spark_tui.training.kinds.occasional import Occasional


class UseWith(Occasional):
    """`f = open(p)` and `f.close()` become `with open(p) as f:`, `lock.acquire()` and `lock.release()` `with lock:`."""

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
<use> with instead of [closing by hand|close()|close|try/finally|a manual close] for {what}
<rewrite> {what} with a [with statement|context manager|with block]
<convert> {what} to a [with statement|with block|context manager]
<put> {what} in a with [block|statement|]
<wrap> {what} in a with [block|statement|]
<move> {what} into a with [block|statement]
{what} <should> be in a with [block|statement]
{what} <should> use [with|a context manager|a with statement]
{what} <should> be closed [automatically|by a with block|even if something fails]
{what} <should> be managed by with
[why|how come] no with for {what}
can't we use with for {what}
{what} [is|may be] left open [if something fails|when an exception is raised|on errors], <use> with
make sure {what} gets closed, <with> a with [block|statement]
make sure {what} is closed, <use> with
let with [close|handle|take care of] {what}
{what} leaks [if something fails|on errors|when this raises], <use> with
{what} [is|stays] open when [this raises|an error happens|it fails]
<get_rid> the manual [close|closing] of {what} with a with [block|statement]
no manual [close|closing|cleanup] for {what}, <use> with
<simplify> [the handling of|] {what} with a with [block|statement]
<lint>: SIM115 use a context manager for {what}
<lint>: R1732 consider using with for {what}
SIM115 {what}
R1732 consider-using-with: {what}
<nit>: with for {what}
<review>: with for {what} [please|]
<review>: {what} <should> be in a with
with block for {what} [please|]
context manager for {what}
<want> a with around {what}
open {what} in a with [block|statement]
guard {what} with a with statement
<use> with{unsaid}
<use> a with [statement|block]{unsaid}
<use> a context manager{unsaid}
<use> with instead of [close|close()|closing by hand|try/finally|try and finally|a manual close]{unsaid}
[with|with statement|context manager] [here|please|instead|]{unsaid}
SIM115 Use a context manager for opening files{unsaid}
R1732: Consider using 'with' for resource-allocating operations{unsaid}
<lint>: consider-using-with{unsaid}
ResourceWarning: unclosed file{unsaid}
ResourceWarning: unclosed file <_io.TextIOWrapper>, <use> with{unsaid}
it [is|may be] never closed [if something fails|on errors|when an exception comes|]{unsaid}
it [leaks|may leak] [a file handle|file handles|file descriptors|a descriptor]{unsaid}
we leak [a file handle|file descriptors|resources|handles] here{unsaid}
OSError: \\[Errno 24\\] Too many open files{unsaid}
too many open files after a while{unsaid}
make sure it [gets|is] closed [properly|always|in any case|]{unsaid}
<ensure> it gets closed [on errors|even on exceptions|if something raises|]{unsaid}
close it [automatically|properly|reliably|even on errors]{unsaid}
no need to close [it|by hand|manually|anything], with [does that|exists]{unsaid}
<get_rid> the [manual close|try/finally|explicit close|close call] by [using|means of] with{unsaid}
[why|how come] do we close by hand{unsaid}
the pythonic way is [with|a with statement|a context manager]{unsaid}
this <should> be a with [statement|block|]{unsaid}
<nit>: with statement [instead|]{unsaid}
@<use> with [here|for this|]{plain}
@<use> a context manager [here|]{plain}
@<make> this a with [block|statement]{plain}
@this <should> be [in a|a] with [block|statement|]{plain}
@with [statement|block|] [here|please|]{plain}
@context manager{plain}
@[SIM115|R1732] [here|]{plain}
@this is never closed{plain}
@this leaks{plain}
@close this properly{plain}
@<put> this in a with [block|]{plain}
@<convert> to a with [statement|block]{plain}
@[why|how come] no with [here|]{plain}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Open and close by hand, or forget to close."""
        fit = [node for node in ast.walk(snippet.tree) if isinstance(node, ast.With) and _fits(snippet, node)]
        if not fit:
            return None
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
