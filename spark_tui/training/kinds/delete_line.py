"""Delete one line told by the words it holds."""

from random import Random

from spark_tui.editing.script import Delete
from spark_tui.editing.snippet import Snippet
from spark_tui.training.kinds.base import Edit, Kind
from spark_tui.training.kinds.places import simple_statement_line, telling_words


class DeleteLine(Kind):
    """The line that says so-and-so goes away."""

    name = "delete_line"
    skeletons = """
    <remove> the <line> [with|containing|that says|saying|that contains|that has|that mentions|about] {fragment}
    <remove> the {fragment} <line>
    <remove> the line with {fragment} [in it|on it]
    <remove> the one line [with|that has] {fragment}
    <remove> [the whole line|the complete line|all of the line|the entire line] [with|around|containing] {fragment}
    the line [with|saying|containing|that says] {fragment} [should go|can go|is not needed|must go|has to go|is useless]
    the {fragment} line [should go|can go|is not needed any more|is a leftover|is dead weight|is obsolete]
    [no need for|nobody needs|we don't need|i don't need|we no longer need] the line [with|saying|containing] {fragment}
    [no need for|we don't need|lose|scratch] the {fragment} line
    find the line [with|containing|that says] {fragment} and <remove> it
    look for {fragment} and <remove> that line
    where it says {fragment}, <remove> the line
    where you see {fragment}, <remove> that [line|statement]
    {fragment}: <remove> [that|this|the] line
    {fragment} -> [delete|remove|drop]
    line with {fragment}: [delete|remove|drop it|gone|out]
    [delete|remove|drop] line {fragment}
    [del|rm|delete|remove]: {fragment}
    that {fragment} line [is wrong here|does nothing useful|bothers me|was for debugging], <remove> it
    <canyou> <remove> the line that [says|reads|has|does] {fragment} ?
    <why> is the {fragment} line still there ? <remove> it
    there is a line [with|saying] {fragment}, <remove> it
    there's a stray {fragment} line, <remove> it
    i [want|need] the line [with|containing] {fragment} [gone|removed|deleted|out of there]
    get the {fragment} line out of [here|there|this <function>|the <function>]
    [leave out|skip|omit] the line [with|that says] {fragment}
    cut the line that starts with {fragment}
    cut the line containing {fragment} and leave the rest alone
    <removing> the line with {fragment} [is all i want|is enough|will do|fixes it]
    [one line too many|one line has to go|one line to delete]: {fragment}
    @<remove> this line
    @<remove> the selected line
    @this line [should go|can go|is not needed|is useless]
    @delete [it|this|that]
    @drop this
    @get rid of this line
    @[not needed|obsolete|leftover|useless line], <remove> it
    @i don't want this line
    @this one is a leftover
    @kill the line
    {fragment} out
    {fragment}? [gone|delete|away with it|out]
    no more {fragment}
    we [don't|no longer] [do|need|use] {fragment}, line can go
    [nobody|no one] [reads|uses|needs] the {fragment} line [any more|anymore|]
    the line [where it says|that goes] {fragment}: [remove|delete|drop] it
    {fragment} is [dead|stale|a leftover|old], delete its line
    {fragment} was [just|only] for [debugging|testing|a quick test], remove the line
    {fragment} [slipped in|got in there|was committed] by [mistake|accident], line out
    [somebody|someone|i] left {fragment} in [here|there], delete that line
    [scratch|nuke|axe|zap|ax] {fragment} (the [whole|entire] line)
    [the|that] line around {fragment} [isn't|is not] [needed|used|necessary] any more
    - {fragment}
    rm line {fragment}
    {fragment} line: [rm|del|out|bye]
    dd on the line with {fragment}
    [same|all the same|everything the same] [but|just] without the line {fragment}
    everything [stays|is fine] except {fragment}, that line goes
    [only|just] the {fragment} line goes, [rest|everything else] stays
    can the {fragment} line go?
    [is|was] the line with {fragment} [ever|really] needed? remove it
    do we [still|really] need {fragment}? line can go
    what does {fragment} do there? [looks dead|useless], delete that line
    i don't [get|see] what {fragment} is for, take the line out
    [it|this] shouldn't {fragment} any more, drop that line
    the {fragment} line [breaks|fails|crashes] [the tests|everything|the build], out with it
    the {fragment} line [hurts|slows us down|costs time], remove it
    [already|that's already] done by the caller: delete the line {fragment}
    the line {fragment} [does nothing|has no effect|is a no-op]
    [since|after] the [rewrite|last release|refactoring] the {fragment} line is [pointless|dead]
    <review>: {fragment} line [still needed|needed]? delete
    <nit>: the {fragment} line is <unneeded>
    <lint>: dead line {fragment}
    [cleanup|tidy]: line {fragment}
    todo: delete the line saying {fragment}
    [revert|undo] adding the line {fragment}
    take that {fragment} [thing|stuff] out, whole line
    [wipe|erase|blank out|clear] the line where {fragment} stands
    [line to go|to be deleted|delete this line|line to delete]: {fragment}
    [unwanted|superfluous|obsolete|redundant] line: {fragment}
    {fragment} <should> [disappear|vanish|not be there], it's one line
    don't {fragment}, delete the line
    [stop|avoid] {fragment} there, [cut|delete] the line
    the statement with {fragment} [goes|has to go|can be deleted]
    [i'd|we'd] be better off without the {fragment} line
    delete where it [reads|mentions] {fragment}
    [please|pls] lose {fragment}, just that line
    [git blame|history] says {fragment} is [old|from years ago], remove the line
    @out
    @[gone|away|out] with [it|this|this one]
    @[nobody|no one] needs this
    @[was|this was] [only|just] for [debugging|testing]
    @[dead|stale|leftover] line
    @why is this [still|even] here
    @[scrap|axe|zap|nuke|cut] [this|it|this line]
    @we [can|could] do without this
    @this does nothing
    @[not|no longer] needed
    """

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Delete one simple statement's line."""
        number = simple_statement_line(snippet, rng)
        fragment = telling_words(snippet, number, rng) if number is not None else None
        if number is None or fragment is None:
            return None
        selected = (number, number) if rng.random() < 0.25 else None
        return Edit((Delete(number, number),), {"fragment": fragment}, selected)
