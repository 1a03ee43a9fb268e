"""Steps that share a verb: "rename a to x and b to y", "add a docstring and type hints"."""

import re

from spark_tui.session.wording.step_words import COURTESY, FOLLOW_UP, JOINT, VERBS, masked, opening

_AND = re.compile(rf"(?i)\s*[,;]\s*(?:{JOINT},?\s+)*|\s+(?:{JOINT},?\s+)+|\s*\n\s*")
_ARROW = r"\s*(?:\b(?:{words})\b|->|=>|\u2192)\s*"
_BETWEEN = {
    "rename": _ARROW.format(words="to|as|into"),
    "change": _ARROW.format(words="to|into"),
    "convert": _ARROW.format(words="to|into"),
    "turn": _ARROW.format(words="into"),
    "replace": _ARROW.format(words="with|by"),
}
_LONGEST = 4
"""Words of what is changed, in a step that shares the verb of another."""
_NO_OBJECT = re.compile(r"(?i)^(?:in|on|at|to|from|with|by|of|is|are|be|then|if|when|where|use|using|not)\b")
_NAME = r"[`'\"]?[\w.]+[`'\"]?"
_BOTH = rf"({_NAME})(?:,? and | & )({_NAME})"
_THREE = rf"({_NAME}), ({_NAME}),? (?:and|&) ({_NAME})"
_TOGETHER = [
    re.compile(
        rf"(?i)\b(?P<verb>rename (?:the )?(?:\w+s )?){names} (?:to|as|into) {names}(?:,? respectively)?(?! to\b)"
    )
    for names in (_THREE, _BOTH)
]
_GIVING = re.compile(r"(?i)^(?:add|write|put|give|insert|include|remove|delete|drop)\s")
_FREE_TEXT = re.compile(
    r"""(?i)["'`:#]|\b(?:saying|says|that|which|about|explaining|describing|mentioning|on line)\b"""
)
_THINGS = {
    "docstring": re.compile(r"(?i)\bdoc ?strings?\b"),
    "hints": re.compile(r"(?i)\b(?:type|return|typing)\b.*|\b(?:type )?(?:hints?|annotations?)\b"),
    "comment": re.compile(r"(?i)\bcomments?\b"),
    "logging": re.compile(r"(?i)\blog(?:ging|s|ger)?\b"),
    "print": re.compile(r"(?i)\bprints?\b"),
    "import": re.compile(r"(?i)\bimports?\b"),
    "test": re.compile(r"(?i)\b(?:unit ?)?tests?\b"),
}
_ARTICLE = re.compile(r"(?i)^(?:an?|the|some|missing|unit)\s+\w")


def one_by_one(text: str) -> str:
    """A text with "rename a to x and rename b to y" for "rename a and b to x and y"."""
    for pattern in _TOGETHER:
        text = pattern.sub(_one_by_one, text)
    return text


def _one_by_one(found: re.Match[str]) -> str:
    verb, *names = found.groups()
    half = len(names) // 2
    return " and ".join(f"{verb}{old} to {new}" for old, new in zip(names[:half], names[half:], strict=True))


def shared_out(step: str) -> list[str]:
    """The steps that a step is of, each with the verb of the first; itself when it is one."""
    return _pairs(step) or _things(step) or [step]


def _pairs(step: str) -> list[str]:
    """Those of "rename a to x, b to y"."""
    start = COURTESY.match(masked(step))
    verb = step[start.end() if start else 0 :].split(maxsplit=1)[0] if step.strip() else ""
    between = _BETWEEN.get(verb.lower())
    if between is None:
        return []
    pieces = _pieces(step)
    if not re.search(rf"\w[`'\")]*{between}\S", masked(pieces[0])):
        return []
    parts = pieces[:1]
    for joint, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        if _is_pair(masked(piece), between):
            parts.append(f"{verb} {piece}")
        else:
            parts[-1] += joint + piece
    return parts if len(parts) > 1 else []


def _is_pair(piece: str, between: str) -> bool:
    first, *rest = re.split(between, piece, maxsplit=1)
    if not rest or not rest[0].strip() or not 0 < len(first.split()) <= _LONGEST:
        return False
    return not (_NO_OBJECT.match(first) or FOLLOW_UP.match(first) or opening(first)[0] in VERBS)


def _pieces(text: str) -> list[str]:
    """What stands between the commas and conjunctions, and these: piece, joint, piece, ..."""
    pieces, start = list[str](), 0
    for joint in _AND.finditer(masked(text)):
        pieces += [text[start : joint.start()], joint[0]]
        start = joint.end()
    return [*pieces, text[start:]]


def _things(step: str) -> list[str]:
    """Those of "add a docstring and type hints", which are things of different kinds."""
    bare = COURTESY.sub("", step)
    if not _GIVING.match(bare) or _FREE_TEXT.search(step):
        return []
    verb = bare.split(maxsplit=1)[0]
    each = [piece for piece in _pieces(bare)[::2] if piece.strip()]
    kinds = [{name for name, pattern in _THINGS.items() if pattern.search(piece)} for piece in each]
    known = [kind for kind in kinds if kind]
    apart = all(not one & other for at, one in enumerate(known) for other in known[:at])
    if len(each) < 2 or not kinds[0] or not apart:
        return []
    if not all(kind or _ARTICLE.match(piece) for kind, piece in zip(kinds, each, strict=True)):
        return []
    return [each[0], *(f"{verb} {piece}" for piece in each[1:])]
