"""Put the right literal back where a wrong one was planted."""

import re
from random import Random

from spark_tui.editing.codemods.bugs.mistaken import Slip, source_of
from spark_tui.editing.codemods.fix_literal import literal_slips
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.mistakes import Bug, break_at, code_slots, misspelled, planted

_TROUBLES = {
    ("None", "0"): "TypeError: unsupported operand type(s) for +=: 'NoneType' and 'int'",
    (
        "None",
        "[]",
    ): "AttributeError: 'NoneType' object has no attribute 'append'|TypeError: 'NoneType' object is not iterable",
    (
        "None",
        "{}",
    ): "TypeError: 'NoneType' object does not support item assignment|TypeError: argument of type 'NoneType' is"
    " not iterable",
    ("{}", "[]"): "AttributeError: 'dict' object has no attribute 'append'",
    (
        "[]",
        "{}",
    ): "TypeError: list indices must be integers or slices, not str|AttributeError: 'list' object has no attribute"
    " 'items'",
    ("[]", "set()"): "AttributeError: 'list' object has no attribute 'add'",
    ("{}", "set()"): "AttributeError: 'dict' object has no attribute 'add'",
    ("''", "[]"): "AttributeError: 'str' object has no attribute 'append'",
    ("'r'", "'w'"): "io.UnsupportedOperation: not writable",
    ("'w'", "'r'"): "io.UnsupportedOperation: not readable",
    ("'r'", "'rb'"): "UnicodeDecodeError: 'utf-8' codec can't decode byte 0x80 in position 0: invalid start byte",
    ("'w'", "'wb'"): "TypeError: write() argument must be str, not bytes",
    ("'wb'", "'w'"): "TypeError: a bytes-like object is required, not 'str'",
}
_KEY = "KeyError: '{0}'|KeyError: '{0}'|KeyError: '{0}'|there is no key '{0}'|no column '{0}'|no such field: no field '{0}'"


