"""An option of a call that callers are to choose: "let the caller choose the encoding, utf-8 by default"."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import Function, end_of, parameters, splice, text_of
from spark_tui.editing.codemods.base import Ops, between, parses
from spark_tui.editing.codemods.common.named import functions_named
from spark_tui.editing.codemods.plain.plain_words import bare
from spark_tui.editing.codemods.signatures.longer_signature import hinted, is_hinted, with_parameter
from spark_tui.editing.codemods.signatures.values_said import value_said
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, quote, spliced

_DEFAULT = (
    r"(?:,? (?:with )?(?:the )?default(?:s|ing)?(?: (?:to|of|is|being))? (?P<value>\S+)"
    r"|,? (?:with )?(?P<said>\S+) (?:by|as(?: the)?|being the) default)?"
)
_CHOOSE = r"(?:choose|pick|set|pass(?: in)?|give|decide(?: on)?|override|change)"
_WANTED = tuple(
    re.compile(rf"(?i){words}{_DEFAULT}")
    for words in (
        rf"(?:let|have) (?:the |a )?(?:caller|user)s? {_CHOOSE} (?:the |an? )?`?(?P<name>[^\W\d]\w*)`?",
        r"make (?:the )?`?(?P<name>[^\W\d]\w*)`? (?:configurable|adjustable|settable|a parameter|an argument)",
        r"(?:take|accept|allow) (?:the |an? )?`?(?P<name>[^\W\d]\w*)`? as (?:a parameter|an argument|an option)",
    )
)
_TAKEN = {
    "encoding": ("open", "read_text", "write_text"), "newline": ("open", "write_text"), "errors": ("open", "read_text"),
    "indent": ("json.dump", "json.dumps"),
    "timeout": (
        "urlopen", "requests.get", "requests.post", "requests.put", "subprocess.run", "subprocess.check_output",
        "subprocess.check_call",
    ),
}  # fmt: skip
"""Options by their names, and what is known to take them."""
_BINARY = re.compile(r"[rwax+]*b[rwax+]*")


def plain_chosen(before: Snippet, words: str) -> list[Ops]:
    """A parameter named as the option, used in the only call that takes that; else []."""
    told = next(filter(None, (one.fullmatch(bare(before, words)) for one in _WANTED)), None)
    functions = functions_named(before, words) or list(before.functions)
    if told is None or len(functions) != 1 or told["name"] in {one.arg for one in parameters(functions[0])}:
        return []
    found = [lines for lines in _changed(before, functions[0], told, words) if parses(lines)]
    return [between(before, found[0])] if found else []


def _changed(before: Snippet, function: Function, told: re.Match[str], words: str) -> Iterator[list[str]]:
    name, said = told["name"], told["value"] or told["said"] or ""
    hint = "str" if name in ("encoding", "errors") else ""
    calls = [one for one in ast.walk(function) if isinstance(one, ast.Call) and _takes(one, name)]
    if len(calls) != 1 or any(one.arg is None for one in calls[0].keywords):
        return
    had = next((one.value for one in calls[0].keywords if one.arg == name), None)
    default = value_said(said, name, hint, "", quote(before, "")[0]) if said else ""
    if said and not default:
        return
    if had is not None:
        if not isinstance(had, ast.Constant):
            return
        body, default = spliced(before, [(had, name)]), default or text_of(before, had)
    else:
        row, end = end_of(before, calls[0])
        comma = ", " if calls[0].args or calls[0].keywords else ""
        body = splice(before.lines, (row, end - 1), (row, end - 1), f"{comma}{name}={name}")
    source = f"{name}={default or 'None'}"
    made = hinted(source) if is_hinted(function) and default else source
    yield from with_parameter(Snippet(tuple(body)), function, made, words)


def _takes(call: ast.Call, name: str) -> bool:
    """Whether a call has an option, or could have: not that of text, for a file that is opened as bytes."""
    path = dotted(call.func) or str(getattr(call.func, "attr", ""))
    known = any(path == one or ("." not in one and path.endswith(f".{one}")) for one in _TAKEN.get(name, ()))
    given = [*call.args[:2], *(one.value for one in call.keywords if one.arg == "mode")]
    modes = [one.value for one in given if isinstance(one, ast.Constant)]
    binary = name != "timeout" and any(_BINARY.fullmatch(str(one)) for one in modes)
    return any(one.arg == name for one in call.keywords) or (known and not binary)
