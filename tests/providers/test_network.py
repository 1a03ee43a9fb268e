"""Proxies and certificates of the environment: which variable is told to be wrong."""

from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from spark_tui.config import Endpoint
from spark_tui.errors import SparkError, Transient, UsageError
from spark_tui.providers.openai_client import ChatReply, Server, is_here
from tests.providers.scripted_server import running, says, serving

ASKED = [{"role": "user", "content": "say a"}]
FAR = Endpoint("big", "http://models.example.org/v1", "m")


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)


def failure(reply: ChatReply) -> SparkError:
    with pytest.raises(SparkError) as caught:
        list(reply)
    return caught.value


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        (
            "ALL_PROXY",
            "socks://127.0.0.1:7891/",
            "$ALL_PROXY is socks://127.0.0.1:7891/, which is no proxy",
        ),
        ("https_proxy", "ftp://h:1", "$https_proxy is ftp://h:1, which is no proxy"),
        ("SSL_CERT_FILE", "/not/there", "$SSL_CERT_FILE is /not/there (No such file or directory)"),
        ("HTTP_PROXY", "http://h:port", "$HTTP_PROXY is http://h:port, which is no address"),
    ],
)
def test_a_setting_of_the_network_that_cannot_be_used_is_told_with_its_variable_and_value(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, words: str
) -> None:
    monkeypatch.setenv(variable, value)
    with closing(Server(FAR)) as server:
        error = failure(server.ask(ASKED))
        assert isinstance(error, UsageError)
        assert f"big cannot be asked: {words}" in str(error)
        assert "unset it" in str(error)


def test_a_file_without_certificates_is_told(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    path = tmp_path / "ca.pem"
    path.write_text("none\n")
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    with closing(Server(FAR)) as server:
        assert f"$SSL_CERT_FILE is {path}" in str(failure(server.ask(ASKED)))


def test_a_password_of_a_proxy_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks://user:hunter2@127.0.0.1:7891")
    with closing(Server(FAR)) as server:
        words = str(failure(server.ask(ASKED)))
    assert "socks://127.0.0.1:7891" in words
    assert "hunter2" not in words


def test_warming_with_a_wrong_setting_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks://127.0.0.1:7891")
    with closing(Server(FAR)) as server:
        warming = server.warm()
        assert warming is not None
        assert warming.result(20) is None


def test_a_proxy_that_does_not_run_is_told_and_not_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving(says("a")) as gone:
        address = gone.base_url.removesuffix("/v1")
    monkeypatch.setenv("all_proxy", address)
    with closing(Server(FAR)) as server:
        error = failure(server.ask(ASKED))
    assert isinstance(error, Transient)
    assert str(error) == (
        f"big cannot be reached through the proxy of $all_proxy, {address} (Connection "
        f"refused); is the proxy running?"
    )


class _Proxy(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.send_error(502)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "localhost"])
def test_what_is_on_this_machine_is_asked_past_any_proxy(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    with (
        running(ThreadingHTTPServer(("127.0.0.1", 0), _Proxy)) as proxy,
        serving(says("a")) as local,
    ):
        monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{proxy.server_address[1]}")
        url = local.base_url.replace("127.0.0.1", host)
        with closing(Server(Endpoint("big", url, "m"))) as server:
            assert "".join(str(piece) for piece in server.ask(ASKED) if piece) == "a"


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("localhost", True),
        ("spark.localhost", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("0.0.0.0", True),
        ("::", True),
        ("10.0.0.1", False),
        ("localhost.example.org", False),
        ("127.0.0.1.example.org", False),
    ],
)
def test_the_addresses_of_this_machine(host: str, here: bool) -> None:
    assert is_here(host) is here
