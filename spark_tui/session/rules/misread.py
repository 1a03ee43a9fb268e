"""Whether an edit takes words for something else than they plainly say: a command for a slip, a word for a name."""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

from spark_tui.context.wording import is_common
from spark_tui.editing.code import walk_scope
from spark_tui.editing.codemods.plain.plain_defaults import default_told
from spark_tui.editing.codemods.plain.plain_swaps import expressions_told, same_code
from spark_tui.editing.snippet import Snippet
from spark_tui.session.rules.commanded import (
    OTHERWISE,
    calls,
    does_not,
    loosened,
    not_added,
    not_rounded,
    reordered,
    word_count,
    word_set,
)
from spark_tui.session.rules.facts import Code, Function, Rule, first_told

_NO_NAME = re.compile(r"(?i)\brename .*\b(?:to|into|as) [`'\"]?(?P<new>[^\w\s`'\"][^\s`'\"]*)")
_IN_THE_END = re.compile(
    r"(?i)\bthe last (?:error|exception)\b|\b(?:at|in) the (?:very )?end\b"
    r"|\bafter the (?:loop|last (?:try|attempt|retry|time))\b|\bonce all\b"
)
_START = re.compile(r"(?i)\b(?:start|begin)(?:s|ing)? (?:at|from|with) -?\d+")
_AT_MOST = re.compile(r"(?i)\b(?:limit|cap|at most|up to|no more than|truncate|shorten|max\w*)\b.*\d")
_A_THING = re.compile(r"(?i)^\W*(?:please )?(?:return|give back) an? (?P<what>[a-z]+)\W*$")
_TRUTH = frozenset("bool boolean condition comparison check test expression truth".split())  # noqa: SIM905
_WHILE_TRUE = re.compile(r"(?i)\b(?:use|make (?:it|this)|into|to) (?:an? )?while[- ]true\b")
_CONSTANT = re.compile(
    r"(?i)\b(?:extract|pull|move|lift|hoist|factor|turn|make|put|introduce|define|give)\b(?!.*\b(?:local|variable)\b)"
    r".*\bconstant\b"
)
_INSTEAD = re.compile(r"(?i)\b(?:instead|rather|get rid|remove|drop|replace|without|avoid|don'?t|not|no)\b")
_USED = re.compile(r"(?i)^\W*(?:please )?use `?(?P<name>[a-z]\w*\.[a-z][\w.]*)(?:\(\))?`?")
_LAZY = {"reader", "DictReader", "iter", "enumerate", "map", "filter", "zip", "islice", "chain", "TextIOWrapper"}
_PARTS = {"partition": 3, "rpartition": 3, "splitext": 2, "divmod": 2}


def misread(words: str, code: Code, after: Sequence[str]) -> str:
    """What an edit takes the words for that they do not say, in a sentence, or "". Args: after: the lines with it."""
    return first_told(_RULES, words, code, after)


def _other_code(words: str, code: Code, new: Snippet) -> str:
    """Code that is told to become other code, and is not there, or does not."""
    told = code.parsed and expressions_told(code.parsed, words)
    if not told:
        return ""
    old, wanted = told
    if not any(same_code(node, old) for node in code.nodes):
        return "" if _count(old, code.text) else f"there is no {old} in {code.where}"
    after, (searched, sign) = "\n".join(new.lines), (old, -1) if wanted in old else (wanted, 1)
    done = sign * (_count(searched, after) - _count(searched, code.text)) > 0
    return "" if done else does_not(f"make it {wanted}")


def _count(source: str, text: str) -> int:
    """How often code stands in a text, however either is spaced and quoted."""
    code, text = (re.sub(r"\s+", "", one).replace("'", '"') for one in (source, text))
    return len(re.findall(re.escape(code) + (r"(?!\w)" if code[-1:].isalnum() else ""), text))


def _no_name(words: str, _: Code, new: Snippet) -> str:
    """A name that comes where what is told to be new is none."""
    told = _NO_NAME.search(words)
    if told is None or re.match(r"_|self\b", told["new"]):
        return ""
    there = told["new"].strip("`'\".,") in "\n".join(new.lines)
    return "" if there else f"{told['new']} is no name; say what text is to become it, in quotes"


def _unpacked(_: str, code: Code, new: Snippet) -> str:
    """More or fewer names than a call gives values."""
    known = {ast.dump(one) for one in code.nodes if isinstance(one, ast.Assign)}
    for node in new.nodes:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Call() as call) if ast.dump(node) not in known:
                name = next(iter(calls([call])), "")
                starred = any(isinstance(one, ast.Starred) for one in names)
                if isinstance(call.func, ast.Name) and name in ("int", "float", "bool"):
                    return f"{name} gives one value, and here are {len(names)} names for it"
                if _PARTS.get(name, len(names)) != len(names) and not starred:
                    return f"{name} gives {_PARTS[name]} values, and here are {len(names)} names for them"
    return ""


