"""Put the right attribute back where another one, or a misspelled one, was planted."""

from random import Random

from spark_tui.editing.codemods.bugs.mistaken import Slip, source_of
from spark_tui.editing.codemods.fix_attribute import attribute_slips
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.mistakes import Bug, break_at, code_slots, function_at, misspelled, planted
from spark_tui.training.names import absent_name

_MISSING = (
    """
AttributeError: '{2}' object has no attribute '{0}'|AttributeError: '{2}' object has no attribute '{0}'
AttributeError: '{2}' object has no attribute '{0}'. Did you mean: '{1}'?|'{2}' object has no attribute '{0}'
AttributeError: '{2}' object has no attribute '{0}'. Did you mean: '{1}'?|E1101: Instance of '{2}' has no '{0}' member
"{2}" has no attribute "{0}"|"{2}" has no attribute "{0}"; maybe "{1}"?|Cannot access attribute "{0}" for class "{2}"
error: "{2}" has no attribute "{0}"  [attr-defined]|{2} has no attribute '{0}'|'{2}' has no attribute '{0}'
""".strip()
    .replace("\n", "|")
    .split("|")
)
_MODULE = (
    """
AttributeError: module '{2}' has no attribute '{0}'|module '{2}' has no attribute '{0}'
AttributeError: module '{2}' has no attribute '{0}'. Did you mean: '{1}'?|error: Module has no attribute "{0}"
""".strip()
    .replace("\n", "|")
    .split("|")
)


