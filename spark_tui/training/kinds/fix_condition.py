"""Put a condition right that was inverted, that lost a part or was given one too many."""

import ast
import re
from random import Random

from spark_tui.editing.code import MAX_WIDTH, text_of
from spark_tui.editing.codemods.bugs.mistaken import Slip, ops_of
from spark_tui.editing.codemods.fix_condition import condition_slips, conditions, told_parts, with_part, without_part
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import fix_condition_words, pools
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.mistakes import Bug, break_at, code_slots, function_at, planted

_SAID = {
    "{} is not None": "{} is not None|{} is there|{} has a value|{} exists|{} was given|there is a {}",
    "{} is None": "{} is None|{} is missing|there is no {}|{} was not given",
    "not {}": "{} is not set|{} is empty|not {}|{} is false|{} is falsy|there is no {}",
    "{}": "{} is set|{} is not empty|{} is true|{} is truthy|{} is there|{} is there at all",
}
_BOUND = re.compile(r"(len\()?([\w.]+)\)? (>=|>|<=|<) (\d+)")
_NOT = re.compile(r"\bnot\b")
_STRING = re.compile(r"'[^'\"\\]*'|\"[^'\"\\]*\"")


class FixCondition(Kind):
    """`if x:` becomes `if not x:`; a told part is added, one too many taken out.

    Slots: {code} is the condition with the bug, {right} the right one; {opposite} shows nothing and says that it is the
    other way round, {needs_not} and {has_not} that a `not` is missing or too many. {part} is what it lacks, as code, {told} the same in words; {joint} is `and` or `or`, {both} and
    {either} show nothing and say which. {extra} is the part too many, {weak} and {strong} show nothing and say whether it
    lets too much or too little through. {subject} is what may be None ({none} shows nothing) and {crash} what Python says
    then; {also} is a string to be tested for as {like} is; {where} is the statement in words, {sole} says that there is one condition in its line.
    """

    name = "fix_condition"
    weight = 0.9
    skeletons = fix_condition_words.SKELETONS

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Invert a condition, take a part out, or put one in; or ask for a part more in code that is right."""
        roll = rng.random()
        if roll < 0.6:
            found = _weakened(snippet, rng) if roll < 0.3 else None
            return found or _extended(snippet, rng) or _inverted(snippet, rng)
        return _inverted(snippet, rng) if roll < 0.82 else _overloaded(snippet, rng) or _inverted(snippet, rng)

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
    negated = len(_NOT.findall(bug.new)) - len(_NOT.findall(bug.old))
    slots |= {"needs_not": ""} if negated > 0 else {"has_not": ""} if negated < 0 else {}
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
    slots |= _alike(bug, node, part)
    if joint == "and":
        slots |= _missed(bug, part.removesuffix(" is not None"))
    slots |= code_slots(bug, snippet) if bug.rows[0] == bug.rows[1] else {}
    if "code" in slots and not _listed(bug, f"{slots['code']} {part}"):
        return None
    return planted(bug, slots, rng, told="code" in slots, by_line=0.5)


def _alike(bug: Bug, node: ast.BoolOp, part: str) -> dict[str, str]:
    """The slots of a part that another one is like, but for a string: that string and the other one's."""
    lost = _STRING.findall(part)
    for value in node.values:
        kept = _STRING.findall(ast.unparse(value))
        if len(lost) == len(kept) == 1 and lost != kept and lost[0][1:-1] and kept[0][1:-1]:
            same = ast.unparse(value).replace(kept[0], "") == _plain(part).replace(_STRING.findall(_plain(part))[0], "")
            if same and _listed(bug, f"{lost[0]} {kept[0]}"):
                return {"also": lost[0], "like": kept[0]}
    return {}


def _plain(part: str) -> str:
    return ast.unparse(ast.parse(part, mode="eval"))


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


