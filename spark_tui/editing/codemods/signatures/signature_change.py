"""Wishes put into a signature, its parameters taken as pieces one by one."""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from spark_tui.editing import code
from spark_tui.editing.code import Function
from spark_tui.editing.codemods.base import parses
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.codemods.signatures.defaults_within import defaults_within
from spark_tui.editing.codemods.signatures.signature_pieces import defaulted, name_in, parts_of, pieces_of, with_pieces
from spark_tui.editing.codemods.signatures.signature_wishes import Wish
from spark_tui.editing.codemods.signatures.values_said import value_said
from spark_tui.editing.signatures import default_of
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import spliced

_MUTABLE = ("[]", "{}", "set()")
_OF_DEFAULTS = {"default", "optional", "required", "switched"}
_OWN_PROTOCOL = ("__init__", "__call__", "__new__", "__init_subclass__")


@dataclass(frozen=True, slots=True)
class Told:
    """What comes of plain words.

    Args: kind: of the edit. lines: with it. problem: why there is none, or "". doubt: why there may be none, or "".
    """

    kind: str
    lines: tuple[str, ...] = ()
    problem: str = ""
    doubt: str = ""


def told_value(before: Snippet, function: Function, one: ast.arg, phrase: str) -> str:
    """The source of the value that a phrase tells for a parameter, or "" for none."""
    default, names = default_of(function, one), {each.arg for each in code.parameters(function)}
    old = code.text_of(before, default) if default is not None else ""
    hint = code.text_of(before, one.annotation) if one.annotation else ""
    return value_said(phrase, one.arg, hint, old, code.quote_of(before), names)