class FixAttribute(Kind):
    """`return self.size` becomes `return self.width`.

    Slots: {code} is an expression with the wrong attribute, {right} the right one; {wrong} and {meant} are the wrong and
    the right attribute, {lone} the wrong one when it stands once, {owner} what it is taken of; {trouble} is how Python
    complains; {dot}, {dotted}, {lone_dot}, {path}, {good_path} and {sed} are ways to write them, {close} shows nothing and
    says that it is a misspelling; {misused} and {given} ({sed_told}) are the two attributes when only words can tell the right one.
    """

    name = "fix_attribute"
    weight = 0.9
    skeletons = """
    @wrong attribute
    @wrong [attribute|field|property|member] [here|on this line|]
    @[this|that|it] [uses|reads|takes|accesses] the wrong [attribute|field|property|member]
    @the [attribute|field|property|member] [here|on this line|] is <wrong>
    @<fix> the <attribute> [here|]
    @[isn't this|is this not] the wrong [attribute|field]
    @is this the right [attribute|field]
    @[i used|i took|i picked|i mixed up] the wrong [attribute|field]
    @another [attribute|field|property] [was meant|is needed|is meant] here
    @mixed up [two|the] [attributes|fields] [here|]
    @there is a [bug|mistake] [here|on this line], [the attribute is wrong|wrong attribute|i think the attribute]
    @[something|the thing] after the dot is wrong
    @the part after the dot [is not right|is wrong|should be something else]
    @we look at the wrong [attribute|field|member] of the object
    @this [gets|sets|fetches] the wrong thing from the object
    @[that|this] is not the [attribute|field] [we want|i meant|to use]
    @[copy paste|copy-paste] [error|bug], the attribute [was not changed|is wrong]
    @wrong [member|field] access [here|]
    @attribute [mixup|mix-up|mistake|typo] [here|]
    @the object has [another|a different] attribute for this
    @<use> the right [attribute|field] [here|]
    @{trouble}
    @[i get|it gives|python says|getting|this raises|fails with] {trouble}
    @{wrong} is the wrong [attribute|field] [here|]
    @the attribute {wrong} is not right [here|]
    @why {wrong} here ? wrong attribute
    @the attribute <should> be {meant}
    @it should [read|be|use] the attribute {meant}
    @i meant the attribute {meant}
    @<use> [the attribute|the field] {meant} [here|]
    {trouble}
    {trouble} [in this code|when i run this|when i call it|at runtime]
    [i get|i am getting|it gives|it gives me|python says|getting|this raises|it fails with|it crashes with] {trouble}
    [where does|why do i get|what causes] {trouble} ?
    [ruff|mypy|pylint|pyright|the linter|my editor] [says|complains|reports]: {trouble}
    <fix> {trouble}
    <fix> the error {trouble}
    <fix> the AttributeError: {trouble}
    running this [ends in|gives] {trouble}
    {owner} has no [attribute|field|member] {lone}{undefined}
    there is no [attribute|field] {lone} [on {owner}|]{undefined}
    [the attribute|the field] {lone} [does not exist|is misspelled|is a typo|isn't there]{undefined}{close}
    typo in the attribute {lone}{undefined}{close}
    [unknown|nonexistent] attribute {lone}{undefined}
    <fix> the [spelling|misspelling] of the attribute {lone}{undefined}{close}
    wrong attribute in {code}
    wrong [attribute|field|member]: {code}
    {code} [uses|reads|takes|accesses] the wrong [attribute|field|member]
    {code} has the wrong [attribute|thing after the dot|field]
    the [attribute|field|property] in {code} is <wrong>
    <fix> the [attribute|field] in {code}
    there is a [bug|mistake] in {code}, [the attribute is wrong|wrong attribute|the attribute was mixed up]
    {code} is <wrong>, [another attribute is needed|wrong attribute|check the attribute]
    in {code} we [look at|use|read] the wrong [attribute|field|member]
    why {code}? [that's|that is] the wrong [attribute|field]
    [should|must] {code} not use [another attribute|a different attribute|another field]
    {code} <should> be {right}, [wrong attribute|the attribute is wrong]
    {code} <should> [use|read] the attribute {meant}
    in {code} the attribute <should> be {meant}
    in {code} {wrong} is the wrong [attribute|field]
    the attribute {wrong} in {code} is [wrong|not right|mixed up]
    [copy paste|copy-paste] [bug|error] in {code}, the attribute [is wrong|was not changed]
    {code} [takes|gets|fetches] the wrong thing from {owner}
    {lone} is the wrong [attribute|field|property|member]
    the attribute {lone} [is wrong|is not right|is the wrong one|can't be right|makes no sense here]
    the [attribute|field] {lone} [was|is] mixed up with another [one|attribute]
    {path} is [wrong|not right|the wrong attribute]
    {path} [should|must] be another attribute [of {owner}|]
    <fix> the attribute {lone}, [it's|it is] the wrong one
    not the attribute {lone}, [that's wrong|another one|it's a mistake]
    wrong attribute {lone}
    wrong attribute of {owner}: {lone}
    it should not [use|be|read] the attribute {lone}
    bug: the attribute {lone} [is wrong|should be another one]
    the attribute {misused} <should> be {given}
    the attribute is [called|named] {given}, not {misused}
    it has no attribute {misused}, [it's|it is called|the right one is] {given}
    [there's|there is] no {misused} [attribute|field], [use|it's] {given}
    wrong attribute: {misused} [instead of|should be|rather than] {given}
    [the field|the property] is {given} [not|and not] {misused}
    the attribute was renamed from {misused} to {given}, <fix> [this|it] [here|]
    the [method|attribute] {misused} does not exist, [it is|i meant] {given}
    [i|we] mixed up the attributes {misused} and {given}
    {trouble}, typo?
    {trouble} <- which one is it then
    just got {trouble}
    tests are red: {trouble}
    ci: {trouble}
    [pyright|mypy]: {trouble}
    {trouble}. it worked before the [rename|refactoring|upgrade]
    {trouble} -- that field has another name nowadays
    traceback ends in {trouble}
    users get {trouble}
    blows up with {trouble} as soon as i [open it|call it|use it]
    i renamed a field and now {trouble}
    pasted from the log: {trouble}
    {lone} has been renamed, one use was forgotten{undefined}
    {owner} never had a {lone}{undefined}
    no {lone} on {owner} any more{undefined}
    nothing is called {lone} there{undefined}
    {lone} ?? never heard of it{undefined}
    letters mixed up: {lone_dot}{undefined}{close}
    sp: {lone}{undefined}{close}
    {lone_dot} is misspelt{undefined}{close}
    where does {lone} come from? {owner} doesn't have it{undefined}
    {path} does not exist{undefined}
    fat fingers in {path}{undefined}{close}
    {where} takes the wrong [attribute|field]
    wrong [field|attribute] in {where}
    {dot} in {where} is the wrong one
    {where}: {dotted} please
    {where} <should> look at {dotted}, [not|instead of] {dot}
    in {where} it is {meant}, not {wrong}
    {code} -> {right}
    {right}, not {code}
    {right} instead of {code}
    it says {code}, should be {right}
    why {code} and not {right} ?
    nit: {right}
    review: surely {right} and not {code} ?
    {code}: {wrong} -> {meant}
    {meant} not {wrong} in {code}
    {code}: {dotted}
    {code} reads something else than [it sets|the rest does]
    {code} [gives|returns] the wrong thing, it's the other [field|attribute]
    not the {wrong} of it, the {meant}: {code}
    {owner} keeps that under {dotted}, {code} looks in the wrong place
    ask {owner} for its {meant} in {code}
    {lone_dot} is from somewhere else
    {lone_dot} -> {dotted}
    {path} -> {good_path}
    {good_path}, not {path}
    not {path}, {good_path}
    {path} [holds|is] something else, [{meant}|{dotted}] is what we want
    {lone} should be {meant} there
    @{dot} -> {dotted}
    @{wrong} -> {meant}
    @{dotted}
    @{dotted}, not {dot}
    @{sed}
    @nit: {dotted}
    @{wrong}? you mean {meant}
    @{good_path}
    @wants the {meant} of {owner}, not its {wrong}
    @wrong one after the dot
    @[that|this] lives under another name
    @autocomplete picked the wrong field
    @pasted from [above|the line above] and never adapted the field
    @same field twice, one should be another
    @gives back the wrong part of the object
    @hm, {dot} looks wrong
    @that's not the field this is about
    {misused} -> {given}
    {misused} -> {given}
    {sed_told}
    {given} instead of {misused}
    {misused} is gone, use {given} now
    {misused} is called {given} nowadays
    {misused}? {given} !
    the api has {given}, no {misused} there
    deprecated: {misused}, {given} is the new one
    typo: {misused} ({given})
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Use another attribute at one place: one of the region's, a misspelled one, or one that is nowhere."""
        slips = list(attribute_slips(snippet, "`nowhere_found`"))
        if not slips:
            return None
        place = rng.choice(sorted({slip[:2] for slip in slips}))
        real = [slip for slip in slips if slip[:2] == place and slip.text != "nowhere_found"]
        roll = rng.random()
        if roll < 0.5 and real:
            return _mixed_up(snippet, rng.choice(real), rng)
        slip = next(slip for slip in slips if slip[:2] == place)
        return _unknown(snippet, slip, rng, by_words=rng.random() < 0.12)

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Nothing: real code is taken to be right."""
        return None


def _mixed_up(snippet: Snippet, slip: Slip, rng: Random) -> Planted | None:
    bug = break_at(snippet, slip)
    if bug is None or not _listed(bug):
        return None
    slots = _slots(bug, snippet)
    if rng.random() < 0.25 and _unique(bug):
        slots["trouble"] = _trouble(bug, rng, False)
    return planted(bug, slots, rng, told=bool(slots.keys() & {"lone", "code"}))


def _unknown(snippet: Snippet, slip: Slip, rng: Random, *, by_words: bool) -> Planted | None:
    """An attribute that is not there. Unless words tell the right one, that is used elsewhere too."""
    good = source_of(snippet, slip)
    close = rng.random() < 0.6 and len(good) > 3
    wrong = misspelled(good, rng) if close else absent_name(snippet.lines, rng, like=good)
    if not wrong.isidentifier() or wrong in "\n".join(snippet.lines) or wrong.startswith("__") != good.startswith("__"):
        return None
    bug = break_at(snippet, slip._replace(text=wrong))
    if bug is None:
        return None
    trouble = _trouble(bug, rng, close)
    if by_words or not _listed(bug, trouble):
        named = "_" in good.strip("_") and "_" in wrong.strip("_")
        return (
            planted(bug, {"misused": wrong, "given": good, "sed_told": f"s/{wrong}/{good}/"}, rng, told=True, by_line=0)
            if named
            else None
        )
    if not _listed(bug):
        return planted(bug, {"trouble": trouble}, rng, told=True, by_line=0)
    slots = _slots(bug, snippet) | {"trouble": trouble, "undefined": "", **({"close": ""} if close else {})}
    return planted(bug, slots, rng, told=True, by_line=0.2)


def _owner(bug: Bug) -> str:
    line = bug.before.lines[bug.start[0]][: bug.start[1] - 1]
    at = len(line)
    while at and (line[at - 1].isalnum() or line[at - 1] in "_."):
        at -= 1
    return line[at:]


def _trouble(bug: Bug, rng: Random, close: bool) -> str:
    """What Python or a checker says; both suggest a name only when it is close."""
    owner = _owner(bug)
    called = bug.before.lines[bug.end[0]][bug.end[1] : bug.end[1] + 1] == "("
    if owner in {"os", "os.path", "np", "torch", "re", "sys", "json", "time", "logging", "math", "subprocess", "ast"}:
        return rng.choice([one for one in _MODULE if close or "{1}" not in one]).format(bug.old, bug.new, owner)
    types = ["str", "list", "dict"] if called and rng.random() < 0.3 else [pools.class_name(rng)]
    return rng.choice([one for one in _MISSING if close or "{1}" not in one]).format(
        bug.old, bug.new, rng.choice(types)
    )


def _unique(bug: Bug) -> bool:
    return sum(line.count(f".{bug.old}") for line in bug.before.lines) == 1


def _slots(bug: Bug, right: Snippet) -> dict[str, str]:
    slots = {"wrong": bug.old, "meant": bug.new, **code_slots(bug, right)}
    slots |= {"dot": f".{bug.old}", "dotted": f".{bug.new}", "sed": f"s/{bug.old}/{bug.new}/"}
    owner = _owner(bug)
    slots |= {"owner": owner} if owner.replace(".", "").isidentifier() else {}
    function = function_at(bug.before, bug.rows[0])
    rows = bug.before.lines[function.lineno - 1 : function.end_lineno] if function else bug.before.lines
    if sum(line.count(f".{bug.old}") for line in rows) == 1:
        slots |= {"lone": bug.old, "lone_dot": f".{bug.old}"}
        if "owner" in slots:
            slots |= {"path": f"{owner}.{bug.old}", "good_path": f"{owner}.{bug.new}"}
    return slots


def _listed(bug: Bug, instruction: str = "") -> bool:
    return any(slip[:3] == (bug.start, bug.end, bug.new) for slip in attribute_slips(bug.before, instruction))
