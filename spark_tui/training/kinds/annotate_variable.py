"""Annotate a variable or attribute where it is first assigned."""

import ast
from collections.abc import Mapping
from random import Random
from typing import ClassVar

from spark_tui.editing.code import end_of, stands_alone, text_of
from spark_tui.editing.codemods.annotate_variable import first_assignments
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.common.occasions import Occasion, function_at, rewritten
from spark_tui.editing.codemods.hints.typing_words import modern, types_said
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.annotate_words import SKELETONS
from spark_tui.training.kinds.annotations import random_type
from spark_tui.training.kinds.base import Edit, Planted
from spark_tui.training.kinds.occasional import Occasional

_PLAIN = (ast.Constant, ast.JoinedStr, ast.UnaryOp)
_OLD = {"list[": "List[", "dict[": "Dict[", "tuple[": "Tuple[", "set[": "Set["}


class AnnotateVariable(Occasional):
    """`x = f()` becomes `x: str = f()`; a type comment becomes an annotation.

    Slots: besides those of Occasional, {type} as code or {typed} in words, {guess} when the value tells it, {empty} for
    an empty container, {comment} for type comments.
    """

    name: ClassVar[str] = "annotate_variable"
    one: ClassVar[str] = "the type comment|this type comment|the old style type comment|the # type: comment"
    many: ClassVar[str] = "the type comments|all type comments|the old style type comments|the # type: comments"
    named: ClassVar[str] = "the type comment of {}|the type comment on {}|the {} type comment|the # type: comment of {}"
    skeletons: ClassVar[str] = SKELETONS

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take an annotation away, or make it a comment."""
        found = [one for one in ast.walk(snippet.tree) if isinstance(one, ast.AnnAssign) and _fit(snippet, one)]
        if rng.random() < 0.5:
            return _commented(snippet, rng) if rng.random() < 0.3 else None
        if not found:
            return None
        node = rng.choice(found)
        start, end = end_of(snippet, node.target), end_of(snippet, node.annotation)
        tail = f"  # type: {_old(text_of(snippet, node.annotation), rng)}" if rng.random() < 0.25 else ""
        changes = [(start, end, "")] + ([(end_of(snippet, node), end_of(snippet, node), tail)] if tail else [])
        after = rewritten(snippet, [Occasion(0, tuple(changes))])
        return Planted(Snippet(tuple(after))) if after else None

    def told(self, snippet: Snippet, rng: Random) -> dict[str, str]:
        """That there is a comment."""
        return {"comment": "", "plain": ""}

    def _told_type(self, rng: Random) -> dict[str, str]:
        """A type, or that the value tells it."""
        if rng.random() < 0.45:
            return {"guess": "", "plain": ""}
        code, words = random_type(rng)
        slots = {"type": code} if rng.random() < 0.5 or words == code else {"typed": words}
        return slots if types_said(self.said(slots)) == (code,) else {}

    def wanted(self, found: list[Occasion], told: Mapping[str, str]) -> list[Occasion]:
        """The comments."""
        return [one for one in found if one.variant == "comment"]

    def said(self, slots: Mapping[str, str]) -> str:
        """The type."""
        if "comment" in slots:
            return "comment"
        return f"`{slots['type']}`" if "type" in slots else slots.get("typed", "")

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """A comment as the others; else one assignment, selected or by its name."""
        if any("# type:" in line for line in snippet.lines) and rng.random() < 0.8:
            return super().propose(snippet, rng)
        told = self._told_type(rng)
        if not told:
            return None
        codemod = codemods()[self.name]
        found = list(codemod.occasions(snippet, Request(self.said(told))))  # type: ignore[attr-defined]
        found = [one for one in found if one.variant != "comment"]
        nodes = {node.lineno - 1: node for _, node in first_assignments(snippet)}
        fit = [one for one in found if "guess" in told or not isinstance(nodes[one.line].value, _PLAIN)]
        if not fit:
            return None
        one: Occasion = rng.choice(fit)
        node = nodes[one.line]
        told |= _about(snippet, node)
        after = rewritten(snippet, [one])
        alone = [name for name in one.names[:2] if sum(name in other.names for other in found) == 1]
        selected = (one.line, one.line) if not alone or rng.random() < 0.35 else None
        if selected is None:
            told["name"] = rng.choice(alone)
        where = function_at(snippet, one.line)
        told |= {"function": where.name} if where else {}
        return Edit.between(snippet, after, told, selected) if after else None


def _about(snippet: Snippet, node: ast.Assign) -> dict[str, str]:
    value = text_of(snippet, node.value)
    found = {"empty": ""} if value in ("[]", "{}", "set()", "dict()", "list()", "()") else {}
    holder = {"attribute": ""} if isinstance(node.targets[0], ast.Attribute) else {"local": ""}
    return found | holder | ({"value": value} if 0 < len(value) <= 30 else {})


def _fit(snippet: Snippet, node: ast.AnnAssign) -> bool:
    plain = stands_alone(snippet, node) and node.value is not None and text_of(snippet, node.annotation)
    bare = not snippet.lines[(node.end_lineno or node.lineno) - 1][end_of(snippet, node)[1] :].strip()
    return bool(plain) and bare and bool(node.simple or isinstance(node.target, ast.Attribute))


def _commented(snippet: Snippet, rng: Random) -> Planted | None:
    found = [node for _, node in first_assignments(snippet) if node.lineno == node.end_lineno]
    found = [one for one in found if not snippet.lines[one.lineno - 1][end_of(snippet, one)[1] :].strip()]
    if not found:
        return None
    node = rng.choice(found)
    at = end_of(snippet, node)
    change = (at, at, f"  # type: {_old(random_type(rng)[0], rng)}")
    after = rewritten(snippet, [Occasion(0, (change,))])
    return Planted(Snippet(tuple(after))) if after else None


def _old(text: str, rng: Random) -> str:
    """A type as it was written before 3.9, now and then."""
    if rng.random() < 0.4 or modern(text) != text:
        return text
    for new, old in _OLD.items():
        text = text.replace(new, old)
    return text
