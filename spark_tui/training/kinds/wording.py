"""Conditions, values, exceptions and messages with the words people have for them."""

from random import Random

from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.statements import quote


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_EXCEPTIONS = _split("""
ValueError TypeError KeyError IndexError AttributeError OSError IOError RuntimeError FileNotFoundError PermissionError
NotImplementedError StopIteration ZeroDivisionError UnicodeDecodeError ImportError LookupError TimeoutError EOFError
ConnectionError OverflowError ArithmeticError AssertionError FileExistsError IsADirectoryError NotADirectoryError
ConnectionRefusedError BrokenPipeError RecursionError MemoryError ModuleNotFoundError UnicodeEncodeError Exception
json.JSONDecodeError subprocess.CalledProcessError socket.timeout asyncio.TimeoutError requests.RequestException
requests.HTTPError queue.Empty configparser.Error sqlite3.Error csv.Error ssl.SSLError struct.error zlib.error
""")
_RAISED = _split("""
ValueError TypeError RuntimeError KeyError LookupError OSError AttributeError IndexError PermissionError
""")


def exception(rng: Random) -> str:
    """An exception class to catch, now and then one of the project's own."""
    return rng.choice(_EXCEPTIONS) if rng.random() < 0.75 else _own(rng)


def raised(rng: Random) -> str:
    """An exception class to raise."""
    return rng.choice(_RAISED[:2] if rng.random() < 0.4 else _RAISED) if rng.random() < 0.75 else _own(rng)


def _own(rng: Random) -> str:
    return pools.class_name(rng) + rng.choice(["Error", "Error", "Error", "Exception", "Failure", "NotFound"])


_MESSAGES = """
{0} must not be {1}|{0} is required|invalid {0}|missing {0}|could not {2} the {0}|no such {0}|unknown {0}
{0} must be {1}|failed to {2} {0}|cannot {2} {0}|unexpected {0}|bad {0}|{0} not found|{0} is {1}|expected a {0}
unable to {2} the {3} {0}|the {0} has no {3}|{0} and {3} differ|empty {0}|no {0} given|{0} out of range|{2} {0} failed
"""
_STATES = _split(
    "empty negative positive zero None blank missing closed set open unset odd known invalid unique unknown"
)
_ACTIONS = _split("read open parse find load save write connect start stop send build decode fetch update copy")


def message(rng: Random) -> str:
    """The text of an error or a log line, without quotes."""
    words = (pools.variable_name(rng), rng.choice(_STATES), rng.choice(_ACTIONS), pools.noun(rng))
    text = rng.choice(_MESSAGES.strip().replace("\n", "|").split("|")).format(*words)
    if rng.random() < 0.5:
        text = text.replace("_", " ")
    return text[0].upper() + text[1:] if rng.random() < 0.35 else text


_VALUES = {
    "[]": ["an empty list", "empty list", "[]"],
    "{}": ["an empty dict", "empty dict", "{}", "an empty dictionary"],
    "()": ["an empty tuple", "()"],
    "''": ["an empty string", "empty string", "''"],
    "None": ["None", "none", "None"],
    "False": ["False", "false"],
    "True": ["True", "true"],
    "0": ["0", "zero"],
    "-1": ["-1", "minus one"],
    "set()": ["an empty set", "set()"],
}


def value(snippet: Snippet, rng: Random, names: tuple[str, ...] = ()) -> tuple[str, str]:
    """A value to return, as (source, words). `names` may be told as they are."""
    roll = rng.random()
    if names and roll < 0.15:
        return (rng.choice(names),) * 2
    if roll < 0.75:
        source = rng.choices(list(_VALUES), [3, 2, 1, 2, 8, 4, 3, 2, 2, 1])[0]
        words = rng.choice(_VALUES[source])
        if source == "''":
            source = words if words == "''" else quote(snippet, "")
        return source, words
    source = pools.value(rng, rng.choice("'\""))
    return source, source


