"""Make sure that the clean-up happens: move it into a finally."""

import ast
from collections.abc import Mapping
from random import Random
from typing import ClassVar

from spark_tui.editing.code import Function, indentation, stands_alone, statement_lines, walk_scope
from spark_tui.editing.codemods.common.occasions import Occasion, solid
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Planted
from spark_tui.training.kinds.finally_words import SKELETONS
from spark_tui.training.kinds.occasional import Occasional

_PAIRS = (
    ("{x} = {f}({y})", "{x}.close()"), ("{x} = open({y})", "{x}.close()"), ("{x}.acquire()", "{x}.release()"),
    ("self._{x}.acquire()", "self._{x}.release()"), ("{x}.start()", "{x}.stop()"), ("self.{x} = True", "self.{x} = False"),
    ("{x} = os.getcwd()\nos.chdir({y})", "os.chdir({x})"), ("{x} = tempfile.mkdtemp()", "shutil.rmtree({x})"),
    ("{x} = socket.socket()", "{x}.close()"), ("{x} = {f}()", "{x}.shutdown()"), ("{x} = {y}.connect()", "{x}.disconnect()"),
    ("{x}.{y} = True", "{x}.{y} = False"), ("self.{x} += 1", "self.{x} -= 1"), ("{x} = {y}.cursor()", "{x}.close()"),
    ("{x} = self.{y}\nself.{y} = None", "self.{y} = {x}"), ("{x}.pause()", "{x}.resume()"), ("{x} = {f}({y})", "{x}.cleanup()"),
    ("{x} = {f}()", "{x}.release()"), ("{x} = ThreadPoolExecutor()", "{x}.shutdown()"), ("{x} = {f}()", "os.unlink({x})"),
)  # fmt: skip


class UseFinally(Occasional):
    """`x.close()` at the end moves into the finally of a try around what may fail.

    Slots: besides those of Occasional, {yielding} after a yield, {closing} for a call, {resetting} for an assignment.
    """

    name: ClassVar[str] = "use_finally"
    one: ClassVar[str] = "the cleanup|the clean-up|the last step|the cleanup code|the teardown"
    many: ClassVar[str] = "the cleanups|the cleanup calls|all the cleanup|the clean-up steps"
    named: ClassVar[str] = "{}|`{}`|the {} line|the {} part|{} at the end|the {}"
    skeletons: ClassVar[str] = SKELETONS

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take a finally apart, or put a pair of calls around the statements of a function."""
        found = [
            one for one in ast.walk(snippet.tree)
            if isinstance(one, ast.Try) and one.finalbody and not one.handlers and not one.orelse and solid(one)
        ]  # fmt: skip
        if found and rng.random() < 0.8:
            after = _apart(snippet, rng.choice(found))
        else:
            after = _paired(snippet, rng) if rng.random() < 0.4 else None
        return Planted(Snippet(tuple(after))) if after else None

    def told(self, snippet: Snippet, rng: Random) -> dict[str, str]:
        """What is at hand."""
        yields = any(isinstance(one, ast.Yield) for one in ast.walk(snippet.tree))
        return {"plain": ""} | ({"yielding": ""} if yields else {"closing": ""})

    def wanted(self, found: list[Occasion], told: Mapping[str, str]) -> list[Occasion]:
        """The only one there is."""
        return found if len({one.line for one in found}) == 1 else []


def _apart(snippet: Snippet, node: ast.Try) -> list[str] | None:
    """The statements of a try and then those of its finally, without them."""
    first, last = statement_lines(node.body[0])[0], statement_lines(node.body[-1])[1]
    begin, close = statement_lines(node.finalbody[0])[0], statement_lines(node.finalbody[-1])[1]
    unit, middle = snippet.layout.unit, snippet.lines[last + 1 : begin]
    whole = first == node.lineno and [one.strip() for one in middle] == ["finally:"]
    if not whole or isinstance(node.body[-1], ast.Return | ast.Raise):
        return None
    lines = [*snippet.lines[first : last + 1], *snippet.lines[begin : close + 1]]
    if any(line.strip() and not line.startswith(unit) for line in lines):
        return None
    moved = [line.removeprefix(unit) if line.strip() else line for line in lines]
    return [*snippet.lines[: node.lineno - 1], *moved, *snippet.lines[close + 1 :]]


def _paired(snippet: Snippet, rng: Random) -> list[str] | None:
    """Something opened before a few statements of a function and closed after them; or a yield put before the last ones."""
    fit = [one for one in snippet.functions if len(one.body) > 1 and not _leaves(one)]
    if not fit:
        return None
    function = rng.choice(fit)
    start = 1 if isinstance(function.body[0], ast.Expr) and isinstance(function.body[0].value, ast.Constant) else 0
    body = function.body[start:]
    if not body or not all(stands_alone(snippet, one) and solid(one) for one in body):
        return None
    at = rng.randrange(len(body))
    stop = rng.randrange(at, min(len(body), at + 4))
    if isinstance(body[stop], ast.Return | ast.Raise | ast.Import | ast.ImportFrom):
        return None
    opening, closing = rng.choice(_PAIRS)
    words = {"x": pools.variable_name(rng), "y": pools.variable_name(rng), "f": pools.function_name(rng)}
    first, last = statement_lines(body[at])[0], statement_lines(body[stop])[1]
    indent = indentation(snippet.lines[first])
    above, below = ([indent + line for line in text.format(**words).split("\n")] for text in (opening, closing))
    gap = [""] if rng.random() < 0.15 else []
    inner = snippet.lines[first : last + 1]
    if rng.random() < 0.25 and not any(
        isinstance(one, ast.Yield | ast.YieldFrom | ast.Await) for one in walk_scope(function)
    ):
        inner = (indent + rng.choice(["yield", "yield", f"yield {words['x']}", "yield self"]),)
        last = first - 1
        if statement_lines(body[-1])[1] != statement_lines(body[at])[0] - 1:
            return [
                *snippet.lines[:first],
                *above,
                *inner,
                *gap,
                *below,
                *snippet.lines[statement_lines(body[-1])[1] + 1 :],
            ]
    return [*snippet.lines[:first], *above, *inner, *gap, *below, *snippet.lines[last + 1 :]]


def _leaves(function: Function) -> bool:
    return any(isinstance(one, ast.Return) and one.value is not None for one in walk_scope(function))
