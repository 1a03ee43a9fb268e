"""Type hints that words tell plainly and as a whole: "x is an int", "items: list[str]", "it returns a dict of ints"."""

import ast
import re
from collections.abc import Iterator, Mapping

from spark_tui.editing.code import MAX_WIDTH, Function, parameters
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.codemods.common.tidy import Spot, on_node, rewritten
from spark_tui.editing.codemods.hints.certain_types import default_values
from spark_tui.editing.codemods.hints.hint_spots import bare_names, spots
from spark_tui.editing.codemods.plain.plain_checks import the_function, without_place
from spark_tui.editing.codemods.plain.plain_words import names_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse

_SIMPLE = {
    "string": "str", "str": "str", "text": "str", "integer": "int", "int": "int", "float": "float", "bool": "bool",
    "boolean": "bool", "bytes": "bytes", "none": "None", "nothing": "None", "list": "list", "dict": "dict",
    "dictionary": "dict", "set": "set", "tuple": "tuple", "object": "object", "mapping": "dict",
    "iterable": "Iterable", "iterator": "Iterator", "sequence": "Sequence", "callable": "Callable", "anything": "Any",
}  # fmt: skip
_KNOWN = frozenset([*_SIMPLE.values(), "Any", "frozenset", "complex"])
_MAPPING = re.compile(r"(?:dict|dictionary|mapping)(?: of| from| mapping)? (?P<key>.+?) (?:to|->) (?P<value>.+)")
_HOLDS = re.compile(r"(?P<outer>list|set|tuple|iterable|iterator|sequence)s? (?:of|with) (?P<inner>.+)")
_LISTED = re.compile(r"(?P<inner>\w+) (?P<outer>list|set)")
_HINTS = r"(?:type hints?|types?|hints?|annotations?|type annotations?)"
_PREFIX = re.compile(
    r"(?i)(?:please |also |and )*"
    r"(?:(?:annotate|type|hint|declare|mark|specify|(?:add|use|put|give)(?: it| the| an?| some)?(?: full| proper)?"
    rf" ?{_HINTS}?(?: (?:for|to|on|of))?|that)(?: the)?(?: (?:parameters?|params?|arguments?|args?))?[:,]? ?)*"
    r"(?:the (?:parameters?|params?|arguments?|args?)? ?)?"
)
_JOINT = re.compile(r"(?i)^(?:,|;|\.| and|,? ?and )*\s*|(?:\s*(?:,|;|\.|\band|\bwhich|\bit|\bthe function))*\s*$")
_IS = (
    r"(?: (?:is|are|as|(?:should|must|can|may|could) be|to be|gets|takes|accepts|of type)(?: (?:both|all))?"
    r"|: ?| = ?| ?=> ?)"
)
_RETURNS = (
    r"(?:(?:it |that |the )?(?:returns|returning|return)(?: type| value| annotation)?(?:s|: ?)?"
    r"(?: (?:is|of|as|should be|to be|to))?|->)"
)
_HEAD = re.compile(rf"{_IS}|{_RETURNS}")
"""What each head has, whatever the parameters are called: to look for those takes a pattern for each function."""
_ALL = (
    r"(?:both|all|they|all of them|both of them|everything|the(?= (?:param|arg)\w*s\b))"
    r"(?: (?:the )?(?:parameters|arguments|params|args))?"
)
_MADE = re.compile(
    r"(?i)(?:please )?(?:make|annotate|type|declare|mark|hint) (?:(?:both|all|the|its|of) )*"
    r"(?:parameters|params|arguments|args) (?:of `?(?P<of>\w+)`?(?:\(\))? )?(?:(?:as|to|be|all|both) )*(?P<type>.+)"
)
_ARTICLES = re.compile(r"(?i)^(?:an? |the |any |of type |type |either |just )+")
_TO = re.compile(
    rf"(?i)(?:please )?(?:add|give|put) (?:an? |the )?{_HINTS}(?: of)? (?P<type>.+?)"
    r" (?:to|for|on) (?:the )?(?:parameter |argument )?(?P<names>[\w`]+(?:(?:, | and |, and )[\w`]+)*)"
)

_NOT_NONE = re.compile(
    r"(?i)(?:(?:the |it |this |that |its )*(?:return(?: type| value| annotation| hint)?s? )?"
    r"(?:(?:should|must|ought to|has to) (?:just |always )?be |is |it's |make it |use |always )?)?(?P<type>\S+?),?"
    r" (?:(?:and )?(?:not|never)|instead of|rather than|no longer)(?: an?)? `?(?:optional|nullable|none)(?:\[.+\])?`?"
)


