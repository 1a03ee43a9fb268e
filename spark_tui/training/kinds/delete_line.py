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
    """

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """Delete one simple statement's line."""
        number = simple_statement_line(snippet, rng)
        fragment = telling_words(snippet, number, rng) if number is not None else None
        if number is None or fragment is None:
            return None
        selected = (number, number) if rng.random() < 0.25 else None
        return Edit((Delete(number, number),), {"fragment": fragment}, selected)
