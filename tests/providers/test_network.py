"""Proxies and certificates of the environment: which variable is told to be wrong."""

import ssl
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from spark_tui.config import Endpoint
from spark_tui.errors import SparkError, Transient, UsageError
from spark_tui.providers.openai_client import Server
from spark_tui.providers.openai_reply import ChatReply
from spark_tui.providers.proxies import is_here
from tests.providers.scripted_server import ScriptedServer, running, says, serving

ASKED = [{"role": "user", "content": "say a"}]
CERTIFICATE = Path(__file__).parent / "fixtures" / "loopback.pem"
"""A self-signed certificate for localhost and 127.0.0.1, with its key; valid until 2126."""
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


@contextmanager
def serving_tls() -> Iterator[int]:
    """Serve an answer behind the test's certificate; yield the port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    server = ScriptedServer([says("a")])
    server.socket = context.wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    with running(server):
        yield server.server_address[1]


def test_kind_16_a_certificate_that_nobody_trusts_is_told_with_the_remedy() -> None:
    with serving_tls() as port:
        endpoint = Endpoint("big", f"https://127.0.0.1:{port}/v1", "m")
        with closing(Server(endpoint)) as server:
            error = failure(server.ask(ASKED))
            with pytest.raises(UsageError) as probed:
                server.probe()
    assert isinstance(error, UsageError)
    words = str(error)
    place = f"big cannot be reached at 127.0.0.1:{port}"
    assert words.startswith(f"{place}: its certificate is not trusted: ")
    assert words.endswith("; set SSL_CERT_FILE to the file of your CA")
    assert str(probed.value) == words


def test_kind_16_a_certificate_of_another_host_is_told_to_need_another_base_url(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with serving_tls() as port:
        endpoint = Endpoint("big", f"https://0.0.0.0:{port}/v1", "m")
        with closing(Server(endpoint)) as server:
            words = str(failure(server.ask(ASKED)))
    assert "its certificate is not trusted: IP address mismatch" in words
    assert words.endswith("; write the name that the certificate has into base_url")
    assert "SSL_CERT_FILE" not in words


def test_kind_16_a_server_without_tls_is_told_by_the_words_of_the_tls_error() -> None:
    with serving(says("a")) as plain:
        url = plain.base_url.replace("http:", "https:")
        with closing(Server(Endpoint("big", url, "m"))) as server:
            words = str(failure(server.ask(ASKED)))
    assert "TLS failed with " in words
    assert "not permitted" not in words
    assert words.endswith("; see base_url of [models.big] in config.toml")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_kind_16_the_certificates_of_the_environment_hold_on_this_machine_and_its_proxies_do_not(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    with serving_tls() as port:
        endpoint = Endpoint("big", f"https://{host}:{port}/v1", "m")
        with closing(Server(endpoint)) as server:
            assert "".join(str(piece) for piece in server.ask(ASKED) if piece) == "a"


def test_kind_16_a_missing_certificate_file_is_told_with_its_variable_on_this_machine_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/not/there")
    with closing(Server(Endpoint("big", "https://127.0.0.1:1/v1", "m"))) as server:
        words = str(failure(server.ask(ASKED)))
    assert "big cannot be asked: $SSL_CERT_FILE is /not/there (No such file" in words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("http://127.0.0.1:99999", "no address: its port is no number from 1 to 65535"),
        ("127.0.0.1:0", "no address: its port is no number from 1 to 65535"),
        ("foo bar", "no address: it holds a space"),
        ("http://proxy.test\n:80", "no address: it holds a space"),
        ("http://[::1", "no address;"),
        ("http://", "no address;"),
        (f"http://{'a' * 70}.test", "no address;"),
    ],
)
def test_kind_16_a_proxy_that_is_no_address_is_told_with_its_variable(
    monkeypatch: pytest.MonkeyPatch, value: str, words: str
) -> None:
    monkeypatch.setenv("http_proxy", value)
    with closing(Server(FAR)) as server:
        error = failure(server.ask(ASKED))
    assert isinstance(error, UsageError)
    assert f"big cannot be asked: $http_proxy is {value}, which is {words}" in str(error)


def test_kind_16_the_password_of_a_proxy_without_a_scheme_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("http_proxy", "user:hunter2@proxy.test:99999")
    with closing(Server(FAR)) as server:
        words = str(failure(server.ask(ASKED)))
    assert "$http_proxy is proxy.test:99999" in words
    assert "hunter2" not in words
