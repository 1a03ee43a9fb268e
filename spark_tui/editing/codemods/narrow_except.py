"""Except clauses that catch too much catch something narrower."""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import ClassVar

from spark_tui.editing.codemods.base import Ops, Request, between
from spark_tui.editing.codemods.checks.errors_caught import at_home, covered, held_elsewhere, more_told
from spark_tui.editing.codemods.checks.except_clauses import Clause, clauses, keyword_span
from spark_tui.editing.codemods.checks.misspelt import errors_respelt
from spark_tui.editing.codemods.common.occasions import Occasion, Places, rewritten
from spark_tui.editing.snippet import Snippet

_TOLD = re.compile(
    r"(?<![\w.])((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning|Iteration|Expired|Timeout|Empty|Full"
    r"|Failure|Failed|Missing|Invalid|NotFound|DoesNotExist|Mismatch|Required|Denied))\b(?!\()"
)
_NOT_HELD = (
    r"(?i:\b(?:don'?t|do not|never|stop|must not|mustn't|shouldn't)(?: ever)?"
    r" (?:catch|eat|hide|ignor|mask|suppress|swallow|trap)\w*(?: an?| the)?) [`'\"]?"
    r"(?:KeyboardInterrupt|SystemExit|GeneratorExit|CancelledError)\b"
)
_SPARED = re.compile(rf"\W*(?i:please )?{_NOT_HELD}[`'\"]?(?: here| any ?more)?\W*")
"""Tells nothing but what must get through."""
_BESIDES = re.compile(
    r"\b(?:KeyboardInterrupt|SystemExit)\b(?=.*\b(?:Exception|through)\b)"
    rf"|{_NOT_HELD}"
    r"|(?<!with )(?<!raises )(?<!get )(?<!gets )(?<!is )"
    r"\b(?:my|our|an?) (?:own )?(?:Name|Attribute|Type)Error\b"
)
"""What must not be caught, or was by mistake."""
_BESIDE = re.compile(
    r"\b(?:also|too|as well|besides|additionally|both|in addition|add|along|cover|either|like that|same"
    r"|not only|not just)\b",
    re.IGNORECASE,
)
_FAILS = re.compile(
    r"\b(?:500|crash\w*|traceback|stack ?trace|errors?|raise[sd]?|explod\w+|breaks?|fail\w*|blows? up|dies?)\b",
    re.IGNORECASE,
)
"""What hints at an error that nobody catches."""
_ALSO = re.compile(
    r"(?i)(?:please )?(?:also (?:catch|handle) [\w.`]+(?:(?:, | and |, and )[\w.`]+)*"
    r"|(?:catch|handle) [\w.`]+(?:(?:, | and |, and )[\w.`]+)*(?: too| as well| also| besides))(?: here)?[.!]?"
)
_BROAD = ("", "Exception", "BaseException")
_NO_EXCEPTIONS = ("CancelledError", "KeyboardInterrupt", "SystemExit", "GeneratorExit")
_CALLS = {
    "int": ("ValueError",), "float": ("ValueError",), "Decimal": ("InvalidOperation",), "open": ("OSError",),
    "next": ("StopIteration",), "json.loads": ("ValueError",), "json.load": ("ValueError",),
    "subprocess.check_output": ("subprocess.CalledProcessError",),
    "subprocess.check_call": ("subprocess.CalledProcessError",), "getattr": ("AttributeError",),
    "importlib.import_module": ("ImportError",), "__import__": ("ImportError",),
    "requests.get": ("requests.RequestException",), "requests.post": ("requests.RequestException",),
    "UUID": ("ValueError",), "uuid.UUID": ("ValueError",),
}  # fmt: skip
_METHODS = {
    "decode": ("UnicodeDecodeError",), "encode": ("UnicodeEncodeError",), "index": ("ValueError",),
    "strptime": ("ValueError",), "fromisoformat": ("ValueError",), "read_text": ("OSError",), "unlink": ("OSError",),
    "mkdir": ("OSError",), "read_bytes": ("OSError",), "write_text": ("OSError",), "connect": ("OSError",),
    "relative_to": ("ValueError",), "get_nowait": ("queue.Empty",), "put_nowait": ("queue.Full",),
}  # fmt: skip
_WORDS = {
    "KeyError": r"(?:missing|absent|unknown) keys?|key (?:is )?(?:missing|not)",
    "ImportError": r"missing (?:module|package|import)",
    "FileNotFoundError": r"missing files?|file (?:is )?(?:missing|not)",
    "ValueError": r"(?:bad|invalid) (?:number|value)s?",
    "ZeroDivisionError": r"(?:division|divid\w+) by zero",
    "AttributeError": r"missing attributes?",
    "IndexError": r"out of range",
    "PermissionError": r"\bpermissions?\b",
    "TimeoutError": r"\btime-?outs?\b",
}


