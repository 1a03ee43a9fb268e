"""`super(C, self)` becomes `super()`."""

from random import Random
from typing import ClassVar

from spark_tui.editing.codemods.common.changes import Change
from spark_tui.editing.codemods.super_call import supers, with_arguments
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.idioms import plant_changes, propose_changes

_ONE = "super call|call to super|super|call of super|super() call|super with arguments|python 2 super"
_MANY = "super calls|calls to super|supers|calls of super|super() calls|supers with arguments|python 2 supers"


class SuperCall(Kind):
    """The arguments that go without saying go."""

    name: ClassVar[str] = "super_call"
    weight: ClassVar[float] = 0.6
    skeletons: ClassVar[str] = """
<remove> the arguments [from|of] the {one}
<drop> the arguments [from|of|in] the {one}
<simplify> the {one}
<modernize> the {one}
<use> [plain|bare|zero-argument|argument-less|the short] super() for the {one}
<make> the {one} [shorter|python 3 style|modern]
<rewrite> the {one} as super()
<convert> the {one} to super()
<change> the {one} to plain super()
<replace> the {one} [with|by] super()
the {one} <should> have no arguments
the {one} <should> be super()
the {one} needs no arguments
the {one} [is python 2 style|is old style|is outdated]
the arguments of the {one} are <unneeded>
[why|how come] the {one} has arguments
[why|how come] does the {one} name the class
no arguments for the {one}
don't [repeat|name] the class in the {one}
<lint>: UP008 {one}, use super() instead of super(__class__, self)
pylint R1725 super-with-arguments: {one}
R1725 consider using python 3 style super() without arguments: {one}
<nit>: super() for the {one}
<review>: the {one} needs no arguments in python 3
{one} -> super()
python 3 style for the {one}
does the {one} need arguments?
<remove> the arguments [from|of] [all|] the {many}
<drop> the arguments [from|of|in] [all|] the {many}
<simplify> [all|] the {many}
<modernize> [all|] the {many}
<use> [plain|bare|zero-argument|argument-less] super() for [all|] the {many}
<rewrite> [all|] the {many} as super()
<convert> [all|] the {many} to super()
<replace> [all|] the {many} [with|by] super()
[all|] the {many} <should> have no arguments
[all|] the {many} need no arguments
[all|] the {many} [are python 2 style|are old style|are outdated]
<lint>: UP008 {many}
pylint super-with-arguments: {many}
<nit>: super() for [all|] the {many}
<review>: the {many} need no arguments in python 3
{many} -> super()
no arguments for [any of|] the {many}
don't [repeat|name] the class in the {many}
python 3 style for [all|] the {many}
<change> super({name}, ...) to super()
<replace> super({name}, ...) [with|by] super()
super({name}, ...) <should> be super()
don't name {name} in the super call
<remove> {name} from the super call
<drop> {name} from the super call
[why|how come] does super need {name}
super does not need {name}
super() without {name}
the mention of {name} in super is <unneeded>
super({name}, self) -> super()
no {name} in super
<lint>: UP008 super({name}, self)
<nit>: super() instead of super({name}, self)
@<use> [plain|bare|] super()
@<use> super without arguments
@<simplify> this super call
@<remove> the arguments of super
@<drop> the super arguments
@super() [is enough|will do|]
@this <should> be super()
@[UP008|R1725] here
@python 3 style super
@[modernize|modernise] this super
@no arguments [needed|necessary] here
@super() without [anything|the class|the arguments]
@[drop|lose|skip] the class and self [here|]
@no need to name the class [here|]
@too many arguments for super
@plain super() [please|here|]
@old style super [call|]
@[why|how come] the arguments [to super|here]
@argument-free super please
@just super()
@shorten this super
@the short super here
@super() takes no arguments here
@bare super
@this super is too wordy
@python 3 has super()
UP008 Use `super()` instead of `super(__class__, self)`: {one}
UP008 [\\[*\\] |]Use `super()` instead of `super(__class__, self)` ({one})
R1725: Consider using Python 3 style super() without arguments [({one})|, {one}]
{one}: super()
{one}? super()!
{one} => super()
we are on python 3, the {one} can be short
python 2 is gone, so shorten the {one}
no python 2 any more: {one}
the {one} still looks like python 2
the {one} is from the python 2 days
since python 3 the {one} [can|may] be empty
the parens of the {one} can be empty
empty parens [for|in] the {one}
nothing in the parens of the {one}
the class and self are implied in the {one}
python knows the class and self, so the {one} [is too long|repeats them]
python figures it out by itself, {one}
the {one} says too much
the {one} is too long
the {one} has two arguments too many
leave the parens empty in the {one}
if i rename the class the {one} breaks
renaming the class would break the {one}
the class name twice, once in the {one}, not nice
what are the arguments of the {one} good for
can the {one} go without arguments?
the {one} the short way
the {one} the new way
pyupgrade would shorten the {one}
ruff flags the {one}
pylint doesn't like the {one}
UP008 Use `super()` instead of `super(__class__, self)`: {many}
{many}: super()
{many}? super()!
{many} => super()
we are on python 3, the {many} can be short
python 2 is gone: {many}
the {many} still look like python 2
the {many} are from the python 2 days
empty parens [for|in] the {many}
the class and self are implied in the {many}
the {many} say too much
if i rename the class the {many} break
can the {many} go without arguments?
the {many} the short way
pyupgrade would shorten the {many}
ruff flags the {many}
R1725 all over: {many}
pylint doesn't like the {many}
super({name}, self)? super()
super({name}, self) => super()
super({name}, ...) -> super()
super({name}, cls) / super({name}, self): just super()
UP008 {name}
R1725 {name}
renaming {name} would break super
when i rename {name} super breaks
{name} twice, the second in super, is once too often
python knows we are in {name}
{name} is implied in super
take {name} and self out of the super parens
super({name}, self) is python 2
@UP008
@R1725
@UP008 Use `super()` instead of `super(__class__, self)`
@Consider using Python 3 style super() without arguments
@super(), nothing in the parens
@empty parens
@python 3 please
@python 2 leftovers
@python 2 is gone
@we're on python 3 now
@the class and self are implied
@python knows that itself
@breaks when the class is renamed
@the short form
@the short way
@just super() will do
@no class and no self
@why repeat the class name
@says too much
@in python 3 this can be empty
""".replace("<modernize>", "[modernize|modernise|update|upgrade|bring up to date]")

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Write super with its class and its instance."""
        changes: list[Change] = []
        for owner, receiver, call in supers(snippet):
            if not call.args:
                changes.append(Change(call, f"super({owner or pools.class_name(rng)}, {receiver})"))
        return plant_changes(snippet, changes, rng)

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Write super with nothing."""
        return propose_changes(snippet, with_arguments(snippet), rng, _ONE, _MANY)
