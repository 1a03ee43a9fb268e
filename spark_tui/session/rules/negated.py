"""Whether an edit does what words forbid: "don't swallow KeyboardInterrupt", "never return None", "stop printing"."""

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from spark_tui.context.wording import is_filler
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.session.rules.commanded import OTHERWISE, calls
from spark_tui.session.rules.facts import Code, Rule, first_told, name_of

_FORBIDDEN = re.compile(
    r"(?i)^\W*(?:please |also |just |it |this |we )*(?:should |must )?"
    r"(?:don'?t|do not|never|stop|no more|no|no longer|shouldn't|mustn't) (?:ever )?"
    r"(?P<verb>(?:re-)?[a-z]+)(?P<rest>(?: (?!but\b|instead\b|rather\b|use\b|and\b|just\b)[`'\"\w.()-]+)*)\W*$"
)
_ALL = re.compile(r"(?i)(?: (?:it|them|this|that|here|any ?more|anything|at all|the (?:result|value)))*")
_NONE = re.compile(r"(?i)(?: (?:any ?more|anything|at all))*")
_ERROR = re.compile(r"\b(?:[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Iteration)|Exception)\b")
_CATCHES = re.compile(r"(?i)(?:catch|eat|hid|ignor|mask|silenc|suppress|swallow|trap)(?:e|ing|ping)?")
_RAISES = re.compile(r"(?i)(?:re-?)?rais(?:e|ing)")
_RETURNS = re.compile(r"(?i)return(?:ing)?")
_TELLS = re.compile(r"(?i)(?:display|log|output|print|rais|send|show|writ)(?:e|ing|ting|ging)?")
_VALUE = re.compile(rf"(?i) (?P<value>None|True|False|{SIGNED})\W*$")


def negated(words: str, code: Code, after: Sequence[str]) -> str:
    """What an edit does though words forbid it, in a sentence, or "". Args: after: the lines with it."""
    return first_told(_RULES, words, code, after) if _FORBIDDEN.match(words) else ""


def _forbidden(words: str) -> tuple[str, str]:
    """What is not to be done, and what that is not to be done with."""
    told = _FORBIDDEN.match(words)
    return (told["verb"].lower(), told["rest"]) if told else ("", "")


def _still_done(words: str, code: Code, new: Snippet) -> str:
    """A call that is to be no more and is still there as often, or at all where none is to be."""
    verb, rest = _forbidden(words)
    stem = verb.removesuffix("ing")
    had = [name for name in calls(code.nodes) if _is_verb(name, stem)] if len(stem) > 2 and _ALL.fullmatch(rest) else []
    left = [name for name in calls(new.nodes) if _is_verb(name, stem)] if had else []
    all_of_them = _NONE.fullmatch(rest) and not code.selected and not re.match(r"(?i)\W*no ", words)
    wrong = len(left) >= len(had) or all_of_them
    return f"the edit that was found still does {left[0]}; {OTHERWISE}" if left and wrong else ""


def _is_verb(name: str, stem: str) -> bool:
    return name.lower() in (stem, f"{stem}e", f"{stem}ed", stem[:-1])


def _done_more(words: str, code: Code, new: Snippet) -> str:
    """A statement that there is to be none of, more often than before."""
    verb, rest = _forbidden(words)
    kinds: tuple[type[ast.AST], ...] = (ast.Raise,) if _RAISES.fullmatch(verb) else ()
    if _RETURNS.fullmatch(verb) and rest.strip().lower() == "early":
        kinds = (ast.Return,)
    if verb.startswith("clos"):
        kinds = (ast.With, ast.AsyncWith)
    had, has = (sum(isinstance(one, kinds) for one in nodes) for nodes in (code.nodes, new.nodes))
    return f"the edit that was found does what it is not to do, {verb}; {OTHERWISE}" if has > had else ""


def _value_left(words: str, code: Code, new: Snippet) -> str:
    """A value that is given back as often, where it is not to be."""
    verb, rest = _forbidden(words)
    told = _VALUE.match(rest) if _RETURNS.fullmatch(verb) else None
    value = told["value"].capitalize() if told else ""
    had, has = (Counter(_given(nodes))[value] for nodes in (code.nodes, new.nodes))
    return f"the edit that was found still returns {value}; {OTHERWISE}" if had and has >= had else ""


def _given(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Return):
            yield ast.unparse(node.value) if node.value else "None"


def _named_more(words: str, code: Code, new: Snippet) -> str:
    """What is not to be told to anybody, used more often than before."""
    verb, rest = _forbidden(words)
    said = {word for word in re.findall(r"[^\W\d]\w+", rest) if not is_filler(word) and _TELLS.fullmatch(verb)}
    had, has = (Counter(name for one in nodes if (name := name_of(one)) in said) for nodes in (code.nodes, new.nodes))
    more = has - had
    return f"the edit that was found has more of {min(filter(None, more))}; {OTHERWISE}" if more else ""


def nothing_held(words: str, code: Code) -> str:
    """That an error which is not to be held back is not, in a sentence, or ""."""
    error, silent = _spared(words)
    if error not in vars(builtins) or not code.nodes or "suppress" in code.text:
        return ""
    return "" if _held(code.nodes, error, silent) else f"nothing in {code.where} holds {error} back"


def _spared(words: str) -> tuple[str, bool]:
    """The error that is not to be held back, or "", and whether it may be if another is raised."""
    verb, rest = _forbidden(words)
    told = _ERROR.search(rest) if _CATCHES.fullmatch(verb) else None
    return (told[0] if told else ""), not verb.startswith(("catch", "trap"))


def _still_caught(words: str, code: Code, new: Snippet) -> str:
    """An error that is not to be held back, and is; or others with it that nobody spoke of."""
    error, silent = _spared(words)
    if not error:
        return ""
    if _held(new.nodes, error, silent) >= _held(code.nodes, error, silent):
        return f"the edit that was found still holds {error} back; {OTHERWISE}"
    others = {name for one in code.nodes if isinstance(one, ast.ExceptHandler) for name in _types(one)} | {_ANY_ERROR}
    others = {one for one in others if not (_is_a(one, error) or _is_a(error, one))}
    lost = any(_held(new.nodes, one, silent) < _held(code.nodes, one, silent) for one in others)
    return f"the edit that was found lets more through than {error}; {OTHERWISE}" if lost else ""


_ANY_ERROR = "?"
"""An error of which nothing is known but that it is one."""


def _held(nodes: Iterable[ast.AST], error: str, silent: bool) -> int:
    """How many `try` statements hold an error back. Args: silent: only those that raise nothing instead."""
    tried = [one.handlers for one in nodes if isinstance(one, ast.Try)]
    caught = [next((one for one in each if any(_is_a(error, name) for name in _types(one))), None) for each in tried]
    return sum(one is not None and not _raises(one, silent) for one in caught)


def _raises(handler: ast.ExceptHandler, anywhere: bool) -> bool:
    return any(isinstance(one, ast.Raise) for one in (ast.walk(handler) if anywhere else handler.body[:1]))


def _types(handler: ast.ExceptHandler) -> list[str]:
    """The names of what is caught."""
    caught = handler.type
    parts = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return [(ast.unparse(one).rpartition(".")[2] if one else "BaseException") for one in parts]


def _is_a(error: str, other: str) -> bool:
    """Whether an error is of a sort, as far as Python itself tells."""
    mine, yours = getattr(builtins, error, Exception), getattr(builtins, other, None)
    return error == other or (isinstance(mine, type) and isinstance(yours, type) and issubclass(mine, yours))


_RULES: tuple[Rule, ...] = (_still_done, _done_more, _value_left, _named_more, _still_caught)
