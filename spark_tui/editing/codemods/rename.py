"""Names become other ones, wherever they are used."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from spark_tui.editing.codemods.base import Codemod, Ops, Request, applied, between
from spark_tui.editing.codemods.common.named import words
from spark_tui.editing.codemods.renaming.renaming_alone import alone_told, asked, corrected, receivers_told, respelled
from spark_tui.editing.codemods.renaming.renaming_hints import hinted
from spark_tui.editing.codemods.renaming.renaming_keywords import with_keywords
from spark_tui.editing.codemods.renaming.renaming_lists import (
    alike_told,
    lists_alone,
    lists_told,
    more_told,
    unused_told,
)
from spark_tui.editing.codemods.renaming.renaming_parts import partly, set_anew
from spark_tui.editing.codemods.renaming.renaming_plain import asks_for_call, tells_no_name, told_plainly
from spark_tui.editing.codemods.renaming.renaming_roles import (
    bound_names,
    groups,
    names_meant,
    news_told,
    stored,
    unused,
)
from spark_tui.editing.codemods.renaming.renaming_scopes import (
    as_alias,
    as_method,
    imported,
    is_local,
    locally,
    methods,
)
from spark_tui.editing.codemods.renaming.renaming_words import NOUNS, names_a_stranger, pairs_told
from spark_tui.editing.identifiers import names_in, substitute, uses
from spark_tui.editing.script import Substitute
from spark_tui.editing.snippet import Snippet

_PROSE = re.compile(r"\b(?:docstrings?|docs?|comments?|documentation|everywhere)\b")
_ATTRIBUTE = re.compile(r"\b(?:attributes?|attr|fields?|methods?|members?|property|self)\b")
_LOCAL = re.compile(r"\b(?:local|variable|var|list|dict|set|result|accumulator|loop|value)s?\b")
_NAMES = re.compile(
    r"\brenam|\bname (?:it|this|that|them|the)\b|\b(?:called|named)\b|\bcall (?:it|this|that|them|the)\b|\bshadow"
    r"|\b(?:same|better|bad|poor|wrong|odd|misleading|\w+ing) name\b"
    r"|\bfor the (?:local|loop|param|var|method|func|class)"
    r"|\bthe (?:local|variable|loop|param|function|method|class)\b[\w ]{0,14}\b(?:be|become)\b"
)
_DEFINED = re.compile(r"\b(?:def|class)\s+$")
Pairs = tuple[tuple[str, str], ...]
_QUOTED = re.compile(r"#.*|\"\"\".*?\"\"\"|'''.*?'''", re.DOTALL)


class Rename(Codemod):
    """A name that the region uses becomes one that is new to it and that the instruction says."""

    kind: ClassVar[str] = "rename"
    local: ClassVar[bool] = False

    def edits(self, before: Snippet, request: Request) -> list[Ops] | None:
        """The pairs of names that the words tell, and what they call by its role; None where they tell no pair."""
        names = names_in("\n".join(before.lines))
        request = replace(request, instruction=corrected(request.instruction))
        if pair := respelled(request.instruction, names):
            return list(_with_prose(before, (Substitute(*pair),), first=False))
        words = request.instruction
        if names_a_stranger(words, names) or tells_no_name(words) or asks_for_call(before, words):
            return []
        meant = _told(before, request, names)
        told = [each for pairs in meant for each in _renamings(before, pairs, names, request)]
        if not told:
            outright = request.instruction.lower().startswith("rename ")
            return [] if outright and meant and _are_taken(before, meant, names) else None
        in_prose = _PROSE.search(request.instruction.lower()) is not None
        found = [each for ops in told for each in _with_prose(before, ops, first=in_prose)]
        return [with_keywords(before, ops) for ops in found]

    def plain(self, before: Snippet, request: Request) -> Sequence[Ops]:
        """The renamings of a name that the region binds, where both names are told and nothing else is."""
        told = told_plainly(before, request.instruction)
        return (told and self.edits(before, replace(request, instruction=told))) or ()

    def objection(self, before: Snippet, after: Sequence[str], request: Request) -> str:
        """It says what else was changed, or what is wrong with the new name."""
        if self.lists(before, after, request):
            return ""
        text = "\n".join(before.lines)
        pairs = {(one.name, two.name) for one, two in zip(uses(text), uses("\n".join(after)), strict=False)}
        changed = sorted((old, new) for old, new in pairs if old != new)
        bare = {(old.lstrip("."), new.lstrip(".")) for old, new in changed}
        if len(bare) != 1 or any(old.startswith(".") != new.startswith(".") for old, new in changed):
            return "not exactly one name was changed"
        lines: Sequence[str] = before.lines
        for old, new in changed:
            lines = substitute(lines, old, new)
        if list(lines) != list(after):
            return "it was not changed everywhere, or something else was"
        new = bare.pop()[1]
        if {new, f".{new}"} & names_in(text):
            return f"{new} is used here already"
        is_told = new in words(request.instruction) and new not in NOUNS
        return "" if is_told else f"{new} was not asked for"


def _only_functions(before: Snippet) -> set[str]:
    """The functions of a region by whose names nothing else in it goes: a local may have one."""
    used = {node.id for node in before.nodes if isinstance(node, ast.Name)}
    return {one.name for one in before.functions} - used


def _are_taken(before: Snippet, told: Sequence[Pairs], names: set[str]) -> bool:
    """Whether every new name that is told is one of the region's already."""
    own = methods(before)

    def is_taken(old: str, new: str) -> bool:
        return new in names if old in names else f".{new}" in names or new in own

    return all(is_taken(*pair) for pairs in told for pair in pairs)


