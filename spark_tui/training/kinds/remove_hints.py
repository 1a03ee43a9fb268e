"""Take type hints off."""

import re
from collections.abc import Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.code import MAX_WIDTH, header, is_receiver, mentions, parameters, splice, start_of
from spark_tui.editing.codemods.common.tidy import Spot
from spark_tui.editing.codemods.remove_hints import name_of, spots
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.tidying import propose_spots, said

_ALL = "type hints|annotations|type annotations|types|hints|typing|typings|static types"


class RemoveHints(Kind):
    """Annotations go: all, those of the parameters or the return, or one.

    Slots: {many} all of them; {params} and {returns} are "" and say that only those are meant; {name} whose hint goes and
    {type} what it is.
    """

    name: ClassVar[str] = "remove_hints"
    skeletons: ClassVar[str] = """
<remove> [all|all the|the|any|all of the] {many}
<remove> {many}
<drop> [all|all the|the] {many}
<get_rid> [all|all the|the|these] {many}
strip [out|off|away|] [all|the|all the] {many}
take off [all|the|all the] {many}
clean out [all|the] {many}
no {many} [please|here|needed|]
no more {many}
without [the|any|all the|] {many} [please|]
[i|we] don't [want|need|like|use] [the|any|] {many} [here|]
the {many} [can|should|must] go
the {many} are <unneeded>
the {many} are [noise|clutter|just noise|distracting|ugly|in the way]
[too many|way too many] {many}, <remove> them
untype this [function|code|]{all_of}
<make> [this|it|the code] untyped{all_of}
<make> it plain python without {many}
<turn> this into untyped [code|python]{all_of}
why [all|all the|these|are there] {many}
are the {many} needed? <remove> them
this <should> [run|work] [on|in|with] [python 2|old pythons|python 2.7|micropython], <remove> the {many}
[old|python 2] [code|style], [no|without] {many}
<nit>: no {many}
<review>: <drop> the {many}
back to untyped, <remove> the {many}
rm {many}
[erase|delete] every {one}
just the [names|parameter names], no {many}
leave out [all|the] {many}
<remove> the {many} [of|from|on] the [parameters|arguments|params|args]{params}
<remove> the [parameter|argument|param|arg] {many}{params}
<drop> the {many} of the [parameters|arguments]{params}
the [parameters|arguments|params|args] don't need {many}{params}
no {many} on the [parameters|arguments|params]{params}
untype the [parameters|arguments|params]{params}
the [parameters|arguments|params] <should> be [untyped|without {many}]{params}
why are the [parameters|arguments|params] typed{params}
<remove> the return [type|annotation|hint|type hint]{returns}
<drop> the return [type|annotation|hint]{returns}
<get_rid> the return [type|annotation|hint]{returns}
no return [type|annotation|hint] [please|needed|]{returns}
the return [type|annotation|hint] is <unneeded>{returns}
the return [type|annotation|hint] is [wrong|misleading|a lie|outdated], <remove> it{returns}
[we|i] don't need the return [type|annotation]{returns}
<remove> the -> [part|annotation|]{returns}
<remove> the arrow [and the type|]{returns}
<remove> -> {return_type}
<remove> the return type {return_type}
why the return [type|annotation]{returns}
don't annotate the return [value|type|]{returns}
untype the return [value|]{returns}
[it|the function] <should> have no return annotation{returns}
<remove> the <hint> [of|from|on|for] {name}
<remove> the {name} <hint>
<drop> the <hint> [of|from|on|for] {name}
<get_rid> the <hint> of {name}
untype {name}
{name} <should> [not be typed|be untyped|have no type|have no annotation|lose its type]
{name} doesn't need [a|its] [type|hint|annotation|type hint]
no [type|hint|annotation] [for|on] {name}
no need to annotate {name}
don't annotate {name}
the <hint> [of|on] {name} is [wrong|misleading|<unneeded>], <remove> it
the [type|annotation|hint] [of|on|for] {name} [can|should] go
why is {name} [typed|annotated]
{name} can be anything, <remove> [its|the] <hint>
{name} without [the|its|a] [type|annotation|hint]
<remove> {type} from {name}
{name}: {type} -> {name}
just {name} instead of {name}: {type}
<remove> the {type} [of|after|on] {name}
@<remove> the <hint> [here|on this line]
@no <hint> [here|on this line]
@<remove> the <hints> [here|on this line|of this line]
@untype this
@this <should> be untyped
SyntaxError: invalid syntax on python 2, because of the {many}
[too|so] noisy with [the|all these|all the] {many}
i want [bare|plain] names
[bare|plain] signature [please|], no {many}
[this is|it's] a [script|notebook|slide|tutorial], no [need for|] {many}
for the [slides|blog post|book|docs] [without|i don't want] {many}
[readers|beginners|students] [get|are] confused by the {many}
the {many} are all [wrong|lies|outdated], better none
the {many} came from a generator and are [wrong|garbage|useless]
stubs live in the .pyi, so no {many} here
[we have|there is] a [stub file|.pyi] [for that|], the {many} are duplicated
types are in the docstring [already|], not in the code{all_of}
micropython can't parse the {many}
cython chokes on the {many}
[annotations|hints] cost import time{all_of}
circular import only because of the {many}
NameError: name is not defined, coming from the {many}
NameError in an annotation{all_of}, just get rid of [them|all]
duck typing, [so no|not] {many}
dynamic on purpose{all_of}, drop the {many}
[cleaner|easier to read|shorter] without the {many}
let it be untyped{all_of}
names only{all_of}
strip types{all_of}
untyped version of this{all_of}
py2 compatible signature{all_of}
[-|minus] {many}
{many} out
{many}: away with them
we gave up on [typing|mypy], [so the|] {many} can go
we don't run mypy, what are the {many} for
as it was before [someone|they] added {many}
back to a plain signature{all_of}
[undo|revert] the {many}
everything dynamic [again|please]{all_of}
no colons in the signature{params}
just names between the parens{params}
the arguments take anything, no {many} for them{params}
keep the return, [drop|remove] the {many} of the inputs{params}
inputs untyped, result typed{params}
no {many} for what goes in{params}
keep the arrow, lose the {many} on the params{params}
the -> is wrong{returns}, just drop it
no arrow{returns}
without the ->{returns}
without -> {return_type}
-> {return_type} is [a lie|wrong|not true|misleading], [just drop it|remove it]
it doesn't [really|always|] return {return_type}, take the annotation off
{return_type} as return type is nonsense, none at all please
the return is not [always|] what [it|the annotation] says, drop [the annotation|that]{returns}
ANN is off for returns{returns}, remove it
[stop|end] the def line right after the parens{returns}
): instead of ) -> ...:{returns}
let mypy infer the result{returns}
mypy infers the return [by itself|anyway|]{returns}
cut the arrow{returns}
keep the params typed but not the return{returns}
{return_type} behind the arrow [can|should] go
plain {name}
bare {name}
{name}, untyped
{name} isn't always [a|an] {type}
{name} needn't be [a|an] {type}, [drop that|no annotation]
{name} accepts [anything|whatever|more than {type}], no annotation
{type} is [wrong|too narrow|too strict] for {name}, leave it [untyped|without a type]
mypy infers {name} by itself
[the|that] {type} [on|at|behind] {name} [is noise|is redundant|can go]
redundant annotation on {name}
let {name} be inferred
lose the {type} on {name}
{name} without : {type}
: {type} after {name} not needed
mypy: {name} already has a type, redundant annotation
not typing {name} here
[no|drop the] colon [type|thing] on {name}
circular import because of the annotation on {name}, drop [it|that]
sphinx shows a wrong type for {name}, leave it out
why restrict {name} to {type}
@untyped please
@bare names
@no types here
@drop the annotation
@plain, no typing
@noise, names only
"""

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Give a function that has no hints some."""
        bare = [one for one in snippet.functions if not any(arg.annotation for arg in parameters(one))]
        if not bare or rng.random() < 0.2:
            return None
        function = rng.choice(bare)
        lines, head = list(snippet.lines), header(snippet, function)
        if head and function.returns is None and rng.random() < 0.6:
            lines = splice(lines, head.colon, head.colon, f" -> {rng.choice(['None', pools.simple_type(rng)])}")
        for one in reversed([one for one in parameters(function) if not is_receiver(function, one)]):
            (row, start), text = start_of(snippet, one), lines[start_of(snippet, one)[0]]
            end = start + len(one.arg)
            spaced = re.sub(r"^=(?=\S)", " = ", text[end:])
            if rng.random() < 0.8:
                lines[row] = f"{text[:end]}: {pools.simple_type(rng)}{spaced}"
        return Planted(Snippet(tuple(lines))) if max(map(len, lines)) <= MAX_WIDTH else None

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Take off all hints, those of a sort, or one."""
        found = spots(snippet)
        sorts = sorted({one.sort for one in found})
        if not found:
            return None
        sort = rng.choice(sorts) if rng.random() < 0.4 else ""
        same = [one for one in found if sort in ("", one.sort)]
        only = sort if len(sorts) > 1 else ""

        def one(spot: Spot) -> dict[str, str]:
            return _told(snippet, spot, found)

        def many(group: Sequence[Spot]) -> dict[str, str] | None:
            if only == "variable":
                return None
            if len(group) == 1:
                return _told(snippet, group[0], found) or None
            words = {"many": said(rng, _ALL)}
            return (
                {"params": "", **words}
                if only == "parameter"
                else {"returns": ""}
                if only == "return"
                else {**words, "all_of": "", "one": said(rng, "type hint|annotation|hint")}
            )

        return propose_spots(snippet, same, rng, one=one, many=many)


def _told(snippet: Snippet, spot: Spot, found: Sequence[Spot]) -> dict[str, str]:
    (row, start), (_, end) = spot.start, spot.end
    type_ = snippet.lines[row][start:end].strip(" :->=").strip()
    if spot.sort == "return":
        alone = sum(one.sort == "return" for one in found) == 1
        short = alone and len(type_) <= 30 and mentions(snippet, type_) == 1
        return ({"returns": ""} if alone else {}) | ({"return_type": type_} if short else {})
    name = name_of(snippet, spot)
    if "." in name or sum(name_of(snippet, one) == name for one in found) > 1:
        return {}
    return {"name": name} | ({"type": type_} if len(type_) <= 30 else {})
