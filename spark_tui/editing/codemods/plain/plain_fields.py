"""A field told plainly with its default: "add a notes field to Task, empty string by default"."""

import ast
import re

from spark_tui.editing.code import indentation, stands_alone, statement_lines
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.plain.plain_words import bare
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted
from spark_tui.editing.trees import literal_value

_FIELD = (
    r"(?:an? |the )?(?:new )?(?:(?P<type>str|int|float|bool|string) )?[`'\"]?(?P<name>[^\W\d]\w*)[`'\"]?"
    r" (?:field|attribute|member)"
)
_IS = (
    r"(?:with |of |(?:that|which) (?:is|defaults to) )?(?:an? |the )?"
    r"(?:default(?:s|ing)?(?: value)?(?: to| of| is|:)? )?"
)
_VALUE = rf"(?:an? )?(?P<value>empty \w+|None|True|False|{SIGNED}|\"[^\"]*\"|'[^']*'|zero)"
_DEFAULT = rf"(?:,? {_IS}{_VALUE}(?: (?:by default|as (?:the |its )?default|at first|initially))?)"
_TOLD = tuple(
    re.compile(rf"(?i){pattern}")
    for pattern in (
        rf"(?:add|give it|it needs) {_FIELD}(?: (?:to|in) (?:the )?(?P<owner>\w+)(?: class| dataclass)?)?{_DEFAULT}",
        rf"give (?:the )?(?P<owner>\w+) {_FIELD}{_DEFAULT}",
        rf"add {_FIELD}{_DEFAULT} to (?:the )?(?P<owner>\w+)(?: class| dataclass)?",
    )
)
_MEMBER = re.compile(
    r"(?i)add (?:an? |the )?[`'\"]?(?P<name>[^\W\d]\w*)[`'\"]?(?: \w+)??(?: (?:with|of)(?: the)?(?: value)?|,| =| as)"
    rf" (?P<value>{SIGNED}|\"[^\"]*\"|'[^']*')(?: (?:to|in) (?:the )?(?P<owner>\w+)(?: enum)?)?"
)
_EMPTY = {"string": ('""', "str"), "list": ("[]", "list"), "dict": ("{}", "dict"), "set": ("set()", "set")}
_TYPES = {"string": "str"}


def plain_fields(before: Snippet, words: str) -> list[Ops]:
    """The field told below the last of the only dataclass that is meant; else []."""
    said = bare(before, words)
    told = next(filter(None, (pattern.fullmatch(said) for pattern in _TOLD)), None)
    owners = [one for one in before.nodes if isinstance(one, ast.ClassDef) and told and _is(one, told["owner"])]
    if told is None or len(owners) != 1:
        return []
    fields = [one for one in owners[0].body if isinstance(one, ast.AnnAssign)]
    names = {ast.unparse(one.target) for one in fields}
    hint, value = _typed(before, told["type"] or "", told["value"])
    if not (fields and hint) or told["name"] in names or not stands_alone(before, fields[-1]):
        return []
    return [_below(before, fields[-1], f"{told['name']}: {hint} = {value}")]


def plain_members_of_enums(before: Snippet, words: str) -> list[Ops]:
    """The member told below the last of the only enumeration that is meant; else []."""
    told = _MEMBER.fullmatch(bare(before, words))
    for node in (one for one in before.nodes if isinstance(one, ast.ClassDef)) if told else ():
        bases = {(dotted(base) or "").rpartition(".")[2] for base in node.bases}
        members = [one for one in node.body if isinstance(one, ast.Assign) and stands_alone(before, one)]
        if told and members and bases & {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"} and _is(node, told["owner"]):
            had = {ast.unparse(one.targets[0]) for one in members}
            name = told["name"].upper() if all(one.isupper() for one in had) else told["name"]
            values = {type(one.value.value) for one in members if isinstance(one.value, ast.Constant)}
            if name not in had and values == {type(literal_value(told["value"]))}:
                return [_below(before, members[-1], f"{name} = {told['value']}")]
    return []


def _is(node: ast.ClassDef, owner: str | None) -> bool:
    return owner is None or owner.lower() in (node.name.lower(), "it", "class", "this", "dataclass", "enum")


def _below(before: Snippet, node: ast.stmt, text: str) -> Ops:
    first, last = statement_lines(node)
    return (Insert(last, (f"{indentation(before.lines[first])}{text}",)),)


def _typed(before: Snippet, hint: str, told: str) -> tuple[str, str]:
    """The type of a field and its default; ("", "") where they are not to be known."""
    hint = _TYPES.get(hint.lower(), hint.lower())
    if told.lower().startswith("empty "):
        value, kind = _EMPTY.get(told[6:].lower().replace("dictionary", "dict"), ("", ""))
        if kind in ("", "str"):
            return kind, value
        has = any(isinstance(one, ast.Call) and dotted(one.func) == "field" for one in before.nodes)
        return (kind, f"field(default_factory={kind})") if has else ("", "")
    value = {"none": "None", "true": "True", "false": "False", "zero": "0"}.get(told.lower(), told)
    kind = type(literal_value(value)).__name__
    if value == "None":
        return (f"{hint} | None", value) if hint else ("", "")
    return (kind, value) if hint in ("", kind) else ("", "")
