"""Names for things that are not there yet: new names for renaming, and names nobody can find."""

import re
from collections.abc import Iterable
from random import Random

from spark_tui.training.kinds import pools


def absent_name(lines: Iterable[str], rng: Random, *, like: str = "") -> str:
    """A name that stands nowhere in the lines, in the style of `like` (snake, CamelCase, CAPITALS, _private)."""
    text = "\n".join(lines)
    while True:
        name = _in_style(rng, like)
        if not re.search(rf"\b{re.escape(name)}\b", text):
            return name


def _in_style(rng: Random, like: str) -> str:
    bare = like.strip("_")
    if bare[:1].isupper() and bare != bare.upper():
        name = pools.class_name(rng)
    elif len(bare) > 1 and bare == bare.upper() and not bare.isdigit():
        name = pools.variable_name(rng).upper()
    elif re.fullmatch(r"[a-z]+(?:[A-Z][a-z0-9]*)+", bare):
        name = pools.class_name(rng)
        name = name[0].lower() + name[1:] + ("Value" if name[1:].islower() else "")
    else:
        name = _plain(rng)
    private = like[: len(like) - len(like.lstrip("_"))] if rng.random() < 0.7 else ""
    return private + name


def _plain(rng: Random) -> str:
    roll = rng.random()
    if roll < 0.72:
        return pools.variable_name(rng)
    if roll < 0.87:
        return pools.function_name(rng)
    if roll < 0.93:
        return "_".join(pools.noun(rng) for _ in range(3))
    return "".join(rng.choice("bcdfghklmnprstvz") + rng.choice("aeiou") for _ in range(rng.randint(1, 4)))
