"""New parameters to tell (reading and changing signatures is in spark_tui.editing.signatures)."""

from random import Random

from spark_tui.editing.code import Function, mentions, parameters
from spark_tui.editing.signatures import (
    append_parameter,
    default_is_due,
    drop_parameter,
    insert_parameter,
    parameter_source,
    parameter_span,
)
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.annotations import random_type
from spark_tui.training.kinds.pools import value, variable_name

__all__ = [
    "append_parameter",
    "default_is_due",
    "drop_parameter",
    "fresh_name",
    "insert_parameter",
    "parameter_source",
    "parameter_span",
    "random_parameter",
]


def fresh_name(snippet: Snippet, rng: Random) -> str | None:
    """A variable name that the snippet does not mention."""
    name = variable_name(rng)
    return None if mentions(snippet, name) else name


def random_parameter(
    function: Function, name: str, rng: Random, *, default: bool, quote: str = "'"
) -> tuple[str, str, str]:
    """A parameter as source, its type and its default ("" when it has none): hints where the signature has hints."""
    hinted = any(one.annotation for one in parameters(function))
    code = random_type(rng)[0] if rng.random() < (0.7 if hinted else 0.12) else ""
    fallback = value(rng, quote) if default else ""
    return parameter_source(name, code, fallback), code, fallback
