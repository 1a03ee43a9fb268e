"""The language of skeletons: `{slot}`, `[a|b|]` (one alternative, may nest), `<macro>`; backslash for plain signs."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random

from spark_tui.training.macros import MACROS

HELD_OUT_PERCENT = 15

_TOKEN = re.compile(r"\\(.)|\[|\]|\||\{(\w+)\}|<([a-z_]+)>|[^\\\[\]|{<]+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a slot's value."""

    name: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several alternatives, each a sequence of nodes."""

    options: tuple["Sequence", ...]


Node = str | Slot | Choice
Sequence = tuple[Node, ...]


@cache
def parse_skeleton(line: str) -> Sequence:
    """A skeleton as a tree. Raises: ValueError: an unknown macro or an open bracket."""
    tokens = list(_TOKEN.finditer(line))
    options, rest = _alternatives(tokens, 0, nested=False)
    if rest != len(tokens):
        raise ValueError(f"bracket without a start: {line!r}")
    return options[0]


def _alternatives(tokens: list[re.Match[str]], at: int, *, nested: bool) -> tuple[tuple[Sequence, ...], int]:
    options: list[list[Node]] = [[]]
    while at < len(tokens):
        token = tokens[at]
        at += 1
        text = token[0]
        if text == "[":
            inner, at = _alternatives(tokens, at, nested=True)
            options[-1].append(Choice(inner))
        elif text == "]":
            if not nested:
                raise ValueError("a ] without a [ in a skeleton")
            return tuple(map(tuple, options)), at
        elif text == "|" and nested:
            options.append([])
        else:
            options[-1].append(_leaf(token))
    if nested:
        raise ValueError("a [ without a ] in a skeleton")
    return tuple(map(tuple, options)), at


def _leaf(token: re.Match[str]) -> Node:
    escaped, slot, macro = token.groups()
    if escaped:
        return str(escaped)
    if slot:
        return Slot(slot)
    if macro:
        return _macro(macro)
    return token[0]


@cache
def _macro(name: str) -> Choice:
    if name not in MACROS:
        raise ValueError(f"unknown macro <{name}>")
    return Choice(tuple(parse_skeleton(option) for option in MACROS[name].split("|")))


def is_held_out(line: str) -> bool:
    """Whether a skeleton line is kept for evaluation; depends on its text only."""
    return int.from_bytes(hashlib.sha256(line.encode()).digest()[:4], "big") % 100 < HELD_OUT_PERCENT


@dataclass(frozen=True, slots=True)
class Family:
    """One skeleton line: `tree` without the leading `@`, which `on_selection` stands for."""

    line: str
    tree: Sequence
    on_selection: bool
    held_out: bool

    @classmethod
    def of(cls, line: str) -> "Family":
        """Read one skeleton line."""
        return cls(line, parse_skeleton(line.removeprefix("@").strip()), line.startswith("@"), is_held_out(line))

    @property
    def id(self) -> str:
        """A short stable name."""
        return hashlib.sha256(self.line.encode()).hexdigest()[:8]


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of an instruction; `slot` is the slot's name when it is a slot's value."""

    text: str
    slot: str | None = None


@cache
def usable(tree: Sequence, known: frozenset[str]) -> bool:
    """Whether a skeleton can do with the slots that are known."""
    return all(_node_isusable(node, known) for node in tree)


def _node_isusable(node: Node, known: frozenset[str]) -> bool:
    if isinstance(node, Slot):
        return node.name in known
    return isinstance(node, str) or any(usable(option, known) for option in node.options)


def expand(tree: Sequence, slots: Mapping[str, str], rng: Random) -> Iterator[Part]:
    """One way to say a skeleton, in parts; alternatives whose slots are unknown are never picked."""
    for node in tree:
        if isinstance(node, str):
            yield Part(node)
        elif isinstance(node, Slot):
            yield Part(slots[node.name], node.name)
        else:
            known = frozenset(slots)
            yield from expand(rng.choice([o for o in node.options if usable(o, known)]), slots, rng)
