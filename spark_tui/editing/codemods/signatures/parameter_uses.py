"""What the words tell to do with a new parameter: stand for what is fixed, win over a value, be passed on, decide."""

import ast
import re
from collections.abc import Iterator, Sequence

from spark_tui.editing import code
from spark_tui.editing.code import Function, end_of, start_of, text_of
from spark_tui.editing.codemods.base import parses
from spark_tui.editing.codemods.common.named import call_at
from spark_tui.editing.codemods.common.said import is_expression, spans
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, outside_fstrings, spliced

_OVER = re.compile(
    r"\b(?:wins? over|beats|trumps|overrid\w+|overrules?|(?:takes?|taking|has|with) (?:precedence|priority) over"
    r"|goes before"
    r"|fall(?:s|ing)? back (?:on |to )+|fallback is|(?:if|when) (?:none|not given|omitted|missing|unset),? (?:use|take)"
    r"|instead of|rather than|in place of|else|otherwise(?: use)?|before) (?:the )?[`'\"]?(?=[^\W\d])",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|in place of|replac\w+|not) "
    r"(?:the |a )?(?:\w+[- ]?coded |fixed |literal |constant )?[`'\"]?(?=\S)"
)
_PASSED = re.compile(
    r"\b(?:pass|hand|forward|give|giv|feed|goes|go|send|thread)\w*\b[^.]*?"
    r"\b(?:on to|through to|down to|into|to|on) (?:(?:the|both|all|each|every) )?[`'\"]?(?=[^\W\d])"
)
_HANDED = re.compile(r"\b(?:pass|hand|forward|thread|giv|feed)\w*\b|\bthrough\b|\bvia\b", re.IGNORECASE)
_FOR_CALLS = ("timeout", "encoding")
_OWN = ("len", "str", "int", "float", "bool", "list", "dict", "tuple", "set", "isinstance", "super", "getattr", "print")
_MOST_CALLS = 3
_TEXTS = re.compile(
    r"\b(?:messages?|texts?|errors?|strings?|words?|prints?|printed|format|where|us(?:e|es|ed|ing)|instead)\b"
)
_STARTS = re.compile(r"\b(?:start|begin)s?\b")
_ONLY = re.compile(
    r"\b(?P<only>only (?=[\w. ]*\b(?:if|when|with|where)\b)|\w+ only (?:if|when)|unless"
    r"|(?:if|when) (?:it|that|this) is (?:set|true|on))\b"
)
_NOT = re.compile(r"\b(?:skip|suppress|silence|leave out|omit|mute)\w*\b|\b(?:don't|do not|no) \w+")
_PLAIN = ("True", "False", "None", "")
_STRING = re.compile(r"(?P<prefix>[fF]?)(?P<mark>['\"])(?P<text>(?:(?!(?P=mark)|\\).)*)(?P=mark)")


def used(before: Snippet, function: Function, source: str, instruction: str) -> Iterator[Snippet]:
    """The region, its signature as it is, with the parameter used as the words may tell.

    Args: source: of the parameter, with its type and default.
    """
    head, _, default = source.partition("=")
    name, default = head.partition(":")[0].strip(), default.strip()
    for changed in (
        _over(before, function, name, default, instruction),
        _passed(before, function, name, instruction),
        _instead(before, function, name, instruction),
        _in_texts(before, function, name, default, instruction),
        _deciding(before, function, name, instruction),
    ):
        yield from (Snippet(tuple(lines)) for lines in changed if parses(lines))


def _expressions(function: Function) -> list[ast.expr]:
    """The expressions of a body that can be replaced."""
    found = [node for one in code.body_after_docstring(function) for node in outside_fstrings(one)]
    return [
        node for node in found if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", None), ast.Load | None)
    ]


def _over(before: Snippet, function: Function, name: str, default: str, words: str) -> Iterator[list[str]]:
    """The parameter for a value that is told, unless it is not given."""
    for match in _OVER.finditer(words) if default == "None" else ():
        told = call_at(words, match.end())
        same = [node for node in _expressions(function) if text_of(before, node) == told != name]
        if same and "." in told + match[0][-1]:
            yield spliced(
                before, [(node, _fitting(before, node, f"{told} if {name} is None else {name}")) for node in same]
            )
            lines = spliced(before, [(node, name) for node in same])
            first = code.body_after_docstring(function)[0].lineno - 1
            indent = code.indentation(before.lines[first])
            test = [f"{indent}if {name} is None:", f"{indent}{before.layout.unit}{name} = {told}"]
            yield [*lines[:first], *test, *lines[first:]]


def _fitting(before: Snippet, node: ast.expr, text: str) -> str:
    """A conditional expression in parentheses where it would not stand by itself."""
    (row, start), (last, end) = start_of(before, node), end_of(before, node)
    left, right = before.lines[row][:start].rstrip(), before.lines[last][end:].lstrip()
    alone = left[-1:] in ("(", ",", "=", "[", "{", ":", "") or left.endswith(("return", "yield"))
    return text if alone and right[:1] in (")", ",", "]", "}", "") else f"({text})"


def _passed(before: Snippet, function: Function, name: str, words: str) -> Iterator[list[str]]:
    """The parameter as one more argument, by its name, of the calls told; then without it."""
    for match in _PASSED.finditer(words):
        told = call_at(words, match.end(), brackets="").removesuffix(".")
        calls = [node for node in _expressions(function) if isinstance(node, ast.Call) and _is_called(node, told)]
        if told and calls:
            yield spliced(
                before, [(node, source) for node in calls if (source := _with(before, node, f"{name}={name}"))]
            )
            plain = [node for node in calls if not node.keywords]
            yield spliced(before, [(node, source) for node in plain if (source := _with(before, node, name))])
            return
    if _HANDED.search(words) or name in _FOR_CALLS:
        for node in _outer_calls(function)[:_MOST_CALLS]:
            if source := _with(before, node, f"{name}={name}"):
                yield spliced(before, [(node, source)])


