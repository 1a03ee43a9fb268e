"""Values that get lost: one that was there already is overwritten, a result is not kept, what is made is made anew."""

import ast
import re
from collections.abc import Iterable, Iterator

from spark_tui.editing.code import MAX_WIDTH, Function, end_of, splice, start_of, text_of, walk_scope
from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.common.expression_places import weight
from spark_tui.editing.codemods.common.occasions import blocks
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_OVERWRITTEN = re.compile(
    r"\b(?:over(?:wr[io]t|rid|rul|w?rit)\w*|clobber\w*|stomp\w*|respect\w*|defaults?|fall-?back|explicit\w*|already|keep|kept|wip\w+"
    r"|replac\w+|my own|custom|user\w*|caller\w*|ignor\w+|lost|loses?|gone|win|given|unless|stays?|preset|earlier|first"
    r"|survives?|remember\w*|disappear\w*|only the last|one(?: \w+)? back|accumulat\w*|collect\w*|pass(?:ed|ing)?)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\b(?:only (?:the )?(?:last|one|a single)|one \w+ back|the last \w+ (?:survives|wins|is kept)|overwr\w+|lose|lost"
    r"|all but|over\w*|forgets?|thrown away|throws|wip\w+|collect\w*|accumulat\w*|no matter|previous|before|earlier"
    r"|its last|every \w+|each \w+|add(?:s|ed|ing)? up|sum|combin\w+|gone)\b",
    re.IGNORECASE,
)
_ANEW = re.compile(
    r"\b(?:cach\w*|each|every|again|anew|always|new|twice|remember\w*|store[ds]?|kept|keep|once|recomp\w+|re-?\w+ed|slow"
    r"|memo\w*|lazy|lazily|singleton|same (?:one|object|instance)|saved?|never|over and over|stays? None|is None)\b",
    re.IGNORECASE,
)
_DROPPED = re.compile(
    r"\b(?:lost|los(?:es?|ing)|drop\w*|no effect|ignor\w+|unchanged|still|aren't|isn't|wasn't|doesn't|don't|not"
    r"|never|thrown|throws|discard\w*|gone|nothing|has no|without|forgot\w*|same|plain|instead|unset|UnboundLocalError"
    r"|missing|every|always|wrong|old|original|raw)\b",
    re.IGNORECASE,
)
_DOING = frozenset(
    """
    append extend add update insert remove discard pop clear sort reverse write writelines close open start stop run put
    debug info warning warn error exception critical log print send sendall connect commit rollback flush setdefault
    join wait acquire release set show draw save delete register emit notify cancel shutdown sleep execute check
    raise_for_status validate ensure seek mkdir makedirs unlink rmtree assert_ fail setattr
    delattr exec next exit isinstance super
    """.split()  # noqa: SIM905 - a list of one word a line would be longer
)
_MOST = 6
Change = tuple[ast.expr, str, list[str]]
"""An expression that tells how likely a change is meant, the name that it is for, and the lines after it."""


def values_kept(before: Snippet, request: Request) -> Iterator[Ops]:
    """Each value that may get lost by the words, kept; those that the words speak of most come first."""
    words = request.instruction
    first, last = request.selected or (0, len(before.lines))
    for told, changes in (
        (_OVERWRITTEN, _only_if_missing),
        (_SEVERAL, _added_to),
        (_ANEW, _remembered),
        (_DROPPED, _assigned),
    ):
        if not told.search(words):
            continue
        found = [one for one in changes(before) if first <= one[0].lineno - 1 <= last]
        found.sort(key=lambda one: -weight(before, words, one[0], one[1]))
        for _, _, lines in found[:_MOST]:
            if all(len(line) <= MAX_WIDTH or line in before.lines for line in lines) and parses(lines):
                yield between(before, lines)


def _statements(before: Snippet, sort: type[ast.stmt] = ast.Assign) -> Iterator[ast.stmt]:
    for block in blocks(before.tree):
        yield from (one for one in block if isinstance(one, sort))


def _only_if_missing(before: Snippet) -> Iterator[Change]:
    """`d.setdefault(k, v)` for `d[k] = v`."""
    for node in _statements(before):
        match node:
            case ast.Assign(targets=[ast.Subscript(value=owner, slice=key) as target], value=value):
                if (source := text_of(before, key)) and not isinstance(key, ast.Slice | ast.Tuple):
                    yield target, "", _called(before, owner, value, f".setdefault({source}, ", ")")


