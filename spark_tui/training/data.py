"""Training examples: one real snippet, a few planted occasions, several requests over it, each checked.

Everything is drawn from a generator seeded by (seed, index of the snippet), so that the same snippets give
the same groups on any number of processes.
"""

import ast
import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from spark_tui.editing.codemods.base import Request, listed
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.format import MAX_LINES, NO_EDIT, Frame, render_script
from spark_tui.editing.identifiers import substitute
from spark_tui.editing.parser import ScriptParser
from spark_tui.editing.script import (
    Dedent,
    Delete,
    Indent,
    Insert,
    LineOp,
    Ranged,
    Replace,
    ScriptError,
    Substitute,
    apply_script,
)
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.registry import EDIT_KINDS, kinds
from spark_tui.training.names import absent_name
from spark_tui.training.phrasing import Phrase, Phrasebook

MIN_EXAMPLES, MAX_EXAMPLES, MAX_OF_A_KIND = 8, 18, 2
RENAMED_SHARE = 0.3
SELECTED_SHARE = 0.1
NONE_SHARE = 0.07
_NAMING_SLOTS = (
    "old", "var", "param", "attr", "func", "cls", "function", "name", "variable", "parameter", "attribute", "method",
    "class", "argument",
)  # fmt: skip
_OP_CODES: dict[str, type[LineOp]] = {
    "R": Replace, "I": Insert, "D": Delete, "S": Substitute, "IND": Indent, "DED": Dedent
}  # fmt: skip
_CODE_OF = {kind: code for code, kind in _OP_CODES.items()}


@dataclass(frozen=True, slots=True)
class Example:
    """One request and the script that answers it. `selected`: 0-based first and last line, or None."""

    kind: str
    ops: tuple[LineOp, ...]
    instruction: str
    selected: tuple[int, int] | None
    family: str
    held_out: bool


@dataclass(frozen=True, slots=True)
class Group:
    """A region and the requests made about it."""

    before: tuple[str, ...]
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """An edit of a kind over the group's snippet."""

    kind: Kind
    edit: Edit


@cache
def phrasebook(kind: str) -> Phrasebook:
    """The phrasebook of a kind, by its name."""
    return Phrasebook(next(one.skeletons for one in kinds() if one.name == kind))


Weights = Mapping[str, float]
"""How eagerly each kind is tried, by name."""


def balanced_weights(sample: Sequence[Snippet]) -> Weights:
    """Weights that make up for how seldom a kind finds an occasion in the sample."""
    found = Counter(kind.name for number, one in enumerate(sample) for kind in EDIT_KINDS if _fits(kind, one, number))
    return {kind.name: kind.weight / max(found[kind.name] / max(len(sample), 1), 0.01) for kind in EDIT_KINDS}


def _fits(kind: Kind, snippet: Snippet, seed: int) -> bool:
    rng = Random(seed)
    return kind.plant(snippet, rng) is not None or kind.propose(snippet, rng) is not None


def make_group(
    snippet: Snippet, rng: Random, *, held_out: bool = False, weights: Weights | None = None
) -> Group | None:
    """Examples over one snippet, or None when nothing could be asked of it.

    Args: held_out: phrase with the families kept for evaluation. weights: default: the kinds' own.
    """
    weights = weights or {kind.name: kind.weight for kind in EDIT_KINDS}
    if rng.random() < RENAMED_SHARE:
        snippet = with_other_locals(snippet, rng)
    planted, wanted = _plant(snippet, weights, rng)
    found = _proposals(planted, [*wanted, *_draw(EDIT_KINDS, weights, rng)], rng)
    made = [_example(planted.snippet, proposal, rng, held_out) for proposal in found]
    if rng.random() < NONE_SHARE * (len(found) + 1):
        made.append(_refusal(planted.snippet, found, rng, held_out))
    examples = [one for one in made if one is not None]
    rng.shuffle(examples)
    return Group(planted.snippet.lines, tuple(examples)) if examples else None


def groups(
    snippets: Iterable[Snippet],
    *,
    seed: int,
    held_out: bool = False,
    processes: int = 1,
    first: int = 0,
    weights: Weights | None = None,
) -> Iterator[Group]:
    """The groups of snippets, in order; those that give nothing are left out.

    Args: held_out, weights: as for make_group. first: the index of the first snippet, so that a stream can be
        taken up again.
    """
    work = ((index, snippet.lines) for index, snippet in enumerate(snippets, first))
    make = partial(_numbered_group, seed, held_out, weights)
    if processes == 1:
        yield from filter(None, map(make, work))
        return
    with get_context("spawn").Pool(processes) as pool:
        yield from filter(None, pool.imap(make, work, chunksize=64))


