"""One more state, or another error, told by itself: "also refuse when it was delivered", "should raise OSError"."""

import ast
import re

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.base import Ops, between
from spark_tui.editing.codemods.plain.plain_checks import the_function
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.statements import quote, spliced

_TOO = re.compile(
    r"(?i)^(?:please )?(?:also )?(?:\w+ )?(?:it |them )?(?:if|when) (?:it|that|this|the \w+)"
    r" (?:is|was|has been|have been) (?:already )?[`'\"]?(?P<state>[a-z]\w*)[`'\"]?(?: already)?"
    r"(?P<too>,? (?:too|as well|also))?$"
)
_CONDITIONS = frozenset(
    """absent blank empty equal even false given invalid large long missing negative none nothing null odd positive set
    short small there true unset valid zero""".split()  # noqa: SIM905
)
_RAISES = re.compile(
    r"(?:(?i:it|this|that|[a-z_]\w*(?:\(\))?) )?(?:should|must|ought to|has to) (?:raise|throw) (?:an? )?"
    r"`?(?P<error>(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Timeout))`?(?: (?:there|here|instead))?"
)


def plain_state(before: Snippet, words: str) -> list[Ops]:
    """The one comparison with a text in a condition that lets one more text through, or []."""
    told = _TOO.match(words.strip(" .!"))
    if told is None or not (told["too"] or re.match(r"(?i)\W*(?:please )?also\b", words)):
        return []
    if told["state"].lower() in _CONDITIONS or any(told["state"] in line for line in before.lines):
        return []
    for function in the_function(before, words):
        tests = [one.test for one in ast.walk(function) if isinstance(one, ast.If)]
        found = [one for test in tests for one in ast.walk(test) if _is_state(one)]
        if len(found) == 1 and isinstance(found[0], ast.Compare):
            left, text = text_of(before, found[0].left), text_of(before, found[0].comparators[0])
            sign = "in" if isinstance(found[0].ops[0], ast.Eq) else "not in"
            new = f"{left} {sign} ({text}, {quote(before, told['state'])})"
            return [between(before, spliced(before, [(found[0], new)]))] if left and text else []
    return []


def _is_state(node: ast.AST) -> bool:
    match node:
        case ast.Compare(ops=[ast.Eq() | ast.NotEq()], comparators=[ast.Constant(value=str(text))]):
            return text.islower()
    return False


def plain_error(before: Snippet, words: str) -> list[Ops]:
    """The one error that is raised, of the type that is told; or []."""
    told = _RAISES.fullmatch(words.strip(" .!"))
    for function in the_function(before, words) if told else ():
        raised = [one.exc for one in ast.walk(function) if isinstance(one, ast.Raise) and one.exc is not None]
        called = [one.func if isinstance(one, ast.Call) else one for one in raised]
        if told and len(called) == 1 and isinstance(called[0], ast.Name | ast.Attribute):
            return [between(before, spliced(before, [(called[0], told["error"])]))]
    return []
