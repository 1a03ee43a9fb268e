"""The words that ask for except clauses (reading them is in spark_tui.editing.codemods.checks.handling)."""

import re
from dataclasses import dataclass
from random import Random

from spark_tui.editing.codemods.checks.fallbacks import usual_actions
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, is_generator, quote
from spark_tui.training.kinds import pools, wording
from spark_tui.training.kinds.statements import argument_names

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


def choose(snippet: Snippet, place: Place, rng: Random, exception: str, untold: float = 0.25) -> Handler | None:
    """A handler that fits the place; in a share `untold` of the cases the one that goes without saying."""
    function, in_loop = place.function, place.in_loop
    returns = function is not None and not is_generator(function)
    if rng.random() < untold:
        usual = usual_actions(place, exception, quote(snippet, ""))
        return Handler(exception, usual[0]) if usual else None
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


def any_exception(rng: Random) -> str:
    """What an except clause could catch."""
    if rng.random() < 0.07:
        return f"({pools.class_name(rng)}Error, {wording.exception(rng)})"
    return wording.exception(rng)
