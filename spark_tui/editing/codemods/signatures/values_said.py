"""The value that a whole phrase tells for a parameter: "a comma and a space", "half a second", "64 kB".

A phrase is read whole or not at all: what is left over would be a part of the wish that nobody heeds.
"""

import re
from collections.abc import Container

from spark_tui.editing.codemods.common.said import is_expression, literal, plain_word
from spark_tui.editing.numbers import SIGNED

_WORDS = {
    **dict.fromkeys(("none", "null", "nil", "nothing"), "None"),
    **dict.fromkeys(("true", "on", "enabled", "yes"), "True"),
    **dict.fromkeys(("false", "off", "disabled", "no"), "False"),
    **dict.fromkeys(("infinity", "infinite"), 'float("inf")'),
    "minus infinity": 'float("-inf")',
}
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()  # noqa: SIM905
    )
} | {
    "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "a hundred": "100",
    "one hundred": "100", "a thousand": "1000", "one thousand": "1000", "a million": "1_000_000", "half": "0.5",
    "a half": "0.5", "a quarter": "0.25", "a third": "1 / 3", "minus one": "-1", "a dozen": "12",
    "one million": "1_000_000", "one and a half": "1.5",
}  # fmt: skip
_PARTS = {"half a": 0.5, "half an": 0.5, "a quarter of a": 0.25, "a quarter of an": 0.25, "a": 1.0, "an": 1.0}
_SIGNS = {
    "space": " ", "blank": " ", "comma": ",", "newline": "\\n", "new line": "\\n", "line break": "\\n", "tab": "\\t",
    "tabulator": "\\t", "dash": "-", "hyphen": "-", "minus": "-", "minus sign": "-", "plus": "+", "plus sign": "+",
    "semicolon": ";", "colon": ":", "dot": ".", "period": ".", "full stop": ".", "point": ".", "underscore": "_",
    "slash": "/", "forward slash": "/", "pipe": "|", "vertical bar": "|", "bar": "|", "asterisk": "*", "star": "*",
    "hash": "#", "hash sign": "#", "at sign": "@", "equals sign": "=", "equal sign": "=", "question mark": "?",
    "exclamation mark": "!", "ampersand": "&", "percent sign": "%", "dollar sign": "$", "tilde": "~", "zero": "0",
    "double quote": '"', "single quote": "'", "apostrophe": "'", "backslash": "\\\\",
    "carriage return": "\\r",
}  # fmt: skip
_EMPTY = {
    "list": "[]", "array": "[]", "dict": "{}", "dictionary": "{}", "mapping": "{}", "tuple": "()", "set": "set()",
    "bytes": 'b""', "bytes object": 'b""', "byte string": 'b""', "bytestring": 'b""', "frozenset": "frozenset()",
    "sequence": "()",
}  # fmt: skip
_SECONDS = {
    "ms": 0.001, "msec": 0.001, "millisecond": 0.001, "milli": 0.001, "s": 1.0, "sec": 1.0, "second": 1.0, "m": 60.0,
    "min": 60.0, "minute": 60.0, "h": 3600.0, "hr": 3600.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0,
}  # fmt: skip
_BYTES = {
    "b": 0, "byte": 0, "k": 1, "kb": 1, "kib": 1, "kilobyte": 1, "kibibyte": 1, "mb": 2, "mib": 2, "megabyte": 2,
    "mebibyte": 2, "meg": 2, "gb": 3, "gib": 3, "gigabyte": 3, "gibibyte": 3,
}  # fmt: skip
_COUNT = r"-?(?:\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)"
_AMOUNT = re.compile(rf"(?P<number>{_COUNT}|[a-z][a-z ]*?)(?:[ -]?(?P<unit>%|[a-zA-Z]+))", re.IGNORECASE)
_GLUE = re.compile(r",? (?:and|plus|then|followed by|with) (?:an? |one )?|,? ")
_LITTLE = re.compile(r"^(?:(?:an?|the|one|just|only|simply|single|plain|literal|value|character|of)\b ?)+")
_AFTER = re.compile(r" (?:characters?|chars?|signs?|string|symbols?|instead|now)$")
_PLACES = {
    "current directory": ".", "current working directory": ".", "working directory": ".", "current folder": ".",
    "this directory": ".", "present directory": ".",
}  # fmt: skip
_NO_TEXTS = frozenset(
    """it that this these those something anything nothing whatever empty default value optional required missing unset
    given passed the a an string list dict""".split()  # noqa: SIM905
)
_KNOWN = frozenset((name, word) for name in ("errors", "on_error") for word in ("strict", "ignore", "replace"))
_SPELT = re.compile(r"[a-z][\w./+-]*|[A-Z]+-[\w-]+|[A-Z][A-Z_\d]+|[\w.]+[.(\[].*")
_TEXTS = re.compile(r"(?:typing\.)?(?:str|AnyStr|Any|object|Literal\[.*\]|LiteralString|Optional\[str\])(?: \| None)?|")


