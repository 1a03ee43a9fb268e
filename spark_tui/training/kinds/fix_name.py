"""Put the right name back where another one, or a misspelled one, was planted."""

import ast
import re
from random import Random

from spark_tui.editing.codemods.bugs.mistaken import Slip, name_place, source_of
from spark_tui.editing.codemods.fix_name import name_slips
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.mistakes import Bug, break_at, code_slots, function_at, misspelled, planted
from spark_tui.training.names import absent_name

_UNDEFINED = (
    """
NameError: name '{0}' is not defined|NameError: name '{0}' is not defined|NameError: name '{0}' is not defined
name '{0}' is not defined|F821 undefined name '{0}'|undefined name '{0}'|E0602: Undefined variable '{0}'|"{0}" is not defined
NameError: name '{0}' is not defined. Did you mean: '{1}'?|NameError: name '{0}' is not defined. Did you mean: '{1}'?
Unresolved reference '{0}'|UnboundLocalError: local variable '{0}' referenced before assignment
""".strip()
    .replace("\n", "|")
    .split("|")
)


class FixName(Kind):
    """`return count` becomes `return total`.

    Slots: {code} is an expression with the wrong name, {right} the right one; {wrong} and {meant} are the wrong and the
    right name, {lone} the wrong one when it stands once; {called} and {variable} show nothing and say of what sort it is;
    {unread} is the right name when nothing uses it, {itself} shows nothing and says that a thing is compared with itself,
    {close} that it is a misspelling; {sed} and {sed_told} are both names as sed has them;
    {where} is the statement in words ("the last return"); {trouble} is how Python complains; {misused} and {given} are the two names when only words can tell the right one.
    """

    name = "fix_name"
    weight = 1.5
    skeletons = """
    @wrong variable{variable} [here|on this line|used|]
    @[this|that|it] [uses|reads|takes|refers to] the wrong variable{variable}
    @the wrong variable{variable} [is used|was used|got used] [here|on this line|]
    @<fix> the [variable|name]{variable} [here|]
    @[isn't|is] this the [wrong|right] variable{variable}
    @[i used|i took|i mixed up] the wrong variable{variable}
    @[mixed up|confused] two variables{variable} [here|]
    @copy paste [error|mistake|bug] [here|]
    @copy-paste bug, the [name|variable]{variable} was not [changed|adapted]
    @one of the [names|variables]{variable} [here|] is <wrong>
    @wrong function{called} [called|is called|] [here|on this line|]
    @[this|it] calls the wrong [function|method]{called}
    @<fix> the [call|function name|method name|method]{called} [here|]
    @[should|must] call another [function|method]{called} [here|]
    @the wrong [method|function]{called} [is called|gets called|was picked]
    @that is not the [function|method]{called} [we want|to call|i meant]
    @wrong name
    @wrong name [here|on this line|used]
    @wrong identifier [here|]
    @[this|it] uses the wrong name
    @<fix> the name [here|]
    @the name [here|on this line|] is <wrong>
    @there is a [bug|mistake|slip] [here|on this line|], [a wrong name|wrong name|i think a name is wrong]
    @[bug|mistake] [here|on this line], [some name|a name] is [wrong|mixed up]
    @[something is|there's something] wrong [here|with this line], [check|look at] the names
    @[that|this] is not the right name
    @this is [wrong|incorrect|not right]
    @[this|that|the] line is [wrong|incorrect|not right|buggy]
    @<fix> [this|the] [bug|mistake|error] [here|]
    @[what is|what's] wrong with this [line|]
    @{trouble}
    @[i get|it gives|python says|getting|this raises|fails with] {trouble}
    @{wrong} is [wrong|not right|the wrong one|not what we want] here
    @[not|don't use] {wrong} here
    @why {wrong} here ?
    @[should not|shouldn't] this be something else than {wrong}
    @[this|it] should [use|be|take] {meant}
    @i meant {meant} [here|]
    @<use> {meant} [here|]
    @[surely|i think|probably] {meant} was meant
    @[shouldn't this|should this not] be {meant}
    {trouble}
    {trouble} [in this code|when i run this|when i call it|at runtime]
    [i get|i am getting|it gives|it gives me|python says|getting|this raises|it fails with|it crashes with] {trouble}
    [where does|why do i get|what causes] {trouble} ?
    [ruff|flake8|pyflakes|mypy|pylint|the linter|my editor] [says|complains|reports]: {trouble}
    <fix> {trouble}
    <fix> the error {trouble}
    {lone} [is not defined|does not exist|is undefined|isn't defined]{undefined}
    {lone} is [misspelled|a typo|misspelt|spelled wrong]{undefined}{close}
    typo in {lone}{undefined}{close}
    there is no {lone}{undefined}
    [unknown|undefined] name {lone}{undefined}
    <fix> the [typo|spelling|undefined name] {lone}{undefined}{close}
    what is {lone}? [there's no such thing|it does not exist]{undefined}
    wrong variable{variable} in {code}
    wrong name in {code}
    wrong function{called} in {code}
    {code} calls the wrong [function|method]{called}
    {code} [uses|takes|reads] the wrong [variable|name]{variable}
    {code} is [wrong|incorrect|not right], [it's the wrong name|wrong name|check the name]
    the [name|variable]{variable} in {code} is <wrong>
    <fix> the [name|variable]{variable} in {code}
    <fix> the [name|function|method]{called} in {code}
    there is a [bug|mistake] in {code}, [the name is wrong|wrong name|a name was mixed up]
    a name got mixed up in {code}
    [something|a name] in {code} is [wrong|not what it should be|mixed up]
    [look at|check] {code}, [the name|that name] [can't be right|is not right|is wrong]
    copy paste [bug|mistake|error] in {code}
    why {code}? [that's|that is] the wrong [name|thing]
    in {code} it should not be {wrong}
    {wrong} is [wrong|the wrong name|not right|the wrong one] in {code}
    {code} [should|must|has to] [use|have|take] {meant}
    {code} <should> be {right}, [wrong name|the name is wrong]
    in {code} [i meant|we want|it should be] {meant}
    [why does|should] {code} [use|have] {wrong} ?
    {lone} is the wrong [name|one|thing]
    {lone} is the wrong variable{variable}
    {lone} is the wrong [function|method]{called}
    {lone} [makes no sense|can't be right|is not right] [here|]
    [i think|it looks like|looks like] {lone} is [wrong|a mistake|mixed up]
    [the|that] {lone} [is wrong|is a mistake|should be another name]
    <fix> {lone}, it's the wrong [name|thing]
    it [should not|shouldn't|must not] [be|use] {lone}
    {lone} was [mixed up|confused] with [something else|another name]
    wrong name: {lone}
    {misused} <should> be {given}
    it should be {given}, not {misused}
    {misused} is [wrong|the wrong name], [it's called|it is called|the right one is|it's] {given}
    [i|we] mixed up {misused} [with|and] {given}
    bug: {misused} [is used|] instead of {given}
    [it|this] uses {misused} [where|but] {given} [is meant|was meant|is right]
    [the name is|it is called] {given}, not {misused}
    [you wrote|i wrote|it says] {misused} but meant {given}
    NameError on {lone}{undefined}
    {trouble}. typo?
    {trouble} <- surely just a typo
    {trouble}, which name should that be?
    just ran it: {trouble}
    tests are red, {trouble}
    pytest: {trouble}
    [mypy|pyright]: {trouble}
    ci log: {trouble}
    blows up in production with {trouble}
    {trouble}. it worked before the [rename|refactoring|merge]
    i renamed [something|a variable] and now {trouble}
    leftover from the rename: {trouble}
    {trouble} -- that thing has another name nowadays
    {lone} [was renamed|goes by another name now], [this one got missed|forgotten here]{undefined}
    nothing here is called {lone}{undefined}
    {lone}?? never heard of it{undefined}
    no such thing as {lone}, look at what is there{undefined}
    letters mixed up in {lone}{undefined}{close}
    {lone} doesn't exist [anywhere|in this scope|any more]{undefined}
    where is {lone} supposed to come from? it must be [one of the others|another name]{undefined}
    fat fingers, {lone}{undefined}{close}
    sp: {lone}{undefined}{close}
    {wrong} in {where} [is the wrong one|looks wrong|can't be meant]
    [wrong|mixed up] [name|thing] in {where}
    {where} [uses|takes|has] the wrong [name|one|thing]
    in {where}: not {wrong}
    [shouldn't|should] {where} [say|use] {meant} ?
    {where} <should> [use|have] {meant}, [no ?|not {wrong}]
    {meant} in {where}, [please|not {wrong}|instead of {wrong}]
    {unread} is [computed|set|taken] and then [nobody reads it|never read|not used anywhere]. [shouldn't it be used|it was meant] instead of {wrong} ?
    {unread} goes unused because {wrong} stands where it belongs
    F841 Local variable `{unread}` is assigned to but never used -- {wrong} was taken [by mistake|instead]
    ARG001 Unused function argument: `{unread}`. it should be used where {wrong} is [now|]
    nobody reads {unread}, [i guess|surely] {wrong} should be it
    {unread} has no effect [at all|]. {code} <should> use it
    passing another {unread} changes nothing, {code} ignores it
    always the same result whatever {unread} is, {code} [should look at it|looks at the wrong thing]
    {code} has the same [name|thing] left and right{itself}
    {code} is always [true|the same|the same answer], both sides are the same{itself}
    PLR0124 Name compared with itself{itself}
    R0124: Redundant comparison - {code} (comparison-with-itself){itself}
    tests a thing against itself{itself}
    both sides [of the comparison|] are the same [thing|]{itself}
    {wrong} -> {meant} in {code}
    {code}: {wrong} -> {meant}
    {code} -> {right}
    {code}: {meant}, not {wrong}
    {meant} not {wrong} in {code}
    it says {code}, i'd expect {right}
    why is it {code} and not {right} ?
    nit: {meant} instead of {wrong} in {code}
    review: surely {right} and not {code}
    @{wrong} -> {meant}
    @{meant} instead of {wrong}
    @{meant}, not {wrong}
    @{sed}
    @nit: this wants {meant}
    @{wrong}? you mean {meant}
    @had to be {meant}, sorry
    @[pasted|copied] from [above|the line above|the other branch] and [not adapted|forgot to change it]
    @same [name|thing] twice, one of them [is another|should be another]
    @that's not what i [wanted to pass|meant to use] here
    @takes the wrong one of the two
    @gives me the wrong object back
    @this never uses the right thing
    @autocomplete picked the wrong one
    @autocomplete gave me {wrong}
    @one name off
    @isn't that somebody else's variable{variable}
    @the result is nonsense, i bet {wrong} is the wrong thing
    @this reads {wrong} but nothing here is about {wrong}
    @wrong end of the stick: {wrong}
    @this should have called something else{called}
    @does the wrong thing to it, another method please{called}
    @calls {wrong}, needs {meant}{called}
    {code} <should> call {meant}{called}
    {meant} rather than {wrong} in {code}{called}
    calling {wrong} there is wrong, it's {meant}: {code}{called}
    {misused} -> {given}
    {sed_told}
    {given} instead of {misused}
    {misused} does not exist, {given} does
    {misused}? {given}!
    typo: {misused} ({given})
    {given} was meant, {misused} is what i typed
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Use another name at one place: one of the region's, a misspelled one, or one that is nowhere."""
        if rng.random() < 0.2 and (selves := _selves(snippet)):
            return _mixed_up(snippet, rng.choice(selves), rng, {"itself": ""})
        slips = list(name_slips(snippet))
        if not slips:
            return None
        places = sorted({(slip.start, slip.end) for slip in slips})
        place = rng.choice(places)
        slip = rng.choice([slip for slip in slips if slip[:2] == place])
        roll = rng.random()
        if roll < 0.55:
            return _mixed_up(snippet, slip, rng)
        return _unknown(snippet, slip, rng, by_words=roll > 0.92)

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Nothing: real code is taken to be right."""
        return None


def _mixed_up(snippet: Snippet, slip: Slip, rng: Random, flags: dict[str, str] | None = None) -> Planted | None:
    bug = break_at(snippet, slip)
    if bug is None or not _listed(bug):
        return None
    slots = _slots(bug, snippet) | (flags or {})
    return planted(bug, slots, rng, told=bool(slots.keys() & {"lone", "code"}))


def _unknown(snippet: Snippet, slip: Slip, rng: Random, *, by_words: bool) -> Planted | None:
    """A name that is not there. Only with words that tell the right one need that stand elsewhere."""
    good = source_of(snippet, slip)
    close = rng.random() < 0.6 and len(good) > 3
    wrong = misspelled(good, rng) if close else absent_name(snippet.lines, rng, like=good)
    text = "\n".join(snippet.lines)
    method = _is_method(snippet, slip)
    if not wrong.isidentifier() or wrong in text or (method and not by_words):
        return None
    bug = break_at(snippet, slip._replace(text=wrong))
    if bug is None:
        return None
    trouble = rng.choice([one for one in _UNDEFINED if close or "{1}" not in one]).format(wrong, good)
    if by_words or not _listed(bug, trouble):
        named = "_" in good.strip("_") and "_" in wrong.strip("_")
        return (
            planted(bug, {"misused": wrong, "given": good, "sed_told": f"s/{wrong}/{good}/"}, rng, told=True, by_line=0)
            if named
            else None
        )
    slots = _slots(bug, snippet) | {"trouble": trouble, "undefined": "", **({"close": ""} if close else {})}
    if not _listed(bug):
        return planted(bug, {"trouble": trouble}, rng, told=True, by_line=0)
    return planted(bug, slots, rng, told=True, by_line=0.2)


def _slots(bug: Bug, right: Snippet) -> dict[str, str]:
    slots = {"wrong": bug.old, "meant": bug.new, "sed": f"s/{bug.old}/{bug.new}/", **code_slots(bug, right)}
    called = bug.before.lines[bug.end[0]][bug.end[1] : bug.end[1] + 1] == "("
    slots |= {"called": ""} if called else {"variable": ""}
    function = function_at(bug.before, bug.rows[0])
    rows = bug.before.lines[function.lineno - 1 : function.end_lineno] if function else bug.before.lines
    if sum(line.count(bug.old) for line in rows) == 1:
        slots["lone"] = bug.old
    if "variable" in slots and function and sum(_times(bug.new, line) for line in rows) == 1:
        slots["unread"] = bug.new
    return slots


def _times(name: str, line: str) -> int:
    return len(re.findall(rf"(?<![\w.]){name}\b", line))


def _selves(snippet: Snippet) -> list[Slip]:
    """Comparisons of two names, so that both sides become the same."""
    found: list[Slip] = []
    for node in ast.walk(snippet.tree):
        match node:
            case ast.Compare(left=ast.Name() as left, comparators=[ast.Name() as right]) if left.id != right.id:
                for one, other in ((left, right), (right, left)):
                    if place := name_place(snippet, one):
                        found.append(Slip(*place, other.id))
    return found


def _is_method(snippet: Snippet, slip: Slip) -> bool:
    row, column = slip.start
    return snippet.lines[row][:column].endswith(".")


def _listed(bug: Bug, instruction: str = "") -> bool:
    return any(slip[:3] == (bug.start, bug.end, bug.new) for slip in name_slips(bug.before, instruction))
