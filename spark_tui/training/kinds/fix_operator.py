"""Put the right operator back where a wrong one was planted."""

from random import Random

from spark_tui.editing.codemods.bugs.mistaken import source_of
from spark_tui.editing.codemods.fix_operator import operator_slips
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.mistakes import Bug, break_at, code_slots, planted

_GROUPS = {
    "comparison": "==|!=|<|>|<=|>=|in|not in|is|is not",
    "connective": "and|or",
    "arithmetic": "+|-|*|/|//|%|**|<<|>>|&|^|@",
    "update": "+=|-=|*=|/=|//=|%=|**=|<<=|>>=|&=|^=|@=|=",
}
_FLAGS = {"comparison": "compared", "connective": "joined", "arithmetic": "computed", "update": "updated"}
_SPOKEN = {
    "==": "equals|an equals|==", "!=": "not equal|unequal|!=", "<": "less than|smaller than|below",
    ">": "greater than|larger than|more than", "<=": "less or equal|at most|smaller or equal",
    ">=": "greater or equal|at least|larger or equal", "and": "an and|a logical and", "or": "an or|a logical or",
    "+": "a plus|an addition|plus", "-": "a minus|a subtraction|minus", "*": "a times|a multiplication|a product",
    "/": "a division|a slash", "//": "a whole-number division|a floor division|integer division", "%": "a modulo|the remainder",
    "+=": "a plus equals|adding up", "-=": "a minus equals|subtracting", "=": "a plain assignment|a simple =", "in": "an in|a membership test", "not in": "a not in",
    "is": "an is|an identity check", "is not": "an is not", "&": "a bitwise and|a single &", "**": "a power|an exponent",
}  # fmt: skip
_EFFECTS = {
    ("<", "<="): "edge|include", (">", ">="): "edge|include", ("<=", "<"): "edge|exclude", (">=", ">"): "edge|exclude",
    ("<", ">"): "reversed", (">", "<"): "reversed", ("<=", ">="): "reversed", (">=", "<="): "reversed",
    ("or", "and"): "to_and", ("and", "or"): "to_or", ("+", "-"): "to_minus", ("-", "+"): "to_plus",
    ("-=", "+="): "to_plus", ("+=", "-="): "to_minus", ("=", "+="): "to_add", ("/", "//"): "to_floor",
    ("is", "=="): "to_equal",
}  # fmt: skip
_TROUBLES = {
    (
        "-",
        "+",
    ): "TypeError: unsupported operand type(s) for -: 'str' and 'str'|TypeError: unsupported operand type(s) for"
    " -: 'list' and 'list'|TypeError: unsupported operand type(s) for -: 'str' and 'int'",
    (
        "/",
        "//",
    ): "TypeError: 'float' object cannot be interpreted as an integer|TypeError: list indices must be integers or"
    " slices, not float|TypeError: slice indices must be integers or None or have an __index__ method",
    ("is", "=="): 'SyntaxWarning: "is" with a literal. Did you mean "=="?',
    ("is not", "!="): 'SyntaxWarning: "is not" with a literal. Did you mean "!="?',
    ("/", "*"): "ZeroDivisionError: division by zero|TypeError: unsupported operand type(s) for /: 'str' and 'int'",
    (
        "-=",
        "+=",
    ): "TypeError: unsupported operand type(s) for -=: 'str' and 'str'|TypeError: unsupported operand type(s)"
    " for -=: 'list' and 'list'",
}


