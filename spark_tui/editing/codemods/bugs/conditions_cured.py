"""Conditions that lack a part, or ask too loosely, by the trouble that is told: None, empty, there already, closed."""

import ast
import re
from collections.abc import Callable, Iterator
from itertools import islice

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.bugs.cure_words import told
from spark_tui.editing.codemods.bugs.mistaken import Slip, plain_nodes
from spark_tui.editing.codemods.common.negation import AND, enclosed
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_NONE = "none nonetype null unset without optional missing absent not_given not_set"
_ZERO = "zero* ZeroDivision* divi* the_same identical constant 0"
_AGAIN = (
    "again twice many_times already clobber* overwr* stays? keep* kept duplicat* only_add only_once only_new repeat*"
    " replac* longer_and_longer doubl* more_than_once wins?"
)
_EXACT = "subclass* exact* very_same same_class same_type bool* true types? strict*"
_CLOSED = "closed? done finished cancel* running alive started"
_STOP = "stop* quit shut* kill* forever never_ends? never_stops? never_returns? clos* goe?s?_on cancel*"
_LENGTH = "array* truth ambiguous length empty single only_one one"
_EMPTY = "empty blank nothing two only_if only_when in_a_row consecutive none"
_ENDS = "IndexError out_of_range empty short"
_QUOTES = r"\"\"|''"
_STATES = ("{}.is_closed()", "{}.closed", "{}.done()", "{}.is_set()")
_STOPPING = re.compile(r"stop|quit|shut|close|done|finish|cancel|exit|kill", re.IGNORECASE)
_PATH_NODES = (ast.Name, ast.Attribute)
_MOST, _NAMES = 8, 4

Test = tuple[ast.expr, ast.AST]


def cured_tests(before: Snippet, instruction: str) -> Iterator[Slip]:
    """The conditions with what a trouble that is told asks for, a few of each sort."""
    tests = [pair for parent in plain_nodes(before.tree) for pair in _tests(parent)]
    for words, rule in _RULES:
        if words.search(instruction):
            yield from islice((slip for test in tests for slip in rule(before, *test)), _MOST)
    yield from _elses(before, instruction)


def _tests(parent: ast.AST) -> Iterator[Test]:
    match parent:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
            yield test, parent
        case ast.comprehension(ifs=tests):
            yield from ((test, parent) for test in tests)
        case ast.Return(value=ast.expr() as value):
            yield value, parent


def _not_none(before: Snippet, test: ast.expr, parent: ast.AST) -> Iterator[Slip]:
    """What the test or the first statement below it takes a part of tested first."""
    if isinstance(parent, ast.Return):
        return
    own, below = list(_taken(test)), list(_taken(*_below(parent)))
    for path in dict.fromkeys([*own, *below][:_NAMES]):
        yield from _joined(before, test, f"{path} is not None", first=path in own)


def _not_zero(before: Snippet, test: ast.expr, parent: ast.AST) -> Iterator[Slip]:
    divisors = [
        dotted(one)
        for below in _below(parent)
        for node in ast.walk(below)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod)
        for one in ast.walk(node.right)
        if isinstance(one, _PATH_NODES)
    ]
    for path in dict.fromkeys(one for one in divisors[:_NAMES] if one):
        for form in ("{} > 0", "{} != 0", "{}"):
            yield from _joined(before, test, form.format(path), first=False)


def _not_there(before: Snippet, test: ast.expr, parent: ast.AST) -> Iterator[Slip]:
    """What is put into a collection below put there only where it is not yet."""
    for below in _below(parent):
        match below:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=holder, attr="append" | "add" | "insert"), args=[*_, one])
            ):
                pass
            case ast.Assign(targets=[ast.Subscript(value=holder, slice=one)]):
                pass
            case _:
                continue
        if dotted(holder) and (source := text_of(before, one)):
            yield from _joined(before, test, f"{source} not in {dotted(holder)}", first=False)


def _same_type(before: Snippet, test: ast.expr, _parent: ast.AST) -> Iterator[Slip]:
    for node in ast.walk(test):
        match node:
            case ast.Call(func=ast.Name(id="isinstance"), args=[value, kind]) if not isinstance(kind, ast.Tuple):
                one, other = text_of(before, value), text_of(before, kind)
                outer = next((up for up in ast.walk(test) if isinstance(up, ast.UnaryOp) and up.operand is node), None)
                word = "is not" if outer else "is"
                for text in (f"type({one})", f"{one}.__class__"):
                    for own in dict.fromkeys((other, "type(self)", "self.__class__")):
                        if text.startswith("type") != ("__class__" in own):
                            yield _slip(before, outer or node, f"{text} {word} {own}", one)
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as op], comparators=[right]) if node is test:
                one, other = text_of(before, left), text_of(before, right)
                word, joint = ("is", "and") if isinstance(op, ast.Eq) else ("is not", "or")
                yield _slip(before, test, f"type({one}) {word} type({other}) {joint} {text_of(before, test)}", one)


def _of_state(before: Snippet, test: ast.expr, parent: ast.AST) -> Iterator[Slip]:
    for path in (
        dict.fromkeys([*_paths(test), *_taken(*_below(parent))][:2]) if not isinstance(parent, ast.Return) else ()
    ):
        for state in _STATES[:3]:
            yield from _joined(before, test, f"not {state.format(path)}", first=False)


def _until_stopped(before: Snippet, test: ast.expr, parent: ast.AST) -> Iterator[Slip]:
    if not (isinstance(parent, ast.While) and isinstance(test, ast.Constant)):
        return
    names = [dotted(node) for node in before.nodes if isinstance(node, _PATH_NODES)]
    for path in list(dict.fromkeys(one for one in names if one and _STOPPING.search(one.rpartition(".")[2])))[:_NAMES]:
        yield _slip(before, test, f"not {path}", path)
        yield _slip(before, test, f"not {path}.is_set()", path)


