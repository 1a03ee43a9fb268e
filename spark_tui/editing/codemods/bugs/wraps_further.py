"""Values that are wrapped where the words do not say by what: copies by what they are, functions by their names."""

import ast
import re
from collections.abc import Callable, Iterator

from spark_tui.editing.code import MAX_WIDTH, end_of, splice, start_of, text_of
from spark_tui.editing.codemods.base import Ops, Request, between, parses
from spark_tui.editing.codemods.bugs.call_changes import in_annotations
from spark_tui.editing.codemods.bugs.slips import Spot, spots
from spark_tui.editing.codemods.common.expression_places import places_meant
from spark_tui.editing.codemods.common.said import spans
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted

_SHARED = re.compile(
    r"\bcop(?:y|ied|ies)\b|\beach other'?s?\b|\bshar(?:e|es|ed|ing)\b|\bmutat|\bcallers?\b.*\bchang|\bchang\w+ my\b"
    r"|\bmy (?:\w+ )?(?:list|dict|set|rows|options|kwargs)\b|\bpass(?:ed)? in .*\b(?:changed|empty|gone)"
    r"|\bafterwards\b|\bleak|\bsame (?:list|dict|set|object)\b|\bmodif\w+\b|\balias",
    re.IGNORECASE,
)
_KINDS = {
    "dict": re.compile(r"\bdict|\bkwargs\b|\boptions?\b|\bmapping|\bheaders\b|\bstate\b|\bvalues\b", re.IGNORECASE),
    "set": re.compile(r"\bsets?\b|\bset\["),
    "list": re.compile(r"\blists?\b|\brows\b|\bitems\b|\bsequence|\bargs\b", re.IGNORECASE),
}
_STRINGS = re.compile(
    r"expected string or bytes|must be (?:str|a string)|expected str\b|argument of type '(?:int|float)'"
    r"|'(?:int|float)' object has no attribute '(?:\w*strip|lower|upper|split|startswith|endswith|replace|encode)'"
    r"|'(?:int|float)' object is not (?:subscriptable|iterable)|type '(?:int|float)' has no len"
)
_TRUTH = re.compile(r"\bis True\b|\bbool(?:ean)?s?\b|\btruthy\b|\btrue or false\b", re.IGNORECASE)
_ROUND = re.compile(r"\bround\w*\b.{0,30}?\b(\d+|one|two|three|four) (?:digit|decimal|place)", re.IGNORECASE)
_COUNTS = {"one": "1", "two": "2", "three": "3", "four": "4"}
_MOST = 8
Form = str
Fits = Callable[[Snippet, Spot], bool]


def wraps_further(before: Snippet, request: Request) -> Iterator[Ops]:
    """Each value that may be meant, wrapped; those that the words speak of most come first."""
    words = request.instruction
    count = 0
    for forms, fits in (
        (_functions(before, words), _is_value),
        (_copies(before, words), _is_kept),
        (["str({})"] if _STRINGS.search(words) else [], _is_given),
        (["bool({})"] if _TRUTH.search(words) else [], _is_kept),
        (_rounded(words), _is_number),
    ):
        for spot, form in _meant(before, request, forms, fits):
            lines = _written(before, spot.node, form)
            if all(len(line) <= MAX_WIDTH or line in before.lines for line in lines) and parses(lines):
                yield between(before, lines)
                count += 1
            if count == _MOST:
                return


def _meant(before: Snippet, request: Request, forms: list[Form], fits: Fits) -> Iterator[tuple[Spot, Form]]:
    if not forms:
        return
    hints = in_annotations(before)
    found = [one for one in spots(before.tree) if id(one.node) not in hints and fits(before, one)]
    by_node = {id(one.node): one for one in found}
    for node in places_meant(before, request, [one.node for one in found]):
        yield from ((by_node[id(node)], form) for form in forms)


