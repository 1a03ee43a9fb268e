"""What is caught elsewhere than by an except (`suppress(...)`), errors that others cover, and those told in words."""

import ast
import builtins
import re
from collections.abc import Iterable, Iterator

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.common.occasions import Occasion
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_COVERED = re.compile(
    r"\balready\b|\bcovers?\b|\bcovered\b|\bis an? \w*\W?\w*(?:Error|Exception)|\bsubclass|\bredundant|\bneedless"
    r"|\binclude|\benough\b|\b(?:drop|remove|no need for|without)\b|\bare all\b|\bnever raise|\bn't raise|\bnot raised",
    re.IGNORECASE,
)
_LOWER = re.compile(r"(?<![\w.])(?:[a-z_]\w*\.)+(?:error|Error|timeout|gaierror|herror|Empty|Full)\b(?!\()")
_WORDED = re.compile(
    r"\b(import|type|value|key|index|attribute|name|os|lookup|unicode|syntax|runtime|eof)[- ]errors?\b"
)
_MANY = re.compile(r"\b(?:except|catch\w*|cover|swallow|suppress|handle|ignor\w+)\b[^.;]{0,12}$", re.IGNORECASE)
_CAMEL = re.compile(r"(?<![\w.])(?:\w+\.)*(?:[A-Z][a-z]+){2,}\b(?!\()")
_ASYNC = ("CancelledError", "TimeoutError", "QueueEmpty", "QueueFull")
_HOLDERS = ("suppress", "raises", "assertRaises", "reraise_errors")


def more_told(before: Snippet, instruction: str) -> Iterator[str]:
    """Exceptions that are told in words, in lower case, or by what is to catch them."""
    yield from _LOWER.findall(instruction)
    for word in _WORDED.findall(instruction.lower()):
        yield next((one for one in vars(builtins) if one.lower() == f"{word}error"), "")
    for match in _CAMEL.finditer(instruction):
        if not match[0].endswith("Error") and _MANY.search(instruction[: match.start()].rstrip("`'\"")):
            yield match[0]
    if re.search(r"\btime-?outs?\b", instruction, re.IGNORECASE) and _is_async(before):
        yield "asyncio.TimeoutError"


def at_home(before: Snippet, name: str, instruction: str) -> str:
    """The name of an exception with the module that it comes from, where that is told or used."""
    if name in _ASYNC and (name != "TimeoutError" or _is_async(before)):
        bound = any(re.search(rf"import .*\b{name}\b", line) for line in before.lines)
        told = re.search(r"\basyncio\b", instruction) or any("asyncio" in line for line in before.lines)
        return f"asyncio.{name}" if told and not bound else name
    return name


def _is_async(before: Snippet) -> bool:
    return any("asyncio" in line or "async " in line or "await " in line for line in before.lines)


def held_elsewhere(before: Snippet, told: Iterable[str]) -> Iterator[Occasion]:
    """The exceptions of a `suppress(...)` or of a tuple that is handed on, given way to those told."""
    names = list(dict.fromkeys(told))
    for node in before.nodes if names else ():
        if not isinstance(node, ast.Call) or (dotted(node.func) or "").rpartition(".")[2] not in _HOLDERS:
            continue
        known = [one for one in node.args if _is_error(one)]
        if not known or not text_of(before, node):
            continue
        bare = (dotted(node.func) or "").endswith("suppress")
        first, last = known[0], known[-1]
        wrapped = not bare and (len(names) > 1 or isinstance(first, ast.Tuple))
        text = ", ".join(names)
        text = f"({text}{',' * (len(names) == 1)})" if wrapped else text
        change = (start_of(before, first), end_of(before, last), text)
        yield Occasion(node.lineno - 1, (change,), (text_of(before, first),), text)
        if bare:
            more = f"{text_of(before, last)}, {text}"
            yield Occasion(node.lineno - 1, ((start_of(before, last), end_of(before, last), more),), (), more)


def _is_error(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return bool(node.elts) and all(map(_is_error, node.elts))
    return bool(re.search(r"(?:Error|Exception|Exit|Interrupt|Warning|error)$", dotted(node) or ""))


def covered(before: Snippet, instruction: str) -> Iterator[Occasion]:
    """Tuples of exceptions without one that is named or covered by another one, or with one for several."""
    if not _COVERED.search(instruction):
        return
    said = set(re.findall(r"[\w.]*\w", instruction))
    for node in before.nodes:
        if not (isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.Tuple)):
            continue
        names = [text_of(before, one) for one in node.type.elts]
        start, end = start_of(before, node.type), end_of(before, node.type)
        for kept in _kept(names, said) if all(names) else ():
            text = kept[0] if len(kept) == 1 else f"({', '.join(kept)})"
            yield Occasion(node.lineno - 1, ((start, end, text),), tuple(names), text)


def _kept(names: list[str], said: set[str]) -> Iterator[list[str]]:
    short = {name: name.rpartition(".")[2] for name in names}
    for one in (one for one in sorted(said) if _class(one)):
        under = [name for name in names if name != one and issubclass(_class(name) or int, _class(one) or str)]
        if under:
            whole = [one if name == under[0] and one not in names else name for name in names]
            yield [name for name in whole if name not in under]
    for name in names:
        rest = [one for one in names if one != name]
        if name in said or (short[name] in said and not any(one.endswith(f".{short[name]}") for one in said)):
            yield rest


def _class(name: str) -> type | None:
    found = getattr(builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else None