def spoken_type(words: str) -> str:
    """The type that some words are, from the first to the last: "list of strings"; "" for all else."""
    words = _ARTICLES.sub("", words.strip(" `'\"").removesuffix(" objects").removesuffix(" instances"))
    if "[" in words or "|" in words:
        return words if is_expression(words) and _is_type(words) else ""
    if either := re.fullmatch(r"(.+),? or (.+)", words):
        if re.search(r"^tuple of .+ and ", either[1]):
            return ""  # of what the last of them may be else, or all
        parts = [spoken_type(part) for part in (either[1], either[2])]
        return " | ".join(parts) if all(parts) else ""
    if optional := re.fullmatch(r"(?:optional|nullable) (.+)", words):
        inner = spoken_type(optional[1])
        return f"{inner} | None" if inner else ""
    return _holding(words) or _simple(words)


def _simple(word: str) -> str:
    lower = word.lower()
    for one in (lower, lower.removesuffix("s")):
        if one in _SIMPLE:
            return _SIMPLE[one]
    known = word in _KNOWN or re.fullmatch(r"(?:[a-z_]\w*\.)*[A-Z]\w*[a-z]\w*|[KTUV]", word)
    return word if known else ""


def _holding(words: str) -> str:
    if told := _MAPPING.fullmatch(words):
        key, value = spoken_type(told["key"]), spoken_type(told["value"])
        return f"dict[{key}, {value}]" if key and value else ""
    if (told := _HOLDS.fullmatch(words)) and told["outer"] != "tuple":
        inner = spoken_type(told["inner"])
        return f"{_SIMPLE[told['outer']]}[{inner}]" if inner and " | " not in inner else ""
    if (told := _HOLDS.fullmatch(words)) and told["outer"] == "tuple":
        parts = [spoken_type(part) for part in re.split(r",? and |, ", told["inner"])]
        whole = ", ".join(parts) if len(parts) > 1 else f"{parts[0]}, ..."
        return f"tuple[{whole}]" if all(parts) else ""
    if told := _LISTED.fullmatch(words):
        inner = _simple(told["inner"])
        return f"{told['outer']}[{inner}]" if inner else ""
    return ""


def _is_type(text: str) -> bool:
    nodes = list(ast.walk(parse(text, mode="eval")))
    allowed = ast.Expression | ast.Subscript | ast.Name | ast.Attribute | ast.Tuple | ast.BinOp | ast.Constant
    marks = ast.BitOr | ast.Load | ast.List
    return all(isinstance(node, allowed | marks) for node in nodes)


def told_hints(before: Snippet, words: str) -> tuple[Function, dict[str, str]] | None:
    """The function meant and the types told of its parameters and of `return`; None where that is not plain."""
    bare = without_place(before, words)
    for function in the_function(before, words):
        if _gives_value(function, bare):
            continue
        if found := _told(function, bare) or _told_to(function, bare) or _made(function, bare):
            return function, _with_none(function, found)
    return None


def _gives_value(function: Function, words: str) -> bool:
    """Whether a value is told to be returned, and no type: "return text", "return True"."""
    told = re.fullmatch(r"(?i)(?:please |just |also )*return (?:the )?`?(?P<name>\w+)`?", words)
    return told is not None and told["name"] in {"True", "False", *names_of(function)}


def _told(function: Function, words: str) -> dict[str, str]:
    if not _HEAD.search(words):
        return {}
    names = [one.arg for one in parameters(function) if one.arg not in ("self", "cls")]
    name = "|".join(rf"`?{re.escape(one)}`?" for one in sorted(names, key=len, reverse=True)) or "(?!)"
    only = r"|(?:(?:only|one) )?(?:parameter|argument|param|arg)" if len(names) == 1 else ""
    several = rf"(?P<names>{_ALL}{only}|(?:{name})(?:(?:, and |, | and )(?:{name}))*)(?: (?:parameter|argument)s?)?"
    head = re.compile(rf"(?<![\w.])(?:{several}{_IS}|{_RETURNS})(?= |$|(?<= ))")
    heads = list(head.finditer(words))
    if not heads or not _PREFIX.fullmatch(words[: heads[0].start()].strip() + " " * (heads[0].start() > 0)):
        return {}
    found: dict[str, str] = {}
    for one, stop in zip(heads, [*(later.start() for later in heads[1:]), len(words)], strict=True):
        kind = spoken_type(_JOINT.sub("", words[one.end() : stop]))
        told = ["return"]
        if one["names"]:
            told = names if re.fullmatch(_ALL + only, one["names"]) else _names(one["names"])
        if not kind or set(told) & set(found):
            return {}
        found |= dict.fromkeys(told, kind)
    return found


