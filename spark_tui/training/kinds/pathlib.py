"""Use pathlib in place of os.path and os."""

import ast
from collections.abc import Iterator
from random import Random
from typing import ClassVar

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.occasions import Change, Occasion, replaced, rewritten
from spark_tui.editing.codemods.pathlib import UsePathlib as Codemod
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools, staging
from spark_tui.training.kinds.base import Planted
from spark_tui.training.kinds.occasional import Occasional

_MESSAGES = {
    "os.path.join": "PTH118 `os.path.join()` should be replaced by `Path` with `/` operator",
    "os.path.exists": "PTH110 `os.path.exists()` should be replaced by `Path.exists()`",
    "open": "PTH123 `open()` should be replaced by `Path.open()`",
    "os.makedirs": "PTH103 `os.makedirs()` should be replaced by `Path.mkdir(parents=True)`",
    "os.path.dirname": "PTH120 `os.path.dirname()` should be replaced by `Path.parent`",
    "os.path.basename": "PTH119 `os.path.basename()` should be replaced by `Path.name`",
    "os.path.abspath": "PTH100 `os.path.abspath()` should be replaced by `Path.resolve()`",
    "os.path.isfile": "PTH113 `os.path.isfile()` should be replaced by `Path.is_file()`",
    "os.path.isdir": "PTH112 `os.path.isdir()` should be replaced by `Path.is_dir()`",
    "os.path.expanduser": "PTH111 `os.path.expanduser()` should be replaced by `Path.expanduser()`",
    "os.remove": "PTH107 `os.remove()` should be replaced by `Path.unlink()`",
    "os.unlink": "PTH108 `os.unlink()` should be replaced by `Path.unlink()`",
    "os.mkdir": "PTH102 `os.mkdir()` should be replaced by `Path.mkdir()`",
    "os.getcwd": "PTH109 `os.getcwd()` should be replaced by `Path.cwd()`",
}

_METHODS = {
    "exists": "os.path.exists", "is_file": "os.path.isfile", "is_dir": "os.path.isdir", "unlink": "os.remove",
    "rmdir": "os.rmdir", "resolve": "os.path.abspath", "expanduser": "os.path.expanduser",
    "is_absolute": "os.path.isabs", "is_symlink": "os.path.islink", "absolute": "os.path.abspath",
}  # fmt: skip
_FIELDS = {"name": "os.path.basename", "parent": "os.path.dirname"}
_ENDINGS = (".json", ".txt", ".csv", ".log", ".yaml", ".db", ".html", "", "", "s")