class NarrowExcept(Places):
    """An except that catches everything catches what the words name, or what its body is likely to raise.

    Where none catches everything, one catches what the words name instead or besides.
    """

    kind: ClassVar[str] = "narrow_except"

    def plain(self, before: Snippet, request: Request) -> list[Ops]:
        """What is plainly told to get through, or to be caught besides where one clause names what it catches."""
        every = list(clauses(before))
        if _SPARED.fullmatch(request.instruction):
            broad = [one for one in every if one.caught in ("", "BaseException")]
            return _written(before, _narrowed(before, broad[0], "Exception")) if len(broad) == 1 else []
        found = [one for one in every if one.caught not in _BROAD]
        told = [name for name in _told(before, request.instruction) if name not in _BROAD]
        if not _ALSO.fullmatch(" ".join(request.instruction.split())) or len(found) != 1 or not told:
            return list(super().plain(before, request))
        return _written(before, next(_exchanged(before, found, told, request.instruction), None))

    def occasions(self, before: Snippet, request: Request) -> Iterator[Occasion]:
        """What is told; else what fits each body, and Exception for a bare except."""
        told = _told(before, request.instruction)
        found = list(clauses(before))
        yield from covered(before, request.instruction)
        yield from held_elsewhere(before, (name for name in told if name not in _BROAD))
        if told and (_BESIDE.search(request.instruction) or all(one.caught not in _BROAD for one in found)):
            yield from _exchanged(before, found, [name for name in told if name not in _BROAD], request.instruction)
        yield from _with_interrupts(before, found, told, request.instruction)
        if not told and _FAILS.search(request.instruction):
            yield from _widened(before, found)
        for clause in found:
            if clause.caught not in _BROAD:
                continue
            yield from (one for text in _wanted(clause, told) if (one := _narrowed(before, clause, text)))


def _written(before: Snippet, one: Occasion | None) -> list[Ops]:
    after = rewritten(before, [one]) if one else None
    return [between(before, after)] if after else []


def _told(before: Snippet, instruction: str) -> list[str]:
    """The exceptions that are told, in the order in which they are."""
    more = [name for name in more_told(before, _BESIDES.sub("", instruction)) if name]
    plain = [name for name in exceptions_told(instruction) if not more or name != "TimeoutError"]
    told = [at_home(before, name, instruction) for name in (*plain, *more)]
    lasts = {name: instruction.find(name.rpartition(".")[2]) for name in told}
    return sorted(dict.fromkeys(told), key=lambda name: lasts[name])


def _with_interrupts(before: Snippet, found: list[Clause], told: list[str], instruction: str) -> Iterator[Occasion]:
    """What no `Exception` is caught beside it; what catches these as well catches no more than exceptions."""
    beyond = [name for name in told if name.rpartition(".")[2] in _NO_EXCEPTIONS]
    for clause in found if beyond or re.search(_NOT_HELD, instruction) else ():
        if beyond and clause.caught == "Exception" and _BESIDE.search(instruction):
            if one := _narrowed(before, clause, f"(Exception, {', '.join(beyond)})"):
                yield one
        elif clause.caught == "BaseException" and (one := _narrowed(before, clause, "Exception")):
            yield one


def _exchanged(before: Snippet, found: list[Clause], told: list[str], instruction: str) -> Iterator[Occasion]:
    """What is told in place of what narrow clauses catch, or besides; which of them first is for the words to say."""
    raised = {name for node in before.nodes if isinstance(node, ast.Raise) and node.exc for name in _names(node.exc)}
    for clause in found:
        if clause.caught in _BROAD:
            continue
        caught = _parts(clause.handler.type) if clause.handler.type else []
        new = [name for name in told if name not in caught]
        if not new:
            continue
        instead = new[0] if len(new) == 1 else f"({', '.join(new)})"
        besides = f"({', '.join([*caught, *new])})"
        shown = [name for name in new if name not in raised]
        alone = shown if len(new) > 1 else []
        ahead = f"({', '.join([*new, *caught])})"
        both = (besides, ahead)
        for text in (*both, instead) if _BESIDE.search(instruction) else (*alone, instead, *both):
            if one := _narrowed(before, clause, text):
                yield Occasion(one.line, one.changes, tuple(caught), text)


