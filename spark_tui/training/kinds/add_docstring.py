"""Add a docstring to a function, class or module: with the given words, or one line made from the name."""

import ast
import re
from random import Random

from spark_tui.editing.code import Function, docstring_node, header, indentation
from spark_tui.editing.codemods.add_docstring import words_of
from spark_tui.editing.script import TOP, Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted

Scope = Function | ast.ClassDef | ast.Module
_TO = "[to {function}|to <the> <function> {function}|to the class {class}|to class {class}|for {function}|for {class}|on {function}|]"
_POOL = """
Return the number of items.|Run the command and wait for it.|Read the whole file into memory|Check the arguments.
|A helper for the tests.|Build the query from its parts.|Compute the checksum of the data.|Yield one row at a time.
|Not thread safe.|Send the request and return the response|Hold the state of one session.|Convert to and from JSON.
|Find the best match, or None.|Write everything that is pending.|Raise when something is missing.|Clean up afterwards.
|Split the text into words.|Keep the connection open.|Parse one line of the log.|Whether the user may do this.
|Internal use only|Merge two sorted lists.|Called once per frame.|Load the settings of the user.|Draw the window.
|Utilities for dates and times.|The entry point of the program.|Remove all expired entries.|Make a copy.
"""


class AddDocstring(Kind):
    """`add a docstring: ...`."""

    name = "add_docstring"
    weight = 2.0
    skeletons = """
        <add> [a|the|] <docstring> TO[:| saying| that says| with the text| which reads|,] {text}
        <add> [the|this|] <docstring> {text} TO
        <add> {text} as [the|a|its] <docstring> TO
        <add> a [one-line|short|brief|] <docstring> TO saying {text}
        add docstring TO: {text}
        add docstring {text}
        <docstring>: {text}
        [docstring TO|docs TO|docstring] {text}
        <docstring> TO <should> [be|say|read] {text}
        the <docstring> <should> [be|say|read][:|] {text}
        <document> [{function}|<the> <function> {function}|the class {class}|{class}|it|this] [with|as|:|like this:] {text}
        <document> [it|this] as {text}
        <give> [{function}|<the> <function> {function}|{class}|the class {class}|it|this] [a|the] <docstring>[:| saying| that says|] {text}
        <give> it [a|this] <docstring>[:|] {text}
        <write> [a|the|] <docstring> TO[:| saying| that says| with the words|] {text}
        <put> {text} [in|into] the <docstring> TO
        <put> {text} as [a|the] <docstring> [at the top|under the header|below the signature|on top] [of {function}|of {class}|]
        <put> [a|the] <docstring> TO: {text}
        <set> the <docstring> TO to {text}
        <use> {text} [as|for] the <docstring> TO
        <want> a <docstring> TO[:| saying| that reads] {text}
        <want> {text} as <docstring> TO
        <describe> [{function}|{class}|it|this|what it does][:| as| like this:] {text}
        [{function}|{class}|this|this one|it] [has no docstring|is undocumented|is not documented|is without a docstring|has no docs][, add|, write|; add|: add|. put] {text}
        [{function}|{class}|this|it] needs [a docstring|docs|documentation][:|, say|, namely|; write] {text}
        [{function}|{class}|this|it] <should> have [a|the|this] <docstring>[:|] {text}
        [{function}|{class}|this|it] lacks a <docstring>[,|;|:] [it should be|make it|use|put|] {text}
        there is no <docstring> [on {function}|in {function}|on {class}|here|][,|;|:] [add|put|write|it should say] {text}
        <missing> <docstring> TO[:|, should be|; use|, add] {text}
        <lint>: missing docstring TO[,|;|:] [add|use|it should be] {text}
        D103 [missing docstring|undocumented] TO[:|, use|, add] {text}
        C0116 missing-function-docstring[:|, use|; write] {text}
        pydocstyle wants a docstring TO[:|, use|; give it] {text}
        why is there no <docstring> TO ? [add|put|write] {text}
        why is [{function}|{class}|this] not documented ? [say|write|add] {text}
        [what does {function} do|what is {class} for|what does this do] ? [document it|write down|add a docstring]: {text}
        nobody knows what [{function}|{class}|this] [does|is for][,|;|:] [document it with|add the docstring|explain:] {text}
        [explain|say] in the <docstring> TO: {text}
        [say|state|note|mention] {text} in [a|the] <docstring> TO
        [insert|place] {text} as [documentation|docs|docstring] TO
        [new|initial] <docstring> TO: {text}
        [triple-quoted|one line] docstring TO: {text}
        [start|open|begin] [{function}|{class}|the body|it] with the <docstring> {text}
        [it|{function}|{class}] <should> start with the <docstring> {text}
        let the <docstring> TO [say|read|be] {text}
        <make> {text} the <docstring> TO
        [i'd like|could we have|can we have|can i have|may i have] a <docstring> TO[:| saying|, something like] {text}
        [the|its] help text [TO|] <should> [be|say|read] {text}
        help({function}) should [show|say|print] {text}
        [future readers|new people|users|readers] need a <docstring> TO[:| that says|;] {text}
        <add> documentation TO[:|,| saying] {text}
        <add> [a <docstring>|docs] TO with [this|the following] [content|text|description|summary][:|] {text}
        [also|and] document [{function}|{class}|this][:| with|, as] {text}
        <docstring> [missing|absent][,|;|:] {text}
        fill in the <docstring> TO: {text}
        <add> {text} [under|right after|directly below|just below] the [def|signature|header] [of {function}|of {class}|] as <docstring>
        doc {text}
        [doc|docstr] TO = {text}
        __doc__ [of {function}|of {class}|] = {text}
        <add> a{unsaid} <docstring> TO
        <add> [a|the] missing <docstring>{unsaid} TO
        <add>{unsaid} [docs|documentation] TO
        <document>{unsaid} [{function}|<the> <function> {function}|{class}|the class {class}|this]
        <write> [a|some] <docstring>{unsaid} TO
        <give>{unsaid} [{function}|{class}|it|this] a <docstring>
        [{function}|{class}|this|it]{unsaid} [has no|needs a|lacks a|is missing a|<should> have a] <docstring>
        <lint>: missing docstring{unsaid} TO
        D103{unsaid} [missing docstring|undocumented] TO
        missing <docstring>{unsaid} TO
        why is there no <docstring>{unsaid} TO ?
        [one-line|short|simple|brief|default] docstring{unsaid} TO
        [generate|make up|come up with|sketch|stub|template]{unsaid} a <docstring> TO
        <fix> the missing <docstring>{unsaid} TO
        [someone|we|they] forgot the <docstring>{unsaid} TO
        [nobody|no one] documented [{function}|{class}|this]{unsaid}
        [document|docstring|docs]{unsaid} please
        there is no <docstring>{unsaid} TO
        no docstring here. add one: {text}
        no docs on [{function}|{class}|it|this], {text} [would do|will do|is fine|is enough]
        undocumented. {text}
        D103 Missing docstring in public function [`{function}`|{function}]: {text}
        D102 Missing docstring in public method `{function}`[. Say|; |: ]{text}
        D101 Missing docstring in public class `{class}`[ -> |: |. Use ]{text}
        D100 Missing docstring in public {module}: {text}
        D105/D107 Missing docstring in {function}[ -- |: ]{text}
        C0116: Missing function or method docstring (missing-function-docstring) -> {text}
        C0115: Missing class docstring for {class}[ => |: |, ]{text}
        interrogate fails on [{function}|{class}|this one]: {text}
        sphinx shows [nothing|an empty entry|a blank] TO, i'd like {text}
        [autodoc|the api page|help()] is empty TO. {text}
        hovering over [{function}|{class}|it] shows nothing; [let it|should] show {text}
        TO just one line up there: {text}
        one sentence at the top [of {function}|of {class}|] would help. {text}
        a one-liner is enough TO: {text}
        say what [{function}|{class}|it|this] is for: {text}
        tell the reader: {text}
        what [{function}|{class}|this] does is not obvious. [put it in words|spell it out|say so]: {text}
        i had to read [all of it|the whole body|the code] to see what [{function}|{class}|it] does. {text}
        [{function}|{class}|this] could use [a word of explanation|a line of docs|a description]: {text}
        can we have {text} as the first thing in [{function}|{class}|it] ?
        first line of [{function}|{class}|the body] = a docstring, {text}
        {text} goes [on top|under the def|below the header|first] [as docstring|in triple quotes]
        triple quotes, {text}
        three double quotes and {text}
        {text} <- docstring [of {function}|of {class}|]
        docstring -> {text}
        ds: {text}
        [{function}|{class}]: {text} [(docstring)|as docstring|in its docs]
        [{function}|{class}] <- docstring {text}
        the sentence {text} belongs in the docs [of {function}|of {class}|]
        there should be [some|a bit of|one line of] prose TO: {text}
        [public|exported] so it has to be documented. {text}
        public api without [docs|a docstring|any docs]: {text}
        new hires ask [what this is|what it does|about {function}|about {class}] every time, write {text} there
        [{function}|{class}|it] is [the only one|the last one] without docs. {text}
        the neighbours all have a docstring, [{function}|{class}|this one] has not: {text}
        review said document [{function}|{class}|it]. {text}
        can you put this into words for the docs: {text}
        ide help: {text}
        summary line[:| -> | = ]{text}
        {module} docs: {text}
        {module} level docs are missing[: |, ]{text}
        not a comment but a [real|proper] docstring: {text}
        not as a comment, [it must|let it] show up in help(): {text}
        turn on docs TO with {text}
        __doc__ is None TO. [should be|i want|make it] {text}
        {function}.__doc__ is None[, it should be|, make that|; give it] {text}
        {class}.__doc__ [is|should be] {text}
        describe [{function}|{class}] in one line, e.g. {text}
        quote me on this in [{function}|{class}|it]: {text}
        docstring with the following words TO: {text}
        no{unsaid} docs on [{function}|{class}|this]
        D103{unsaid} Missing docstring in public function `{function}`
        D102 Missing docstring in public method{unsaid} {function}
        C0116: Missing function or method docstring{unsaid}
        interrogate{unsaid} complains, no docstring [on {function}|on {class}|]
        undocumented{unsaid}
        {function} could do with a line{unsaid} of docs
        say{unsaid} what {function} does at the top of it
        help({function}) is empty{unsaid}
        public but{unsaid} undocumented
        one{unsaid} line of docs TO is enough
        what does{unsaid} {function} do? needs a docstring
        {function}{unsaid} without docs won't pass review
        sphinx{unsaid} has nothing to show TO, it lacks a docstring
    """.replace("TO", _TO).replace("<describe>", "[describe|explain|document|summarize]")

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take a docstring away; its first line is what will be asked for."""
        scopes = [scope for scope in _scopes(snippet) if _removable(snippet, scope)]
        if not scopes:
            return None
        scope = rng.choice(scopes)
        node = docstring_node(scope)
        assert node is not None
        first, last = node.lineno - 1, node.end_lineno or node.lineno
        while last < len(snippet.lines) and not snippet.lines[last].strip():
            last += 1
        bare = Snippet((*snippet.lines[:first], *snippet.lines[last:]))
        summary = " ".join((ast.get_docstring(scope) or "").split("\n\n")[0].split())
        if not 3 <= len(summary) <= 90 or not _tellable(summary):
            return Planted(bare)
        at = next((one for one in _scopes(bare) if _same(one, scope) and _insertable(bare, one)), None)
        return Planted(bare, None if at is None else _edit(bare, at, summary, {"text": summary}))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Words from a pool, or made from the name, for something undocumented."""
        scopes = [scope for scope in _scopes(snippet) if _insertable(snippet, scope)]
        if not scopes:
            return None
        scope = rng.choice(scopes)
        if not isinstance(scope, ast.Module) and rng.random() < 0.25 and (words := _from_name(scope.name)):
            return _edit(snippet, scope, words, {"unsaid": ""})
        text = rng.choice(_POOL.replace("\n", "").split("|"))
        return _edit(snippet, scope, text, {"text": text})


