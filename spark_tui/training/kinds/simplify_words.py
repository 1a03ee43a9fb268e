"""How people ask to `simplify`: lines by rule. A slot named as a rule holds "" and only says that its words fit."""

SKELETONS = """
<simplify> {old}
<simplify> {old} to {new}
<make> {old} simpler
{old} [can|could] be [simpler|shorter|simplified|written simpler|written more plainly]
{old} [can|could] [just|simply] be {new}
{old} is [just|simply|the same as|equivalent to] {new}
{old} <should> be {new}
{old} is [clumsy|verbose|long-winded|ugly|too complicated|convoluted|not pythonic|unpythonic]
<write> {new} [instead of|for|rather than] {old}
<use> {new} instead of {old}
<replace> {old} [with|by] {new}
[why not|wouldn't] {new} [instead of {old}|do]{old}
why {old} and not [just|simply|] {new}
isn't {old} [just|the same as] {new}
{old} -> {new}
<nit>: {old} [can|could] be {new}
<review>: {new} instead of {old}
<lint>: {old} [can|could] be simplified
<lint>: use {new} instead of {old}
<rewrite> {old} [in a simpler way|more simply|in a shorter way|more pythonically]
<rewrite> {old} as {new}
is there a [simpler|shorter|nicer] way to [write|say] {old}
<simplify> the [conditions|expressions|code|expression|condition|tests|checks]{all_of}
[this|it] [can|could] be [simpler|written more simply|simplified|shorter]{all_of}
<make> this [code|] [simpler|more pythonic|more idiomatic]{all_of}
[unnecessarily|needlessly|too] [complicated|verbose|complex]{all_of}, <simplify> it
@<simplify> [this|this line|this expression|this condition|it]
@this [can|could] be [simpler|shorter|simplified|written more plainly]
@[write|say] this [shorter|in a simpler way|more simply|in a more pythonic way]
@[too|needlessly|unnecessarily] [complicated|long|verbose|clumsy]
@is there a [simpler|shorter|nicer] way to [write|say|do] this
@more pythonic [please|here|]
<use> truthiness instead of len{len}
don't compare the length [to|with] zero{len}
don't use len to [check for emptiness|see if it's empty|test emptiness]{len}
an empty [list|collection|sequence] is [already|] false, no need for len{len}
no need for len [here|in the condition|in the check|in the if]{len}
C1802 do not use `len(SEQUENCE)` without comparison to determine if a sequence is empty{len}
pylint: len-as-condition{len}
PLC1802 `len` used as condition without comparison{len}
<simplify> the [length|emptiness|empty|len] [check|test|checks]{len}
check emptiness [without len|the pythonic way]{len}
<use> the implicit booleanness of the [list|sequence|collection]{len}
the length [check|test|comparison] is <unneeded>, [empty is falsy|an empty one is false anyway]{len}
don't compare [to|with] [an empty [list|string|dict]|empty literals|empty containers|the empty string]{empty}
C1803 use-implicit-booleaness-not-comparison{empty}
C1901 compare to empty string{empty}
PLC1901 comparison to empty string can be simplified as an empty string is falsey{empty}
<use> truthiness instead of comparing [with|to] [an empty [list|string|dict]|something empty]{empty}
the [comparison|check] [with|against] [an empty [list|string|dict]|the empty value] [can|could] be simpler{empty}
<use> not instead of [comparing to|== ] empty [things|values|containers]{empty}
don't compare [to|with|against] [True|False|booleans|True or False|True/False]{true}
E712 comparison to True should be `if cond:`{true}
E712 Avoid equality comparisons to `True`{true}
E712 comparison to False should be `if not cond:`{true}
C0121: Comparison should be a plain truth test (singleton-comparison){true}
no need to compare [to|with|against] [True|False|a bool|a boolean]{true}
<remove> the [comparison|comparisons] [to|with] [True|False|booleans]{true}
it's [already|] a bool[ean|], no need [for|to write] [== True|== False|the comparison]{true}
[== True|== False|the == True] is <unneeded>{true}
the [comparison|check] against [True|False|a boolean] is <unneeded>{true}
<use> != instead of not [with|and|...] =={not}
SIM201 Use `!=` instead of `not ==`{not}
SIM202 use == instead of not !={not}
[don't negate|no need to negate] the comparison, <use> the [opposite|other] operator{not}
<change> not a == b [to|into] a != b{not}
C0117: Consider changing to != (unneeded-not){not}
C0113 unneeded-not{not}
<simplify> the [negated|negation of the] comparison{not}
the not in front of the comparison is <unneeded>{not}
<remove> [the|all the|] [redundant|unneeded|extra|superfluous|unnecessary|needless|useless] [parentheses|parens|brackets]{parens}
[the|these|those] [parentheses|parens|brackets] are <unneeded>{parens}
no need for [the|these|] [parentheses|parens|brackets]{parens}
[get rid of|drop|lose] the [parentheses|parens|extra brackets]{parens}
C0325: Unnecessary parens (superfluous-parens){parens}
UP034 avoid extraneous parentheses{parens}
E275{parens} the [parentheses|parens] aren't needed
too many [parentheses|parens|brackets]{parens}
this isn't [c|java|javascript], no [parens|parentheses|brackets] [around the condition|needed|]{parens}
why the [parentheses|parens|brackets]{parens}
<use> augmented assignment{aug}
<use> [the|an] [augmented|in-place|compound] assignment [operator|]{aug}
<use> [+=|-=|*=|the += form|the short form of the assignment] [here|]{aug}
PLR6104 use augmented assignment{aug}
R6104 consider-using-augmented-assign{aug}
[update|change] [it|the variable] in place{aug}
<simplify> the [assignment|increment|update|addition]{aug}
don't repeat the [name|variable|target] in the assignment{aug}
[x = x + y|a = a + b] [should be|->] [x += y|a += b]{aug}
the [variable|name] is [written|repeated|named] twice, <use> [+=|the short operator|an augmented assignment]{aug}
<use> a chained comparison{chain}
chain the comparisons{chain}
<make> it a [chained|range] comparison{chain}
R1716: Simplify chained comparison between the operands (chained-comparison){chain}
PLR1716 contains chained boolean comparison that can be simplified{chain}
<merge> the two comparisons{chain}
[join|merge|combine|chain] [both|the] [comparisons|tests|checks|bounds] into one{chain}
<write> the range [check|test] as [one comparison|a < b < c|a chain]{chain}
python can chain [these|comparisons]{chain}
the range check [can|could] be one comparison{chain}
<merge> the comparisons into [one `in`|a membership test|in (...)|an in test]{member}
PLR1714 Consider merging multiple comparisons{member}
R1714 consider-using-in{member}
SIM109 use `in` instead of several =={member}
<use> in instead of [several|multiple|chained|repeated] [comparisons|equality checks|==]{member}
[don't repeat|no need to repeat] the [variable|name|==] [in the condition|for every value|]{member}
[test|check] membership in a tuple instead{member}
<use> bool() instead of True if ... else False{ternary}
SIM210 Use `bool(...)` instead of `True if ... else False`{ternary}
SIM211 Use `not ...` instead of `False if ... else True`{ternary}
[the|this] [conditional expression|ternary|if else] is <unneeded>, it's [already|] a bool{ternary}
R1719 simplifiable-if-expression{ternary}
no need for True if ... else False{ternary}
the condition is [already|] the [value|result], no ternary needed{ternary}
<use> or instead of [the|a] [ternary|conditional expression|if else]{or}
FURB110 replace ternary if expression with `or` operator{or}
SIM222 use or [here|]{or}
the if else [can|could] be [a plain|an] or{or}
<write> the [fallback|default] with or{or}
<remove> the [redundant|unneeded|superfluous|] [zero|0|start] [in|from|of] [the|] range{range}
PIE808 Unnecessary `start` argument in `range`{range}
range [starts at|begins with] [0|zero] [anyway|by default]{range}
no need for the [0|zero] in range{range}
the [zero|0|start] [in|of] the range is <unneeded>{range}
<remove> the [redundant|unneeded|superfluous|] [zero|0|start] [in|from|of] the slice{slice}
a slice [starts at|begins with] [0|zero] [anyway|by default]{slice}
no need for the [0|zero] in the slice{slice}
the [zero|0|start] [in|of] the slice is <unneeded>{slice}
<remove> [the|] None [default|] [from|in|of] get{get}
SIM910 Use `.get(...)` instead of `.get(..., None)`{get}
get [returns|gives] None [anyway|by default]{get}
no need for [the|] None in get{get}
the None default of get is <unneeded>{get}
<remove> [the|] .keys(){keys}
<remove> the call [to|of] keys{keys}
SIM118 Use `key in dict` instead of `key in dict.keys()`{keys}
C0201: Consider iterating the dictionary directly instead of calling .keys(){keys}
no need [for|to call] keys{keys}
[keys()|.keys()|the keys call] is <unneeded>{keys}
a dict iterates over its keys anyway{keys}
<remove> [the|this] [lambda|wrapper lambda]{lambda}
PLW0108 Lambda may be unnecessary; consider inlining inner function{lambda}
W0108 unnecessary-lambda{lambda}
[pass|use|give] the function [itself|directly], no lambda{lambda}
the lambda is <unneeded>{lambda}
don't inherit from object{object}
<remove> [the|] object [base|base class|from the bases|inheritance|parent]{object}
UP004 Class inherits from `object`{object}
R0205: Class inherits from object, can be safely removed (useless-object-inheritance){object}
no need [for|to inherit from] object [in python 3|]{object}
[python 3 classes|every class] [are|is] [already|] an object{object}
UP039 Unnecessary parentheses after class definition{object}
{old}? [just|] {new} [does it|is all you need|will do]
{new} says the same as {old}
that's a long way to [write|spell|say] {new}{old_known}
[never|we never] write {old}, always {new}
[change|turn|boil] {old} [down |]to {new}
{old} reads [odd|funny|like java], {new}
plain {new} please, not {old}
{old} => {new}
[could|can] {old} [go|shrink] to {new}
{old} is a mouthful
[shorten|trim|cut] {old}
what's wrong with {new}? [it says|currently] {old}{old_known}
clunky: {old}
too clever, {old} [is|means|amounts to] {new}
same thing, fewer characters: {new}{old_known}
`if {subject}:` is enough, no len{len}
an empty {subject} is falsy [already|anyway|]{len}
empty {subject} is False already, skip the len(){len}
len() just to see if {subject} is empty?{len}
[checking|counting] the length only to know if there [is|are] any{len}, [the object itself|truth value] is enough
PLC1802 `len({subject})` used as condition without comparison{len}
len-as-condition on {subject}{len}
truth value of {subject} instead of its length{len}
if it has items it's true, why count them{len}
len(...) == 0 / > 0 reads like C{len}
counting {subject} is not needed, its truth value will do{len}
is {subject} empty? test {subject} itself{len}
PLC1901 `{old}` can be simplified as an empty string is falsey{empty}
[] == False already, no need to compare with an empty literal{empty}
C1803 {old} can be simplified, an empty sequence is falsey{empty}
comparing {subject} with an empty literal, `not` [does|would do] that{empty}
[test|check] {subject} for truth instead of [against|comparing it with] something empty{empty}
None should count as empty too, so no comparison with a literal{empty}
{subject} is a bool{true}, [drop|no need for] the comparison
asking whether {subject} is True twice over{true}
== {boolean} is noise{true}
comparing {subject} [with|to|against] {boolean} [makes no sense|is silly|is redundant|tells nothing new]{true}
E712 {old} should be {new}{true}
S1125 Remove the unnecessary boolean literal{true}
flake8 E712: comparison to {boolean} should be 'if cond is {boolean}:' or 'if {new}:'{true}
singleton-comparison{true}
just `if {subject}`, or `if not {subject}`{true}
[who|nobody] writes == {boolean}{true}
[a |]double negative{not}, use the other operator
not ... == hurts my [head|eyes|brain]{not}
SIM201 Use `{new}` instead of `{old}`{not}
S1940 Use the opposite operator instead{not}
why negate the whole comparison [when there is a !=|instead of flipping the operator]{not}
unneeded-not: {old}{not}
[parens|parentheses|brackets] like in [c|java|php] {parens}
E275 / C0325 superfluous parens after {keyword}{parens}
C0325: Unnecessary parens after '{keyword}' keyword{parens}
`{keyword}` is not a function, it needs no parens{parens}
{keyword} (...) -> {keyword} ...{parens}
S1110 Redundant pairs of parentheses should be removed{parens}
take the parens off{parens}
the outer ( ) add nothing{parens}
without the brackets around the whole expression{parens}
extraneous parentheses{parens}
{old} without the [parens|brackets|parentheses]{parens}
no () around {new}{parens}
{subject} {sign}{aug}
{subject} is [named|spelled|written out] twice here{aug}
{sign} [please|would do|is shorter|exists]{aug}
[we have|there is|python has] {sign} for that{aug}
consider-using-augmented-assign on {subject}{aug}
PLR6104 Use `{sign}` to perform an augmented assignment directly{aug}
{subject} = {subject} ... should [just|] be {sign}{aug}
[count|update|bump] {subject} with {sign}{aug}
one chained comparison would do{chain}
[lower and upper|both] bound in one go{chain}, like [in math|a <= x < b]
between check: write it the way math does{chain}
two comparisons with the same thing in the middle{chain}, chain them
no `and` between the two bounds{chain}
the `and` can go if you chain it{chain}
R1716 chain those bounds{chain}
a < b and b < c, python can do a < b < c{chain}
{subject} == this or {subject} == that, please{member} use in
long or chain [of comparisons|on {subject}|]{member}, a tuple and in would be shorter
PLR1714 Consider merging multiple comparisons: `{new}`{member}
is {subject} one of these values? then say in{member}
{subject} in (...) [reads better|is shorter|]{member}
just an in with a tuple{member}
repeated-equality{member}
[all of these|each of those] compare {subject} with something, one `in` is enough{member}
the comparison is already True or False{ternary}
True if x else False is just x{ternary}
SIM210 [Remove unnecessary `True if ... else False`|Use `{new}` instead of `{old}`]{ternary}
needless-bool{ternary}
returns a bool anyway, why spell out True and False{ternary}
drop the `True if` [and the `else False`|]{ternary}
S1125: the conditional returns a boolean literal{ternary}
{subject} if {subject} else ... is an or{or}
FURB110 Replace ternary `if` expression with `or` operator{or}
{subject} [twice|is said twice] in one expression, `or` does that{or}
fall back with or [like everywhere else|]{or}
{subject} or the default{or}
range(0, n) -> range(n){range}
range() counts from zero [by itself|on its own|by default]{range}
PIE808 zero start in range{range}
the first argument of range is the default [anyway|]{range}
start=0 [in range|] is implied{range}
\\[0:n\\] -> \\[:n\\]{slice}
the 0 before the colon is implied{slice}
slicing {subject} from the start needs no 0{slice}
[start of the slice|lower bound] is zero anyway, leave it empty{slice}
{subject}.get(...) is None by default{get}
SIM910 Use `{new}` instead of `{old}`{get}
[passing|spelling out] None as the default [is pointless|adds nothing|is what get does already]{get}
get without the second argument{get}
None is implied there{get}
SIM118 Use `key in {subject}` instead of `key in {subject}.keys()`{keys}
{subject} itself gives its keys{keys}
consider-iterating-dictionary{keys}
.keys() on {subject} buys us nothing{keys}
why build a keys view [first|]{keys}
`in dict` looks at the keys anyhow{keys}
pass the callable itself{lambda}
lambda x: f(x) is f{lambda}
unnecessary-lambda{lambda}
a lambda that only calls another function with the same arguments{lambda}
why wrap it in a lambda{lambda}
(object) is python 2{object}
py3 only now, [no more|so no] (object){object}
UP004 Class {class_name} inherits from `object`{object}
class {class_name}: is enough{object}
useless-object-inheritance{object}
new-style classes are the default [these days|nowadays|]{object}
empty parens after the class name [are odd|can go|]{object}
"""