def _added_to(before: Snippet) -> Iterator[Change]:
    """`x.append(y)` for `x = [y]`, `d.setdefault(k, []).append(x)` for `d[k] = [x]`, `x |= y` for `x = y`."""
    seen = [one.id for one in before.nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    for node in _statements(before):
        match node:
            case ast.Assign(targets=[ast.Subscript(value=owner, slice=key) as target], value=value):
                source = text_of(before, key)
                if source and not isinstance(key, ast.Slice) and not isinstance(value, ast.Constant):
                    yield target, "", _grown(before, owner, value, f".setdefault({source}, [])")
                    yield from ((target, "", lines) for lines in _augmented(before, target, value, ("|=", "+=")))
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if seen.count(name) > 1:
                if isinstance(value, ast.List) and len(value.elts) == 1:
                    yield target, "", _grown(before, target, value, "")
                elif not isinstance(value, ast.List | ast.Dict | ast.Constant | ast.JoinedStr):
                    yield from ((target, "", lines) for lines in _augmented(before, target, value, ("|=", "&=")))


def _grown(before: Snippet, owner: ast.expr, value: ast.expr, slot: str) -> list[str]:
    """A list that gets what it was to be."""
    if isinstance(value, ast.List) and len(value.elts) == 1:
        return _called(before, owner, value.elts[0], f"{slot}.append(", ")", value)
    return _called(before, owner, value, f"{slot}.extend(", ")")


def _called(
    before: Snippet, owner: ast.expr, value: ast.expr, head: str, tail: str, whole: ast.expr | None = None
) -> list[str]:
    """A statement `owner... = whole` made a call of the owner with a value."""
    lines = splice(before.lines, end_of(before, value), end_of(before, whole or value), tail)
    return splice(lines, end_of(before, owner), start_of(before, value), head)


def _augmented(before: Snippet, target: ast.expr, value: ast.expr, signs: Iterable[str]) -> Iterator[list[str]]:
    for sign in signs:
        yield splice(before.lines, end_of(before, target), start_of(before, value), f" {sign} ")


def _remembered(before: Snippet) -> Iterator[Change]:
    """`self._x = y` for `return y`, or for `x = y`, where the function looks at `self._x`, or looks `key` up."""
    for function in before.functions:
        own = [one for one in walk_scope(function) if isinstance(one, ast.Assign | ast.Return) and one.value]
        slots = _slots(function)
        stored = {ast.unparse(one.targets[0]) for one in own if isinstance(one, ast.Assign)}
        for node in own if slots else ():
            value = node.value
            if not isinstance(
                value, ast.Call | ast.Subscript | ast.BinOp | ast.ListComp | ast.DictComp | ast.Dict | ast.Attribute
            ):
                continue
            at = start_of(before, node)
            for slot in slots:
                if slot in stored or ast.unparse(value) == slot:
                    continue
                if isinstance(node, ast.Return):
                    yield value, slot, splice(before.lines, at, start_of(before, value), f"{slot} = ")
                elif isinstance(node.targets[0], ast.Name):
                    yield value, slot, splice(before.lines, at, at, f"{slot} = ")
                    yield (
                        value,
                        slot,
                        splice(before.lines, start_of(before, value), start_of(before, value), f"{slot} = "),
                    )


def _slots(function: Function) -> list[str]:
    """The members and items that a function looks at as what may be there already."""
    found: dict[str, None] = {}
    for node in walk_scope(function):
        match node:
            case ast.Attribute(value=ast.Name(), ctx=ast.Load()) if not node.attr.startswith("__"):
                if node.attr.startswith("_") or _is_tested(function, node):
                    found[ast.unparse(node)] = None
            case ast.Subscript(value=ast.Name() | ast.Attribute(), slice=ast.Name(), ctx=ast.Load()):
                found[ast.unparse(node)] = None
            case ast.Compare(left=ast.Name(id=key), ops=[ast.In() | ast.NotIn()], comparators=[owner]) if dotted(owner):
                found[f"{ast.unparse(owner)}[{key}]"] = None
            case ast.Call(func=ast.Attribute(value=owner, attr="get"), args=[ast.Name(id=key), *_]) if dotted(owner):
                found[f"{ast.unparse(owner)}[{key}]"] = None
            case ast.Call(func=ast.Name(id="hasattr" | "getattr"), args=[owner, ast.Constant(value=str() as name), *_]):
                found[f"{ast.unparse(owner)}.{name}"] = None
    calls = {ast.unparse(one.func) for one in walk_scope(function) if isinstance(one, ast.Call)}
    return [one for one in found if one not in calls][:3]


def _is_tested(function: Function, node: ast.Attribute) -> bool:
    tests = [one.test for one in walk_scope(function) if isinstance(one, ast.If)]
    return any(
        ast.unparse(node) == ast.unparse(inner)
        for test in tests
        for inner in ast.walk(test)
        if isinstance(inner, ast.Attribute)
    )


def _assigned(before: Snippet) -> Iterator[Change]:
    """`x = f(x)` for `f(x)` alone on a line, `x = x.f()` for `x.f()`."""
    for node in _statements(before, ast.Expr):
        call = (
            node.value.value
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Await)
            else getattr(node, "value", None)
        )
        if not isinstance(call, ast.Call) or _name(call) in _DOING:
            continue
        at = start_of(before, node)
        for name in _targets(call):
            yield call, name, splice(before.lines, at, at, f"{name} = ")


def _name(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _targets(call: ast.Call) -> list[str]:
    """What a call may give back: its object, an argument, what it is named for, or its first ones together."""
    owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    given = [*owner, *call.args, *(one.value for one in call.keywords if one.arg)]
    found = {ast.unparse(one): None for one in given if isinstance(one, ast.Name | ast.Attribute) and dotted(one)}
    plain = [one.id for one in call.args if isinstance(one, ast.Name)]
    named = re.sub(r"^_*(?:get|make|build|create|default|load|read|parse|compute|find)_", "", _name(call))
    names = [one for one in found if one not in ("self", "cls") and not one[:1].isupper()]
    names += [named] if named.isidentifier() and named != _name(call) else []
    names += [", ".join(plain[:2])] if len(plain) > 1 else []
    return list(dict.fromkeys(names))[:4]
