import pytest

from tests.editing.codemods.results import objection, results

CODE = "def f(x):\n    y = x\n    return y"


@pytest.mark.parametrize(
    ("after", "fits"),
    [
        ("def f(x):\n    y = x\n    log(y, 1)\n    return y", True),
        ("def f(x):\n    log( y, 1 )\n    y = x\n    return y", True),
        (CODE, False),
        ("def f(x):\n    y = x\n    log(y, 2)\n    return y", False),
        ("def f(x):\n    y = x\nlog(y, 1)\n    return y", False),
        ("def f(x):\n    y = x\n        log(y, 1)\n    return y", False),
        ("def f(x):\n    y = 2\n    log(y, 1)\n    return y", False),
    ],
)
def test_only_the_line_told_is_added(after: str, fits: bool) -> None:
    assert (not objection("insert_line", CODE, after, "add log(y, 1) after y = x")) == fits


STEPS = (
    "def run(job):\n    job.start()\n    if job.ready:\n        job.close()\n    total = job.wait(3)\n    return total"
)


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("before job.wait add print(job)", "    total", "    print(job)\n    total"),
        ('put `log("on")` right after the start', "start()\n", 'start()\n    log("on")\n'),
        ("once it is closed set job.x to None", "close()\n", "close()\n        job.x = None\n"),
        ("`total += 1` above the return", "    return", "    total += 1\n    return"),
    ],
)
def test_a_line_told_comes_beside_the_statement_told(words: str, old: str, new: str) -> None:
    wanted = STEPS.replace(old, new)
    assert results("insert_line", STEPS, words) == [wanted]
    assert not objection("insert_line", STEPS, wanted, words)


@pytest.mark.parametrize(
    "words", ["add print(job)", "before job.wait add something", "call stop(1) or go(2) before the return"]
)
def test_without_line_and_place_told_the_model_writes(words: str) -> None:
    assert results("insert_line", STEPS, words) == []


JOBS = '''\
def run(self, jobs):
    """Run them."""
    for job in jobs:
        state = job.state()
        if state:
            self.restart_all(job)
    return jobs'''


@pytest.mark.parametrize(
    ("words", "line", "above"),
    [
        (
            'log.debug the job right before it triggers restarting: "%s stopped"',
            'log.debug("%s stopped", job)',
            "self.res",
        ),
        ("print the state before the if", "print(state)", "if state"),
        ('log "state: {state}" as a warning above the if', 'logger.warning(f"state: {state}")', "if state"),
        ('info "all done" after the loop', 'logger.info("all done")', "return"),
        ('print "%s %s" of job and state after the state is set', None, ""),
        ("go(job) at the top of the loop", "go(job)", "state ="),
        ("as the first thing in the method call self.check()", "self.check()", "for job"),
    ],
)
def test_a_line_told_nearly_comes_where_it_is_told(words: str, line: str | None, above: str) -> None:
    rows = JOBS.split("\n")
    at = next(row for row, text in enumerate(rows) if text.lstrip().startswith(above))
    indent = " " * (len(rows[at]) - len(rows[at].lstrip()))
    wanted = [] if line is None else ["\n".join([*rows[:at], indent + line, *rows[at:]])]
    assert results("insert_line", JOBS, words) == wanted


def test_the_lines_selected_tell_the_place_where_nothing_else_does() -> None:
    below = STEPS.replace("ready:\n", "ready:\n        stop(1)\n")
    assert results("insert_line", STEPS, "add stop(1) before this", (3, 3)) == [below]
    assert results("insert_line", STEPS, "add stop(1) before job.wait", (3, 3)) == []


@pytest.mark.parametrize(
    ("words", "row", "line"),
    [
        ("strip the name after the partition", 2, "    name = name.strip()"),
        ("please flush out before the return", 3, "    self.out.flush()"),
    ],
)
def test_a_verb_and_a_name_are_a_call(words: str, row: int, line: str) -> None:
    code = 'def put(self, text):\n    name, _, rest = text.partition(":")\n    self.out.write(name)\n    return rest'
    rows = code.split("\n")
    assert results("insert_line", code, words) == ["\n".join([*rows[:row], line, *rows[row:]])]


SERVE = """
def serve(self, sig, jobs):
    for job in jobs:
        try:
            job.start()
        except OSError:
            return False
        if job.kind == "http.disconnect":
            self.gone = True
    self.stack.close()
    return True
""".strip()


@pytest.mark.parametrize(
    ("instruction", "line", "above"),
    [
        (
            'OSError is swallowed, logger.debug("no luck")',
            '            logger.debug("no luck")',
            "            return False",
        ),
        ('a disconnect gets a debug log, "gone"', '            logger.debug("gone")', "    self.stack"),
        ('when the loop is through, log info "%d jobs"', '    logger.info("%d jobs", len(jobs))', "    self.stack"),
        ("self.body.close() has to come first, before the stack", "    self.body.close()", "    self.stack"),
        ("after closing the stack, forget it: self.stack = None", "    self.stack = None", "    return True"),
        (
            'debug to gen_log once it is gone: "%s", job.kind',
            '            gen_log.debug("%s", job.kind)',
            "    self.stack",
        ),
    ],
)
def test_a_line_told_goes_where_the_words_speak_of_what_is_around(instruction: str, line: str, above: str) -> None:
    wanted = SERVE.replace(f"\n{above}", f"\n{line}\n{above}", 1)
    assert wanted in results("insert_line", SERVE, instruction)


BLOCK = """
def block(name, lines, opts):
    while lines and not lines[-1]:
        lines.pop()
    return opts["sep"].join(lines).encode(name)
""".strip()


@pytest.mark.parametrize(
    ("instruction", "made"),
    [
        ("work on a copy of lines, please", "lines = list(lines)"),
        ("the caller's list gets shorter!", "lines = list(lines)"),
        ("opts is shared, copy it", "opts = dict(opts)"),
        ("name may be given as bytes, decode it", "if isinstance(name, bytes):\n        name = name.decode()"),
        ("trim the name", "name = name.strip()"),
        ("people pass a codec as name, take its __name__", 'name = getattr(name, "__name__", name)'),
    ],
)
def test_a_value_is_made_over_where_it_is_there_first(instruction: str, made: str) -> None:
    assert BLOCK.replace("    while", f"    {made}\n    while") in results("insert_line", BLOCK, instruction)


def test_a_number_is_bounded_like_it_is_already() -> None:
    code = "def head(tag):\n    level = int(tag)\n    if level > 6:\n        level = 6\n    return level"
    wanted = code.replace("    return", "    if level < 1:\n        level = 1\n    return")
    assert wanted in results("insert_line", code, "h0 is no heading. Nothing below 1")
