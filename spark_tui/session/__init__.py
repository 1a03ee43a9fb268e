"""A turn end to end: from an instruction to checked hunks, and from an accept to bytes on disk.

From Enter to hunks it is fifteen steps, each in a place of its own:

1. `places.read_request`: what was typed, with its `@` places, is a `Request`.
2. `Session.begin`: takes it; a model that waits to take its turn has it.
3. `TurnFactory.place`: the region, from `PlaceIndex.find`, which asks `context.resolver`.
4. `making.refuse_uneditable`: what nobody can edit is refused.
5. `request.ask_of`: the `GenerationRequest`, with the words as they were typed.
6. `Provider.write`: a `Writer` of answers; nothing is computed yet.
7. `Turn.events`: whoever iterates has it run.
8. `Turn._attempt`: one answer, piece by piece, from `Writer.write`.
9. `Turn._take`: a piece goes into the `Draft` and on the `TokenLog`, and is told as a `Token`.
10. `AnswerBuffer.file`: the lines so far as a whole file, names of the rest of it renamed, too.
11. `ReviewedFile.propose`: the file as hunks that can be decided on; `Turn._announce` tells those
    that are closed.
12. `Evaluator.assess`: an answer that is whole is checked, by the user's command as well, and is a
    `Candidate`.
13. `Candidates.worth_another`: back to 8, or not.
14. `Mender.run`: where no answer passes the command, small changes are tried.
15. `Turn._end`: the best candidate is shown, and how sure it is.
"""
