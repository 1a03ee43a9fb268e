"""What stands in the way of a wish: facts of the code that leave nothing to do, or forbid it.

`absence` is certain enough to take back an edit; `obstacle` is looked for only where none was found.
"""

import ast
import re
from collections.abc import Callable

from spark_tui.editing.codemods.change_operator import operators, swapped
from spark_tui.editing.codemods.common.and_return import AND_RETURN
from spark_tui.editing.codemods.complete_hints import certain
from spark_tui.editing.codemods.hints.hint_spots import bare_names
from spark_tui.editing.codemods.plain.empty_results import gives_numbers
from spark_tui.editing.codemods.plain.plain_docs import docs_asked_of
from spark_tui.editing.statements import is_changed
from spark_tui.session.rules.divisions import BY_ZERO, untold
from spark_tui.session.rules.facts import Code, Function, is_word, parameters
from spark_tui.session.rules.import_obstacles import (
    absent_import,
    imported_already,
    in_order,
    listed_imports,
    nothing_missing,
    nothing_to_tidy,
    nothing_unused,
    used_import,
)
from spark_tui.session.rules.rename_obstacles import clash, no_name, only_in_text, taken

_Found = re.Match[str]


def absence(words: str, code: Code) -> str:
    """That what is to be changed or removed is not there, in a sentence, or ""."""
    return _first(_GONE, words, code) or _absent_thing(words, code)


def obstacle(words: str, code: Code) -> str:
    """Why nothing can come of a wish here, in a sentence, or ""."""
    return absence(words, code) or _first(_DONE, words, code)


# What is to be there and is not


def _absent_name(found: _Found, code: Code) -> str:
    name = found["name"]
    return "" if code.has(name) or code.near(name) or is_word(found) else f"there is no {name} in {code.where}"


def _absent_text(found: _Found, code: Code) -> str:
    if "..." in found["text"]:
        return ""
    return "" if found["text"].lower() in code.text.lower() else f"there is no {found['quoted']} in {code.where}"


def _absent_parameter(found: _Found, code: Code) -> str:
    known = [each.arg for one in code.functions for each in parameters(one)]
    if not code.functions or found["name"] in known or is_word(found):
        return ""
    if len(code.functions) > 1:
        return f"no function in {code.where} has a parameter {found['name']}"
    its = f"its parameters are {', '.join(known)}" if known else "it has none"
    return f"{code.functions[0].name} has no parameter {found['name']}; {its}"


def _unused_variables(_: _Found, code: Code) -> str:
    added = [node.target for node in code.nodes if isinstance(node, ast.AugAssign)]
    names = [node for node in code.nodes if isinstance(node, ast.Name) and node not in added]
    stored = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    read = {node.id for node in names if not isinstance(node.ctx, ast.Store)}
    return f"every variable in {code.where} is used" if code.nodes and stored <= read else ""


def _unused_parameters(_: _Found, code: Code) -> str:
    for one in code.functions:
        read = {node.id for node in ast.walk(one) if isinstance(node, ast.Name)}
        if not {each.arg for each in parameters(one)} <= read | {"self", "cls"}:
            return ""
    names = [each.name for each in code.functions]
    return f"every parameter of {', '.join(names[:3])} is used" if names else ""


def _nothing_to_inline(found: _Found, code: Code) -> str:
    """That what is to be inlined is a parameter, whose value only callers know."""
    name = found["name"]
    owners = [one.name for one in code.functions if name in {each.arg for each in parameters(one)}]
    stored = any(isinstance(node, ast.Name) and node.id == name and is_changed(node) for node in code.nodes)
    return f"{name} is a parameter of {owners[0]}: there is nothing to inline" if owners and not stored else ""


def _several_signs(found: _Found, code: Code) -> str:
    """That an operator which is to become another one stands there more than once."""
    old, _ = swapped(found.string)
    rows = code.selected or range(len(code.file))
    places = (
        [one for one in operators(code.parsed) if one.operator == old and one.start[0] in rows] if code.parsed else []
    )
    if not old or len(places) < 2:
        return ""
    lines = ", ".join(map(str, sorted({code.first + one.start[0] for one in places})))
    return f"there are {len(places)} {old} in {code.path} (line {lines}); point at the line that is meant"


def _loops(code: Code) -> bool:
    """Whether there are loops, or the lines cannot be read."""
    kinds = ast.For | ast.AsyncFor | ast.While | ast.comprehension
    return not code.nodes or any(isinstance(node, kinds) for node in code.nodes)


