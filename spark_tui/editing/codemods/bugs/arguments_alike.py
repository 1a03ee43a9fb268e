"""One argument more that is passed on like those beside it: `auth=self.auth` in a call full of such."""

import ast
import re
from collections import Counter
from collections.abc import Iterator

from spark_tui.editing.codemods.base import Ops, Request
from spark_tui.editing.codemods.bugs.call_arguments import Called, with_argument
from spark_tui.editing.codemods.common.said import plain_word
from spark_tui.editing.snippet import Snippet

_KEYWORD = re.compile(r"(?<![\w.])([^\W\d]\w*) ?=(?!=)")
_WORD = re.compile(r"(?<![\w.])[^\W\d]\w{2,}")
_FEWEST, _MOST_NAMES, _MOST, _SHORT = 2, 2, 9, 3


def arguments_alike(before: Snippet, request: Request) -> Iterator[Ops]:
    """Each keyword that the words name, in each call that passes the others on in one way: last, or before another."""
    count = 0
    for node in before.nodes:
        form = _form(node) if isinstance(node, ast.Call) else ""
        if not form or not isinstance(node, ast.Call):
            continue
        called = Called(node, None, None, bound=False)
        for name in _names(node, request.instruction):
            for place in (len(called.arguments), *range(len(node.args), len(called.arguments))):
                ops = with_argument(before, called, f"{name}={form.format(name)}", place)
                if ops and count < _MOST:
                    count += 1
                    yield ops


def _form(node: ast.Call) -> str:
    """How a call passes most of its keywords on: `self.{}`, `self._{}`, or ""."""
    forms = Counter[str]()
    for one in node.keywords:
        match one.value:
            case ast.Attribute(value=ast.Name(id=owner), attr=attr) if one.arg and attr.strip("_") == one.arg.strip(
                "_"
            ):
                forms[f"{owner}.{'_' if attr.startswith('_') else ''}{{}}"] += 1
    found = forms.most_common(1)
    if found and found[0][1] >= _FEWEST:
        return found[0][0]
    paths = [ast.unparse(one) for one in (*node.args, *(one.value for one in node.keywords))]
    own = [path for path in paths if path.startswith("self.")]
    if len(own) < _FEWEST or 2 * len(own) < len(paths):
        return ""
    return "self._{}" if all(path.startswith("self._") for path in own) else "self.{}"


def _names(node: ast.Call, words: str) -> list[str]:
    """The keywords that the words tell and the call lacks."""
    known = {one.arg for one in node.keywords} | {"self", "cls"}
    told = [name for name in _KEYWORD.findall(words) if name not in known]
    told = told or [
        name for name in _WORD.findall(words) if name not in known and name.islower() and not plain_word(name)
    ]
    if not told and len(words.split()) <= _SHORT:
        told = [name for name in _WORD.findall(words)[:1] if name not in known]
    return list(dict.fromkeys(told))[:_MOST_NAMES]
