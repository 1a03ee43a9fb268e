"""Whether an edit leaves out a part that is told in so many words: what is to be returned, called or swapped, too."""

import ast
import re
from collections.abc import Sequence
from typing import TypeGuard

from spark_tui.editing.codemods.common.and_return import AND_RETURN
from spark_tui.editing.snippet import Snippet
from spark_tui.session.rules.commanded import calls, does_not, word_count
from spark_tui.session.rules.facts import Code, Rule, first_told

_USE = re.compile(
    r"(?i)^\W*(?:please )?use `?(?P<name>sum|zip|enumerate|sorted|reversed|len|range|min|max|any|all|divmod)`?"
    r"(?:\(\)`?|(?=\W*$)|(?= (?:with|and) an? |(?: here| instead)\W*$))"
)
_SWAP = re.compile(
    r"(?i)^\W*(?:please )?(?:swap|exchange|switch) (?:the )?"
    r"(?:(?:two )?(?:names|variables|values|arguments|parameters|keys|operands|attributes) )?(?:of )?"
    r"`?(?P<one>[^\W\d]\w*)`? and (?:the )?"
    r"`?(?P<two>[^\W\d]\w*)`?(?: in (?:the )?\S+| around)?\W*$"
)

_RETURNED = re.compile(r"(?i)^\W*(?:please )?return `?(?P<name>[^\W\d]\w*)`?\W*$")


def partly(words: str, code: Code, after: Sequence[str]) -> str:
    """What of the words an edit leaves out, in a sentence, or "". Args: after: the lines of `code` with it."""
    return first_told(_RULES, words, code, after)


def _not_returned(words: str, code: Code, new: Snippet) -> str:
    """A value that is to be returned besides, and is not."""
    told = AND_RETURN.match(words)
    value = told["value"].replace("'", '"') if told else ""
    more = told and _returning(new, value) > _returning(code, value)
    return does_not(f"return {value}") if told and not more else ""


def _no_more_named(words: str, code: Code, new: Snippet) -> str:
    """A name that is to be returned, and is taken away from all that is returned."""
    told = _RETURNED.match(words)
    name = told["name"] if told else ""
    named, left = (_reading(nodes, name) for nodes in (code.nodes, new.nodes))
    return does_not(f"return {name}") if named and not left else ""


def _reading(nodes: Sequence[ast.AST], name: str) -> bool:
    """Whether anything is returned that is made of a name."""
    values = [one.value for one in nodes if isinstance(one, ast.Return) and one.value]
    return any(isinstance(one, ast.Name) and one.id == name for value in values for one in ast.walk(value))


def _returning(of: Snippet | Code, value: str) -> int:
    """How often a value is returned, with what is returned in a bare `return` as None."""
    found = [one.value for one in of.nodes if isinstance(one, ast.Return)]
    return sum((ast.unparse(one).replace("'", '"') if one else "None") == value for one in found)


def _not_called(words: str, code: Code, new: Snippet) -> str:
    """A function that is to be used, called no more often than it was."""
    told = _USE.match(words)
    name = told["name"].lower() if told else ""
    more = calls(new.nodes).count(name) > calls(code.nodes).count(name)
    return does_not(f"use {name}") if told and not more else ""


def _not_swapped(words: str, code: Code, new: Snippet) -> str:
    """Names that are to change places, and stand as they did, or one of which comes or goes."""
    told = _SWAP.match(words)
    names = [told["one"], told["two"]] if told else []
    if not names or not all(name in code.names for name in names):
        return ""
    text = "\n".join(new.lines)
    same = all(word_count(text, name) == word_count(code.text, name) for name in names)
    either = re.compile(rf"(?<!\w)(?:{'|'.join(names)})(?!\w)")
    moved = either.findall(text) != either.findall(code.text)
    return "" if same and moved else does_not(f"swap {names[0]} and {names[1]}")


def _half_a_choice(_: str, code: Code, new: Snippet) -> str:
    """A new `setdefault` without a key, or in one branch of an `if` that goes on asking for the key."""
    known = {ast.dump(one) for one in code.nodes if _sets_default(one)}
    if any(not one.args for one in new.nodes if _sets_default(one) and ast.dump(one) not in known):
        return does_not("say what setdefault is to set")
    for node in new.nodes:
        match node:
            case ast.If(test=ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[held])):
                inside = [one for line in (*node.body, *node.orelse) for one in ast.walk(line) if _sets_default(one)]
                if any(_is_of(one, held) and ast.dump(one) not in known for one in inside):
                    return does_not(f"take the place of “if {ast.unparse(node.test)}”")
    return ""


def _sets_default(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "setdefault"


def _is_of(call: ast.Call, held: ast.expr) -> bool:
    return isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == ast.unparse(held)


_RULES: tuple[Rule, ...] = (_not_returned, _no_more_named, _not_called, _not_swapped, _half_a_choice)