def _widened(before: Snippet, found: list[Clause]) -> Iterator[Occasion]:
    """What a body is likely to raise caught as well, where a clause catches something else."""
    for clause in found:
        caught = _parts(clause.handler.type) if clause.handler.type and clause.caught not in _BROAD else []
        handled = {name for one in clause.owner.handlers if one.type for name in _parts(one.type)}
        for name in causes(clause.owner.body) if caught else ():
            if name not in handled:
                for names in ([name, *caught], [*caught, name]):
                    if one := _narrowed(before, clause, f"({', '.join(names)})"):
                        yield one


def _names(error: ast.expr) -> list[str]:
    return [ast.unparse(error.func if isinstance(error, ast.Call) else error)]


def exceptions_told(instruction: str) -> list[str]:
    """The exceptions that an instruction names; those to be replaced are left out by the caller."""
    named = dict.fromkeys(_TOLD.findall(errors_respelt(_BESIDES.sub("", instruction))))
    return list(named) or [name for name, words in _WORDS.items() if re.search(words, instruction)]


def _wanted(clause: Clause, told: list[str]) -> Iterable[str]:
    narrower = [name for name in told if name not in _BROAD]
    if narrower:
        yield narrower[0] if len(narrower) == 1 else f"({', '.join(narrower)})"
        if len(narrower) > 1 and narrower != sorted(narrower):
            yield f"({', '.join(sorted(narrower))})"
        return
    natural = causes(clause.owner.body)
    again = any(isinstance(one, ast.Raise) and one.exc is None for one in clause.handler.body)
    if not clause.caught or (clause.caught == "BaseException" and clause.caught in told):
        broad = [name for name in told if name in _BROAD and name != clause.caught]
        yield from dict.fromkeys([*broad, "Exception", *(["BaseException"] if again else [])])
    yield from natural
    if len(natural) == 2:
        yield f"({', '.join(natural)})"


def _narrowed(before: Snippet, clause: Clause, text: str) -> Occasion | None:
    span = keyword_span(before, clause)
    if span is None or text == clause.caught:
        return None
    earlier = {
        name for one in clause.owner.handlers if one is not clause.handler and one.type for name in _parts(one.type)
    }
    if text in earlier:
        return None
    names = (*([clause.caught] if clause.caught else []), *(re.findall(r"[\w.]+", text) if "(" in text else ()))
    return Occasion(clause.line, ((*span, f" {text}"),), names, text)


def _parts(node: ast.expr) -> list[str]:
    return [ast.unparse(one) for one in node.elts] if isinstance(node, ast.Tuple) else [ast.unparse(node)]


def causes(body: Iterable[ast.stmt]) -> list[str]:
    """The exceptions that the statements of a try are likely to raise, without repetition."""
    found = [name for statement in body for node in ast.walk(statement) for name in _raised(node)]
    return list(dict.fromkeys(found))[:4]


def _raised(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Call(func=ast.Name() | ast.Attribute() as function):
            name = ast.unparse(function)
            return _CALLS.get(name, _METHODS.get(name.rpartition(".")[2], ()) if "." in name else ())
        case ast.Subscript(ctx=ast.Load() | ast.Del(), slice=index):
            return _looked_up(index)
        case ast.BinOp(op=ast.Div() | ast.FloorDiv(), left=left, right=right):
            return () if isinstance(right, ast.Constant) or isinstance(left, ast.Constant) else ("ZeroDivisionError",)
        case ast.Import() | ast.ImportFrom():
            return ("ImportError",)
    return ()


def _looked_up(index: ast.expr) -> tuple[str, ...]:
    match index:
        case ast.Constant(value=str()) | ast.Name(id="key" | "k" | "name" | "attr"):
            return ("KeyError",)
        case ast.Constant(value=int()) | ast.UnaryOp():
            return ("IndexError",)
    return ()
