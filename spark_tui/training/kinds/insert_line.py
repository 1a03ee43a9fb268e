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