def _told(before: Snippet, request: Request, names: set[str]) -> list[Pairs]:
    """The pairs that lists tell, else those told one by one, else what is to change in one way or has a role."""
    words = asked(request.instruction)
    bare = {name.removeprefix(".") for name in names}
    ways: tuple[Callable[[], Iterable[Pairs]], ...] = (
        lambda: lists_told(words, bare),
        lambda: receivers_told(before, request, names),
        lambda: lists_alone(words, bare, groups(before)),
        lambda: unused_told(words, unused(before)),
        lambda: alike_told(words, bare, bound_names(before)),
        lambda: hinted(before, words, names),
        lambda: alone_told(before, request, names),
        lambda: _one_by_one(before, words, names, bare),
        lambda: alone_told(before, request, names - _only_functions(before)),
    )
    return next(filter(None, (list(way()) for way in ways)), [])


def _one_by_one(before: Snippet, words: str, names: set[str], bare: set[str]) -> list[Pairs]:
    told = pairs_told(words, names)
    if told and (more := more_told(words, bare)) and not {old for old, _ in more} & {old for old, _ in told[0]}:
        return [(*told[0], *more), *told]
    roles = names_meant(before, words) if not told and _NAMES.search(words.lower()) else []
    news = (news_told(words, names) or news_told(words, names - _only_functions(before))) if roles else []
    return told or [((old, new),) for new in news for old in roles]


def _renamings(before: Snippet, pairs: Pairs, names: set[str], request: Request) -> Iterator[Ops]:
    """As variables, or as attributes where the words say so or there are no such variables."""
    words = request.instruction.lower()
    if len(pairs) == 1 and imported(before, pairs[0][0]):
        yield from filter(None, [as_alias(before, *pairs[0])] if pairs[0][1] not in names else [])
        return
    parts = partly(before, request, dict(pairs))
    if set_anew(request.instruction):
        yield from parts
    if len(pairs) == 1 and _is_scoped(before, *pairs[0], names, words):
        yield from filter(None, [locally(before, *pairs[0])])
    elif len(pairs) == 1 and pairs[0][1] not in names and (ways := list(_apart(before, *pairs[0]))):
        function = re.search(rf"\b(?:method|function|func|class) [`'\"]?{pairs[0][0].lower()}\b", words)
        yield from ways if _LOCAL.search(words) and not function else reversed(ways)
    elif (len(pairs) == 1 and f".{pairs[0][0]}" in names and (ops := as_method(before, *pairs[0]))) or (
        ops := _as(before, pairs, names, dotted=_ATTRIBUTE.search(words) is not None)
    ):
        yield ops
    yield from parts


def _is_scoped(before: Snippet, old: str, new: str, names: set[str], words: str) -> bool:
    """Whether only the functions are meant that set a name: others use the new one, or the old one as a builtin."""
    dotted = _ATTRIBUTE.search(words) is not None and f".{old}" in names
    return old in names and not dotted and (new in names or is_local(before, old))


def _apart(before: Snippet, old: str, new: str) -> Iterator[Ops]:
    """A variable and the function around it that have one name: only the variable, only the function."""
    text = "\n".join(before.lines)
    every = [use for use in uses(text) if use.name.removeprefix(".") == old]
    heads = [use for use in every if use.name.startswith(".") or _DEFINED.search(text[: use.start])]
    inside = [use for use in every if use not in heads]
    if not any(_DEFINED.search(text[: use.start]) for use in heads) or old not in set(stored(before)):
        return
    for group in (inside, heads):
        after = text
        for use in reversed(group):
            after = after[: use.start] + new + after[use.end :]
        yield between(before, after.split("\n"))


def _as(before: Snippet, pairs: Pairs, names: set[str], *, dotted: bool) -> Ops:
    ops: list[Substitute] = []
    for old, new in pairs:
        sort = "." if (dotted and f".{old}" in names) or old not in names else ""
        if sort + new in names or (sort and new in methods(before)):
            return ()
        ops.append(Substitute(sort + old, sort + new))
    return tuple(ops)


def _with_prose(before: Snippet, ops: Ops, *, first: bool) -> Iterator[Ops]:
    """The edit in code only, and the one in docstrings and comments too, where they speak of the names."""
    after = applied(before, ops)
    text = fields = "\n".join(after)
    for op in ops:
        if isinstance(op, Substitute):
            word, new = re.compile(rf"(?<![\w.]){re.escape(op.old.lstrip('.'))}(?!\w)"), op.new.lstrip(".")
            text = _QUOTED.sub(lambda match, word=word, new=new: word.sub(new, match[0]), text)  # type: ignore[misc]
            fields = _told_there(word).sub(new, fields)
    texts = [text, fields] if first else [fields, text]
    prose = [between(before, one.split("\n")) for one in dict.fromkeys(texts) if one != "\n".join(after)]
    yield from [*prose, ops] if first else [ops, *prose]


def _told_there(word: re.Pattern[str]) -> re.Pattern[str]:
    """A name where prose surely means it: as a field's, in backticks or stars."""
    return re.compile(rf"(?<=:param )(?:{word.pattern})(?=:)|(?<=[`*]){word.pattern}(?=[`*])")
