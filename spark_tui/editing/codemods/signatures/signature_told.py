"""The signature that plain words ask for, all that they say of it done at once, or why it cannot be."""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from spark_tui.editing import code
from spark_tui.editing.code import Function
from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.codemods.common.named import functions_named
from spark_tui.editing.codemods.signatures.added_and_used import added_and_used
from spark_tui.editing.codemods.signatures.signature_change import Change, Told, told_value
from spark_tui.editing.codemods.signatures.signature_wishes import Reader, Wish
from spark_tui.editing.codemods.signatures.value_lifted import UNSEEN, value_lifted
from spark_tui.editing.signatures import default_of
from spark_tui.editing.snippet import Snippet

_MOST_WORDS = 40
_A_FUNCTION = re.compile(r"(?i)\b(?:function|method|signature)\b")


@lru_cache(maxsize=16)
def signature_told(lines: tuple[str, ...], instruction: str) -> Told | None:
    """What an instruction that speaks of nothing but a signature makes of it; None for any other instruction."""
    if len(instruction.split()) > _MOST_WORDS:
        return None
    before = Snippet(lines)
    try:
        found = list(_read(before, instruction))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return Change(before, *found[0]).told() if len(found) == 1 else _lifted(before, instruction)


def _lifted(before: Snippet, instruction: str) -> Told | None:
    """What comes of a value that is to be a parameter, and of a new parameter that something is to be done with."""
    outcomes = [
        outcome
        for one in _among(before, instruction)
        for read in (value_lifted, added_and_used)
        if any(outcome := read(before, one, _without_place(one, instruction)))
    ]
    made = [lines for lines, _ in outcomes if lines]
    if len(made) == 1:
        return Told("add_parameter", made[0])
    problems = [problem for _, problem in outcomes if problem]
    if len(outcomes) != 1 or not problems:
        return None
    unseen = problems[0].startswith(UNSEEN)
    return Told("add_parameter", problem="" if unseen else problems[0], doubt=problems[0] if unseen else "")


def _among(before: Snippet, instruction: str) -> Sequence[Function]:
    """The functions that words may be about: those named, else the outermost, else all."""
    every = before.functions
    outer = every[:1] if len(before.tree.body) == 1 and before.tree.body[0] in every else every
    return functions_named(before, instruction) or outer


def told_here(before: Snippet, request: Request, kind: str) -> tuple[Ops, ...]:
    """The one edit of a kind that plain words about a signature ask for; none for other words."""
    told = signature_told(before.lines, request.instruction)
    return (between(before, told.lines),) if told and told.lines and told.kind == kind else ()


def _read(before: Snippet, instruction: str) -> Iterator[tuple[Function, tuple[Wish, ...]]]:
    """The functions that the words fit, each with what is wanted of it: those named, the outermost, or all."""
    every = before.functions
    named = functions_named(before, instruction)
    outer = every[:1] if len(before.tree.body) == 1 and before.tree.body[0] in every else ()
    for among in (named, outer, every) if not named else (named,):
        found = [(one, wishes) for one in among if (wishes := _wishes(before, one, instruction))]
        if found:
            yield from found
            return


def _wishes(before: Snippet, function: Function, instruction: str) -> tuple[Wish, ...]:
    words = _without_place(function, instruction)
    own = [one for one in code.parameters(function) if not code.is_receiver(function, one)]
    args = {one.arg: one for one in own}
    alone = len(before.functions) == 1 or (len(before.tree.body) == 1 and before.tree.body[0] is function)
    given = tuple(one.arg for one in own if alone and default_of(function, one) is not None)

    def tells(name: str, phrase: str) -> bool:
        return bool(told_value(before, function, args[name], phrase))

    wishes = Reader(tuple(args), tells, given).read(words)
    return () if any(one.what == "swap" and _swapped_in_call(before, one.names, words) for one in wishes) else wishes


def _without_place(function: Function, instruction: str) -> str:
    """An instruction without the words that tell the function."""
    if function.name.lower() not in instruction.lower() and not _A_FUNCTION.search(instruction):
        return instruction
    name = rf"[`'\"]?{re.escape(function.name)}(?:\(\))?[`'\"]?(?: function| method)?"
    place = rf"(?:{name}|(?:the|this) (?:function|method|signature)(?: of {name})?|the (?:function|method) {name})"
    return re.sub(
        rf"(?i)^(?:in|for) {place}[:,]? |^{name}: | (?:in|of|for|on|to) {place}(?=[\s.,;!]|$)", "", instruction
    )


def _swapped_in_call(before: Snippet, names: Sequence[str], words: str) -> bool:
    """Whether two parameters may be meant that stand side by side in the body, and not those of the signature."""
    if re.search(r"(?i)\b(?:param|signature|order|definition|def)", words):
        return False
    return any(
        set(names) <= {part.id for part in ast.iter_child_nodes(node) if isinstance(part, ast.Name)}
        for node in before.nodes
        if isinstance(node, ast.expr)
    )