def _names(text: str) -> list[str]:
    return re.findall(r"\w+", re.sub(r"\band\b", ",", text))


def _told_to(function: Function, words: str) -> dict[str, str]:
    """Of "add a type hint of int to x"."""
    told = _TO.fullmatch(words)
    kind = spoken_type(told["type"]) if told else ""
    names = _names(told["names"]) if told else []
    return dict.fromkeys(names, kind) if kind and set(names) <= {one.arg for one in parameters(function)} else {}


def _made(function: Function, words: str) -> dict[str, str]:
    """Of "make the parameters floats"."""
    told = _MADE.fullmatch(words)
    names = [one.arg for one in parameters(function) if one.arg not in ("self", "cls")]
    kind = spoken_type(told["type"]) if told and told["of"] in (None, function.name) else ""
    return dict.fromkeys(names, kind) if kind else {}


def _with_none(function: Function, types: Mapping[str, str]) -> dict[str, str]:
    """The types, with None for what is None where nothing is given."""
    nothing = {
        name for name, value in default_values(function) if isinstance(value, ast.Constant) and value.value is None
    }
    given = re.compile(r"\bNone\b|\bOptional\[")
    lacking = {name for name, kind in types.items() if name in nothing and not given.search(kind)}
    return {name: f"{kind} | None" if name in lacking else kind for name, kind in types.items()}


def plain_hints(before: Snippet, words: str, sort: str) -> Iterator[Ops]:
    """The edit, where the words tell hints of one sort: "parameter" (one), "return", or "several"."""
    if definite := _definite(before, words):
        where, hint, kind = definite
        yield from [between(before, rewritten(before, [on_node(before, hint, kind)]))] if where == sort else []
        return
    told = told_hints(before, words)
    if told is None:
        return
    function, types = told
    lacking = {*bare_names(function), *(["return"] if function.returns is None else [])}
    is_of = "return" if list(types) == ["return"] else "parameter" if len(types) == 1 else "several"
    if is_of == "parameter" and "None" in types.values():  # it may be None besides
        return
    if is_of == sort and (set(types) <= lacking or is_of == "parameter"):
        after = rewritten(before, list(_spots(before, function, types)))
        if all(len(line) <= MAX_WIDTH for line in set(after) - set(before.lines)):
            yield between(before, after)


def _definite(before: Snippet, words: str) -> tuple[str, ast.expr, str] | None:
    """The one hint that is a type told or None, and shall be that type alone: "should be str, not Optional"."""
    told, found = _NOT_NONE.fullmatch(without_place(before, words)), list[tuple[str, ast.expr, str]]()
    kind = spoken_type(told["type"]) if told else ""
    for function in the_function(before, words) if kind else ():
        hints = [("parameter", one.annotation) for one in parameters(function)] + [("return", function.returns)]
        for where, hint in hints:
            match hint:
                case ast.Subscript(value=ast.Name(id="Optional") | ast.Attribute(attr="Optional"), slice=inner):
                    found.append((where, hint, ast.unparse(inner)))
                case ast.BinOp(left=inner, op=ast.BitOr(), right=ast.Constant(value=None)):
                    found.append((where, hint, ast.unparse(inner)))
    meant = [one for one in found if one[2].lower() == kind.lower()]
    return meant[0] if len(meant) == 1 else None


def _spots(before: Snippet, function: Function, types: Mapping[str, str]) -> Iterator[Spot]:
    """Where the hints go: behind the names, or in the place of the hint that the one parameter told has."""
    had = [one.annotation for one in parameters(function) if one.arg in types and one.annotation]
    return (
        (on_node(before, hint, _of_same(hint, *types.values())) for hint in had)
        if had
        else spots(before, function, types)
    )


def _of_same(had: ast.expr, kind: str) -> str:
    """A type told bare with the elements of the hint there was: any iterable, where that was a list of texts."""
    match had:
        case ast.Subscript(
            value=ast.Name() | ast.Attribute() as outer, slice=ast.Name() | ast.Attribute() as inner
        ) if kind in _HOLDING and ast.unparse(outer).rpartition(".")[2].lower() in _HELD:
            return f"{kind}[{ast.unparse(inner)}]"
    return kind


_HOLDING = frozenset(["Iterable", "Iterator", "Sequence", "Collection", "list", "set", "frozenset"])
_HELD = frozenset(one.lower() for one in _HOLDING)
