"""Every condition that may be inverted, test too much or too little."""

import ast
import builtins
import re
from collections.abc import Iterator
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, end_of, indentation, start_of, text_of
from spark_tui.editing.codemods.base import Codemod, Ops, Request
from spark_tui.editing.codemods.bugs.conditions_cured import cured_tests
from spark_tui.editing.codemods.bugs.conditions_guarded import guarded_tests
from spark_tui.editing.codemods.bugs.conditions_widened import replaced_tests, told_wholes, widened_tests
from spark_tui.editing.codemods.bugs.forms_cured import CONDITIONS, forms_cured
from spark_tui.editing.codemods.bugs.mistaken import Slip, edits_of, plain_nodes, told_names
from spark_tui.editing.codemods.bugs.none_tests import none_tests
from spark_tui.editing.codemods.common.negation import AND, OR, enclosed, grouped, negated
from spark_tui.editing.codemods.plain.plain_tests import plain_tests
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse

_Condition = tuple[ast.expr, ast.AST]
_TRUTHS = (ast.Compare, ast.BoolOp, ast.UnaryOp)
_PATH = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_QUOTED = re.compile(r"`([^`]+)`|(?<!\w)'((?:[^']|'(?=\w))+)'(?!\w)|\"([^\"]+)\"")
_CODE = re.compile(r"[<>=(\[.]|\b(?:in|is|not)\b")
_QUESTIONS = frozenset(["startswith", "endswith", "isinstance", "issubclass", "hasattr", "callable", "any", "all"])
_LONGEST = 14
_LONGEST_VALUE = 20
_FORMS = ("{}", "not {}", "{} is not None", "{} is None")
_TOLD = {
    "empty": ("len({}) > 0", "len({}) == 0"), "positive": ("{} > 0",), "negative": ("{} < 0", "{} >= 0"),
    "zero": ("{} != 0", "{} == 0", "{} > 0"), "string": ("isinstance({}, str)",), "list": ("isinstance({}, list)",),
    "dict": ("isinstance({}, dict)",), "int": ("isinstance({}, int)",),
}  # fmt: skip
_BOUND = re.compile(
    r"\b(at least|at most|more than|longer than|over|less than|fewer than|shorter than|under)\s+(\d+)\b"
)
_OPERATORS = {
    "at least": ">=", "at most": "<=", "more than": ">", "longer than": ">", "over": ">", "less than": "<",
    "fewer than": "<", "shorter than": "<", "under": "<",
}  # fmt: skip


class FixCondition(Codemod):
    """A `not` missing or too many, a part of an `and` or `or` too many, or one that the instruction tells missing."""

    kind: ClassVar[str] = "fix_condition"
    repairs: ClassVar[bool] = True

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """See `plain_tests`."""
        return [] if request.selected else plain_tests(before, request.instruction)

    def edits(self, before: Snippet, request: Request) -> Iterator[Ops]:
        """One condition changed: with told parts added, the opposite, parts left out."""
        slips = (slip for slip in condition_slips(before, request.instruction) if _narrow(before, slip))
        yield from edits_of(before, request, slips)
        yield from forms_cured(before, request, CONDITIONS)


def condition_slips(before: Snippet, instruction: str = "") -> Iterator[Slip]:
    """Every change of a condition."""
    found = list(conditions(before))
    told = tuple(told_parts(before, instruction)) if instruction else ()
    wholes = told_wholes(before, instruction) if instruction else ()
    yield from none_tests(before, instruction)
    yield from guarded_tests(before, found, instruction) if instruction else ()
    yield from cured_tests(before, instruction)
    for node, parent in found if instruction else ():
        if not isinstance(parent, ast.BoolOp):
            yield from replaced_tests(before, node, wholes)
            yield from widened_tests(before, node, instruction)
    for node, parent in found:
        yield from _opposite(before, node, parent)
        if isinstance(node, ast.BoolOp):
            yield from without_part(before, node, parent)
    for node, parent in found:
        if not isinstance(parent, ast.BoolOp):
            for part in (*told, *_alike(before, node, instruction)):
                yield from with_part(before, node, part)


