"""Put docstrings in shape."""

import re
from collections.abc import Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, end_of, indentation, start_of
from spark_tui.editing.codemods.common.tidy import Spot
from spark_tui.editing.codemods.docstring_style import docstrings, spots
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.tidying import plant_spots, propose_spots, said

_RULES = ("period", "capital", "quotes", "oneline", "mood", "blank", "strip")
_VERBS = """
return get set compute create build check convert load parse read write make find remove add update run call
yield apply generate handle register initialize determine wrap format validate print start stop open close send
extract merge process split test calculate retrieve fetch save store delete ensure return render
"""


class DocstringStyle(Kind):
    """A docstring gets its period, its capital letter, double quotes, one line, the imperative, a blank line.

    Slots: a slot named as a rule is "" and says which; {what} what people call one or several; {all_of} when all
    rules are meant. Of one docstring {third} and {verb}, {lower} and {upper} are its first word before and after.
    """

    name: ClassVar[str] = "docstring_style"
    skeletons: ClassVar[str] = """
<add> [a|the|the <missing>] [period|full stop|dot] [to|at the end of] the {what}{period}
<put> a [period|full stop|dot] at the end of the [first line of the|summary of the|] {what}{period}
end the {what} with a [period|full stop|dot]{period}
the {what} <should> end [with|in] a [period|full stop|dot]{period}
the [first line|summary] [of the {what}|] <should> end [with|in] a [period|full stop|dot]{period}
the {what} [has no|lacks a|is missing its|misses a] [period|full stop|final dot]{period}
there's no [period|full stop|dot] [at the end of|in] the {what}{period}
<missing> [period|full stop] in the {what}{period}
D400 First line should end with a period{period}
D415 First line should end with a period, question mark, or exclamation point{period}
pydocstyle: D400{period}
[period|full stop] [please|] at the end of the {what}{period}
<nit>: [period|full stop] at the end of the {what}{period}
<review>: {what} <should> end with a period{period}
[i|we] forgot the [period|full stop] in the {what}{period}
punctuate the {what}{period}
[capitalize|capitalise] the [first word|first letter|beginning|start] [of the {what}|]{capital}
[capitalize|capitalise] the {what}{capital}
start the {what} with a capital [letter|]{capital}
the {what} <should> [start|begin] with a capital [letter|]{capital}
the {what} [starts|begins] with a lower[-| |]case letter{capital}
D403 First word of the first line should be capitalized{capital}
D403 First word of the docstring should be capitalized: <fix> it{capital}
[upper case|uppercase|a capital letter] for the [first word|start] of the {what}{capital}
<nit>: capital letter [in|at the start of] the {what}{capital}
<review>: the {what} <should> start with an uppercase letter{capital}
why does the {what} [start|begin] in lower case{capital}
<use> triple double quotes [for|around|in] the {what}{quotes}
<use> \"\"\" [for|around] the {what}{quotes}
<change> the quotes of the {what} [to \"\"\"|to triple double quotes]{quotes}
the {what} <should> [use|have|be in] triple double quotes{quotes}
D300 Use triple double quotes{quotes}
D300 Use \"\"\"triple double quotes\"\"\"{quotes}
wrong quotes [around|in|on] the {what}{quotes}
the {what} [uses|has] the wrong quotes{quotes}
<nit>: triple double quotes for the {what}{quotes}
<review>: the {what} needs \"\"\"{quotes}
double quotes for the {what}{quotes}
<put> the {what} on one line{oneline}
<make> the {what} a one-liner{oneline}
<make> it a [one-line|one line|single line|single-line] {what}{oneline}
the {what} fits on one line{oneline}
D200 One-line docstring should fit on one line{oneline}
D200: one-line docstrings should fit on one line with quotes{oneline}
the {what} <should> be on [one|a single] line{oneline}
no need for [three lines|several lines], the {what} fits on one line{oneline}
[join|collapse|shorten] the {what} to one line{oneline}
<nit>: {what} on one line{oneline}
<use> the imperative [mood|form|] [in|for] the {what}{mood}
<put> the {what} in [the |]imperative mood{mood}
the {what} <should> be [in the imperative|in imperative mood|imperative]{mood}
D401 First line of docstring should be in imperative mood{mood}
D401 First line should be in imperative mood{mood}
the {what} is in [the|] third person, <should> be imperative{mood}
<rewrite> the {what} in [the|] imperative{mood}
phrase the {what} as a command{mood}
<nit>: imperative mood in the {what}{mood}
<review>: imperative please, not third person{mood}
<add> a blank line after the [summary|first line] [of the {what}|]{blank}
D205 1 blank line required between summary line and description{blank}
<put> an empty line after the [summary|first line] [of the {what}|]{blank}
[a|the] blank line after the [summary|first line] of the {what} is <missing>{blank}
the {what} needs a blank line [after the summary|after the first line|between summary and description]{blank}
separate the [summary|first line] from the rest [of the {what}|] with a blank line{blank}
<nit>: blank line after the summary line{blank}
<remove> the [spaces|whitespace] [around|inside] the {what}{strip}
<remove> the whitespace [around the docstring text|inside the quotes|next to the quotes]{strip}
D210 No whitespaces allowed surrounding docstring text{strip}
no [spaces|whitespace] inside the quotes of the {what}{strip}
strip the whitespace from the {what}{strip}
there's [extra|needless] whitespace in the {what}{strip}
<fix> the [style|format|formatting|form] of the {what}{all_of}
<fix> the {what} style{all_of}
[clean up|tidy up|tidy|format] the {what}{all_of}
<make> the {what} [conform to|follow|comply with] PEP 257{all_of}
PEP 257 for the {what}{all_of}
pydocstyle [complains|is not happy] about the {what}{all_of}
the {what} is badly formatted{all_of}
the {what} [looks sloppy|doesn't follow our style|is sloppy]{all_of}
<review>: docstring style{all_of}
@[fix|tidy] this docstring{all_of}
@<missing> period{period}
@<add> a [period|full stop] [here|]{period}
@[capitalize|capitalise] this{capital}
@one line [is enough|]{oneline}
a sentence ends with a [period|full stop]{period}, the {what} too
. at the end of the {what}{period}
[missing|no] . in the {what}{period}
full sentence, so [a|with] period{period}
D400 \\[*\\] First line should end with a period{period}
D415 \\[*\\]{period}
the {what} [just stops|ends] without [punctuation|a period]{period}
punctuation missing [in|at the end of] the {what}{period}
{what} without a [dot|full stop] at the end{period}
add . to {what}{period}
the final . is missing{period}
our other docstrings have a period [at the end|]{period}
{lower} -> {upper} in the {what}{capital}
{upper}, not {lower}{capital}
{lower} should be {upper}{capital}
{lower} at the start of the {what} wants a capital{capital}
D403 First word of the docstring should be capitalized: `{lower}` -> `{upper}`{capital}
D403 \\[*\\]{capital}
the {what} starts small{capital}
a sentence begins with a capital, the {what} too{capital}
uppercase first letter in the {what}{capital}
no lower case at the start of the {what}{capital}
capital missing{capital} at the beginning of the {what}
first letter [of the {what}|] should be big{capital}
sentence case for the {what}{capital}
''' -> \"\"\"{quotes}
\"\"\" not '''{quotes}
three double quotes around the {what}{quotes}
why ''' around the {what}{quotes}
{what} in \"\"\"{quotes}
D300 Use triple double quotes `\"\"\"`{quotes}
Q002 Single quote docstring found but double quotes preferred{quotes}
Q001 Single quote multiline found{quotes}
the {what} isn't in \"\"\"{quotes}
PEP 257 wants \"\"\" for the {what}{quotes}
[single|plain] quotes around the {what}, [should be|make it] \"\"\"{quotes}
three lines for one sentence{oneline}
one sentence, one line{oneline}
{what} in one line{oneline}
too much vertical space for that {what}{oneline}
squeeze the {what} onto one line{oneline}
it's short enough for one line{oneline}, the {what}
D200 \\[*\\] One-line docstring should fit on one line{oneline}
fix D200{oneline}
unwrap the {what}{oneline}
why is the {what} spread over [three|several] lines{oneline}
{what}: single line{oneline}
no line breaks in the {what}, it's short{oneline}
{third} -> {verb} in the {what}{mood}
{verb}, not {third}{mood}
{verb} instead of {third}{mood}
{third} should be {verb}{mood}
the {what} says {third}, we write {verb}{mood}
D401 First line of docstring should be in imperative mood; try rephrasing (found '{third}'){mood}
D401 First line of docstring should be in imperative mood: "{third}"{mood}
imperative: {verb}{mood}
no {third}, say {verb}{mood}
no -s on the verb{mood}
verb without s in the {what}{mood}
no third person [in the {what}|]{mood}
{what} like git commits, in the imperative{mood}
tell it what to do, not what it does{mood}
D401{mood}
the {what} describes, it should command{mood}
no blank line after the summary{blank}
summary and description run into each other{blank}
D205 \\[*\\]{blank}
summary, empty line, rest{blank}
sphinx takes it all for the summary, blank line missing{blank}
air between summary and description{blank}
line two of the {what} should be empty{blank}
separate the summary [visually|] from what follows{blank}
blank line between first line and the rest of the {what}{blank}
newline missing after the first sentence of the {what}{blank}
spaces between the quotes and the text{strip}
D210 \\[*\\] No whitespaces allowed surrounding docstring text{strip}
padding inside the {what}{strip}, away with it
the {what} is padded{strip}
blank before and after the text of the {what}{strip}, both can go
pydocstyle{all_of}
run docformatter{all_of}
docformatter would change [this|the {what}]{all_of}
D2xx / D4xx{all_of}
ruff --select D --fix{all_of}
the {what} breaks our conventions{all_of}
bring the {what} in line with the others{all_of}
pep257 [please|]{all_of}
the {what} could be tidier{all_of}
{what} formatting is off{all_of}
lint errors [in|from] the {what}{all_of}
@. missing{period}
@full stop{period}
@D400{period}
@capital letter{capital}
@D403{capital}
@one line{oneline}
@D200{oneline}
@D401{mood}
@imperative{mood}
@{verb}, not {third}{mood}
@{third} -> {verb}{mood}
@D205{blank}
@D300{quotes}
@\"\"\"{quotes}
@D210{strip}
@blank line after the summary{blank}
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Spoil docstrings in one way, now and then in two."""
        planted = None
        for _ in range(1 if rng.random() < 0.8 else 2):
            place = planted.snippet if planted else snippet
            rule = rng.choice(_RULES)
            planted = plant_spots(place, list(_spoilt(place, rule)), rng, all_of=0.6) or planted
        return planted

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Do one rule in all docstrings or in one, or all rules but the mood."""
        count = len(docstrings(snippet))
        word = said(
            rng,
            "docstring|docstring|doc string|documentation|doc"
            if count == 1
            else "docstrings|docstrings|doc strings|documentation",
        )
        rules = [rule for rule in _RULES if any(spots(snippet, [rule]))]
        if "mood" in rules and not all(_is_verb(one) for one in spots(snippet, ["mood"])):
            rules.remove("mood")
        everything = list(spots(snippet, [rule for rule in _RULES if rule != "mood"]))
        if rules and everything and rng.random() < 0.25:
            chosen, slots = everything, {"all_of": "", "what": word}
        elif rules:
            rule = rng.choice(rules)
            chosen, slots = list(spots(snippet, [rule])), {rule: "", "what": word}
        else:
            return None

        def many(group: Sequence[Spot]) -> dict[str, str]:
            told = {**slots, **_words(snippet, group[0])} if len(group) == 1 else slots
            return {**told, "what": "docstring"} if len(group) == 1 and count > 1 else told

        edit = propose_spots(snippet, chosen, rng, one=lambda _: {}, many=many, alone=0.25)
        return Edit(edit.ops, {**slots, **edit.slots}, edit.selected) if edit and edit.selected else edit


def _is_verb(spot: Spot) -> bool:
    """Whether what the first word became is surely a verb: "Timestamps" is none."""
    first = re.search(r"[A-Za-z]+", spot.text.lstrip("rRuU"))
    return first is not None and first[0].lower() in _VERBS.split()


def _words(snippet: Snippet, spot: Spot) -> dict[str, str]:
    """The first word of a docstring before and after, where the rule is about it."""
    old = re.search(r"[A-Za-z]+\b(?![\"'])", snippet.lines[spot.start[0]][spot.start[1] :])
    new = re.search(r"[A-Za-z]+\b(?![\"'])", spot.text)
    if old is None or new is None or old[0] == new[0]:
        return {}
    names = {"capital": ("lower", "upper"), "mood": ("third", "verb")}.get(spot.sort)
    return dict(zip(names, (old[0], new[0]), strict=True)) if names else {}


def _spoilt(snippet: Snippet, rule: str) -> list[Spot]:
    found = []
    for node in docstrings(snippet):
        (first, start), (last, end) = start_of(snippet, node), end_of(snippet, node)
        text = snippet.lines[first][start:] if first != last else snippet.lines[first][start:end]
        new = _spoil(text, rule, first == last, indentation(snippet.lines[first]))
        if new is not None:
            stop = (first, end) if first == last else (first, len(snippet.lines[first]))
            below = snippet.lines[first + 1] if first < last else "x"
            if rule == "blank" and first < last - 1 and not below.strip() and re.search(r"[.!?]$", text):
                stop, new = (first + 1, 0), text + "\n"
                found.append(Spot((first, start), (first + 2, 0), new, rule))
            elif rule != "blank" and (rule != "period" or first == last or not below.strip()):
                found.append(Spot((first, start), stop, new, rule))
    return [one for one in found if all(len(line) <= MAX_WIDTH for line in one.text.split("\n"))]


def _spoil(text: str, rule: str, whole: bool, margin: str) -> str | None:
    """The first line of a docstring (all of it when `whole`) with a flaw."""
    match = re.fullmatch(r'([rR]?""")(\S.*?)("""|)', text)
    if not match or (match[3] == "") == whole:
        return None
    opening, content, closing = match.groups()
    if rule in ("period", "capital", "mood", "blank"):
        new = _worded(content, rule)
        return None if new is None else f"{opening}{new}{closing}"
    if not whole or (rule == "quotes" and set("'\"\\") & set(content)):
        return None
    return {
        "quotes": f"{opening.replace(chr(34), chr(39))}{content}'''",
        "oneline": f"{opening}\n{margin}{content}\n{margin}{closing}",
        "strip": f"{opening} {content} {closing}",
    }[rule]


def _worded(content: str, rule: str) -> str | None:
    verb = content.partition(" ")[0]
    if rule == "period":
        return content[:-1] if re.search(r"[^.]\.$", content) else None
    if rule == "capital":
        return content[0].lower() + content[1:] if re.match(r"[A-Z][a-z]+\s", content) else None
    if rule == "mood" and verb.lower() in _VERBS.split():
        third = re.sub(r"([^aeiou])y$", r"\1ie", verb) if not re.search(r"(ss|sh|ch|x)$", verb) else verb + "e"
        return f"{third}s{content[len(verb) :]}"
    return content if rule == "blank" else None
