"""Whether an edit only touches what a command speaks of, and does not do it: a hint or an import in its place."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from spark_tui.editing.codemods.hints.certain_types import return_type
from spark_tui.editing.codemods.plain.plain_returned import tells_of_none
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse
from spark_tui.session.rules.commanded import OTHERWISE, changed_tokens, does_not, word_set
from spark_tui.session.rules.facts import Code, Function, Rule, first_told

_POLITE = r"(?i)^\W*(?:please |also |just |then |now )*"
_VALUE = re.compile(
    _POLITE + rf"return (?P<value>True|False|{SIGNED}|\"[^\"]*\"|'[^']*'|\[\]|\{{\}})(?![\w.])(?!.*->| only| /)"
)
_BARE = re.compile(
    _POLITE + r"(?P<use>use |call )?[`'\"]?(?P<name>(?:[a-z]\w*\.)*[a-z]+(?:_[a-z]+)+)(?:\(\))?[`'\"]?\W*$"
)
_NOT_NONE = re.compile(r"(?i)^\W*(?:please )?(?:don'?t|do not|never|stop) return(?:ing)? (?:None|nothing)\W*$")
_PATH = re.compile(r"(?:(?<=\s)|(?<=^)|(?<=[`'\"]))/([^\W\d]\w*)(?![\w/]*\.\w)")
_TYPES = "list|dict|dictionary|tuple|set|str|string|int|integer|float|Decimal|Path|generator|iterator|bytes"
_RETURN_TYPE = re.compile(_POLITE + rf"return (?:an? )?(?P<type>{_TYPES})s?(?: instead| of \w+)*\W*$")
_PLAIN_TYPES = {"dictionary": "dict", "string": "str", "integer": "int"}
_FILE = re.compile(r"\w+\.(?:json|txt|csv|ya?ml|toml|ini|cfg|log|db|sqlite|html|md|py|xml|pdf|png|zip)")
_USE = re.compile(_POLITE + r"(?:use|switch to|go for) [`'\"]?[\w.]+[`'\"]?(?: instead| here| for this)*\W*$")
_SKIP = re.compile(_POLITE + r"(?:skip|ignore|leave out|require|limit|round|only)\b")
_CALLED = re.compile(r"(?i)\(\)|\b(?:call|method|property|function|invoke|parenthes)")
_A_VALUE = re.compile(_POLITE + r"return (?:the |an? )?(?!it\b|this\b|that\b|them\b)\w+(?: \w+)?\W*$")
_AT_ONCE = re.compile(
    r"(?i)\b(?:first|immediate\w*|at once|right away|as soon|found|early|from (?:within|inside)|here)\b"
)


def undone(words: str, code: Code, after: Sequence[str]) -> str:
    """What is told and not done by an edit that touches it, in a sentence, or "". Args: after: the lines with it."""
    return first_told(_RULES, words, code, after)


def _other_value(words: str, code: Code, new: Snippet) -> str:
    """Something given back that is not the literal told."""
    told = _VALUE.match(words)
    more = _returns(new.nodes) - _returns(code.nodes) if told else Counter[str]()
    if told is None or not more:
        return ""
    wanted = ast.unparse(parse(told["value"], mode="eval"))
    return "" if any(wanted in one for one in more) else does_not(f"return {told['value']}")


def _returns(nodes: Sequence[ast.AST]) -> Counter[str]:
    return Counter(ast.unparse(one.value) for one in nodes if isinstance(one, ast.Return) and one.value)


def _named_only(words: str, code: Code, new: Snippet) -> str:
    """A function told by nothing but its name, and reckoned with or given back instead of being called."""
    told = _BARE.match(words)
    if told is None or code.said(told["name"].partition(".")[0]):
        return ""
    nodes = [one for one in new.nodes if told["use"] or isinstance(one, ast.Compare)]
    found = [one for node in nodes for one in _sides(node) if ast.unparse(one) == told["name"]]
    return does_not(f"call {told['name']}") if found else ""


def _sides(node: ast.AST) -> Iterator[ast.expr]:
    """What is reckoned with, compared or given back."""
    match node:
        case ast.Return(value=ast.expr() as value):
            yield value
        case ast.Compare(left=left, comparators=others):
            yield from (left, *others)
        case ast.BinOp(left=left, right=right):
            yield from (left, right)
        case ast.BoolOp(values=values):
            yield from values


def _still_none(words: str, code: Code, new: Snippet) -> str:
    """`return None` gone from the end, where None comes back all the same."""
    if not _NOT_NONE.match(words) or len(new.lines) >= len(code.text.split("\n")):
        return ""
    more = _returns(new.nodes) - _returns(code.nodes)
    return "" if more else "without that line None comes back all the same; say what is to come instead"


def _cached_coroutine(words: str, code: Code, new: Snippet) -> str:
    """What would keep coroutines, where only caching is told."""
    if re.search(r"lru_cache|functools|@", words):
        return ""
    for node in (one for one in new.nodes if isinstance(one, ast.AsyncFunctionDef)):
        names = {ast.unparse(one).partition("(")[0].rpartition(".")[2] for one in node.decorator_list}
        if names & {"lru_cache", "cache", "cached_property"} and not re.search(r"@.*cache", code.text):
            return f"{node.name} is async: what functools caches would be a coroutine that can be awaited only once"
    return ""


def _path_as_name(words: str, code: Code, new: Snippet) -> str:
    """A part of a path told that has become a name of the code."""
    text = "\n".join(new.lines)
    for name in _PATH.findall(words):
        if name not in word_set(code.text) and name in word_set(text) and f"/{name}" not in text:
            return f"/{name} is no name; say what text is to become it, in quotes"
    return ""


def _only_hinted(words: str, code: Code, new: Snippet) -> str:
    """Nothing but a return hint where a function is to give back something else."""
    told, none = _RETURN_TYPE.match(words), tells_of_none(words)
    if none and any(isinstance(one, Function) and one.returns for one in new.nodes) and "->" not in code.text:
        return "the edit that was found only hints None; say what is to come instead"
    functions = [one for one in code.nodes if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    if told is None or len(functions) != 1:
        return ""
    surely = return_type(functions[0]) or ""
    wanted = _PLAIN_TYPES.get(told["type"].lower(), told["type"])
    hinted = [ast.unparse(one.returns) for one in new.nodes if isinstance(one, ast.FunctionDef) and one.returns]
    only = hinted and functions[0].returns is None and ast.dump(functions[0].body[-1]) in map(ast.dump, new.nodes)
    same = surely.partition("[")[0] == wanted
    return (
        f"the edit that was found only hints {hinted[0]}; say how that is made of what there is"
        if only and not same
        else ""
    )


def _only_imported(words: str, code: Code, new: Snippet) -> str:
    """Nothing but an import where something is to be used."""
    if not _USE.match(words):
        return ""
    added = Counter(map(str.strip, new.lines)) - Counter(map(str.strip, code.text.split("\n")))
    lines = [line for line in added if line]
    only = bool(lines) and all(re.match(r"(?:import|from)\b", line) for line in lines)
    return "the edit that was found only imports it; say what it is to be used for" if only else ""


def _returns_in_loop(words: str, code: Code, new: Snippet) -> str:
    """What is called for every element given back by the first one."""
    if _AT_ONCE.search(words) or not _A_VALUE.match(words):
        return ""
    had = [ast.dump(one) for one in code.nodes if isinstance(one, ast.Expr)]
    for loop in (one for one in new.nodes if isinstance(one, ast.For | ast.AsyncFor)):
        for line in _unconditional(loop.body):
            if isinstance(line, ast.Return) and line.value and ast.dump(ast.Expr(line.value)) in had:
                return "the edit that was found returns in the first round of the loop; say where"
    return ""


def _unconditional(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    yield from body
    for one in body:
        if isinstance(one, ast.If) and not one.orelse:
            yield from one.body


def _only_called(words: str, code: Code, new: Snippet) -> str:
    """Only parentheses more or less, where a command asks for something else."""
    if not _SKIP.match(words) or _CALLED.search(words):
        return ""
    changes = list(changed_tokens(code, new))
    odd = [set((Counter(old) - Counter(now)) + (Counter(now) - Counter(old))) for old, now in changes]
    only = bool(odd) and all(one == {"(", ")"} for one in odd)
    return f"the edit that was found only changes what is called; {OTHERWISE}" if only else ""


def _unknown_file(_: str, code: Code, new: Snippet) -> str:
    """The name of a file taken for an attribute, as a default."""
    for function in (one for one in new.nodes if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)):
        for value in (*function.args.defaults, *function.args.kw_defaults):
            said = ast.unparse(value) if isinstance(value, ast.Attribute) else ""
            if _FILE.fullmatch(said) and not code.said(root := said.partition(".")[0]):
                return f"say {said} in quotes if it is a text; there is no {root} in {code.path}"
    return ""


_RULES: tuple[Rule, ...] = (
    _other_value, _named_only, _still_none, _cached_coroutine, _path_as_name, _only_hinted, _only_imported,
    _returns_in_loop, _only_called, _unknown_file,
)  # fmt: skip