_FILE_NAME = re.compile(r"[\w-]+\.(?:json|txt|csv|ya?ml|toml|ini|cfg|log|db|sqlite|html|md|xml)")


def value_said(phrase: str, name: str, hint: str, old: str, quote: str, taken: Container[str] = ()) -> str:
    """The source of the value that a phrase tells, or "" where it tells none for certain.

    Args: name, hint, old: of the parameter; its hint and its default "" where it has none. quote: the mark of strings.
        taken: names that are no values.
    """
    phrase = re.sub(r" (?:instead|now|please)$", "", phrase.strip().rstrip(".,;!"))
    for read in (_marked, _plain):
        if value := read(phrase, quote):
            return value
    lower = phrase.lower()
    bare = _LITTLE.sub("", lower)
    if amount := _amount(lower, name, hint):
        return amount if amount != "?" else ""
    if bare in _PLACES:
        return f'Path("{_PLACES[bare]}")'.replace('"', quote) if "Path" in hint else literal(_PLACES[bare], quote)
    if (empty := re.fullmatch(r"empty (.*)", bare)) and empty[1] in _EMPTY:
        return _EMPTY[empty[1]].replace('""', quote * 2)
    if _TEXTS.fullmatch(hint) and (signs := _signs(lower)) is not None:
        return literal(signs, quote)
    return _word(phrase, name, hint, old, quote, taken)


def _marked(phrase: str, quote: str) -> str:
    """What is quoted: code in backticks, else a text."""
    if len(phrase) < 2 or phrase[0] not in "`'\"" or phrase.find(phrase[0], 1) != len(phrase) - 1:
        return ""
    inner = phrase[1:-1]
    if phrase[0] == "`":
        return inner if is_expression(inner) else ""
    return literal(inner, quote)


def _plain(phrase: str, quote: str) -> str:
    """The name of a file, a number or a literal as code, a number in words, what is true, false or nothing."""
    if _FILE_NAME.fullmatch(phrase):
        return literal(phrase, quote)
    if re.fullmatch(SIGNED, phrase) or phrase in ("[]", "{}", "()", "set()", "dict()", "list()", "None"):
        return phrase
    lower = phrase.lower()
    return _WORDS.get(lower) or _NUMBERS.get(lower, "")


def _amount(phrase: str, name: str, hint: str) -> str:
    """A number of seconds, bytes, percents or of what the name says; "?" where the parameter cannot take it."""
    for words, part in _PARTS.items():
        if phrase.removeprefix(f"{words} ") in _units(_SECONDS) and phrase.startswith(f"{words} "):
            return _duration(part, phrase.removeprefix(f"{words} "), name, hint)
    found = _AMOUNT.fullmatch(phrase)
    number = _NUMBERS.get(found["number"].strip(), found["number"].strip()) if found else ""
    return _counted(number, found["unit"].lower(), name, hint) if found and re.fullmatch(_COUNT, number) else ""


def _counted(number: str, unit: str, name: str, hint: str) -> str:
    if unit in _units(_BYTES) and not (unit in _SECONDS and not _about_bytes(name)):
        return _size(number, _BYTES[unit if unit in _BYTES else unit[:-1]], name)
    if unit in _units(_SECONDS):
        return _duration(float(number), unit, name, hint)
    if unit in ("%", "percent"):
        return number if re.search(r"percent|pct", name) else f"{float(number) / 100:g}"
    parts = {part.removesuffix("s") for part in name.lower().split("_")}
    return number if unit.removesuffix("s") in {*parts, "time", "item"} or unit in ("retries", "tries") else ""