_TYPES = {
    "str": "a string|a str",
    "int": "an int|an integer",
    "list": "a list",
    "dict": "a dict|a dictionary",
    "bytes": "bytes|a bytes object",
    "float": "a float",
    "tuple": "a tuple",
    "bool": "a bool|a boolean",
    "set": "a set",
}


def condition(name: str, rng: Random) -> tuple[str, str]:
    """A test of `name` as (source, words)."""
    source, words = _condition(name, rng)
    if rng.random() < 0.2:
        words = f"`{words}`" if words == source else words.replace(name, f"`{name}`", 1)
    return source, words


def _condition(name: str, rng: Random) -> tuple[str, str]:
    roll = rng.random()
    if roll < 0.25:
        return f"{name} is None", _one(rng, f"{name} is None|{name} is none|{name} is missing|there is no {name}")
    if roll < 0.42:
        return f"not {name}", _one(rng, f"not {name}|{name} is empty|{name} is falsy|{name} is blank|{name} is not set")
    if roll < 0.66:
        return _compared(name, rng)
    if roll < 0.74:
        return _mistyped(name, rng)
    if roll < 0.9:
        other = rng.choice([pools.variable_name(rng), pools.string(rng, rng.choice("'\""))])
        flag = _one(rng, f"{name} is set|{name} is true|{name} is truthy|{name}")
        simple = [f"{other} not in {name}", f"{name} == {other}", f"{name} in {other}"]
        return rng.choice([(name, flag), _same(rng.choice(simple))])
    return _same(rng.choice([f"{name}.{pools.variable_name(rng)}", f"not {name}.{pools.variable_name(rng)}"]))


def _mistyped(name: str, rng: Random) -> tuple[str, str]:
    kind = pools.class_name(rng) if rng.random() < 0.3 else rng.choice(list(_TYPES))
    words = _one(rng, _TYPES.get(kind, f"a {kind}|an instance of {kind}"))
    return f"not isinstance({name}, {kind})", _one(rng, f"{name} is not {words}|{name} isn't {words}")


def _compared(name: str, rng: Random) -> tuple[str, str]:
    bound, other = pools.number(rng), pools.variable_name(rng)
    source, words = rng.choice(
        [
            (f"{name} < 0", f"{name} is negative|{name} is below zero|{name} < 0|{name} is less than 0"),
            (f"{name} <= 0", f"{name} is not positive|{name} <= 0|{name} isn't positive|{name} is zero or negative"),
            (f"{name} == 0", f"{name} is zero|{name} is 0|{name} == 0|{name} equals 0"),
            (f"{name} > {bound}", f"{name} is greater than {bound}|{name} > {bound}|{name} is more than {bound}"),
            (f"{name} > {bound}", f"{name} is above {bound}|{name} exceeds {bound}|{name} is over {bound}"),
            (f"{name} < {bound}", f"{name} is less than {bound}|{name} < {bound}|{name} is below {bound}"),
            (f"{name} >= {bound}", f"{name} is at least {bound}|{name} >= {bound}"),
            (f"{name} <= {bound}", f"{name} is at most {bound}|{name} <= {bound}"),
            (f"{name} == {bound}", f"{name} is {bound}|{name} equals {bound}|{name} == {bound}"),
            (f"{name} != {bound}", f"{name} is not {bound}|{name} != {bound}|{name} does not equal {bound}"),
            (f"{name} > {other}", f"{name} is greater than {other}|{name} > {other}|{name} exceeds {other}"),
            (f"{name} == {other}", f"{name} equals {other}|{name} == {other}|{name} is equal to {other}"),
            (f"len({name}) > {bound}", f"{name} is longer than {bound}|len({name}) > {bound}"),
            (f"len({name}) < {bound}", f"{name} is shorter than {bound}|len({name}) < {bound}"),
        ]
    )
    return source, _one(rng, words)


def _same(source: str) -> tuple[str, str]:
    return source, source


def _one(rng: Random, words: str) -> str:
    return rng.choice(words.split("|"))
