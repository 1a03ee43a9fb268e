"""A function told by its name, called in the place of one of its kind: "use perf_counter", "use asyncio.sleep"."""

import ast
import re

from spark_tui.editing.codemods.base import Ops, between, parses
from spark_tui.editing.codemods.plain.plain_words import bare, called
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import dotted, outside_fstrings, spliced

_TOLD = re.compile(
    r"(?:use|call|prefer|switch to) (?:the )?`?(?P<new>[a-z_]\w*(?:\.[a-z_]\w*)*)`?(?:\(\))?(?: instead)?"
    r"(?: (?:of|instead of|rather than|not) `?(?P<old>[a-z_][\w.]*)`?(?:\(\))?)?"
)
_FAMILIES = [
    frozenset(family.split())
    for family in (
        "time monotonic perf_counter process_time", "time_ns monotonic_ns perf_counter_ns", "load safe_load full_load",
        "dump safe_dump", "copy deepcopy", "copy copy2 copyfile", "find rfind", "index rindex", "partition rpartition",
        "match fullmatch search", "uuid1 uuid4", "md5 sha1 sha256 sha512", "quote quote_plus", "listdir scandir",
        "isfile isdir exists", "is_file is_dir exists", "abspath realpath", "check_call check_output run",
        "randint randrange", "warn warning", "isdigit isdecimal isnumeric",
    )
]  # fmt: skip


def plain_siblings(before: Snippet, words: str) -> list[Ops]:
    """It called wherever one of its kind is, if only one of them is; else []."""
    told = _TOLD.fullmatch(bare(before, words))
    if told is None:
        return []
    owner, _, last = told["new"].rpartition(".")
    found = _called_now(before, told["new"], (told["old"] or "").rpartition(".")[2])
    paths = {dotted(one.func) or "" for one in found}
    waits = owner == "asyncio"
    if len(paths) != 1 or (waits and not all(_may_wait(before, one) for one in found)):
        return []
    head = owner or paths.pop().rpartition(".")[0]
    text = f"{'await ' * waits}{head}.{last}" if head else last
    lines = spliced(before, [(one.func, text) for one in found])
    return [between(before, lines)] if parses(lines) else []


def _called_now(before: Snippet, new: str, old: str) -> list[ast.Call]:
    """The calls of the kind of a function, by another name or of another module."""
    owner, _, last = new.rpartition(".")
    kin = {one for family in _FAMILIES if last in family for one in family} or ({last} if owner else set())
    calls = [one for one in outside_fstrings(before.tree) if isinstance(one, ast.Call) and called(one) in kin]
    other = [one for one in calls if (dotted(one.func) != new if owner else called(one) != last)]
    return [one for one in other if old in ("", called(one))]


def _may_wait(before: Snippet, call: ast.Call) -> bool:
    """Whether a call is a statement of an async function by itself."""
    own = [one for one in before.functions if any(part is call for part in ast.walk(one))]
    alone = any(isinstance(one, ast.Expr) and one.value is call for one in before.nodes)
    return alone and bool(own) and isinstance(own[-1], ast.AsyncFunctionDef)
