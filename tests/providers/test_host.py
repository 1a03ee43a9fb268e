"""What answers the next turn: the model of this process, a chat model in its place, or an
endpoint; and back again.
"""

from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from spark_tui.config import Endpoint
from spark_tui.errors import UsageError
from spark_tui.providers.base import Ability
from spark_tui.providers.chat_model import Rewriter
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_provider import Remote
from spark_tui.providers.registry import Models, ProviderHost
from spark_tui.providers.spark_model import SparkModel
from tests.fakes import scripted
from tests.providers.chat_models import chat_model

BIG = Endpoint("big", "http://127.0.0.1:9/v1", "m", context=9000)


def test_a_model_that_was_taught_quotes_and_any_other_one_rewrites(tmp_path: Path) -> None:
    assert isinstance(ProviderHost(scripted(tmp_path / "taught", {})).answerer, SparkModel)
    assert isinstance(ProviderHost(chat_model(tmp_path / "chat", {})).answerer, Rewriter)


@pytest.mark.parametrize(
    ("chosen", "known", "blocks"),
    [
        ("auto", "auto", False),
        ("auto", "search_replace", True),
        ("rewrite", "search_replace", False),
        ("search_replace", "rewrite", True),
    ],
)
def test_a_chat_model_answers_as_is_set_or_known_of_it(
    tmp_path: Path,
    chosen: str,
    known: str,
    blocks: bool,
) -> None:
    loaded = chat_model(tmp_path / "chat", {})
    models = Models(format=chosen, formats={loaded.name: known})
    answerer = ProviderHost(loaded, writes_blocks=models.writes_blocks).answerer
    assert (Ability.FILES in answerer.can) is blocks


def test_the_size_of_a_model_decides_where_nothing_else_does(tmp_path: Path) -> None:
    small = chat_model(tmp_path / "chat", {})
    large = replace(small.config, hidden_size=8192, intermediate_size=28672, n_layers=40)
    assert not Models().writes_blocks(small)
    assert Models().writes_blocks(replace(small, config=large))


def test_an_endpoint_takes_over_with_the_next_turn_and_the_model_again_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = scripted(tmp_path / "own", {})
    host, models = ProviderHost(own), Models(endpoints={"big": BIG})
    host.change("big", models)
    assert (host.name, host.in_use) == ("big", own.name)
    assert isinstance(host.answerer, SparkModel)
    assert isinstance(host.ready(), Remote)
    assert (host.in_use, host.context, host.loaded.path) == ("big", 9000, own.path)
    monkeypatch.setattr("spark_tui.engine.loader.load", lambda *_: replace(own))
    monkeypatch.setattr("spark_tui.engine.loader.find_model", lambda _: own.path)
    host.change(own.name, models)
    assert isinstance(host.ready(), SparkModel)
    assert (host.name, host.in_use) == (own.name, own.name)


def test_the_model_that_stands_by_an_endpoint_is_loaded_only_when_it_is_asked_for(
    tmp_path: Path,
) -> None:
    load = Mock(return_value=scripted(tmp_path, {}))
    host = ProviderHost(load, Remote(Server(BIG)))
    with host.on_failure(pytest.fail):
        assert (host.name, host.in_use, host.context, isinstance(host.ready(), Remote)) == (
            "big",
            "big",
            9000,
            True,
        )
    load.assert_not_called()
    assert [host.loaded.path, host.loaded.path, load.call_count] == [tmp_path, tmp_path, 1]
    host.close()


def test_a_name_that_is_neither_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    host = ProviderHost(scripted(tmp_path / "own", {}))
    with pytest.raises(UsageError, match="no model 'bigg'"):
        host.change("bigg", Models(endpoints={"big": BIG}))
    assert isinstance(host.ready(), SparkModel)
