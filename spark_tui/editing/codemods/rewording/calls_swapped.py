"""One call for another of its sort: a function that is told, `rsplit` for `split`, a call that waits only so long.

Rules like those of `said_otherwise`.
"""

import ast
import builtins
import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache

from spark_tui.editing.codemods.common.said import spans
from spark_tui.editing.codemods.common.values_told import values_told
from spark_tui.editing.codemods.plain.plain_words import SIGNS
from spark_tui.editing.codemods.rewording.said_otherwise import Rule, source_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import quote

_WORD = re.compile(r"(?<![\w.'\"=-])(?:(?P<owner>[a-z_]\w*(?:\.[a-z_]\w*)*)\.)?(?P<name>[a-z_]\w{3,})(?![\w.'\"=-])")
_TAKEN = frozenset("use uses call calls with that this they them name names from into only when make must".split())  # noqa: SIM905
_SEPARATORS = {**SIGNS, "equals": "=", "equal sign": "=", "ampersand": "&"}
_QUOTED_SIGN = re.compile(r"([`'\"])([^\w`'\"]{1,3})\1|(?<!\S)([^\w\s`'\"]{1,2})(?!\S)")
_ALIKE = 0.7
_SECONDS = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?) ?(?:s|secs?|seconds?)\b")
_JUSTIFIED = {r"\bleft\b": "ljust", r"\bright\b": "rjust", r"\bcent(?:er|re)": "center"}


