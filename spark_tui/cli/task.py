"""`spark task`: a model works on a task by itself, in a work tree of its own.

Progress goes to stderr. At the end the patch goes to stdout, or into the files with --apply.
"""

import argparse
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from spark_tui.cli import output
from spark_tui.cli.common import (
    add_model_argument,
    ended_once,
    notice,
    open_batches,
    open_session,
    read_stdin,
    settings_of,
    telemetry_of,
)
from spark_tui.config import state_dir
from spark_tui.errors import (
    Abstained,
    FileError,
    FilesLost,
    Interrupted,
    SparkError,
    UsageError,
)

if TYPE_CHECKING:
    from spark_tui.cli.task_progress import TaskProgress
    from spark_tui.config import Agent
    from spark_tui.session.session import Session
    from spark_tui.tasks.acceptance import Acceptance
    from spark_tui.tasks.agents.task import AgentTask
    from spark_tui.tasks.events import TaskEvent
    from spark_tui.tasks.log import Budget, TaskLog
    from spark_tui.tasks.store import TaskStore
    from spark_tui.tasks.task import Task
    from spark_tui.tasks.tools import RunRules
    from spark_tui.vcs.batches import Batches
    from spark_tui.vcs.repository import Repository

_ABOUT_ONE = ("resume", "apply", "commit", "drop")
_TAKES_MORE = ("plan", "resume", "commit")
_MOST_WORDS = 60
_BUDGET = ("steps", "tokens", "seconds", "cost")
_OPTIONS = (
    *("check", "share", "plan", *_BUDGET),
    *("apply", "allow", "model", "back", "message", "yes"),
)
_TAKEN = {
    "plan": ("model",),
    "list": (),
    "resume": (*_BUDGET, "apply", "allow", "model", "back"),
    "apply": ("apply", "allow"),
    "commit": ("allow", "message"),
    "drop": ("yes",),
}
"""The options that go with each word."""
_TAKEN_AT_FIRST = ("check", "share", "plan", *_BUDGET, "apply", "allow", "model")
"""Those that go with the words of a new task."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `spark task`."""
    parser.add_argument(
        "words",
        help="what to do, in plain words between quotes; - reads it from stdin; @NAME before the "
        "words has an agent of [agents] do it; or plan, list, resume, apply, commit, drop",
    )
    parser.add_argument(
        "id",
        nargs="*",
        help="with resume, apply, commit, drop: the task; the start of its id is enough. Behind "
        "it, with resume: words by which it goes on; with commit: a new branch (task-ID). With "
        "plan and @NAME: what to do",
    )
    parser.add_argument("--check", metavar="CMD", help="a command that must pass at the end")
    parser.add_argument(
        "--plan",
        metavar="FILE",
        help="steps to do in order, one a line, as `spark task plan` prints them; - is stdin",
    )
    parser.add_argument(
        "--share",
        action="append",
        default=[],
        metavar="PATH",
        help="have its commands read PATH, which git ignores, or a submodule (repeatable)",
    )
    parser.add_argument("--steps", type=int, metavar="N", help="the most steps (40)")
    parser.add_argument(
        "--tokens", type=int, metavar="N", help="the most tokens that the model writes (100000)"
    )
    parser.add_argument("--seconds", type=float, metavar="N", help="the most seconds (3600)")
    parser.add_argument(
        "--cost", type=float, metavar="N", help="the most money, where the model has a price"
    )
    parser.add_argument(
        "--back", type=int, default=0, metavar="N", help="with resume: go back N steps first"
    )
    parser.add_argument(
        "--message", metavar="TEXT", help="with commit: the message (the task's words)"
    )
    parser.add_argument("--apply", action="store_true", help="apply what is done to the work tree")
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="PATH",
        help="allow writing PATH, which needs its own approval (repeatable)",
    )
    parser.add_argument(
        "--yes",
        action="store_true",
        help="with drop: drop files of repositories made in the task that are in no patch, too",
    )
    parser.add_argument("--format", choices=["text", "json", "stream-json"], default="text")
    parser.add_argument(
        "--json", action="store_const", const="json", dest="format", help="as --format json"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress on stderr")
    add_model_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Begin a task, or do something with one.

    Returns:
        0: done, 3: ended without, or 130.

    Raises:
        SparkError: The arguments are wrong, or the task fails.
    """
    _check_usage(args)
    actions = {
        "plan": _plan,
        "list": _list,
        "drop": _drop,
        "apply": _apply,
        "commit": _commit,
        "resume": _resume,
    }
    return actions.get(args.words, _begin)(args)


def _check_usage(args: argparse.Namespace) -> None:
    """Refuse arguments that do not go together.

    Raises:
        UsageError: Some do not.
    """
    if args.words == "plan" and not args.id:
        raise UsageError('say what to plan, as in spark task plan "use pathlib in report.py"')
    if args.words in _ABOUT_ONE and not args.id:
        raise UsageError(f"name a task: spark task {args.words} ID; see `spark task list`")
    # Behind such a word comes one argument, the id or the words; some words take another one.
    takes_one = args.words in _ABOUT_ONE or args.words.startswith("@")
    if len(args.id) > takes_one + (args.words in _TAKES_MORE):
        raise UsageError('put the task between quotes, as in spark task "use pathlib in report.py"')
    taken = _TAKEN.get(args.words, _TAKEN_AT_FIRST)
    for option in _OPTIONS:
        if option not in taken and getattr(args, option):
            command = args.words if args.words in _TAKEN else "WORDS"
            raise UsageError(f"--{option} does not go with `spark task {command}`; leave it out")
    if args.back < 0:
        raise UsageError(f"--back {args.back}: choose a number from 0")
    if any(not word.strip() for word in args.id[1:]):
        raise UsageError(f"the last word of `spark task {args.words}` is empty; leave it out")


class _Place(NamedTuple):
    """The repository of a task, its journal, and the store of its tasks."""

    repo: "Repository"
    batches: "Batches"
    store: "TaskStore"


def _open_place(args: argparse.Namespace) -> _Place:
    """Open all of these, once what a kill left is set right."""
    from spark_tui.tasks.store import TaskStore
    from spark_tui.vcs.repository import Repository

    batches = open_batches(args)
    repo = Repository.discover(Path(args.folder))
    store = TaskStore(repo, state_dir() / "tasks" / batches.name)
    store.sweep()
    return _Place(repo, batches, store)


def _begin(args: argparse.Namespace) -> int:
    from spark_tui.tasks.plan import read_plan

    if "-" in {args.words, *args.id} and args.plan == "-":
        raise UsageError("the task and the plan cannot both come from stdin; name a file for one")
    settings = settings_of(args)
    agent, words = _agent_and_words(args, settings.agents)
    plan = read_plan(_plan_text(args.plan)) if args.plan is not None else ()
    if args.plan is not None and not plan:
        raise UsageError(f"the plan in {args.plan} is empty; write one step a line")
    if agent is not None:
        return _begin_with_agent(agent, words, plan, args)
    budget = _budget(args)
    place = _open_place(args)
    with closing(open_session(Path(args.folder), settings, once=True)) as session:
        if args.check is not None:
            session.command(args.check)  # which refuses what cannot run
        speaker = session.succession.speaker()
        # refuses a model that only edits before the task is written down
        session.succession.host(speaker).talker_for("for a task")
        is_first = speaker == session.host.in_use
        model = settings.model if is_first else speaker
        # Only here is the task written down: all that may be refused was refused above.
        log = place.store.begin(
            words,
            model,
            check=args.check or "",
            plan=plan,
            budget=budget,
            shared=_shared(place.repo, args),
        )
        return _work(session, speaker, log, place, args)


def _plan(args: argparse.Namespace) -> int:
    """Have a model propose a plan, and print it as --plan reads it."""
    from spark_tui.cli.task_progress import TaskProgress
    from spark_tui.tasks.plan import propose_plan, write_plan
    from spark_tui.tasks.task import model_of
    from spark_tui.tasks.tools import files_shown
    from spark_tui.vcs.repository import Repository

    words = read_stdin() if args.id[0] == "-" else args.id[0]
    repo = Repository.discover(Path(args.folder))
    with closing(open_session(Path(args.folder), settings_of(args), once=True)) as session:
        host = session.succession.host(session.succession.speaker())
        around = session.mentions.map(words, {}, host.answerer.map_room)
        planning = propose_plan(words, model_of(host, around), files_shown(repo))
        progress = TaskProgress(args.format, quiet=args.quiet)
        with closing(planning):
            plan = _planned(planning, progress)
    if args.format != "text":
        output.show_json({"version": 1, "words": words, "plan": list(plan)})
    elif plan:
        output.show(write_plan(plan).rstrip("\n"))
    if not plan:
        notice("the model wrote no plan; say more, or name another model (-m NAME)")
        return Abstained.exit_code
    return 0


def _planned(
    planning: "Generator[TaskEvent, None, tuple[str, ...]]", progress: "TaskProgress"
) -> tuple[str, ...]:
    """Have the events of planning happen; returns the plan."""
    try:
        while True:
            progress.show(next(planning))
    except StopIteration as end:
        plan: tuple[str, ...] = end.value
        return plan
    finally:
        progress.end()


def _agent_and_words(
    args: argparse.Namespace, agents: Mapping[str, "Agent"]
) -> tuple["Agent | None", str]:
    """Return the agent that a task is for, None for a model, and the words of the task.

    Args:
        agents: The agents that the user has named.

    Raises:
        UsageError: There is no such agent.
    """
    from spark_tui.tasks.agents.registry import MARK, find_agent, split_agent

    words = read_stdin() if args.words == "-" else args.words
    if args.id:
        name = args.words.removeprefix(MARK)
        words = read_stdin() if args.id[0] == "-" else args.id[0]
        return find_agent(name, agents), words
    name, rest = split_agent(words)
    if name not in agents:  # a mention of a file begins so, too
        return None, words
    return find_agent(name, agents), rest


def _begin_with_agent(
    agent: "Agent", words: str, plan: tuple[str, ...], args: argparse.Namespace
) -> int:
    from dataclasses import replace

    from spark_tui.tasks.agents.registry import MARK, MOST_STEPS, find_program

    if args.model:
        raise UsageError(f"--model does not go with @{agent.name}; the agent has its own models")
    budget = _budget(args)
    if args.steps is None:
        budget = replace(budget, steps=MOST_STEPS)
    place = _open_place(args)
    find_program(agent, place.repo.root)  # which refuses what cannot be started
    if args.check is not None:
        _require_check(args.check, place)
    name = f"{MARK}{agent.name}"
    log = place.store.begin(
        words,
        name,
        check=args.check or "",
        plan=plan,
        budget=budget,
        shared=_shared(place.repo, args),
    )
    return _work_with_agent(agent, log, place, args)


def _shared(repo: "Repository", args: argparse.Namespace) -> tuple[str, ...]:
    """Return what a task shares of the work tree.

    Raises:
        UsageError, RepoError, FileError: As `find_shared`.
    """
    from spark_tui.tasks.shared import find_shared, find_those_shared

    named = [find_shared(repo, path, Path(args.folder)) for path in args.share]
    usual = find_those_shared(repo, settings_of(args).shared_paths)
    return tuple(dict.fromkeys((*named, *usual)))


def _require_check(line: str, place: "_Place") -> None:
    """Refuse a check that may not run, or cannot.

    Raises:
        RepoError: The repository could run programs that the user does not trust.
        UsageError: There is no such command.
    """
    from spark_tui.session.repair.sandbox import TrialCommand
    from spark_tui.vcs.policy import Trust

    Trust(place.repo, state_dir()).require("the check")
    TrialCommand(place.repo, line)


def _plan_text(name: str) -> str:
    if name == "-":
        return read_stdin()
    try:
        return Path(name).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as e:
        reason = e.strerror if isinstance(e, OSError) else "it is not UTF-8"
        raise FileError(f"cannot read the plan in {name}: {reason}") from e


def _budget(args: argparse.Namespace) -> "Budget":
    from spark_tui.tasks.log import Budget

    return Budget(**_given(args))


def _given(args: argparse.Namespace) -> dict[str, Any]:
    """The parts of a budget that the user gave."""
    values = {name: getattr(args, name) for name in _BUDGET}
    return {name: value for name, value in values.items() if value is not None}


def _resume(args: argparse.Namespace) -> int:
    from dataclasses import replace

    from spark_tui.tasks.task import DONE, verdict

    place = _open_place(args)
    log = place.store.find(args.id[0])
    ended = verdict(log)
    has_say = len(args.id) > 1 or args.back
    # nothing is left to do, and nobody says more: the end is shown once more
    if ended is not None and ended[0] == DONE and not has_say:
        return _end(log, place, args)
    agent = _agent_of(log, args)
    args.model = args.model or log.spec.model
    given = _given(args)
    # A task that had ended gets its budget anew, as it is or as the options say.
    if given or ended:
        log.renew(replace(log.spec.budget, **given))
    if agent is not None:
        if log.spec.check:
            _require_check(log.spec.check, place)
        return _work_with_agent(agent, log, place, args)
    with closing(open_session(Path(args.folder), settings_of(args), once=True)) as session:
        if log.spec.check:
            session.command(log.spec.check)
        return _work(session, session.succession.speaker(), log, place, args)


def _agent_of(log: "TaskLog", args: argparse.Namespace) -> "Agent | None":
    """The agent that a task is for; None for a model.

    Raises:
        UsageError: There is no such agent any more, or an option does not go with agents.
    """
    from spark_tui.tasks.agents.registry import MARK, find_agent

    if not log.spec.model.startswith(MARK):
        return None
    if args.model:
        raise UsageError(f"--model does not go with {log.spec.model}, which works on the task")
    if args.back:
        raise UsageError("--back does not go with an agent's task; say in words what to take back")
    return find_agent(log.spec.model.removeprefix(MARK), settings_of(args).agents)


def _work_with_agent(
    agent: "Agent", log: "TaskLog", place: "_Place", args: argparse.Namespace
) -> int:
    """Have an agent work on a task to its end, and show what came of it."""
    from spark_tui.tasks.agents.registry import open_agent_task

    rules, keys = _rules_and_keys(log, place, args)
    telemetry = telemetry_of(settings_of(args, tell=str))
    task = open_agent_task(place.store, place.repo, log, agent, rules, keys, telemetry=telemetry)
    if args.words == "resume":
        _redirect(task, args)
    return _finish(task, log, place, args)


def _rules_and_keys(
    log: "TaskLog", place: "_Place", args: argparse.Namespace
) -> tuple["RunRules", list[str]]:
    """Return what a task may run, and the variables with keys, which no command sees."""
    from spark_tui.tasks.tools import run_rules
    from spark_tui.vcs.policy import Trust

    settings = settings_of(args)
    trust = Trust(place.repo, state_dir())
    commands = settings.allowed_commands
    rules = run_rules(trust, commands, log.spec.check, settings.allowed_variables)
    return rules, [endpoint.key_env for endpoint in settings.models.values()]


def _work(
    session: "Session", speaker: str, log: "TaskLog", place: "_Place", args: argparse.Namespace
) -> int:
    """Have a task work to its end, and show what came of it."""
    from spark_tui.tasks.task import model_of

    host = session.succession.host(speaker)
    around = session.mentions.map(log.spec.words, {}, host.answerer.map_room)
    rules, keys = _rules_and_keys(log, place, args)
    task = place.store.open(log, model_of(host, around), rules, keys, session.telemetry)
    if args.back:
        task.back(args.back)
    _redirect(task, args)
    return _finish(task, log, place, args)


def _redirect(task: "Task | AgentTask", args: argparse.Namespace) -> None:
    """Give a task the words that stand behind its id."""
    for words in args.id[1:]:
        task.redirect(read_stdin() if words == "-" else words)


def _finish(
    task: "Task | AgentTask", log: "TaskLog", place: "_Place", args: argparse.Namespace
) -> int:
    """Have a task work to its end, and show what came of it."""
    from spark_tui.cli.task_progress import TaskProgress

    progress = TaskProgress(args.format, quiet=args.quiet)
    with _failures_told(log, place, args):
        is_interrupted = _follow(task, progress)
    if is_interrupted:
        _show(log, place, args)
        return Interrupted.exit_code
    return _end(log, place, args)


def _end(log: "TaskLog", place: "_Place", args: argparse.Namespace) -> int:
    """Show what came of a task that has ended, or accept it where that is wanted."""
    from spark_tui.tasks.task import DONE, verdict

    ended = verdict(log)
    is_done = ended is not None and ended[0] == DONE
    if is_done and args.apply:
        return _accept(log, place, args)
    _show(log, place, args)
    return 0 if is_done else Abstained.exit_code


def _follow(task: "Task | AgentTask", progress: "TaskProgress") -> bool:
    """Have the events of a task happen.

    Returns:
        Whether the user interrupted it.
    """
    with ended_once():
        try:
            with closing(task.events()) as events:
                for event in events:
                    progress.show(event)
        except KeyboardInterrupt:
            return True
        finally:
            progress.end()
    return False


@contextmanager
def _failures_told(log: "TaskLog", place: "_Place", args: argparse.Namespace) -> Iterator[None]:
    """Tell how to go on where a task that has begun ends in an error.

    A new task whose agent never began, as it wants a login, say, is not kept.
    """
    try:
        yield
    except SparkError as error:
        is_kept = args.words == "resume" or _has_begun(log)
        if args.format != "text":
            goes_on = f"; `spark task resume {log.id}` goes on" if is_kept else ""
            words = f"{output.on_one_line(error)}{goes_on}"
            with suppress(SparkError):  # the first error counts
                _show(log, place, args, status="failed", message=words)
        elif is_kept:
            notice(f"`spark task resume {log.id}` goes on behind step {len(log.steps)}")
        if not is_kept:
            with suppress(SparkError):
                place.store.drop(log.id)
        raise


def _has_begun(log: "TaskLog") -> bool:
    """Whether a model, or an agent with a session of its own, works on a task."""
    from spark_tui.tasks.agents.registry import MARK

    return bool(log.steps or log.session) or not log.spec.model.startswith(MARK)


def _show(log: "TaskLog", place: "_Place", args: argparse.Namespace, **instead: str) -> None:
    """Show what came of a task: its patch on stdout and a line on stderr, or one object.

    Args:
        instead: Values of the object that replace others.
    """
    from spark_tui.tasks.acceptance import acceptance_of
    from spark_tui.tasks.outcome import result

    worktree = place.store.worktree(log)
    acceptance = acceptance_of(log, worktree, place.batches)
    body = result(log, place.repo, worktree, place.batches) | _hunks_json(acceptance)
    if args.format != "text":
        head = {"event": "task_result"} if args.format == "stream-json" else {}
        output.show_json(head | body | instead)
        return
    output.show_patch(body["patch"].encode("utf-8", "surrogateescape"))
    if args.quiet:
        return
    words = f"task {log.id}: {body['message']}"
    if acceptance is not None:
        words = f"{words}; {acceptance.words}, `spark undo` takes it back"
        if not acceptance.is_whole:
            words = f"{words} and `spark task apply {log.id}` applies all"
    elif not body["fits"]:
        words = f"{words}; `spark` and /tasks show both versions"
    elif body["files"]:
        words = f"{words}; `spark task apply {log.id}` applies it"
    notice(words)


def _accept(log: "TaskLog", place: "_Place", args: argparse.Namespace) -> int:
    """Accept what a task changed, all of it."""
    from spark_tui.tasks.acceptance import acceptance_of
    from spark_tui.tasks.outcome import accept, changes_of

    acceptance = acceptance_of(log, place.store.worktree(log), place.batches)
    if acceptance is not None and acceptance.is_whole:
        if args.format == "text" and not args.quiet:
            notice(f"task {log.id} was applied already; nothing was written")
    else:
        changes = changes_of(log, place.store.worktree(log)).files
        try:
            entry = accept(log, place.repo, place.batches, changes, _allowed(place, args))
        except SparkError as error:
            if args.format != "text":
                _show(log, place, args, message=output.on_one_line(error))
            raise
        if entry is not None:
            _note_end(log.id, "applied", args, entry.id)
    _show(log, place, args)
    return 0


def _note_end(task_id: str, end: str, args: argparse.Namespace, batch_id: str = "") -> None:
    """Note what became of a task, for `spark stats`.

    Args:
        end: A value of `TaskEnd`.
        batch_id: The journal's; "" where no file was written.
    """
    from spark_tui.session.telemetry import TaskEnd

    # Opening the journal has already told of a project that is not trusted.
    telemetry_of(settings_of(args, tell=str)).note_end(task_id, TaskEnd(end), batch_id)


def _apply(args: argparse.Namespace) -> int:
    from spark_tui.errors import Transient

    place = _open_place(args)
    log = place.store.find(args.id[0])
    if log.is_held:
        raise Transient(f"task {log.id} is at work; wait for its end")
    return _accept(log, place, args)


def _commit(args: argparse.Namespace) -> int:
    """Commit what came of a task to a new branch."""
    from spark_tui.errors import Transient
    from spark_tui.tasks.outcome import changes_of, commit_to_branch, notes_on
    from spark_tui.vcs.commit import Committer
    from spark_tui.vcs.policy import Trust

    place = _open_place(args)
    log = place.store.find(args.id[0])
    if log.is_held:
        raise Transient(f"task {log.id} is at work; wait for its end")
    made = commit_to_branch(
        log,
        place.repo,
        place.store.worktree(log),
        Committer(place.repo, Trust(place.repo, state_dir()), state_dir()),
        branch=args.id[1] if len(args.id) > 1 else None,
        message=args.message,
        allow=_allowed(place, args),
    )
    _note_end(log.id, "branch", args)
    changes = changes_of(log, place.store.worktree(log))
    if args.format != "text":
        body = {"version": 1, "id": log.id, "branch": made.branch, "commit": made.id}
        modes = sorted(changes.modes)
        output.show_json({**body, "left_out": list(changes.left_out), "modes_left_out": modes})
        return 0
    output.show_line(f"{made.short} on the new branch {made.branch}")
    for note in notes_on(changes):
        notice(note)
    return 0


def _allowed(place: _Place, args: argparse.Namespace) -> list[str]:
    """The files that the user consented to, from the repository's root."""
    start = Path(args.folder).resolve()
    return [place.repo.resolve(path, start=start) for path in args.allow]


def _drop(args: argparse.Namespace) -> int:
    try:
        task_id = _open_place(args).store.drop(args.id[0], anyway=args.yes)
    except FilesLost as e:
        raise FilesLost(f"{e}; nothing was dropped: --yes drops them, too") from e
    _note_end(task_id, "dropped", args)
    if args.format == "text":
        output.show_line(f"task {task_id} is dropped")
    else:
        output.show_json({"version": 1, "id": task_id, "dropped": True})
    return 0


def _list(args: argparse.Namespace) -> int:
    place = _open_place(args)
    tasks = [_listed(log, place) for log in place.store.logs()]
    if args.format != "text":
        output.show_json({"version": 1, "tasks": tasks, "troubles": list(place.store.troubles())})
        return 0
    for trouble in place.store.troubles():
        notice(trouble)
    for task in tasks:
        words = " ".join(task["words"].split())[:_MOST_WORDS]
        state = task["status"]
        if task["applied"]:
            is_whole = task["hunks_applied"] == task["hunks"]
            state = "applied" if is_whole else "partly"
            words = words if is_whole else f"{words} ({task['acceptance']})"
        output.show_line(f"{task['id']}  {state:<11}  {task['steps']:>3} steps  {words}")
    if not tasks:
        notice("no tasks here")
    return 0


def _listed(log: "TaskLog", place: _Place) -> dict[str, Any]:
    """A task of the list, for programs."""
    from spark_tui.tasks.acceptance import acceptance_of
    from spark_tui.tasks.outcome import applied_batch, status_of

    status, message = status_of(log)
    acceptance = None
    is_applied = applied_batch(log, place.batches) is not None
    if is_applied:
        with suppress(SparkError):  # what the task kept is gone: nothing tells how much it was
            acceptance = acceptance_of(log, place.store.worktree(log), place.batches)
    if log.is_held:
        status = "running"
        message = f"{len(log.steps)} steps so far"
    return {
        "id": log.id,
        "status": status,
        "words": log.spec.words,
        "model": log.spec.model,
        "begun": log.spec.begun,
        "steps": len(log.steps),
        "tokens": log.tokens,
        "applied": is_applied,
        "message": message,
        **_hunks_json(acceptance),
    }


def _hunks_json(acceptance: "Acceptance | None") -> dict[str, Any]:
    """Return for programs how much of a task was accepted: null where nothing is in force."""
    if acceptance is None:
        return {"acceptance": None, "hunks": None, "hunks_applied": None}
    return {
        "acceptance": acceptance.words,
        "hunks": acceptance.total,
        "hunks_applied": acceptance.applied,
    }
