"""Rename a variable, parameter, function, method, attribute or class wherever the region uses it."""

import ast
import keyword
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from spark_tui.editing.identifiers import occurrences
from spark_tui.editing.script import LineOp, Substitute
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind
from spark_tui.training.names import absent_name

_WHAT = (
    "[{old}|{old}|<the> [<variable>|local variable|local] {var}|{var}|<the> <parameter> {param}|<parameter> {param}|{param}"
    "|<the> <attribute> {attr}|<attribute> {attr}|<the> [<function>|<method>] {func}|<function> {func}|{func}"
    "|<the> class {cls}|class {cls}|{cls}|<the> <variable> {var}|<variable> {var}|{attr}]"
)
_KEPT = frozenset({"self", "cls", "mcs", "_", "__class__", "super"})


@dataclass(frozen=True, slots=True)
class _Target:
    """Something that can be renamed: `role` is the slot that holds its name besides `old`."""

    name: str
    role: str
    dotted: bool = False


class Rename(Kind):
    """`rename x to y`."""

    name = "rename"
    weight = 2.0
    skeletons = """
        <rename> WHAT [to|into|as|->|=>] {new}
        <rename> WHAT to {new}
        rename WHAT to {new}
        rename WHAT {new}
        WHAT -> {new}
        WHAT => {new}
        WHAT to {new}
        s/{old}/{new}/
        rename: WHAT -> {new}
        call WHAT {new} [<instead>|from now on|everywhere|]
        <change> WHAT to {new} [everywhere|throughout|all over|wherever it is used|]
        <change> the name [of|for] WHAT to {new}
        <change> the name WHAT to {new}
        <replace> [the name|the identifier|] WHAT [with|by] {new} [everywhere|throughout|]
        <use> {new} [instead of|rather than|in place of] WHAT
        <use> the name {new} [instead of|rather than|in place of|for] WHAT
        <use> {new} as the name [of|for] WHAT
        <use> {new} [where|wherever] [it says|we have|there is] WHAT
        <give> WHAT the name {new}
        <give> WHAT a better name[:|,| -] {new}
        <give> WHAT a [clearer|more descriptive|nicer|more telling|shorter|longer|less confusing] name[:|, namely|, say|] {new}
        let WHAT be [called|named|known as] {new}
        <make> [the name of|] WHAT [read|be] {new}
        make it {new} instead of WHAT
        WHAT <should> be [called|named|renamed to|known as|spelled|written as] {new}
        WHAT <should> really be [called|named] {new}
        WHAT <should> have the name {new}
        WHAT ought to read {new}
        WHAT [was|is|got] renamed to {new}[, update the code|, adapt this code|, follow that|, change it here too|]
        WHAT is now [called|named|known as] {new}
        WHAT is a [bad|poor|terrible|confusing|misleading|vague|silly|meaningless|lousy] name[, |; |. |: ][use|call it|make it|take|prefer|better:] {new}
        WHAT is too [short|long|vague|generic|cryptic|terse|similar to something else][, |; |: ][<use>|call it|rename it to|make that] {new}
        WHAT [says nothing|tells me nothing|does not say much|means nothing to me][, |; |: ][<use>|call it|rename it] {new}
        WHAT is not [a good name|descriptive|clear|readable enough][, |; |: ][<use>|rename it to|call it] {new}
        WHAT [shadows|clashes with|collides with] [something|another name|a builtin|an outer name][, |: |; ]rename [it |]to {new}
        why is [it|this] called WHAT ? [call it|it should be|make it|rename it to] {new}
        why [do we call|did someone call|is it named] WHAT and not {new} ?
        why not [call|name] WHAT {new} ?
        [isn't {new}|would {new} be|wouldn't {new} be] a better name for WHAT ?
        [what about|how about] {new} [instead of|as the name for|as a name for|for] WHAT ?
        [shouldn't|should not] WHAT be [called|named] {new} ?
        [can|could] WHAT be [called|named|renamed to] {new} ?
        i [hate|dislike|don't like|do not like|can't stand] the name WHAT[, |: |; ][use|make it|call it|i prefer] {new}
        i [would like|want|need|would prefer] WHAT to be [called|named|renamed to] {new}
        i [prefer|like] {new} [over|more than|better than|to] WHAT
        i keep misreading WHAT[, |: |; ][call it|use|rename it to] {new}
        {new} is [a better|a clearer|a nicer|the right|the correct|a more descriptive|the proper] name [for|than] WHAT
        {new} would be [better|clearer|nicer|a better name|more descriptive] than WHAT
        {new} says more than WHAT
        {new} instead of WHAT
        {new}, not WHAT
        not WHAT but {new}
        [the name|naming:|new name for] WHAT[: | -> | => |, ]{new}
        <lint>: [invalid|bad|disallowed|blacklisted] name WHAT[, use|; use|, should be|, did you mean|. use] {new}
        <lint>: name WHAT [doesn't conform to|violates|is against] [the naming style|our naming rules|the conventions][, use|; should be|:] {new}
        N806: WHAT should be {new}
        C0103 invalid-name: WHAT [should be|->|, use] {new}
        [naming|consistency]: WHAT is {new} [elsewhere|in the rest of the code|in the other modules]
        [in the rest of the code|elsewhere|everywhere else|in the spec] WHAT is [called|named] {new}[, do the same|, so rename it|, follow that]
        <update> [all uses|all references|every occurrence|every mention|all occurrences|every use] of WHAT to {new}
        [find|search for] WHAT and [replace|change] [it|them] [with|to|by] {new}
        [every|each|any] WHAT [here |][becomes|should become|turns into|must be|is to be] {new}
        WHAT becomes {new}
        [refactor|refactoring][: |, |] rename WHAT to {new}
        <rename> WHAT, [the new name is|new name:|it is now|it's now called|to] {new}
        the [new|right|correct|proper|agreed|better] name [for|of] WHAT is {new}
        [pick|choose|take] {new} as [the|a] [new |]name for WHAT
        [swap|trade] the name WHAT for {new}
        [there is a typo in|typo in|misspelled|misspelt:] [the name |]WHAT[, should be|: should be|, it should read|; make it] {new}
        [spell|write] WHAT as {new}
        [from|old name:] WHAT [to|, new name:] {new}
        [after|since] the [refactoring|redesign|api change], WHAT is {new}
        [our|the] [style guide|glossary|domain model|spec|docs] [calls|call] WHAT {new}
        [people|users|readers|colleagues] [expect|look for|search for] {new}, not WHAT
        rn WHAT {new}
        mv WHAT {new}
        A002 Function argument `{param}` is shadowing a [Python |]builtin[ -- |, | - ][use|make it|so] {new}
        A001 Variable `{var}` is shadowing a Python builtin[: | -- |; ]{new} [instead|then|]
        N803 Argument name `{param}` should be lowercase[ -> |, so |: ]{new}
        N802 Function name `{func}` should be lowercase[ -> |, so |: ]{new}
        N801 Class name `{cls}` should use CapWords convention[ -> |, i.e. |: ]{new}
        E741 Ambiguous variable name '{var}'[, take|. say|; go for] {new}
        C0103: Variable name "{var}" doesn't conform to snake_case naming style, {new} [does|would|it is]
        W0621: Redefining name '{old}' from outer scope[, so|; let it be|. make that] {new}
        W0622: Redefining built-in '{old}'. {new} is free
        PLW0642, S117 and the like: WHAT has to be spelt {new}
        VNE002 variable name '{var}' should be clarified[: | -> |; ]{new}
        sonar: [local variable|parameter|field] names should comply[,|.] {old} -> {new}
        WHAT tells me nothing, call it {new}
        WHAT shadows a builtin. {new} [won't|doesn't]
        i never remember what WHAT [is|stands for|means]. {new} i would
        one letter names are hard to grep, {old} -> {new}
        what on earth is WHAT? oh, {new}! say that
        i can't tell WHAT from the others, {new} would [help|make it obvious]
        typo: WHAT, [it's|that's] spelled {new}
        {old} has a typo in it ({new})
        a letter is [wrong|missing] in {old}: {new}
        hungarian notation went out with the nineties: WHAT -> {new}
        abbreviations are banned here. WHAT in full: {new}
        no abbreviations. {new} for WHAT
        spell WHAT out, {new}
        {new} is what [the docs|the spec|the rfc|everyone else|upstream|the caller] [calls|call] WHAT
        the [api|schema|protocol|database column|config key|json field] is {new} now, the code still says {old}
        upstream renamed {old} to {new}, [keep up|so should we|we have to follow]
        it's {new} in the other modules but {old} [in this one|here]
        consistency with the [rest|other methods|sibling class|base class]: {old} => {new}
        can we [call|name] WHAT {new}? [reads better|easier to follow|less confusing]
        would you mind {new} for WHAT
        nit: {new} over {old}
        naming nit, {old}/{new}
        {old}? {new}!
        {old} » {new}
        {old} ==> {new}, all of them
        {old}→{new}
        {old} >> {new} (rename)
        :%s/\\\\<{old}\\\\>/{new}/g
        sed s/{old}/{new}/g
        F2 on {old}, {new}
        {old} is now {new}
        {old} was a working title, final [name|version]: {new}
        WHAT deserves a proper name. {new} comes to mind
        WHAT lies: [it is|that's|what it holds is|it really is a] {new}
        WHAT isn't [really|exactly] that any more, it's {new}
        [the|that] name WHAT made sense once, today [it is|we'd say|i'd say] {new}
        everywhere you see {old} i want to see {new}
        i want to read {new} where i read {old} now
        find a use of {old} and it should say {new}, [same for the others|all of them]
        readers mix WHAT up with the [module|type|builtin|other one]; {new}
        please no more {old}, {new} it is
        {new} please (was {old})
        {new} (formerly {old})
        s.b. {new}: WHAT
        my editor [chokes on|can't refactor] it: {old} into {new} please, [everywhere|each use]
        so that callers can [write|say] {new} and not {old}
        [drop|forget] the name {old}, {new} from now on
        WHAT reads like a [verb|boolean|list|number|type], {new} doesn't
        WHAT sounds like [something else|it does more|a flag|a class]. {new}!
        give it up, nobody understands {old}. {new}
        [underscore|casing|plural|singular|prefix]: {old} -> {new}
        people pass WHAT as {new}[, make it accept that|: that should be its name|]
        <parameter> {param} [clashes with|hides] [the module|the import|a builtin|the type], so {new}
        def {func} => def {new}
        method {func} [wants to|should] be {new}
        class {cls} => class {new}
        self.{attr} => self.{new}
        self.{attr} should [read|be|have been] self.{new}
        TypeError: got an unexpected keyword argument '{new}'. ours is called {param}
    """.replace("WHAT", _WHAT).replace("<update>", "[update|change|switch|convert|move|migrate]")

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """A random thing that has a name gets a fresh one."""
        targets = list(_targets(snippet))
        if not targets:
            return None
        by_role: dict[str, list[_Target]] = {}
        for target in targets:
            by_role.setdefault(target.role, []).append(target)
        target = rng.choice(by_role[rng.choice(sorted(by_role))])
        new = absent_name(snippet.lines, rng, like=target.name)
        if keyword.iskeyword(new):
            return None
        slots = {target.role: target.name, "new": new}
        if not _also_other(snippet, target):
            slots["old"] = target.name
        return Edit(tuple(_ops(snippet, target, new)), slots)