def _wordless_message(words: str, code: Code, new: Snippet) -> str:
    """A message of an assertion that is a word of the command, and no variable."""
    stored = {one.id for one in code.nodes if isinstance(one, ast.Name) and one.id not in calls(code.nodes)}
    messages = [one.msg.id for one in new.nodes if isinstance(one, ast.Assert) and isinstance(one.msg, ast.Name)]
    made_up = [one for one in messages if one.islower() and one not in stored and one in word_set(words)]
    return "say what the message is to say, in quotes" if made_up else ""


def _at_once(words: str, code: Code, new: Snippet) -> str:
    """An error raised on within a loop, where that is to be done in the end."""
    if not _IN_THE_END.search(words):
        return ""
    loops = [one for one in new.nodes if isinstance(one, ast.For | ast.While | ast.AsyncFor)]
    handlers = [one for loop in loops for one in ast.walk(loop) if isinstance(one, ast.ExceptHandler)]
    had = sum(isinstance(one, ast.Raise) for one in code.nodes)
    bare = any(isinstance(line, ast.Raise) and line.exc is None for one in handlers for line in one.body)
    more = sum(isinstance(one, ast.Raise) for one in new.nodes) > had
    return (
        "the edit that was found raises at the first error already; say which line is to raise" if bare and more else ""
    )


def _other_start(words: str, code: Code, new: Snippet) -> str:
    """A default that changes where something is to start at a number."""
    if not _START.search(words):
        return ""
    said = word_set(words.lower())
    for old, now in zip(_functions(code.nodes), _functions(new.nodes), strict=False):
        had, has = (dict(_defaults(one)) for one in (old, now))
        changed = [name for name, value in has.items() if name in had and had[name] != value]
        parts = {part for name in changed for part in (name, *name.lower().split("_"))}
        if changed and not parts & (said | {"start", "begin", "first", "offset", "index"}):
            return f"the edit that was found changes the default of {changed[0]}; {OTHERWISE}"
    return ""


def _functions(nodes: Sequence[ast.AST]) -> list[Function]:
    return [one for one in nodes if isinstance(one, Function)]


def _defaults(function: Function) -> Iterator[tuple[str, str]]:
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    pairs = zip(positional[len(positional) - len(given.defaults) :], given.defaults, strict=True)
    yield from ((one.arg, ast.dump(value)) for one, value in pairs)
    yield from (
        (one.arg, ast.dump(value)) for one, value in zip(given.kwonlyargs, given.kw_defaults, strict=True) if value
    )


def _other_default(words: str, code: Code, new: Snippet) -> str:
    """A default of something else than what is named, or its name gone for the value."""
    told = code.parsed and default_told(code.parsed, words)
    name = told[0] if told else ""
    if not name or is_common(name):
        return ""
    if word_count("\n".join(new.lines), name) < word_count(code.text, name):
        return f"the edit that was found takes {name} away; {OTHERWISE}"
    for old, now in zip(_functions(code.nodes), _functions(new.nodes), strict=False):
        had, has = (dict(_defaults(one)) for one in (old, now))
        changed = [one for one, value in has.items() if had.get(one) != value]
        if changed and not any(_is_alike(name.lower(), one.lower()) for one in changed):
            return f"there is no {name} that has a default in {code.where}"
    return ""


def _is_alike(said: str, name: str) -> bool:
    """Whether a word may mean a name: colors for color, disposition for content_disposition, signal for sig."""
    return said[:3] in name or name[:3] in said


def _index_as_limit(words: str, code: Code, new: Snippet) -> str:
    """One element of another index, where there are to be only so many."""
    if not _AT_MOST.search(words) or re.search(r"(?i)\b(?:index|element|item \d|\[)", words):
        return ""
    had, has = (Counter(_indices(nodes)) for nodes in (code.nodes, new.nodes))
    return "the edit that was found takes one element, and does not limit how many there are" if has - had else ""


