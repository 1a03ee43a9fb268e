"""Insert one line of code, given as code, before or after a line told by the words it holds."""

from random import Random

from spark_tui.editing.script import Insert
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind
from spark_tui.training.kinds.places import indentation_of, simple_statement_line, telling_words
from spark_tui.training.kinds.pools import function_name, noun, value, variable_name


class InsertLine(Kind):
    """A told line of code comes in before or after the line that says so-and-so."""

    name = "insert_line"
    skeletons = """
    <add> {line_of_code} [after|below|behind|under|right after|just after] the line [with|that says|containing] {after}
    <add> {line_of_code} [after|below|right after|under] {after}
    <add> a line {line_of_code} [after|below|under] {after}
    <add> {line_of_code} [before|above|right before|on top of|ahead of] the line [with|that says|containing] {before}
    <add> {line_of_code} [before|above|just above|in front of] {before}
    <add> a line {line_of_code} [before|above] {before}
    <put> {line_of_code} [after|below|under|right below] [the line with|] {after}
    <put> {line_of_code} [before|above|right above] [the line with|] {before}
    [after|below|right after|under] {after} <add> {line_of_code}
    [after|below|right after] the line [with|that says|containing] {after} <add> {line_of_code}
    [after|below|right after] the line [with|that says|containing] {after}, <put> {line_of_code}
    [before|above|right before|just above] {before} <add> {line_of_code}
    [before|above|right before] the line [with|that says|containing] {before} <add> {line_of_code}
    [before|above|right before] the line [with|that says|containing] {before}, <put> {line_of_code}
    find {after} and <add> {line_of_code} [after it|below it|below|right after]
    find {before} and <add> {line_of_code} [before it|above it|above|in front]
    the line with {after} should be followed by {line_of_code}
    {after} [should|must|has to|needs to] be followed by {line_of_code}
    {before} [should|must|has to|needs to] be preceded by {line_of_code}
    [insert|new line] [after|below] {after}: {line_of_code}
    [insert|new line] [before|above] {before}: {line_of_code}
    {line_of_code} [goes|comes|belongs|should come|must come|should stand] [after|below|right after] {after}
    {line_of_code} [goes|comes|belongs|should come|must come|should stand] [before|above|right before] {before}
    {line_of_code} is missing [after|below] {after}
    {line_of_code} is missing [before|above] {before}
    we <need> {line_of_code} [after|below|following] [the line with|] {after}
    we <need> {line_of_code} [before|above|preceding] [the line with|] {before}
    i forgot {line_of_code} [after|below] {after}
    i forgot {line_of_code} [before|above] {before}
    there [should|must] be a {line_of_code} [after|below] {after}
    there [should|must] be a {line_of_code} [before|above] {before}
    once {after} is done, <add> {line_of_code}
    between {after} and the next line <add> {line_of_code}
    <write> {line_of_code} on [a new|its own] line [after|below] {after}
    <write> {line_of_code} on [a new|its own] line [before|above] {before}
    <call> {line_of_code} [after|right after] {after}
    <call> {line_of_code} [before|right before] {before}
    @{at_after} <add> {line_of_code} [after|below] [this|this line|it|the selection|the selected line]
    @{at_after} <add> {line_of_code} [below|after this|next]
    @{at_after} <put> {line_of_code} [below|under|after] this
    @{at_after} [after|below] this [line|] <add> {line_of_code}
    @{at_before} <add> {line_of_code} [before|above] [this|this line|it|the selection|the selected line]
    @{at_before} <put> {line_of_code} [above|before|on top of] this
    @{at_before} [before|above] this [line|] <add> {line_of_code}
    {line_of_code} right behind {after}
    {after} then {line_of_code}
    {after}, next line {line_of_code}
    {after} + {line_of_code}
    [append|tack on] {line_of_code} to {after} as a new line
    [needs|missing][:|] {line_of_code} once {after} is through
    [do|run] {line_of_code} as soon as {after} is done
    see {after}? put {line_of_code} [under|below] it
    [directly|straight|right] under {after}: {line_of_code}
    {after} is [not|never] followed by {line_of_code}, [it should be|fix that|but has to be]
    after {after} we [also|still] need {line_of_code}
    {line_of_code} one line [below|after|further down than] {after}
    the line after {after} <should> [be|read|say] {line_of_code}
    [paste|type] {line_of_code} [below|after|under] {after}
    {after} [comes|goes] first, then {line_of_code}
    [extra|additional] line {line_of_code}, [right|] after {after}
    [have|let] {line_of_code} follow {after}
    {line_of_code} [follows|comes next after|trails] {after}
    [where|at the place where] it says {after}, continue with {line_of_code}
    [without|no] {line_of_code} after {after} it doesn't work
    [somebody|someone|i] deleted {line_of_code}, it was [below|after|under] {after}
    [restore|bring back|readd] {line_of_code} [after|below] {after}
    it <should> do {line_of_code} [after|following] {after}
    can we have {line_of_code} [after|below|under] {after}?
    [new|one more|another] line under {after} please, {line_of_code}
    <review>: {line_of_code} after {after}?
    <nit>: {line_of_code} [is missing|missing] after {after}
    todo: {line_of_code} after {after}
    [code to add|line]: {line_of_code}, [place|where]: after {after}
    {line_of_code} > put [after|below] {after}
    {line_of_code} first, then {before}
    [prepend|put] {line_of_code} to {before} as a line of its own
    [before|ahead of] {before} we [also|still] need {line_of_code}
    [before|until] {before} runs, do {line_of_code}
    [do|run] {line_of_code} first, {before} second
    see {before}? put {line_of_code} [above|before] it
    [directly|straight|right] above {before}: {line_of_code}
    {before} [only|] works when {line_of_code} comes first
    {before} too early, {line_of_code} has to come first
    {line_of_code} one line [above|before|further up than] {before}
    the line before {before} <should> [be|read|say] {line_of_code}
    [paste|type] {line_of_code} [above|before] {before}
    [extra|additional] line {line_of_code}, [right|] before {before}
    [have|let] {line_of_code} precede {before}
    {line_of_code} [precedes|leads up to] {before}
    [at the place|] where it says {before}, put {line_of_code} [first|ahead of it|above]
    [without|no] {line_of_code} before {before} it doesn't work
    [somebody|someone|i] deleted {line_of_code}, it was [above|before] {before}
    [restore|bring back|readd] {line_of_code} [above|before] {before}
    it <should> do {line_of_code} before {before}
    can we have {line_of_code} [above|before] {before}?
    [new|one more|another] line over {before} please, {line_of_code}
    <review>: {line_of_code} before {before}?
    <nit>: {line_of_code} [is missing|missing] before {before}
    todo: {line_of_code} before {before}
    [code to add|line]: {line_of_code}, [place|where]: before {before}
    {before} - but {line_of_code} first
    @{at_after} then {line_of_code}
    @{at_after} {line_of_code} [next|afterwards|comes next|right below]
    @{at_after} [followed by|next line:|line below:] {line_of_code}
    @{at_after} this <should> be followed by {line_of_code}
    @{at_after} [we need|missing] {line_of_code} after this
    @{at_before} {line_of_code} first
    @{at_before} [before that|but first|line above:] {line_of_code}
    @{at_before} {line_of_code} has to [come first|run before this|happen before this]
    @{at_before} [we need|missing] {line_of_code} before this
    """

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Insert beside one simple statement."""
        number = simple_statement_line(snippet, rng)
        fragment = telling_words(snippet, number, rng) if number is not None else None
        if number is None or fragment is None:
            return None
        code = _statement(rng)
        after = rng.random() < 0.55 and not snippet.lines[number].strip().startswith(("return", "raise"))
        ops = (Insert(number if after else number - 1, (indentation_of(snippet, number) + code,)),)
        side = "after" if after else "before"
        selected = (number, number) if rng.random() < 0.2 else None
        slots = {"line_of_code": code, side: fragment}
        return Edit(ops, slots | ({f"at_{side}": ""} if selected else {}), selected)


def _statement(rng: Random) -> str:
    roll = rng.random()
    if roll < 0.35:
        return f"{variable_name(rng)} = {value(rng)}"
    if roll < 0.6:
        return f"{function_name(rng)}({rng.choice([variable_name(rng), '', value(rng)])})"
    if roll < 0.75:
        return f"self.{variable_name(rng)} = {variable_name(rng)}"
    if roll < 0.9:
        return f"{noun(rng)}.{function_name(rng)}({rng.choice([variable_name(rng), ''])})"
    return f"{variable_name(rng)} += {rng.choice(['1', '2', variable_name(rng)])}"
