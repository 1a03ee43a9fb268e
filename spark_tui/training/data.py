"""Training examples: one real snippet, a few planted occasions, several requests over it, each checked.

Everything is drawn from a generator seeded by (seed, index of the snippet), so that the same snippets give
the same groups on any number of processes.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, pairwise
from multiprocessing import get_context
from random import Random

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.format import MAX_LINES, Frame, render_script
from spark_tui.editing.identifiers import substitute
from spark_tui.editing.parser import ScriptParser
from spark_tui.editing.script import (
    Insert,
    LineOp,
    Ranged,
    ScriptError,
    Substitute,
    apply_script,
)
from spark_tui.editing.snippet import Snippet
from spark_tui.training.examples import Example, Group
from spark_tui.training.kinds.base import Edit, Kind
from spark_tui.training.kinds.registry import EDIT_KINDS
from spark_tui.training.names import absent_name
from spark_tui.training.refusals import is_listed, phrasebook, refusal, stranger

MIN_EXAMPLES, MAX_EXAMPLES, MAX_OF_A_KIND = 8, 18, 2
TRIED_BESIDE = 10
"""How many kinds are tried for further requests beside those that were written."""
RENAMED_SHARE = 0.3
SELECTED_SHARE = 0.1
NONE_SHARE = 0.07
STRANGERS = 0.6
"""The share of groups that get a request made about the snippet before theirs."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """An edit of a kind over the group's snippet."""

    kind: Kind
    edit: Edit


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
    snippet, known, wanted = _plant(snippet, weights, rng)
    examples = _examples(snippet, known, [*wanted, *_draw(EDIT_KINDS, weights, rng)], rng, held_out)
    return Group(snippet.lines, examples) if examples else None


def with_more(group: Group, rng: Random, weights: Weights) -> Group:
    """A group with what else can be asked about its region, in any order."""
    more = _examples(Snippet(group.before), (), _draw(EDIT_KINDS, weights, rng)[:TRIED_BESIDE], rng, held_out=False)
    both = (*group.examples, *more)
    return Group(group.before, tuple(rng.sample(both, len(both))))


def _examples(
    snippet: Snippet, known: Sequence[Proposal], wanted: Sequence[Kind], rng: Random, held_out: bool
) -> tuple[Example, ...]:
    """Requests about a snippet as it is, in any order: those of known edits, then of the kinds in the order given."""
    found = _proposals(snippet, known, wanted, rng)
    made = [_example(snippet, proposal, rng, held_out) for proposal in found]
    if rng.random() < NONE_SHARE * (len(found) + 1):
        made.append(refusal(snippet, [(one.kind, one.edit) for one in found], rng, held_out))
    examples = [one for one in made if one is not None]
    rng.shuffle(examples)
    return tuple(examples)


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
        taken up again (only the first group then lacks what the snippet before it would have given).
    """
    pairs = pairwise(chain([None], (snippet.lines for snippet in snippets)))
    work = ((index, lines, other) for index, (other, lines) in enumerate(pairs, first))
    make = partial(_numbered_group, seed, held_out, weights)
    if processes == 1:
        yield from filter(None, map(make, work))
        return
    with get_context("spawn").Pool(processes) as pool:
        yield from filter(None, pool.imap(make, work, chunksize=64))


def _numbered_group(
    seed: int, held_out: bool, weights: Weights | None, work: tuple[int, tuple[str, ...], tuple[str, ...] | None]
) -> Group | None:
    index, lines, other = work
    rng = Random(f"{seed}:{index}")
    group = make_group(Snippet(lines), rng, held_out=held_out, weights=weights)
    if group is None or other is None or rng.random() > STRANGERS:
        return group
    strange = stranger(Snippet(group.before), Snippet(other), rng, held_out)
    return replace(group, examples=(*group.examples, strange)) if strange else group


def _plant(snippet: Snippet, weights: Weights, rng: Random) -> tuple[Snippet, list[Proposal], list[Kind]]:
    """Plant some occasions. Returns: the snippet, the edits that undo a planting, the kinds that find theirs again."""
    known: list[Proposal] = []
    wanted: list[Kind] = []
    count = rng.choices(range(10), (5, 5, 10, 15, 20, 15, 10, 10, 5, 5))[0]
    for kind in _draw(_planting_kinds(), weights, rng):
        if len(known) + len(wanted) >= count:
            break
        try:
            new = kind.plant(snippet, rng)
        except SyntaxError:  # what it planted broke the code, and it looked at that
            continue
        if new is None or not _sound(new.snippet):
            continue
        known = [one for one in known if _still_fits(one.edit, snippet, new.snippet)]
        snippet = new.snippet
        if new.edit is None:
            wanted.append(kind)
        else:
            known.append(Proposal(kind, new.edit))
    return snippet, known, wanted


def _still_fits(edit: Edit, old: Snippet, new: Snippet) -> bool:
    """Whether an edit of the old lines means the same on the new ones."""
    if len(old.lines) != len(new.lines) or any(isinstance(op, Substitute) for op in edit.ops):
        return False
    near = [number for op in edit.ops for number in _reach(op)]
    return all(old.lines[n] == new.lines[n] for n in near if 0 <= n < len(old.lines))


def _reach(op: LineOp) -> Iterable[int]:
    return (
        range(op.first, op.last + 1)
        if isinstance(op, Ranged)
        else (op.after, op.after + 1)
        if isinstance(op, Insert)
        else ()
    )


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


def _proposals(snippet: Snippet, known: Sequence[Proposal], wanted: Sequence[Kind], rng: Random) -> list[Proposal]:
    """Up to MAX_EXAMPLES edits: those known, then kinds tried in the order of `wanted`."""
    limit = rng.randint(MIN_EXAMPLES, MAX_EXAMPLES)
    found = [one for one in known if is_sound(snippet, one.kind, one.edit)]
    for kind in [kind for _ in range(MAX_OF_A_KIND) for kind in wanted]:
        if len(found) >= limit:
            break
        if sum(one.kind is kind for one in found) >= MAX_OF_A_KIND:
            continue
        edit = kind.propose(snippet, rng)
        if edit is not None and edit.ops and is_sound(snippet, kind, edit):
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