def _indices(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Subscript(value=value, slice=ast.Constant(value=int()) | ast.UnaryOp() as index):
                yield f"{ast.unparse(value)}[{ast.unparse(index)}]"


def _truth_for_thing(words: str, code: Code, new: Snippet) -> str:
    """A truth given back in fewer lines, where a thing is to be given back."""
    told = _A_THING.match(words)
    if told is None or told["what"].lower() in _TRUTH:
        return ""
    truths = [_truths(nodes) for nodes in (code.nodes, new.nodes)]
    returns = [sum(isinstance(one, ast.Return) for one in nodes) for nodes in (code.nodes, new.nodes)]
    fewer = truths[1] < truths[0] and returns[1] < returns[0]
    return does_not(f"return a {told['what']}") if fewer else ""


def _truths(nodes: Sequence[ast.AST]) -> int:
    values = [one.value for one in nodes if isinstance(one, ast.Return)]
    return sum(isinstance(one, ast.Constant) and isinstance(one.value, bool) for one in values)


def _local_for_constant(words: str, code: Code, new: Snippet) -> str:
    """A variable of a function for what is to be a constant, and is not told by that name."""
    if not _CONSTANT.search(words):
        return ""
    more = set(_literals_named(new.nodes)) - set(_literals_named(code.nodes)) - word_set(words)
    name = next((one for one in sorted(more) if not one.isupper()), "")
    return f"{name} would be no constant; say what to call it, in capitals" if name else ""


def _literals_named(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant()):
                yield name


def _no_while_true(words: str, code: Code, new: Snippet) -> str:
    if not _WHILE_TRUE.search(words) or _INSTEAD.search(words):
        return ""
    had, has = (sum(map(_is_endless, nodes)) for nodes in (code.nodes, new.nodes))
    return "" if has > had or (has and has == had) else does_not("use while True")


def _is_endless(node: ast.AST) -> bool:
    return isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)


def _uncalled(words: str, _: Code, new: Snippet) -> str:
    """A function of a module that is told to be used, and reckoned with instead of being called."""
    told = _USED.match(words)
    module, _dot, name = told["name"].rpartition(".") if told else ("", "", "")
    if not callable(getattr(sys.modules.get(module), name, None)):
        return ""
    for node in new.nodes:
        union = isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr)
        sides = [node.left, node.right] if isinstance(node, ast.BinOp) and not union else []
        sides += [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        if any(ast.unparse(one) == f"{module}.{name}" for one in sides):
            return does_not(f"call {module}.{name}")
    return ""


def _read_when_closed(_: str, code: Code, new: Snippet) -> str:
    """A file, or what reads one bit by bit, newly given back behind the block that closes it."""
    known = {ast.dump(one) for one in code.nodes if isinstance(one, ast.Return)}
    returns = [one for one in new.nodes if isinstance(one, ast.Return) and one.value and ast.dump(one) not in known]
    blocks = [(one, each) for one in _functions(new.nodes) for each in walk_scope(one) if isinstance(each, ast.With)]
    for function, block in blocks if returns else ():
        lazy = {one.optional_vars.id for one in block.items if isinstance(one.optional_vars, ast.Name)}
        for line in block.body:
            match line:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                    lazy |= {name} if set(calls([call])) & _LAZY else set()
        behind = [one for one in walk_scope(function) if one in returns and one.lineno > (block.end_lineno or 0)]
        read = {one.id for each in behind for one in ast.walk(each) if isinstance(one, ast.Name)}
        if lazy & read:
            return f"the edit that was found reads {min(lazy & read)} after it is closed"
    return ""


def _other_check(words: str, code: Code, new: Snippet) -> str:
    """An assertion that becomes an error, where an error is told for something else."""
    if re.search(r"(?i)assert|check|instead|rather|-O\b|this|that", words) or not re.search(
        r"\b(?:for|if|when|on)\b", words
    ):
        return ""
    had = [ast.unparse(one.test) for one in code.nodes if isinstance(one, ast.Assert)]
    left = [ast.unparse(one.test) for one in new.nodes if isinstance(one, ast.Assert)]
    gone = list((Counter(had) - Counter(left)).elements())
    raised = sum(isinstance(one, ast.Raise) for one in new.nodes) > sum(
        isinstance(one, ast.Raise) for one in code.nodes
    )
    unsaid = [test for test in gone if not word_set(test.lower()) & word_set(words.lower())]
    return f"the edit that was found raises for {unsaid[0]} being false; {OTHERWISE}" if unsaid and raised else ""


_RULES: tuple[Rule, ...] = (
    _other_code, reordered, loosened, not_rounded, not_added, _no_name, _unpacked, _wordless_message,
    _at_once, _other_start, _other_default, _index_as_limit, _truth_for_thing, _no_while_true, _uncalled, _other_check,
    _read_when_closed, _local_for_constant,
)  # fmt: skip
