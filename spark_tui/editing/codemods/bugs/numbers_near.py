"""What a number may be by mistake: one off, a multiple that the words tell, another unit, the status that is named."""

import re
from collections.abc import Iterator
from functools import lru_cache
from http import HTTPStatus

_COUNTS = {word: number for number, word in enumerate("two three four five six seven eight nine ten".split(), 2)}  # noqa: SIM905
_COUNTS |= {"twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "sixty": 60, "half": 2, "twice": 2, "double": 2,
            "doubles": 2, "doubled": 2, "triple": 3, "triples": 3, "tripled": 3, "once": 1, "one": 1, "hundred": 100,
            "thousand": 1000, "zero": 0, "none": 0, "no": 0}  # fmt: skip
_UNITS = {
    r"\bminutes?\b": (60,), r"\bhours?\b": (3600, 60, 24), r"\bdays?\b": (86400, 24), r"\bms\b|\bmilli\w*": (1000,),
    r"\bseconds?\b": (60, 1000, 3600), r"\bpercent\w*|%": (100,), r"\b[kmg]i?b\b|\bbytes?\b": (1024, 1000, 8),
    r"\bmicro\w*": (1000000, 1000),
}  # fmt: skip
_MOST = 1000
_WITH_UNIT = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?) ?(ms|s|secs?|m|mins?|h|hrs?|d|k|kb|kib|mb|mib|gb|x|px|%)(?!\w)", re.IGNORECASE
)
_FACTORS = {
    "s": (1000,), "k": (1024, 1000), "m": (60,), "h": (3600, 60), "d": (86400, 24), "kb": (1024,), "kib": (1024,),
    "mb": (1024 * 1024,), "mib": (1024 * 1024,), "gb": (1024**3,),
}  # fmt: skip
_RATES = {
    "once": "1",
    "twice": "0.5",
    "two times": "0.5",
    "four times": "0.25",
    "five times": "0.2",
    "ten times": "0.1",
}


@lru_cache(maxsize=64)
def told_numbers(instruction: str) -> tuple[int, ...]:
    """The whole numbers that are spelled as words."""
    return tuple(dict.fromkeys(_COUNTS[one] for one in re.findall(r"[a-z]+", instruction.lower()) if one in _COUNTS))


@lru_cache(maxsize=64)
def unit_numbers(instruction: str) -> tuple[str, ...]:
    """The numbers that are told with a unit ("19h", "128k", "every 2s") or as a rate ("twice a second")."""
    found: list[str] = []
    for match in _WITH_UNIT.finditer(instruction):
        number, unit = match[1], match[2].lower()
        unit = unit if unit in _FACTORS else unit[:1] if unit not in ("ms", "px", "x", "%") else unit
        many = [str(int(float(number) * factor)) for factor in _FACTORS.get(unit, ())]
        found += [*many, number] if unit in ("k", "kb", "kib", "mb", "mib", "gb") else [number, *many]
    for words, number in _RATES.items():
        if re.search(rf"\b{words} (?:a|per|every) second\b", instruction, re.IGNORECASE):
            found.append(number)
    return tuple(dict.fromkeys(found))


def numbers_near(source: str, instruction: str, context: str) -> Iterator[str]:
    """The numbers that may be meant in the place of one, the likeliest first.

    Args: context: what stands around it.
    """
    if not source.isdigit():
        return
    number = int(source)
    yield from _statuses(number, f"{instruction} {context}")
    for told in told_numbers(instruction):
        yield str(told)
        if told > 1:
            yield str(number * told)
            if number % told == 0:
                yield str(number // told)
    for words, factors in _UNITS.items():
        if re.search(words, instruction, re.IGNORECASE) and number:
            yield from (str(number * factor) for factor in factors)
            yield from (str(number // factor) for factor in factors if number % factor == 0)
    for digits in re.findall(r"(?<![\w.])\d{1,4}(?![\w.])", instruction):
        yield str(int(digits))
        if int(digits) and abs(int(digits) - number) < _MOST:
            yield str(int(digits) + 1)


def _statuses(number: int, words: str) -> Iterator[str]:
    """The codes of HTTP whose name is told, be it as that of a class."""
    if not 100 <= number < 600:
        return
    said = re.sub(r"[\W_]", "", words).lower()
    for status in HTTPStatus:
        if status != number and (
            status.phrase.replace(" ", "").replace("-", "").lower() in said
            or status.name.replace("_", "").lower() in said
        ):
            yield str(status.value)
