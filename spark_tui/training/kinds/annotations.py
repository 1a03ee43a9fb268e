"""Types to tell in an instruction, in code and in words, and what it takes to write them on a signature."""

from random import Random

from spark_tui.editing.signatures import annotation_span, default_of, same_without_annotations
from spark_tui.training.kinds.pools import simple_type

__all__ = ["annotation_span", "default_of", "random_type", "same_without_annotations"]

_PLURAL = {"str": "strings", "int": "ints", "float": "floats", "bool": "bools", "dict": "dicts", "Path": "paths"}
_ARTICLE = {
    "str": "a string",
    "int": "an int",
    "float": "a float",
    "bool": "a bool",
    "bytes": "bytes",
    "dict": "a dict",
}


def random_type(rng: Random) -> tuple[str, str]:
    """A type as code and how one says it in words, such as `list[str]`, "a list of str"."""
    roll = rng.random()
    if roll < 0.5:
        one = simple_type(rng)
        return one, _one(one, rng)
    if roll < 0.66:
        return _container(rng)
    if roll < 0.8:
        return _optional(rng)
    if roll < 0.87:
        first, second = simple_type(rng), simple_type(rng)
        words = rng.choice(
            ["a tuple of {} and {}", "a pair of {} and {}", "a ({}, {}) tuple", "a tuple with {} then {}"]
        )
        return f"tuple[{first}, {second}]", words.format(first, second)
    if roll < 0.94:
        first, second = _two(rng)
        return f"{first} | {second}", rng.choice(["{} or {}", "either {} or {}", "{} or else {}"]).format(first, second)
    first, second = rng.choice(["str", "int", simple_type(rng)]), _inner(rng)
    words = rng.choice(["a dict of {} to {}", "a dict mapping {} to {}", "a dict from {} to {}", "a {} to {} dict"])
    return f"dict[{first}, {second}]", words.format(first, second)


def _one(name: str, rng: Random) -> str:
    article = "an" if name[0] in "aeiouAEIO" else "a"
    return rng.choice([name, f"{article} {name}", _ARTICLE.get(name, f"{article} {name}")])


def _container(rng: Random) -> tuple[str, str]:
    inner = _inner(rng)
    plural = rng.choice([inner, _PLURAL.get(inner, inner), f"{inner} objects" if inner[0].isupper() else inner])
    outer = rng.choice(
        ["list", "list", "list", "set", "Iterator", "Iterable", "Sequence", "type", "frozenset", "tuple"]
    )
    if outer == "tuple":
        return f"tuple[{inner}, ...]", rng.choice(
            [f"a tuple of any number of {plural}", f"any number of {plural} in a tuple"]
        )
    if outer == "type":
        return f"type[{inner}]", rng.choice([f"a subclass of {inner}", f"the class {inner} itself"])
    article = "an" if outer[0] == "I" else "a"
    return f"{outer}[{inner}]", rng.choice([f"{article} {outer.lower()} of {plural}", f"{outer.lower()} of {plural}"])


def _optional(rng: Random) -> tuple[str, str]:
    inner = simple_type(rng)
    if rng.random() < 0.3:
        return f"Optional[{inner}]", rng.choice([f"Optional of {inner}", f"an Optional {inner}"])
    return f"{inner} | None", rng.choice([f"{inner} or None", f"a {inner} or None", f"either {inner} or None"])


def _inner(rng: Random) -> str:
    return rng.choice(["str", "int", "float", "bytes", "dict", simple_type(rng), simple_type(rng), simple_type(rng)])


def _two(rng: Random) -> tuple[str, str]:
    first = simple_type(rng)
    second = simple_type(rng)
    return (first, second) if first != second else (first, "bytes" if first != "bytes" else "str")