# What is misspelt, or is to come and is there


def _listed_names(_: _Found, code: Code) -> str:
    """That what `os.listdir` gives are no paths, which can be asked what they are."""
    lists = any(isinstance(node, ast.Attribute) and node.attr == "listdir" for node in code.nodes)
    return (
        "os.listdir gives names and no paths: a name has to be joined to its folder before it is tested"
        if lists
        else ""
    )


def _misspelt(found: _Found, code: Code) -> str:
    name = found["name"]
    meant = "" if code.has(name) or is_word(found) else code.near(name)
    return f"there is no {name} in {code.where}; did you mean {meant}?" if meant else ""


def _docstring(_: _Found, code: Code) -> str:
    done = code.all_have("a docstring", [ast.get_docstring(each) is not None for each in code.meant])
    return f'{done}; to have another one say “change the docstring to "..."”' if done else ""


def _asked_docs(found: _Found, code: Code) -> str:
    name = docs_asked_of(found.string)
    known = name is not None and name in ("", *(each.name for each in code.meant))
    return _docstring(found, code) if known else ""


def _untold_docs(_: _Found, __: Code) -> str:
    return "say what is to stand there: spark makes up no descriptions"


def _return_type(_: _Found, code: Code) -> str:
    returns = [each.returns for each in code.functions]
    told = f" ({ast.unparse(returns[0])})" if len(returns) == 1 and returns[0] else ""
    return code.all_have(f"a return type{told}", [each is not None for each in returns])


def _return_type_untold(_: _Found, code: Code) -> str:
    """That nothing tells what a function returns whose type is asked for, or that it is told."""
    if done := _return_type(_, code):
        return done
    one = code.functions[0] if len(code.functions) == 1 else None
    known = one is None or "return" in certain(one)
    return (
        ""
        if known or one is None
        else f"nothing here tells what {one.name} returns; say it, as in “it returns a list of str”"
    )


def _hints(_: _Found, code: Code) -> str:
    typed = [each.returns is not None and _is_typed(each) for each in code.functions]
    if done := code.all_have("all its type hints", typed):
        return done
    bare = [each for one in code.functions for each in bare_names(one)]
    known = not bare or any(certain(one) for one in code.functions)
    return "" if known else f"nothing here tells the type of {', '.join(bare)}; say it, as in “{bare[0]} is a str”"


def _untold_empty(found: _Found, code: Code) -> str:
    """What is to be told where a function only fails when what it is given is empty."""
    told = re.search(r"(?i)\b(?:return|give|rais|default|instead|skip|should|must)", found.string)
    return "" if told or not code.functions else "say what it is to do then, as in “return None if it is empty”"


def _untold_start(found: _Found, code: Code) -> str:
    """What is to be told where something is added to that nothing sets up: what it begins with, or whose it is."""
    added = {one.target.id for one in code.nodes if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name)}
    bare = [one for one in sorted(added) if not re.search(rf"(?m)^\s*{one}\b.* = ", code.text)]
    told = [one for one in bare if re.search(rf"\b{one}\b", found.string)]
    name = next(iter(told or bare), "")
    return (
        f"nothing sets {name} before it is added to; say what it begins with, as in “set {name} = 0 before the loop”"
        if name
        else ""
    )


def _untold_number(_: _Found, code: Code) -> str:
    """That nothing tells which number is given back for what is empty."""
    name = code.functions[0].name if len(code.functions) == 1 and gives_numbers(code.functions[0]) else ""
    return f"{name} gives back a number; say which, as in “return 0 if it is empty”" if name else ""


def _one_by_one(found: _Found, _: Code) -> str:
    return f"cannot do both at once here; ask for “{found['first']}” first, and then for “return {found['value']}”"


def _comment(_: _Found, __: Code) -> str:
    return "say what the comment is to say, as in “add a comment above the loop saying one pass is enough”"


def _is_typed(function: Function) -> bool:
    return all(each.annotation or each.arg in ("self", "cls") for each in parameters(function))


def _decorator(found: _Found, code: Code) -> str:
    last = re.compile(rf"\b{re.escape(found['name'].rpartition('.')[2])}\b")
    having = [any(last.search(ast.unparse(each)) for each in one.decorator_list) for one in code.meant]
    return code.all_have(f"@{found['name']}", having)


def _parameter(found: _Found, code: Code) -> str:
    having = [any(each.arg == found["name"] for each in parameters(one)) for one in code.functions]
    return code.all_have(f"a parameter {found['name']}", having)


