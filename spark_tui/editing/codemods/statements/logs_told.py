"""Log calls and prints that an instruction tells nearly in code: the level, the message, and what fills it."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.codemods.common.said import is_expression, spans
from spark_tui.editing.codemods.statements.logging_words import LEVELS, calls_said, levels_said, logger_of
from spark_tui.editing.codemods.statements.statement_words import stems
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, quote

_LOGS = re.compile(r"\b(?:log|logs|logging|logged|logger)\b|\b(?:warn|debug|info)\b", re.IGNORECASE)
_NAMED = re.compile(r"\b(?:to|with|via|through|on|by|using) [`'\"]?(\w+_log(?:ger)?)\b")
_PRINTS = re.compile(r"\bprint(?:s|ing)?\b", re.IGNORECASE)
_FIELD = re.compile(r"%(?:[#0-9.+-]*[sdrfgx]|\(\w+\)s)")
_WORD = re.compile(r"(?:self\.)?[^\W\d]\w*(?:\.\w+)*")
_NO_VALUES = frozenset([*LEVELS, "log", "logger", "logging", "print", "self"])
_MOST = 3


def logs_told(before: Snippet, instruction: str) -> list[str]:
    """The calls, the likeliest first; none where neither a message nor something printed is told."""
    texts = [span for span in spans(instruction) if span.mark in ("'", '"') and not _is_name(before, span.text)]
    method = next(iter(_methods(before, instruction)), "")
    if not method or len(texts) > 1:
        return []
    cut = instruction.replace(instruction[texts[0].start : texts[0].end], " ") if texts else instruction
    values = list(dict.fromkeys(_values(before, cut)))
    if texts and _FIELD.search(texts[0].text) and not values:
        values = _guessed(before, cut, texts[0].text)
    if not texts:
        return [f"print({value})" for value in values[:1]] if method == "print" else []
    return list(dict.fromkeys(_calls(before, method, texts[0].text, values)))[:_MOST]


def _methods(before: Snippet, instruction: str) -> Iterator[str]:
    yield from (f"{logger}.{level}" for logger, level in calls_said(instruction))
    if _PRINTS.search(instruction):
        yield "print"
    elif named := _NAMED.search(instruction):
        yield f"{named[1]}.{next(iter(levels_said(instruction)), 'debug')}"
    elif _LOGS.search(instruction):
        yield f"{logger_of(before)}.{next(iter(levels_said(instruction)), 'debug')}"


def _calls(before: Snippet, method: str, text: str, values: list[str]) -> Iterator[str]:
    fields, message = len(_FIELD.findall(text)), quote(before, text)
    named = re.findall(r"\{([^{}!:]+)", text)
    if named:
        yield f"{method}(f{message})"
    elif fields and method == "print":
        yield from (f"print({message} % {value})" for value in values if fields == 1)
    elif fields == 1:
        yield from (f"{method}({message}, {value})" for value in values)
    elif fields and len(values) >= fields:
        yield f"{method}({message}, {', '.join(values[:fields])})"
    elif not fields:
        yield f"{method}({message})"


def _values(before: Snippet, instruction: str) -> Iterator[str]:
    """The variables and attributes that the words name, in their order."""
    text = "\n".join(before.lines)
    known = {node.id for node in before.nodes if isinstance(node, ast.Name)}
    known |= {node.arg for node in before.nodes if isinstance(node, ast.arg)}
    called = {ast.unparse(node.func) for node in before.nodes if isinstance(node, ast.Call)}
    for word in _WORD.findall(instruction):
        shown = re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", text) is not None or word.partition(".")[0] in known
        bare = word in known or ("." in word and shown)
        if bare and word not in _NO_VALUES and word not in called and is_expression(word):
            yield word


def _guessed(before: Snippet, instruction: str, text: str) -> list[str]:
    """What may fill a field that nothing is told for: what the words speak of in part, else what is looped over."""
    said = stems(f"{instruction} {text}")
    loops = [node for node in before.nodes if isinstance(node, ast.For | ast.AsyncFor)]
    names = [node.arg for node in before.nodes if isinstance(node, ast.arg) and node.arg not in ("self", "cls")]
    names += [node.id for node in before.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    names += [node.name for node in before.nodes if isinstance(node, ast.ExceptHandler) and node.name]
    paths = [path for node in before.nodes if isinstance(node, ast.Attribute) and (path := dotted(node))]
    called = {dotted(node.func) for node in before.nodes if isinstance(node, ast.Call)}
    found = [one for one in (*names, *paths) if one not in called and stems(one.rpartition(".")[2]) & said]
    found += [ast.unparse(one.target) for one in loops] + names
    if "%d" in text:
        over = [re.sub(r"\.(?:items|values|keys|copy)\(\)$", "", ast.unparse(one.iter)) for one in loops]
        found = [f"len({one})" for one in (*over, *found[:1])] + found
    return list(dict.fromkeys(found))[:_MOST]


def _is_name(before: Snippet, text: str) -> bool:
    return text.isidentifier() and any(isinstance(node, ast.Name) and node.id == text for node in before.nodes)