def _functions(before: Snippet, words: str) -> list[Form]:
    """The functions of modules that the words name and the region does not call: `os.path.expandvars`."""
    code = "\n".join(before.lines)
    found = []
    for span in spans(words):
        name = span.text.removesuffix("()")
        if re.fullmatch(r"[a-z_]\w*(?:\.[a-z_]\w*)+", name) and name not in code and name.partition(".")[0] in _MODULES:
            found.append(f"{name}({{}})")
    return found


_MODULES = frozenset("""
os re math json html shlex textwrap unicodedata copy functools itertools inspect types contextlib urllib base64 pprint
operator asyncio string statistics fnmatch glob pathlib shutil hashlib hmac secrets ntpath posixpath decimal fractions
""".split())  # fmt: skip  # noqa: SIM905 - one word a line would be longer


def _copies(before: Snippet, words: str) -> list[Form]:
    if not _SHARED.search(words):
        return []
    code = "\n".join(before.lines)
    kinds = [kind for kind, told in _KINDS.items() if told.search(words)]
    kinds += [kind for kind in _KINDS if kind not in kinds and re.search(rf"\b{kind}\[|: {kind}\b", code)]
    deep = ["copy.deepcopy({})", "deepcopy({})"] if re.search(r"\bdeep|\bnested\b", words) else []
    return [*deep, *(f"{kind}({{}})" for kind in kinds[:2]), "{}.copy()"]


def _rounded(words: str) -> list[Form]:
    match = _ROUND.search(words)
    return [f"round({{}}, {_COUNTS.get(match[1], match[1])})"] if match else []


def _is_value(_: Snippet, spot: Spot) -> bool:
    """Whether an expression is passed, set or returned."""
    called = isinstance(spot.parent, ast.Call) and spot.parent.func is spot.node
    held = isinstance(
        spot.parent, ast.Call | ast.keyword | ast.Assign | ast.AnnAssign | ast.Return | ast.For | ast.Dict
    )
    return held and not called and _is_read(spot)


def _is_kept(before: Snippet, spot: Spot) -> bool:
    """Whether a value that was given is set, passed on or returned as it is."""
    plain = isinstance(spot.node, ast.Name | ast.Attribute | ast.BoolOp)
    return plain and _is_value(before, spot) and not isinstance(spot.parent, ast.For)


def _is_given(_: Snippet, spot: Spot) -> bool:
    """Whether a name is an argument, or what a method of strings is called on."""
    argument = isinstance(spot.parent, ast.Call) and spot.parent.func is not spot.node
    owner = isinstance(spot.parent, ast.Attribute)
    iterated = isinstance(spot.parent, ast.comprehension | ast.Subscript | ast.Compare)
    named = isinstance(spot.node, ast.Name | ast.Attribute | ast.Subscript)
    return named and (argument or owner or iterated) and _is_read(spot)


def _is_number(before: Snippet, spot: Spot) -> bool:
    return (
        isinstance(spot.node, ast.BinOp) and not isinstance(spot.parent, ast.BinOp) and bool(text_of(before, spot.node))
    )


def _is_read(spot: Spot) -> bool:
    node = spot.node
    if isinstance(node, ast.Constant | ast.JoinedStr | ast.Lambda | ast.Starred):
        return False
    own = isinstance(node, ast.Name) and (node.id in ("self", "cls") or node.id[:1].isupper())
    module = isinstance(node, ast.Name) and (dotted(node) or "") in _MODULES
    return not own and not module and isinstance(getattr(node, "ctx", None) or ast.Load(), ast.Load)


def _written(before: Snippet, node: ast.expr, form: Form) -> list[str]:
    start, end = start_of(before, node), end_of(before, node)
    head, _, tail = form.partition("{}")
    bare = not head and isinstance(node, ast.BoolOp | ast.BinOp | ast.IfExp | ast.Compare)
    lines = splice(before.lines, end, end, f"{')' * bare}{tail}")
    return splice(lines, start, start, f"{head}{'(' * bare}")
