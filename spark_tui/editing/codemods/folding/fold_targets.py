"""Assignments of one value to many, of many at once or one by one, and what is unpacked rather than indexed."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing.code import end_of, splice, start_of
from spark_tui.editing.codemods.folding.fold_sources import New, ToldRule, following, last_row, same, source_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import Place, dotted
from spark_tui.editing.told import names_used

_LIST = r"\W+(?P<names>\w+(?:(?:,? and a? ?|, ?| )\w+)*)"
_INTO = tuple(
    re.compile(rf"\b(?:{words}){_LIST}")
    for words in ("into", "to|as|unpack|unpacked|and call (?:it|them)|names?|called|call|->")
)
_GLUE = frozenset("and a an the variable variables names name straight once local locals directly two three it".split())  # noqa: SIM905
_STOP = frozenset("from rather instead at in with of so that for here please before first not where so".split())  # noqa: SIM905
_THREE = re.compile(r"\b(?:three|3|triple)\b")


def _constant_run(before: Snippet, place: Place, _: str) -> Iterator[New]:
    """Neighbours that are given the same constant, in one chained assignment."""
    yield from _handed_down(before, place)
    value = _plain(place.node)
    if value is None or (place.index and same(_plain(place.block[place.index - 1]), value)):
        return
    run = [place.node]
    for node in place.block[place.index + 1 :]:
        if not same(_plain(node), value) or type(_plain(node)) is not type(value):
            break
        run.append(node)
    if len(run) > 1:
        targets = [source_of(before, one.targets[0]) for one in run if isinstance(one, ast.Assign)]
        yield place.first, last_row(run[-1]), [f"{' = '.join(targets)} = {source_of(before, value)}"]


def _handed_down(before: Snippet, place: Place) -> Iterator[New]:
    """A value worked out for a target and given from there to others, in one chained assignment."""
    match place.node:
        case ast.Assign(targets=[target], value=value):
            targets = [source_of(before, target)]
            for node in place.block[place.index + 1 :]:
                match node:
                    case ast.Assign(targets=[other], value=given) if same(given, target):
                        targets.append(source_of(before, other))
                    case _:
                        break
            if len(targets) > 1:
                end = place.block[place.index + len(targets) - 1]
                yield place.first, last_row(end), [f"{' = '.join(targets)} = {source_of(before, value)}"]


def _plain(node: ast.stmt) -> ast.expr | None:
    match node:
        case ast.Assign(targets=[_], value=ast.Constant() | ast.Name() | ast.Attribute() | ast.UnaryOp() as value):
            return value
    return None


def _at_once(before: Snippet, place: Place, words: str) -> Iterator[New]:
    """Two or three assignments in a row as one of tuples, where none reads what one before it sets."""
    run = [place.node, *following(place, 2 if _THREE.search(words) else 1)]
    pairs = [pair for one in run if (pair := _pair(one))]
    texts = [[source_of(before, each) for each in pair] for pair in pairs]
    apart = all(text not in value for at, (_, value) in enumerate(texts) for text, _ in texts[:at])
    if len(run) > 1 and len(pairs) == len(run) and apart:
        targets, values = (", ".join(column) for column in zip(*texts, strict=True))
        yield place.first, last_row(run[-1]), [f"{targets} = {values}"]


def _pair(node: ast.stmt) -> tuple[ast.expr, ast.expr] | None:
    match node:
        case ast.Assign(targets=[target], value=value) if not isinstance(target, ast.Tuple):
            return target, value
    return None


def _apart(before: Snippet, place: Place, _: str) -> Iterator[New]:
    """Tuples assigned to tuples as an assignment for each."""
    match place.node:
        case ast.Assign(targets=[ast.Tuple(elts=targets) | ast.List(elts=targets)], value=ast.Tuple(elts=values)) if (
            len(targets) == len(values)
        ):
            lines = zip(targets, values, strict=True)
            yield place.first, place.last, [f"{source_of(before, a)} = {source_of(before, b)}" for a, b in lines]


def _onto_targets(before: Snippet, place: Place, _: str) -> Iterator[New]:
    """What is unpacked under names that are only handed on right below, unpacked there at once."""
    match place.node:
        case ast.Assign(targets=[ast.Tuple(elts=elts)], value=value) if place.function or place.indent == before.margin:
            names = {one.id: at for at, one in enumerate(elts) if isinstance(one, ast.Name)}
            targets = [source_of(before, one) for one in elts]
            end = place.node
            for node in place.block[place.index + 1 :]:
                match node:
                    case ast.Assign(targets=[target], value=ast.Name(id=name)) if (
                        name in names and _reads(before, name) == 1
                    ):
                        targets[names[name]] = source_of(before, target)
                        end = node
                    case _:
                        break
            if end is not place.node:
                yield place.first, last_row(end), [f"{', '.join(targets)} = {source_of(before, value)}"]


def _reads(before: Snippet, name: str) -> int:
    return sum(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) for node in before.nodes
    )


def _indices(before: Snippet, place: Place, words: str) -> Iterator[New]:
    """`a = t[0]` and `b = t[1]` as one assignment; a name that is only indexed as names for its parts."""
    yield from _index_run(before, place)
    scope = place.function or before.tree
    last = last_row(place.function) if place.function else len(before.lines) - 1
    for owner, node in _bound(place.node):
        found = [one for one in ast.walk(scope) if isinstance(one, ast.Name) and one.id == owner]
        uses = [one for one in ast.walk(scope) if isinstance(one, ast.expr) and _index(one, owner) is not None]
        stars = [one for one in ast.walk(scope) if isinstance(one, ast.Starred) and dotted(one.value) == owner]
        names = _told(before, words, owner)
        if not names or not (uses or stars) or len(found) != len(uses) + len(stars) + 1:
            continue
        most = max((_index(one, owner) or 0 for one in uses), default=len(names) - 1)
        if most >= len(names):
            continue
        lines, count = list(before.lines), len(before.lines)
        texts: list[tuple[ast.expr, str]] = [(one, names[_index(one, owner) or 0]) for one in uses] + [
            (one, ", ".join(names)) for one in stars
        ]
        texts.append((node, ", ".join(names)))
        for one, text in sorted(texts, key=lambda pair: start_of(before, pair[0]), reverse=True):
            lines = splice(lines, start_of(before, one), end_of(before, one), text)
        end = last + len(lines) - count
        yield place.first, last, [line.removeprefix(place.indent) for line in lines[place.first : end + 1]]


def _bound(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """The names that a loop, an assignment or a comprehension in a statement binds alone."""
    match node:
        case ast.For(target=ast.Name(id=name) as target) | ast.Assign(targets=[ast.Name(id=name) as target]):
            yield name, target
    if not hasattr(node, "body"):
        for one in ast.walk(node):
            match one:
                case ast.comprehension(target=ast.Name(id=name) as target):
                    yield name, target


def _index(node: ast.AST, owner: str) -> int | None:
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=int() as at), ctx=ast.Load()) if (
            name == owner and at >= 0
        ):
            return at
    return None


def _told(before: Snippet, words: str, owner: str) -> list[str]:
    """The names that something is to be unpacked into."""
    used = names_used(before)
    for match in (match for pattern in _INTO for match in pattern.finditer(words)):
        found: list[str] = []
        for word in re.findall(r"\w+", match["names"]):
            if word in _STOP:
                break
            if word not in _GLUE and word.isidentifier() and word != owner and (word == "_" or word not in used):
                found.append(word)
        if len(found) > 1:
            return found
    return []


def _index_run(before: Snippet, place: Place) -> Iterator[New]:
    match place.node:
        case ast.Assign(targets=[_], value=ast.Subscript(value=owner, slice=ast.Constant(value=int()))):
            run: dict[int, str] = {}
            end: ast.stmt = place.node
            for node in place.block[place.index :]:
                match node:
                    case ast.Assign(
                        targets=[target], value=ast.Subscript(value=held, slice=ast.Constant(value=int() as at))
                    ) if same(held, owner) and at not in run:
                        run[at], end = source_of(before, target), node
                    case _:
                        break
            if len(run) > 1 and set(run) == set(range(len(run))):
                targets = ", ".join(run[at] for at in sorted(run))
                source = source_of(before, owner)
                yield place.first, last_row(end), [f"{targets} = {source}"]
                yield place.first, last_row(end), [f"{targets} = {source}[:{len(run)}]"]


def _as_dict(before: Snippet, place: Place, _: str) -> Iterator[New]:
    """An empty dict and its elements right below as one literal; elements set in a row as one update."""
    match place.node:
        case (
            ast.Assign(targets=[target], value=ast.Dict() as made)
            | ast.AnnAssign(target=target, value=ast.Dict() as made)
        ):
            items = list(_items(place.block[place.index + 1 :], target))
            head = before.lines[place.first][: start_of(before, made)[1]].removeprefix(place.indent)
            if items and start_of(before, made)[0] == place.first:
                begun = [f"{source_of(before, a) if a else '**'}{': ' if a else ''}{source_of(before, b)}"
                         for a, b in zip(made.keys, made.values, strict=True)]  # fmt: skip
                texts = [f"{source_of(before, key)}: {source_of(before, value)}" for key, value in items]
                end = place.block[place.index + len(items)]
                for literal in [f"{{{', '.join([*begun, *texts])}}}"]:
                    yield place.first, last_row(end), [head + literal]
                    match following(place, len(items) + 1)[len(items) :]:
                        case [ast.Return(value=given) as back] if same(given, target):
                            yield place.first, last_row(back), [f"return {literal}"]
        case ast.Assign(targets=[ast.Subscript(value=owner)]):
            above = place.block[place.index - 1] if place.index else place.node
            if above is place.node or not list(_items([above], owner)):
                items = list(_items(place.block[place.index :], owner))
                if len(items) > 1:
                    yield from _updated(before, place, owner, items)


def _updated(before: Snippet, place: Place, owner: ast.expr, items: list[tuple[ast.expr, ast.expr]]) -> Iterator[New]:
    end = last_row(place.block[place.index + len(items) - 1])
    name = source_of(before, owner)
    keys = [key.value if isinstance(key, ast.Constant) else None for key, _ in items]
    texts = [f"{source_of(before, key)}: {source_of(before, value)}" for key, value in items]
    yield place.first, end, [f"{name}.update({{{', '.join(texts)}}})"]
    if all(isinstance(key, str) and key.isidentifier() for key in keys):
        words = [f"{key!s}={source_of(before, value)}" for key, (_, value) in zip(keys, items, strict=True)]
        yield place.first, end, [f"{name}.update({', '.join(words)})"]


def _items(block: Sequence[ast.stmt], owner: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    for node in block:
        match node:
            case ast.Assign(targets=[ast.Subscript(value=held, slice=key)], value=value) if same(held, owner):
                yield key, value
            case _:
                return


TARGETS: tuple[tuple[str, ToldRule], ...] = (
    (
        (
            r"\bchain\w*|\bone (?:line|row|statement|assign\w*)\b|\bsingle (?:line|assign\w*)|\btogether\b|\bin one\b"
            r"|\bmerge|\bcombin|\bon one\b|\bjoin\b|\w = \S+ ?=|\bat once\b|\bsame line\b"
        ),
        _constant_run,
    ),
    (
        r"\btuple|\bunpack|\bat once\b|\bswap|\b(?:one|single|same) (?:line|statement|assign\w*)\b|\bin one\b",
        _at_once,
    ),
    (
        (
            r"\bsplit|\bseparate|\bplain\b|\beach\b|\bown line|\b(?:two|three|four) (?:\w+ )?(?:lines|statements)"
            r"|\bapart\b|\bindividual|\btuple|\bassignments\b"
        ),
        _apart,
    ),
    (r"\bunpack|\bstraight\b|\bdirectly\b|\bdirect\b|\binto\b|\binline|\bno need\b|\btemp", _onto_targets),
    (r"\bunpack|\bindex|\btuple|\bdestructur|\bname (?:the|both|them|its)|\bstar\b|\[0\]|\[1\]|\*\w", _indices),
    (r"\bupdate|\bliteral|\bat once\b|\bone go\b|\bdict|\bdirectly\b|\bbuild\b|\bin one\b|\bsingle\b", _as_dict),
)
