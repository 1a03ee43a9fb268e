"""Whatever people ask about whatever code, every codemod lists edits that apply, or none."""

import pytest

from spark_tui.editing.codemods.base import MOST_EDITS, Request, applied
from spark_tui.editing.codemods.registry import codemods
from spark_tui.editing.snippet import Snippet
from spark_tui.training.examples import Group
from spark_tui.training.written import wished

REQUESTS = wished()


@pytest.mark.parametrize("groups", [REQUESTS[::150], pytest.param(REQUESTS, marks=pytest.mark.exhaustive)])
def test_no_codemod_stumbles_over_a_request(groups: tuple[Group, ...]) -> None:
    for group in groups:
        before = Snippet(group.before)
        for one in group.examples:
            request = Request(one.instruction, one.selected)
            for codemod in codemods().values():
                edits = list(codemod.edits(before, request) or ())
                assert all(applied(before, ops) for ops in edits[:MOST_EDITS]), (codemod.kind, one.instruction)