def _units(table: Container[str]) -> "_Plurals":
    return _Plurals(table)


class _Plurals:
    """The words of a table, also with an s behind them."""

    def __init__(self, table: Container[str]) -> None:
        self._table = table

    def __contains__(self, word: str) -> bool:
        return word in self._table or (len(word) > 3 and word.removesuffix("s") in self._table)


def _about_bytes(name: str) -> bool:
    return re.search(r"size|bytes|buffer|chunk|memory|limit", name) is not None


def _duration(number: float, unit: str, name: str, hint: str) -> str:
    """In seconds, or in what the name says it is counted in."""
    seconds = number * _SECONDS[unit if unit in _SECONDS else unit.removesuffix("s")]
    if "timedelta" in hint:
        return f"{hint.removesuffix(' | None')}(seconds={seconds:g})"
    for ending, base in (
        ("ms|millis|milliseconds|msec", 0.001),
        ("minutes|mins", 60),
        ("hours", 3600),
        ("days", 86400),
    ):
        if re.search(rf"(?:^|_)(?:{ending})(?:_|$)", name):
            seconds /= base
    whole = round(seconds, 9)
    if whole != int(whole) and re.fullmatch(r"int(?: \| None)?", hint):
        return "?"
    return str(int(whole)) if whole == int(whole) else f"{whole:.9g}"


def _size(number: str, power: int, name: str) -> str:
    """In bytes, or in what the name says it is counted in."""
    for ending, base in (("kb|kib", 1), ("mb|mib", 2), ("gb|gib", 3)):
        if re.search(rf"(?:^|_)(?:{ending})(?:_|$)", name):
            power -= base
    if power < 0 or (power and "." in number):
        return "?"
    return " * ".join([*([number] if number != "1" or not power else []), *["1024"] * power])


def _signs(phrase: str) -> str | None:
    """The characters that are called by their names, one after the other; None where any word is none of them."""
    bare = _LITTLE.sub("", phrase)
    if bare == "empty string" or _AFTER.sub("", bare) in _SIGNS:
        return "" if bare == "empty string" else _SIGNS[_AFTER.sub("", bare)]
    if many := re.fullmatch(r"(two|three|four|eight|double) (\w+)", bare):
        count = {"two": 2, "double": 2, "three": 3, "four": 4, "eight": 8}[many[1]]
        one = _SIGNS.get(many[2]) or _SIGNS.get(many[2].removesuffix("es")) or _SIGNS.get(many[2].removesuffix("s"))
        return one * count if one else None
    parts = [_AFTER.sub("", one.strip()) for one in _GLUE.split(bare)]
    return "".join(_SIGNS[one] for one in parts) if len(parts) > 1 and all(one in _SIGNS for one in parts) else None


def _word(phrase: str, name: str, hint: str, old: str, quote: str, taken: Container[str]) -> str:
    """A single word: code where it looks like that, else a text for what can be one."""
    text = old[:1] in ("'", '"') or re.match(r"(?:typing\.)?(?:str|Literal)\b", hint) is not None
    if re.search(r"\s", phrase) or phrase in taken or phrase.lower() in _NO_TEXTS:
        return ""
    if not text and (plain_word(phrase) or phrase.lower() in _units(_SECONDS) or not _SPELT.fullmatch(phrase)):
        return literal(phrase, quote) if (name, phrase) in _KNOWN else ""
    code_like = re.search(r"[.(\[]|^[A-Z][A-Z_\d]+$", phrase) and is_expression(phrase)
    if code_like and re.match(r"[^\W\d]", phrase):
        return phrase
    told = old[:1] in ("'", '"') or _TEXTS.fullmatch(hint) is not None
    if "Literal[" in hint and not re.search(rf"['\"]{re.escape(phrase)}['\"]", hint):
        return ""
    return literal(phrase, quote) if told and re.fullmatch(r"[^\W\d][\w./+-]*", phrase) else ""
