"""Things that words tell in so many letters and an edit leaves out, or brings where they only tell what goes wrong."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from spark_tui.editing.numbers import SIGNED
from spark_tui.editing.snippet import Snippet
from spark_tui.session.rules.facts import Code, Function, Rule, first_told

_OF_HINTS = re.compile(r"(?i)\b(?:hints?|hinted|annotat\w+|typed?|types)\b")
_GENERIC = re.compile(r"(?<![\w.(])[A-Za-z][\w.]*\[[\w., |\[\]]+\](?!\w)")
_CAN_BE = re.compile(r"(?i)\b(?:can|could|should|must|ought to) (?:just |simply )?be `?(?P<name>[a-z_][\w.]*)\(")
_USES = re.compile(
    r"(?i)\b(?:can|could|should|must) (?:just |simply )?use [`'\"](?P<word>in|any|all|with|get|zip|sum)[`'\"]"
)
_BOTH = re.compile(
    r"(?i)\b(?:also |too )?(?:accept|allow|take|handle|support|recogni[sz]e) [`'\"]?(?P<one>\w+)[`'\"]?(?: and|,) "
    r"[`'\"]?(?P<two>\w+)[`'\"]?(?:,? (?:too|as well|also))?\W*$"
)
_SYMPTOM = re.compile(r"^\W*(?P<number>\d{3})(?: \w+)?,? (?:because|since|when|whenever|if|for|as soon as)\b")
_PARAMETER = re.compile(
    r"\b(?P<name>[^\W\d]\w*) (?!to\b|default|is\b|should|of\b|as\b|be\b|by\b|from\b|at\b|param|arg|value)[a-z]+"
    rf" (?:to |of |= ?|is |should be )?(?P<value>{SIGNED})\b"
)
_RAISE_IF = re.compile(r"(?i)^\W*(?:please )?raise(?: an?(?: \w+)?)? (?:for|if|when|unless)\b")


def told_otherwise(words: str, code: Code, after: Sequence[str]) -> str:
    """What an edit leaves out of what is told letter by letter, or takes for a wish, or "". Args: after: with it."""
    return first_told(_RULES, words, code, after)


def _typed(words: str, code: Code, new: Snippet) -> str:
    """A type that is told for a hint and does not come."""
    told = [one for one in _GENERIC.findall(words) if one not in code.text] if _OF_HINTS.search(words) else []
    text = re.sub(r"\s", "", "\n".join(new.lines))
    missing = next((one for one in told if re.sub(r"\s", "", one) not in text), "")
    return f"the edit that was found does not bring {missing}; say what is to be of that type" if missing else ""


def _called(words: str, code: Code, new: Snippet) -> str:
    """A call that something is to be, which does not come."""
    told = _CAN_BE.search(words)
    if told is None or f"{told['name']}(" in "\n".join(_came(code, new)):
        return ""
    return f"the edit that was found does not use {told['name']}; say it in other words"


def _used(words: str, code: Code, new: Snippet) -> str:
    """A word of Python in quotation marks that is to be used and does not come."""
    told = _USES.search(words)
    if told is None:
        return ""
    word = re.compile(rf"\b{told['word'].lower()}\b")
    more = len(word.findall("\n".join(new.lines))) > len(word.findall(code.text))
    return "" if more else f"the edit that was found does not use {told['word']}; say it in other words"


def _both(words: str, code: Code, new: Snippet) -> str:
    """One of two values that are told together, where only the other comes."""
    told = _BOTH.search(words)
    came = {value for line in _came(code, new) for value in re.findall(r"\w+", line)} if told else set()
    missing = [one for one in told.groups() if one not in came] if told else []
    if len(missing) != 1:
        return ""
    return f"the edit that was found does not bring {missing[0]}; put both in quotation marks"


def _symptom(words: str, code: Code, new: Snippet) -> str:
    """The number that is seen when it goes wrong, put into the code."""
    told = _SYMPTOM.match(words)
    came = _numbers(new.nodes) - _numbers(code.nodes) if told else Counter[str]()
    if told and told["number"] in came:
        return f"{told['number']} is what goes wrong; say what is to be done about it"
    return ""


def _numbers(nodes: Sequence[ast.AST]) -> Counter[str]:
    return Counter(str(one.value) for one in nodes if isinstance(one, ast.Constant) and type(one.value) is int)


def _other_parameter(words: str, code: Code, new: Snippet) -> str:
    """The default of one parameter, where its name only goes before what is meant: "page size 50"."""
    told = _PARAMETER.search(words)
    if told is None:
        return ""
    old, now = dict(_defaults(code.nodes)), dict(_defaults(new.nodes))
    changed = [name for name, value in now.items() if name in old and old[name] != value]
    if changed == [told["name"]] and now[told["name"]] == told["value"] and len(old) > 1:
        return f"is it really {told['name']} that is meant? Say the parameter by its name"
    return ""


def _defaults(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        if isinstance(node, Function):
            given = node.args.defaults
            for one, value in zip(node.args.args[len(node.args.args) - len(given) :], given, strict=True):
                yield one.arg, ast.unparse(value)


def _bare_raise(words: str, code: Code, new: Snippet) -> str:
    """A bare `raise` where the words tell on what condition an error is to be raised."""
    if not _RAISE_IF.match(words) or [line.strip() for line in _came(code, new)] != ["raise"]:
        return ""
    return "say which error is to be raised, as in “raise ValueError if it is empty”"


def _same_sides(words: str, code: Code, new: Snippet) -> str:
    """An operator with the same on both sides that was not there."""
    old = {ast.unparse(one) for one in code.nodes if _is_doubled(one)}
    made = [ast.unparse(one) for one in new.nodes if _is_doubled(one)]
    strange = next((one for one in made if one not in old and one not in words), "")
    return (
        f"the edit that was found makes it {strange}, which can hardly be meant; say it in other words"
        if strange
        else ""
    )


def _is_doubled(node: ast.AST) -> bool:
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Div() | ast.FloorDiv() | ast.Mod(), right=right):
            return not isinstance(left, ast.Constant) and ast.dump(left) == ast.dump(right)
        case ast.Compare(left=left, comparators=[right]):
            return ast.dump(left) == ast.dump(right)
    return False


def _came(code: Code, new: Snippet) -> list[str]:
    known = code.text.split("\n")
    return [line for line in new.lines if line not in known]


_RULES: tuple[Rule, ...] = (
    _typed, _called, _used, _both, _symptom, _other_parameter, _bare_raise, _same_sides,
)  # fmt: skip
