"""A new name that is told alone ("just `rows`", "isn't value enough?"), and what it is for.

Also two spellings of one piece of code ("count: int -> total: int"), and a slip that is taken back ("i mean total").
"""

import ast
import builtins
import keyword
import re
from collections.abc import Collection, Iterator
from difflib import SequenceMatcher

from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.renaming.renaming_roles import bound_names, names_meant, stored
from spark_tui.editing.codemods.renaming.renaming_words import NEVER
from spark_tui.editing.snippet import Snippet

Pairs = tuple[tuple[str, str], ...]

_N = r"[`'\"]?(?P<new>[^\W\d]\w*)[`'\"]?"
_END = (
    r"(?:,? (?:then|please|pls|maybe|(?:is|would be|were|reads|sounds|seems|fits|says)(?: \w+)? (?:fine|enough|better"
    r"|clearer|nicer|ok(?:ay)?|plenty|good|more|it)|(?:will|would|should|could|can) do|"
    r"it (?:is|shall be|should be|has to be)"
    r"|suffices|fits(?: better)?|for (?:it|this|that|them|(?:the|this|that) [\w ]+)))*"
)
_SENTENCE = re.compile(
    r"(?:(?:just|maybe|say|so|better|rather|simply|plain|then|and|or|call (?:it|that|this)|make (?:it|that)"
    rf"|names? ?[:=]|(?:new |better )?name[:,]?|to be called) )*{_N}{_END}\s*[.!?]*",
    re.IGNORECASE,
)
_BARE = re.compile(rf"{_N}(?:,? (?:then|please|pls|maybe))*\s*[.!?]*", re.IGNORECASE)
_INSIDE = re.compile(
    rf"\b(?:isn't|is|wouldn't|would|why not|couldn't|could|shouldn't|should) (?:just |plain |simply )?{_N} (?:be )?"
    r"(?:enough|fine|better|clearer|nicer|ok)\b"
    r"|\b(?:that|this|it|one|them|local|variable|var|param\w*|arg\w*|attribute|function|method|class|loop|counter|name)"
    r" (?:be )?(?:called|named|spel(?:t|led)|renamed(?: to)?) [`'\"]?(?P<passive>[^\W\d]\w*)"
    r"|\bcall (?:the|our|that|this|its?) (?:\w+ )?(?:one|local|variable|var|name|loop \w+|param\w*|arg\w*|function"
    r"|method|class|attribute|target|result|copy) [`'\"]?(?P<active>[^\W\d]\w*)"
    r"|[,.;:] [`'\"]?(?P<last>[^\W\d]\w*)[`'\"]? (?:it (?:is|shall be|should be)|is (?:fine|enough|better|clearer)"
    r"|(?:will|would|should) do|instead|then)\b(?! [a-z])",
    re.IGNORECASE,
)
_LINT = re.compile(r"^\s*(?:\S+\.pyi?:\d+\S*.*|[A-Z]{1,4}\d{2,4}\b.*)$", re.MULTILINE)
_ARROW = re.compile(r"\s*(?:->|=>|→|-->|==>)\s*")
_TOKEN = re.compile(r"[^\W\d]\w*|\d+|\S")
_TAKEN_BACK = re.compile(
    r"[^\w`'\"]*\b(?:i mean|i meant|sorry)[,:]? [`'\"]?(\w+)|\W+(\w+),? (?:i mean|i meant|sorry)\b", re.IGNORECASE
)
_NAMING = re.compile(r"\b(?:renam\w*|name|names|named|called|call|spel(?:t|led)|shadow\w*|naming)\b", re.IGNORECASE)
_RECEIVER = re.compile(r"\bN80[45]\b|[Ff]irst argument of a (?:class ?)?method should be named `(?P<new>\w+)`")
_BECOMES = re.compile(r"[`'\"]?\b([^\W\d]\w*)[`'\"]? (?:should be|becomes?|->|to|as|is) [`'\"]?([^\W\d]\w*)")
_LIKE = 0.6
_FEW = 3


