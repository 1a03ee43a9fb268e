"""What a turn says for itself at its end: what was understood, and what to try when there is no edit to offer."""

from collections.abc import Iterable, Sequence

from spark_tui.context.regions import Region
from spark_tui.editing.checks import Check

_TRY = "select the lines with --at PATH:L1-L2, name the function, or say it in other words"


def where(region: Region) -> str:
    """A region in words: `path:first-last (symbol)`, lines 1-based."""
    symbol = f" ({region.symbol})" if region.symbol else ""
    return f"{region.path}:{region.start_line}-{region.end_line}{symbol}"


def not_understood(region: Region) -> str:
    """The model chose to do nothing."""
    return f"found nothing to do in {where(region)}; {_TRY}"


def no_request() -> str:
    """The words want nothing changed."""
    return "this reads like a question, or like something not to do; say in plain English what to change"


def not_python(path: str) -> str:
    """The file is of a kind that the model never saw."""
    return f"{path} is not a Python file, and Python is all this model has learned; name a .py file"


def does_not_parse(path: str, error: str) -> str:
    """Neither the file nor the region can be read."""
    return f"{path} does not parse ({error}), so that no edit could be checked; mend that first"


def nothing_changed(kind: str, region: Region) -> str:
    """The model wrote a script that changes nothing."""
    return f"understood {_words(kind)}, but found nothing of that kind to do in {where(region)}; {_TRY}"


def unsure(kind: str, region: Region, strange: Sequence[str]) -> str:
    """The model wrote an edit that it gives too little probability. Args: strange: words it may not have understood."""
    words = f" (unusual for that: {', '.join(strange[:4])})" if len(strange) > 1 else ""
    return f"perhaps {_words(kind)} in {where(region)}, but not surely enough to show an edit{words}; {_TRY}"


def failed(kind: str, checks: Iterable[Check]) -> str:
    """The edit is not fit to be offered."""
    wrong = "; ".join(f"{check.name}: {check.detail}" for check in checks if not check.ok)
    return f"understood {_words(kind)}, but the edit does not pass its checks ({wrong}); {_TRY}"


def does_not_fit(kind: str | None) -> str:
    """The operations contradict each other."""
    understood = f"understood {_words(kind)}" if kind else "did not understand this"
    return f"{understood}, but the edit does not fit the lines; {_TRY}"


def too_long(kind: str | None, tokens: int) -> str:
    """The script did not end in time."""
    understood = f"understood {_words(kind)}" if kind else "did not understand this"
    return (
        f"{understood}, but the edit was not complete after {tokens} tokens; select fewer lines or raise --max-tokens"
    )


def no_repair(command: str, tried: int, total: int, region: Region) -> str:
    """No small change makes the user's command pass."""
    if not total:
        return f"`{command}` fails, and there is nothing small to try in {where(region)}; {_TRY}"
    if tried < total:
        return (
            f"tried {tried} of {total} small changes in {where(region)}, and `{command}` still fails; "
            "give it a larger --budget, or select the lines with --at PATH:L1-L2"
        )
    some = "the only small change" if total == 1 else f"all {total} small changes"
    return f"tried {some} in {where(region)}, and `{command}` still fails; {_TRY}"


def repaired(tried: int, total: int) -> str:
    """How the edit was found."""
    return f"; found by trying {tried} of {total} small changes"


def passes_already(command: str) -> str:
    """There may be nothing to fix."""
    return f"; `{command}` passes as it is"


def done(kind: str, hunks: int, checks: Iterable[Check]) -> str:
    """The edit passed its checks."""
    checks = tuple(checks)
    passed = ", ".join(check.name for check in checks if not check.detail)
    notes = "".join(f"; {check.name}: {check.detail}" for check in checks if check.detail)
    return f"{_words(kind)}: {hunks} hunk{'' if hunks == 1 else 's'}, checked ({passed}){notes}"


def _words(kind: str) -> str:
    return kind.replace("_", " ").replace("-", " ")
