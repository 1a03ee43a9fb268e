"""Give a literal a name in capitals."""

from collections.abc import Mapping
from random import Random
from typing import ClassVar

from spark_tui.editing.code import mentions
from spark_tui.editing.codemods.base import Request
from spark_tui.editing.codemods.extract_constant import (
    Spot,
    class_spot,
    local_spot,
    meant,
    module_spot,
    with_constant,
)
from spark_tui.editing.literals import Literal
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.told import names_used
from spark_tui.training.kinds.base import Edit, Kind
from spark_tui.training.kinds.pools import variable_name


class ExtractConstant(Kind):
    """`sleep(30)` becomes `sleep(DELAY)`, with `DELAY = 30` above.

    Slots: {old} is the literal and {name} the constant's; {word} is the name in small letters; {member} is the name
    in place of {name} when it goes to the class, {inner} when it is local; {unnamed} when nobody says the name.
    """

    name: ClassVar[str] = "extract_constant"
    skeletons: ClassVar[str] = """
    <extract> {old} into a <constant> [called|named|] {name}
    <extract> {old} [to|into|as] [the <constant> |]{name}
    <extract> [the|this] [magic number|literal|hard-coded value|value] {old} [into|to|as] {name}
    <move> {old} [to|into|out to] a <constant> <named> {name}
    <make> {old} a [named|] constant[,| called|:] {name}
    <give> {old} a name[:|, say|,] {name}
    <give> the [magic number|value|literal] {old} the name {name}
    <replace> {old} [with|by] a constant [called|named|] {name}
    <replace> [the|] [magic value|hard-coded|hardcoded|literal] {old} [with|by] [the constant|a constant named|] {name}
    name {old} {name}
    call {old} {name}
    name the [constant|value|number|literal] {old} {name}
    <declare> [a constant|] {name} = {old} [above|and use it|and use that instead]
    {name} = {old}[, and use it|, use the name]
    <use> a [named|] constant {name} [instead of|for|in place of] {old}
    <use> {name} [instead of|for] [the literal|the hard-coded|the bare|] {old}
    [introduce|create|define] {name} for {old}
    [introduce|create|define|add] a constant {name} [for|holding|with the value] {old}
    {old} <should> be a [named|] constant [called|named|] {name}
    {old} <should> have a name, [say|like|e.g.|for example|call it] {name}
    {old} [deserves|wants] a name: {name}
    [hardcoded|hard-coded|magic] {old} <should> [be|become] {name}
    {old} is a magic [number|value], [name it|call it|make it|turn it into] {name}
    [why|what is] {old}? <make> it a constant[,| called] {name}
    what does {old} mean? name it {name}
    nobody knows what {old} [means|is], [call it|name it] {name}
    where does {old} come from? [call it|name it|put it in] {name}
    don't hard-code {old}, [put it in|use a constant|make it] {name}
    {old} is [hardcoded|hard-coded|repeated], [put it in|move it to|make it] {name}
    {old} to a constant {name}
    {old} -> {name}
    {name} for {old}
    constant {name} [for|from] {old}
    constant {name}: {old}
    <lint>: magic value {old}, [name it|use|make it] {name}
    PLR2004 magic value used in comparison[:|,] {old}[,| ->|: use] {name}
    PLR2004 replace {old} with a constant variable {name}
    WPS432 found magic number {old}, [call it|name it] {name}
    <review>: {old} [to|into] a constant {name}
    <nit>: {old} <should> be a constant {name}
    <put> {old} [in|into] [a constant|a variable|] {name} [at module level|above the function|]{module}
    make {name} a [module level|module-level|global] constant [holding|with|for] {old}{module}
    <move> {old} out of the function into {name}{module}
    a [module|global] constant {name} [for|with|from] {old}{module}
    pull {old} up to a constant[, name it| named] {name}
    turn {old} into a constant and call it {word}
    <extract> {old} as a constant[,| and] call it {word}
    <make> {old} a constant named {word}
    {old} <should> be a constant called {word}
    <extract> {old} [into|to] a constant{unnamed}
    <make> {old} a constant{unnamed}
    {old} <should> be a [named|] constant{unnamed}
    {old} is a magic [number|value]{unnamed}
    don't hard-code {old}{unnamed}
    PLR2004 magic value used in comparison, consider replacing {old} with a constant variable{unnamed}
    <give> {old} a name{unnamed}
    hardcoded {old}, <use> a constant{unnamed}
    <extract> {old} into a class [constant|attribute|variable] {member}
    <make> {old} a class [constant|attribute|level constant] [called|named] {member}
    <move> {old} to the class as {member}
    <put> {old} [on|in] the class[, as| as|, called] {member}
    {old} <should> be a class [attribute|constant|variable][:|, named|, say] {member}
    class [attribute|constant] {member} [for|instead of] {old}
    <declare> {member} = {old} [on|in] the class
    a class-level constant {member} [for|instead of] {old}
    {member} [on|in] the class [instead of|for] {old}
    <extract> {old} into a local [constant|variable|name] {inner}
    <make> {old} a local [constant|name|variable] {inner}
    <put> {old} into {inner} at the top of the [function|method]
    {inner} = {old} at the [top|start|beginning] of the [function|method|body]
    local constant {inner} for {old}
    {old} <should> be a local [constant|variable] {inner}
    define {inner} = {old} at the [start|top] of the function [and use it|]
    @<extract> this [into|to|as] [the constant|a constant|] {name}
    @<make> this a constant [called|named] {name}
    @magic [number|value], [call it|name it|use] {name}
    @name this {name}
    @<give> this [value|number|literal] [the name|a name,] {name}
    @<replace> the [magic number|literal|hard-coded value] with {name}
    @this <should> be a constant, [say|like|call it|named] {name}
    @<move> this [literal|value] [into|to] {name}
    @constant {name}
    {old} tells me nothing, call it {name}
    {old} appears out of nowhere, {name} please
    [magic|bare] {old}: {name}
    [who|nobody] can guess what {old} stands for. {name}
    we'll want to tune {old} [later|some day], [so|] {name}
    {old} should be [easy to change|configurable in one place], {name}
    one place to change {old}: {name}
    if {old} ever changes i don't want to hunt for it, {name}
    {old} will change [next year|one day|soon], [keep it in|put it under] {name}
    give me a {name} to tweak instead of {old}
    {name} at the top for {old}
    at the top of the file: {name} = {old}
    up top {name} = {old}, use that
    [at|on] module level {name} = {old}{module}
    next to the other constants: {name} for {old}{module}
    global {name} for {old}{module}
    {old} out of the function body, as {name}{module}
    so that other modules can import {name}, now just {old}{module}
    tests want to patch {name}, [it's|now it is] {old}{module}
    monkeypatching {old} is impossible, make it {name}{module}
    S1192 Define a constant instead of duplicating this literal {old}, {name}
    S109 Assign this magic number {old} to a well-named constant, {name}
    WPS226 Found string literal over-use: {old}, {name}
    WPS432 Found magic number: {old} -> {name}
    R2004: Consider using a named constant instead of {old}, {name}
    R2004 magic-value-comparison {old} ({name})
    PLR2004 Magic value used in comparison, consider replacing `{old}` with a constant variable ({name})
    {old} with a name: {name}
    {old}, known as {name} from now on
    {name} reads better than {old}
    {name} says more than {old}
    [a|the] bare {old} is hard to review, {name}
    literal {old} -> constant {name}
    hoist {old} to {name}
    lift {old} out, {name}
    pull {old} out into {name}
    name for {old}: {name}
    {old} gets [a|the] name {name}
    {old} ought to live in {name}
    keep {old} in {name}
    what's {old}? {name} i guess
    is {old} the {word}? then say so
    {old} is the {word}, [make that a constant|give it that name]
    constant for {old}, {word}
    {word} = {old} as a constant
    the {old} here means {word}, name it
    {old}, i.e. the {word}, as a module constant
    a constant called {word} for {old}
    no magic {old}{unnamed}
    {old} twice, thrice ... constant{unnamed}
    constant for {old} please{unnamed}
    {old} should not be buried in the code{unnamed}
    R2004 magic-value-comparison: {old}{unnamed}
    S109 magic number {old}{unnamed}
    {old} -> constant{unnamed}
    what is {old} supposed to be, a constant would tell{unnamed}
    buried {old}, lift it out{unnamed}
    subclasses should be able to override {old}: {member}
    so that a subclass can change {old}, {member} on the class
    {member} at class level, instead of {old}
    class body: {member} = {old}
    {member} = {old} as class attribute
    let subclasses override {old} via {member} in the class
    {old} is hard wired, a class attribute {member} please
    per-class {member} for {old}
    inside the class, above the methods, {member} = {old}
    {old} only matters in this function, local {inner}
    local {inner} for {old}, not a global
    {inner} at the top of the body, it's {old}
    first line of the function: {inner} = {old}
    keep {old} local but name it {inner}
    local {inner} = {old}, no global
    inside the function give {old} the name {inner}
    @magic, {name}
    @{name} for [this|that]
    @-> {name}
    @PLR2004 -> {name}
    @this is {name}, isn't it
    @nobody knows what this is. {name}
    @{name} would tell me more
    @what is this number? {name}
    @[hard-coded|hardcoded], {name}
    """

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Name one value, in one of the places where people put constants."""
        groups = list(meant(snippet, Request()))
        if not groups:
            return None
        uses = rng.choice(groups)
        roll = rng.random()
        place, spot = "module", module_spot(snippet, uses) or class_spot(snippet, uses)
        if roll < 0.2:
            place, spot = "class", class_spot(snippet, uses)
        elif roll < 0.35:
            place, spot = "local", local_spot(snippet, uses)
        name = _name(uses[0], rng)
        after = with_constant(snippet, uses, name, spot) if spot else None
        if after is None or spot is None or name in names_used(snippet):
            return None
        slots = _slots(snippet, uses[0], name, place, spot)
        rows = {use.node.lineno - 1 for use in uses}
        row = uses[0].node.lineno - 1
        alone = len(rows) == 1 and sum(group[0].node.lineno - 1 == row for group in groups) == 1
        if alone and place == "module" and rng.random() < 0.3:
            return Edit.between(snippet, after, slots, (row, row))
        return Edit.between(snippet, after, slots) if "old" in slots else None


def _name(use: Literal, rng: Random) -> str:
    hint = use.around.hint.strip("_").upper()
    roll = rng.random()
    if hint and roll < 0.5:
        return hint if roll < 0.3 else rng.choice(["DEFAULT_", "MAX_", "INITIAL_", "BASE_", "THE_"]) + hint
    name = variable_name(rng).upper()
    return name if len(name) > 2 else f"{name}_{variable_name(rng).upper()}"


def _slots(snippet: Snippet, use: Literal, name: str, place: str, spot: Spot) -> Mapping[str, str]:
    told = len(use.source) <= 40 and use.source.count("'") + use.source.count('"') <= 4
    old = {"old": use.source} if told else {}
    if place == "class":
        return old | {"member": name}
    if place == "local":
        return old | {"inner": name}
    slots = old | {"name": name}
    if mentions(snippet, name.lower()) == 0:
        slots["word"] = name.lower()
    if not spot.indent:
        slots["module"] = ""
    if name == use.around.hint.upper():
        slots["unnamed"] = ""
    return slots
