"""Clients that mean harm: nothing is read, nothing is written, and nobody else waits for them."""

import json
import socket
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx2
import pytest

from spark_tui.serve import guard
from spark_tui.serve import server as serving
from spark_tui.serve.turn_order import Limits
from tests.fakes import edit_script, git, make_repo
from tests.serve.conftest import KEY, Server, StartServer, raw

AREA = "def area(w, h):\n    return w + h\n"
SCRIPTS = {"multiply": edit_script(AREA, AREA.replace("+", "*"))}
ASK = {"model": "model", "prompt": "x", "max_tokens": 1}


@pytest.fixture
def server(start_scripted: StartServer) -> Server:
    """A server with a port."""
    return start_scripted(SCRIPTS, port=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with a secret beside it."""
    (tmp_path / "secret.py").write_text(AREA)
    return make_repo(tmp_path / "repo", {"a.py": AREA})


def port_of(server: Server) -> int:
    """The number of a server's port."""
    return int(server.url.rpartition(":")[2].removesuffix("/v1"))


def status_of(answer: bytes) -> int:
    """The status of an answer."""
    return int(answer.split()[1])


def request(port: int, *headers: str, place: str = "/v1/models") -> bytes:
    """A request with exactly these headers, and the key."""
    lines = [f"GET {place} HTTP/1.1", *headers, f"Authorization: Bearer {KEY}", "Connection: close"]
    return "\r\n".join([*lines, "", ""]).encode()


def test_the_port_opens_to_its_key_alone(server: Server) -> None:
    for header in ("", f"Bearer {KEY}x", f"Basic {KEY}", f"bearer {KEY}", "Bearer", KEY):
        answer = httpx2.get(f"{server.url}/models", headers={"Authorization": header})
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] == "invalid_api_key"
        assert KEY not in answer.text
    root = server.url.removesuffix("/v1")
    for place in ("/metrics", "/stop", "/v1/edits", "/nothing", "/health/", "/health/x"):
        assert httpx2.get(root + place).status_code == 401
    answer = httpx2.get(f"{server.url}/models", headers={"Authorization": f"Bearer {KEY}"})
    assert answer.status_code == 200


def test_a_health_check_needs_no_key_and_learns_nothing(server: Server) -> None:
    address = server.url.removesuffix("/v1") + "/health"
    answer = httpx2.get(address)
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert httpx2.get(address, headers={"Authorization": "Bearer no"}).status_code == 401
    assert httpx2.get(address, headers={"Origin": "https://evil.example"}).status_code == 403
    assert httpx2.get(address, headers={"Host": "evil.example"}).status_code == 421
    assert "engine" in httpx2.get(address, headers={"Authorization": f"Bearer {KEY}"}).json()


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "", "0.0.0.0"])
def test_a_name_that_is_not_the_port_s_own_is_refused(server: Server, host: str) -> None:
    port = port_of(server)
    answer = raw(port, request(port, f"Host: {host}"))
    assert status_of(answer) in {400, 421}
    assert b"spark" not in answer.partition(b"\r\n\r\n")[2].replace(b"spark.sock", b"")


def test_a_second_host_is_refused(server: Server) -> None:
    port = port_of(server)
    own = f"Host: 127.0.0.1:{port}"
    assert status_of(raw(port, request(port, own))) == 200
    assert status_of(raw(port, request(port, own, "Host: evil.example"))) == 400
    assert status_of(raw(port, request(port))) == 400


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:8000"])
def test_a_page_in_a_browser_is_refused_whatever_it_sends(server: Server, origin: str) -> None:
    keyed = {"Authorization": f"Bearer {KEY}", "Origin": origin}
    answers = [
        httpx2.get(f"{server.url}/models", headers=keyed),
        httpx2.post(f"{server.url}/completions", json=ASK, headers=keyed),
        httpx2.request("OPTIONS", f"{server.url}/completions", headers=keyed),
        server.post("/v1/completions", ASK, Origin=origin),
    ]
    for answer in answers:
        assert answer.status_code == 403
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_edits_of_folders_are_not_served_on_the_port(server: Server, repo: Path) -> None:
    keyed = {"Authorization": f"Bearer {KEY}"}
    body = {"repository": str(repo), "instruction": "multiply", "at": "a.py"}
    for place in ("/edits", "/engine/begin"):
        answer = httpx2.post(server.url + place, json=body, headers=keyed)
        assert answer.status_code in {403, 404}
    root = server.url.removesuffix("/v1")
    assert httpx2.post(f"{root}/stop", headers=keyed).status_code == 404


@pytest.mark.parametrize(
    "path",
    ["../secret.py", "/etc/passwd", ".git/config", "a.py/../../secret.py", "link.py", "\0", "gone"],
)
def test_no_file_outside_of_the_repository_is_read(server: Server, repo: Path, path: str) -> None:
    (repo / "link.py").symlink_to(repo.parent / "secret.py")
    before = git(repo, "status", "--porcelain")
    for place in ({"at": path}, {"file": [path]}):
        body = {"repository": str(repo), "instruction": "multiply", **place}
        answer = server.post("/v1/edits", body)
        assert answer.status_code in {400, 500}, answer.text
        assert "patch" not in answer.json()
        assert "w + h" not in answer.text
    assert git(repo, "status", "--porcelain") == before


@pytest.mark.parametrize("folder", ["", "repo", "/nowhere", "\0", "/", 3, None])
def test_what_is_no_repository_is_refused(server: Server, folder: object) -> None:
    answer = server.post("/v1/edits", {"repository": folder, "instruction": "multiply"})
    assert answer.status_code in {400, 500}
    assert set(answer.json()) == {"error"}


