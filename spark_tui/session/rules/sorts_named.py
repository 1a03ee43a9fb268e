"""Whether an edit is of the sort that the words name: a comprehension, fewer branches, a call that comes first."""

import ast
import re
from collections.abc import Sequence

from spark_tui.editing.snippet import Snippet
from spark_tui.session.rules.commanded import OTHERWISE
from spark_tui.session.rules.facts import Code, Function, Rule, first_told

_COMPREHENSION = re.compile(r"(?i)\b(?:use|with|as|into|to|by|in|make \w+) (?:an? )?(?:\w+ )?comprehension\b")
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_MERGE = re.compile(
    r"(?i)^\W*(?:please )?(?:merge|combine|join|unify|collapse) (?:\w+ ){0,3}"
    r"(?:(?:el)?ifs?|conditions?|checks?|branches)\b"
)
_FIRST = re.compile(r"(?i)^\W*(?:please )?call `?(?P<name>[\w.]+)(?:\(\))?`? first\W*$")
_INSTEAD = re.compile(
    r"(?i)^\W*(?:please )?(?:use|call|do|prefer) [^,;]+? (?:instead of|rather than|in place of|over) "
    r"(?:the |an? |`)?`?(?P<old>[^\W\d]\w*)(?:\(\))?`?[\s.!]*$"
)
_RETURN = re.compile(
    r"(?i)^\W*(?:please )?(?:simplify|shorten|fix|reformat|clean up) (?:the |this )?(?:final |last )?return"
    r"(?: statement| expression)?\W*$"
)
_TWICE = re.compile(r"(?i)\b(?:twice|two times|more than once|a second time|double)\b")
_DEFAULT = re.compile(r"(?i)\bdefaults?\b")
_MAY_BE = re.compile(r"(?i)^\W*`?(?P<name>[\w.]+)`? (?:may|can|might|could) (?:also |sometimes )?be\b")


def other_sort(words: str, code: Code, after: Sequence[str]) -> str:
    """That an edit is of another sort, in a sentence, or "". Args: after: the lines with it."""
    return first_told(_RULES, words, code, after)


def _no_comprehension(words: str, code: Code, new: Snippet) -> str:
    if not _COMPREHENSION.search(words) or _count(new.nodes, _Comprehension) > _count(code.nodes, _Comprehension):
        return ""
    same = _count(new.nodes, _Comprehension) == _count(code.nodes, _Comprehension) > 0
    kinds = [[type(one) for one in nodes if isinstance(one, _Comprehension)] for nodes in (code.nodes, new.nodes)]
    return "" if same and kinds[0] != kinds[1] else f"the edit that was found brings no comprehension; {OTHERWISE}"


def _not_merged(words: str, code: Code, new: Snippet) -> str:
    """As many conditions as before where some are to be one."""
    had = _count(code.nodes, ast.If)
    if not _MERGE.search(words) or had < 2 or _count(new.nodes, ast.If) < had:
        return ""
    return f"the edit that was found merges nothing; {OTHERWISE}"


def _not_first(words: str, _: Code, new: Snippet) -> str:
    told = _FIRST.match(words)
    functions = [node for node in new.nodes if isinstance(node, Function)]
    if told is None or len(functions) != 1:
        return ""
    body = functions[0].body
    begins = body[1:] if ast.get_docstring(functions[0]) is not None else body
    there = bool(begins) and told["name"] in ast.unparse(begins[0])
    return "" if there else f"the edit that was found does not call {told['name']} first; {OTHERWISE}"


def _still_used(words: str, code: Code, new: Snippet) -> str:
    """What something else is to stand in for, used as often as before."""
    if (told := _INSTEAD.match(words)) is None:
        return ""
    old = told["old"]
    had, left = (_uses(nodes, old) for nodes in (code.nodes, new.nodes))
    return f"the edit that was found still uses {old} as before; {OTHERWISE}" if had and left >= had else ""


def _uses(nodes: Sequence[ast.AST], name: str) -> int:
    return sum(name in (getattr(node, "id", ""), getattr(node, "attr", "")) for node in nodes)


def _return_as_it_was(words: str, code: Code, new: Snippet) -> str:
    if not _RETURN.match(words) or _returns(code.nodes) != _returns(new.nodes):
        return ""
    return f"the edit that was found changes no return; {OTHERWISE}"


def _returns(nodes: Sequence[ast.AST]) -> list[str]:
    return [ast.dump(node) for node in nodes if isinstance(node, ast.Return)]


def _gone_for_good(words: str, code: Code, new: Snippet) -> str:
    """A statement that goes where it is done twice, though it stands there once."""
    if not _TWICE.search(words):
        return ""
    had, has = ([ast.dump(node) for node in nodes if isinstance(node, ast.Expr)] for nodes in (code.nodes, new.nodes))
    if len(has) < len(had) and not set(had) <= set(has):
        return f"the edit that was found leaves out for good what stands there once; {OTHERWISE}"
    return ""


def _no_default(words: str, code: Code, new: Snippet) -> str:
    """A number that is compared with, changed where a default is to be."""
    if not _DEFAULT.search(words):
        return ""
    pairs = list(zip(code.nodes, new.nodes, strict=False))
    alike = len(code.nodes) == len(new.nodes) and all(type(one) is type(other) for one, other in pairs)
    changed = [one for one, other in pairs if isinstance(one, ast.Constant) and ast.dump(one) != ast.dump(other)]
    compared = {id(part) for node in code.nodes if isinstance(node, ast.Compare) for part in node.comparators}
    wrong = alike and changed and all(id(one) in compared for one in changed)
    return f"the edit that was found changes no default; {OTHERWISE}" if wrong else ""


def _not_asked_of(words: str, code: Code, new: Snippet) -> str:
    """What a name may be, without anything that asks what it is."""
    told = _MAY_BE.match(words)
    if told is None or told["name"].rpartition(".")[2] not in code.names:
        return ""
    asks = re.compile(r"\b(?:isinstance|is|in|if|or|try|except|get|getattr)\b|\w+: |\|")
    lines = {line.strip() for line in code.text.split("\n")}
    come = [line for line in new.lines if line.strip() not in lines]
    return (
        ""
        if any(map(asks.search, come))
        else f"the edit that was found does not ask what {told['name']} is; {OTHERWISE}"
    )


def _count(nodes: Sequence[ast.AST], kind: type[ast.AST] | object) -> int:
    return sum(isinstance(node, kind) for node in nodes)  # type: ignore[arg-type]


_RULES: tuple[Rule, ...] = (
    _no_comprehension,
    _not_merged,
    _not_first,
    _still_used,
    _return_as_it_was,
    _gone_for_good,
    _no_default,
    _not_asked_of,
)
