"""Checks that words ask for plainly and as a whole: what is tested, and what follows from it, with nothing left over.

"raise ValueError if n is negative", "return 0 when items is empty", "assert that n is positive", "skip rows that ..."
are all read to their last word; what is not is left to the kinds' own lists.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from spark_tui.editing.code import Function, body_after_docstring, indentation, statement_lines, walk_scope
from spark_tui.editing.codemods.base import Ops
from spark_tui.editing.codemods.common.named import functions_named
from spark_tui.editing.codemods.common.said import is_expression
from spark_tui.editing.codemods.hints.certain_types import may_be_none
from spark_tui.editing.codemods.plain.empty_results import on_nothing
from spark_tui.editing.codemods.plain.plain_conditions import Condition, Conditions
from spark_tui.editing.codemods.plain.plain_restated import restated
from spark_tui.editing.codemods.texts.messages_made import messages_made
from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import argument_names, quote, top_of
from spark_tui.editing.trees import parse

_POLITE = r"(?:(?:please|also|just|it should|this should|this must|should|must|have it|make it|let it|let's) )*"
_RAISE = rf"(?i:{_POLITE}(?:raise|throw))"
_ERROR = r"(?:an? )?[`'\"]?(?P<error>(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Timeout|Exit|NotFound|Failure))[`'\"]?"
_QUOTED = r"(?P<text>\"[^\"]*\"|'[^']*'|`\"[^\"]*\"`)"
_TEXT = rf"(?P<call>\([^()]*\))?(?:,?(?: with)?(?: the| a)?(?: message| text| saying| that says|:)*:? {_QUOTED})?"
_IF = r",? (?P<if>(?i:if|when|whenever|in case|unless))(?: (?:the )?(?:given|passed))? "
_REQUIRED = r"(?P<if>(?i:check|ensure|validate|verify|make sure|require))(?: that)? (?P<test>.+?)"
_OR_ELSE = r"(?:,? (?:and|or|else|otherwise)? ?(?:raise|throw) "
_OUGHT = r"(?:must|should|ha(?:s|ve) to)(?P<no> never| not|n't)?"
_RAISES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_RAISE} {_ERROR}{_TEXT}{_IF}(?P<test>.+)",
        rf"{_RAISE} {_ERROR}{_IF}(?P<test>.+?),? (?:with|saying)(?: the| a)?(?: message| text)?:? {_QUOTED}(?P<call>)",
        rf"(?P<if>(?i:if|when|whenever|in case|unless)) (?P<test>.+?),? (?:then )?(?:raise|throw) {_ERROR}{_TEXT}",
        rf"{_REQUIRED}{_OR_ELSE}{_ERROR}{_TEXT}(?: otherwise| if not| if it (?:isn't|is not))?)?",
        rf"(?P<test>.+? {_OUGHT} be .+?),? (?:or|else|otherwise) raise {_ERROR}{_TEXT}",
    )
)
_MUST = re.compile(rf"(?i)^(?P<x>.+?) (?:(?P<cannot>cannot|can't|can not|may not)|{_OUGHT}) be ")
_ASSERT = re.compile(
    r"(?i)(?:please )?(?:add an? )?assert(?:ion)?(?: that| for)? (?P<test>.+?)"
    r"(?:,? with(?: the)? message (?P<text>\"[^\"]*\"|'[^']*'))?"
)
_ASSERT_TOO = re.compile(
    r"(?i)(?:please |also )*(?:(?:add an? )?assert(?:ion)?(?: that| for)?|check(?: that)?) (?:the )?(?P<name>[a-z_]\w*)"
    rf" (?:is|equals|==|to be|should be) (?P<value>{SIGNED}|None|True|False|\"[^\"]*\"|'[^']*')(?: too| as well)?"
)
_RETURN = r"(?:return|give back|answer)(?: early)?(?: with)?(?: just| an?| the)?(?: (?P<value>.+?))?"
_NOW = r"(?: early| at once| right away| immediately)?"
_LEAVE = r"(?:bail(?: out)?|exit(?: early)?|leave(?: early)?|do nothing|stop early)"
_CRASHES = r"(?:(?:it|this) )?(?:crashes|fails|breaks|blows up|dies|errors out)"
_ON_NOTHING = r"(?P<if>on|for|with|when|if) (?:(?:it|is|it's|an?|the|given) )*(?P<test>empty)(?: \w+)?[,;:]?"
_RETURNS = tuple(
    re.compile(f"(?i){pattern}")
    for pattern in (
        rf"{_POLITE}{_LEAVE}{_IF}(?P<test>.+)",
        rf"(?P<if>if|when) (?P<test>.+?),? (?:then )?(?:just )?{_LEAVE}",
        rf"{_POLITE}{_RETURN}{_NOW}{_IF}(?P<test>.+)",
        rf"(?P<if>if|when|unless) (?P<test>.+?),? (?:then )?(?:just )?{_RETURN}{_NOW}",
        rf"{_CRASHES} {_ON_NOTHING} (?:(?:so|and|but|it|please) )*{_POLITE}{_RETURN}(?: instead| then)?",
    )
)
_VALUES = {
    "none": "None", "true": "True", "false": "False", "empty list": "[]", "empty dict": "{}", "empty string": '""',
    "empty tuple": "()", "empty set": "set()", "empty dictionary": "{}", "zero": "0",
}  # fmt: skip
_PLACE = re.compile(
    r"(?i)^(?:in|for) [`'\"]?(?P<before>\w+)[`'\"]?(?:\(\))?[,:] "
    r"|,? in [`'\"]?(?P<after>\w+)[`'\"]?(?:\(\))?(?=$|,? (?:if|when|unless)\b)"
)
_NOTHING = re.compile(
    r"(?i)(?:there(?: is|'s| are)|we (?:have|got|get)|it (?:has|got)) "
    r"(?:nothing|none|no (?:data|values|items|elements|entries|input))|nothing(?: is| was)? (?:there|given|passed)"
    r"|no (?:data|values|items|elements|entries|input)|nothing"
)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
Spots = list[tuple[int, str]]


def plain_raises(before: Snippet, words: str) -> list[Ops]:
    """The check that raises, or [] where the words do not tell it plainly; with each message it may well have."""
    for function, told in _readings(before, words, _RAISES):
        if (found := _test(function, told)) and (spots := spots_of(before, function, found)):
            ways = [f"raise {error}" for error in _errors(before, told, found)]
            return [check_at(before, spot, found.source, way) for way in ways for spot in spots]
    return []


def plain_returns(before: Snippet, words: str) -> list[Ops]:
    """The check that leaves the function, or [] where the words do not tell it plainly."""
    for function, told in _readings(before, words, _RETURNS):
        found, value = _test(function, told), _value(before, function, told.groupdict().get("value"))
        if found and value == "None" and not told.groupdict().get("value") and found.source == f"not {found.about}":
            value = on_nothing(before, function)
        if found and value is not None and (spots := spots_of(before, function, found)):
            return [check_at(before, spot, found.source, f"return {value}".strip()) for spot in spots]
    return []


def plain_asserts(before: Snippet, words: str) -> list[Ops]:
    """The assertion, or [] where the words do not tell it plainly."""
    for function, told in _readings(before, words, (_ASSERT,)):
        found = _required(function, told["test"])
        if found and (spots := spots_of(before, function, found)):
            message = f", {quote(before, told['text'][1:-1])}" if told["text"] else ""
            return [(Insert(after, (f"{indent}assert {found.source}{message}",)),) for after, indent in spots]
    return _asserted_too(before, words)


def _asserted_too(before: Snippet, words: str) -> list[Ops]:
    """One more attribute of the one object whose attributes a test compares with values: "assert that hour is 0"."""
    told = _ASSERT_TOO.fullmatch(without_place(before, words))
    for function in the_function(before, words) if told else ():
        asserts = [one for one in function.body if isinstance(one, ast.Assert)]
        compared = [one.test.left for one in asserts if isinstance(one.test, ast.Compare) and len(one.test.ops) == 1]
        owners = {ast.unparse(one.value) for one in compared if isinstance(one, ast.Attribute)}
        names = {one.attr for one in compared if isinstance(one, ast.Attribute)}
        if told and len(owners) == 1 and told["name"] not in {*names, *argument_names(function)}:
            value = told["value"]
            sign = "is" if value in ("None", "True", "False") else "=="
            after, indent = _below(before, asserts[-1])
            return [(Insert(after, (f"{indent}assert {owners.pop()}.{told['name']} {sign} {value}",)),)]
    return []


def _readings(
    before: Snippet, words: str, patterns: Sequence[re.Pattern[str]]
) -> Iterator[tuple[Function, re.Match[str]]]:
    """Each form that the words have, with the function that is meant."""
    bare = without_place(before, words)
    for function in the_function(before, words):
        for said in filter(None, (bare, restated(function, bare))):
            yield from ((function, told) for pattern in patterns if (told := pattern.fullmatch(said)))


def without_place(before: Snippet, words: str) -> str:
    """The words without the function that they name as the place."""
    words = " ".join(words.split()).strip(" .!")
    names = {one.name for one in before.functions}
    for told in _PLACE.finditer(words):
        if (told["before"] or told["after"]) in names:
            words = words[: told.start()] + words[told.end() :]
            break
    return words


def the_function(before: Snippet, words: str) -> tuple[Function, ...]:
    """The one function that is meant; none where several may be."""
    found = functions_named(before, words) or before.functions
    return found if len(found) == 1 else tuple(one for one in found[:1] if _holds(one, found))


def _holds(outer: Function, found: tuple[Function, ...]) -> bool:
    """Whether all the others stand within the first."""
    return all(outer.lineno <= one.lineno and (one.end_lineno or 0) <= (outer.end_lineno or 0) for one in found)


def _test(function: Function, told: re.Match[str]) -> Condition | None:
    """When the check leaves: as told, or the opposite of what must hold."""
    groups = told.groupdict()
    word = (groups.get("if") or "must").lower()
    if word in ("if", "when", "whenever", "in case", "on", "for", "with"):
        return (read := Conditions(function).read(_whole(function, told["test"]))) and _where_given(function, read)
    return (found := _required(function, told["test"])) and Condition(found.opposite, found.source, found.about)


def _whole(function: Function, test: str) -> str:
    """The test with its subject, where that is left out and can only be one parameter: "if empty"."""
    names = [one for one in argument_names(function) if one not in ("self", "cls")]
    loops = [one.iter for one in walk_scope(function) if isinstance(one, ast.For | ast.AsyncFor | ast.comprehension)]
    subjects = [name for name in names if len(names) == 1 or any(ast.unparse(one) == name for one in loops)]
    short = re.fullmatch(r"(?i)(?:(?:it|that|this)(?: is|'s) )?(?P<state>(?:None or )?empty(?: or None)?|blank)", test)
    if _NOTHING.fullmatch(test) and len(subjects) == 1:
        return f"{subjects[0]} is empty"
    return f"{subjects[0]} is {short['state']}" if short and len(subjects) == 1 else test


def _where_given(function: Function, test: Condition) -> Condition:
    """A comparison of mere values that what may be None is spared."""
    tree = parse(test.source, mode="eval").body
    if not isinstance(tree, ast.Compare) or not all(isinstance(op, _ORDERS) for op in tree.ops):
        return test
    names = dict.fromkeys(one.id for one in (tree.left, *tree.comparators) if isinstance(one, ast.Name))
    given = [f"{name} is not None" for name in names if name in may_be_none(function)]
    return replace(test, source=" and ".join([*given, test.source]))


def _required(function: Function, words: str) -> Condition | None:
    """What must hold: "n is positive", "n must not be negative"."""
    if must := _MUST.search(words):
        negated = must["no"] or must["cannot"]
        words = f"{must['x']} is {'not ' if negated else ''}{words[must.end() :]}"
    return Conditions(function).read(words)


def _errors(before: Snippet, told: re.Match[str], test: Condition) -> Iterator[str]:
    groups = told.groupdict()
    error = groups.get("error") or ("TypeError" if test.source.startswith("not isinstance(") else "ValueError")
    if groups.get("call") and is_expression(error + groups["call"]):
        yield error + groups["call"]
    elif groups.get("text"):
        yield f"{error}({quote(before, groups['text'].strip('`')[1:-1])})"
    else:
        said = told["test"].replace("`", "").replace('"', "'")
        is_code = re.search(r"[=<>(]", said) is not None and bool(messages_made(before, test.source))
        direct = not is_code and (groups.get("if") or "").lower() in ("if", "when", "whenever", "in case")
        yield from (f"{error}({message})" for message in messages_made(before, test.source))
        if direct or (not is_code and _MUST.search(said)):
            yield f"{error}({quote(before, said)})"
        elif not messages_made(before, test.source):
            yield f"{error}({quote(before, re.sub(r' (?:is|are) ', ' must be ', said, count=1))})"


def _value(before: Snippet, function: Function, told: str | None) -> str | None:
    """What is returned, as Python; None for words that tell no value."""
    if told is None:
        returned = (node for node in walk_scope(function) if isinstance(node, ast.Return))
        return "None" if any(node.value for node in returned) else ""
    plain = re.sub(r"^(?:an?|the|just) | (?:unchanged|as (?:it )?is|itself)$", "", told.strip())
    if plain.lower() in _VALUES:
        return _VALUES[plain.lower()].replace('""', quote(before, ""))
    if re.fullmatch(rf"{SIGNED}|[\[{{(][\])}}]|\"[^\"]*\"|'[^']*'|`[^`]+`|NotImplemented|self", plain):
        source = plain.strip("`")
        return source if is_expression(source) else None
    if plain.lower() in ("early", ""):
        return ""
    return Conditions(function).values.get(plain) or (plain if plain in argument_names(function) else None)


def check_at(before: Snippet, spot: tuple[int, str], test: str, leaving: str) -> Ops:
    """What is done where a test holds, put in at a spot."""
    after, indent = spot
    return (Insert(after, (f"{indent}if {test}:", f"{indent}{before.layout.unit}{leaving}")),)


def spots_of(before: Snippet, function: Function, test: Condition) -> Spots:
    """Where the check goes: first thing, or below what it needs and the checks there; nowhere where it is there."""
    rest = body_after_docstring(function)
    if any(isinstance(node, ast.If | ast.Assert) and ast.unparse(node.test) == _normal(test.source) for node in rest):
        return []
    return spots_once_known(before, function, test.about)


def spots_once_known(before: Snippet, function: Function, about: str) -> Spots:
    """Below which 0-based lines, and how deep, a value is known: first thing, else once it is set for sure."""
    root, rest = about.partition(".")[0], body_after_docstring(function)
    needed = list(takewhile(lambda node: _sets(node, root), rest))
    if (root in argument_names(function) or root in ("self", "cls")) and not needed:
        top, checks = top_of(before, function), list(takewhile(_is_check, rest))
        return [*([top] if top else []), *(_below(before, node) for node in checks[-1:])]
    stores = [node for node in walk_scope(function) if isinstance(node, ast.Name) and node.id == root]
    once = sum(isinstance(node.ctx, ast.Store) for node in stores) == 1
    needed = needed or [node for node in rest if once and _sets(node, root)]
    return [_below(before, needed[-1])] if needed else []


def _below(before: Snippet, node: ast.stmt) -> tuple[int, str]:
    first, last = statement_lines(node)
    return last, indentation(before.lines[first])


def _normal(source: str) -> str:
    return ast.unparse(parse(source, mode="eval"))


def _sets(node: ast.stmt, root: str) -> bool:
    """Whether a name has a value once a statement is done: set, set where it lacked one, set by what may only fail."""
    inner: list[ast.stmt] = [node]
    if (
        (isinstance(node, ast.If) and not node.orelse and len(node.body) == 1)
        or isinstance(node, ast.With | ast.AsyncWith)
        or (
            isinstance(node, ast.Try) and all(isinstance(one.body[-1], ast.Return | ast.Raise) for one in node.handlers)
        )
    ):
        inner = node.body
    set_here = [part for one in inner if isinstance(one, ast.Assign | ast.AnnAssign) for part in ast.walk(one)]
    return any(isinstance(part, ast.Name) and part.id == root and isinstance(part.ctx, ast.Store) for part in set_here)


def _is_check(node: ast.stmt) -> bool:
    """Whether a statement leaves the function on a condition and does nothing else."""
    match node:
        case ast.If(body=[ast.Return() | ast.Raise()], orelse=[]) | ast.Assert():
            return True
    return False