def _numbered_group(
    seed: int, held_out: bool, weights: Weights | None, work: tuple[int, tuple[str, ...]]
) -> Group | None:
    index, lines = work
    return make_group(Snippet(lines), Random(f"{seed}:{index}"), held_out=held_out, weights=weights)


def _plant(snippet: Snippet, weights: Weights, rng: Random) -> tuple[Planted, list[Kind]]:
    """Plant up to four occasions. Returns: the last planting, and the kinds that can find theirs again."""
    planted, wanted = Planted(snippet), []
    count = rng.choices((0, 1, 2, 3, 4), (10, 25, 30, 20, 15))[0]
    last: Kind | None = None
    for kind in _draw(_planting_kinds(), weights, rng):
        if count == 0:
            break
        new = kind.plant(planted.snippet, rng)
        if new is None or not _sound(new.snippet):
            continue
        planted, count, last = new, count - 1, kind
        wanted.append(kind)
    if planted.edit is not None and last is not None:
        wanted.remove(last)
        wanted.insert(0, last)
    return planted, wanted


@cache
def _planting_kinds() -> tuple[Kind, ...]:
    return tuple(kind for kind in EDIT_KINDS if type(kind).plant is not Kind.plant)


def _sound(snippet: Snippet) -> bool:
    if not 1 <= len(snippet.lines) <= MAX_LINES or any(line and not line.strip() for line in snippet.lines):
        return False
    try:
        return bool(snippet.tree.body)
    except SyntaxError:
        return False


def _draw(pool: Sequence[Kind], weights: Weights, rng: Random) -> list[Kind]:
    """All of the pool in a random order in which heavy ones come early."""
    keys = {kind.name: rng.random() ** (1 / weights[kind.name]) for kind in pool}
    return sorted(pool, key=lambda kind: -keys[kind.name])


def _proposals(planted: Planted, wanted: Sequence[Kind], rng: Random) -> list[Proposal]:
    """Up to MAX_EXAMPLES edits, kinds tried in the order of `wanted`; a planted edit belongs to its first."""
    limit = rng.randint(MIN_EXAMPLES, MAX_EXAMPLES)
    found: list[Proposal] = []
    if planted.edit is not None:
        found.append(Proposal(wanted[0], planted.edit))
        wanted = wanted[1:]
    for kind in [kind for _ in range(MAX_OF_A_KIND) for kind in wanted]:
        if len(found) >= limit:
            break
        if sum(one.kind is kind for one in found) >= MAX_OF_A_KIND:
            continue
        edit = kind.propose(planted.snippet, rng)
        if edit is not None and edit.ops and is_sound(planted.snippet, kind, edit):
            found.append(Proposal(kind, edit))
    return found


def _example(snippet: Snippet, proposal: Proposal, rng: Random, held_out: bool) -> Example | None:
    edit, kind = proposal.edit, proposal.kind
    selected, slots = edit.selected, dict(edit.slots)
    if selected is None and rng.random() < SELECTED_SHARE:
        selected = _touched(edit.ops, len(snippet.lines), rng)
        if selected and rng.random() < 0.7:
            slots.pop("function", None)
    told = partial(
        phrasebook(kind.name).phrase,
        rng=rng,
        held_out=held_out,
        ambiguous=len(snippet.functions) > 1 or isinstance(snippet.tree.body[0], ast.ClassDef),
        selected=selected is not None,
    )
    phrase = told(slots) or told(edit.slots)
    if phrase is None or not is_listed(snippet, kind.name, edit.ops, Request(phrase.text, selected)):
        return None
    return Example(kind.name, edit.ops, phrase.text, selected, phrase.family, held_out)


def is_listed(snippet: Snippet, kind: str, ops: tuple[LineOp, ...], request: Request) -> bool:
    """Whether an edit could be given as the answer: where its kind's edits are listed, it is one of them."""
    codemod = codemods().get(kind)
    edits = listed(codemod, snippet, request) if codemod else None
    return edits is None or ops in edits


def _refusal(snippet: Snippet, found: list[Proposal], rng: Random, held_out: bool) -> Example | None:
    """A request that gets no edit: half of them are an edit's words about something that is not there."""
    phrase = _about_absent(snippet, rng.choice(found), rng, held_out) if found and rng.random() < 0.6 else None
    if phrase is None:
        none = next(kind for kind in kinds() if kind.name == NO_EDIT)
        edit = none.propose(snippet, rng)
        phrase = phrasebook(NO_EDIT).phrase(edit.slots if edit else {}, rng, held_out=held_out)
    return Example(NO_EDIT, (), phrase.text, None, phrase.family, held_out) if phrase else None


