"""A running language server: it is shown versions of files, and tells the errors in them.

A server with pull diagnostics is asked; any other publishes by itself, and is waited for.

Source: Language Server Protocol 3.17.
"""

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spark_tui.session.language_servers.catalog import ServerKind, environment_for
from spark_tui.session.language_servers.connection import Connection, Lost
from spark_tui.session.language_servers.diagnostics import TypeFault, read_faults

_START_SECONDS = 60.0  # for the answer to `initialize`
ANSWER_SECONDS = 60.0
"""How long a server may take for one version before it is given up; no user waits that long."""
_QUIET_SECONDS = 0.5
"""How long a server that does not name versions must be quiet after what it published."""
_CAPABILITIES = {
    # Only the lines of diagnostics are read, so the unit of columns does not matter.
    "general": {"positionEncodings": ["utf-8", "utf-16"]},
    "textDocument": {
        "synchronization": {},
        "publishDiagnostics": {"versionSupport": True},
        "diagnostic": {"dynamicRegistration": False},
    },
    # A server that may ask for its settings takes the answer, which is none, for all of them.
    "workspace": {"configuration": False, "didChangeWatchedFiles": {"dynamicRegistration": True}},
}
# FileChangeType of the protocol.
_KINDS_OF_CHANGE = {"created": 1, "changed": 2, "deleted": 3}


class LanguageServer:
    """A server that runs for one work tree. Mutable; one thread, but for `wake` and `kill`.

    Args:
        kind: Which server this is.
        program: The path of its program.
        root: The work tree.

    Raises:
        Lost: The program does not start.
    """

    def __init__(self, kind: ServerKind, program: str, root: Path) -> None:
        self.kind = kind
        self._root = root
        self._versions: dict[str, int] = {}
        self._texts: dict[str, str] = {}
        self._pulls = False
        self._connection = Connection([program, *kind.arguments], environment_for(kind, root))

    def initialize(self) -> None:
        """Agree on what the server does, before anything else is asked.

        Raises:
            Lost: The server is too old, or gives no answer.
            Refused: The server answers with an error.
        """
        uri = self._root.as_uri()
        result = self._connection.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": uri,
                "workspaceFolders": [{"uri": uri, "name": self._root.name}],
                "initializationOptions": dict(self.kind.options),
                "capabilities": _CAPABILITIES,
            },
            _START_SECONDS,
        )
        answer: Mapping[str, Any] = result if isinstance(result, dict) else {}
        if _version_of(answer) < self.kind.least_version:
            raise Lost(f"{self.kind.program} is too old")
        capabilities = answer.get("capabilities")
        if isinstance(capabilities, dict):
            self._pulls = isinstance(capabilities.get("diagnosticProvider"), dict)
        self._connection.notify("initialized", {})

    def show(self, path: str, text: str) -> None:
        """Show the server a text in place of what a file holds on disk.

        Args:
            path: The file, relative to the work tree; there may be none on disk.

        Raises:
            Lost: The server has ended.
        """
        if self._texts.get(path) == text:
            return
        uri = self._uri(path)
        # What was published is about the text before.
        self._connection.published.pop(uri, None)
        self._connection.watched.add(uri)
        version = self._versions.get(path, 0) + 1
        document: dict[str, Any] = {"uri": uri, "version": version}
        if path in self._texts:
            params = {"textDocument": document, "contentChanges": [{"text": text}]}
            self._connection.notify("textDocument/didChange", params)
        else:
            document["languageId"] = self.kind.languages[Path(path).suffix]
            document["text"] = text
            self._connection.notify("textDocument/didOpen", {"textDocument": document})
        self._versions[path] = version
        self._texts[path] = text

    def faults(self, path: str) -> tuple[TypeFault, ...]:
        """The errors of a file, in the text that is shown.

        Raises:
            Lost: There is no answer.
            Refused: The server answers with an error.
        """
        items = self._pull(path) if self._pulls else self._await(path)
        return read_faults(items, self._texts[path].count("\n") + 1, self.kind.unheeded)

    def _uri(self, path: str) -> str:
        return (self._root / path).as_uri()

    def _pull(self, path: str) -> Any:
        params = {"textDocument": {"uri": self._uri(path)}}
        report = self._connection.request("textDocument/diagnostic", params, ANSWER_SECONDS)
        if isinstance(report, dict):
            return report.get("items")
        return None

    def _await(self, path: str) -> Any:
        """Wait until the server published what it finds in the version shown.

        Raises:
            Lost: Nothing comes.
        """
        uri = self._uri(path)
        end = time.monotonic() + ANSWER_SECONDS
        while (left := end - time.monotonic()) > 0:
            known = self._connection.published.get(uri)
            if known is None:
                self._connection.receive(left)
                continue
            version, items = known
            # A server that names versions is done once it names this one. Any other may still
            # publish for the text before: its last word counts after a moment of quiet.
            if version == self._versions[path]:
                return items
            self._connection.receive(min(left, _QUIET_SECONDS))
            if version is None and self._connection.published.get(uri) is known:
                return items
        raise Lost(f"no diagnostics within {ANSWER_SECONDS:.0f} s")

    def close_others(self, paths: Sequence[str]) -> None:
        """Close all files but these, so that their text on disk counts again."""
        for path in self._texts.keys() - set(paths):
            uri = self._uri(path)
            self._connection.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            self._connection.watched.discard(uri)
            self._connection.published.pop(uri, None)
            del self._texts[path]

    def tell_changes(self, changes: Mapping[str, str]) -> None:
        """Tell the server which files changed on disk.

        Args:
            changes: "created", "changed" or "deleted", by path.
        """
        events = []
        for path, what in changes.items():
            events.append({"uri": self._uri(path), "type": _KINDS_OF_CHANGE[what]})
        if events:
            self._connection.notify("workspace/didChangeWatchedFiles", {"changes": events})

    def listen(self, seconds: float) -> None:
        """Let the server read and write while nothing is asked; `wake` ends that.

        Raises:
            Lost: The server has ended.
        """
        self._connection.receive(seconds)

    def wake(self) -> None:
        """End `listen`, from any thread."""
        self._connection.wake()

    def kill(self) -> None:
        """End the server while it may be asked, from any thread; `close` is to follow."""
        self._connection.kill()

    def close(self) -> None:
        """End the server."""
        self._connection.close()


def _version_of(answer: Mapping[str, Any]) -> tuple[int, ...]:
    """The version that a server says it has; () where it says none."""
    match answer.get("serverInfo"):
        case {"version": str(version)}:
            parts = version.split()[0].split(".") if version.strip() else []
            return tuple(int(part) for part in parts if part.isdigit())
    return ()