def _outer_calls(function: Function) -> list[ast.Call]:
    """The calls of a body that may take one argument more, those of methods and of the parent first."""
    found = [node for node in _expressions(function) if isinstance(node, ast.Call) and dotted(node.func) not in _OWN]
    taking = [node for node in found if not any(one.arg is None for one in node.keywords)]
    return sorted(taking, key=lambda node: isinstance(node.func, ast.Name))


def _is_called(node: ast.Call, told: str) -> bool:
    own = dotted(node.func) or ""
    return own == told or own.endswith(f".{told}")


def _with(before: Snippet, node: ast.Call, argument: str) -> str:
    """The source of a call with one argument more, on one line; "" where it goes over several."""
    source = text_of(before, node)
    inner = source[:-1].rstrip().removesuffix(",")
    return f"{inner}{'' if inner.endswith('(') else ', '}{argument})" if source else ""


def _instead(before: Snippet, function: Function, name: str, words: str) -> Iterator[list[str]]:
    """The parameter wherever a piece of code stands that it is told to replace."""
    starts = {match.end() for match in _INSTEAD.finditer(words)}
    for span in spans(words):
        if not {span.start, span.start + bool(span.mark)} & starts or not is_expression(span.text) or span.text == name:
            continue
        told = {span.text, f'"{span.text}"', f"'{span.text}'"} if span.mark else {span.text}
        same = [node for node in _expressions(function) if text_of(before, node) in told]
        if same:
            yield spliced(before, [(node, name) for node in same])


def _in_texts(before: Snippet, function: Function, name: str, default: str, words: str) -> Iterator[list[str]]:
    """The parameter as a field of the texts that hold its default: a word of them, or the digits of a format."""
    if not _TEXTS.search(words.lower()) or default in _PLAIN:
        return
    fixed = default[1:-1] if default[:1] in ("'", '"') else ""
    pattern = (
        rf"(?<!\w){re.escape(fixed)}(?!\w)(?![^{{}}]*\}})" if fixed else rf"(?<=\.){re.escape(default)}(?=[fegFEG%]\}})"
    )
    if fixed and _STARTS.search(words):
        pattern = rf"^{re.escape(fixed)}(?!\w)"
    if not fixed and not default.isdigit():
        return
    changes = [(node, text) for node in _texts(function) if (text := _fielded(before, node, pattern, name))]
    if changes:
        yield spliced(before, changes)


def _texts(function: Function) -> Iterator[ast.expr]:
    for statement in code.body_after_docstring(function):
        for node in outside_fstrings(statement):
            if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
                yield node


def _fielded(before: Snippet, node: ast.expr, pattern: str, name: str) -> str:
    match = _STRING.fullmatch(text_of(before, node))
    if match is None or (not match["prefix"] and re.search(r"[{}]", match["text"])):
        return ""
    text = re.sub(pattern, f"{{{name}}}", match["text"])
    whole = text == f"{{{name}}}"
    return "" if whole or text == match["text"] else f"f{match['mark']}{text}{match['mark']}"


def _deciding(before: Snippet, function: Function, name: str, words: str) -> Iterator[list[str]]:
    """What is told to be done only when the parameter is set, or left out then, in an `if`."""
    only, never = _ONLY.search(words), _NOT.search(words)
    if not only and not never:
        return
    test = name if (never is not None) == (only is not None and only[0] == "unless") else f"not {name}"
    runs = list(_runs(before, function, words))
    for group in [runs, *([one] for one in runs)] if len(runs) > 1 else [runs] if runs else []:
        yield _guarded(before, group, f"if {test}:")


def _guarded(before: Snippet, runs: Sequence[Sequence[ast.stmt]], test: str) -> list[str]:
    """The lines with each run of statements in an `if`."""
    lines, unit = list(before.lines), before.layout.unit
    for run in sorted(runs, key=lambda one: -one[0].lineno):
        first, last = code.statement_lines(run[0])[0], code.statement_lines(run[-1])[1]
        inner = [f"{unit}{line}" if line.strip() else line for line in lines[first : last + 1]]
        lines[first : last + 1] = [f"{code.indentation(lines[first])}{test}", *inner]
    return lines


def _runs(before: Snippet, function: Function, words: str) -> Iterator[Sequence[ast.stmt]]:
    """The statements one after the other that call what is said, or raise where that is said."""
    for node in ast.walk(function):
        for field in ("body", "orelse", "finalbody"):
            run: list[ast.stmt] = []
            for one in [*(getattr(node, field, None) or ()), None] if isinstance(node, ast.stmt) else ():
                if isinstance(one, ast.stmt) and _is_said(one, words) and code.stands_alone(before, one):
                    run.append(one)
                elif run:
                    yield run
                    run = []


def _is_said(node: ast.stmt, words: str) -> bool:
    called = (dotted(node.value.func) or "") if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else ""
    word = "raise" if isinstance(node, ast.Raise) else called.rpartition(".")[2]
    return bool(word) and re.search(rf"(?<!\w){re.escape(word)}(?:s|es|ing|ed|e?d)?(?!\w)", words) is not None
