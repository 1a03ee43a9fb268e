import pytest

from spark_tui.editing.codemods.log_exception import LogException
from tests.editing.codemods.pairs import listed


@pytest.mark.parametrize(
    ("handler", "instruction", "after"),
    [
        ("except E:\n    pass", "", "except E:\n    logger.exception('f failed')"),
        ("except E:\n    return 1", "", "except E:\n    logger.exception('f failed')\n    return 1"),
        ("except:\n    x = 1", 'log "no luck"', "except:\n    logger.exception('no luck')\n    x = 1"),
        ("except E:\n    x = 1", "log a warning", "except E as e:\n    logger.warning('f failed: %s', e)\n    x = 1"),
        ("except E as x:\n    pass", "use log.error", "except E as x:\n    log.error('f failed: %s', x)"),
        ("except E:\n    pass", "hard to debug, log it", "except E:\n    logger.exception('f failed')"),
        ("except E:\n    # odd\n    pass", "", "except E:\n    # odd\n    logger.exception('f failed')"),
    ],
)
def test_one_clause(handler: str, instruction: str, after: str) -> None:
    head = "def f():\n  try:\n    g('')\n  "
    assert listed(LogException(), head + handler.replace("\n", "\n  "), instruction) == [
        head + after.replace("\n", "\n  ")
    ]


def test_what_logs_already_is_left_and_tells_the_name() -> None:
    before = "try:\n    f()\nexcept A:\n    LOG.error(1)\nexcept B:\n    pass"
    assert listed(LogException(), before) == [before.replace("pass", 'LOG.exception("Unexpected error")')]