class UsePathlib(Occasional):
    """`os.path.join(a, b)` becomes `Path(a) / b`, and so on.

    Slots: besides those of Occasional, {ending} is a linter's message where all the calls are alike.
    """

    name: ClassVar[str] = "pathlib"
    one: ClassVar[str] = "the path|the path handling|the os.path call|this call|the file path|the os call|the path code"
    many: ClassVar[str] = "the paths|the path handling|all os.path calls|these calls|the os calls|all of the path code"
    named: ClassVar[str] = "{}|the {} call|the call of {}|{} here|the call to {}|the use of {}"
    skeletons: ClassVar[str] = """
<use> pathlib for {what}
<use> pathlib in {what}
<use> pathlib instead of os.path [for|in] {what}
<use> pathlib.Path for {what}
<use> Path [for|in] {what}
<use> Path [instead of|rather than] [os.path|os|strings] [for|in] {what}
<use> a Path object [for|in] {what}
<rewrite> {what} with pathlib
<convert> {what} to pathlib
<convert> {what} to [Path|Path objects|pathlib.Path]
<switch> {what} to pathlib
port {what} to pathlib
<move> {what} [over |]to pathlib
<make> {what} use pathlib
<make> {what} use [Path|Path objects]
<replace> {what} [with|by] pathlib
<replace> {what} [with|by] [Path|the Path equivalent|its pathlib equivalent]
<replace> {what} [with|by] the [pathlib|Path] [way|version|method]
{what} <should> use pathlib
{what} <should> use Path
{what} <should> be [done|written] with [pathlib|Path]
[why|how come] isn't pathlib used for {what}
can't we use pathlib for {what}
<get_rid> os.path in {what}
no os.path in {what}, <use> Path
modernize {what} with pathlib
<lint>: PTH118 use pathlib [for|in] {what}
<lint>: PTH: use pathlib for {what}
PTH123 [for|in] {what}
PTH110 {what}
ruff PTH [complains about|flags] {what}
<nit>: pathlib for {what}
<nit>: Path instead of [os|os.path] [for|in] {what}
<review>: pathlib for {what} [please|]
{what} via pathlib
{what}, but with pathlib
<want> Path for {what}
<want> pathlib in {what}
{what} is old style, <use> [pathlib|Path]
pathlib [for|in] {what} [please|]
<use> pathlib{unsaid}
<use> pathlib here{unsaid}
<use> pathlib instead of [os.path|os|the os module|os.path functions|string paths]{unsaid}
<use> Path [objects|] [instead of|rather than] [os.path|strings|os]{unsaid}
<use> pathlib.Path{unsaid}
<convert> [this|it|the code|everything|] to pathlib{unsaid}
<replace> [os.path|os] [with|by] [pathlib|Path|Path objects]{unsaid}
<get_rid> os.path{unsaid}
no [more|] os.path [please|here|], <use> Path{unsaid}
<move> from os.path to pathlib{unsaid}
<switch> to pathlib{unsaid}
modern path handling{unsaid}
[pathlib|Path] [please|instead|here|would be nicer|is nicer than os.path]{unsaid}
os.path is [old|ugly|outdated|so 2010|clumsy], <use> pathlib{unsaid}
we use pathlib [everywhere|elsewhere|in this project], not os.path{unsaid}
[why|how come] os.path and not pathlib{unsaid}
flake8-use-pathlib{unsaid}
<lint>: PTH, <use> pathlib{unsaid}
{ending}{unsaid}
<lint>: {ending}{unsaid}
ruff: {ending}{unsaid}
ruff says {ending}{unsaid}
the linter wants this: {ending}{unsaid}
fix {ending}{unsaid}
{ending}, fix {what}
paths <should> be [Path objects|handled with pathlib|Paths]{unsaid}
@<use> pathlib [here|for this|]{plain}
@<use> Path [here|]{plain}
@pathlib [here|please|]{plain}
@Path instead of [os.path|os|strings]{plain}
@this <should> be [a Path|pathlib]{plain}
@this <should> use [Path|pathlib]{plain}
@<convert> this to pathlib{plain}
@[PTH118|PTH110|PTH123|PTH] [here|]{plain}
@<rewrite> this with [pathlib|Path]{plain}
@no os.path [here|]{plain}
@[why|how come] not pathlib{plain}
os.path -> pathlib{unsaid}
os.path => Path{unsaid}
Path!{unsaid}
pathlib?{unsaid}
Path objects please{unsaid}
paths are strings here, Path would be nicer{unsaid}
string paths -> Path{unsaid}
no string fiddling with paths{unsaid}
we live in [2024|2025], pathlib{unsaid}
the rest of [the code base|the module|the project] is on pathlib{unsaid}
everything else takes a Path already{unsaid}
consistency: pathlib{unsaid}
so that we can drop the os import{unsaid}
i'd like to get rid of import os{unsaid}
without os.path{unsaid}
without the os module{unsaid}
can we do this with Path?{unsaid}
could this be a Path?{unsaid}
why still os.path?{unsaid}
isn't pathlib nicer [here|]?{unsaid}
Path instead, much easier to read{unsaid}
os.path is hard to read{unsaid}
modernise the path stuff{unsaid}
modern paths{unsaid}
path stuff: pathlib{unsaid}
object oriented paths{unsaid}
PTH{unsaid}
ruff PTH rules are on now{unsaid}
we turned on flake8-use-pathlib{unsaid}
enable PTH: os and os.path calls must go{unsaid}
no more os.* for files{unsaid}
from os.path to Path, please{unsaid}
nit: Path{unsaid}
pathlib equivalent{unsaid}
refurb: use pathlib here{unsaid}
{ending} (ruff){unsaid}
{ending}, can you fix it?{unsaid}
ci fails: {ending}{unsaid}
pre-commit: {ending}{unsaid}
error: {ending}{unsaid}
{ending} in {what}
{what} -> pathlib
{what} -> Path
{what}: Path instead
{what} by Path
{what} is a string, should be a Path
{what} the pathlib way
{what} without os
{what} is so python 2, pathlib please
Path can do {what} [as well|too|nicer]
there's a Path method for {what}
pathlib has something for {what}
can {what} be done with Path?
why {what} and not pathlib?
instead of {what}: Path
let Path handle {what}
Path(...) for {what}
{what} is hard to read, Path isn't
PTH {what}
@Path?{plain}
@-> Path{plain}
@-> pathlib{plain}
@without os{plain}
@there's a Path method for this{plain}
@PTH{plain}
@could be a Path{plain}
@nicer with Path{plain}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Write with os what is written with pathlib, or do something with a name that sounds like a path."""
        if any(one.names[0] != "open" for one in Codemod().occasions(snippet, Request())):
            return None
        changes = list(_with_os(snippet))
        if not changes and rng.random() < 0.6:
            found = list(_of_names(snippet, rng))
            changes = rng.sample(found, min(len(found), rng.choice((1, 1, 2))))
        after = rewritten(snippet, [Occasion(one[0][0], (one,)) for one in changes]) if changes else None
        return Planted(Snippet(tuple(after))) if after else None

    def told(self, snippet: Snippet, rng: Random) -> dict[str, str]:
        """What a linter says of the calls."""
        names = {one.names[0] for one in Codemod().occasions(snippet, Request())}
        message = _MESSAGES.get(next(iter(names))) if len(names) == 1 else None
        return {"ending": message, "plain": ""} if message else {}


