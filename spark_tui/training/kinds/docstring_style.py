"""Put docstrings in shape."""

import re
from collections.abc import Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, end_of, indentation, start_of
from spark_tui.editing.codemods.docstring_style import docstrings, spots
from spark_tui.editing.codemods.tidy import Spot
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

    Slots: a slot named as a rule is "" and says which; {docstrings} what people call one or several; {all_of} when all
    rules are meant.
    """

    name: ClassVar[str] = "docstring_style"
    skeletons: ClassVar[str] = """
<add> [a|the|the <missing>] [period|full stop|dot] [to|at the end of] the {docstring}{period}
<put> a [period|full stop|dot] at the end of the [first line of the|summary of the|] {docstring}{period}
end the {docstring} with a [period|full stop|dot]{period}
the {docstring} <should> end [with|in] a [period|full stop|dot]{period}
the [first line|summary] [of the {docstring}|] <should> end [with|in] a [period|full stop|dot]{period}
the {docstring} [has no|lacks a|is missing its|misses a] [period|full stop|final dot]{period}
there's no [period|full stop|dot] [at the end of|in] the {docstring}{period}
<missing> [period|full stop] in the {docstring}{period}
D400 First line should end with a period{period}
D415 First line should end with a period, question mark, or exclamation point{period}
pydocstyle: D400{period}
[period|full stop] [please|] at the end of the {docstring}{period}
<nit>: [period|full stop] at the end of the {docstring}{period}
<review>: {docstring} <should> end with a period{period}
[i|we] forgot the [period|full stop] in the {docstring}{period}
punctuate the {docstring}{period}
[capitalize|capitalise] the [first word|first letter|beginning|start] [of the {docstring}|]{capital}
[capitalize|capitalise] the {docstring}{capital}
start the {docstring} with a capital [letter|]{capital}
the {docstring} <should> [start|begin] with a capital [letter|]{capital}
the {docstring} [starts|begins] with a lower[-| |]case letter{capital}
D403 First word of the first line should be capitalized{capital}
D403 First word of the docstring should be capitalized: <fix> it{capital}
[upper case|uppercase|a capital letter] for the [first word|start] of the {docstring}{capital}
<nit>: capital letter [in|at the start of] the {docstring}{capital}
<review>: the {docstring} <should> start with an uppercase letter{capital}
why does the {docstring} [start|begin] in lower case{capital}
<use> triple double quotes [for|around|in] the {docstring}{quotes}
<use> \"\"\" [for|around] the {docstring}{quotes}
<change> the quotes of the {docstring} [to \"\"\"|to triple double quotes]{quotes}
the {docstring} <should> [use|have|be in] triple double quotes{quotes}
D300 Use triple double quotes{quotes}
D300 Use \"\"\"triple double quotes\"\"\"{quotes}
wrong quotes [around|in|on] the {docstring}{quotes}
the {docstring} [uses|has] the wrong quotes{quotes}
<nit>: triple double quotes for the {docstring}{quotes}
<review>: the {docstring} needs \"\"\"{quotes}
double quotes for the {docstring}{quotes}
<put> the {docstring} on one line{oneline}
<make> the {docstring} a one-liner{oneline}
<make> it a [one-line|one line|single line|single-line] {docstring}{oneline}
the {docstring} fits on one line{oneline}
D200 One-line docstring should fit on one line{oneline}
D200: one-line docstrings should fit on one line with quotes{oneline}
the {docstring} <should> be on [one|a single] line{oneline}
no need for [three lines|several lines], the {docstring} fits on one line{oneline}
[join|collapse|shorten] the {docstring} to one line{oneline}
<nit>: {docstring} on one line{oneline}
<use> the imperative [mood|form|] [in|for] the {docstring}{mood}
<put> the {docstring} in [the |]imperative mood{mood}
the {docstring} <should> be [in the imperative|in imperative mood|imperative]{mood}
D401 First line of docstring should be in imperative mood{mood}
D401 First line should be in imperative mood{mood}
the {docstring} is in [the|] third person, <should> be imperative{mood}
<rewrite> the {docstring} in [the|] imperative{mood}
phrase the {docstring} as a command{mood}
<nit>: imperative mood in the {docstring}{mood}
<review>: imperative please, not third person{mood}
<add> a blank line after the [summary|first line] [of the {docstring}|]{blank}
D205 1 blank line required between summary line and description{blank}
<put> an empty line after the [summary|first line] [of the {docstring}|]{blank}
[a|the] blank line after the [summary|first line] of the {docstring} is <missing>{blank}
the {docstring} needs a blank line [after the summary|after the first line|between summary and description]{blank}
separate the [summary|first line] from the rest [of the {docstring}|] with a blank line{blank}
<nit>: blank line after the summary line{blank}
<remove> the [spaces|whitespace] [around|inside] the {docstring}{strip}
<remove> the whitespace [around the docstring text|inside the quotes|next to the quotes]{strip}
D210 No whitespaces allowed surrounding docstring text{strip}
no [spaces|whitespace] inside the quotes of the {docstring}{strip}
strip the whitespace from the {docstring}{strip}
there's [extra|needless] whitespace in the {docstring}{strip}
<fix> the [style|format|formatting|form] of the {docstring}{all_of}
<fix> the {docstring} style{all_of}
[clean up|tidy up|tidy|format] the {docstring}{all_of}
<make> the {docstring} [conform to|follow|comply with] PEP 257{all_of}
PEP 257 for the {docstring}{all_of}
pydocstyle [complains|is not happy] about the {docstring}{all_of}
the {docstring} is badly formatted{all_of}
the {docstring} [looks sloppy|doesn't follow our style|is sloppy]{all_of}
<review>: docstring style{all_of}
@[fix|tidy] this docstring{all_of}
@<missing> period{period}
@<add> a [period|full stop] [here|]{period}
@[capitalize|capitalise] this{capital}
@one line [is enough|]{oneline}
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
        everything = list(spots(snippet, [rule for rule in _RULES if rule != "mood"]))
        if rules and everything and rng.random() < 0.25:
            chosen, slots = everything, {"all_of": "", "docstring": word}
        elif rules:
            rule = rng.choice(rules)
            chosen, slots = list(spots(snippet, [rule])), {rule: "", "docstring": word}
        else:
            return None

        def many(group: Sequence[Spot]) -> dict[str, str]:
            return {**slots, "docstring": "docstring"} if len(group) == 1 and count > 1 else slots

        edit = propose_spots(snippet, chosen, rng, one=lambda _: {}, many=many, alone=0.25)
        return Edit(edit.ops, {**slots, **edit.slots}, edit.selected) if edit and edit.selected else edit


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
