"""A stand-in for the model hub on loopback: it serves one file, and can break off, be damaged
or refuse.
"""

import hashlib
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.providers.scripted_server import running


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Hub"

    def do_HEAD(self) -> None:
        self._head()

    def do_GET(self) -> None:
        start = self._head()
        if start is None:
            return
        body = self.server.served[start:]
        if self.server.breaks_off:
            self.server.breaks_off, body = False, body[: len(body) // 2]
            self.close_connection = True
        self.wfile.write(body)

    def _head(self) -> int | None:
        hub = self.server
        known = "/resolve/" in self.path  # its client also asks for things that are none of ours
        if known:
            hub.asked.append((self.command, self.path, self.headers.get("Range", "")))
        if hub.status != 200 or not known:
            self.send_response(hub.status if known else 404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return None
        start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").split("-")[0])
        start = start if self.command == "GET" else 0
        self.send_response(206 if start else 200)
        sent = {"X-Repo-Commit": "a" * 40, "ETag": f'"{hub.digest}"', "Accept-Ranges": "bytes"}
        sent |= {"Content-Length": str(len(hub.served) - start)}
        sent |= (
            {"Content-Range": f"bytes {start}-{len(hub.served) - 1}/{len(hub.served)}"}
            if start
            else {}
        )
        for name, value in sent.items():
            self.send_header(name, value)
        self.end_headers()
        return start

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Hub(ThreadingHTTPServer):
    """Args:
    file: What it serves. `asked`: method, path and range of every request.
    """

    daemon_threads = True

    def __init__(self, file: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.served, self.digest = file, hashlib.sha256(file).hexdigest()
        self.breaks_off, self.status = False, 200
        self.asked: list[tuple[str, str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that are gone."""


def hub_with(file: bytes) -> AbstractContextManager[Hub]:
    """Such a hub, running."""
    return running(Hub(file))