def _with_os(snippet: Snippet) -> Iterator[Change]:
    """What pathlib does with a path made on the spot, or joined by `/`, done by os; outermost only."""
    waiting: list[ast.AST] = [snippet.tree]
    while waiting:
        node = waiting.pop()
        text = _by_os(snippet, node) if isinstance(node, ast.Call | ast.Attribute | ast.BinOp) else ""
        if text and isinstance(node, ast.expr):
            yield replaced(snippet, node, text)
        elif not isinstance(node, ast.JoinedStr):
            waiting.extend(ast.iter_child_nodes(node))


def _by_os(snippet: Snippet, node: ast.expr) -> str:
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr=name), args=[], keywords=[]) if name in _METHODS:
            inner = _path(snippet, owner)
            return f"{_METHODS[name]}({inner})" if inner else ""
        case ast.Attribute(value=ast.Call() as owner, attr=name, ctx=ast.Load()) if name in _FIELDS:
            inner = _path(snippet, owner)
            return f"{_FIELDS[name]}({inner})" if inner else ""
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            parts = _joined(snippet, left, right)
            return f"os.path.join({', '.join(parts)})" if all(parts) else ""
    return ""


def _joined(snippet: Snippet, left: ast.expr, right: ast.expr) -> list[str]:
    """The parts of a path put together by `/`; one is empty where it is no path."""
    last = text_of(snippet, right)
    match left:
        case ast.BinOp(left=first, op=ast.Div(), right=second):
            return [*_joined(snippet, first, second), last]
    known = isinstance(left, ast.Name | ast.Attribute) and staging.is_path(ast.unparse(left))
    return [text_of(snippet, left) if known else _path(snippet, left), last]


def _path(snippet: Snippet, node: ast.expr) -> str:
    """What a Path is made of, or a name that sounds like one."""
    match node:
        case ast.Call(func=ast.Name(id="Path") | ast.Attribute(attr="Path"), args=[inner], keywords=[]):
            return text_of(snippet, inner)
        case ast.Name() | ast.Attribute() if staging.is_path(ast.unparse(node)):
            return text_of(snippet, node)
    return ""


def _of_names(snippet: Snippet, rng: Random) -> Iterator[Change]:
    """Something of os done with a name that sounds like a path."""
    more = f'"{pools.noun(rng)}{rng.choice(_ENDINGS)}"' if rng.random() < 0.7 else pools.variable_name(rng)
    for node in staging.outside_strings(snippet.tree):
        match node:
            case ast.Assign(
                targets=[ast.Name() | ast.Attribute() as target], value=ast.Name() | ast.Attribute() as value
            ):
                if staging.is_path(ast.unparse(target)):
                    text = ast.unparse(value)
                    ways = (f"os.path.join({text}, {more})", f"os.path.abspath({text})", f"os.path.expanduser({text})")
                    yield replaced(snippet, value, rng.choice((ways[0], *ways)))
            case ast.If(test=ast.Name() | ast.Attribute() as test) if staging.is_path(ast.unparse(test)):
                way = rng.choice(("exists", "exists", "isfile", "isdir"))
                yield replaced(snippet, test, f"os.path.{way}({ast.unparse(test)})")
            case ast.Call(args=arguments) if "path" not in ast.unparse(node.func):
                for one in arguments:
                    if isinstance(one, ast.Name | ast.Attribute) and staging.is_path(ast.unparse(one)):
                        text = ast.unparse(one)
                        ways = (
                            f"os.path.join({text}, {more})",
                            f"os.path.basename({text})",
                            f"os.path.dirname({text})",
                        )
                        yield replaced(snippet, one, rng.choice((ways[0], *ways)))