def _of_length(before: Snippet, test: ast.expr, parent: ast.AST) -> Iterator[Slip]:
    negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    inner = test.operand if isinstance(test, ast.UnaryOp) else test
    if path := dotted(inner):
        forms = ("len({}) == 0",) if negated else ("len({}) > 0", "len({}) > 1", "len({}) == 1", "any({})")
        yield from (
            _slip(before, test, form.format(path), path) for form in forms if not isinstance(parent, ast.Return)
        )
        if not negated and not isinstance(parent, ast.Return):
            yield from _joined(before, test, f"any({path})", first=False)


def _looked_at(before: Snippet, test: ast.expr, parent: ast.AST) -> Iterator[Slip]:
    """Whether there is a key or an attribute as whether there is one that is not None."""
    negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    inner = test.operand if isinstance(test, ast.UnaryOp) else test
    got = ""
    match inner:
        case ast.Call(func=ast.Name(id="hasattr"), args=[owner, name]):
            got = f"getattr({text_of(before, owner)}, {text_of(before, name)}, None)"
        case ast.Compare(left=ast.Constant() as key, ops=[ast.In() | ast.NotIn() as op], comparators=[owner]) if dotted(
            owner
        ):
            got, negated = f"{text_of(before, owner)}.get({text_of(before, key)})", isinstance(op, ast.NotIn)
        case ast.Call(func=ast.Name(id="bool"), args=[value]) if isinstance(parent, ast.Return):
            got = text_of(before, value)
    if got:
        yield _slip(before, test, f"{got} is None" if negated else f"{got} is not None", got)
        yield _slip(before, test, f"not {got}" if negated else got, got)


def _at_ends(before: Snippet, test: ast.expr, _parent: ast.AST) -> Iterator[Slip]:
    """`x[0] == "s"` as `x.startswith("s")`."""
    for node in ast.walk(test):
        match node:
            case ast.Compare(
                left=ast.Subscript(value=value, slice=index),
                ops=[ast.Eq() | ast.NotEq() as op],
                comparators=[ast.Constant(value=str()) as text],
            ) if (at := ast.unparse(index)) in ("0", "-1"):
                word = "startswith" if at == "0" else "endswith"
                negation = "" if isinstance(op, ast.Eq) else "not "
                source = text_of(before, value)
                yield _slip(before, node, f"{negation}{source}.{word}({text_of(before, text)})", source)


def _elses(before: Snippet, instruction: str) -> Iterator[Slip]:
    """An `else` only where there is something to do it with."""
    for node in before.nodes if _WITHOUT.search(instruction) else ():
        if not isinstance(node, ast.If) or not node.orelse:
            continue
        row = node.orelse[0].lineno - 2
        line = before.lines[row] if row < len(before.lines) else ""
        if line.strip() == "else:":
            column = len(line) - len("else:")
            for path in dict.fromkeys(_paths(*node.orelse[:1])):
                yield Slip((row, column), (row, len(line)), f"elif {path}:", (path, "else"))


_RULES: tuple[tuple[re.Pattern[str], Callable[[Snippet, ast.expr, ast.AST], Iterator[Slip]]], ...] = (
    (told(_NONE, r"\bno \w+"), _not_none),
    (told(_ZERO), _not_zero),
    (told(_AGAIN), _not_there),
    (told(_EXACT), _same_type),
    (told(_CLOSED), _of_state),
    (told(_STOP), _until_stopped),
    (told(_LENGTH), _of_length),
    (told(f"{_NONE} bool empty enough alone", r"\bno \w+"), _looked_at),
    (told(_ENDS, _QUOTES), _at_ends),
)
_WITHOUT = told(_EMPTY, _QUOTES)


def _below(parent: ast.AST) -> list[ast.AST]:
    """The first things done where a test holds."""
    match parent:
        case ast.If(body=body) | ast.While(body=body):
            return list(body[:2])
        case ast.IfExp(body=value):
            return [value]
    return []


def _taken(*nodes: ast.AST) -> Iterator[str]:
    """The values that a part is taken of, that are compared for order, or measured."""
    for root in nodes:
        for node in ast.walk(root):
            match node:
                case ast.Attribute(value=ast.Name() | ast.Attribute() as owner) | ast.Subscript(value=owner):
                    found = [owner]
                case ast.Call(func=ast.Name(id="len" | "int" | "float"), args=[one]):
                    found = [one]
                case ast.Compare(left=left, ops=[ast.Lt() | ast.Gt() | ast.LtE() | ast.GtE()], comparators=[right]):
                    found = [left, right]
                case _:
                    continue
            for one in found:
                if (path := dotted(one)) and path not in ("self", "cls") and not path.rpartition(".")[2][:1].isupper():
                    yield path


def _paths(*nodes: ast.AST) -> Iterator[str]:
    for root in nodes:
        for node in ast.walk(root):
            if isinstance(node, _PATH_NODES) and (path := dotted(node)) not in (None, "self", "cls"):
                yield path


def _joined(before: Snippet, test: ast.expr, part: str, *, first: bool) -> Iterator[Slip]:
    """A condition with a part more, behind it or, where it must be known first, in front of it."""
    if not text_of(before, test) or part in text_of(before, test):
        return
    own = enclosed(before, test, AND)
    both = [f"{own} and {part}", f"{part} and {own}"]
    for text in reversed(both) if first else both:
        yield _slip(before, test, text, part)


def _slip(before: Snippet, node: ast.expr, text: str, word: str) -> Slip:
    return Slip(start_of(before, node), end_of(before, node), text, (word, *re.findall(r"\w+", word)))
