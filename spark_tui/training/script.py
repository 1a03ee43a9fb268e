"""Line operations on a region: how references to code write down an edit, applied exactly.

A script is a tuple of operations over the *original* lines of a region, numbered from 0. Operations
never overlap, so their order does not matter. Lines are strings without their line ending.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from spark_tui.editing.identifiers import substitute
from spark_tui.errors import SparkError

TOP = -1
"""The line number that stands for "before the first line" in an Insert."""


class ScriptError(SparkError):
    """A script that does not fit the lines it is applied to."""


@dataclass(frozen=True, slots=True)
class Replace:
    """Lines first..last (inclusive) become `lines`."""

    first: int
    last: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Insert:
    """`lines` come in after line `after` (TOP: before everything)."""

    after: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Delete:
    """Lines first..last (inclusive) go away."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Substitute:
    """The identifier `old` becomes `new` wherever it is used in the region (see identifiers.py)."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Indent:
    """Lines first..last (inclusive) move one indentation unit to the right."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Dedent:
    """Lines first..last (inclusive) move one indentation unit to the left."""

    first: int
    last: int


LineOp = Replace | Insert | Delete | Substitute | Indent | Dedent
Ranged = Replace | Delete | Indent | Dedent


def apply_script(lines: Sequence[str], ops: Iterable[LineOp], *, unit: str = "    ") -> list[str]:
    """Apply a script to the lines of a region.

    Substitutions are done last, on the text the other operations leave.

    Args: lines: the region, without line endings. ops: the script. unit: one level of indentation.
    Returns: the new lines; `lines` is not modified.
    Raises: ScriptError: a line number out of range, two operations on one line, or a dedent of a
        line that has no indentation.
    """
    ops = list(ops)
    owner = _owners(len(lines), ops)
    inserts = {op.after: op.lines for op in ops if isinstance(op, Insert)}
    result = list(inserts.get(TOP, ()))
    at = 0
    for number in sorted(owner.keys() | inserts.keys() - {TOP}):
        result += [*lines[at:number], *_rewritten(lines[number], number, owner.get(number), unit)]
        result += inserts.get(number, ())
        at = number + 1
    result += lines[at:]
    for op in ops:
        if isinstance(op, Substitute):
            result = substitute(result, op.old, op.new)
    return result


def _owners(count: int, ops: Iterable[LineOp]) -> dict[int, Ranged]:
    owner: dict[int, Ranged] = {}
    inserted: set[int] = set()
    for op in ops:
        if isinstance(op, Substitute):
            continue
        if isinstance(op, Insert):
            if op.after in inserted or not TOP <= op.after < count:
                raise ScriptError(f"cannot insert after line {op.after} of {count}")
            inserted.add(op.after)
            continue
        if not 0 <= op.first <= op.last < count:
            raise ScriptError(f"lines {op.first}-{op.last} are not within the region's {count}")
        for number in range(op.first, op.last + 1):
            if number in owner:
                raise ScriptError(f"two operations on line {number}")
            owner[number] = op
    return owner


def _rewritten(line: str, number: int, op: Ranged | None, unit: str) -> Sequence[str]:
    match op:
        case None:
            return (line,)
        case Replace(first=first, lines=new):
            return new if number == first else ()
        case Delete():
            return ()
        case Indent():
            return (unit + line if line.strip() else line,)
        case Dedent():
            if line.strip() and not line.startswith(unit):
                raise ScriptError(f"line {number} has no indentation to remove")
            return (line.removeprefix(unit) if line.strip() else line,)


def write_script(before: Sequence[str], after: Sequence[str], *, unit: str = "    ") -> tuple[LineOp, ...]:
    """The one canonical script that turns `before` into `after`, without substitutions.

    Lines are matched by their stripped text, so that moving a block costs one Indent or Dedent.
    Deterministic; `apply_script(before, write_script(before, after)) == after` always holds.
    """
    matcher = SequenceMatcher(None, [line.strip() for line in before], [line.strip() for line in after], autojunk=False)
    ops: list[LineOp] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            ops.extend(_reindented(before, after, i1, i2, j1 - i1, unit))
        elif tag == "delete":
            ops.append(Delete(i1, i2 - 1))
        elif tag == "insert":
            ops.append(Insert(i1 - 1, tuple(after[j1:j2])))
        else:
            ops.append(Replace(i1, i2 - 1, tuple(after[j1:j2])))
    return tuple(_merged(ops, before))


def _reindented(
    before: Sequence[str], after: Sequence[str], start: int, stop: int, shift: int, unit: str
) -> Iterable[LineOp]:
    for number in range(start, stop):
        old, new = before[number], after[number + shift]
        if old == new:
            continue
        if old.strip() and new == unit + old:
            yield Indent(number, number)
        elif old.strip() and old == unit + new:
            yield Dedent(number, number)
        else:
            yield Replace(number, number, (new,))


def _merged(ops: Iterable[LineOp], before: Sequence[str]) -> Iterable[LineOp]:
    """Join neighbours of one kind: Indent 3, Indent 4 is Indent 3-4. Blank lines do not part a block."""

    def blank_between(last: int, first: int) -> bool:
        return not any(line.strip() for line in before[last + 1 : first])

    held: LineOp | None = None
    for op in ops:
        match held, op:
            case (Indent(a, b), Indent(c, d)) if blank_between(b, c):
                held = Indent(a, d)
            case (Dedent(a, b), Dedent(c, d)) if blank_between(b, c):
                held = Dedent(a, d)
            case (Replace(a, b, one), Replace(c, d, two)) if c == b + 1:
                held = Replace(a, d, one + two)
            case _:
                if held is not None:
                    yield held
                held = op
    if held is not None:
        yield held