def _extended(snippet: Snippet, rng: Random) -> Planted | None:
    """A part that the code never had, told by what is asked for."""
    whole = [node for node, parent in conditions(snippet) if isinstance(parent, ast.If | ast.While | ast.comprehension)]
    rng.shuffle(whole)
    for node in whole[:3]:
        text = text_of(snippet, node)
        asked = _asked(snippet, node, text, rng) if text else None
        if asked is None:
            continue
        part, joint, slots = asked
        first = "none" in slots
        for slip in with_part(snippet, node, part):
            if (slip.text.startswith(f"{part} {joint} ") if first else slip.text.endswith(f" {joint} {part}")) and (
                len(snippet.lines[slip.start[0]]) + len(slip.text) - len(text) <= MAX_WIDTH
            ):
                rows = slip.start[0], slip.end[0]
                bug = Bug(snippet, ops_of(snippet, slip), rows, slip.start, slip.end, text, slip.text)
                return _asked_for(bug, part, joint, slots, rng)
    return None


def _asked_for(bug: Bug, part: str, joint: str, slots: dict[str, str], rng: Random) -> Planted | None:
    slots |= {"part": part, "joint": joint, "both" if joint == "and" else "either": ""}
    if not _listed(bug, part):
        return None
    words = _in_words(part, rng)
    if words and _listed(bug, words):
        slots["told"] = words
    if sum(line.count(bug.old) for line in bug.before.lines) == 1 and 3 < len(bug.old) <= 45:
        slots["code"] = bug.old
    return planted(bug, slots, rng, told="code" in slots, by_line=0.5)


def _asked(snippet: Snippet, node: ast.expr, text: str, rng: Random) -> tuple[str, str, dict[str, str]] | None:
    """A part to ask for, its operator and its slots: like another one, a check for None, or one of a parameter."""
    strings = [one for one in _STRING.findall(text) if one[1:-1].isidentifier()]
    roll = rng.random()
    if strings and roll < 0.5 and isinstance(node, ast.Compare | ast.Call) and len(strings) == 1:
        also = f"{strings[0][0]}{pools.noun(rng)}{strings[0][0]}"
        negative = isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotEq | ast.NotIn)
        return text.replace(strings[0], also), "and" if negative else "or", {"also": also, "like": strings[0]}
    used = {part.value for part in ast.walk(node) if isinstance(part, ast.Attribute | ast.Subscript)}
    subjects = sorted(
        {text_of(snippet, one) for one in used if isinstance(one, ast.Name | ast.Attribute)} - {"self", "cls"}
    )
    if subjects and roll < 0.75 and not isinstance(node, ast.BoolOp):
        subject = rng.choice(subjects)
        crash = re.search(rf"(?<![\w.]){re.escape(subject)}(?:\.(\w+)|\[)", text)
        if crash and subject[:1].islower():
            said = f"has no attribute '{crash[1]}'" if crash[1] else "is not subscriptable"
            error = "AttributeError" if crash[1] else "TypeError"
            slots = {"subject": subject, "none": "", "crash": f"{error}: 'NoneType' object {said}"}
            return f"{subject} is not None", "and", slots
    function = function_at(snippet, node.lineno - 1)
    own = [arg.arg for arg in function.args.args if arg.arg not in ("self", "cls")] if function else []
    names = [one for one in own if not re.search(rf"\b{one}\b", text)]
    if not names:
        return None
    forms = ["{} is not None", "{}", "not {}", "{} is None", "len({}) >= %d", "len({}) > %d", "{} > %d", "{} >= %d"]
    form = rng.choices(forms, [3, 4, 3, 1, 2, 1, 2, 1])[0]
    part = (form % rng.choice([0, 1, 2, 3, 5, 10]) if "%d" in form else form).format(rng.choice(names))
    return part, "and" if rng.random() < 0.65 else "or", {}


def _in_words(part: str, rng: Random) -> str:
    for form, said in _SAID.items():
        match = re.fullmatch(re.escape(form).replace(r"\{\}", r"([\w.]+)"), part)
        if match:
            return rng.choice(said.split("|")).format(match[1])
    if match := _BOUND.fullmatch(part):
        thing = "is" if not match[1] else rng.choice(["has", "is", "holds"])
        bounds = {">=": "at least", ">": "more than", "<=": "at most", "<": "less than"}
        items = "" if thing == "is" and not match[1] else rng.choice([" characters", " items", " elements", " entries"])
        long = " long" if thing == "is" and match[1] else ""
        return f"{match[2]} {thing} {bounds[match[3]]} {match[4]}{'' if long and rng.random() < 0.5 else items}{long}"
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
