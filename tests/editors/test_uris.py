"""The places that editors name."""

import pytest

from spark_tui.editors.uris import Target, read_uri


@pytest.mark.parametrize(
    ("uri", "target"),
    [
        ("file:///p/a.py", Target("/p/a.py")),
        ("file://localhost/p/a%20b.py", Target("/p/a b.py")),
        ("file:///p/a.py#L10:20", Target("/p/a.py", (10, 20))),
        ("file:///p/a.py#L10-20", Target("/p/a.py", (10, 20))),
        ("file:///p/a.py#L10-L20", Target("/p/a.py", (10, 20))),
        ("file:///p/a.py#10:20", Target("/p/a.py", (10, 20))),
        ("file:///p/a.py#L10", Target("/p/a.py", (10, 10))),
        ("file:///p/a.py#L10,5-L12,1", Target("/p/a.py", (10, 12))),
        ("file:///p/a.py#L10C5-L12C1", Target("/p/a.py", (10, 12))),
        ("file:///p/a.py?column=3#L10:20", Target("/p/a.py", (10, 20))),
        ("file:///p/a.py?symbol=A.load#L10:20", Target("/p/a.py", (10, 20), "A.load")),
        ("file:///p/a.py#load", Target("/p/a.py")),
        ("file:///p/a.py#L20:10", Target("/p/a.py")),
        ("file:///p/a.py#L0", Target("/p/a.py")),
        ("file:///p/", Target("/p/", is_folder=True)),
        ("zed:///agent/selection?path=/p/a.py#L3:4", Target("/p/a.py", (3, 4))),
        ("zed:///agent/symbol/load?path=/p/a.py#L3:4", Target("/p/a.py", (3, 4), "load")),
        ("zed:///agent/file?path=/p/a.py", Target("/p/a.py")),
        ("zed:///agent/directory?path=/p", Target("/p", is_folder=True)),
        ("zed:///agent/untitled-buffer#L1:2", None),
        ("zed:///agent/selection?path=a.py#L3:4", None),
        ("/p/a.py", Target("/p/a.py")),
        ("/p/a.py:10", Target("/p/a.py", (10, 10))),
        ("/p/a.py:10:3", Target("/p/a.py", (10, 10))),
        ("/p/a.py:10-20", Target("/p/a.py", (10, 20))),
        ("/p/a.py#L3-4", Target("/p/a.py", (3, 4))),
        ("file://other/p/a.py", None),
        ("https://example.org/p/a.py", None),
        ("file://[::", None),
        ("a.py", None),
        ("", None),
    ],
)
def test_a_uri_leads_to_a_file_and_lines(uri: str, target: Target | None) -> None:
    assert read_uri(uri) == target
