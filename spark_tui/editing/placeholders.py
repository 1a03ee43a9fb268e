"""Find Python functions and classes that lost their code to a placeholder.

Models write `...`, `pass` or a lone string where they mean that the code of a function stays. The
syntax trees before and after the edit tell, so a remark beside the placeholder may be in any
language.
"""

import ast
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from spark_tui.editing.multi_file import changed
from spark_tui.editing.syntax import is_large, language_of, read_tree
from spark_tui.editing.text import Text

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DECLARATIONS = frozenset(
    {
        "overload",
        "abstractmethod",
        "abstractproperty",
        "abstractclassmethod",
        "abstractstaticmethod",
    }
)
"""Decorators of functions that need no code."""


@dataclass(frozen=True, slots=True)
class _Definition:
    """A function or a class.

    `name`: its qualified name. `is_whole`: whether there is code, and no `...` among the code.
    `is_declaration`: whether the definition needs no code, as a protocol or an overload.
    """

    name: str
    is_function: bool
    is_whole: bool
    is_declaration: bool


def lost_to_placeholders(base: Text, proposed: Text, path: str) -> tuple[str, ...]:
    """Return the names of the functions and classes whose code gave way to a placeholder.

    A definition that was a placeholder before does not count; nor does an abstract method, an
    overload or a protocol that the edit adds. A definition that the edit renames counts. Lines that
    Python cannot read lose nothing.

    Args:
        base: The file, or several files as one text.
        proposed: The same with the edit.
        path: The path of the file; a text of several files names its own.
    """
    names: list[str] = []
    for name, before, after in changed(base, proposed, path):
        language = language_of(name)
        if before is None or after is None or language is None or language.name != "Python":
            continue
        if not is_large(before) and not is_large(after):
            names += _lost_definitions(before.lines, after.lines)
    return tuple(names)


def _lost_definitions(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """The names of the definitions of a file that lost their code.

    Args:
        old: The lines of the file.
        new: The lines with the edit.
    """
    before = _by_name(_definitions(old))
    after = _by_name(_definitions(new))
    gone: set[bool] = set()  # whether functions, and whether classes, with code are gone
    for name, definitions in before.items():
        if name not in after:
            gone |= {definition.is_function for definition in definitions if definition.is_whole}
    for name, definitions in after.items():
        known = before.get(name, [])
        hollow = _hollow(definitions, known)
        # as many of this name were hollow before the edit
        if len(hollow) <= len(known) - _whole_count(known):
            continue
        # a hollow definition under a new name may be one that was renamed and lost its code
        is_emptied = _whole_count(definitions) < _whole_count(known)
        is_renamed = not known and any(definition.is_function in gone for definition in hollow)
        if is_emptied or is_renamed:
            yield name


def _hollow(definitions: Sequence[_Definition], known: Sequence[_Definition]) -> list[_Definition]:
    """The definitions that need code and have none.

    Args:
        definitions: All of one name.
        known: Those of the same name before the edit. Where one was a declaration already, being
            a declaration excuses none of them.
    """
    was_declared = any(definition.is_declaration for definition in known)
    hollow: list[_Definition] = []
    for definition in definitions:
        is_new_declaration = definition.is_declaration and not was_declared
        if not definition.is_whole and not is_new_declaration:
            hollow.append(definition)
    return hollow


def _whole_count(definitions: Sequence[_Definition]) -> int:
    return sum(definition.is_whole for definition in definitions)


def _by_name(definitions: Iterable[_Definition]) -> dict[str, list[_Definition]]:
    named = defaultdict[str, list[_Definition]](list)
    for definition in definitions:
        named[definition.name].append(definition)
    return dict(named)


def _definitions(lines: Sequence[str]) -> Iterator[_Definition]:
    """The definitions that lines hold, with those that stand within others.

    Lines that Python cannot read hold none.
    """
    tree = read_tree(textwrap.dedent("\n".join(lines)))
    if tree is None:
        return
    waiting: list[tuple[str, bool, ast.AST]] = [("", False, tree)]
    while waiting:
        prefix, in_protocol, node = waiting.pop()
        if isinstance(node, _Scope):
            name = prefix + node.name
            is_declaration = in_protocol or _is_declared(node)
            is_function = isinstance(node, _FUNCTIONS)
            yield _Definition(name, is_function, _is_whole(node.body), is_declaration)
            prefix = f"{name}."
            # a protocol passes this on to its methods; an overload does not to functions within
            in_protocol = is_declaration and not is_function
        waiting += [(prefix, in_protocol, child) for child in ast.iter_child_nodes(node)]


def _is_declared(node: _Scope) -> bool:
    """Whether a definition says that it needs no code."""
    if isinstance(node, ast.ClassDef):
        return any(_last_name(base) == "Protocol" for base in node.bases)
    return any(_last_name(decorator) in _DECLARATIONS for decorator in node.decorator_list)


def _last_name(node: ast.expr) -> str:
    """The name at the end of `a.b.name`, `name[T]` or `name`, or ""."""
    if isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_whole(body: Sequence[ast.stmt]) -> bool:
    """Whether a body has code, and no `...` beside the code."""
    has_code = False
    for statement in body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            if statement.value.value is ...:
                return False
        elif not isinstance(statement, ast.Pass):
            has_code = True
    return has_code
