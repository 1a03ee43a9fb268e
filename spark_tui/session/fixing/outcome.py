"""What a command that fails says for itself: whether a change of some lines could make it pass at all."""

import re
from pathlib import PurePosixPath

from spark_tui.context.blamed import FRAME
from spark_tui.context.source import Region

MOST_LINES = 8
"""Of the output, that are shown."""
TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|[^\w\s]+")
"""What code is made of, and what a command says of it."""
_NO_TESTS = re.compile(r"^no tests ran in\b|\bcollected 0 items\b|^(?:NO TESTS RAN|Ran 0 tests)\b", re.MULTILINE)
_USAGE = re.compile(
    r"^(?:ERROR: )?(?P<why>(?:file or directory not found|not found): .+|.*\berror: (?:unrecognized|the following) .+"
    r"|.*(?:can't open file|cannot open|No rule to make target|No module named).*"
    r"|.*(?:No such file or directory|command not found|: not found))$",
    re.MULTILINE,
)
_BEFORE_WORK = (2, 4)
"""What pytest, argparse, Python and make end with when they do not get to the work itself."""
_LOADING = re.compile(
    r"\berrors? during collection\b|\bFailed to import test module\b|\berror while loading conftest\b"
)
_ERROR = re.compile(
    r"^(?:E +)?(?P<why>(?:ModuleNotFoundError|ImportError|SyntaxError|IndentationError|TabError): "
    r"(?!Failed to import test module).+)$",
    re.MULTILINE,
)
_WANTED = re.compile(
    r"(?:No module named|from) ['\"]?(?P<module>[\w.]+)|not found: (?P<path>[^\s:]+)|open file '(?P<file>[^']+)'"
)
_RAISED = re.compile(r"^(?:E +)?(?P<error>(?:\w+\.)*\w+(?:Error|Exception|Iteration|Warning): .+)$", re.MULTILINE)
_MOST_ERRORS = 2
_COPY = re.compile(r"(?:/\S*)?/spark-check-[^/\s]+/")
_RULE = re.compile(r"(?P<rule>[=_.!-])(?P=rule)*(?: .* (?P=rule)+)?|\s*")


def own_reason(status: int, output: str, place: Region | None = None) -> str:
    """Why a command fails whatever is changed in a place, or anywhere, as a clause; "" where that cannot be told."""
    output = _COPY.sub("", output).rstrip().lstrip("\n")
    lines = output.splitlines()
    if (status in _BEFORE_WORK or len(lines) == 1) and "Traceback" not in output and (found := _USAGE.search(output)):
        return found["why"].strip()
    if _NO_TESTS.search(output) and status:
        return "it finds no tests to run"
    if _LOADING.search(output) or (lines and _ERROR.fullmatch(lines[-1])):
        return _loading(output, place)
    return ""


def wanted(reason: str) -> tuple[str, ...]:
    """The paths that a reason says are not there, relative to where the command ran."""
    found = _WANTED.search(reason)
    if not found:
        return ()
    path = (found["path"] or found["file"] or "").partition("::")[0]
    inner = (found["module"] or "").replace(".", "/")
    return (path,) if path else (f"{inner}.py", f"{inner}/__init__.py")


def lines_named(output: str, place: Region) -> frozenset[int]:
    """The 1-based lines of a place that the tracebacks of an output name."""
    frames = map(_at, FRAME.finditer(_COPY.sub("", output)))
    return frozenset(line for path, line in frames if _holds(place, path, line))


def errors_said(output: str) -> tuple[str, ...]:
    """The errors that were raised, but for what tests themselves raise, the last first."""
    found = (match["error"].strip() for match in _RAISED.finditer(output))
    return tuple(dict.fromkeys([one for one in found if not one.startswith("AssertionError")][::-1]))[:_MOST_ERRORS]


def last_lines(output: str) -> tuple[str, ...]:
    """The last lines of an output that say something."""
    lines = [line.rstrip() for line in _COPY.sub("", output).splitlines()]
    return tuple([line for line in lines if not _RULE.fullmatch(line)][-MOST_LINES:])


def _loading(output: str, place: Region | None) -> str:
    """The first error that kept the code from being loaded and that did not come about by way of a place."""
    begin = 0
    for found in _ERROR.finditer(output):
        frames = [_at(match) for match in FRAME.finditer(output, begin, found.start())]
        begin = found.end()
        needs = re.search(r" from '([\w.]+)'", found["why"])
        if place and (any(_holds(place, *at) for at in frames) or (needs and _is_module(place.path, needs[1]))):
            continue
        return found["why"] + (f" ({frames[-1][0]}:{frames[-1][1]})" if frames else "")
    return ""


def _holds(place: Region, path: str, line: int) -> bool:
    """Whether a line that an output speaks of is in a place."""
    own = PurePosixPath(place.path).parts
    return PurePosixPath(path).parts[-len(own) :] == own and place.start_line <= line <= place.end_line


def _is_module(path: str, name: str) -> bool:
    """Whether a file is imported by a name."""
    own = ".".join(PurePosixPath(path).with_suffix("").parts).removesuffix(".__init__")
    return f".{own}".endswith(f".{name}")


def _at(frame: re.Match[str]) -> tuple[str, int]:
    return frame["path"] or frame["short"], int(frame["line"] or frame["number"])
