"""Tasks that a model works on by itself, step by step, in a work tree beside the user's.

`TaskStore` begins, finds, lists and drops the tasks of a work tree. `TaskStore.open` gives a
`Task`. Iterating `Task.events`, in whatever thread, makes the task work, and may stop at any event:
a task that is opened again goes on after its last whole step. `outcome` compares the result of a
task with the user's files as they are then, and accepts it:

    log = store.begin("use pathlib in report.py", "big", check="pytest -q")
    rules = run_rules(trust, settings.allowed_commands, log.spec.check)
    task = store.open(log, model_of(host), rules, keys)
    for event in task.events():
        show(event)
    changes = changes_of(log, task.worktree)
    entry = accept(log, repo, batches, changes.files)

`Task.events` runs like the events of a turn: not asking for the next one is a pause, and `close`
stops the task at once. `StepText` carries what the model writes, so a `BlocksDraft` of a front end
shows an edit as it grows; `StepEnded` says which files a settled step changed. Between two events,
and after the end, the user may have a say:

    task.redirect("multiply instead")   # the half answer stays, the words follow it
    task.back()                         # files and messages as they were after an earlier step
    task.replan(["mend it", "test it"])

`plan.propose_plan` has a model write such a plan, in events as well; `TaskLog.ticked` says how many
of its items are done.

`outcome.commit_to_branch` instead commits the result of the task to a branch of its own.

A step, from top to bottom: `task` asks the model with `messages`; `steps` reads the answer; `edits`
carries out blocks in the `vcs.worktree`, `tools` carries out a command, in the `sandbox` where a
program runs; `log` settles the step. A task touches none of the user's files, index or refs before
`accept`.

A screen takes `background`, the tasks of a session: each is a `background_task` in a thread of its
own, behind what the user asks for, and a `TaskView` of `views`. `request` reads what is typed.
"""