def corrected(instruction: str) -> str:
    """The words with a slip that they take back made good: "tempalte... I mean template"."""
    match = _TAKEN_BACK.search(instruction)
    meant = (match[1] or match[2]) if match else ""
    rest = instruction.replace(match[0], "", 1) if match else instruction
    likely = [word for word in re.findall(r"\w+", rest) if SequenceMatcher(None, word, meant).ratio() >= _LIKE]
    if not match or not likely:
        return instruction
    slip = max(likely, key=lambda word: SequenceMatcher(None, word, meant).ratio())
    return re.sub(rf"\b{re.escape(slip)}\b", meant, rest)


def asked(instruction: str) -> str:
    """The words without the messages of a linter above them."""
    own = _LINT.sub("", instruction).strip() if "\n" in instruction.strip() else ""
    return own or instruction


def respelled(instruction: str, names: Collection[str]) -> tuple[str, str] | None:
    """The one name in which two pieces of code around an arrow differ, an attribute with its dot; None for others."""
    sides = _ARROW.split(instruction.strip().strip("`"))
    left, right = (_TOKEN.findall(side.strip("`' ")) for side in sides) if len(sides) == 2 else ([], [])
    if len(left) != len(right):
        return None
    found = {
        ("." * (at > 0 and left[at - 1] == ".") + one, two)
        for at, (one, two) in enumerate(zip(left, right, strict=True))
        if one != two
    }
    (old, new), *more = found or {("", "")}
    fits = old in names and new.isidentifier() and new.isascii() and not keyword.iskeyword(new)
    return (old, "." * old.startswith(".") + new) if fits and not more and new not in names else None


def alone_told(before: Snippet, request: Request, names: Collection[str]) -> list[Pairs]:
    """What may be renamed to the name told alone: what is named, selected, in a role, or called alike."""
    if _BARE.fullmatch(request.instruction.strip()) and not request.selected:
        return []  # a word and nothing else asks for nothing
    words = asked(request.instruction)
    news = [new for new in dict.fromkeys(_news(words)) if _usable(new, names)]
    olds = _olds(before, request, words, news[0]) if news else []
    return [((old, new),) for new in news for old in olds if old != new]


def _news(words: str) -> Iterator[str]:
    for sentence in re.split(r"(?<=[.!?])\s+|\n|[,;] (?=just |call |name)", words.strip()):
        if match := _SENTENCE.fullmatch(sentence.strip()):
            yield match["new"]
    for match in _INSIDE.finditer(words):
        yield next(filter(None, match.groups()))


def receivers_told(before: Snippet, request: Request, names: set[str]) -> list[Pairs]:
    """What the first parameter of a method is to be called, where a linter says so, with what else is told."""
    match = _RECEIVER.search(request.instruction)
    methods = [one for one in before.functions if one.args.args and not one.decorator_list] if match else []
    firsts = dict.fromkeys(one.args.args[0].arg for one in methods) if match else {}
    olds = [name for name in firsts if name not in ("self", "cls")]
    new = (match["new"] or "self") if match else ""
    told = [(old, new) for old, new in _BECOMES.findall(asked(request.instruction)) if old in bound_names(before)]
    return (
        [tuple(dict([*told, *((old, new) for old in olds)]).items())]
        if olds and new not in names - {"self", "cls"}
        else []
    )


def _usable(new: str, names: Collection[str]) -> bool:
    taken = new in names or hasattr(builtins, new) or new.lower() in NEVER or keyword.iskeyword(new)
    return new.isascii() and not taken


def _olds(before: Snippet, request: Request, words: str, new: str) -> list[str]:
    bound = bound_names(before)
    said = set(re.findall(r"(?<!\.)\b[^\W\d]\w*", request.instruction)) - {new}
    if told := [name for name in bound if name in said and name.lower() not in NEVER]:
        return told
    if re.match(r"names? ?[:=]", words.strip(), re.IGNORECASE) and not request.selected:
        return bound[:1]
    if request.selected:
        first, last = request.selected
        rows = range(first, last + 1)
        found = [node for node in before.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        return list(dict.fromkeys(node.id for node in found if node.lineno - 1 in rows))
    if roles := names_meant(before, words):
        return roles
    if alike := [name for name in bound if _alike(name.lower(), new.lower())]:
        return alike
    variables = list(dict.fromkeys(stored(before))) or bound
    return variables if len(variables) <= _FEW and _NAMING.search(words) else []


def _alike(old: str, new: str) -> bool:
    part = len(old) > 1 and (new in old or old in new)
    return part or SequenceMatcher(None, old, new).ratio() > _LIKE - 0.1
