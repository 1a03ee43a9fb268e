"""A piece of code told by an instruction put in the place of the one that it may be meant for, the likeliest first."""

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterator

from spark_tui.editing.code import MAX_WIDTH, splice
from spark_tui.editing.codemods.base import Request, parses
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.codemods.pieces.code_pieces import Piece, pieces
from spark_tui.editing.codemods.pieces.piece_fits import Match, bases, fit, likeness, written
from spark_tui.editing.codemods.pieces.piece_spots import Spot, all_names, split, spots
from spark_tui.editing.pointing import Pointing
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse

_WORD = re.compile(r"[^\W\d_]{3,}")
_AGAINST = re.compile(
    r"\b(?:instead of|rather than|unlike|not|no|drop|remove|lose|in place of)(?: the| an?)? [`'\"]?$", re.IGNORECASE
)
_ROW = re.compile(r"\.pyi?:(\d+)\b|\bline (\d+)\b")
_TYPED = re.compile(
    r"\b(?:types?|typed|hint\w*|annotat\w+|declar\w+|signature|overload|mypy|pyright|checker|wide|narrow\w*|returns?"
    r"|gives?|yields?|just|only|takes?|accepts?)\b|->|:"
)
_KINDS = ("str", "list", "dict", "set", "bytes", "tuple")
_MOST = 6
_MOST_OF_ONE = 3
_MOST_HINTS = 4
_LEAST = 3.0
_FEW = 3
_FEW_PLACES = 1.5
_TOLD_OLD = 2.0
_OF_NAMES = ("attribute", "parameter", "import", "target")
_SAME = 0.85
Found = tuple[float, Spot, str]


def piece_edits(before: Snippet, request: Request) -> Iterator[list[str]]:
    """The lines after each, the likeliest first."""
    words = request.instruction
    told = pieces(words, all_names(before))
    olds = {one.source for one in told if _AGAINST.search(words[: one.start])}
    found = [one for one in told if one.source not in olds]
    reader = _Reader(before, request, olds) if found else None
    scored = [one for piece in found for one in (_surer(list(reader.scored(piece))) if reader else ())]
    count = 0
    for _, spot, source in _best(scored):
        lines = splice(before.lines, spot.start, spot.end, source)
        if len(lines[spot.row]) <= MAX_WIDTH and parses(lines):
            yield lines
            count += 1
        if count == _MOST:
            return


def _surer(found: list[Found]) -> list[Found]:
    """What a piece may be meant for, surer the less there is of it."""
    more = _FEW_PLACES / len(found) if found else 0
    return [(score + more, spot, source) for score, spot, source in found]


def _best(scored: list[Found]) -> Iterator[Found]:
    """The likeliest, few of one piece and few for hints."""
    used: Counter[str] = Counter()
    seen: set[tuple[Spot, str]] = set()
    for score, spot, source in sorted(scored, key=lambda one: -one[0]):
        if score < _LEAST:
            return
        kind = "hint" if spot.role == "hint" else source
        full = used[kind] == (_MOST_HINTS if kind == "hint" else _MOST_OF_ONE)
        if (spot, source) not in seen and not full:
            seen.add((spot, source))
            used[kind] += 1
            yield score, spot, source


