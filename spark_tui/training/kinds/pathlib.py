"""Use pathlib in place of os.path and os."""

from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.pathlib import UsePathlib as Codemod
from spark_tui.editing.snippet import Snippet
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


class UsePathlib(Occasional):
    """`os.path.join(a, b)` becomes `Path(a) / b`, and so on. Real code has the occasions.

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
"""

    def told(self, snippet: Snippet, rng: Random) -> dict[str, str]:
        """What a linter says of the calls."""
        names = {one.names[0] for one in Codemod().occasions(snippet, Request())}
        message = _MESSAGES.get(next(iter(names))) if len(names) == 1 else None
        return {"ending": message, "plain": ""} if message else {}
