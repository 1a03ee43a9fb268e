"""Give a class a `__repr__`."""

from random import Random
from typing import ClassVar

from spark_tui.editing.attributes import Holder, holders
from spark_tui.editing.codemods.add_repr import with_repr
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.methods import without_method


class AddRepr(Kind):
    """The public attributes, or two or three that are told, in a `__repr__`.

    Slots: {class} is the class; {names} the attributes that are told, then there is no {every}; {only} is the one told.
    """

    name: ClassVar[str] = "add_repr"
    skeletons: ClassVar[str] = """
    <add> [a|] repr{every}
    <add> a __repr__{every}
    <add> [a|] __repr__ [method|] [to the class|]{every}
    <add> a repr [method|] to {class}{every}
    <add> a [proper|useful|readable|nice|helpful|good] repr{every}
    <add> a [proper|useful|readable|nice|helpful] __repr__ to {class}{every}
    <give> {class} a [proper|useful|readable|nice|] repr{every}
    <give> {class} a __repr__{every}
    <give> the class a [useful|readable|] __repr__{every}
    <write> [a|the] __repr__ [for {class}|for the class|]{every}
    <write> [a|the] repr [for {class}|for the class|]{every}
    implement __repr__ [for {class}|on {class}|]{every}
    implement [the|] repr{every}
    define __repr__ [on {class}|for {class}|]{every}
    define what {class} looks like [when printed|in the debugger|in a list]{every}
    <make> {class} [printable|readable when printed|easier to debug]{every}
    <make> [instances|objects] of {class} [readable|printable] [in logs|in the debugger|]{every}
    <make> the objects [show|print|display] [their attributes|their values|what is in them|their fields]{every}
    [show|display] the [attributes|fields|values] when [an object|a {class}|it] is printed{every}
    [printing|logging] [a {class}|an instance|one] [only|just] shows <{class} object at 0x7f...>{every}
    [printing|print of] a {class} is [useless|not helpful|unreadable]{every}
    print(obj) [gives|shows|says] [something|] useless[, add a repr|]{every}
    i see only object at 0x7f3a [when i print it|in the debugger|in the logs]{every}
    <object at 0x...> tells me nothing{every}
    i want to see [the attributes|what's inside|its values] when i print [one|it|a {class}]{every}
    i [can't|cannot] [tell|see] what is in a {class} [when debugging|in the logs|when printed]{every}
    a {class} <should> [print nicely|show its attributes|show what is in it] [when printed|]{every}
    {class} <should> have a [repr|__repr__]{every}
    {class} has no [repr|__repr__]{every}
    {class} needs a [repr|__repr__] [for debugging|]{every}
    there is no __repr__ [here|on {class}|in this class]{every}
    no repr on {class}{every}
    [missing|where is the] __repr__{every}
    the class [lacks|is missing|has no|needs] a [repr|__repr__]{every}
    [the|our] logs [only show|are full of] object addresses[, add a repr|, we need a repr|]{every}
    pytest output is unreadable because {class} has no repr{every}
    [for|so that] debugging [is easier|]: [a|] repr [for {class}|]{every}
    [debug|debugging|string] representation [for {class}|of the class|please]{every}
    a [developer|debug|text] representation [for {class}|] would [help|be nice]{every}
    repr [for {class}|please|method]{every}
    __repr__ [for {class}|please]{every}
    repr{every}
    dunder repr [for {class}|]{every}
    why is there no repr [on {class}|here]{every}
    can {class} have a repr{every}
    how does {class} look in the [debugger|repl|shell]? <add> a repr{every}
    when i type the object in the [repl|shell|console] i get [only the address|nothing useful]{every}
    <review>: [please add|missing] a __repr__{every}
    <nit>: [no|add a|a] __repr__ [would help|]{every}
    <lint>: class {class} has no __repr__{every}
    DJ008 model does not define __str__ or __repr__{every}
    a repr like {class}(...) [with all attributes|would be nice|please]{every}
    repr <should> [look|read] like the constructor call{every}
    [auto|] generate a repr [from the attributes|from __init__|]{every}
    <add> a repr [showing|with|that shows|that includes] {names}
    <add> a __repr__ [with|of|showing|that prints] {names}
    <give> {class} a repr [with|that shows|showing] {names}
    the repr <should> [show|include|have|contain] {names}
    repr with {names}
    __repr__ [from|with|of] {names}
    [show|display] {names} when [a {class}|it|the object] is printed
    [printing|logging] [a {class}|it] <should> show {names}
    i want to see {names} when i print [it|one|a {class}]
    {names} <should> [appear|be shown|show up] in the repr
    define __repr__ [using|from|with] {names}
    <write> a repr that [includes|shows|has] {names}
    make {class} print {names}
    a repr [of|with] just {names}
    implement __repr__, {names} [are enough|is enough|only]
    only {only} in the repr, <add> one
    <add> a repr [with|showing] [only|just] {only}
    <{class} object at 0x7f2b1c0d3e50>{every}
    <__main__.{class} object at 0x10e5d2b50> is all i get{every}
    \\[<{class} object at 0x7f..>, <{class} object at 0x7f..>\\]{every}, can't tell them apart
    [assert|AssertionError: assert] <{class} object at 0x7fa> == <{class} object at 0x7fb>{every}, which is which?
    printing a list of {class} is useless{every}
    log lines show 0x7f... only{every}
    my logs say object at 0x...{every}
    [pdb|the debugger|ipython] shows nothing [useful|but an address] for {class}{every}
    in pdb i see only an address{every}
    p self in pdb is no help{every}
    [the|our] error messages contain object addresses{every}
    sentry shows {class} object at ...{every}
    test failures don't tell what's in the {class}{every}
    {class} prints as an address{every}
    print of it should be [readable|useful|human readable]{every}
    readable when printed{every}
    {class} should print like {class}(...){every}
    {class}(a=1, b=2) when printed{every}
    let me see what's inside a {class}{every}
    [what's|what is] inside [this|it|the object]? repr would tell{every}
    like a dataclass prints{every}
    same output as a dataclass would have{every}
    a dataclass-like repr{every}
    __repr__ with all [fields|attributes]{every}
    __repr__ with everything public{every}
    repr for debugging{every}
    debug output for {class}{every}
    nicer in the shell [please|]{every}
    repl friendly{every}
    eval(repr(x)) style{every}
    repr(x) says nothing{every}
    repr(obj) is useless{every}
    f"\\{obj!r\\}" is useless for {class}{every}
    \\{self!r\\} in our messages gives an address{every}
    every class here has a __repr__ but {class}{every}
    {class} is the only one without a repr{every}
    forgot the __repr__{every}
    no __repr__ yet{every}
    where's {class}.__repr__{every}
    def __repr__(self){every}
    def __repr__ for {class}{every}
    __repr__!{every}
    can't tell two {class} apart in the output{every}
    they all look the same when printed{every}
    pytest parametrize ids are ugly for {class}{every}
    hypothesis prints useless examples of {class}{every}
    print({class}) should show the fields{every}
    state should be visible when printed{every}
    what a {class} holds should show up in the log{every}
    {class}({names}) when printed
    {names} is what i'd like to see in the debugger
    {names} [is|are] what matters in the output of a {class}
    {names} would be enough to tell them apart in a log
    log lines should show {names} instead of an address
    repr: {names}
    __repr__: {names}
    __repr__ {names}
    __repr__ showing {names}, [not the rest|nothing else]
    not everything, just {names} in the repr
    repr, but {names} only
    no repr yet, {names} please
    without secrets: only {names} in the repr
    the rest is too long, repr with {names}
    can't tell them apart in pdb, show {names}
    object at 0x7f... should be {names}
    in the shell i want {names}
    debug output: {names}
    a {class} prints as an address, [should be|i need] {names}
    when printed: {names}
    short repr, {names}
    identify a {class} by {names} in the logs
    just {only} when printed
    {only} is enough in the repr
    repr with {only}, the rest is noise
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take a `__repr__` out of a class."""
        lines = without_method(snippet, "__repr__")
        return Planted(Snippet(tuple(lines))) if lines else None

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Show all public attributes, or a few that are told."""
        found = [one for one in holders(snippet) if "__repr__" not in one.methods]
        if not found:
            return None
        holder = rng.choice(found)
        attributes = some_attributes(holder, rng)
        slots = told_slots(holder, attributes, rng)
        return Edit.between(snippet, with_repr(snippet, holder, attributes), slots)


def some_attributes(holder: Holder, rng: Random) -> tuple[str, ...]:
    """The public attributes, or now and then one to three."""
    if len(holder.attributes) < 2 or rng.random() < 0.65:
        return holder.public
    count = min(rng.choice([1, 2, 2, 3]), len(holder.attributes) - 1)
    chosen = rng.sample(holder.attributes, count)
    return tuple(one for one in holder.attributes if one in chosen)


def told_slots(holder: Holder, attributes: tuple[str, ...], rng: Random) -> dict[str, str]:
    """The slots for a request about these attributes of a class."""
    slots = {"class": holder.name} if holder.name else {}
    if attributes == holder.public:
        return slots | {"every": ""}
    *others, last = attributes
    joined = rng.choice([", ".join(others) + " and " + last, ", ".join(attributes)]) if others else last
    return slots | {"names": joined} | ({} if others else {"only": last})
