"""Statements told in words: one or more ways of saying each shape of syntax tree."""

import ast
from collections.abc import Callable
from random import Random

from spark_tui.training.kinds.statements import dotted

MAX_SOURCE = 40
_LEVELS = {"debug", "info", "warning", "error", "critical", "exception"}
_METHODS = {
    ("append", 1): "append {0} to {x}|add {0} to the end of {x}|push {0} onto {x}|put {0} at the end of {x}",
    ("extend", 1): "extend {x} with {0}|add all of {0} to {x}|add everything in {0} to {x}",
    ("add", 1): "add {0} to the set {x}|put {0} into the set {x}|add {0} to the {x} set",
    ("remove", 1): "remove {0} from {x}|take {0} out of {x}",
    ("discard", 1): "discard {0} from {x}",
    ("pop", 0): "pop {x}|pop the last item off {x}|pop from {x}",
    ("pop", 1): "pop {0} from {x}|pop {0} off {x}",
    ("insert", 2): "insert {1} into {x} at {0}|insert {1} at {0} in {x}|insert {1} at index {0} of {x}",
    ("update", 1): "update {x} with {0}|merge {0} into {x}",
    ("setdefault", 2): "default {0} in {x} to {1}|set {0} in {x} to {1} unless it is there",
    ("clear", 0): "clear {x}|empty {x}|empty out {x}",
    ("sort", 0): "sort {x}|sort {x} in place|put {x} in order",
    ("reverse", 0): "reverse {x}|reverse {x} in place",
    ("close", 0): "close {x}|shut {x}|make sure {x} gets closed",
    ("flush", 0): "flush {x}",
    ("write", 1): "write {0} to {x}|write {0} into {x}|write {0} out to {x}",
    ("start", 0): "start {x}|start up {x}|kick off {x}",
    ("stop", 0): "stop {x}",
    ("join", 0): "join {x}|wait for {x} to finish",
    ("acquire", 0): "acquire {x}|take {x}",
    ("release", 0): "release {x}|let go of {x}",
    ("put", 1): "put {0} into {x}|put {0} on {x}|queue {0} on {x}",
    ("send", 1): "send {0} through {x}|send {0} over {x}|send {0} on {x}",
    ("seek", 1): "seek {x} to {0}|move {x} to position {0}",
    ("commit", 0): "commit {x}",
    ("sleep", 1): "sleep for {0} seconds with {x}.sleep|sleep {0} with {x}.sleep",
}  # fmt: skip
_FUNCTIONS = {
    ("print", 1): "print {0}|print out {0}|output {0} with print|show {0} with print",
    ("print", 0): "print an empty line|print a blank line",
    ("setattr", 3): "set the attribute {1} of {0} to {2}",
    ("delattr", 2): "delete the attribute {1} of {0}",
}
_VALUES = {
    ("sorted", 1): "the sorted {0}|{0} sorted|sorted {0}",
    ("len", 1): "the length of {0}|the number of items in {0}|the size of {0}",
    ("list", 1): "{0} as a list|a list of {0}",
    ("tuple", 1): "{0} as a tuple|a tuple of {0}",
    ("set", 1): "{0} as a set|a set of {0}",
    ("dict", 1): "{0} as a dict|a dict of {0}",
    ("str", 1): "{0} as a string|{0} converted to a string",
    ("int", 1): "{0} as an int|{0} converted to an int",
    ("float", 1): "{0} as a float|{0} converted to float",
    ("bool", 1): "{0} as a bool|the truth of {0}",
    ("sum", 1): "the sum of {0}|the total of {0}",
    ("max", 1): "the largest of {0}|the maximum of {0}|the max of {0}",
    ("min", 1): "the smallest of {0}|the minimum of {0}|the min of {0}",
    ("abs", 1): "the absolute value of {0}|the abs of {0}",
    ("repr", 1): "the repr of {0}",
    ("type", 1): "the type of {0}",
    ("iter", 1): "an iterator over {0}",
    ("any", 1): "whether any of {0}",
    ("all", 1): "whether all of {0}",
}
_OWN_VALUES = {
    ("copy", 0): "a copy of {x}",
    ("strip", 0): "{x} stripped|{x} without surrounding white space",
    ("lower", 0): "{x} in lower case|{x} lowercased",
    ("upper", 0): "{x} in upper case|{x} uppercased",
    ("split", 0): "{x} split on white space",
    ("split", 1): "{x} split on {0}|{x} split at {0}",
    ("join", 1): "{0} joined with {x}|{0} joined by {x}",
    ("keys", 0): "the keys of {x}",
    ("values", 0): "the values of {x}",
    ("items", 0): "the items of {x}",
    ("read", 0): "what {x} reads|the contents of {x}",
    ("get", 1): "the value of {0} in {x} or None",
}
_OPERATORS = {
    ast.Add: "{0} plus {1}|the sum of {0} and {1}",
    ast.Sub: "{0} minus {1}|the difference of {0} and {1}",
    ast.Mult: "{0} times {1}|the product of {0} and {1}",
    ast.Div: "{0} divided by {1}",
    ast.Mod: "{0} modulo {1}|{0} mod {1}",
}
_AUGMENTED = {
    ast.Add: "increase {x} by {0}|increment {x} by {0}|add {0} onto {x} with +=|grow {x} by {0}|bump {x} by {0}",
    ast.Sub: "decrease {x} by {0}|subtract {0} from {x}|decrement {x} by {0}|reduce {x} by {0}",
    ast.Mult: "multiply {x} by {0}|scale {x} by {0}",
    ast.Div: "divide {x} by {0}",
    ast.BitOr: "or {0} into {x}|set the bits {0} in {x}",
}
_SET = (
    "set {x} to {0}|assign {0} to {x}|let {x} be {0}|initialise {x} to {0}|store {0} in {x}|put {0} in {x}"
    "|save {0} as {x}|set {x} = {0}|define {x} as {0}|initialize {x} with {0}|keep {0} in {x}"
)
_ITEM = (
    "set {0} in {x} to {1}|store {1} in {x} under {0}|put {1} in {x} at {0}|map {0} to {1} in {x}|set {x}[{0}] to {1}"
)


