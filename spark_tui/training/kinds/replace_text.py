"""Replace a told piece of text by another one, in the one line that has it."""

import re
from random import Random

from spark_tui.editing.script import Replace
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind
from spark_tui.training.kinds.places import telling_words
from spark_tui.training.kinds.pools import variable_name

_NAME = re.compile(r"[^\W\d]\w+")


class ReplaceText(Kind):
    """`old` becomes `new` in one line; where `old` stands more than once, the line is told or selected."""

    name = "replace_text"
    weight = 1.5
    skeletons = """
    <replace> {old} [with|by] {new} [in the line with|in the line that has|where it says|on the line with] {fragment}
    <replace> {old} [with|by] {new} [next to|near|beside|around] {fragment}
    <change> {old} to {new} [in the line with|in the line containing|where it says|on the line that has] {fragment}
    <change> {old} [into|to] {new} [next to|near|by] {fragment}
    <use> {new} instead of {old} [in the line with|where it says|on the line with] {fragment}
    [it should be|should be|must be|has to be] {new} [not|instead of|rather than] {old} [in the line with|where it says] {fragment}
    in the line [with|that has|containing|saying] {fragment} <change> {old} to {new}
    in the line [with|that has|containing|saying] {fragment}, <replace> {old} [with|by] {new}
    in {fragment} <change> {old} to {new}
    in {fragment} <use> {new} instead of {old}
    where it says {fragment}, it should [be|say|use] {new} instead of {old}
    where it says {fragment}: {old} -> {new}
    the line with {fragment} should [use|say|have] {new}, not {old}
    the line with {fragment} has {old} where it [should|must|needs to] have {new}
    find {fragment} and <change> {old} to {new} [there|in it|in that line]
    line with {fragment}: {old} -> {new}
    {fragment}: {old} => {new}
    {fragment}: s/{old}/{new}/
    <replace> {only} [with|by] {new}
    <change> {only} [to|into] {new}
    <use> {new} instead of {only}
    <use> {new} in place of {only}
    <use> {new}, not {only}
    <swap> {only} for {new}
    {only} -> {new}
    {only} => {new}
    {only} should be {new}
    {only} should [read|say|have been] {new}
    [it|this|that] should be {new}, not {only}
    [it|this|that] should be {new} instead of {only}
    [it|this] says {only} but [i want|it should be|we need|it has to be] {new}
    wherever it says {only}, [put|write|use] {new}
    where it says {only} <put> {new}
    <put> {new} where {only} is [now|]
    instead of {only} <write> {new}
    instead of {only} [it should be|use|i want|we want|take] {new}
    not {only} but {new}
    i meant {new}, not {only}
    i typed {only} [but meant|instead of|, i wanted] {new}
    make {only} [a|] {new}
    turn {only} into {new}
    [wrong name|wrong one|typo|mistake]: {only} should be {new}
    the {only} [there|here] is wrong, it is {new}
    <replacing> {only} [with|by] {new} [is all i need|is enough|should do]
    @<replace> {old} [with|by] {new} [here|in this line|]
    @<change> {old} to {new} [here|on this line|]
    @<use> {new} instead of {old}
    @<use> {new} here, not {old}
    @{old} -> {new}
    @this {old} should be {new}
    @{old} is wrong here, it should be {new}
    @[in this line|here] {new} instead of {old}
    @not {old} but {new}
    """

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Replace one name of one line; `only` is known when it stands nowhere else in the snippet."""
        number = rng.randrange(len(snippet.lines))
        line = snippet.lines[number]
        names = list(_NAME.finditer(line))
        if not names or len(line) > 100:
            return None
        match = rng.choice(names)
        old = match[0]
        if len(re.findall(rf"\b{re.escape(old)}\b", line)) != 1:
            return None
        new = variable_name(rng)
        if new == old:
            return None
        ops = (Replace(number, number, (line[: match.start()] + new + line[match.end() :],)),)
        slots = {"old": old, "new": new}
        if sum(old in other for other in snippet.lines) == 1:
            return Edit(ops, slots | {"only": old})
        fragment = telling_words(snippet, number, rng)
        if fragment is None or rng.random() < 0.4:
            return Edit(ops, slots, (number, number))
        return Edit(ops, slots | {"fragment": fragment})
