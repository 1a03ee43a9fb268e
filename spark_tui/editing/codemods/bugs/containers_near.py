"""What an empty container may be meant as: one that forgets, counts, keeps order, has defaults; look-ups with one."""

import ast
import re
from collections.abc import Iterator

from spark_tui.editing.code import end_of, start_of, text_of
from spark_tui.editing.codemods.bugs.cure_words import told
from spark_tui.editing.codemods.bugs.mistaken import Slip
from spark_tui.editing.snippet import Snippet

_FORGETS = told("leak* pile* memory never_freed never_collected garbage alive weak* grow* keeps")
_DEFAULTS = told("KeyError missing first_time unknown new_key setdefault defaultdict not_there")
_COUNTS = told("count* Counter")
_ORDERED = told("order* sort* first last")
_LIMITED = told("grow* forever limit* last oldest memory pile* deque slow* left")
_SETS = told("duplicat* twice unique distinct slow* look*ups? once")
_OTHERS = (
    (_FORGETS, {"set()": ("weakref.WeakSet()", "WeakSet()"),
                "{}": ("weakref.WeakValueDictionary()", "weakref.WeakKeyDictionary()", "WeakKeyDictionary()")}),
    (_DEFAULTS, {"{}": ("defaultdict(list)", "defaultdict(int)", "defaultdict(set)", "collections.defaultdict(list)")}),
    (_COUNTS, {"{}": ("Counter()", "collections.Counter()"), "set()": ("Counter()",), "[]": ("Counter()",)}),
    (_ORDERED, {"{}": ("OrderedDict()",), "set()": ("{}", "[]", "OrderedDict()")}),
    (_LIMITED, {"[]": ("deque()", "collections.deque()", "deque(maxlen=100)")}),
    (_SETS, {"[]": ("set()", "{}")}),
)  # fmt: skip
_MISSING = told(
    "KeyError unknown missing absent not_in not_there else every* other* unset default* fall* no without lacks?"
)
_ITSELF = re.compile(r"\b(?:itself|as (?:it )?is|unchanged|same|the name|the key)\b")
_MOST, _EACH = 8, 3


def containers_near(source: str, instruction: str) -> Iterator[str]:
    """The containers that may be meant by an empty one."""
    for trouble, others in _OTHERS:
        if source in others and trouble.search(instruction):
            yield from others[source]


def looked_up(before: Snippet, instruction: str) -> Iterator[Slip]:
    """Look-ups by a key with a default: a number or a word that is told, None, or the key itself."""
    if not _MISSING.search(instruction):
        return
    kept = 0
    for node in before.nodes:
        match node:
            case ast.Subscript(value=ast.Name() | ast.Attribute() | ast.Dict() | ast.Call() as owner, slice=key) if (
                isinstance(node.ctx, ast.Load) and not isinstance(key, ast.Slice | ast.Tuple | ast.UnaryOp)
            ):
                pass
            case _:
                continue
        held, by = text_of(before, owner), text_of(before, key)
        generic = held in _TYPES or (held[:1].isupper() and not held.isupper())
        if held and by and not by.isdigit() and not generic:
            for default in list(_defaults(before, instruction, by))[:_EACH]:
                kept += 1
                if kept <= _MOST:
                    text = f"{held}.get({by}{default})"
                    yield Slip(start_of(before, node), end_of(before, node), text, (held, by, default.strip(", '\"")))


_TYPES = frozenset("list dict tuple set type frozenset Callable".split())  # noqa: SIM905


def _defaults(before: Snippet, instruction: str, key: str) -> Iterator[str]:
    said = set(re.findall(r"\w+", instruction))
    for node in before.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in said:
            source = text_of(before, node)
            if source and source != key and source[0] in "'\"":
                yield f", {source}"
    yield from (f", {number}" for number in re.findall(r"(?<![\w.])-?\d+(?![\w.])", instruction))
    if _ITSELF.search(instruction):
        yield f", {key}"
    yield ""
