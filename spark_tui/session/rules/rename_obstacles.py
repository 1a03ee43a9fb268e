"""What stands in the way of a renaming: the new name is none, or is something else already."""

import ast
import keyword
import re

from spark_tui.editing.code import walk_scope
from spark_tui.editing.codemods.renaming.renaming_scopes import locally, methods
from spark_tui.editing.identifiers import names_in
from spark_tui.session.rules.facts import Code, Defined, Function, is_word, name_of, parameters

_Found = re.Match[str]
IN_TEXT = re.compile(r"(?i)\b(?:comments?|docs?|doc ?strings?|keyword|keys?|messages?|strings?|texts?)\b")


def clash(found: _Found, code: Code) -> str:
    """That a function has the new name for something else already, where code is to be renamed and nothing swapped."""
    old, new, words = found["name"], found["new"], found.string
    if new == old and code.has(old) and not words[found.end() :].strip("`'\" .!"):
        return f"{old} is called that already"
    if (
        new in {None, old}
        or IN_TEXT.search(words)
        or re.search(rf"\b{new}[`'\"]?\s*(?:\b(?:to|as|into)\b|->|=>)", words)
    ):
        return ""
    for one in (node for node in code.nodes if isinstance(node, Function)):
        own = {name_of(node) for node in walk_scope(one) if not isinstance(node, ast.Attribute)}
        own |= {each.arg for each in parameters(one)}
        if new in own and (old in own or (old == one.name and not {"self", "cls"} & own)):
            return f"{new} is a name in {code.where} already; say another one"
    return ""


def only_in_text(found: _Found, code: Code) -> str:
    """That a name to be renamed stands nowhere but within texts that do not mean it: "%Y-%d-%m" has no d."""
    name = found["name"].rpartition(".")[2]
    if not code.nodes or is_word(found) or IN_TEXT.search(found.string) or name in _names(code):
        return ""
    texts = [one.value for one in code.nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    holding = [text for text in texts if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
    meant = re.compile(rf"{name}|.*(?:[`'\"*{{(]{name}[]`'\"*}})!:.=]|:\w+ {name}:).*", re.DOTALL)
    if not holding or any(meant.fullmatch(text) for text in holding):
        return ""
    return f"there is no name {name} in {code.where}, only a text with {name} in it: say “replace ... with ...”"


def _names(code: Code) -> set[str]:
    """Every name of the lines, those in their comments among them."""
    keywords = {node.arg for node in code.nodes if isinstance(node, ast.keyword) and node.arg}
    comments = {name for found in re.findall(r"#.*", code.text) for name in re.findall(r"\w+", found)}
    return {name.lstrip(".") for name in names_in(code.text)} | keywords | comments


def no_name(found: _Found, code: Code) -> str:
    """That a name of the code is to become what no name can be."""
    new = (found["text"] or found["bare"] or "").strip(".:!?()<>`'\"")
    if not new or all(part.isidentifier() for part in new.split(".")) or IN_TEXT.search(found.string):
        return ""
    had = found["name"].rpartition(".")[2]
    texts = (one.value for one in code.nodes if isinstance(one, ast.Constant) and isinstance(one.value, str))
    if not any(name_of(node) == had for node in code.nodes) or had in texts:
        return ""
    return f"{new} is no name in Python: say one of letters, digits and underscores that begins with no digit"


def taken(found: _Found, code: Code) -> str:
    """That the new name is a word of Python, or a name of the code or its file."""
    old, new = found["name"], found["new"]
    if new in {None, old}:
        return ""
    if keyword.iskeyword(new):
        return f"{new} is a word of Python itself; say another name"
    if code.parsed and locally(code.parsed, old, new):
        return ""
    sorts = {isinstance(node, ast.Attribute) for node in code.nodes if name_of(node) == old.rpartition(".")[2]}
    if code.parsed and True in sorts and new in methods(code.parsed):
        return f"{new} is a method in {code.where} already; say another name"
    if any(name_of(node) == new and isinstance(node, ast.Attribute) in sorts for node in code.nodes):
        return f"{new} is a name in {code.where} already; say another one"
    defines = any(isinstance(node, Defined) and node.name == old for node in code.nodes)
    beside = code.module.body if defines and code.module else ()
    line = next((node.lineno for node in beside if isinstance(node, Defined) and node.name == new), 0)
    return f"{new} is defined in line {line} of {code.path} already; say another name" if line else ""
