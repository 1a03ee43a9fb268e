"""Requests that get no edit: about what is not there, about other code, or no requests at all."""

import ast
import re
from collections.abc import Sequence
from functools import cache
from random import Random

from spark_tui.editing.codemods.base import Request, finds_nothing, listed
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.format import NO_EDIT
from spark_tui.editing.script import LineOp
from spark_tui.editing.snippet import Snippet
from spark_tui.training.examples import Example
from spark_tui.training.kinds.base import Edit, Kind
from spark_tui.training.kinds.registry import EDIT_KINDS, kinds
from spark_tui.training.names import absent_name
from spark_tui.training.phrasing import Phrase, Phrasebook

_NAMING_SLOTS = (
    "old", "var", "param", "attr", "func", "cls", "function", "name", "variable", "parameter", "attribute", "method",
    "class", "argument",
)  # fmt: skip
_PROSE = 0.12
_TRIES = 12
_CODE_NAME = re.compile(r"\w+_\w+|\w+\(\)|[a-z]+[A-Z]\w*|(?<=[`'\"])\w+(?=[`'\"])")


@cache
def phrasebook(kind: str) -> Phrasebook:
    """The phrasebook of a kind, by its name."""
    return Phrasebook(next(one.skeletons for one in kinds() if one.name == kind))


def refusal(snippet: Snippet, found: Sequence[tuple[Kind, Edit]], rng: Random, held_out: bool) -> Example | None:
    """A request that gets no edit: half of them are an edit's words about something that is not there."""
    phrase = _about_absent(snippet, *rng.choice(found), rng, held_out) if found and rng.random() < 0.6 else None
    if phrase is None:
        none = next(kind for kind in kinds() if kind.name == NO_EDIT)
        edit = none.propose(snippet, rng)
        phrase = phrasebook(NO_EDIT).phrase(edit.slots if edit else {}, rng, held_out=held_out)
    return Example(NO_EDIT, (), phrase.text, None, phrase.family, held_out) if phrase else None


def _about_absent(snippet: Snippet, kind: Kind, edit: Edit, rng: Random, held_out: bool) -> Phrase | None:
    slots = edit.slots
    text = "\n".join(snippet.lines)
    names = [slots[slot] for slot in _NAMING_SLOTS if slot in slots]
    present = [name for name in names if name.isidentifier() and re.search(rf"\b{name}\b", text)]
    if not present:
        return None
    name = rng.choice(present)
    absent = absent_name(snippet.lines, rng, like=name)
    slots = {slot: absent if value == name else value for slot, value in slots.items()}
    phrase = phrasebook(kind.name).phrase(slots, rng, held_out=held_out, ambiguous=True)
    return phrase if phrase and absent in phrase.text else None


def stranger(snippet: Snippet, other: Snippet, rng: Random, held_out: bool) -> Example | None:
    """A request made about other code that has no answer in the snippet; now and then a sentence that is no request."""
    if rng.random() < _PROSE and (sentences := _prose(other)):
        return Example(NO_EDIT, (), rng.choice(sentences), None, f"prose {held_out}", held_out)
    text = "\n".join(snippet.lines)
    for kind in rng.sample(EDIT_KINDS, _TRIES):
        edit = kind.propose(other, rng)
        ambiguous = len(other.functions) > 1
        phrase = phrasebook(kind.name).phrase(edit.slots, rng, held_out=held_out, ambiguous=ambiguous) if edit else None
        if phrase and _has_no_answer(kind.name, phrase.text, snippet, text):
            return Example(NO_EDIT, (), phrase.text, None, phrase.family, held_out)
    return None


def _has_no_answer(kind: str, instruction: str, snippet: Snippet, text: str) -> bool:
    """Whether the kind has no edit here, or the words name something that is not here."""
    codemod = codemods().get(kind)
    if codemod and finds_nothing(codemod, snippet, Request(instruction)):
        return True
    named = {name.removesuffix("()") for name in _CODE_NAME.findall(instruction)}
    return bool(named) and not any(name in text for name in named)


def _prose(snippet: Snippet) -> list[str]:
    """Sentences of the docstrings: words about code that ask for nothing."""
    scopes = (node for node in ast.walk(snippet.tree) if isinstance(node, ast.FunctionDef | ast.ClassDef))
    texts = (ast.get_docstring(scope) or "" for scope in scopes)
    return [line.strip() for text in texts for line in text.splitlines()[1:] if len(line.split()) > 4]


def is_listed(snippet: Snippet, kind: str, ops: tuple[LineOp, ...], request: Request) -> bool:
    """Whether an edit could be given as the answer: where its kind's edits are listed, it is one of them."""
    codemod = codemods().get(kind)
    edits = listed(codemod, snippet, request) if codemod else None
    return edits is None or ops in edits
