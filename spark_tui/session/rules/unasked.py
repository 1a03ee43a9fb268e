"""Whether an edit does what the words plainly do not ask for: it gives back, takes away or tests something else."""

import ast
import re
from collections import Counter
from collections.abc import Sequence

from spark_tui.editing.code import walk_scope
from spark_tui.editing.codemods.plain.empty_results import gives_numbers
from spark_tui.editing.snippet import Snippet
from spark_tui.session.rules.facts import Code, Rule, first_told, parameters
from spark_tui.session.rules.obstacles import EXAMPLE, LEFT_WHEN_EMPTY

_RETURNED = re.compile(
    r"(?i)\b(?:return|give back|hand back)s? (?:just |only |an? |the )*(?P<what>[`'\"]?[\w\[\]{}()'\".-]+)"
)
_NOTHING = re.compile(
    r"(?i)[`'\"]?(?:None|null|nothing|early|at|if|when|unless|right|immediately|explicit\w*|bare|too|early|from|out|the"
    r"|types?|hints?|annotation|value|values|statement|it|that|this|what|so|in|on|or|and|without|sooner|first)\b"
)
_ITSELF = re.compile(r"(?i)\b(?:self|itself|chain\w*|fluent\w*|builder|instance|object)\b")
_ONLY = re.compile(
    r"(?i)^\W*(?:please |also )*(?:only|just) \w+(?: \w+){0,4},? (?:if|when|where|for|on|in case|once)\b"
)
_HELP = re.compile(r"(?i)\bhelp (?:text|message|string)?")
_UNPACKED = re.compile(r"(?i)unused|underscore|[`'\"]_[`'\"]|not (?:used|needed)|never (?:used|read)|needless")
_DOCUMENTS = re.compile(r"(?i)\b(?:doc\w*|describ\w+|explain\w*|summar\w+)")


def unasked(words: str, code: Code, after: Sequence[str]) -> str:
    """What an edit does that the words plainly do not ask for, in a sentence, or "". Args: after: the lines with it."""
    one = first_told(_RULES, words, code, after)
    return f"the edit that was found {one}; say it in other words" if one else ""


def _gives_self(words: str, code: Code, new: Snippet) -> str:
    more = _returns(new.nodes)["self"] > _returns(code.nodes)["self"]
    return "returns self" if more and not _ITSELF.search(words) else ""


def _gives_nothing(words: str, code: Code, new: Snippet) -> str:
    """`return None` where something is told to be returned."""
    told = _RETURNED.search(words)
    if told is None or _NOTHING.match(told["what"]):
        return ""
    more = _returns(new.nodes) - _returns(code.nodes)
    return f"returns nothing, and not {told['what']}" if set(more) == {"None"} or set(more) == {""} else ""


def _gives_no_number(words: str, code: Code, new: Snippet) -> str:
    """`return None` for what is empty, where a number is given back else, and nobody told what is to come."""
    if not LEFT_WHEN_EMPTY.search(words) or len(code.functions) != 1 or not gives_numbers(code.functions[0]):
        return ""
    more = set(_returns(new.nodes) - _returns(code.nodes))
    return "returns nothing where it is empty, and a number else" if more and more <= {"None", ""} else ""


def _returns(nodes: Sequence[ast.AST]) -> Counter[str]:
    return Counter(ast.unparse(one.value) if one.value else "" for one in nodes if isinstance(one, ast.Return))


def _only_removes(words: str, code: Code, new: Snippet) -> str:
    """Something done no more that is to be done on a condition."""
    if not _ONLY.search(words):
        return ""
    had, has = (Counter(map(str.strip, lines)) for lines in (code.text.split("\n"), new.lines))
    return "takes it away altogether" if had - has and not has - had else ""


def _tests_another(words: str, code: Code, new: Snippet) -> str:
    """A new test of a parameter that is not named, where a variable is that the function sets."""
    if len(code.functions) != 1:
        return ""
    said = set(re.findall(r"[^\W\d]\w*", words.lower()))
    given = {one.arg for one in parameters(code.functions[0])}
    stored = {one.id for one in walk_scope(code.functions[0]) if isinstance(one, ast.Name) and _is_set(one)} - given
    had = {ast.unparse(one.test) for one in code.nodes if isinstance(one, ast.If)}
    for node in (one for one in new.nodes if isinstance(one, ast.If)):
        names = {one.id for one in ast.walk(node.test) if isinstance(one, ast.Name)}
        meant = next((name for name in sorted(stored) if _forms(name) & said and len(name) > 2), "")
        if ast.unparse(node.test) not in had and names and names <= given and meant and not _said(names, said):
            return f"tests {', '.join(sorted(names))}, and not {meant}"
    return ""


def _is_set(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _said(names: set[str], said: set[str]) -> bool:
    return any(_forms(name) & said for name in names)


def _forms(name: str) -> set[str]:
    """A name and its plural, in small letters."""
    name = name.lower()
    return {name, f"{name}s", f"{name}es", f"{name[:-1]}ies" if name.endswith("y") else name}


def _documents(words: str, code: Code, new: Snippet) -> str:
    """A docstring where a help text is told that a call could take."""
    if not _HELP.search(words) or _DOCUMENTS.search(words):
        return ""
    return "writes a docstring" if _docs(new.nodes) > _docs(code.nodes) else ""


def _tests(words: str, code: Code, new: Snippet) -> str:
    """A test for an example that only tells what is wrong."""
    if not EXAMPLE.search(words) or re.search(r"(?i)\btests?\b|\bassert", words):
        return ""
    had, has = (sum(isinstance(one, ast.Assert) for one in nodes) for nodes in (code.nodes, new.nodes))
    return "writes a test" if has > had else ""


def _underscores(words: str, code: Code, new: Snippet) -> str:
    """A variable that is but renamed to `_`, where nothing is said of what is unused."""
    had, has = (sum(isinstance(one, ast.Name) and one.id == "_" for one in nodes) for nodes in (code.nodes, new.nodes))
    same = len(code.nodes) == len(new.nodes)
    return (
        "only renames a variable to _"
        if has > had and same and "_" not in words and not _UNPACKED.search(words)
        else ""
    )


def _throws_away(words: str, code: Code, new: Snippet) -> str:
    """What was given back now made for nothing."""
    lost = _returns(code.nodes) - _returns(new.nodes)
    dropped = {ast.unparse(one.value) for one in new.nodes if isinstance(one, ast.Expr)}
    dropped -= {ast.unparse(one.value) for one in code.nodes if isinstance(one, ast.Expr)}
    made = dropped & set(lost)
    return "returns it no more" if made and not re.search(r"(?i)\b(?:return|give|call|run|await|yield)", words) else ""


def _docs(nodes: Sequence[ast.AST]) -> int:
    owners = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)
    return sum(isinstance(one, owners) and ast.get_docstring(one) is not None for one in nodes)


_RULES: tuple[Rule, ...] = (
    _gives_self, _gives_nothing, _gives_no_number, _only_removes, _tests_another, _documents, _tests,
    _underscores, _throws_away,
)  # fmt: skip
