"""What is answered to words that want nothing changed."""

import re

from spark_tui.context.bygone import is_bygone
from spark_tui.context.inquired import is_inquiry
from spark_tui.context.narrated import is_narrated
from spark_tui.context.wording import asks_for_nothing

_INSTEAD = re.compile(
    r"(?i)\b(?:don't|dont|do not|never)\b.*(?:[,;]|\bbut) (?:but |just |instead,? |rather )*"
    r"(?P<wish>(?:work on|use|make|copy|return|build|create|give|write|take)\b.*?)\W*$"
)
_GREETING = re.compile(r"(?i)^\W*(?:hello|hi|hey|good (?:morning|day|evening)|thanks?|thank you|cheers)\b(?: \w+)?\W*$")
_QUESTION = re.compile(r"(?i)\?\W*$|^\W*(?:what|why|how|where|who|when|do you|explain|describe|tell me)\b")
_THANKS = re.compile(r"(?i)thank|cheers")
_SAY = "say in plain English what to change"


def no_wish(words: str) -> str:
    """That words want nothing changed, if they surely do not, or ""."""
    return no_request(words=words) if asks_for_nothing(words) else ""


def no_request(fault: str = "", words: str = "") -> str:
    """The words want nothing changed. Args: fault: what they want to be without, which is not there."""
    if fault:
        return f"there is no {fault} here"
    if told := _INSTEAD.search(words):
        return f"say only what to do, and not what not to do: “{told['wish']}”, with the names it is about"
    if _GREETING.match(words):
        return f"{'you are welcome' if _THANKS.search(words) else 'hello'}; {_SAY}, as in “rename d to total”"
    return _other_talk(words) or f"this asks for nothing, or says what not to do, so nothing is changed: {_SAY}"


def hardly_a_request(words: str) -> str:
    """The words do not sound as if they wanted something changed."""
    return _other_talk(words) or f"this does not read like a wish for an edit: {_SAY}, as in “remove the print”"


def _other_talk(words: str) -> str:
    if is_inquiry(words) or _QUESTION.search(words):
        return f"this reads like a question, and spark only edits: {_SAY}"
    if is_bygone(words) or is_narrated(words):
        return f"this tells what was, and asks for no edit: {_SAY} now"
    return ""
