"""Git and the files on disk: repository facts, hardened git, the write protocol, undo and redo.

What is written to a work tree goes from `batches` (accept, undo, redo) through `transaction` (the
protocol) and `atomic_write` (one file) to `disk` (the system calls); `journal` and `blob_store`
keep what an undo needs, `history` works out what an undo changes. Git is started by `git` alone;
`repository`, `index` and `patch` read and write through it, `staging` stages and commits, and
`worktree` keeps work trees beside the user's. `policy` says what needs the user's trust or
approval.
"""
