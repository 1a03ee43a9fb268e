"""The assignment that an instruction speaks of by its name: "bump MAX_SIZE to 9", "add remove to the commands"."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.stretches import MOST_READ
from spark_tui.editing.trees import parse

_NAME = r"(?:the |our |my )?(?P<name>[^\W\d][\w ]*?)"
_KIND = r"(?: (?:constant|variable|list|dict|dictionary|set|tuple|mapping|table|value|setting|attribute))?"
_VALUE = rf"(?:{SIGNED}|\"[^\"]*\"|'[^']*'|`[^`]*`|True|False|None|\w+)"
_SET = r"(?:set|change|bump|raise|increase|lower|reduce|decrease|update|turn|make|put)"
_END = r"(?: (?:instead|now|please))*"
_FORMS = tuple(
    re.compile(rf"(?i)(?:please |also |just |now )*{pattern}")
    for pattern in (
        rf"{_SET} {_NAME}{_KIND}(?: (?:from|of) {_VALUE})?(?: up| down)?(?: to| =| be)? {_VALUE}{_END}",
        rf"{_NAME}{_KIND} (?:should|must|needs to|has to|ought to) (?:now )?be {_VALUE}{_END}",
        rf"(?:double|halve) {_NAME}{_KIND}",
        rf"(?:add|append|put|insert|include) .+? (?:to|in|into) {_NAME}{_KIND}(?: too| as well)?",
        rf"(?:remove|drop|delete|take|leave) .+? (?:from|out of) {_NAME}{_KIND}",
    )
)
_WRITTEN_OUT = ast.Constant | ast.List | ast.Dict | ast.Set | ast.Tuple | ast.BinOp | ast.UnaryOp | ast.Call
"""Values that can be changed where they stand, or get another member."""


class Constant(NamedTuple):
    """An assignment of a module's or class's own: its name, and its first and last line, 1-based."""

    name: str
    first: int
    last: int


def constants_told(instruction: str, lines: Sequence[str]) -> list[Constant]:
    """The assignments of which the words tell the name and want another value or member; none where it is not clear."""
    told = [found["name"] for form in _FORMS if (found := form.fullmatch(instruction.strip(" .!")))]
    source = "\n".join(lines)
    if not told or len(source) > MOST_READ or "\r" in source:
        return []
    try:
        known = list(_assigned(parse(source).body))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    names = {re.sub(r"\W", "_", name) for name in told}
    if exact := [one for one in known if one.name in names]:
        return exact if exact[0].name.isupper() or _alone(exact[0].name, source) else []
    alike = [one for one in known if one.name.lower() in {name.lower() for name in names}]
    return [one for one in alike if _alone(one.name.lower(), source)]


def _assigned(body: Sequence[ast.stmt]) -> Iterator[Constant]:
    for node in body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if isinstance(value, _WRITTEN_OUT):
                yield Constant(name, node.lineno, node.end_lineno or node.lineno)
            case ast.ClassDef(body=members):
                yield from _assigned(members)


def _alone(name: str, source: str) -> bool:
    """Whether nothing else of the file has the name as a variable, a parameter or a function."""
    pattern = rf"(?<![\w.]){re.escape(name)}(?!\w)\s*(?:=(?!=)|:|,|\))|\bdef {re.escape(name)}\b"
    return len(re.findall(pattern, source)) <= 1
