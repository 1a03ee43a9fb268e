"""What to do about an exception: except clauses, and what instructions say of them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from keyword import iskeyword

from spark_tui.editing.codemods.checks.troubles import are_told
from spark_tui.editing.codemods.common.named import call_at
from spark_tui.editing.codemods.signatures.parameter_words import values_at

_EXCEPTION = re.compile(
    r"(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Failure|NotFound|Exit|Interrupt|Iteration|Warning|Timeout|Expired)\b"
    r"|\bException\b|\b(?:\w+\.)+(?:timeout|error|Empty|Full|[A-Z]\w+)\b|\b[A-Z][a-z]+[A-Z]\w+\b"
)
_SEVERAL = re.compile(r"\((?:[\w.]+, )+[\w.]+\)")
_RAISING = re.compile(
    r"(?<!can )(?<!could )(?<!may )(?<!might )(?<!this )(?<!can't )(?<!the )\b(?:raise|raising|throw|throwing) "
    r"(?:an? )?[`'\"]?(?=\w)"
)
_RETURNING = re.compile(r"(?<!the )\b(?:return|returning|gives? back|giving back) [`'\"]?(?=\S)")
_NO_VALUES = frozenset(
    ["line", "statement", "stmt", "block", "it", "the", "a", "early", "when", "if", "value", "on", "in"]
)
_PLAIN = (
    (
        "pass",
        re.compile(r"\b(?:pass(?:ing)?|ignor\w+|swallow\w*|do(?:ing)? nothing|suppress\w*)\b(?: it)?", re.IGNORECASE),
    ),
    ("continue", re.compile(r"\b(?:continue|continuing|skip\w*|mov\w+ on|next one)\b", re.IGNORECASE)),
    (
        "break",
        re.compile(r"\b(?:break(?:ing)? (?:out|the loop)|leav(?:e|ing) the loop|(?:and|then) break$)", re.IGNORECASE),
    ),
    ("print(e)", re.compile(r"\bprint(?:ing)? (?:it|e\b|the (?:error|exception|message))", re.IGNORECASE)),
)
_MERELY = re.compile(r"\bswallow (?!it\b)", re.IGNORECASE)
_VALUES = {
    r"(?:an )?empty list": "[]", r"(?:an )?empty dict(?:ionary)?": "{}", r"(?:an )?empty tuple": "()",
    r"(?:an )?empty string": "", r"(?:an )?empty set": "set()", r"none": "None", r"nothing": "None", r"false": "False",
    r"true": "True", r"zero": "0", r"minus one": "-1",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Told:
    """What an instruction says about handling.

    `rest`: the instruction without the words for the action. `unsure`: the action may also go without saying.
    """

    exceptions: tuple[str, ...]
    actions: tuple[str, ...]
    rest: str
    unsure: bool = False


def clause(exception: str, action: str) -> str:
    """The line that opens a handler."""
    bound = " as e" if action == "print(e)" or action.endswith(" from e") else ""
    return f"except {exception}{bound}:"


def told(instruction: str, empty: str) -> Told:
    """Read what an instruction says. Args: empty: the source of an empty string."""
    raised, returned = list(_raised(instruction)), list(_returned(instruction, empty))
    rest = _without(instruction, [words for _, words in (*raised, *returned)])
    exceptions = _exceptions(rest)
    if raised and not exceptions and not are_told(rest):
        rest, raised = _without(instruction, [words for _, words in returned]), []
        exceptions = _exceptions(rest)
    actions = [action for action, _ in (*raised, *returned)]
    if actions:
        return Told(exceptions, tuple(dict.fromkeys(actions)), rest)
    for action, pattern in _PLAIN:
        if pattern.search(rest):
            actions.append(action)
            rest = pattern.sub(" ", rest)
    return Told(exceptions, tuple(actions), rest, unsure=_MERELY.search(instruction) is not None)


def _without(text: str, gone: Iterable[str]) -> str:
    for words in gone:
        text = text.replace(words, " ")
    return text


def _exceptions(text: str) -> tuple[str, ...]:
    several = [one for one in _SEVERAL.findall(text) if all(map(_EXCEPTION.fullmatch, one[1:-1].split(", ")))]
    return tuple(dict.fromkeys(several or _EXCEPTION.findall(text)))


def _raised(instruction: str) -> Iterator[tuple[str, str]]:
    for match in _RAISING.finditer(instruction):
        name = call_at(instruction, match.end(), "(")
        if name[:1].isupper() or "." in name:
            yield f"raise {name} from e", instruction[match.start() : match.end() + len(name)]


def _returned(instruction: str, empty: str) -> Iterator[tuple[str, str]]:
    for match in _RETURNING.finditer(instruction):
        rest = instruction[match.end() :]
        worded = [
            (one, found[0]) for words, one in _VALUES.items() if (found := re.match(words + r"\b", rest, re.IGNORECASE))
        ]
        if worded:
            yield f"return {worded[0][0] or empty}", match[0] + worded[0][1]
            continue
        for value in values_at(instruction, match.end() - (match[0][-1:] in "`'\"")):
            if value not in _NO_VALUES and (not iskeyword(value) or value in ("None", "True", "False")):
                yield f"return {value}", match[0] + value
