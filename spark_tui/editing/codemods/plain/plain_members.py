"""One more or one less of a collection that is told by its name: "add remove to COMMANDS", "drop 403 from TEXTS"."""

import ast
import re
from collections.abc import Sequence

from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.pieces.member_places import extended
from spark_tui.editing.codemods.pieces.members import Holder, holders
from spark_tui.editing.codemods.pieces.pieces_gone import without_member
from spark_tui.editing.codemods.plain.plain_words import bare
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import quote

_SORT = r"(?: (?:list|dict|dictionary|set|tuple|mapping|table|constant))?"
_ADDED = re.compile(
    rf"(?i)(?:add|append|put|include|insert) (?P<what>.+?) (?:to|in|into) (?:the |our |my )?"
    rf"(?P<to>[^\W\d][\w. ]*?){_SORT}"
)
_DROPPED = re.compile(
    r"(?i)(?:remove|drop|delete|take|leave|cut) (?P<what>.+?) (?:from|out of) (?:the |our |my )?"
    rf"(?P<to>[^\W\d][\w. ]*?){_SORT}"
)
_PAIR = re.compile(r"(?P<key>\"[^\"]*\"|'[^']*'|\S+?)(?:: ?| -> | => | = | as | is | with(?: value)? | )(?P<value>.+)")
_BARE = re.compile(r"[\w./@-]+")


def plain_members(before: Snippet, words: str) -> list[Ops]:
    """The member told, of the sort of all the others, in the only collection of the name told; else []."""
    told = _ADDED.fullmatch(bare(before, words))
    if told is None:
        return []
    found = [one for one in holders(before) if one.members and _is_named(before, one, told["to"])]
    text = _member(before, found[0], told["what"]) if len(found) == 1 else ""
    after = extended(before, found[0], (text,), words) if text else None
    return [between(before, after)] if after else []


def plain_members_dropped(before: Snippet, words: str) -> list[Ops]:
    """The only collection of the name told without the member told; else []."""
    told = _DROPPED.fullmatch(bare(before, words))
    found = [one for one in holders(before) if told and _is_named(before, one, told["to"])]
    if told is None or len(found) != 1 or len(found[0].members) < (3 if isinstance(found[0].node, ast.Tuple) else 2):
        return []
    members = list(found[0].members)
    ends = found[0].node.values if isinstance(found[0].node, ast.Dict) else None
    named = [at for at, one in enumerate(members) if isinstance(one, ast.Constant) and _is(one, told["what"])]
    return [between(before, lines) for at in named[:1] for lines in without_member(before, members, at, ends)]


def _is(member: ast.Constant, words: str) -> bool:
    return str(member.value) == re.sub(r"^(?:the )?([`'\"]?)(.*)\1$", r"\2", words)


def _is_named(before: Snippet, holder: Holder, words: str) -> bool:
    """Whether a collection is assigned to the name, however its letters and gaps are written."""
    name = re.sub(r"\W", "_", words.lower().removeprefix("self."))
    return any(
        isinstance(one, ast.Assign | ast.AnnAssign) and one.value is holder.node and name in _targets(one)
        for one in before.nodes
    )


def _targets(node: ast.Assign | ast.AnnAssign) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = [one.id if isinstance(one, ast.Name) else getattr(one, "attr", "") for one in targets]
    return {name.lower() for name in names}


def _member(before: Snippet, holder: Holder, words: str) -> str:
    """What is told as one more member or pair, or "": not of the sort of the others, or there already."""
    if not isinstance(holder.node, ast.Dict):
        return _alike(before, holder.members, words)
    told = _PAIR.fullmatch(words)
    key = _alike(before, holder.members, told["key"]) if told else ""
    value = _alike(before, holder.node.values, told["value"], new=False) if told else ""
    return f"{key}: {value}" if key and value else ""


def _alike(before: Snippet, others: Sequence[ast.expr], words: str, *, new: bool = True) -> str:
    """A literal of the type that all the others have. Args: new: and that none of them is."""
    kinds = {type(one.value) if isinstance(one, ast.Constant) else None for one in others}
    text = words[1:-1] if words[:1] == words[-1:] and words[:1] in ("'", '"', "`") else words
    if kinds == {str} and (text != words or not new or _BARE.fullmatch(text)) and '"' not in text:
        source, value = quote(before, text), text
    elif kinds <= {int, float} and re.fullmatch(SIGNED, text):
        source, value = text, text
    else:
        return ""
    had = {str(one.value) for one in others if isinstance(one, ast.Constant)}
    return "" if new and value in had else source