def _asynchronous(_: _Found, code: Code) -> str:
    done = [each.name for each in code.functions if isinstance(each, ast.AsyncFunctionDef)]
    return f"{', '.join(done[:3])} is async already" if done and len(done) == len(code.functions) else ""


_Rules = tuple[tuple[re.Pattern[str], Callable[[_Found, Code], str]], ...]
"""Words that ask for something, and what says what the code has against it, or ""."""


def _rules(*rules: tuple[str, Callable[[_Found, Code], str]]) -> _Rules:
    return tuple((re.compile(words, re.IGNORECASE), against) for words, against in rules)


def _first(rules: _Rules, words: str, code: Code) -> str:
    said = (against(found, code) for pattern, against in rules if (found := pattern.search(words)))
    return next(filter(None, said), "")


NAME = r"[`'\"]?(?P<name>[^\W\d]\w*(?:\.\w+)*)[`'\"]?(?![\w-])"
_MODULE = r"[`'\"]?(?P<module>\.*[^\W\d][\w.]*)[`'\"]?"
_ARTICLES = r"(?:(?:an?|the|all|any|that|this|these|those|my|new|missing)\s+)*"
_ADD = (
    r"\b(?:add|give|insert|include|create)\s+"
    r"(?:(?!(?:to|in|for|of|from|about|before|after)\b)[\w-]+\s+){0,3}?"
)
DROP = rf"\b(?:remove|delete|drop|get rid of|take out)\s+{_ARTICLES}"
_PARAMETER = r"(?:parameter|param|argument|arg)"
_TYPE = r"(?:int|str|string|float|bool|bytes|list|dict|tuple|set|integer)s?\b(?: of \w+|\[.*\])?"
_THING = r"(?:variable|local|attribute|field|constant|function|method|class|name)"
_RENAME = (
    rf"\brename (?:(?:the )?(?:{_THING}|{_PARAMETER}) )?(?P<the>the )?{NAME}\s*"
    r"(?:\b(?:to|as|into)\b|->|=>)\s*[`'\"]?(?:\w+\.)*(?P<new>[^\W\d]\w*)?"
)
_RENAME_TO_ANY = (
    rf"\brename (?:the )?(?:(?:{_THING}|{_PARAMETER}) )?{NAME}\s*"
    r"(?:\b(?:to|as|into)\b|->|=>)\s*(?:([`'\"])(?P<text>[^`'\"]*)\2|(?P<bare>[^\s,;]+))"
)
_OWNER = rf"(?:(?:{_THING}|{_PARAMETER}) )?"
_DROP_THING = rf"(?:{DROP}|\binline (?:the )?)(?:unused )?{_THING} {NAME}"
_DOCS_OF = (
    r"^\W*(?:please )?(?:(?:document|describe|explain) (?:the |its |all |each )*"
    r"(?:parameters?|params?|arguments?|args|return(?: value| type)?s?|result)"
    r"|add (?:an? |the )?(?:Args|Arguments|Parameters|Returns?|Raises) section"
    r"|update the doc ?string to mention (?:the )?[\w`]+(?: \w+)?)\W*$"
)
_COMMENT_IT = (
    r"^\W*(?:please |just )*comment(?: on)? (?:the|this|that|these|each|every|all|my|it)\b(?! ?out\b)"
    r"(?!.*(?:\b(?:out|away|as|with|say\w*|that|about|why)\b|[:\"'`#]))[\w ]*\W*$"
)
LEFT_WHEN_EMPTY = re.compile(
    r"(?i)^\W*(?:please |just )?(?:return|bail|exit|leave|stop)(?: out)?(?: early)?,? (?:if|when) (?!.*\breturn\b).*"
    r"\b(?:empty|blank|no|nothing)\b"
)
_ON_EMPTY = (
    r"\b(?:crash\w*|fail\w*|breaks?|blows? up|errors?|dies|throws?)(?: out)? (?:on|for|with|when|if)\b.*"
    r"\b(?:empty|blank|no \w+|nothing)\b|^IndexError\b"
)
EXAMPLE = re.compile(
    r"(?i)\b\w+\(.*\) (?:(?:now|still|always) )?(?:gives?|returns?|is|was|yields?|should|must|evaluates to|->|=>) "
    r"(?!None\b).*(?:\b(?:should|not|instead of|rather than|expected|but|must|want\w*)\b|\d)"
)
_GONE = _rules(
    (r"[-+*/%<>=!&|^@]", _several_signs),
    (_DOCS_OF, _untold_docs),
    (_COMMENT_IT, _comment),
    (r"\bdoc", _asked_docs),
    (_RENAME, _absent_name),
    (_RENAME, only_in_text),
    (_RENAME, clash),
    (_RENAME_TO_ANY, no_name),
    (
        (
            r"\b(?:unused|unneeded|unnecessary|needless|useless|dead) imports?\b(?!\s+(?:of\s+)?[`'\"]?\w+$)"
            r"|\bimports? (?:\w+ ){0,3}?(?:isn't|aren't|not|never|unused|nothing|nobody|no longer|don't)\b"
        ),
        nothing_unused,
    ),
    (rf"{DROP}(?:unused )?imports? (?:of )?{NAME}", absent_import),
    (rf"{DROP}(?:unused )?{NAME} import\b", absent_import),
    (rf"{DROP}(?:unused )?import (?:of )?{NAME}\W*$", used_import),
    (rf"{DROP}(?:unused )?{NAME} import\W*$", used_import),
    (rf"^\W*(?:please )?{DROP}[^.;]* imports?\W*$|^\W*(?:please )?{DROP}[^.;]*(?: and |,)", listed_imports),
    (rf"^\W*(?:please )?(?P<bare>{DROP}){NAME}\W*$", absent_import),
    (rf"^\W*(?:please )?{DROP}{NAME}\W*$", used_import),
    (r"\bunused (?:local )?variables?\b", _unused_variables),
    (rf"\bunused {_PARAMETER}s?\b", _unused_parameters),
    (rf"{DROP}(?:unused )?{_PARAMETER} {NAME}(?!.*\bcall)", _absent_parameter),
    (_DROP_THING, _absent_name),
    (rf"\binline (?:the )?(?:{_OWNER}|value of ){NAME}", _nothing_to_inline),
    (rf"{DROP}calls? (?:to|of) {NAME}", _absent_name),
    (r"\buse enumerate\b", lambda _, code: "" if _loops(code) else f"there is no loop in {code.where}"),
    (rf"{_ADD}(?:type|type hints?|annotation|doc ?string) to (?:the )?{_OWNER}{NAME}(?=\W*$)", _absent_name),
    (rf"\breplace (?:the )?{NAME} (?:with|by)\b", _absent_name),
    (r"\b(?:replace|change) (?:the )?(?:\w+ )?(?P<quoted>([`'\"])(?P<text>[^`'\"]+)\2) (?:with|by|to)\b", _absent_text),
)
_DONE = _rules(
    (rf"{BY_ZERO}|^\W*ZeroDivisionError\b", lambda found, code: untold(found.string, code)),
    (LEFT_WHEN_EMPTY.pattern, _untold_number),
    (AND_RETURN.pattern, _one_by_one),
    (
        EXAMPLE.pattern,
        lambda *_: "an example does not tell which line is wrong; make it a test and give that with --check",
    ),
    (_ON_EMPTY, _untold_empty),
    (r"UnboundLocalError|referenced before assignment|not associated with a value", _untold_start),
    (r"\b(?:skip|ignore|leave out|exclude|only)\b.*\b(?:sub)?(?:director(?:y|ies)|folders?|files)\W*$", _listed_names),
    (_RENAME, _misspelt),
    (_DROP_THING, _misspelt),
    (_RENAME, taken),
    (rf"{_ADD}returns? (?:type|hint|annotation)", _return_type),
    (rf"^\W*(?:annotate |type )?{NAME}(?: is| should be| as|:) (?:an? )?{_TYPE}\W*$", _absent_parameter),
    (r"\b(?:annotate|type|hint|specify|declare) (?:the )?return (?:type|value)s?\W*$", _return_type_untold),
    (rf"{_ADD}(?:return type|return annotation)s?\W*$", _return_type_untold),
    (rf"{_ADD}type (?:hints|annotations)\b", _hints),
    (rf"{_ADD}doc ?string\b(?! (?:entry|line|section|of))", _docstring),
    (
        r"\b(?:add|write|put|insert) (?:an? |some )?(?:\w+ )?comments?\b(?!.*(?:\bsay|\bread|\bthat\b|[:\"'`#]))",
        _comment,
    ),
    (rf"{_ADD}(?:decorator\s+)?@(?P<name>[^\W\d][\w.]*)", _decorator),
    (rf"\badd {_ARTICLES}{_PARAMETER} (?:called |named )?{NAME}", _parameter),
    (rf"^\W*(?:please |also |add )*import {NAME}(?: from {_MODULE})?\W*$", imported_already),
    (rf"^\W*(?:please |also |add )*from {_MODULE} import {NAME}\W*$", imported_already),
    (rf"\badd {_ARTICLES}import (?:of |for )?{NAME}", imported_already),
    (r"\b(?:sort|order|organi[sz]e)(?:ed)? (?:\w+ ){0,2}imports?\W*$|\bisort\b|\bI001\b", in_order),
    (r"^\W*(?:please )?(?:add|fix|insert) (?:the |all |any )?missing imports?\W*$", nothing_missing),
    (r"\b(?:clean(?: up)?|tidy(?: up)?) (?:\w+ )??imports?\W*$", nothing_to_tidy),
    (r"\bmake (?:it|this|the (?:function|method)|\w+) (?:async|a coroutine)\b(?! (?:for|with))", _asynchronous),
)