class Change:
    """Wishes being put into the pieces of a signature. Mutable."""

    def __init__(self, before: Snippet, function: Function, wishes: Sequence[Wish]) -> None:
        self._before, self._function, self._wishes = before, function, wishes
        self._old = pieces_of(before, function)
        self._pieces = list(self._old)
        self._args = {one.arg: one for one in code.parameters(function)}
        self._stand_ins: list[tuple[str, str]] = []

    def told(self) -> Told | None:
        """The outcome; None where the signature cannot be written anew."""
        if not self._old and self._args:
            return None
        sorts = {one.what for one in self._wishes}
        if within := self._within():
            return Told("change_default", within)
        problems = [problem for wish in self._wishes if (problem := self._take(wish))]
        done = all(one.endswith("already") or " already; " in one for one in problems) and self._pieces != self._old
        problem = (problems[0] if problems and not done else "") or self._disorder()
        if problem or self._is_protected(sorts):
            return Told(self._kind(sorts), problem=problem) if problem else None
        lines = self._written()
        if lines == list(self._before.lines):
            return Told(self._kind(sorts), problem=f"{self._function.name} has just that signature already")
        return Told(self._kind(sorts), tuple(lines)) if lines and parses(lines) else None

    def _within(self) -> tuple[str, ...]:
        """The lines where the one default that is told is what the body gives a parameter that is None; else none."""
        match self._wishes:
            case [Wish(what="default", names=[name], value=phrase)] if "None" not in phrase:
                found = defaults_within(self._function, name)
                old = parts_of(self._pieces[self._at(name)])[2]
                value = told_value(self._before, self._function, self._args[name], phrase)
                literal = len(found) == 1 and isinstance(found[0], ast.Constant)
                if literal and old == "None" and value and is_expression(value) and value not in _MUTABLE:
                    return tuple(spliced(self._before, [(found[0], value)]))
        return ()

    @staticmethod
    def _kind(sorts: set[str]) -> str:
        if "stars" in sorts:
            return "add_parameter"
        if sorts & {"by name", "by position"}:
            return "keyword_only"
        return "change_default" if sorts & _OF_DEFAULTS else "swap_arguments"

    def _is_protected(self, sorts: set[str]) -> bool:
        """Whether Python calls the function by position, or the lines themselves do, where that is to end."""
        name = self._function.name
        special = name.startswith("__") and name.endswith("__") and name not in _OWN_PROTOCOL
        decorators = self._function.decorator_list
        special = special or any(isinstance(one, ast.Attribute) and one.attr == "setter" for one in decorators)
        return bool(sorts - _OF_DEFAULTS - {"stars", "by position"}) and (
            special or any(map(self._calls_by_position, self._before.nodes))
        )

    def _calls_by_position(self, node: ast.AST) -> bool:
        match node:
            case ast.Call(
                func=ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name), args=[_, *_]
            ):
                return name == self._function.name
        return False

    def _take(self, wish: Wish) -> str:
        """Put one wish into the pieces. Returns: why not, or ""."""
        match wish.what:
            case "default" | "optional" | "required" | "switched":
                return next(filter(None, [self._default(wish, name) for name in wish.names]), "")
            case "by name" | "by position":
                return self._by_name(wish.names) if wish.what == "by name" else self._by_position(wish.names)
            case "stars":
                return self._stars(wish.value)
            case "order":
                return self._ordered(wish.names)
            case "swap":
                one, other = (self._at(name) for name in wish.names)
                self._pieces[one], self._pieces[other] = self._pieces[other], self._pieces[one]
            case _:
                self._placed(wish)
        return ""

    def _at(self, name: str) -> int:
        return next(at for at, one in enumerate(self._pieces) if name_in(one) == name)

    def _default(self, wish: Wish, name: str) -> str:
        at = self._at(name)
        piece = self._pieces[at]
        _, hint, old = parts_of(piece)
        if piece.startswith("*"):
            return f"{piece} cannot have a default"
        if wish.what == "required":
            self._pieces[at] = f"{name}: {hint}" if hint else name
            return "" if old else f"{name} has no default"
        if wish.what == "optional":
            self._pieces[at] = piece if old else defaulted(self._before, piece, "None")
            return f"{name} is optional already; its default is {old}" if old else ""
        if wish.what == "switched" and old not in ("True", "False"):
            return f"{name} is no flag with a default"
        value = told_value(self._before, self._function, self._args[name], wish.value)
        if value in _MUTABLE and re.search(r"\bempty\b", wish.value):
            self._stand_ins.append((name, value))
            value = "None"
        if old == value and not self._stand_ins:
            return f"the default of {name} is {old} already"
        self._pieces[at] = defaulted(self._before, piece, value)
        return ""

    def _by_name(self, names: Sequence[str]) -> str:
        star = next((at for at, one in enumerate(self._pieces) if one.startswith("*")), len(self._pieces))
        free = [one for one in self._pieces[:star] if name_in(one) in names]
        if not free:
            return f"{' and '.join(names)} can be given by keyword only already"
        if vararg := self._function.args.vararg:
            return f"*{vararg.arg} would swallow what callers give to {' and '.join(names)} by position"
        rest = [one for one in self._pieces[:star] if one not in free]
        behind = self._pieces[star:]
        taken = behind[:1] if behind and not behind[0].startswith("**") else []
        self._pieces = [*rest, *(taken or ["*"]), *free, *behind[len(taken) :]]
        return ""

    def _by_position(self, names: Sequence[str]) -> str:
        star = next((at for at, one in enumerate(self._pieces) if one == "*"), -1)
        freed = [one for one in self._pieces[star + 1 :] if name_in(one) in names] if star >= 0 else []
        if not freed:
            return f"{' and '.join(names)} can be given by position already"
        rest = [one for one in self._pieces[star + 1 :] if one not in freed]
        bare = ["*"] if rest and not rest[0].startswith("**") else []
        self._pieces = [*self._pieces[:star], *freed, *bare, *rest]
        return ""

    def _stars(self, told: str) -> str:
        stars = re.findall(r"(\*{1,2})(\w+)", told) or [("**", "kwargs") if "key" in told.lower() else ("*", "args")]
        spec = self._function.args
        for sign, name in stars:
            if own := spec.vararg if sign == "*" else spec.kwarg:
                return f"{self._function.name} takes {sign}{own.arg} already"
            at = next((at for at, one in enumerate(self._pieces) if one.startswith("*")), len(self._pieces))
            if sign == "**":
                self._pieces.append(f"**{name}")
            else:
                self._pieces[at : at + (self._pieces[at : at + 1] == ["*"])] = [f"*{name}"]
        return ""

    def _ordered(self, names: Sequence[str]) -> str:
        if any(one.startswith(("*", "/")) for one in self._pieces):
            return "some of these parameters are given by position only or by keyword only; say which one is to move"
        first = [one for one in self._pieces if name_in(one) not in names]
        self._pieces = [*first, *(self._pieces[self._at(name)] for name in names)]
        return ""

    def _placed(self, wish: Wish) -> None:
        piece = self._pieces.pop(self._at(wish.names[0]))
        if wish.beside:
            self._pieces.insert(self._at(wish.beside) + (wish.value == "after"), piece)
            return
        free = next((at for at, one in enumerate(self._pieces) if one.startswith("*")), len(self._pieces))
        receiver = len([one for one in self._pieces if name_in(one) in ("self", "cls", "mcs")])
        self._pieces.insert(free if wish.value == "-1" else min(receiver + int(wish.value), free), piece)

    def _disorder(self) -> str:
        """That a parameter without a default would come behind one with a default."""
        given = ""
        for piece in self._pieces:
            if piece.startswith("*"):
                return ""
            name, _, default = parts_of(piece)
            if given and not default and piece != "/":
                return (
                    f"{name} has no default and would come behind {given}, which has one; "
                    f"say a default for {name} too, or another order"
                )
            given = name if default else given
        return ""

    def _written(self) -> list[str]:
        lines = self._in_place() or with_pieces(self._before, self._function, self._pieces) or []
        body = code.body_after_docstring(self._function)
        if not self._stand_ins or not lines:
            return lines
        if not body or body[0].lineno == self._function.lineno:
            return []
        grown = len(lines) - len(self._before.lines)
        row = code.statement_lines(body[0])[0] + grown
        indent, unit = code.indentation(lines[row]), self._before.layout.unit
        tops = [
            line
            for name, value in self._stand_ins
            for line in (f"{indent}if {name} is None:", f"{indent}{unit}{name} = {value}")
        ]
        return [*lines[:row], *tops, *lines[row:]]

    def _in_place(self) -> list[str]:
        """The lines with each piece written where it stands, if all are in their old places; else none."""
        if [name_in(one) for one in self._pieces] != [name_in(one) for one in self._old]:
            return []
        lines = list(self._before.lines)
        changed = [(old, new) for old, new in zip(self._old, self._pieces, strict=True) if old != new]
        for _, new in changed[::-1]:
            one = self._args[name_in(new)]
            default = default_of(self._function, one)
            end = code.end_of(self._before, default if default is not None else one)
            lines = code.splice(lines, code.start_of(self._before, one), end, new)
        rows = zip(self._before.lines, lines, strict=True)
        return lines if all(len(new) <= max(code.MAX_WIDTH, len(old) + 2) for old, new in rows) else []
