"""How people refer to the statements of a snippet (where they stand is in spark_tui.editing.statements)."""

import ast
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from spark_tui.editing import code
from spark_tui.editing.code import Function
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import (
    COMPOUND,
    SCOPES,
    Place,
    argument_names,
    calls_of,
    dotted,
    has_tail,
    inner_blocks,
    is_generator,
    is_string,
    is_stub,
    movable,
    names_of,
    outside_fstrings,
    places,
    quote,
    spliced,
    top_of,
)

__all__ = [
    "COMPOUND",
    "SCOPES",
    "Place",
    "Subject",
    "argument_names",
    "calls_of",
    "describe",
    "dotted",
    "has_tail",
    "inner_blocks",
    "is_generator",
    "is_string",
    "is_stub",
    "movable",
    "names_of",
    "outside_fstrings",
    "places",
    "quote",
    "spliced",
    "subject",
    "top_of",
]

_SAYINGS = {
    "assign": "the assignment to {}|the line that sets {}|the line that assigns {}|where {} is set|the {} assignment"
    "|the line setting {}|the line where {} is assigned|the place where we set {}|where {} gets its value",
    "update": "the update of {}|the line that updates {}|where {} is updated|the {} update|the line changing {}",
    "call": "the call to {}|the {} call|the {}() call|the call of {}|the line that calls {}|where {} is called"
    "|the {}() line|the line calling {}|the invocation of {}|where we call {}",
    "return": "the return|the return statement|the return line|where it returns|the line that returns",
    "raise": "the raise|the raise statement|the raise line|the line that raises",
    "assert": "the assert|the assertion|the assert statement|the assert line",
    "if": "the if|the if statement|the if block|the if check",
    "try": "the try|the try block|the try statement|the try/except",
    "with": "the with|the with block|the with statement|the context manager",
    "loop": "the loop|the loop block",
    "for": "the for loop|the for|the for-loop",
    "while": "the while loop|the while|the while-loop",
}


def describe(
    snippet: Snippet, among: Sequence[Place], place: Place, rng: Random, *, verbatim: bool = True
) -> str | None:
    """A phrase that means this statement and no other of the snippet, or None.

    Args: verbatim: the statement itself, as it is written, may be the phrase.
    """
    owners: dict[tuple[str, str], list[Place]] = defaultdict(list)
    for other in among:
        for pair in set(names_of(other)):
            owners[pair].append(other)
    header = isinstance(place.node, COMPOUND) and not isinstance(place.node, ast.With | ast.AsyncWith)
    known = [n for n in dict.fromkeys(names_of(place)) if len(owners[n]) == 1 and not (header and n[0] == "call")]
    text = snippet.lines[place.first].strip()
    if verbatim and place.first == place.last and len(text) <= 50 and (not known or rng.random() < 0.2):
        same = [line for line in snippet.lines if line.strip() == text]
        return rng.choice(("{}", "`{}`", "the line {}", "the line `{}`")).format(text) if len(same) == 1 else None
    if not known:
        return None
    sort, name = rng.choice(known)
    return rng.choice(_SAYINGS[sort].split("|")).replace("{}", _quoted(name, rng))


def _quoted(name: str, rng: Random) -> str:
    return f"`{name}`" if rng.random() < 0.15 else name


@dataclass(frozen=True, slots=True)
class Subject:
    """What a check at the top of a function is about: a name, the function, and where the check goes."""

    name: str
    function: Function
    after: int
    indent: str


def subject(snippet: Snippet, rng: Random) -> Subject | None:
    """A parameter, or now and then an attribute of self, that a function could check first."""
    if not snippet.functions:
        return None
    function = rng.choice(snippet.functions)
    top = top_of(snippet, function)
    names = list(argument_names(function))
    if not names or rng.random() < 0.1:
        nodes = [node for node in code.walk_scope(function) if isinstance(node, ast.Attribute)]
        names = sorted({name for node in nodes if (name := dotted(node) or "").count(".") == 1 and "self." in name})
    if top is None or not names:
        return None
    return Subject(rng.choice(names), function, *top)