def _about_absent(snippet: Snippet, proposal: Proposal, rng: Random, held_out: bool) -> Phrase | None:
    slots = proposal.edit.slots
    text = "\n".join(snippet.lines)
    names = [slots[slot] for slot in _NAMING_SLOTS if slot in slots]
    present = [name for name in names if name.isidentifier() and re.search(rf"\b{name}\b", text)]
    if not present:
        return None
    name = rng.choice(present)
    absent = absent_name(snippet.lines, rng, like=name)
    slots = {slot: absent if value == name else value for slot, value in slots.items()}
    phrase = phrasebook(proposal.kind.name).phrase(slots, rng, held_out=held_out, ambiguous=True)
    return phrase if phrase and absent in phrase.text else None


def is_sound(snippet: Snippet, kind: Kind, edit: Edit) -> bool:
    """Whether an edit applies, changes something its kind accepts, and can be written and read back."""
    try:
        after = apply_script(snippet.lines, edit.ops, unit=snippet.layout.unit)
    except ScriptError:
        return False
    return after != list(snippet.lines) and kind.accepts(snippet, after, edit.slots) and reads_back(snippet, edit.ops)


def reads_back(snippet: Snippet, ops: tuple[LineOp, ...]) -> bool:
    """Whether a script over the snippet is the same after it was written and parsed."""
    frame = Frame(len(snippet.lines), snippet.layout)
    parser = ScriptParser(frame)
    for piece in render_script("any", ops, frame):
        for _ in parser.feed(piece):
            pass
    return parser.finished and tuple(parser.ops) == ops


def _touched(ops: Iterable[LineOp], count: int, rng: Random) -> tuple[int, int] | None:
    """The lines an edit is about, sometimes with a neighbour; None for a substitution."""
    ops = list(ops)
    if any(isinstance(op, Substitute) for op in ops):
        return None
    lines = [number for op in ops if isinstance(op, Ranged) for number in (op.first, op.last)]
    lines = lines or [max(op.after, 0) for op in ops if isinstance(op, Insert)]
    first, last = min(lines), max(lines)
    if rng.random() < 0.2:
        first, last = max(first - rng.randint(0, 1), 0), min(last + rng.randint(0, 1), count - 1)
    return first, last


def with_other_locals(snippet: Snippet, rng: Random) -> Snippet:
    """The snippet with one to four parameters or local variables renamed throughout; itself when that fails."""
    names = sorted(_locals(snippet))
    lines: Sequence[str] = snippet.lines
    for old in rng.sample(names, min(len(names), rng.randint(1, 4))):
        lines = substitute(lines, old, absent_name(lines, rng))
    new = Snippet(tuple(lines))
    return new if _sound(new) and max(map(len, lines)) <= 160 else snippet


def _locals(snippet: Snippet) -> set[str]:
    names: set[str] = set()
    kept = {"self", "cls", "mcs", "_"}
    for function in snippet.functions:
        for node in ast.walk(function):
            if isinstance(node, ast.arg):
                names.add(node.arg)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, ast.Global | ast.Nonlocal):
                kept.update(node.names)
    return names - kept


def write_groups(path: Path, found: Iterable[Group]) -> int:
    """Write groups as gzipped JSON lines; the same groups give the same bytes. Returns: how many."""
    count = 0
    with path.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
        for group in found:
            file.write((json.dumps(_to_json(group), ensure_ascii=False, separators=(",", ":")) + "\n").encode())
            count += 1
    return count


def read_groups(path: Path) -> Iterator[Group]:
    """The groups of a file that `write_groups` wrote."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield _from_json(json.loads(line))


def _to_json(group: Group) -> list[object]:
    examples = [
        [one.kind, [_op_to_json(op) for op in one.ops], one.instruction, one.selected, one.family, int(one.held_out)]
        for one in group.examples
    ]
    return ["\n".join(group.before), examples]


def _op_to_json(op: LineOp) -> list[object]:
    values: list[object] = [getattr(op, name) for name in op.__match_args__]
    return [_CODE_OF[type(op)], *values]


def _from_json(row: list[Any]) -> Group:
    before, examples = row
    return Group(tuple(before.split("\n")), tuple(map(_example_from_json, examples)))


def _example_from_json(row: list[Any]) -> Example:
    kind, ops, instruction, selected, family, held_out = row
    chosen = (selected[0], selected[1]) if selected else None
    return Example(kind, tuple(map(_op_from_json, ops)), instruction, chosen, family, bool(held_out))


def _op_from_json(row: list[Any]) -> LineOp:
    code, *values = row
    build: Callable[..., LineOp] = _OP_CODES[code]
    return build(*(tuple(value) if isinstance(value, list) else value for value in values))