def conditions(before: Snippet) -> Iterator[_Condition]:
    """Every condition, and every part of one, with what it stands in."""
    for parent in plain_nodes(before.tree):
        match parent:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
                yield test, parent
            case ast.comprehension(ifs=tests):
                yield from ((test, parent) for test in tests)
            case ast.Return(value=value) | ast.Assign(value=value) | ast.Lambda(body=value) | ast.keyword(value=value):
                if value and (_is_question(value) or (isinstance(value, _TRUTHS) and not _is_sign(value))):
                    yield value, parent
            case ast.BoolOp(values=values):
                yield from ((value, parent) for value in values)


def _is_question(node: ast.expr) -> bool:
    """Whether a call is one that answers with yes or no."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _QUESTIONS or name.startswith(("is_", "has_", "can_"))
    return False


def _is_sign(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not)


def _opposite(before: Snippet, node: ast.expr, parent: ast.AST) -> Iterator[Slip]:
    if isinstance(node, ast.Constant | ast.BoolOp) and isinstance(parent, ast.BoolOp):
        return
    text = negated(before, node)
    if isinstance(parent, ast.BoolOp) and isinstance(node, ast.UnaryOp):
        text = enclosed(before, node.operand, AND if isinstance(parent.op, ast.And) else OR)
    if text and not isinstance(node, ast.NamedExpr):
        yield Slip(start_of(before, node), end_of(before, node), text, _words(before, node))


def without_part(before: Snippet, node: ast.BoolOp, parent: ast.AST) -> Iterator[Slip]:
    """The condition without one of its parts."""
    if not text_of(before, node):
        yield from _without_line(before, node)
        return
    parts = [grouped(before, value, node) for value in node.values]
    joint = " and " if isinstance(node.op, ast.And) else " or "
    for index, value in enumerate(node.values):
        rest = parts[:index] + parts[index + 1 :]
        if len(rest) == 1 and not isinstance(parent, ast.BoolOp | ast.UnaryOp):
            rest = [text_of(before, node.values[1 - index])]
        yield Slip(
            start_of(before, node), end_of(before, node), joint.join(rest), (*_words(before, value), parts[index])
        )


def _without_line(before: Snippet, node: ast.BoolOp) -> Iterator[Slip]:
    """A part that has a line for itself, beginning with its operator."""
    joint = "and " if isinstance(node.op, ast.And) else "or "
    for value in node.values[1:]:
        row, text = start_of(before, value)[0], text_of(before, value)
        if text and before.lines[row].strip() == joint + text and row:
            above = before.lines[row - 1]
            yield Slip((row - 1, len(above)), (row, len(before.lines[row])), "", (*_words(before, value), text))


def with_part(before: Snippet, node: ast.expr, part: str) -> Iterator[Slip]:
    """The condition with a part added, at either end, by `and` and by `or`."""
    start, end = start_of(before, node), end_of(before, node)
    words = (part, *_PATH.findall(part))
    if not text_of(before, node):
        if isinstance(node, ast.BoolOp):
            yield from _with_line(before, node, part, words)
        return
    if re.search(r"\b(and|or|if|lambda)\b", part):
        return
    old = _words(before, node)
    if part in text_of(before, node):
        if _PATH.fullmatch(part) and any(text_of(before, one) == part for one in _read(node)):
            yield Slip(start, end, f"{part} and {enclosed(before, node, AND)}", (*words, *old))
        return
    for joint, least in (("and", AND), ("or", OR)):
        own = enclosed(before, node, least)
        yield Slip(start, end, f"{own} {joint} {part}", (*words, *old))
        yield Slip(start, end, f"{part} {joint} {own}", (*words, *old))


def _read(node: ast.expr) -> Iterator[ast.expr]:
    """What a condition reads as a part of something: not what it tests itself."""
    for one in ast.walk(node):
        if isinstance(one, ast.Subscript):
            yield from (one.value, one.slice)
        elif isinstance(one, ast.Attribute):
            yield one.value


def _with_line(before: Snippet, node: ast.BoolOp, part: str, words: tuple[str, ...]) -> Iterator[Slip]:
    joint = "and" if isinstance(node.op, ast.And) else "or"
    row, column = end_of(before, node.values[-1])
    line = before.lines[row]
    if line.lstrip().startswith(f"{joint} ") and not line[column:].strip():
        yield Slip((row, column), (row, column), f"\n{indentation(line)}{joint} {part}", words)


def told_parts(before: Snippet, instruction: str) -> Iterator[str]:
    """The tests that an instruction tells: expressions it holds, and the usual tests of the names in it."""
    names = _names(before)
    found: dict[str, None] = {}
    quoted = tuple(_quoted(instruction))
    stretches = (one for text in (*quoted, instruction) for one in _stretches(text, names))
    for text in (*quoted, *stretches):
        if _is_test(text, names | set(told_names(instruction))):
            found[text] = None
    words = set(re.findall(r"[a-z]+", instruction.lower()))
    forms = [*_FORMS, *(form for word, more in _TOLD.items() if word in words for form in more)]
    for bound, number in _BOUND.findall(instruction):
        forms += [f"len({{}}) {_OPERATORS[bound]} {number}", f"{{}} {_OPERATORS[bound]} {number}"]
    paths = _PATH.findall(instruction)
    for path in dict.fromkeys([*paths, *(one[:-1] for one in paths if one.endswith("s"))]):
        if path in names:
            found |= dict.fromkeys(form.format(path) for form in forms)
    return iter(found)


def _alike(before: Snippet, node: ast.expr, instruction: str) -> Iterator[str]:
    """The tests of a condition with a string that the instruction holds in the place of theirs."""
    said = dict.fromkeys(text.strip("'\"") for text in _quoted(instruction))
    for test in ast.walk(node) if said else ():
        match test:
            case (
                ast.Compare(left=ast.Constant(value=str()) as old)
                | ast.Compare(comparators=[ast.Constant(value=str()) as old])
            ):
                pass
            case ast.Call(args=[ast.Constant(value=str()) as old], keywords=[]):
                pass
            case _:
                continue
        text, literal = text_of(before, test), text_of(before, old)
        if literal[:1] in ("'", '"') and text.count(literal) == 1:
            for one in said:
                if one != old.value and 0 < len(one) <= _LONGEST_VALUE and not set(one) & set("'\"\\"):
                    yield text.replace(literal, literal[0] + one + literal[0])


def _names(before: Snippet) -> set[str]:
    found: set[str] = set()
    for node in before.nodes:
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Attribute) and node.lineno <= len(before.lines):
            found.add(text_of(before, node))
    return {name for name in found if _PATH.fullmatch(name)} - {"self", "cls", "_"}


def _quoted(instruction: str) -> Iterator[str]:
    for match in _QUOTED.finditer(instruction):
        yield next(filter(None, match.groups()))


def _stretches(instruction: str, names: set[str]) -> Iterator[str]:
    """Stretches of words that read as code over names of the region, the longest from each word."""
    tokens = instruction.split()
    for first, token in enumerate(tokens):
        head = _PATH.match(token.lstrip("("))
        if not (
            token == "not" or (head and (head[0].partition(".")[0] in names | {"self"} or hasattr(builtins, head[0])))
        ):
            continue
        for last in range(min(len(tokens), first + _LONGEST), first, -1):
            text = " ".join(tokens[first:last]).rstrip(".,;:!?")
            if _CODE.search(text) and _is_test(text, names):
                yield text
                break


def _is_test(text: str, names: set[str]) -> bool:
    if len(text) > MAX_WIDTH // 2 or not _CODE.search(text):
        return False
    try:
        node = parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return False
    if isinstance(node, ast.Constant | ast.BoolOp | ast.IfExp | ast.Lambda | ast.BinOp | ast.Tuple) or _is_sign(node):
        return False
    used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return bool(used) and all(name in names or name in ("self", "cls") or hasattr(builtins, name) for name in used)


def _words(before: Snippet, node: ast.expr) -> tuple[str, ...]:
    text = text_of(before, node)
    return (text, *_PATH.findall(text))


def _narrow(before: Snippet, slip: Slip) -> bool:
    """Whether no line gets too long; a `not` more is never too much."""
    if "\n" in slip.text or slip.start[0] != slip.end[0]:
        return True
    old = before.lines[slip.start[0]]
    width = len(old) + len(slip.text) - (slip.end[1] - slip.start[1])
    return width <= max(MAX_WIDTH, len(old) + 6)
