"""Put a condition right that was inverted, that lost a part or was given one too many."""

import ast
import re
from random import Random

from spark_tui.editing.code import text_of
from spark_tui.editing.codemods.fix_condition import condition_slips, conditions, told_parts, with_part, without_part
from spark_tui.editing.codemods.mistaken import Slip
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.mistakes import Bug, break_at, code_slots, function_at, planted

_SAID = {
    "{} is not None": "{} may be None|{} can be None|{} is not None|{} could be None|{} exists|{} was given",
    "{} is None": "{} is None|{} is missing|there is no {}|{} was not given",
    "not {}": "{} is not set|{} is empty|not {}|{} is false|{} is falsy|there is no {}",
    "{}": "{} is set|{} is not empty|{} is true|{} is truthy|{} is there|{} is there at all",
}


class FixCondition(Kind):
    """`if x:` becomes `if not x:`; a told part is added, one too many taken out.

    Slots: {code} is the condition with the bug, {right} the right one; {opposite} shows nothing and says that it is the
    other way round. {part} is what it lacks, as code, {told} the same in words; {joint} is `and` or `or`, {both} and
    {either} show nothing and say which. {extra} is the part too many, {weak} and {strong} show nothing and say whether it
    lets too much or too little through. {subject} is what may be None ({none} shows nothing) and {crash} what Python says
    then; {where} is the statement in words, {sole} says that there is one condition in its line.
    """

    name = "fix_condition"
    weight = 0.9
    skeletons = """
    @the condition is [inverted|backwards|the wrong way round|upside down|reversed]{opposite}
    @inverted [condition|check|test|logic]{opposite} [here|]
    @[this|the] <condition> <should> be the opposite{opposite}
    @[there's|there is] a not missing [here|]{opposite}
    @missing not [here|]{opposite}
    @a not too many or too few{opposite} [here|]
    @[this|it] does [exactly|] the opposite{opposite} of what it should
    @[this|that] check is [inverted|backwards|the wrong way round]{opposite}
    @negate [this|the condition|the check]{opposite}
    @<fix> the [inverted|reversed] [condition|check|logic]{opposite}
    @wrong way round{opposite}
    @it [runs|fires|happens] exactly when it shouldn't{opposite}
    @[flip|turn round|reverse] the [condition|check|test]{opposite}
    @{right} was meant{opposite}
    @wrong <condition> [here|]{opposite}
    @the <condition> is <wrong>{opposite}
    @<fix> the <condition>{opposite}
    the condition {code} is [inverted|backwards|the wrong way round|reversed]{opposite}
    {code} is [inverted|backwards|the wrong way round|reversed]{opposite}
    {code} <should> be the opposite{opposite}
    [there's|there is] a not missing in {code}{opposite}
    missing [or extra|or superfluous|] not in {code}{opposite}
    negate {code}{opposite}
    [flip|turn round|reverse] the [condition|check|test] {code}{opposite}
    <fix> the [inverted|reversed] [condition|check] {code}{opposite}
    {code} tests the opposite of what it should{opposite}
    {code} is true when it should be false{opposite}
    the logic of {code} is [inverted|reversed|backwards]{opposite}
    {code} <should> be {right}{opposite}
    it checks {code} [but|where it] should [check|test] the opposite{opposite}
    wrong condition{opposite} {code}
    <fix> the condition{opposite} {code}
    the condition {code} is <wrong>{opposite}
    @it <should> also [check|test|require] {part}{both}
    @also [check|test|require] [that|] {told}{both}
    @only [if|when] {told}{both}
    @only [if|when] {part}{both}
    @and {part}{both}
    @the [check|condition] is too weak, it also needs {part}{both}
    @[this|it] [forgets|misses] {part}{both}
    @[this|the condition|the check] <should> also [demand|ask] that {told}{both}
    @[must|should] not happen unless {told}{both}
    @the check for {part} is missing [here|]{both}
    @{part} is not [checked|tested|looked at] here{both}
    @[you|we|i] forgot [to check|to test|about] {part}{both}
    @this <should> only [run|happen|apply] when {part}{both}
    @{part} <should> hold [too|as well|also]{both}
    @[check|test] {part} [too|as well|in addition]{both}
    @without {part} this [must|should] not [run|happen]{both}
    @it lets too much through, {part} <should> be required{both}
    @{joint} {part} [is|was] [missing|left out|lost] [here|]
    @something is missing in the condition: {joint} {part}
    @[add|put back|bring back] {joint} {part} [here|]
    @{part} [alone|] <should> be enough [too|]{either}
    @it misses the case {part}{either}
    @the case {part} is [forgotten|missing|left out]{either}
    @this <should> also [run|happen|apply] when {part}{either}
    @{part} <should> count [too|as well]{either}
    @what if {part} ? [that should work too|then too]{either}
    @[the or part|the other case], {part}, [is|got] [lost|missing]{either}
    @[it|this] <should> [be done|happen] for {part} [too|as well]{either}
    @one alternative is missing: {part}{either}
    @[accept|allow] {part} [too|as well|also]{either}
    @or {part}{either}
    @or [if|when] {told}{either}
    @[this|it] should also [happen|apply|be done] [if|when] {told}{either}
    @the [check|condition] is too strict, it <should> [also|] [allow|accept] {part}{either}
    @[also|too] [when|if] {part}{either}
    [the condition|the check|the test] {code} [lacks|misses|forgets] {part}
    {code} <should> also [check|test|require] {part}{both}
    {code} is not enough, [also check|it also needs|check] {part}{both}
    <add> {part} to the <condition> {code}
    <add> {joint} {part} to {code}
    {code} is too weak, [only if|add] {part}{both}
    [next to|besides] {code} it must [check|test] {part}{both}
    {code} <should> only hold [if|when] {told}{both}
    in {code} [also|] make sure that {told}{both}
    {code} [forgets|does not consider|ignores] that {told}{both}
    {code}, but only if {told}{both}
    {code} is too strict, {part} <should> [do|be enough|pass] too{either}
    not only {code}, [also|but also] [if|when] {told}{either}
    {code} <should> also be true [if|when] {told}{either}
    {code} or {part}[ it should be| is right]{either}
    {code} and {part}[ it should be| is right]{both}
    the condition {code} <should> be {right}{part_known}
    @{extra} <should> not [matter|be checked|be tested|be part of this] here
    @{extra} is [one check too many|too much|superfluous|not needed] here
    @don't [check|test] {extra} [here|]
    @[too strict|too strong]{strong}, [leave out|drop|without] {extra}
    @[too weak|too lax|lets too much through]{weak}, [leave out|drop|without] {extra}
    @<remove> {extra} [from the condition|from the check|from the test]
    @why [check|test] {extra} here ?
    the [check|condition|test] {code} is too [strict|strong]{strong}, [drop|leave out] {extra}
    the [check|condition|test] {code} is too [weak|lax]{weak}, [drop|leave out] {extra}
    {code} <should> not [check|test|ask for|depend on] {extra}
    <remove> {extra} from [the <condition>|] {code}
    [drop|leave out|skip] {extra} [in|from] the [condition|check] {code}
    {extra} has no place in {code}
    {extra} [does not belong|should not be] in [the condition|] {code}
    {extra} is [wrong|superfluous|too much] in {code}
    why {extra} in {code} ?
    {code} has one part too many: {extra}
    [it|the condition|the check] <should> not [check|test|depend on|look at] {alone}
    [drop|leave out|<remove>] the part {alone} [of|from] the <condition>
    the part {alone} of the <condition> is [wrong|superfluous|a mistake|one too many]
    it is too [strict|picky]{strong}, {alone} <should> not matter
    whether {alone} or not <should> not matter
    @inverted{opposite}
    @backwards{opposite}
    @a `not` is missing here{opposite}
    @there is one not too many{opposite}
    @wrong way round, no ?{opposite}
    @isn't it the other way round{opposite}
    @this is the exact contrary of what the [name|docstring|comment] says{opposite}
    @true when it should be false [and vice versa|]{opposite}
    @should be [if not|unless]{opposite}
    @logic error: opposite case{opposite}
    @happens for everyone except the ones it should happen for{opposite}
    @we get in here in exactly the wrong cases{opposite}
    @skips the good ones and keeps the bad ones{opposite}
    @never gets in here when it should{opposite}
    @[the|this] branch is taken when [everything is fine|all is well|it must not be]{opposite}
    @condition the wrong way round ?{opposite}
    @somebody dropped the not{opposite}
    @since the last refactoring this check does the reverse{opposite}
    @yes and no are mixed up{opposite}
    @`if {right}`, not `if {code}`{opposite}
    @{code} -> {right}{opposite}
    @should [say|read] {right}{opposite}
    {code} -> {right}{opposite}
    {right} instead of {code}{opposite}
    {right}, not {code}{opposite}
    not {code} but {right}{opposite}
    isn't {code} [the wrong way round|inverted|backwards] ?{opposite}
    {code}? i'd say the opposite{opposite}
    it should happen unless {code}{opposite}
    we want the cases where {code} is false{opposite}
    {code} lets exactly the wrong ones through{opposite}
    with {code} it does nothing when it should [and works when it shouldn't|]{opposite}
    [a|the] `not` [got lost|is missing|was dropped] in front of {code}{opposite}
    when {code} holds we must not get in there{opposite}
    tests fail, i suspect {code} is the wrong way round{opposite}
    the check in {where} is [inverted|backwards|the wrong way round]{opposite}{sole}
    {where} tests the [opposite|contrary|reverse]{opposite}{sole}
    {where}: `not` missing [or too many|]{opposite}{sole}
    inverted condition in {where}{opposite}{sole}
    {where}: {right}{opposite}
    must be {right} in {where}{opposite}
    {subject} can be None: {crash}{both}
    {crash} when {subject} is None, [guard against that|check it in the condition]{both}
    {subject} may be None there. {crash}{both}
    guard against {subject} being None, [i get|else] {crash}{both}
    {crash}, because {subject} is not checked [for None|]{both}
    @{crash} [if|when] {subject} is None{both}
    @{subject} is None sometimes{none}{both}
    @guard against None for {subject}{none}{both}
    @blows up [if|when] {subject} is None{none}{both}
    @should survive {subject} being None{none}{both}
    in {code} {subject} can be None, <handle> that{none}{both}
    {code} dies when {subject} is None{none}{both}
    @but only [if|when|as long as] {told}{both}
    @[nothing to do|skip it|not] unless {told}{both}
    @makes sense only [if|when] {told}{both}
    @happens too often, only [if|when] {told}{both}
    @only ... when {told}{both}
    only do {where} when {told}{both}
    only [get into|enter] {where} [if|when] {told}{both}
    {code} [and|&&] {part}{both}
    {code} [or|\\|\\|] {part}{either}
    {code} and also {part}{both}
    {code}: + {joint} {part}
    {code} is half the story, {joint} {part}
    {joint} {part} after {code}
    {part} got lost next to {code}
    i lost the {part} [part|bit] of {code}
    @lost {joint} {part} [in the merge|when i cleaned up|]
    @+ {joint} {part}
    @should [be the same|also work] when {told}{either}
    @same for {part}{either}
    @count {part} as well{either}
    @{told}? same thing please{either}
    @{part} is just as good{either}
    @treat {part} the same way{either}
    could {part} count as well, next to {code} ?{either}
    besides {code} [it should|let it] also happen when {told}{either}
    {extra}? no. [just|only] the rest of {code}
    @what has {extra} to do with it
    @nobody cares about {extra} here
    @{extra} is none of our business here
    @without the {extra} [part|bit|thing]
    @the {extra} [part|bit] can go
    @never true because of {extra}{strong}
    @always true because of {extra}{weak}
    @[shouldn't|why does it] need {extra}{strong}
    who put {alone} into the condition ? [take it out|]
    {alone} in the condition is nonsense
    never gets in there because of {alone}{strong}
    {alone} makes it [always true|true far too often]{weak}
    the condition without {alone} please
    no need for {alone} [in the check|there]
    {alone} must not matter
    - {alone} in the if, please take it out again
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Invert a condition, take a part out, or put one in."""
        roll = rng.random()
        if roll < 0.4:
            return _weakened(snippet, rng) or _inverted(snippet, rng)
        return _inverted(snippet, rng) if roll < 0.75 else _overloaded(snippet, rng) or _inverted(snippet, rng)

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Nothing: real code is taken to be right."""
        return None


def _broken(snippet: Snippet, slips: list[Slip], rng: Random) -> Bug | None:
    return break_at(snippet, rng.choice(slips)) if slips else None


def _listed(bug: Bug, instruction: str = "") -> bool:
    return any(slip[:3] == (bug.start, bug.end, bug.new) for slip in condition_slips(bug.before, instruction))


def _inverted(snippet: Snippet, rng: Random) -> Planted | None:
    parts = {id(part) for node, _ in conditions(snippet) if isinstance(node, ast.BoolOp) for part in node.values}
    bools = [node for node, _ in conditions(snippet) if isinstance(node, ast.BoolOp)]
    left_out = {slip[:3] for node in bools for slip in without_part(snippet, node, node)} if parts else set()
    bug = _broken(snippet, [slip for slip in condition_slips(snippet) if slip[:3] not in left_out], rng)
    if bug is None or not _listed(bug):
        return None
    slots = {**code_slots(bug, snippet), "opposite": ""}
    if "code" not in slots and bug.before.lines[bug.start[0]].count(bug.old) == 1 and 4 < len(bug.old) <= 45:
        slots |= {"code": bug.old, "right": bug.new}
    alone = sum(slip.start[0] == bug.start[0] for slip in condition_slips(bug.before)) == 1
    if not alone and "code" not in slots:
        return None
    slots |= {"sole": ""} if alone else {}
    return planted(bug, slots, rng, told="code" in slots, by_line=0.55 if alone else 0)


def _weakened(snippet: Snippet, rng: Random) -> Planted | None:
    """A real part left out; the words tell which."""
    found = [(node, parent) for node, parent in conditions(snippet) if isinstance(node, ast.BoolOp)]
    found = [(node, parent) for node, parent in found if not isinstance(parent, ast.BoolOp)]
    if not found:
        return None
    node, parent = rng.choice(found)
    assert isinstance(node, ast.BoolOp)
    slips = list(without_part(snippet, node, parent))
    bug = _broken(snippet, [slip for slip in slips if 0 < len(slip.words[-1]) <= 40], rng)
    slip = next((slip for slip in slips if bug and slip.start == bug.start and slip.text == bug.old), None)
    if bug is None or slip is None or not _listed(bug, f"`{slip.words[-1]}`"):
        return None
    part = slip.words[-1]
    joint = "and" if isinstance(node.op, ast.And) else "or"
    slots = {"part": part, "joint": joint, "both" if joint == "and" else "either": "", "part_known": ""}
    if not _listed(bug, part):
        return None
    words = _in_words(part, rng)
    if words and _listed(bug, words):
        slots["told"] = words
    if joint == "and":
        slots |= _missed(bug, part.removesuffix(" is not None"))
    slots |= code_slots(bug, snippet) if bug.rows[0] == bug.rows[1] else {}
    if "code" in slots and not _listed(bug, f"{slots['code']} {part}"):
        return None
    return planted(bug, slots, rng, told="code" in slots, by_line=0.5)


def _missed(bug: Bug, subject: str) -> dict[str, str]:
    """The slots of a missing check for None: what it is that may be None, and what Python says then."""
    if not re.fullmatch(r"[\w.]+", subject) or not _listed(bug, subject):
        return {}
    text = "\n".join(bug.before.lines[bug.rows[0] :])
    used = re.search(rf"(?<![\w.]){re.escape(subject)}(?:\.(\w+)|(\[)|(\())", text)
    slots = {"subject": subject, "none": ""}
    if used:
        told = {1: f"has no attribute '{used[1]}'", 2: "is not subscriptable", 3: "is not callable"}[
            used.lastindex or 1
        ]
        kind = "AttributeError" if used[1] else "TypeError"
        slots["crash"] = f"{kind}: 'NoneType' object {told}"
    return slots


def _in_words(part: str, rng: Random) -> str:
    for form, said in _SAID.items():
        match = re.fullmatch(re.escape(form).replace(r"\{\}", r"([\w.]+)"), part)
        if match:
            return rng.choice(said.split("|")).format(match[1])
    return ""


def _overloaded(snippet: Snippet, rng: Random) -> Planted | None:
    """A part put in that has no place there: a test from elsewhere in the region, or one of a name."""
    whole = [node for node, parent in conditions(snippet) if not isinstance(parent, ast.BoolOp)]
    tests = {text for node, _ in conditions(snippet) if 0 < len(text := text_of(snippet, node)) <= 30}
    if not whole:
        return None
    node = rng.choice(whole)
    function = function_at(snippet, node.lineno - 1)
    names = [arg.arg for arg in function.args.args if arg.arg not in ("self", "cls")] if function else []
    tests |= set(told_parts(snippet, rng.choice(names))) if names and (not tests or rng.random() < 0.5) else set()
    slips = [(slip, test) for test in sorted(tests) for slip in with_part(snippet, node, test)]
    if not slips:
        return None
    slip, extra = rng.choice(slips)
    bug = break_at(snippet, slip)
    if bug is None or not _listed(bug):
        return None
    slots = {"extra": extra, "strong" if f" and {extra}" in slip.text or f"{extra} and " in slip.text else "weak": ""}
    slots |= code_slots(bug, snippet)
    if sum(line.count(extra) for line in bug.before.lines) == 1:
        slots["alone"] = extra
    return planted(bug, slots, rng, told=bool(slots.keys() & {"code", "alone"}), by_line=0.4)
