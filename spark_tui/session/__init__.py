"""A turn end to end: from an instruction to checked hunks, and from an accept to bytes on disk.

From Enter to hunks there are fifteen steps, each in a place of its own:

1. `mentions.read_request`: the words typed, with their `@` places, become the fields of a
    `Request`.
2. `Session.begin`: takes the request; a model that was chosen meanwhile takes its turn.
3. `PlaceIndex.find_ranked`: the region, which `context.resolver` finds.
4. `turn_factory.refuse_uneditable`: a place that nobody can edit is refused.
5. `request.ask_of`: the `GenerationRequest`, with the words as typed.
6. `Provider.write`: a `Writer` of answers; nothing is computed yet.
7. `Turn.events`: the turn runs while its caller iterates.
8. `Turn._attempt`: one answer, piece by piece, from `Writer.write`.
9. `AnswerBuffer.take`, `TokenLog.take`: a piece goes into the `Draft` and the log of tokens, and
    becomes a `Token` event.
10. `AnswerBuffer.file`: the lines so far as a whole file, with names renamed in the rest of it.
11. `ReviewedFile.propose`: the file as hunks to decide on; `Turn._announce` reports closed ones.
12. `Evaluator.assess`: a whole answer is checked, by the user's command as well, and becomes a
    `Candidate`.
13. `Candidates.worth_another`: back to 8, or not.
14. `Mender.run`: where no answer passes the command, small changes are tried.
15. `Turn._end`: the best candidate is shown, with how sure it is.
"""
