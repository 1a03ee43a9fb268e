"""Whether a file parses with an edit no worse than without: by tree-sitter, or exactly where we can; Python if large.

A grammar goes on behind what it cannot read, so faults are counted: a file with some may have as many afterwards.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from spark_tui.editing.hunks import Hunk, brought
from spark_tui.editing.languages import HTML, JSON, TOML, YAML, Language, grammar_of, language_of, tree_of
from spark_tui.editing.text import Text

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_READ = 1_000_000
"""Characters of a file beyond which it is not read."""
_MOST_FAULTS = 1000
_SHOWN = 40
_TEMPLATED = (HTML, YAML, JSON)
_TEMPLATE = re.compile(r"\{%|<%|(?<!\$)\{\{|<\?(?!xml)")
"""What another language in a file looks like, which fills it in."""
_COMMENTED = re.compile(r"\.jsonc$|(^|/)(ts|js)config[^/]*\.json$|(^|/)\.(vscode|devcontainer)/", re.IGNORECASE)
"""Files that are called JSON and may hold comments."""
_PREPROCESSED = ("C", "C++")
_MACRO = re.compile(r"^\s*(?:#|[A-Z_][A-Z0-9_]+\b)|\b[A-Z_][A-Z0-9_]+\(")
"""What looks like one: it may stand for anything, and where it is defined is not read."""
_AT_LINE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


class Verdict(NamedTuple):
    """Whether an edit may stand. `detail`: what is wrong, or what was not checked and why, or ""."""

    ok: bool
    detail: str = ""


class Fault(NamedTuple):
    """What a grammar cannot read: lines [first, last] (0-based). `missing`: what should be there, or ""."""

    first: int
    last: int
    missing: str = ""


def reads(path: str) -> bool:
    """Whether anything here can read such a file."""
    language = language_of(path)
    return language is not None and (language is TOML or bool(language.package))


def parses_no_worse(base: Text, proposed: Text, path: str, hunks: Sequence[Hunk]) -> Verdict | None:
    """Compare a file without and with an edit. Never raises. Returns: None of a language that nothing here reads."""
    language = language_of(path)
    if language is None or not reads(path):
        return None
    if max(base.size, proposed.size) > MOST_READ:
        return Verdict(ok=True, detail="not checked: the file is very large")
    if language is not TOML and (language is not JSON or _COMMENTED.search(path)):
        return _judged(language, base, proposed, hunks)
    exact = _wrong_toml if language is TOML else _wrong_json
    before, after = exact(_source(base)) if _source(base).strip() else "", exact(_source(proposed))
    if language is TOML or not before or not after:
        return compared(before, after)
    counted = _judged(language, base, proposed, hunks)
    return counted if counted.detail else compared(before, after)


def _source(text: Text) -> str:
    """Without a byte order mark or carriage returns, which grammars take differently."""
    return "".join(f"{line}\n" for line in text.lines)


def compared(before: str, after: str) -> Verdict:
    """Args: before, after: what is wrong with a file without and with an edit, or ""."""
    if not after:
        return Verdict(ok=True, detail="it did not parse before" if before else "")
    return Verdict(ok=True, detail=f"it did not parse before either ({before})") if before else Verdict(False, after)


@lru_cache(maxsize=16)
def _wrong_toml(source: str) -> str:
    try:
        tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.search(str(error))
        line = f"line {found[1]}" if found and found[1] else "at its end"
        return f"{line}: {_AT_LINE.sub('', str(error))}"
    except RecursionError:
        return "it is nested too deeply to be read"
    return ""


@lru_cache(maxsize=16)
def _wrong_json(source: str) -> str:
    try:
        json.loads(source)
    except json.JSONDecodeError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError):  # a number of very many digits
        return "it cannot be read"
    return ""


def _judged(language: Language, base: Text, proposed: Text, hunks: Sequence[Hunk]) -> Verdict:
    if grammar_of(language) is None:
        return Verdict(ok=True, detail=f"not checked: {language.package.replace('_', '-')} is not installed")
    before, after = _faults(_source(base), language), _faults(_source(proposed), language)
    if before is None or after is None:
        return Verdict(ok=True, detail="not checked: it takes too long to read")
    if not after:
        return Verdict(ok=True, detail="not all of it could be read before" if before else "")
    if len(after) <= len(before):
        told = _told(before[0], before[0].first, base.lines, language)
        return Verdict(ok=True, detail=f"not all of it could be read before either ({told})")
    fault, line = _first(before, after, brought(hunks))
    excuse = _excuse(language, proposed, fault)
    return Verdict(bool(excuse), excuse or _told(fault, line, proposed.lines, language))


def _excuse(language: Language, proposed: Text, fault: Fault) -> str:
    """Why a fault may be none, or "": another tool comes first, and makes of it what nothing here knows."""
    if language in _TEMPLATED and _TEMPLATE.search(_source(proposed)):
        return f"not checked: it is a template of {language.name}"
    around = proposed.lines[max(fault.first - 1, 0) : fault.last + 1]
    if language.name in _PREPROCESSED and any(map(_MACRO.search, around)):
        return "not checked: only a compiler can read the macros there"
    return ""


def _first(before: Sequence[Fault], after: Sequence[Fault], changed: Sequence[range]) -> tuple[Fault, int]:
    """The first fault that an edit brought, as far as can be told, and the line (0-based) to name for it."""
    for fault in after:
        for lines in changed:  # of a hunk that brought none, the one that it stands above
            if fault.first <= max(lines.start, lines.stop - 1) and lines.start <= fault.last:
                return fault, max(fault.first, lines.start)
    new = [fault for fault in after if fault not in before] or after
    return new[0], new[0].first


def _told(fault: Fault, line: int, lines: Sequence[str], language: Language) -> str:
    line = max(0, min(line, len(lines) - 1))
    if fault.missing:
        return f"line {line + 1}: {fault.missing} is missing"
    text = lines[line].strip() if lines else ""
    shown = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    how = " from here on" if fault.last > line else ""
    return f"line {line + 1}: not {language.name}{how}: {shown}"


@lru_cache(maxsize=16)
def _faults(source: str, language: Language) -> tuple[Fault, ...] | None:
    """What a grammar cannot read of a text, from top to bottom, up to very many; None where it takes too long."""
    if (root := tree_of(source, language)) is None:
        return None
    return tuple(_found(root, all_of_it=language is HTML))


def _found(root: "Node", *, all_of_it: bool) -> Iterator[Fault]:
    """Args: all_of_it: whether there may be faults where the grammar sees none, as HTML allows nearly everything."""
    left, count = [root], 0
    while left and count < _MOST_FAULTS:
        node = left.pop()
        inner = [child for child in node.children if child.has_error or _is_fault(child)]
        if _is_fault(node) or (node.has_error and not inner):  # what is missing may have no node that can be seen
            count += 1
            yield Fault(node.start_point[0], node.end_point[0], _missing(node))
        left += reversed(node.children if all_of_it else inner)


def _is_fault(node: "Node") -> bool:
    return node.is_error or node.is_missing or node.type == "erroneous_end_tag"


def _missing(node: "Node") -> str:
    if not node.is_missing:
        return "" if _is_fault(node) else "the end of this"
    return node.type.replace("_", " ") if node.is_named else f"`{node.type}`"