def _other_function(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """`np.empty(x)` as `np.zeros(x)`: a function of the same owner that is told, or one that is called alike."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr=attr) as func):
            held, rest = source_of(before, owner), source_of(before, node)[len(source_of(before, func)) :]
            for told, name in _functions(words):
                alike = SequenceMatcher(None, name, attr).ratio() > _ALIKE and told in ("", held)
                if name != attr and (told == held or alike) and not _is_known(before, name):
                    yield f"{held}.{name}{rest}"


@lru_cache(16)
def _functions(words: str) -> tuple[tuple[str, str], ...]:
    """The functions that may be told, with what owns them or ""."""
    found = ((match["owner"] or "", match["name"]) for match in _WORD.finditer(words))
    return tuple(dict.fromkeys(one for one in found if one[1] not in _TAKEN))


def _is_known(before: Snippet, name: str) -> bool:
    """Whether a region has an attribute or a variable of that name."""
    return any(name in (getattr(one, "attr", ""), getattr(one, "id", "")) for one in before.nodes)


def _split_otherwise(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """`x.split("/")` from the end, only once or by lines."""
    if _splits_at_another(node, words):
        return
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="split"), args=[ast.Constant(value="\n")], keywords=[]):
            if "line" in words:
                yield f"{source_of(before, owner)}.splitlines()"
        case ast.Call(func=ast.Attribute(value=owner, attr="split"), args=[sign], keywords=[]):
            if re.search(r"\blast\b|\brsplit\b|from the (?:right|end)", words):
                yield f"{source_of(before, owner)}.rsplit({source_of(before, sign)}, 1)"
            elif re.search(r"\bfirst\b|\bonce\b|\bmaxsplit\b", words):
                yield f"{source_of(before, owner)}.split({source_of(before, sign)}, 1)"
        case ast.Call(func=ast.Attribute(value=owner, attr="split" | "rsplit" as how), args=[sign, _], keywords=[]):
            if how == "split" and re.search(r"\blast\b|\brsplit\b|from the (?:right|end)", words):
                yield f"{source_of(before, owner)}.rsplit({source_of(before, sign)}, 1)"


def _splits_at_another(node: ast.AST, words: str) -> bool:
    """Whether a call splits at none of the signs that are told."""
    match node:
        case ast.Call(args=[ast.Constant(value=str(sign)), *_]):
            told = {one for name, one in _SEPARATORS.items() if re.search(rf"\b{name}s?\b", words)}
            told |= {one[1] or one[2] for one in _QUOTED_SIGN.findall(words)}
            return bool(told) and not any(one in sign or sign in one for one in told)
    return False


def _justified(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="ljust" | "rjust" | "center" as now) as func):
            first = sorted((match.start(), to) for said, to in _JUSTIFIED.items() if (match := re.search(said, words)))
            rest = source_of(before, node)[len(source_of(before, func)) :]
            yield from (f"{source_of(before, owner)}.{to}{rest}" for _, to in first[:1] if to != now)


def _waited(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """`await x` as `await asyncio.wait_for(x, timeout=10)`."""
    match node:
        case ast.Await(value=value) if seconds := _SECONDS.search(words):
            if "wait_for" not in (text := source_of(before, value)):
                yield f"await asyncio.wait_for({text}, timeout={seconds[1]})"
                yield f"await asyncio.wait_for({text}, {seconds[1]})"


def _task_named(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """`create_task(x)` and `Thread(...)` with a name that is told."""
    match node:
        case ast.Call(func=func, keywords=given) if not any(one.arg == "name" for one in given):
            if source_of(before, func).rpartition(".")[2] in (
                "create_task",
                "ensure_future",
                "Thread",
                "Process",
                "Timer",
            ):
                told = [one.text for one in spans(words) if one.mark or re.fullmatch(r"\w+(?:-\w+)+", one.text)]
                head = source_of(before, node)[:-1].rstrip(", \n")
                yield from (f"{head}, name={quote(before, one)})" for one in told[-1:])


def _popped(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`d.get(k)` as `d.pop(k, None)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="get"), args=[key, *rest], keywords=[]):
            default = source_of(before, rest[0]) if rest else "None"
            yield f"{source_of(before, owner)}.pop({source_of(before, key)}, {default})"


def _sorted_back(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`reversed(sorted(x))`, `sorted(x)[::-1]` as `sorted(x, reverse=True)`."""
    match node:
        case (
            ast.Call(func=ast.Name(id="reversed"), args=[ast.Call(func=ast.Name(id="sorted"), args=[given]) as inner])
            | ast.Subscript(
                value=ast.Call(func=ast.Name(id="sorted"), args=[given]) as inner,
                slice=ast.Slice(lower=None, upper=None, step=ast.UnaryOp()),
            )
        ) if not any(one.arg == "reverse" for one in inner.keywords):
            text = source_of(before, given)
            words = "".join(f", {one.arg}={source_of(before, one.value)}" for one in inner.keywords)
            bare = text[1:-1] if isinstance(given, ast.GeneratorExp) and source_of(before, inner)[7:8] != "(" else text
            yield f"sorted({bare}{words}, reverse=True)"


def _until_dot(before: Snippet, node: ast.AST, _: ast.AST, __: str) -> Iterator[str]:
    """`x.rsplit(".", 1)[0]` as `os.path.splitext(x)[0]`."""
    match node:
        case ast.Subscript(
            value=ast.Call(
                func=ast.Attribute(value=owner, attr="rsplit" | "split"), args=[ast.Constant(value="."), *_]
            ),
            slice=ast.Constant(value=0),
        ):
            yield f"os.path.splitext({source_of(before, owner)})[0]"


def _cut_back(before: Snippet, node: ast.AST, _: ast.AST, words: str) -> Iterator[str]:
    """A time without its zone or its fractions, a text with other signs, before it is used."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    drops = {"tzinfo": "tzinfo=None", "microsecond": "microsecond=0", "timezone": "tzinfo=None"}
    told = [text for word, text in drops.items() if word in words and word not in source_of(before, node)]
    if node.func.attr in ("isoformat", "strftime", "timestamp"):
        at = source_of(before, node.func.value)
        yield from (f"{at}.replace({one}){source_of(before, node)[len(at) :]}" for one in told[:1])
    elif node.func.attr in ("now", "utcnow", "time", "fromtimestamp", "astimezone"):
        yield from (f"{source_of(before, node)}.replace({one})" for one in told[:1])


def _got_by_default(before: Snippet, node: ast.AST, parent: ast.AST, words: str) -> Iterator[str]:
    """`d[k]` as `d.get(k, x)`, x being told, or what nothing is to what is done with it: `{}`, `[]` or 0."""
    match node:
        case ast.Subscript(value=owner, slice=key, ctx=ast.Load()) if not isinstance(key, ast.Slice | ast.Tuple):
            if isinstance(key, ast.UnaryOp) or (isinstance(key, ast.Constant) and not isinstance(key.value, str)):
                return
            if hasattr(builtins, source_of(before, owner)) or source_of(before, owner).rpartition(".")[2][:1].isupper():
                return  # a type with its parts
            told = [value for value, _, _ in values_told(before, words)][:1] if "default" in words else []
            for value in dict.fromkeys([*told, *_nothing_for(node, parent)]):
                yield f"{source_of(before, owner)}.get({source_of(before, key)}, {value})"


def _nothing_for(node: ast.expr, parent: ast.AST) -> Iterator[str]:
    match parent:
        case ast.Attribute(attr="get" | "items" | "keys" | "values"):
            yield "{}"
        case (
            ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult())
            | ast.Compare(ops=[ast.Lt() | ast.Gt() | ast.LtE() | ast.GtE()])
        ):
            yield "0"
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[held]) if held is node:
            yield from ("[]", "()")
        case ast.For(iter=held) | ast.comprehension(iter=held) if held is node:
            yield from ("[]", "()")


SWAPPED: tuple[tuple[str, Rule], ...] = (
    (
        r"\bkeyerror|\bmissing\b|\bunknown\b|\bolder?\b|\bha(?:s|ve) no\b|\bthere (?:is|are) no|\bwithout\b|\babsent\b",
        _got_by_default,
    ),
    (r"\bsplit|\brsplit|\bmaxsplit|\btoo many values", _split_otherwise),
    (r"\bleft\b|\bright\b|\bcent(?:er|re)", _justified),
    (r"\btime-?out|\bwait_for\b|\bat most\b|\bno longer than\b|\bforever\b", _waited),
    (r"\bname", _task_named),
    (r"\bpop\b|\bmultiple values\b|\btake (?:it|them) out\b|\bremove\b", _popped),
    (r"\breverse", _sorted_back),
    (r"\bsplitext\b|\bextension\b", _until_dot),
    (r"\b(?:drop|without|no|cut|remove|strip|lose|off)\b.*(?:tzinfo|microsecond|timezone)", _cut_back),
    (
        r"\buse\b|\binstead\b|\brather\b|\bsafer\b|\bshould|\bswitch|\bnot\b|\bvia\b|\benough\b|^[`]?[\w.]+[`]?\W*$",
        _other_function,
    ),
)
"""What names a rule in lower case, and the rule."""
