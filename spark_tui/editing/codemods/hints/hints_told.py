"""Type hints that are there, changed as the words tell: another type, one more or less, None, quotes, a newer form."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from spark_tui.editing.code import MAX_WIDTH, Function, end_of, parameters, splice, start_of, text_of
from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.codemods.hints.none_hints import none_hints, with_none
from spark_tui.editing.codemods.hints.type_prose import without_messages
from spark_tui.editing.codemods.hints.typing_words import modern, names_used, types_said
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.trees import parse

_TYPED = re.compile(r"\b(?:types?|typed|hints?|hinted|annotat\w+|declared?|signature|rtype|mypy|pyright)\b|->|\|")
_RESULT = re.compile(r"\breturn\w*\b|->|\brtype\b|\bresult\b|\b(?:gives?|hands?|yields?)\b")
_NEWER = re.compile(r"\b(?:lower-?case[ds]?|built-?ins?|UP006|UP035|PEP ?585|generics?)\b", re.IGNORECASE)
IN_QUOTES = re.compile(r"\bquote (?:it|that|this|the)\b|\bin quotes\b|\bforward ref|\bquoted\b|\bas a string\b")
_BARE = re.compile(r"\bunquote|\b(?:no|without|drop|lose|remove|needs? no|don't need|needn't)\b.{0,20}\bquot")
_ALLOWED = re.compile(
    r"\b(?:(?:may|can|could|might|should)(?: also)? be|allow\w*|permits?|accepts?|takes?|or|sometimes|plus|also) "
    r"(?:be |an? |also )?[`'\"]?None\b|\bNone (?:is|should be) (?:fine|ok|okay|allowed|valid|possible)\b"
    r"|\bnullable\b|\boptional\b|\bNone (?:as well|too)\b"
)
_REFUSED = re.compile(
    r"\b(?:never|not|no|cannot be|can't be|drop(?: the)?|remove(?: the)?|without|lose(?: the)?|no longer)"
    r"(?: be| is| optional,?| any)*(?: \|)? ?[`'\"]?None\b|\bn[o']t (?:be )?None\b|\bnon-?(?:optional|null\w*)\b"
    r"|\b(?:not|never|no longer) optional\b"
)
_LEFT_OUT = re.compile(r"\boptional\b|\bnot required\b|\bNotRequired\b|\b(?:missing|absent|left out|omitted)\b")
_NEEDED = re.compile(r"(?<!not )(?<!n't )\b(?:required|mandatory|always (?:there|set|given|present))\b")
_ELSEWHERE = re.compile(
    r"Error\b|\b(?:crash\w*|blows?|fails?|rais\w+|then|guard|check|skip|treat|if|when|default\w*)\b"
)
_MORE = re.compile(r"\b(?:also|as well|too|or|besides|allow\w*|permit)\b")
_WITHIN = re.compile(r"\b(?:elements?|items?|members?|entries|of|holds?|contains?|full of|values?)\b")
_CONTAINERS = frozenset("""
Mapping MutableMapping Sequence MutableSequence Iterable Iterator Collection Container AbstractSet Set List Dict Tuple
FrozenSet list dict set tuple frozenset deque defaultdict OrderedDict Counter
""".split())  # fmt: skip  # noqa: SIM905 - one word a line would be longer
_MOST = 3


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint that is there: `sort` is parameter, return or variable; `name` is what it is the hint of."""

    node: ast.expr
    sort: str
    name: str
    function: str = ""
    """Whose only hint of a parameter it is."""
    key: bool = False
    """Whether it is of a key of a typed dict."""


def changed_hints(before: Snippet, request: Request, sort: str) -> Iterator[Ops]:
    """The edits of hints of one sort that the words may mean."""
    words = without_messages(request.instruction)
    found = list(_hints(before, request.selected))
    named = [one for one in found if _named(one, words, before)]
    alone = found if len(found) == 1 else [one for one in found if one.function and not _RESULT.search(words)]
    for hint in named or (found if len(found) <= _MOST else [one for one in found if _by_text(before, one, words)]):
        sure = hint in named or (hint in alone and _TYPED.search(words) is not None)
        for text in dict.fromkeys(_texts(before, hint, words, sure)) if hint.sort == sort else ():
            after = splice(before.lines, start_of(before, hint.node), end_of(before, hint.node), text)
            if _is_expression(text) and len(after[hint.node.lineno - 1]) <= MAX_WIDTH:
                yield between(before, after)
    own = [(one.name, one.node) for one in found if one.sort == sort]
    yield from none_hints(before, own, [one.node for one in named], request.instruction)


def _hints(before: Snippet, selected: tuple[int, int] | None) -> Iterator[Hint]:
    first, last = selected or (0, len(before.lines))
    for node in before.nodes:
        for hint in _own(node):
            if first <= hint.node.lineno - 1 and (hint.node.end_lineno or 0) - 1 <= last:
                yield hint