# What words may speak of as being there, and what shows that it is


def _any(*kinds: type[ast.AST]) -> Callable[[Code], bool]:
    return lambda code: any(isinstance(node, kinds) for node in code.nodes)


def _with(*fields: str) -> Callable[[Code], bool]:
    return lambda code: any(getattr(node, field, None) for node in code.nodes for field in fields)


def _has_default(code: Code) -> bool:
    return any(node.defaults or any(node.kw_defaults) for node in code.nodes if isinstance(node, ast.arguments))


def _has_docstring(code: Code) -> bool:
    owners = (node for node in code.nodes if isinstance(node, Function | ast.ClassDef | ast.Module))
    return any(ast.get_docstring(node) is not None for node in owners)


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_THINGS: tuple[tuple[str, Callable[[Code], bool]], ...] = (
    ("doc ?string", _has_docstring),
    ("todo", lambda code: "todo" in code.text.lower()),
    ("fixme", lambda code: "fixme" in code.text.lower()),
    ("comment", lambda code: "#" in code.text),
    ("decorator", _with("decorator_list")),
    ("print", lambda code: "print" in code.names),
    ("type (?:hint|annotation)", _with("annotation", "returns")),
    ("return (?:type|hint|annotation)", _with("returns")),
    ("(?:mutable )?default", _has_default),
    ("while loop", _any(ast.While)),
    ("for loop", _any(ast.For, ast.AsyncFor)),
    ("loop", _loops),
    ("if", _any(ast.If, ast.IfExp)),
    ("(?:list |dict |set )?comprehension", _any(*_COMPREHENSIONS)),
    ("ternary", _any(ast.IfExp)),
    ("lambda", _any(ast.Lambda)),
    ("f-?string", _any(ast.JoinedStr)),
    ("try", _any(ast.Try)),
    ("except", _any(ast.ExceptHandler)),
    ("finally", _with("finalbody")),
    ("else", _with("orelse")),
    ("assert(?:ion)?", _any(ast.Assert)),
    ("await", _any(ast.Await)),
    ("yield", _any(ast.Yield, ast.YieldFrom)),
)
_FOLLOWS = (
    r"s?(?:\s+(?:call|statement|block|branch|clause|argument|value|expression|line|comment)s?)?"
    r"(?=\W*$|\s*[,.;:)]|\s+(?:in|of|from|to|with|into|by|at|on|and|here|please|for|instead)\b)"
)
"""What may stand behind such a thing; before another noun it is a part of that one's name."""
_CHANGE = (
    r"(?:remove|delete|drop|get rid of|take out|fix|change|replace|convert|turn|inline|simplify|rewrite|unwrap|merge"
    r"|shorten|reword|correct)"
)
_ABSENT = tuple(
    (
        re.compile(
            rf"\b{_CHANGE}\s+{_ARTICLES}(?:(?:unused|debug|useless|redundant|outer|inner|first|last|wrong|old)\s+)?"
            rf"(?P<thing>{words}){_FOLLOWS}",
            re.IGNORECASE,
        ),
        is_there,
    )
    for words, is_there in _THINGS
)


def _absent_thing(words: str, code: Code) -> str:
    """That a piece of code that is to be changed is not there."""
    for pattern, is_there in _ABSENT:
        if (found := pattern.search(words)) and code.nodes and not is_there(code):
            return f"there is no {found['thing'].lower()} in {code.where}"
    return ""