class FixLiteral(Kind):
    """`total = 1` becomes `total = 0`.

    Slots: {code} is an expression with the wrong literal, {right} the right one; {wrong} and {value} are the two literals,
    {lone} the wrong one when it stands once; {near} is the name it goes with; {trouble} is how Python complains;
    {first}, {number}, {flag}, {index} and {key} show nothing and say of what sort it is, {on}, {off}, {less} and {more} which
    way it has to change; {misused} and {given} are the two
    literals when only words can tell the right one; {sed} and {sed_told} are both of them as sed has them, {where} is
    the statement in words.
    """

    name = "fix_literal"
    weight = 0.8
    skeletons = """
    @wrong [value|constant|literal]
    @wrong [value|constant|literal] [here|on this line|used here]
    @[this|that|it] [uses|has|passes] the wrong [value|constant|literal]
    @the [value|constant|literal] [here|on this line|] is <wrong>
    @<fix> the [value|constant|literal] [here|]
    @is this the right value
    @isn't this the wrong value
    @that value [can't be|is not|cannot be] right
    @[bug|mistake] [here|on this line], [the value is wrong|wrong value|check the value]
    @there is a [bug|mistake] [here|on this line|], i think the value
    @[something|this] is off with the [value|constant] [here|]
    @another value [is needed|was meant|belongs here]
    @i [typed|put|wrote] the wrong value [here|]
    @<use> the right value [here|]
    @the hard-coded value is <wrong> [here|]
    @wrong number{number} [here|]
    @the number{number} [here|on this line|] is <wrong>
    @<fix> the number{number} [here|]
    @this number{number} [can't be right|is not right|makes no sense]
    @wrong index or [count|number]{number}
    @wrong [initial|starting|start] value{first} [here|]
    @it starts [with|from|at] the wrong value{first}
    @<fix> the [initial|starting] value{first}
    @[initialised|initialized|set up] with the wrong [thing|value]{first}
    @this <should> start [with|as] something else{first}
    @the flag{flag} is [wrong|inverted|the wrong way round] [here|]
    @wrong [boolean|flag|bool]{flag}
    @flip [this|the] [boolean|flag]{flag}
    @<fix> the [flag|boolean]{flag} [here|]
    @wrong [key|string]{key} [here|]
    @the [key|string]{key} [here|] is [wrong|misspelled|not right]
    @<fix> the [key|string]{key} [here|]
    @{trouble}
    @[i get|it gives|python says|getting|this raises|fails with] {trouble}
    @{wrong} is the wrong value [here|]
    @not {wrong} here
    @why {wrong} here ?
    {trouble} [because of {near}|at {near}|for {near}]
    {trouble}[, the start value of {near} is wrong|, {near} starts with the wrong thing]{first}
    {near} gives {trouble}
    wrong [value|literal] in {code}
    wrong [constant|value]: {code}
    {code} [uses|has|passes] the wrong [value|constant|literal]
    the [value|constant|literal] in {code} is <wrong>
    <fix> the [value|constant|literal] in {code}
    there is a [bug|mistake] in {code}, [the value is wrong|wrong value|check the value]
    {code} is <wrong>, [another value is needed|wrong value|check the value]
    why {code}? [that's|that is] the wrong value
    the number{number} in {code} is <wrong>
    <fix> the number{number} in {code}
    wrong number{number} in {code}
    the flag{flag} in {code} is [wrong|inverted]
    <fix> the flag{flag} in {code}
    the key{key} in {code} is [wrong|misspelled]
    <fix> the [key|string]{key} in {code}
    {code} <should> be {right}, [wrong value|the value is wrong]
    in {code} {wrong} is [wrong|not right|a mistake]
    [the value of|the value for] {near} is <wrong>
    {near} has the wrong value
    {near} is [set to|given] the wrong [value|thing]
    <fix> the value of {near}
    wrong value for {near}
    {near} <should> have another value
    {near} [starts|begins] with the wrong [value|thing]{first}
    the [initial|starting|start] value of {near} is <wrong>{first}
    <fix> the [initial|starting|start|first] value of {near}{first}
    {near} is [initialised|initialized] [wrongly|with the wrong thing|wrong]{first}
    {near} <should> start [with|as|from] something else{first}
    {near} must not start [as|with|at] {wrong}{first}
    the flag {near} is [wrong|inverted|the wrong way round]{flag}
    {near} <should> be the opposite{flag}
    flip [the flag|] {near}{flag}
    {lone} is the wrong [value|constant|literal]
    {lone} is <wrong> [here|]
    {lone} [can't be right|is not right|makes no sense] [here|]
    <fix> {lone}, it's the wrong value
    wrong value {lone}
    the [value|literal|constant] {lone} is [wrong|not right|off|a mistake]
    [i think|it looks like|looks like] {lone} is [wrong|a mistake|not right]
    [the|that] {lone} must be [wrong|a mistake|a typo]
    [why is|is] {lone} [right|correct] [here|] ? [i doubt it|i don't think so]
    {lone} <should> be [something else|another value]
    replace the wrong {lone}
    [check|have a look at] the {lone}, [that's|it is] not the right value
    wrong number{number}: {lone}
    wrong key{key}: {lone}
    the key{key} {lone} [is wrong|does not exist|is misspelled]
    it should not be {lone}
    [not|anything but] {lone}, that's [wrong|a bug]
    {keyed}
    {keyed} [in this code|when i run this|when i call it|at runtime]
    [i get|i am getting|it gives|python says|getting|this raises|it fails with] {keyed}
    <fix> the {keyed}
    why do we get {keyed}
    {keyed} is raised [here|by this code|]
    [the code|it|this] [dies|stops|ends|crashes|breaks] with {keyed}
    running this gives {keyed}
    [a|the] user reported {keyed}
    [when called|at runtime] it says {keyed}
    {keyed}, <fix> the key
    a key is misspelled: {keyed}
    [where does|why do i get|what causes] {keyed} ?
    {misused} is <wrong>, it <should> be {given}
    bug: {misused} [was used|stands here] instead of {given}
    the value is wrong, it is {misused} but <should> be {given}
    the key is {given}, not {misused}{key}
    {misused} is a [typo|misspelling], it is {given}{key}
    wrong value, {given} was meant, not {misused}
    {code} -> {right}
    {right}, not {code}
    {right} instead of {code}
    it says {code}, should say {right}
    nit: {right}
    {code}: {wrong} -> {value}
    {code}: {value}, not {wrong}
    {value} instead of {wrong} in {code}
    in {code} i'd expect {value}
    {code} ?? {value} !
    why {wrong} in {code} and not {value}
    {near}: {value} instead of {wrong}
    {near}: {wrong} -> {value}
    {near} {value}, not {wrong}
    {near} should be {value}, [not {wrong}|please]
    set {near} to {value} [again|]
    {near} must be {value}, {wrong} is nonsense
    {near} is {wrong}, [we want|should be|has to be] {value}
    {near} of {wrong} makes no sense
    why on earth is {near} {wrong} ?
    back to {value} for {near}
    {near} has to start at {value}{first}
    start {near} at {value}, not {wrong}{first}
    {near} begins as {wrong}, should be {value}{first}
    {near} is never [filled|right] because it starts as {wrong}{first}
    {near} off from the very beginning{first}
    {near} was set to {wrong} for [debugging|a test], put it back [to {value}|]
    left {near} at {wrong} after debugging
    {near} is on by mistake{off}
    {near} got switched off by mistake{on}
    {near} the wrong way round{flag}
    {near}: opposite please{flag}
    {near} should be on [by default|]{on}
    {near} should be off [by default|]{off}
    {near}: on please{on}
    don't turn {near} on{off}
    true and false mixed up for {near}{flag}
    {lone} -> {value}
    {value}, not {lone}
    {value} instead of {lone}
    not {lone} but {value}
    {lone}? you mean {value}
    {lone} should be {value}
    {lone} was for testing only, {value} in production
    {lone} is too [much|many|big]{less}
    {lone} is too [small|little|few]{more}
    @too [big|many|much]{less}
    @too [small|few]{more}
    {near} is too [big|high|long]{less}
    {near} is too [small|low|short]{more}
    magic {lone} is wrong{number}
    {lone} [one off|off by some|a bit off]{number}
    count again, {lone} is not it{number}
    the docs say {value}, not {lone}
    spec says {value}, the code has {lone}
    where does {lone} come from ? makes no sense
    {lone} looks like a slip of the keyboard
    nothing is called {lone}{key}
    nobody sends {lone}, they send {value}{key}
    the field is {value} and not {lone}{key}
    {lone} is spelled {value}{key}
    @{wrong} -> {value}
    @{value}, not {wrong}
    @{value} instead of {wrong}
    @should [say|be] {value}
    @{value} please
    @nit: {value}
    @back to {value}
    @true/false mixed up{flag}
    @should be off{off}
    @should be on{on}
    @switch it on{on}
    @switch it off{off}
    @the opposite please{flag}
    @not by default{off}
    @[on|yes] by default{on}
    @forgot to set this back after debugging
    @left over from [testing|debugging|an experiment]
    @that was for a test only
    @wrong end of the list{index}
    @takes the wrong element{index}
    @wrong index{index}
    @one too many{number}{less}
    @one too few{number}{more}
    @off by some{number}
    @count again{number}
    @miscounted{number}
    @should [not|hardly] be {wrong}, see the comment
    @nobody knows that key{key}
    @wrong field name{key}
    @misspelt{key}
    @letters mixed up{key}
    @should begin as something else{first}
    @starts off wrong{first}
    {where} has the wrong value
    wrong [value|literal] in {where}
    {where}: {value}, not {wrong}
    {where} <should> [give|have] {value}
    {trouble}. {code} is to blame
    {near} -- {trouble}
    {trouble} <- {near}
    {keyed}, typo?
    {keyed} <- surely misspelt
    tests are red: {keyed}
    ci: {keyed}
    traceback: {keyed}
    blows up with {keyed}
    {keyed}. it worked before the [rename|refactoring]
    {keyed} -- it's spelled differently everywhere else
    just got {keyed} [in production|on a fresh checkout|]
    crash report: {keyed}
    one key is not like the others: {keyed}
    {misused} -> {given}
    {given} instead of {misused}
    {misused}? {given} !
    not {misused} but {given}
    it says {misused}, should say {given}
    {given}, not {misused}
    somebody typed {misused} for {given}
    {sed}
    @{sed}
    {sed_told}
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Change one literal: to another of the region, a usual other one, a misspelled or an invented one."""
        slips = list(literal_slips(snippet))
        if not slips:
            return None
        place = rng.choice(sorted({slip[:2] for slip in slips}))
        slip = rng.choice([slip for slip in slips if slip[:2] == place])
        good = source_of(snippet, slip)
        if good[0] in "'\"" and len(good) > 5 and rng.random() < 0.6:
            return _misspelled(snippet, slip, good, rng)
        if good.isdigit() and rng.random() < 0.25:
            slip = slip._replace(text=str(rng.choice([int(good) * 10, int(good) // 10, int(good) + rng.randint(2, 9)])))
        bug = break_at(snippet, slip)
        if bug is None:
            return None
        if not _listed(bug):
            return planted(bug, _both(bug), rng, told=True, by_line=0) if _told(bug) else None
        slots = _slots(bug, snippet, rng)
        return planted(bug, slots, rng, told=bool(slots.keys() & {"lone", "code", "near"}))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Nothing: real code is taken to be right."""
        return None


def _misspelled(snippet: Snippet, slip: Slip, good: str, rng: Random) -> Planted | None:
    """A key nobody knows. The right one stands elsewhere, or the words say it."""
    text = misspelled(good[1:-1], rng)
    if not re.fullmatch(r"[\w.-]+", text) or sum(text in line for line in snippet.lines):
        return None
    bug = break_at(snippet, slip._replace(text=f"{good[0]}{text}{good[0]}"))
    if bug is None:
        return None
    trouble = rng.choice(_KEY.split("|")).format(text)
    if _listed(bug, trouble):
        return planted(bug, {"keyed": trouble}, rng, told=True, by_line=0)
    slots = _both(bug) | {"key": ""}
    return planted(bug, slots, rng, told=True, by_line=0) if _told(bug) else None


def _both(bug: Bug) -> dict[str, str]:
    return {"misused": bug.old, "given": bug.new, "sed_told": f"s/{bug.old}/{bug.new}/"}


def _told(bug: Bug) -> bool:
    return _listed(bug, f"{bug.old} {bug.new}")


def _slots(bug: Bug, right: Snippet, rng: Random) -> dict[str, str]:
    slots = {"wrong": bug.old, "value": bug.new, **code_slots(bug, right)}
    fix = next(slip for slip in literal_slips(bug.before) if slip[:3] == (bug.start, bug.end, bug.new))
    first = bug.old == "set()" or "set()" in {
        slip.text for slip in literal_slips(bug.before) if slip.start == bug.start
    }
    if sum(line.count(bug.old) for line in bug.before.lines) == 1:
        slots |= {"lone": bug.old, "sed": f"s/{bug.old}/{bug.new}/"}
    sort = "first" if first else "flag" if bug.old[0].isupper() else "key" if bug.old[0] in "'\"" else "number"
    slots[sort] = ""
    slots |= _direction(bug)
    assigned = re.search(r"\w\s*(:[^=]*)?=\s*$", bug.before.lines[bug.start[0]][: bug.start[1]])
    near = fix.words[4] if len(fix.words) > 4 and assigned else ""
    places = {slip.start for slip in literal_slips(bug.before) if slip.words[4:] == (near,)}
    if near and len(places) == 1:
        slots["near"] = near
    trouble = _TROUBLES.get((bug.old.replace('"', "'"), bug.new.replace('"', "'")), "")
    return slots | ({"trouble": rng.choice(trouble.split("|"))} if trouble else {})


def _direction(bug: Bug) -> dict[str, str]:
    """What shows nothing and says which way the value has to change, and whether it is an index."""
    flags = {"index": ""} if bug.before.lines[bug.start[0]][: bug.start[1]].endswith("[") else {}
    if bug.new in ("True", "False"):
        return flags | {"on" if bug.new == "True" else "off": ""}
    if all(re.fullmatch(r"-?\d+(\.\d+)?", one) for one in (bug.old, bug.new)):
        return flags | {"less" if float(bug.new) < float(bug.old) else "more": ""}
    return flags


def _listed(bug: Bug, instruction: str = "") -> bool:
    return any(slip[:3] == (bug.start, bug.end, bug.new) for slip in literal_slips(bug.before, instruction))