def _own(node: ast.AST) -> Iterator[Hint]:
    if isinstance(node, Function):
        given = [one for one in parameters(node) if one.annotation]
        owner = node.name if len(given) == 1 else ""
        yield from (Hint(one.annotation, "parameter", one.arg, owner) for one in given if one.annotation)
        if node.returns:
            yield Hint(node.returns, "return", node.name)
    elif isinstance(node, ast.AnnAssign):
        yield Hint(node.annotation, "variable", ast.unparse(node.target).rpartition(".")[2])
    if isinstance(node, ast.ClassDef) and any("TypedDict" in ast.unparse(one) for one in node.bases):
        fields = [one for one in node.body if isinstance(one, ast.AnnAssign)]
        yield from (Hint(one.annotation, "variable", ast.unparse(one.target), key=True) for one in fields)


def _named(hint: Hint, words: str, before: Snippet) -> bool:
    if len(source := text_of(before, hint.node)) > 4 and "[" in source and source in words:
        return True
    if hint.sort == "return":
        named = re.search(rf"\b{re.escape(hint.name)}\b", words) or len(before.functions) == 1
        return bool(named and _RESULT.search(words))
    names = "|".join(re.escape(one) for one in (hint.name, hint.function) if one)
    return bool(re.search(rf"(?<![\w.])(?:{names})(?:'?s)?(?!\w)", words))


def _by_text(before: Snippet, hint: Hint, words: str) -> bool:
    """Whether the words tell a hint by what it says."""
    return any(len(one) > 2 and one in words for one in re.findall(r"\w+", text_of(before, hint.node)))


def _texts(before: Snippet, hint: Hint, words: str, sure: bool) -> Iterator[str]:
    """What may stand there. Args: sure: the words name it, so that a type they tell is its own."""
    source = text_of(before, hint.node)
    if _NEWER.search(words):
        yield modern(source)
    yield from _quoted(source, words)
    yield from _without(before, hint.node, words)
    if hint.key and _LEFT_OUT.search(words) and "NotRequired[" not in source:
        yield f"NotRequired[{source}]"
    if source.startswith("NotRequired[") and _NEEDED.search(words):
        yield source.removeprefix("NotRequired[")[:-1]
    if sure:
        yield from _told(before, hint, source, words)
    allowed = _ALLOWED.search(words) and not _REFUSED.search(words)
    if allowed and not re.search("None|Optional", source) and (_TYPED.search(words) or not _ELSEWHERE.search(words)):
        yield with_none(before, source)


def _quoted(source: str, words: str) -> Iterator[str]:
    if _BARE.search(words):
        yield source.strip("'\"")
    elif IN_QUOTES.search(words) and source[:1] not in "'\"":
        yield f'"{source}"'


def _without(before: Snippet, node: ast.expr, words: str) -> Iterator[str]:
    """Without None, or without another alternative that the words want away."""
    parts = list(_alternatives(node))
    for part in parts if len(parts) > 1 else ():
        text = text_of(before, part)
        gone = (
            rf"\b(?:no|not|never|drop|remove|without|lose|minus|rid of|no longer|no more)(?: the| an?| any| be)* "
            rf"[`'\"]?{re.escape(text)}(?![\w.\[])|(?<![\w.]){re.escape(text)}[`'\"]? (?:can|may|should|must|has to)? ?"
            r"(?:go\b|goes\b|is gone|out\b)"
        )
        if re.search(gone, words) or (text == "None" and _REFUSED.search(words)):
            yield " | ".join(text_of(before, one) for one in parts if one is not part)
    match node:
        case ast.Subscript(value=ast.Name(id="Optional") | ast.Attribute(attr="Optional"), slice=inner):
            if _REFUSED.search(words):
                yield text_of(before, inner)


def _alternatives(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _alternatives(node.left)
        yield node.right
    else:
        yield node


def _told(before: Snippet, hint: Hint, source: str, words: str) -> Iterator[str]:
    """The types that the words tell: for the whole, for a part of the same sort, as one more."""
    known = [one for one in types_said(words, names_used(before.tree)) if one not in (hint.name, source)]
    known = [one for one in known if one != "None" or hint.sort == "return"]
    known = [one for one in known if _TYPED.search(words) or not re.search(r"(?:Error|Exception|Warning)$", one)]
    for type_ in known[:_MOST]:
        head, bare = type_.partition("[")[0], "[" not in type_
        inner = [one for one in ast.walk(hint.node) if isinstance(one, ast.Subscript) and one is not hint.node]
        for part in inner if not bare else ():
            if text_of(before, part.value) == head:
                yield source.replace(text_of(before, part), type_)
        if bare and isinstance(hint.node, ast.Subscript) and head.rpartition(".")[2] in _CONTAINERS:
            yield type_ + source[len(text_of(before, hint.node.value)) :]
        if bare and _WITHIN.search(words) and source.rpartition(".")[2] in _CONTAINERS:
            yield f"{source}[{type_}]"
        if _MORE.search(words) and type_ not in source and " | " not in type_:
            yield f"{source} | {type_}"
        yield type_


def _is_expression(text: str) -> bool:
    try:
        parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True
