import pytest

from tests.editing.codemods.results import results

CODE = 'def load(x):\n    """Load."""\n    return x'


@pytest.mark.parametrize(
    ("before", "instruction", "line"),
    [
        (CODE, "log the entry", ['logger.debug("entering load")']),
        (CODE, 'log "got here" at info first', ['logger.info("got here")']),
        (CODE, "start with self.log.warn saying `no x`", ['self.log.warning("no x")']),
        (CODE, "a debug log when load is called", ['logger.debug("entering load")']),
        ("def f(): pass", "log the entry", []),
        ("x = 1", "log the entry", []),
    ],
)
def test_functions_log_first_that_they_were_entered(before: str, instruction: str, line: list[str]) -> None:
    head, body = before.rsplit("\n", 1) if "\n" in before else (before, "")
    wanted = [f"{head}\n    {one}\n{body}" for one in line]
    found = results("log_entry", before, instruction)
    assert [one for one in found if one in wanted] == wanted
    assert bool(found) == bool(line)


def test_the_logger_and_the_function_can_be_told_by_the_region() -> None:
    region = "def load_it():\n    LOG.info(1)\n\ndef save_it():\n    go()"
    found = results("log_entry", region, "log when save_it is called")
    assert region.replace("    go", '    LOG.debug("entering save_it")\n    go') in found
    assert not any("entering load_it" in one for one in found)