def _scopes(snippet: Snippet) -> list[Scope]:
    inner = [node for node in ast.walk(snippet.tree) if isinstance(node, Function | ast.ClassDef)]
    module: list[Scope] = [] if len(snippet.tree.body) == 1 and inner else [snippet.tree]
    return [*module, *inner]


def _same(one: Scope, other: Scope) -> bool:
    return type(one) is type(other) and getattr(one, "name", "") == getattr(other, "name", "")


def _removable(snippet: Snippet, scope: Scope) -> bool:
    node = docstring_node(scope)
    if node is None or len(scope.body) < 2 or snippet.lines[(node.end_lineno or 1) - 1].rstrip()[-1:] not in "\"'":
        return False
    return isinstance(scope, ast.Module) or _header_end(snippet, scope) == node.lineno - 1


def _header_end(snippet: Snippet, scope: Function | ast.ClassDef) -> int | None:
    """The 1-based last line of `def ...:` or `class ...:`; None when it cannot be told."""
    if isinstance(scope, ast.ClassDef):
        line = snippet.lines[scope.lineno - 1]
        return scope.lineno if re.search(r":\s*(#.*)?$", line) else None
    found = header(snippet, scope)
    return None if found is None else found.colon[0] + 1


def _insertable(snippet: Snippet, scope: Scope) -> bool:
    if docstring_node(scope) is not None or not scope.body:
        return False
    if isinstance(scope, ast.Module):
        return not snippet.margin and not re.match(r"#|\s", snippet.lines[0])
    end = _header_end(snippet, scope)
    return end is not None and scope.body[0].lineno > end


def _edit(snippet: Snippet, scope: Scope, text: str, slots: dict[str, str]) -> Edit:
    if isinstance(scope, ast.Module):
        return Edit((Insert(TOP, (f'"""{text}"""', "")),), {**slots, "module": "module"})
    first = min([scope.body[0].lineno, *(one.lineno for one in getattr(scope.body[0], "decorator_list", []))])
    place = "class" if isinstance(scope, ast.ClassDef) else "function"
    line = indentation(snippet.lines[first - 1]) + f'"""{text}"""'
    end = _header_end(snippet, scope)
    assert end is not None
    return Edit((Insert(end - 1, (line,)),), {**slots, place: scope.name})


def _tellable(text: str) -> bool:
    return '"' not in text and "\\" not in text and text.isprintable()


def _from_name(name: str) -> str:
    words = words_of(name)
    return words[:1].upper() + words[1:] + "." if len(words) > 3 and not name.startswith("__") else ""
