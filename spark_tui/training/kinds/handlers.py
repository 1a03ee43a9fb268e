"""The words that ask for except clauses (reading them is in spark_tui.editing.codemods.handling)."""

import ast
import re
from dataclasses import dataclass
from random import Random

from spark_tui.editing import code
from spark_tui.editing.code import Function
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools, wording
from spark_tui.training.kinds.statements import argument_names

TROUBLES = {
    "FileNotFoundError": "the missing file|a missing file|the file not existing|file not found|a file that isn't there",
    "ValueError": "a bad number|an invalid number|a non-numeric value|input that is not a number|the invalid number",
    "json.JSONDecodeError": "invalid json|malformed json|broken json|the json error|bad json",
}
_IGNORING = [
    ("pass", "passing"), ("ignore it", "ignoring it"), ("swallow it", "swallowing it"),
    ("ignore the error", "ignoring it"), ("do nothing", "doing nothing"), ("just pass", "just passing"),
    ("ignore that", "ignoring that"),
]  # fmt: skip
_SKIPPING = [
    ("continue", "continuing"), ("skip it", "skipping it"), ("skip to the next one", "skipping to the next one"),
    ("move on to the next", "moving on to the next"), ("continue the loop", "continuing the loop"),
]  # fmt: skip
_PRINTING = [("print it", "printing it"), ("print the error", "printing the error"), ("print e", "printing e")]


@dataclass(frozen=True, slots=True)
class Handler:
    """An except clause with one action. `handler`, `handling`: the words; None when the action goes without saying."""

    exception: str
    action: str
    handler: str | None = None
    handling: str | None = None


def choose(
    snippet: Snippet, node: ast.stmt, function: Function | None, in_loop: bool, rng: Random, exception: str
) -> Handler | None:
    """A handler that fits the place.

    One that is not told is `pass` after a mere call and `return None` when later lines need a result.
    """
    returns = function is not None and not any(
        isinstance(n, ast.Yield | ast.YieldFrom) for n in code.walk_scope(function)
    )
    if rng.random() < 0.25:
        mere = isinstance(node, ast.Expr | ast.Delete)
        return Handler(exception, "pass" if mere else "return None") if mere or returns else None
    roll = rng.random()
    if in_loop and roll < 0.4:
        return Handler(exception, "continue", *rng.choice(_SKIPPING))
    if returns and roll < 0.55:
        names = argument_names(function) if function else ()
        source, words = wording.value(snippet, rng, names)
        return Handler(exception, f"return {source}", f"return {words}", f"returning {words}")
    if roll < 0.75 or re.search(r"\be\b", "\n".join(snippet.lines)):
        return Handler(exception, "pass", *rng.choice(_IGNORING))
    if roll < 0.83:
        return Handler(exception, "print(e)", *rng.choice(_PRINTING))
    other = wording.raised(rng)
    words = rng.choice([f"{other} from it", f"{other} from e", f"{other} instead", other])
    return Handler(exception, f"raise {other} from e", f"raise {words}", f"raising {words}")


def trouble(exception: str, rng: Random) -> str:
    """The words for what goes wrong when an exception of TROUBLES is raised."""
    return rng.choice(TROUBLES[exception].split("|"))


def any_exception(rng: Random) -> str:
    """What an except clause could catch."""
    if rng.random() < 0.07:
        return f"({pools.class_name(rng)}Error, {wording.exception(rng)})"
    return wording.exception(rng)
