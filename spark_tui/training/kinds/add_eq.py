"""Give a class an `__eq__`."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from spark_tui.editing.attributes import holders
from spark_tui.editing.codemods.add_eq import with_eq
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.add_repr import some_attributes, told_slots
from spark_tui.training.kinds.base import Edit, Kind, Planted
from spark_tui.training.kinds.methods import without_method


class AddEq(Kind):
    """The public attributes, or two or three that are told, compared in an `__eq__`.

    Slots: {class} is the class; {names} the attributes that are told, then there is no {every}; {only} is the one told.
    {hash} in place of {every} when a `__hash__` is wanted too.
    """

    name: ClassVar[str] = "add_eq"
    skeletons: ClassVar[str] = """
    <add> [an|] __eq__{every}
    <add> [an|] __eq__ [method|] [to the class|]{every}
    <add> an __eq__ [method|] to {class}{every}
    <add> [an|] equality [method|operator|comparison|] [to {class}|]{every}
    <add> equality{every}
    <give> {class} an __eq__{every}
    <give> {class} equality{every}
    <give> the class [an|] [__eq__|equality comparison]{every}
    <write> [an|the] __eq__ [for {class}|for the class|]{every}
    implement __eq__ [for {class}|on {class}|]{every}
    implement [equality|==|the equality operator|comparison by value] [for {class}|]{every}
    define __eq__ [on {class}|for {class}|]{every}
    define what makes two [{class} objects|instances|objects] equal{every}
    define [equality|when two of them are equal]{every}
    <make> {class} comparable [with ==|by value|]{every}
    <make> [objects|instances] of {class} [comparable|equal when their attributes are|compare by value]{every}
    <make> == work [on {class}|for {class}|here|]{every}
    <make> two [instances|objects] with the same [values|attributes|fields] equal{every}
    compare [the|] objects by [their|] [value|values|attributes|fields] [and not by identity|not identity|]{every}
    compare {class} [objects|instances|] by [value|attributes|fields]{every}
    two [equal|identical|same] {class} [objects|instances] [are not|aren't] equal{every}
    two {class} [objects|instances] with the same [values|attributes|fields] [are not equal|compare unequal|differ]{every}
    two [objects|instances] with the same [values|data|attributes] <should> [be|compare] equal{every}
    [why is|how come] {class}(...) == {class}(...) [is|] False{every}
    == [compares|only compares|checks] identity [here|for {class}|]{every}
    == [gives|is|returns] False for [equal|the same] [objects|values|contents]{every}
    == does not work [on {class}|for {class}|]{every}
    == [for|on] {class}{every}
    == <should> compare the [attributes|fields|values]{every}
    [the|my] test fails because {class} [has no equality|objects never compare equal]{every}
    assertEqual fails [for|on] two equal [{class} objects|objects]{every}
    i want to compare [two|] [{class} objects|instances|them] [with ==|in tests|]{every}
    i [can't|cannot] compare [two|] [{class} objects|instances|of them]{every}
    i need [equality|==|__eq__] [on|for] {class}{every}
    {class} <should> [have an __eq__|be comparable|support ==|compare by value]{every}
    {class} has no [__eq__|equality]{every}
    {class} needs an __eq__ [for the tests|]{every}
    there is no __eq__ [here|on {class}|in this class]{every}
    [missing|where is the] __eq__{every}
    the class [lacks|is missing|has no|needs] an [__eq__|equality method]{every}
    no way to [tell|check] whether two [of these|{class} objects] are [equal|the same]{every}
    value [equality|semantics] [for {class}|please|]{every}
    equality [for {class}|by attributes|by value|please]{every}
    __eq__ [for {class}|please|]{every}
    dunder eq [for {class}|]{every}
    eq method [for {class}|]{every}
    support == [on {class}|for {class}|between instances|]{every}
    support comparing [{class} objects|instances] [with ==|for equality]{every}
    can {class} have an __eq__{every}
    so that == works [on {class}|]{every}
    `in` [does not|doesn't] find [equal|my] [objects|{class} objects] in a list{every}
    list.remove [does not|doesn't] find an equal {class}{every}
    <review>: [please add|missing] [an|] __eq__{every}
    <nit>: [an|add an] __eq__ [would help|]{every}
    [auto|] generate an __eq__ [from the attributes|]{every}
    <add> __eq__ [with|returning] NotImplemented for other types{every}
    <add> [an|] __eq__ [on|with|over|that compares|comparing|using] {names}
    <give> {class} an __eq__ [that compares|comparing|on] {names}
    compare [the|] [objects|instances] by {names}
    compare {class} by {names}
    two {class} are equal when [they have the same|their] {names} [are equal|]
    they are [equal|the same] [if|when] {names} [match|are equal|agree]
    equality [by|on|over|based on] {names}
    == <should> [only|] [compare|look at|check] {names}
    __eq__ [by|on|over] {names}
    only {names} [matter|count] for equality
    define __eq__ [on|over|by|with] {names}
    implement == [by|on|with] {names}
    make them equal when {names} are
    same {names} means equal
    only {only} [matters|counts] [for|in] [==|equality|__eq__]
    two {class} with the same {only} are equal
    <add> __eq__ and __hash__{hash}
    <add> __eq__ and __hash__ to {class}{hash}
    implement equality and hashing [for {class}|]{hash}
    <make> {class} [hashable|usable as a dict key] and comparable{hash}
    <make> == work and keep it hashable{hash}
    <give> {class} [an|] __eq__ and a matching __hash__{hash}
    i want to put {class} objects in a set and compare them{hash}
    eq and hash [for {class}|please|]{hash}
    assert {class}(1) == {class}(1) fails{every}
    AssertionError: assert <{class} object at 0x7fa> == <{class} object at 0x7fb>{every}
    AssertionError: <{class} object at 0x7f> != <{class} object at 0x8f>{every}
    {class}(1) == {class}(1) is False{every}
    a == b is False although they have the same [content|values|data]{every}
    a == a but not a == copy(a){every}
    copy(x) == x [is False|should be True|should hold]{every}
    a deep copy isn't equal to the original{every}
    pickle round trip gives an unequal object{every}
    loads(dumps(x)) == x should hold{every}
    same content, still not equal{every}
    same data should mean equal{every}
    equal content, equal objects{every}
    tests compare every attribute by hand{every}, == would do
    [in the tests|in tests] i compare field by field{every}
    can't write assert a == b{every}
    assertEqual(a, b) fails although nothing differs{every}
    mock.assert_called_with fails because {class} compares by identity{every}
    assert_called_once_with({class}(...)) never matches{every}
    `in` checks by identity [here|for {class}|]{every}
    x in list is never True for {class}{every}
    list.index raises ValueError: {class} object is not in list{every}
    ValueError: list.remove(x): x not in list{every}
    count() always gives [0|1] for {class}{every}
    == is `is` [here|for {class}|]{every}
    == falls back to identity{every}
    identity comparison is not what i want{every}
    not by identity{every}
    by value, not by id(){every}
    value object{every}
    {class} is a value, [so == should work|compare it like one]{every}
    {class} should behave like a value{every}
    like a dataclass does ==, without being one{every}
    dataclass-like equality{every}
    same behaviour as @dataclass(eq=True), by hand{every}
    field-wise comparison{every}
    field by field{every}
    attribute-wise == {every}
    def __eq__(self, other){every}
    __eq__, NotImplemented for strangers{every}
    return NotImplemented if other is something else{every}
    __eq__!{every}
    {class}.__eq__ [is|] missing{every}
    eq on {class}{every}
    {class} objects can't be compared{every}
    when are two {class} the same? by their attributes{every}
    comparing {class} never works{every}
    != is True for identical values{every}
    deduplicating them doesn't work, they never compare equal{every}
    [has it|did it] changed? old == new should tell{every}
    i need old == new{every}
    [{names}: same means equal|equal means same {names}]
    {names} [decide|decides] whether two are equal
    {names} [identify|identifies] a {class}, so == on that
    compare {names}, ignore the rest
    == via {names}
    == looks at {names} only
    equal if {names} [agree|match|coincide]
    ignore everything but {names} when comparing
    timestamps etc. don't matter, only {names} for ==
    __eq__ -> {names}
    __eq__: {names}
    identity of a {class} is {names}, so __eq__ on that
    key of a {class} is {names}, == should use it
    same {names} -> same {class}
    two of them with equal {names} are the same thing
    caches differ, so compare only {names}
    {names} is all that counts when comparing
    eq on {names}
    {class} equality := {names}
    only {only} decides about ==
    {only} identifies it, __eq__ on that alone
    same {only}, same {class}
    TypeError: unhashable type: '{class}' must not happen, but == should work{hash}
    usable in sets and with =={hash}
    __eq__ plus __hash__{hash}
    value semantics incl. hash{hash}
    set(\\[{class}(1), {class}(1)\\]) should have one element{hash}
    as dict keys, equal ones should be the same key{hash}
    set() doesn't remove duplicates of {class}{hash}
    lru_cache never hits because {class} hashes by id{hash}
    PLW1641 object does not implement __hash__, give it both __eq__ and __hash__{hash}
    deduplicate {class} with a set, needs eq and hash{hash}
    """

    def plant(self, snippet: Snippet, rng: Random) -> Planted | None:
        """Take an `__eq__` out of a class."""
        lines = without_method(snippet, "__eq__")
        return Planted(Snippet(tuple(lines))) if lines else None

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Compare all public attributes, or a few that are told."""
        found = [one for one in holders(snippet, after="__repr__") if "__eq__" not in one.methods]
        if not found:
            return None
        holder = rng.choice(found)
        attributes = some_attributes(holder, rng)
        slots = told_slots(holder, attributes, rng)
        hashed = "every" in slots and "__hash__" not in holder.methods and rng.random() < 0.15
        if hashed:
            slots["hash"] = slots.pop("every")
        after = with_eq(snippet, holder, attributes, hashed=hashed)
        return Edit.between(snippet, after, slots)

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """It is one of the edits, with a `__hash__` where the request is for one."""
        return super().accepts(before, after, {**slots, "hash": "__hash__"} if "hash" in slots else slots)