class Speaker:
    """Says statements and expressions in words."""

    def __init__(self, source: Callable[[ast.expr], str], rng: Random) -> None:
        """Args: source: the text of an expression as it is written; "" when it takes several lines."""
        self._source = source
        self._rng = rng
        self._mark = rng.choices(["", "`", "'"], [78, 18, 4])[0]

    def statement(self, node: ast.stmt) -> str | None:  # noqa: PLR0911  (a return a shape)
        """A statement as an imperative phrase, or None when there are no good words for it."""
        match node:
            case ast.Expr(value=value):
                return self._action(value)
            case ast.Assign(targets=[target], value=value):
                return self._assignment(target, value)
            case ast.AugAssign(target=target, op=op, value=value):
                return self._augmented(target, op, value)
            case ast.Return(value=value):
                return self._returned(value)
            case ast.Raise(exc=exc, cause=None):
                return self._raised(exc)
            case ast.Assert(test=test, msg=msg):
                words = "assert that {0}|assert {0}|check with an assert that {0}|add an assert for {0}"
                if msg is None:
                    return self._fill(words, test)
                return self._fill("assert {0} with the message {1}|assert that {0}, saying {1} otherwise", test, msg)
            case ast.Delete(targets=[ast.Subscript(value=owner, slice=key)]):
                return self._fill("delete the key {0} from {x}|delete {0} from {x} with del|del {x}[{0}]", key, x=owner)
            case ast.Delete(targets=[target]):
                return self._fill("delete {0}|del {0}|unset {0} with del", target)
        return self._bare(node)

    def _bare(self, node: ast.stmt) -> str | None:  # noqa: PLR0911  (a return a shape)
        match node:
            case ast.Break():
                return self._one("break|break out of the loop|stop the loop|leave the loop")
            case ast.Continue():
                return self._one(
                    "continue|skip to the next one|continue with the next one|go on with the next iteration"
                )
            case ast.Global(names=[name]):
                return self._one("declare {} global|make {} global|mark {} as global").format(name)
            case ast.Nonlocal(names=[name]):
                return self._one("declare {} nonlocal|make {} nonlocal").format(name)
            case ast.Import(names=[ast.alias(name=name, asname=None)]):
                return self._one("import {}|import {} here|import {} locally").format(name)
            case ast.ImportFrom(module=str() as module, level=0, names=[ast.alias(name=name, asname=None)]):
                return self._one("import {0} from {1}|import {0} from {1} here|from {1} import {0}").format(
                    name, module
                )
        return None

    def _action(self, node: ast.expr) -> str | None:
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=attr), args=args, keywords=[]) if dotted(owner):
                if attr in _LEVELS and dotted(owner) in ("logger", "log", "self.logger", "logging") and len(args) == 1:
                    return self._logged(owner, attr, args[0])
                if words := _METHODS.get((attr, len(args))):
                    return self._fill(words, *args, x=owner)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if words := _FUNCTIONS.get((name, len(args))):
                return self._fill(words, *args)
            case ast.Yield(value=value) if value is not None:
                return self._fill("yield {0}", value)
            case ast.Await(value=ast.Call() as call) if told := self._call(call):
                return self._one("await the call {}|await the result of {}").format(told.removeprefix("call "))
        return self._call(node) if isinstance(node, ast.Call) else None

    def _logged(self, owner: ast.expr, level: str, text: ast.expr) -> str | None:
        words = (
            "log {0} as L with {x}|log {0} at level L with {x}|write a L log saying {0} to {x}|log L {0} via {x}"
            "|emit a L message {0} on {x}|have {x} log a L saying {0}|call {x}.L with {0}"
        )
        return self._fill(words.replace("L", level), text, x=owner)

    def _call(self, node: ast.Call) -> str | None:
        name = dotted(node.func) or (source if (source := self._source(node.func)).startswith("super()") else None)
        given = [self.value(arg) for arg in node.args]
        given += [self._keyword(keyword) for keyword in node.keywords]
        if name is None or len(given) > 3 or any(word is None for word in given):
            return None
        told = [word for word in given if word is not None]
        if not told:
            return self._one(f"call {name}|call {name}()|invoke {name}|run {name}()|make a call to {name}")
        joined = ", ".join(told[:-1]) + (" and " if len(told) > 1 else "") + told[-1]
        words = "call {0} with {1}|call {0} on {1}|invoke {0} with {1}|call {0} passing {1}|pass {1} to {0}"
        return self._one(words).format(name, joined)

    def _keyword(self, keyword: ast.keyword) -> str | None:
        value = self.value(keyword.value)
        return self._one("{0}={1}|{0} set to {1}").format(keyword.arg, value) if value and keyword.arg else None

    def _assignment(self, target: ast.expr, value: ast.expr) -> str | None:
        match target, value:
            case ast.Tuple(elts=[ast.Name(id=a), ast.Name(id=b)]), ast.Tuple(elts=[ast.Name(id=c), ast.Name(id=d)]):
                return self._one(f"swap {a} and {b}|exchange {a} and {b}") if (a, b) == (d, c) else None
            case ast.Subscript(value=owner, slice=key), _ if dotted(owner) and not isinstance(key, ast.Slice):
                return self._fill(_ITEM, key, value, x=owner)
            case ast.Attribute(value=ast.Name(id="self"), attr=attr), ast.Name(id=name) if attr == name:
                return self._one(
                    f"store {name} on self|save {name} on self|keep {name} on self|set self.{name} to {name}"
                    f"|remember {name} as an attribute|make {name} an attribute|assign {name} to self.{name}"
                )
            case ast.Tuple(), _ if all(isinstance(part, ast.Name) for part in target.elts):
                return self._fill("unpack {0} into {x}|assign {0} to {x}|get {x} from {0}", value, x=target)
            case _ if dotted(target):
                return self._fill(_SET, value, x=target)
        return None

    def _augmented(self, target: ast.expr, op: ast.operator, value: ast.expr) -> str | None:
        words = _AUGMENTED.get(type(op))
        if isinstance(value, ast.Constant) and value.value == 1 and isinstance(op, ast.Add):
            words = "increment {x}|increment {x} by one|bump {x}|add one to {x}|increase {x} by 1|count {x} up by one"
        elif isinstance(value, ast.Constant) and value.value == 1 and isinstance(op, ast.Sub):
            words = "decrement {x}|decrement {x} by one|take one off {x}|decrease {x} by 1|count {x} down by one"
        return self._fill(words, value, x=target) if words else None

    def _returned(self, value: ast.expr | None) -> str | None:
        if value is None:
            return self._one("return|return nothing|return nothing at all|do a bare return")
        return self._fill("return {0}|give back {0}|return {0} to the caller|hand back {0}|return just {0}", value)

    def _raised(self, exc: ast.expr | None) -> str | None:
        match exc:
            case None:
                return self._one("re-raise|reraise the exception|raise it again|re-raise the error")
            case ast.Call(func=error, args=[text], keywords=[]) if dotted(error):
                words = "raise a {0} saying {1}|raise {0} with the message {1}|throw a {0} with {1}|fail with a {0} {1}"
                return self._fill(words, error, text)
            case ast.Name():
                return self._fill("raise {0}|raise a {0}|throw {0}", exc)
        return None

    def value(self, node: ast.expr) -> str | None:
        """An expression in words or as source; None when it is long."""
        if self._rng.random() < 0.7 and (said := self._said(node)):
            return said
        source = self._source(node)
        return self._quoted(source) if len(source) <= MAX_SOURCE and source else None

    def _quoted(self, source: str) -> str:
        plain = "'" in source or '"' in source or source.isdigit()
        return source if plain else self._mark + source + self._mark

    def _said(self, node: ast.expr) -> str | None:  # noqa: PLR0911  (a return a shape)
        match node:
            case ast.List(elts=[]) | ast.Dict(keys=[]) | ast.Tuple(elts=[]):
                return f"an empty {type(node).__name__.lower()}"
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if words := _VALUES.get((name, len(args))):
                return self._fill(words, *args)
            case ast.Call(func=ast.Attribute(value=x, attr=name), args=args, keywords=[]) if words := _OWN_VALUES.get(
                (name, len(args))
            ):
                return self._fill(words, *args, x=x)
            case ast.Call() if told := self._call(node):
                return told.replace("call ", "the result of ", 1) if told.startswith("call ") else None
            case ast.BinOp(left=left, op=op, right=right) if words := _OPERATORS.get(type(op)):
                return self._fill(words, left, right) if _simple(left) and _simple(right) else None
            case ast.Subscript(value=owner, slice=ast.Constant(value=0)):
                return self._fill("the first item of {x}|the first element of {x}", x=owner)
            case ast.Subscript(value=owner, slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1))):
                return self._fill("the last item of {x}|the last element of {x}", x=owner)
        return None

    def _fill(self, words: str, *values: ast.expr, x: ast.expr | None = None) -> str | None:
        told = [self.value(value) for value in values]
        owner = self._source(x) if x is not None else "-"
        if any(word is None for word in told) or not 0 < len(owner) <= MAX_SOURCE:
            return None
        return self._one(words).format(*told, x=self._quoted(owner))

    def _one(self, words: str) -> str:
        return self._rng.choice(words.split("|"))


def _simple(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Constant | ast.Attribute)