def test_a_request_that_is_too_long_is_refused_before_it_is_read(server: Server) -> None:
    head = f"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {1 << 30}\r\n\r\n"
    answer = raw(server.path, head.encode())
    assert status_of(answer) == 413
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"] == "too_long"


def test_a_request_that_does_not_say_how_long_it_is_ends_at_the_bound(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "MOST_BODY_BYTES", 1000)
    head = b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = raw(server.path, head + b"64\r\n" + b"a" * 100 + b"\r\n" + b"5dc\r\n" + b"b" * 1500)
    assert status_of(answer) == 413


def test_a_client_that_asks_too_often_has_nothing_cut_into_tokens(
    start_scripted: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = start_scripted(SCRIPTS, limits=Limits(per_second=0.01, burst=1))
    tokenizer = server.service.engines.loaded.tokenizer
    encode = tokenizer.encode
    prompts: list[str] = []

    def noted(text: str) -> list[int]:
        prompts.append(text)
        return encode(text)

    monkeypatch.setattr(tokenizer, "encode", noted)
    statuses = [server.post("/v1/completions", ASK).status_code for _ in range(3)]
    assert statuses == [200, 429, 429]
    assert prompts == [ASK["prompt"]]


def test_a_prompt_that_is_refused_leaves_its_place_in_the_queue(
    start_scripted: StartServer,
) -> None:
    server = start_scripted(SCRIPTS, limits=Limits(of_client=1))
    for _ in range(3):
        assert server.post("/v1/completions", {**ASK, "prompt": ""}).status_code == 400
    assert server.post("/v1/completions", ASK).status_code == 200


def test_a_head_without_end_is_refused(server: Server) -> None:
    head = b"GET /health HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 100_000
    assert status_of(raw(server.path, head)) == 400


def test_bytes_that_never_come_are_not_waited_for(
    start_scripted: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "HEADER_SECONDS", 0.05)
    monkeypatch.setattr(serving, "BODY_SECONDS", 0.05)
    server = start_scripted(SCRIPTS)
    with socket.socket(socket.AF_UNIX) as silent, socket.socket(socket.AF_UNIX) as half:
        silent.connect(str(server.path))
        half.connect(str(server.path))
        half.sendall(b"GET /health HTTP/1.1\r\nHo")
        assert silent.recv(100) == half.recv(100) == b""
    with socket.socket(socket.AF_UNIX) as slow:
        slow.connect(str(server.path))
        slow.sendall(b"POST /v1/edits HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
        assert status_of(slow.recv(1000)) == 408
    assert server.get("/health").status_code == 200


@pytest.mark.parametrize("name", ["x" * 1000, "made up", "é", '"} made-up', "../x"])
def test_a_name_that_a_client_makes_up_is_counted_nowhere(server: Server, name: str) -> None:
    headers = [(b"X-Spark-Client", name.encode())]
    place = "/v1/completions"
    assert server.client.post(place, json=ASK, headers=headers).status_code == 200
    server.client.get(f"/{name}")
    assert name not in server.get("/metrics").text


def test_calls_of_another_version_fail_alone(server: Server) -> None:
    bodies: list[object] = [{}, {"ask": 3}, {"ask": {}, "calls": []}, {"request": {"path": 1}}]
    for body in bodies:
        for call in ("begin", "write", "score", "likelihoods", "prompt", "room", "talk", "ahead"):
            answer = server.post(f"/v1/engine/{call}", body)
            assert answer.status_code == 200
            assert '"error"' in answer.text.splitlines()[-1] or '"end"' in answer.text
    assert server.post("/v1/completions", ASK).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ("Content-Length: 8000000", 401),
        ("Transfer-Encoding: chunked", 401),
        ("Content-Length: 8000000\r\nAuthorization: Bearer wrong", 401),
        ("Content-Length: 8000000\r\nOrigin: https://evil.example", 403),
        ("Content-Length: 8000000\r\nHost: evil.example", 400),
        (f"Content-Length: 90000000\r\nAuthorization: Bearer {KEY}", 413),
        ("Content-Length: 8000000\r\nExpect: 100-continue", 401),
    ],
)
def test_whoever_is_refused_is_hung_up_on_whatever_it_goes_on_to_send(
    server: Server, headers: str, status: int
) -> None:
    port = port_of(server)
    head = f"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}\r\n\r\n"
    answer = raw(port, head.encode())  # which returns once the server has hung up
    assert status_of(answer) == status
    assert b"connection: close" in answer.lower()


def test_clients_of_the_port_take_no_place_from_those_of_the_socket(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "MOST_CONNECTIONS", 8)
    port = port_of(server)
    head = f"POST /v1/models HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-Half: "
    with ExitStack() as opened:
        held = []
        for _ in range(32):
            client = opened.enter_context(socket.create_connection(("127.0.0.1", port)))
            held.append(client)
            with suppress(OSError):
                client.sendall(head.encode())
        assert server.get("/health").status_code == 200
        ended = 0
        for client in held[8:]:
            with suppress(OSError):
                ended += client.recv(1) == b""
                continue
            ended += 1
        assert ended == 24
    keyed = {"Authorization": f"Bearer {KEY}"}
    until_answered(lambda: httpx2.get(f"{server.url}/models", headers=keyed).status_code == 200)


def until_answered(asks: Callable[[], bool]) -> None:
    """Ask until the server has noticed that the others are gone."""
    while True:
        with suppress(httpx2.TransportError):
            assert asks()
            return
