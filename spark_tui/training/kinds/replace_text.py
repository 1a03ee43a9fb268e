"""Replace a told piece of text by another one, in the one line that has it."""

import keyword
import re
from collections.abc import Mapping, Sequence
from random import Random

from spark_tui.editing.codemods.base import parses
from spark_tui.editing.codemods.replace_text import GLUE, replaced
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind
from spark_tui.training.kinds.places import telling_words
from spark_tui.training.kinds.pools import noun, variable_name

_NAME = re.compile(r"[^\W\d]\w+")
_PIECE = re.compile(r"[^\W\d]\w*(?:\.\w+)+(?:\(\))?|(?<=['\"])[a-z]+(?: [a-z]+){1,3}(?=['\"])|(?<!\w)\w+\(\w*\)")


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
    s/{only}/{new}/
    put {new} in place of {only}
    {only} has to become {new}
    {only} needs to become {new}
    let {only} be {new}
    {new} [is what i meant|was meant] instead of {only}
    {only} [=|:] wrong, {new} [=|:] right
    could {only} be {new}?
    swap out {only} for {new}
    {only}? [that|it] should be {new}
    <want> {new} where it says {only}
    {only} => {new} [on|in] the line with {fragment}
    <replace> {old} [with|by] {new}, on the line that says {fragment}
    @put {new} in place of {old}
    @{old} has to become {new}
    @s/{old}/{new}/
    s|{only}|{new}|
    {only} => {new}, nothing else [on the line|there|]
    {only} ~> {new}
    {only}/{new}
    [was|before]: {only} [now|after]: {new}
    {only} [is|was] the old [one|name|word], {new} is the new one
    [that's|it's] {new} now, no longer {only}
    {only} [doesn't|does not] exist any more, [it's|there is only|take] {new}
    {only} was [dropped|removed|retired|deprecated|replaced] in favour of {new}
    DeprecationWarning: {only} is deprecated, use {new} instead
    AttributeError: did you mean {new}? (i have {only})
    NameError: name '{only}' is not defined. Did you mean: '{new}'?
    Cannot find reference '{only}'[, i meant|. should be|; it is] {new}
    Unresolved reference '{only}' ({new} is meant)
    reportUndefinedVariable: "{only}" is not defined, {new} is
    [copied|copy paste] from the other [file|function|one], {only} ought to be {new}
    copy-paste error: {only} where {new} belongs
    oops, {only}. {new} of course
    that {only} ought to have been {new}
    mixed up {only} and {new} [there|]: the first is there and it has to be the second
    wrong one picked: {only}, {new} is what i was after
    [spelling|spelled wrong|misspelt]: {only}, correct is {new}
    i'd rather [see|read|have] {new} than {only}
    would {new} not be right where {only} is?
    why {only}? {new}!
    can we have {new} where {only} stands?
    are we sure about {only}? i'd say {new}
    shouldn't {only} be {new}
    swap {only} [against|with|out for] {new}
    exchange {only} and put {new}
    trade {only} for {new}
    overwrite {only} by {new}
    out with {only}, in with {new}
    no {only}, {new}
    {new} (not {only})
    {new} rather than {only}
    {new} over {only}
    nit: {only} -> {new}
    <review>: {only} -> {new}
    todo {only} --> {new}
    one word is off: {only}, {new} would be right
    just the {only}: {new}
    make that {only} [read|say] {new}
    it reads {only}. let it read {new}
    since the [refactoring|rename|migration|update], {only} is {new}
    the [api|name|spelling] changed from {only} to {new}
    we [moved|migrated|went] from {only} to {new}, this line [was forgotten|still has the old one|is left]
    update {only}, [it's called|the right one is|now it's] {new}
    @{old}/{new}
    @s|{old}|{new}|
    @{new}, not {old}
    @{old}? {new}!
    @{old} was meant to be {new}
    @copy-paste error, {old} ought to be {new}
    @[oops|sorry|argh], {new} not {old}
    @i'd rather see {new} than {old} here
    @{new} [belongs|goes] where {old} is
    @this line still has {old}, the rest says {new}
    @why {old}? {new} please
    @AttributeError, {old} is called {new} now
    @only this one: {old} to {new}
    @{old} is the old name, {new} is current
    @in this one line {old} becomes {new}
    @{old} out, {new} in
    the {old} beside {fragment} is wrong, {new}
    {new} for {old}, the one by {fragment}
    only where {fragment} is: {old} -> {new}
    {old} (the one next to {fragment}) ought to be {new}
    @mixed up {old} with {new}
    """

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Replace one piece of one line; `only` is known when it stands nowhere else in the snippet."""
        number = rng.randrange(len(snippet.lines))
        line = snippet.lines[number]
        pattern = _NAME if rng.random() < 0.75 else _PIECE
        pieces = list(pattern.finditer(line))
        if not pieces or len(line) > 100:
            return None
        old = rng.choice(pieces)[0]
        new = variable_name(rng) if pattern is _NAME or rng.random() < 0.4 else _like(old, rng)
        if line.count(old) != 1 or new == old or keyword.iskeyword(old) or old.lower() in GLUE:
            return None
        lines = [*snippet.lines[:number], replaced(line, old, new), *snippet.lines[number + 1 :]]
        slots = {"old": old, "new": new}
        if sum(old in other for other in snippet.lines) == 1:
            return Edit.between(snippet, lines, slots | {"only": old})
        fragment = telling_words(snippet, number, rng)
        if fragment is None or rng.random() < 0.4:
            return Edit.between(snippet, lines, slots, (number, number))
        return Edit.between(snippet, lines, slots | {"fragment": fragment})

    def accepts(self, before: Snippet, after: Sequence[str], slots: Mapping[str, str]) -> bool:
        """It parses, and one line differs by the two texts."""
        changed = [pair for pair in zip(before.lines, after, strict=False) if pair[0] != pair[1]]
        if len(after) != len(before.lines) or len(changed) != 1 or not parses(after):
            return False
        return changed[0][1] == replaced(changed[0][0], slots["old"], slots["new"])


def _like(old: str, rng: Random) -> str:
    """Another piece of the same shape: a dotted name, a call, some words."""
    if " " in old:
        return " ".join(noun(rng) for _ in range(rng.randint(1, 3)))
    return old.replace(rng.choice(re.findall(r"\w+", old)), variable_name(rng))