class FixOperator(Kind):
    """`a or b` becomes `a and b`.

    Slots: {code} is an expression with the wrong operator, {right} the right one; {old} and {new} are operators, {old}
    stands once; {what} is comparison, connective, arithmetic or update; {trouble} is how Python complains;
    {unspoken} and {spoken} are the wrong and the right operator in words, {where} is the statement in words; {edge},
    {include}, {exclude}, {reversed}, {to_and}, {to_or}, {to_plus}, {to_minus}, {to_add}, {to_floor}, {to_equal},
    {compared}, {joined}, {computed}, {updated} and {signed} show nothing and say of what sort the operator is.
    """

    name = "fix_operator"
    weight = 0.6
    skeletons = """
    @wrong operator
    @wrong operator [here|on this line|used here]
    @[this|that|it] [uses|has] the wrong operator
    @the operator [here|on this line|] is <wrong>
    @<fix> the operator [here|]
    @<fix> [this|the] [expression|comparison|calculation|formula|test]
    @there is a bug [here|on this line|in this line], [the operator i think|probably the operator|i suspect the operator]
    @[i suspect|i think|it looks like] the operator is <wrong> [here|]
    @isn't [this|that] the wrong operator
    @is this [really|] the right operator
    @bad operator
    @[something is|there's something] wrong with the operator [here|]
    @[i think|maybe|probably] this [wants|needs] another operator
    @another operator [is needed|was meant] here
    @use the right operator [here|]
    @[fix|correct] this, the operator does not fit
    @[that|this] operator [makes no sense|cannot be right|can't be right]
    @this does the opposite of what it should, the operator is <wrong>
    @operator [mistake|mixup|mix-up|bug|slip|typo] [here|]
    @the [math|arithmetic|calculation|sum] is <wrong>{computed} [here|]
    @this computes the wrong [value|number|thing|result]{computed}, the operator is [off|wrong]
    @the wrong sign{signed}
    @wrong sign{signed} [here|]
    @the sign is [wrong|flipped|off]{signed} [here|]
    @<fix> the sign{signed}
    @this updates it the wrong way{updated}
    @[this|the] comparison{compared} [is|goes|looks] [the wrong way|wrong|backwards|the wrong way round]
    @the [logical operator|boolean operator|and/or]{joined} is [wrong|mixed up]
    @mixed up the operators [here|on this line|]
    @i [typed|picked|used] the wrong operator here
    @{trouble}
    @[i get|it gives|python says|getting|this raises|fails with] {trouble}
    @[where does|why the] {trouble} [come from|] ?
    @{what} [operator|] is <wrong> [here|]
    @<fix> the {what} [operator|] [here|]
    @wrong {what} [operator|]
    @it should not be {old}
    @{old} is [wrong|not right|not what we want] here
    @why {old} here ?
    the operator in {code} is <wrong>
    wrong operator in {code}
    wrong operator: {code}
    {code} [uses|has] the wrong operator
    {code} is <wrong>
    {code} [looks|seems|can't be|is not] right, [check|look at] the operator
    {code} [does not|doesn't] [do|compute|test] the right thing
    <fix> {code}
    <fix> the operator in {code}
    <fix> the operator in {code}, [it's|it is] <wrong>
    there is a bug in {code}
    bug in {code}[, the operator is wrong|, wrong operator|]
    shouldn't {code} use another operator
    is {code} [right|correct] ?
    the {what} in {code} is <wrong>
    <fix> the {what} [operator|] in {code}
    wrong {what} [operator|] in {code}
    the {what} operator in {code} [is mixed up|was mistyped|should be another one]
    {code} has the wrong {what} [operator|]
    someone mistyped the operator in {code}
    {code} gives the wrong [result|value|answer], [check|fix] the operator
    why {code}? [the operator is|that operator looks] wrong
    {trouble} [in|at|from] {code}
    {code} [fails|dies|blows up] with {trouble}
    {code} raises {trouble}
    [i get|getting|it says] {trouble} [for|on|at] {code}
    the {old} is [wrong|not right|a mistake|a bug]
    the operator {old} is [wrong|not right|the wrong one|a mistake]
    {old} is the wrong operator
    [i think|it looks like] {old} is the wrong operator [here|]
    <fix> the {old}, it is the wrong operator
    <fix> the [wrong|bad|mistaken] {old}
    it should not [be|use] {old}
    why is there a {old} ? [that's|that is|looks] wrong
    [that|the] {old} can't be right
    {old} must be a typo
    [bug|mistake|slip]: the {old} [is wrong|is not right|should be another operator]
    {old} [was|is] [mistyped|mixed up], <fix> it
    {code} should [read|have been] {right}, <fix> the operator
    wrong operator, {right} was meant
    the operator is wrong in {code}, i meant {right}
    operator mixup: {code} instead of {right}
    @should be {new}
    @{old} -> {new}
    @{new}, not {old}
    @{new} instead of {old}
    @{new} please
    @s/{old}/{new}/
    @nit: {new}
    @surely {new} and not {old}
    @typo, {new} was meant
    @[it|that] has to be {spoken}
    @{spoken}, not {unspoken}
    @{spoken} please
    @i want {spoken} here
    @why {unspoken}? {spoken} would be right
    @should this not be {spoken} ?
    @off by one at the boundary{edge}
    @the boundary is [wrong|off]{edge}
    @the limit itself <should> [count|be allowed|be included] too{include}
    @the last one is [missing|left out]{include}
    @the limit itself must not count{exclude}
    @one too many gets through{exclude}
    @exactly at the limit it does the wrong thing{edge}
    @inclusive please{include}
    @exclusive, not inclusive{exclude}
    @wrong direction, [smaller and larger|less and greater] are mixed up{reversed}
    @compares in the wrong direction{reversed}
    @both have to [hold|be true], not just one{to_and}
    @one of them is enough{to_or}
    @either one <should> do{to_or}
    @needs all of them, not any{to_and}
    @it is enough when one of them holds{to_or}
    @adds where it should subtract{to_minus}
    @subtracts where it should add{to_plus}
    @should be the sum{to_plus}
    @should be the difference{to_minus}
    @overwrites instead of adding up{to_add}
    @this only keeps the last one{to_add}
    @the total is never summed up{to_add}
    @loses what was there before{to_add}
    @counts down instead of up{to_add}
    @needs a whole number here{to_floor}
    @gives a float, i need an int{to_floor}
    @compares identity, not the value{to_equal}
    @F632 Use `==` to compare constant literals{to_equal}
    @true for the wrong ones{compared}
    @numbers come out wrong{computed}
    @result is way off{computed}
    @the maths is off{computed}
    @check your arithmetic{computed}
    @formula is off, see the docs{computed}
    {code} -> {right}
    {right}, not {code}
    {right} instead of {code}
    shouldn't {code} be {right} ?
    not {code} but {right}
    it says {code}, should say {right}
    {code}: {new}, not {old}
    {code}: {old} -> {new}
    {code} needs {spoken}
    {spoken} in {code}, not {unspoken}
    make it {spoken} in {code}
    {code}: {unspoken} should be {spoken}
    {code} is off at the boundary{edge}
    in {code} the limit itself should count [as well|too]{include}
    {code} includes the limit but shouldn't{exclude}
    {code} compares in the wrong direction{reversed}
    {code}: both must hold{to_and}
    {code}: one of the two is enough{to_or}
    {code} adds but should subtract{to_minus}
    {code} subtracts but should add{to_plus}
    {code} loses the old value, add to it{to_add}
    {code} gives a float{to_floor}
    {code} compares identities{to_equal}
    nit: {right}
    review: {code} should surely be {right}
    tests fail because of {code}, must be {right}
    {where}: wrong operator
    wrong {what} operator in {where}
    the {what} in {where} is <wrong>
    {where} <should> [have|use] {new}, not {old}
    {new} in {where} [please|instead of {old}]
    {old} in {where} [is wrong|can't be right]
    the only {old} here is wrong
    what is {old} doing there? {new} !
    {trouble} <- {code}
    {code}. {trouble}
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Change one operator to a wrong one."""
        slips = list(operator_slips(snippet))
        plain = [slip for slip in slips if "sign" not in slip.words or not slip.text.startswith("-")]
        slips = plain if rng.random() < 0.96 else slips
        bug = break_at(snippet, rng.choice(slips)) if slips else None
        found = list(operator_slips(bug.before)) if bug else []
        if bug is None or (bug.start, bug.end, bug.new) not in {slip[:3] for slip in found}:
            return None
        slots = _slots(bug, snippet, rng)
        places = {slip.start for slip in found if source_of(bug.before, slip) == bug.old}
        if len(places) == 1 and "what" in slots:
            slots["old"] = bug.old
        return planted(bug, slots, rng, told=bool(slots.keys() & {"old", "code"}))

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Nothing: real code is taken to be right."""
        return None


def _slots(bug: Bug, right: Snippet, rng: Random) -> dict[str, str]:
    slots = code_slots(bug, right)
    sort = next((sort for sort, texts in _GROUPS.items() if bug.old in texts.split("|")), "")
    slots |= {"what": sort, _FLAGS[sort]: ""} if sort else {"signed": ""}
    if bug.old in _SPOKEN and bug.new in _SPOKEN:
        slots |= {
            "unspoken": rng.choice(_SPOKEN[bug.old].split("|")),
            "spoken": rng.choice(_SPOKEN[bug.new].split("|")),
        }
    slots |= {"new": bug.new} if bug.new.strip("-") else {}
    slots |= dict.fromkeys(filter(None, _EFFECTS.get((bug.old, bug.new), "").split("|")), "")
    beside = bug.before.lines[bug.end[0]][bug.end[1] :].lstrip()[:1]
    if not bug.old.startswith("is") or beside in "'\"0123456789":
        troubles = _TROUBLES.get((bug.old, bug.new), "")
        slots |= {"trouble": rng.choice(troubles.split("|"))} if troubles else {}
    return slots
