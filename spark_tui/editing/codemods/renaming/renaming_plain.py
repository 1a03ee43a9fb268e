"""Renamings that are told as a whole, in the few words or marks that people use for them."""

import ast
import builtins
import re
from keyword import iskeyword

from spark_tui.editing.code import parameters
from spark_tui.editing.codemods.common.said import plain_word
from spark_tui.editing.codemods.renaming.renaming_roles import bound_names, stored
from spark_tui.editing.codemods.renaming.renaming_words import NOUNS
from spark_tui.editing.identifiers import names_in, uses
from spark_tui.editing.snippet import Snippet

_OLD, _NEW = (rf"[`'\"]?(?P<{one}>(?:\w+\.)?[^\W\d]\w*)(?:\(\))?[`'\"]?" for one in ("old", "new"))
_ARROW = r"(?:\s*(?:->|=>|\u2192)\s*)"
_THING = r"(?:the )?(?:(?:local|loop) )?(?:variable |attribute )?"
_WITHIN = r"(?:,? (?:please|pls|everywhere|in (?:the )?[`'\"]?[\w.]+[`'\"]?(?: class| function| method)?))*\W*$"


def _patterns(*told: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"^\W*(?:please )?{words}{_WITHIN}", re.IGNORECASE) for words in told)


_NAMELESS = re.compile(
    rf"^\W*(?:please )?rename (?:(?:this|that|the|my|our) )?(?:\w+ )?(?:it|{'|'.join(sorted(NOUNS))})\W*$",
    re.IGNORECASE,
)
_CALL_THERE = re.compile(
    r"^\W*(?:please |also |just )*call (?:self\.)?(?P<name>[^\W\d]\w*)(?:\(\))? "
    r"(?:in|at|from|before|after|on|when|if|once|first|there|here|for)\b",
    re.IGNORECASE,
)
_OUTRIGHT = _patterns(
    rf"(?:change|alter) the name of {_THING}{_OLD} (?:to|into) {_NEW}",
    rf"s/{_OLD}/{_NEW}/?g?",
    rf"rename {_THING}{_OLD}(?: (?:to|as|into) |{_ARROW}){_NEW}",
)
_PRIVATE = _patterns(
    rf"make (?:the )?{_OLD}(?: attribute| method| function| property| helper)? (?P<how>private|protected|public)",
    rf"{_OLD} should be (?P<how>private|protected|public)",
)
_PERHAPS = _patterns(
    rf"{_OLD}(?: to |{_ARROW}){_NEW}",
)
"""What may be said of values, too: it is meant of names where the old one is a local and the new one nothing else."""


def tells_no_name(instruction: str) -> bool:
    """Whether the words ask for another name and tell none: "rename this function"."""
    return _NAMELESS.match(instruction) is not None


def asks_for_call(before: Snippet, instruction: str) -> bool:
    """Whether the words ask to call a function of the region somewhere: "call load in the constructor"."""
    told = _CALL_THERE.match(instruction)
    return told is not None and told["name"] in {one.name for one in before.functions}


def told_plainly(before: Snippet, instruction: str) -> str:
    """The renaming that words tell as a whole and the region allows, told anew; "" where there is none."""
    if made := _made_private(before, instruction):
        return made
    for patterns, certain in ((_OUTRIGHT, True), (_PERHAPS, False)):
        found = next(filter(None, (pattern.match(instruction) for pattern in patterns)), None)
        if found and (old := _known(before, found["old"], found["new"], certain=certain)):
            return f"rename {old} to {found['new'].rpartition('.')[2]}"
    return ""


def _made_private(before: Snippet, instruction: str) -> str:
    """Of "make the balance private": the attribute, method or function with an underscore, or without for "public"."""
    told = next(filter(None, (pattern.match(instruction) for pattern in _PRIVATE)), None)
    if told is None:
        return ""
    name, known = told["old"].removeprefix("self.").strip("_"), names_in("\n".join(before.lines))
    old, new = (name, f"_{name}") if told["how"].lower() != "public" else (f"_{name}", name)
    own = {one.name for one in before.functions} | {one.name for one in before.nodes if isinstance(one, ast.ClassDef)}
    if new in known or f".{new}" in known:
        return ""
    return f"rename {old} to {new}" if old in own else f"rename self.{old} to {new}" if f".{old}" in known else ""


def _known(before: Snippet, old: str, new: str, *, certain: bool) -> str:
    """The old name as the region has it, if it is one that may be called so, else ""."""
    owner, _, last = old.rpartition(".")
    if iskeyword(new.rpartition(".")[2]) or (owner and new.rpartition(".")[0] not in ("", owner)):
        return ""
    if owner in ("self", "cls"):
        return old if f".{last}" in names_in("\n".join(before.lines)) else ""
    if owner:
        return last if last in [one.name for one in before.functions] else ""
    local = {*stored(before), *(one.arg for function in before.functions for one in parameters(function))}
    if certain:
        return old if old in bound_names(before) else _own_attribute(before, old)
    text = "\n".join(before.lines)
    strange = hasattr(builtins, new) or plain_word(new) or not new.islower() or new in names_in(text)
    return old if old in local and not strange and not _is_in_prose(old, text) else ""


def _own_attribute(before: Snippet, name: str) -> str:
    """A name that is nothing but an attribute of the class that the region holds, with `self.`; or ""."""
    held = [one for one in before.nodes if isinstance(one, ast.ClassDef)]
    theirs = [one for one in ast.walk(held[0]) if isinstance(one, ast.Attribute)] if len(held) == 1 else []
    named = [one for one in theirs if one.attr == name]
    own = all(isinstance(one.value, ast.Name) and one.value.id == "self" for one in named)
    return f"self.{name}" if own and any(isinstance(one.ctx, ast.Store) for one in named) else ""


def _is_in_prose(name: str, text: str) -> bool:
    """Whether a word stands in strings or comments, too, or as an argument's name."""
    return len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", text)) > sum(use.name == name for use in uses(text))
