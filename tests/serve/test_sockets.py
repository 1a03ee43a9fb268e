"""The socket: for the user alone, one server at a time, and nothing of others is taken away."""

import os
import socket
import stat
from pathlib import Path

import pytest

from spark_tui.errors import FileError, SparkError, Transient, UsageError
from spark_tui.providers.serve_socket import is_ours, socket_path
from spark_tui.serve.sockets import bound_socket, loopback_socket
from tests.serve.conftest import StartServer


def mode_of(path: Path) -> int:
    """The permissions of a path."""
    return stat.S_IMODE(path.stat().st_mode)


def test_the_socket_and_its_folder_are_the_user_s_alone(socket_place: Path) -> None:
    with bound_socket(socket_place):
        assert is_ours(socket_place)
        assert mode_of(socket_place) == 0o600
        assert mode_of(socket_place.parent) == 0o700
    assert not socket_place.exists()


def test_the_socket_of_a_killed_server_is_replaced(socket_place: Path) -> None:
    socket_place.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(socket_place))
    with bound_socket(socket_place):
        assert is_ours(socket_place)


def test_a_second_server_says_that_one_runs(
    start_scripted: StartServer, socket_place: Path
) -> None:
    server = start_scripted({})
    with pytest.raises(Transient, match="--stop"):
        start_scripted({})
    assert server.get("/health").json()["status"] == "ok"


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_what_is_no_socket_stays(socket_place: Path, kind: str) -> None:
    socket_place.parent.mkdir(mode=0o700)
    if kind == "file":
        socket_place.write_text("mine")
    elif kind == "folder":
        socket_place.mkdir()
    else:
        socket_place.symlink_to("/dev/null")
    with pytest.raises(FileError, match="no socket of yours"), bound_socket(socket_place):
        pass
    assert os.path.lexists(socket_place)


def test_a_folder_that_others_can_write_to_is_refused(socket_place: Path) -> None:
    socket_place.parent.mkdir()
    socket_place.parent.chmod(0o777)
    with pytest.raises(FileError, match="others can write"), bound_socket(socket_place):
        pass
    assert not os.path.lexists(socket_place)


def test_a_path_that_is_too_long_says_what_to_set(tmp_path: Path) -> None:
    place = tmp_path / ("x" * 120) / "spark.sock"
    with pytest.raises(UsageError, match="SPARK_SERVE"), bound_socket(place):
        pass


def test_a_port_that_is_taken_is_refused() -> None:
    with loopback_socket(0) as first:
        assert first.getsockname()[0] == "127.0.0.1"
        first.listen()
        with pytest.raises(SparkError, match="cannot listen"):
            loopback_socket(first.getsockname()[1])


def test_the_variable_names_another_socket_or_none(tmp_path: Path) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    assert socket_path(state) == tmp_path / "spark" / "serve" / "spark.sock"
    assert socket_path({**state, "SPARK_SERVE": "/x/y.sock"}) == Path("/x/y.sock")
    assert socket_path({**state, "SPARK_SERVE": ""}) is None