class _Reader:
    """Judges the spots of a region by the words of one request."""

    def __init__(self, before: Snippet, request: Request, olds: set[str]) -> None:
        self._olds = olds
        self._before, self._text = before, request.instruction
        first, last = request.selected or (0, len(before.lines))
        typed = bool(request.selected) or _TYPED.search(self._text) is not None
        self._typed = typed
        self._few = request.selected is not None and last - first < _FEW
        self._spots = [one for one in spots(before) if first <= one.row <= last]
        self._names = all_names(before)
        self._values = {one.text for one in spots(before) if isinstance(one.node, ast.Name | ast.arg)}
        self._texts = {one.text for one in spots(before)}
        self._pointing = Pointing(before.lines, self._text)
        self._rows = {int(one or other) - 1 for one, other in _ROW.findall(self._text)}
        self._said = _stems(self._text)
        self._around: dict[int, float] = {}

    def scored(self, piece: Piece) -> Iterator[Found]:
        """The spots that a piece may be meant for, with how likely that is and what is written there."""
        if piece.fragment:
            yield from self._attached(piece)
            return
        tree = parse(piece.source, mode="eval").body
        name = isinstance(tree, ast.Name)
        if self._points(tree, piece.source):
            return
        typed = self._typed or not name
        own, known = split(piece.source), piece.source in self._values or not name
        for spot in self._spots:
            if self._is_there(spot, piece.source) or (spot.role == "hint" and not typed):
                continue
            score = fit(Match(tree, piece, spot, own, known))
            if spot.text in self._olds and spot.role not in _OF_NAMES:
                score = _TOLD_OLD + (score or 0)
            if score is not None:
                source = written(tree, _completed(tree, piece.source, spot, self._names), spot)
                yield score + piece.told + _cue(piece, spot) + self._context(spot, piece), spot, source

    def _is_there(self, spot: Spot, source: str) -> bool:
        """Whether a spot is what is told already, or is assigned to it."""
        return spot.text == source or self._before.lines[spot.row].lstrip().startswith(f"{source} = ")

    def _points(self, tree: ast.expr, source: str) -> bool:
        """Whether a piece only tells where: longer code that is there, or a name of the region misspelt."""
        if isinstance(tree, ast.Name):
            close = any(_misspelt(source, one) for one in self._names) if source not in self._names else False
            return close and "not defined" not in self._text and "attribute" not in self._text and "_" in source
        return not isinstance(tree, ast.Constant | ast.Attribute) and source in self._texts

    def _attached(self, piece: Piece) -> Iterator[Found]:
        """What a fragment makes of the spots that it may be put behind."""
        for spot in self._spots:
            for base in bases(piece.source, spot):
                source = base + ("" if piece.source[0] in ".[" else " ") + piece.source
                if not is_expression(source):
                    continue
                said = self._is_said(base, piece) or self._is_said(spot.text, piece)
                score = 2.0 + 2 * said + isinstance(spot.node, ast.BoolOp) + self._context(spot, piece)
                yield score, spot, written(parse(source, mode="eval").body, source, spot)

    def _context(self, spot: Spot, piece: Piece) -> float:
        """How much the words say of a spot: its line, its sort, itself, what it is given to."""
        if spot.row not in self._around:
            hit = 1.5 * self._pointing.hits((spot.row,))[0] + 4 * self._pointing.numbered((spot.row,))
            shared = len(_stems(self._before.lines[spot.row]) & self._said)
            self._around[spot.row] = min(3, shared) + 1.5 * self._few + hit + 4 * (spot.row in self._rows)
        score = self._around[spot.row] + 3 * self._is_said(spot.text, piece)
        return score + (len(_stems(spot.name) & self._said) if spot.name and spot.name != piece.source else 0)

    def _is_said(self, source: str, piece: Piece) -> bool:
        rest = self._text[: piece.start] + " " + self._text[piece.end :]
        return len(source) > 1 and source in rest and bool(re.search(rf"(?<![\w.]){re.escape(source)}(?!\w)", rest))


def _cue(piece: Piece, spot: Spot) -> float:
    """How much the keyword before a piece, or what it is assigned to, speaks for a spot."""
    if piece.target:
        last = piece.target.rpartition(".")[2]
        return 4.0 if spot.name == last and isinstance(spot.parent, ast.Assign | ast.AnnAssign) else 0
    match piece.keyword, spot.parent:
        case ("return", ast.Return()) | ("yield", ast.Yield()) | ("raise", ast.Raise()) | ("in", ast.For()):
            return 2.0
        case ("if" | "elif" | "while" | "assert", _):
            return 2.0 * (spot.role == "test")
        case ("except" | "catch", _):
            return 2.0 * (spot.role == "except")
    return 0


def _misspelt(one: str, other: str) -> bool:
    return one.strip("_") != other.strip("_") and likeness(one, other) > _SAME


def _stems(text: str) -> frozenset[str]:
    """The words of a text, and those its names are made of, without endings."""
    words = (one.lower() for word in _WORD.findall(text.replace("_", " ")) for one in split(word))
    return frozenset(one[:-1] if one.endswith("s") and len(one) > 3 else one for one in words)


def _completed(tree: ast.expr, source: str, spot: Spot, names: frozenset[str]) -> str:
    """The piece with what it leaves out: what "..." stands for in a call, and the object of a method."""
    if spot.role == "import":
        return source.rpartition(".")[2]
    match tree, spot.node:
        case ast.Call(func=func, args=[ast.Constant(value=value)]), ast.Call(args=args) if value is ...:
            held = [ast.unparse(one) for one in args if ast.dump(one) != ast.dump(func)]
            return f"{ast.unparse(func)}({', '.join(held)})"
        case ast.Call(func=ast.Attribute(value=ast.Name(id=kind), attr=method), args=[]), ast.Call(args=[only]) if (
            kind in _KINDS
        ):
            return f"{ast.unparse(only)}.{method}()"
        case ast.Call(func=ast.Name(id=name)), ast.expr() if name not in names and not hasattr(builtins, name):
            roots = {one.id for one in ast.walk(spot.node) if isinstance(one, ast.Name)}
            return f"{roots.pop()}.{source}" if len(roots) == 1 else source
    return source
