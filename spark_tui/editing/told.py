"""What an instruction names: new names, and pieces of the code it speaks of."""

import ast
import keyword
import re
from collections.abc import Collection, Iterator

from spark_tui.editing.snippet import Snippet

MOST_NAMES = 6
_WORD = re.compile(r"(?<![\w.])[^\W\d]\w*")
_LINT = re.compile(r"[A-Z]{1,4}\d{3,4}")
_NAMING = frozenset(
    """
    called named name call as into to it be const constant variable var local function func helper method def class
    label identifier attribute property = introduce create define let add use declare
    """.split()  # noqa: SIM905 - a list of one word a line would be longer than the module
)
_LITTLE = frozenset("a an the this that its own new one be me us you we i so make is all each of for in".split())  # noqa: SIM905
_PLAIN = frozenset(
    """
    a about above after again all also an and any are around as at attribute away be because been before below
    better block body both but by call called can cannot ci class clean clear code codes computed const constant
    constants could cut def define did do does don done dry duplicate each else elsewhere every everything
    expression extract factor few file fill find fine first fix for from func function functions get give given
    go going got had handy hard hardcoded has have having he helper here hey hi hoist how i if in inline inside
    instead into introduce is isn isolate issue it its just keep label let lets level lift like line lines
    literal literals live local logic long looks loop loops m magic make many may maybe me meaning method
    methods might module more most move moved must my n name named naming need needs never new next nice no not
    note now number numbers of off ok on once one only or other our out outside over own part per piece place
    please problem property pull put re read readable really refactor repeated repeating replace request result
    reuse reviewer right s same save say says see selected selection separate set shall should show simple
    single so some spot spread stand statement statements step still stop store stored string strings stuff
    style such t take task tell temp temporary text than thanks that the their them then there these they thing
    things this those to todo too top true turn twice under up upper us use used uses using value values var
    variable variables very want was way we well what when where which while why will with within without would
    you your
    """.split()  # noqa: SIM905
)


def names_told(instruction: str, taken: Collection[str] = (), fallback: Collection[str] = ()) -> list[str]:
    """The names an instruction may give to something new, the likeliest first.

    Names in quotes, names that look like code and what follows "called", "as", "into", ... ; only when there are
    none in quotes and none that looks like code, the fallback and its other words. Args: taken: names that are in use.
    """
    sure: list[str] = []
    likely: list[str] = []
    plain: list[str] = []
    for match in _WORD.finditer(instruction):
        name = match[0]
        if name in taken or keyword.iskeyword(name) or _LINT.fullmatch(name):
            continue
        if _quoted(instruction, match) or _codelike(name) or _called(instruction, match.start()):
            sure.append(name)
        elif _named(instruction, match) and name.lower() not in _NAMING | _LITTLE:
            likely.append(name)
        elif name.lower() not in _PLAIN:
            plain.append(name)
    others = [] if sure else [*plain[: MOST_NAMES - 2], *fallback]
    return list(dict.fromkeys([*sure, *likely, *others]))[:MOST_NAMES]


def _quoted(text: str, match: re.Match[str]) -> bool:
    before, after = text[: match.start()][-1:], text[match.end() :].removeprefix("()")[:1]
    return bool(before) and before in "`'\"" and before == after


def _codelike(name: str) -> bool:
    return "_" in name or (name.isupper() and len(name) > 1) or not (name[1:].islower() or len(name) == 1)


def _called(text: str, start: int) -> bool:
    return bool(re.search(r"\b(called|named|name it|call it)\W{1,2}$", text[:start], re.IGNORECASE))


def _named(text: str, match: re.Match[str]) -> bool:
    before = re.search(r"(\w+|=|->|:)\W{0,2}$", text[: match.start()])
    introduced = before is not None and (before[1].lower() in _NAMING or before[1] in ("->", ":"))
    return introduced or bool(re.match(r"\W?\s*(=|:|\()", text[match.end() :]))


def names_used(snippet: Snippet) -> set[str]:
    """Every variable, parameter, function, class and imported name of a snippet."""
    found = set()
    for node in snippet.nodes:
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name)
    return found


def says(instruction: str, source: str) -> bool:
    """Whether an instruction holds a piece of source, blanks aside, and not as a part of a longer word."""
    squeezed = re.sub(r"\s+", "", source)
    if not squeezed or squeezed not in re.sub(r"\s+", "", instruction):
        return False
    pattern = r"\s*".join(map(re.escape, squeezed)) if len(squeezed) < 200 else re.escape(source)
    left = r"(?<![\w.])" if squeezed[0].isalnum() or squeezed[0] == "_" else ""
    right = r"(?!\w|\.\w)" if squeezed[-1].isalnum() or squeezed[-1] == "_" else ""
    return re.search(left + pattern + right, instruction) is not None


def longest(found: Collection[str]) -> set[str]:
    """Those of the pieces that are not part of a longer one."""
    return {one for one in found if not any(one != other and one in other for other in found)}


def quoted_texts(instruction: str) -> Iterator[str]:
    """Whatever stands between two equal quotation marks."""
    for mark in "\"'`":
        for match in re.finditer(rf"(?<!\w){mark}(.+?){mark}(?!\w)", instruction):
            yield match[1]
