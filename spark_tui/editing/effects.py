"""What an edit takes away, brings and stands beside."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from spark_tui.editing.script import Dedent, Delete, Indent, Insert, LineOp, Ranged, Replace, Substitute

TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|[^\w\s]+")


@dataclass(frozen=True, slots=True)
class Effect:
    """The tokens an edit takes away, brings, and stands beside; the lines it brings, and their text in lower case.

    `lines`: the 0-based ones it touches; `here`: those of them that there are, in order. `size`: lines brought or taken
    away, whichever are more.
    """

    gone: Counter[str]
    come: Counter[str]
    beside: frozenset[str]
    brought: tuple[str, ...]
    text: str
    lines: frozenset[int]
    here: tuple[int, ...]
    size: int


class Effects:
    """Of edits of some lines."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.tokens = [tuple(TOKEN.findall(line)) for line in lines]
        """Of each line."""

    def of(self, ops: Iterable[LineOp]) -> Effect:
        """What the operations of one edit do together."""
        gone, come, beside, brought, lines, size = (
            Counter[str](),
            Counter[str](),
            set[str](),
            list[str](),
            set[int](),
            0,
        )
        for op in ops:
            match op:
                case Substitute(old=old, new=new):
                    old, new = old.removeprefix("."), new.removeprefix(".")
                    gone[old] += 1
                    come[new] += 1
                    brought.append(new)
                    lines.update(at for at, tokens in enumerate(self.tokens) if old in tokens)
                case Insert(after=after, lines=new_lines):
                    come.update(_tokens_of(new_lines))
                    brought += new_lines
                    beside.update(*self.tokens[max(after, 0) : after + 2])
                    lines |= {after - 1, after}
                    size += len(new_lines)
                case Replace(first=first, last=last, lines=new_lines):
                    gone.update(chain.from_iterable(self.tokens[first : last + 1]))
                    come.update(_tokens_of(new_lines))
                    brought += new_lines
                    size += max(last - first + 1, len(new_lines))
                case Delete(first=first, last=last):
                    gone.update(chain.from_iterable(self.tokens[first : last + 1]))
                    size += last - first + 1
                case Indent(first=first, last=last) | Dedent(first=first, last=last):
                    beside.update(*self.tokens[first : last + 1])
            if isinstance(op, Ranged):
                lines |= {*range(op.first, op.last + 1)}
        both = gone & come
        beside |= gone.keys()
        here = tuple(sorted(line for line in lines if 0 <= line < len(self.lines)))
        text = "\n".join(brought).lower()
        if both:
            gone, come = gone - both, come - both
        return Effect(gone, come, frozenset(beside), tuple(brought), text, frozenset(lines), here, size)


def _tokens_of(lines: Iterable[str]) -> Iterator[str]:
    return (token for line in lines for token in TOKEN.findall(line))