def _ops(snippet: Snippet, target: _Target, new: str) -> Iterator[LineOp]:
    text = "\n".join(snippet.lines)
    if not target.dotted:
        yield Substitute(target.name, new)
    if target.role in ("attr", "func") and next(occurrences(text, "." + target.name), None):
        yield Substitute("." + target.name, "." + new)


def _also_other(snippet: Snippet, target: _Target) -> bool:
    """Whether the bare name could also mean something that is not renamed."""
    if target.role == "func":
        return False
    other = target.name if target.dotted else "." + target.name
    return next(occurrences("\n".join(snippet.lines), other), None) is not None


def _targets(snippet: Snippet) -> Iterator[_Target]:
    names = Counter[tuple[str, str]]()
    for node in ast.walk(snippet.tree):
        names.update(_roles(node))
    bound = {name for name, role in names if role in ("var", "param", "other")}
    for name, role in sorted(names):
        if role == "other" or name in _KEPT or re.fullmatch(r"__\w+__", name):
            continue
        if role == "attr" and (names[name, "other attr"] or names[name, "func"]):
            continue
        if role in ("func", "cls") and (name in bound or names[name, "other attr"]):
            continue
        if role in ("var", "param") and (names[name, "other"] or names[name, "cls"] or names[name, "func"]):
            continue
        if role != "other attr" and not (role == "var" and names[name, "param"]):
            yield _Target(name, role, dotted=role == "attr")


def _roles(node: ast.AST) -> Iterator[tuple[str, str]]:
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            yield name, "var"
        case ast.arg(arg=name):
            yield name, "param"
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name, "func"
        case ast.ClassDef(name=name):
            yield name, "cls"
        case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
            yield name, "attr"
        case ast.Attribute(attr=name):
            yield name, "other attr"
        case ast.Global(names=declared) | ast.Nonlocal(names=declared):
            yield from ((name, "other") for name in declared)
        case ast.alias(name=name, asname=alias):
            yield (alias or name.split(".")[0]), "other"
        case ast.ExceptHandler(name=str(name)):
            yield name, "var"
        case _:
            return
