"""How people ask for the type of a variable or attribute."""

SKELETONS = """
<annotate> {name} as [{type}|{typed}]
<annotate> {name} with [{type}|{typed}]
<add> a type annotation to {name}: [{type}|{typed}]
<add> the type [{type}|{typed}] to {name}
<give> {name} the type [{type}|{typed}]
declare {name} as [{type}|{typed}]
<make> {name} [{type}|{typed}] for the type checker
<mark> {name} as [{type}|{typed}]
{name} is [{type}|{typed}], annotate it
{name} is [{type}|{typed}], mypy doesn't see it
{name} <should> be annotated as [{type}|{typed}]
{name} <should> be typed as [{type}|{typed}]
{name} <should> be declared [{type}|{typed}]
{name} holds [{type}|{typed}], annotate
{name} is [supposed to be|meant to be] [{type}|{typed}], say so
{name}: {type}
{name}: {type} = ...
{name} -> {type}
mypy can't infer {name}, it's [{type}|{typed}]
mypy thinks {name} is Any, it's [{type}|{typed}]
pyright infers {name} [wrong|too wide|as Unknown], annotate it with [{type}|{typed}]
the type of {name} is [{type}|{typed}]
type of {name}: [{type}|{typed}]
variable annotation for {name}: [{type}|{typed}]
Need type annotation for "{name}"[ \\[var-annotated\\]|], it's [{type}|{typed}]
error: Need type annotation for {name}. [{type}|{typed}]
reportUnknownVariableType: type of {name} is unknown, make it [{type}|{typed}]
Type of "{name}" is partially unknown, annotate it as [{type}|{typed}]
the type checker can't know that {name} is [{type}|{typed}]
without a hint my editor doesn't complete {name}. it is [{type}|{typed}]
autocomplete doesn't work for {name}, tell it it's [{type}|{typed}]
<hint> for {name}: [{type}|{typed}]
[explicit type|type hint] on {name} please, [{type}|{typed}]
hint {name} with [{type}|{typed}]
say that {name} is [{type}|{typed}]
spell out that {name} is [{type}|{typed}]
what goes into {name} is [{type}|{typed}], annotate it that way{empty}
{name} starts empty but is [{type}|{typed}], add the type{empty}
{name} = {value} tells the checker nothing, it's [{type}|{typed}]
is {name} [{type}|{typed}]? then annotate it
can {name} be annotated as [{type}|{typed}]
<nit>: {name} is [{type}|{typed}], type it
<review>: type for {name} ([{type}|{typed}])
the attribute {name} <should> have the type [{type}|{typed}]{attribute}
<declare> the attribute {name} as [{type}|{typed}]{attribute}
the variable {name} <should> have the type [{type}|{typed}]{local}
<declare> the [local|variable] {name} as [{type}|{typed}]{local}
<annotate> {name}{guess}
<annotate> {name} with its type{guess}
<add> [a|the] type [annotation|hint] to {name}{guess}
<add> [a|the|the missing] <hint> [to|for|on] {name}{guess}
<give> {name} a type{guess}
<give> {name} [an annotation|a type hint]{guess}
{name} <should> be annotated{guess}
{name} <should> have a type [hint|annotation|]{guess}
{name} <need> a type[ annotation|]{guess}
{name} [has no|lacks a|is missing its] type{guess}
Need type annotation for "{name}"{empty}{guess}
error: Need type annotation for "{name}" \\[var-annotated\\]{empty}{guess}
mypy: Need type annotation for {name}{empty}{guess}
mypy wants [an annotation|a type] for {name}{guess}
mypy can't infer {name}{guess}
strict mode wants {name} annotated{guess}
type hint for {name} [please|]{guess}
type {name}{guess}
explicit type for {name}{guess}
variable annotation on {name}{guess}
[what is|what's] the type of {name}? annotate it{guess}
[why|how come] is {name} not annotated{guess}
<nit>: {name} without a type{guess}
<review>: annotate {name}{guess}
{name} = {value}: with a type please{guess}
declare the type of {name}{guess}
spell out the type of {name}{guess}
pyright: type of {name} is unknown{guess}
the attribute {name} isn't typed{attribute}{guess}
<convert> {what} to [an annotation|annotations|real annotations]{comment}
<turn> {what} into [a proper annotation|annotations|a variable annotation]{comment}
<replace> {what} [by|with] [a real annotation|annotations|variable annotations]{comment}
<get_rid> {what}[ and annotate properly|, annotate properly|]{comment}
{what} <should> be [an annotation|a real annotation|annotations]{comment}
<use> an annotation instead of {what}{comment}
<rewrite> {what} as variable annotations{comment}
<remove> {what} and annotate [properly|the variable|instead]{comment}
{what} [is|are] from python 2 [times|days], annotate instead{comment}
we don't support python [2|3.5|2.7] any more, so no need for {what}{comment}
modernize {what}{comment}
{what} -> annotation{comment}
UP: {what} [instead of an annotation|]{comment}
<nit>: {what} <should> be inline{comment}
proper annotations, not type comments{unsaid}{comment}
no type comments [please|]{unsaid}{comment}
# type: is [old|dated], we have PEP 526{unsaid}{comment}
PEP 526 instead of # type:{unsaid}{comment}
x = ... # type: T should be x: T = ...{unsaid}{comment}
python 3.6 style annotations, not comments{unsaid}{comment}
move the type from the comment into an annotation{unsaid}{comment}
types belong in annotations, not in comments{unsaid}{comment}
@<annotate> [this|it] as [{type}|{typed}]
@mypy can't infer this one, annotate it as [{type}|{typed}]
@this is [{type}|{typed}][, annotate it|]
@[{type}|{typed}]
@type: [{type}|{typed}]
@: {type}
@<should> be typed [{type}|{typed}]
@<declare> as [{type}|{typed}]
@the type here is [{type}|{typed}]
@hint: [{type}|{typed}]
@mypy needs to know that this is [{type}|{typed}]
@it's [{type}|{typed}] but mypy doesn't know
@<annotate> this{guess}
@type [annotation|hint] [here|please|]{guess}
@var-annotated{empty}{guess}
@mypy [wants|needs] a type here{guess}
@need type annotation{guess}
@add the type{guess}
@explicit type [please|]{guess}
@no type comment[ please|]{plain}{comment}
@annotation instead of the comment{plain}{comment}
@old style[, annotate|]{plain}{comment}
@make the comment an annotation{plain}{comment}
"""
