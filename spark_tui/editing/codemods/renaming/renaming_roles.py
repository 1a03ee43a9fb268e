"""Names that an instruction tells by what they are: the loop variable, the parameter, the local that shadows."""

import ast
import builtins
import re
from collections.abc import Callable, Collection, Iterator

from spark_tui.editing import code
from spark_tui.editing.codemods.renaming.renaming_words import NEVER, NOUNS
from spark_tui.editing.snippet import Snippet

_NEW = re.compile(
    r"(?:\b(?:call|name|make|rename) (?:it|this|that|them|(?:the|that|this) [\w ]{3,30}?(?: to)?)|\b(?:to|called|named"
    r"|be(?:come)?|say|into|use|prefer|it|better)|[:>=\u2192])\W*[`'\"]([^\W\d]\w*)[`'\"]"
    r"|(?:\b(?:call|name|rename) (?:it|this|that|them|the [\w ]{3,30}?(?: to| as)?)|\b(?:to|called|named|become|into)"
    r"|->|=>|\u2192) ([^\W\d]\w*)"
    r"|[`'\"]([^\W\d]\w*)[`'\"] (?:for|as|would|will|is|reads|says|fits|please)\b|[`'\"]([^\W\d]\w*)[`'\"]\W*$"
)


def names_meant(before: Snippet, instruction: str) -> list[str]:
    """What may be renamed where no name is told: by its role, the likeliest first."""
    words = instruction.lower()
    found = [name for pattern, role in _ROLES.items() if re.search(pattern, words) for name in role(before)]
    return list(dict.fromkeys(found))


def news_told(instruction: str, names: Collection[str]) -> list[str]:
    """What something may be called from now on."""
    found = [(marked or bare or for_it or last, not bare) for marked, bare, for_it, last in _NEW.findall(instruction)]
    never = NEVER | NOUNS
    return [name for name, sure in dict.fromkeys(found) if name not in names and (sure or name.lower() not in never)]


def bound_names(before: Snippet) -> list[str]:
    """Every name that a region defines, in order: functions, classes, parameters and variables."""
    return list(dict.fromkeys([*_functions(before), *_classes(before), *_parameters(before), *stored(before)]))


def groups(before: Snippet) -> Iterator[tuple[str, ...]]:
    """The names that go together: targets unpacked to, `*args` and `**kwargs`, all the parameters of a function."""
    for node in before.nodes:
        if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Store):
            yield tuple(one.id for one in node.elts if isinstance(one, ast.Name))
    for function in before.functions:
        yield tuple(one.arg for one in (function.args.vararg, function.args.kwarg) if one)
        yield tuple(one.arg for one in code.parameters(function) if not code.is_receiver(function, one))


def unused(before: Snippet) -> list[str]:
    """The parameters and variables that nothing reads."""
    read = {node.id for node in before.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return [name for name in dict.fromkeys([*_parameters(before), *stored(before)]) if name not in read]


def _functions(before: Snippet) -> Iterator[str]:
    return (one.name for one in before.functions)


def _classes(before: Snippet) -> Iterator[str]:
    return (node.name for node in before.nodes if isinstance(node, ast.ClassDef))


def _parameters(before: Snippet) -> Iterator[str]:
    for function in before.functions:
        yield from (one.arg for one in code.parameters(function) if not code.is_receiver(function, one))


def stored(before: Snippet) -> Iterator[str]:
    """The variables that are set, in order."""
    return (node.id for node in before.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))


def _loops(before: Snippet) -> Iterator[str]:
    for node in before.nodes:
        if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            yield from (one.id for one in ast.walk(node.target) if isinstance(one, ast.Name))


def _caught(before: Snippet) -> Iterator[str]:
    return (node.name for node in before.nodes if isinstance(node, ast.ExceptHandler) and node.name)


def _opened(before: Snippet) -> Iterator[str]:
    held = (node.optional_vars for node in before.nodes if isinstance(node, ast.withitem))
    return (one.id for one in held if isinstance(one, ast.Name))


def _returned(before: Snippet) -> Iterator[str]:
    return (node.value.id for node in before.nodes if isinstance(node, ast.Return) and isinstance(node.value, ast.Name))


def _shadowing(before: Snippet) -> Iterator[str]:
    """Variables and parameters with the name of a builtin, or of a function around them."""
    own = set(_functions(before))
    return (name for name in (*_parameters(before), *stored(before)) if name in own or hasattr(builtins, name))


def _alone(role: Callable[[Snippet], Iterator[str]]) -> Callable[[Snippet], Iterator[str]]:
    """Of a role only what is the one in it."""

    def only(before: Snippet) -> Iterator[str]:
        found = list(dict.fromkeys(role(before)))
        yield from found if len(found) == 1 else ()

    return only


_ROLES: dict[str, Callable[[Snippet], Iterator[str]]] = {
    r"\bshadow|\bbuilt-?in|\bsame name\b|\ba00[123]\b|\bclash|\bcollid|\bhides\b": _shadowing,
    r"\bloop (?:var|name|index|counter)|\biteration var|\bindex var": _loops,
    r"\b(?:exception|error) (?:var|name)|\bcaught\b": _caught,
    r"\b(?:file|handle|context) (?:var|name|handle)|\bhandle\b": _opened,
    r"\b(?:result|return(?:ed)?) (?:var|name|list|dict|value)|\bwhat (?:it|is|we) returns?\b|\bwhat is returned\b"
    r"|\baccumulator\b": _returned,
    r"\b(?:param|parameter|argument|arg|signature)\b": _alone(_parameters),
    r"\b(?:function|method|func|test|helper|fixture)\b": _alone(_functions),
    r"\bclass\b": _alone(_classes),
    r"\b(?:local|variable|var)\b": _alone(stored),
}
"""What tells a role, and who is in it."""
