import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_tui.editing import syntax
from spark_tui.editing.checks import Check, run_checks
from spark_tui.editing.syntax import grammar_of, language_of
from spark_tui.editing.text import Text
from spark_tui.errors import NotText

TABLE = [
    (
        "a.js",
        "function f(x) {\n  return x;\n}\n",
        "function f(x) {\n  return x;\n",
        "line 2: `}` is missing",
    ),
    (
        "a.jsx",
        "const a = <p>{b}</p>;\n",
        "const a = <p>{b</p>;\n",
        "line 1: not JavaScript: const a = <p>{b</p>;",
    ),
    ("a.ts", "let a: number = 1;\n", "let a: = 1;\n", "line 1: not TypeScript: let a: = 1;"),
    ("a.tsx", "const a = (b: T) => <p>{b}</p>;\n", "const a = (b: T) => <p>{b}</q;\n", None),
    (
        "a.go",
        "package a\n\nfunc f() {\n\tg(1)\n}\n",
        "package a\n\nfunc f() {\n\tg(1\n}\n",
        "line 4: `)` is missing",
    ),
    (
        "a.rs",
        "fn main() {\n    let x = 1;\n}\n",
        "fn main() {\n    let x = ;\n}\n",
        "line 2: not Rust: let x = ;",
    ),
    (
        "A.java",
        "class A {\n  int x = 1;\n}\n",
        "class A {\n  int x = 1\n}\n",
        "line 2: `;` is missing",
    ),
    (
        "a.c",
        "int f(void) {\n  return 1;\n}\n",
        "int f(void) {\n  return 1\n}\n",
        "line 2: `;` is missing",
    ),
    ("a.h", "class a { int b; };\n", "class a { int b; ;\n", None),
    ("a.cpp", "int f() {\n  return g<int>(1);\n}\n", "int f() {\n  return g<int>(1;\n}\n", None),
    ("run.sh", "if x; then\n  y\nfi\n", "if x; then\n  y\n", "line 2: `fi` is missing"),
    ("a.html", "<div>\n<p>a</p>\n</div>\n", '<div>\n<p class="a>b</p>\n</div>\n', None),
    (
        "b.html",
        "<ul>\n<li>a\n<li>b\n</ul>\n",
        "<ul>\n<li>a\n<li>b\n</b>\n</ul>\n",
        "line 4: not HTML: </b>",
    ),
    ("a.css", "a { color: red; }\n", "a { color: red; \n", "line 1: `}` is missing"),
    ("a.json", '{"a": [1]}\n', '{"a": [1],}\n', None),
    ("b.json", '{"a": [1]}\n', '{"a": [1]} {}\n', "line 1: Extra data"),
    ("tsconfig.json", '{"a": [1]} // b\n', '{"a": [1} // b\n', None),
    ("a.yaml", "a: 1\nb: 2\n", "a: 1\n b: 2\n", "line 2: not YAML: b: 2"),
    ("a.toml", "a = 1\n", "a = 1\nb =\n", "line 2: Invalid value"),
    ("a.rb", "def f\n  1\nend\n", "def f\n  1\n", "line 1: not Ruby from here on: def f"),
    ("a.php", "<?php\nf(1);\n", "<?php\nf(1;\n", "line 2: `)` is missing"),
    (
        "a.cs",
        "class A { int x = 1; }\n",
        "class A { int x = 1 }\n",
        "line 1: not C#: class A { int x = 1 }",
    ),
    ("a.kt", "fun f() {\n    g(1)\n}\n", "fun f() {\n    g(1\n}\n", None),
    (
        "a.lua",
        "if a then\n  b()\nend\n",
        "if a then\n  b()\n",
        "line 1: not Lua from here on: if a then",
    ),
    ("a.scala", "class A {\n  def f = 1\n}\n", "class A {\n  def f = 1\n", None),
    ("a.swift", "func f() {\n  g(1)\n}\n", "func f() {\n  g(1\n}\n", None),
    ("a.zig", "fn f() void {\n    g();\n}\n", "fn f() void {\n    g()\n}\n", None),
    ("a.pyi", "def f() -> int: ...\n", "def f( -> int: ...\n", None),
]


def text(content: str) -> Text:
    return Text.from_bytes(content.encode())


def parses(before: str, after: str, path: str) -> Check | None:
    return next(
        (check for check in run_checks(text(before), text(after), path) if check.name == "parses"),
        None,
    )


@pytest.mark.parametrize(("path", "good", "broken", "why"), TABLE)
def test_an_edit_that_breaks_a_file_is_told_and_no_other(
    path: str, good: str, broken: str, why: str | None
) -> None:
    assert parses("", good, path) == parses(good, good, path) == Check("parses", ok=True)
    found = parses(good, broken, path)
    assert found is not None
    assert not found.ok
    assert found.detail.startswith("line ")
    assert why in {None, found.detail}


@pytest.mark.parametrize(("path", "good", "broken"), [row[:3] for row in TABLE])
def test_an_edit_that_leaves_a_broken_file_no_worse_stands(
    path: str, good: str, broken: str
) -> None:
    same, mended = parses(broken, f"\n{broken}", path), parses(broken, good, path)
    assert same is not None
    assert mended is not None
    assert same.ok, same.detail
    assert same.detail.partition(" (")[0] in {
        "it did not parse before either",
        "not all of it could be read before either",
    }
    assert mended.ok
    assert mended.detail in {"it did not parse before", "not all of it could be read before"}


def test_an_edit_that_makes_a_broken_file_worse_does_not_stand() -> None:
    found = parses("f(;\n\ng(1);\n", "f(;\n\ng(1;\n", "a.js")
    assert found == Check("parses", ok=False, detail="line 3: not JavaScript: g(1;")


@pytest.mark.parametrize(
    "path", ["notes.txt", "README.md", "Makefile", "Dockerfile", "query.sql", "LICENSE", "a.b.c/d"]
)
def test_of_what_nothing_reads_only_that_it_applies_is_said(path: str) -> None:
    assert [check.name for check in run_checks(text("a\n"), text("b (\n"), path)] == ["applies"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/Makefile", "Make"),
        ("Dockerfile", "Dockerfile"),
        ("x/.bashrc", "shell"),
        ("A.JS", "JavaScript"),
        ("Cargo.lock", "TOML"),
        ("a.tar.gz", None),
        ("go", None),
        (".json", "JSON"),
        ("Gemfile", "Ruby"),
    ],
)
def test_a_language_is_known_by_the_name_of_the_file(path: str, name: str | None) -> None:
    found = language_of(path)
    assert (found.name if found else None) == name


def test_without_the_grammar_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_go", None)
    grammar_of.cache_clear()
    try:
        found = parses("package a\n", "package (\n", "a.go")
    finally:
        grammar_of.cache_clear()
    assert found == Check("parses", ok=True, detail="not checked: tree-sitter-go is not installed")


def test_a_very_large_file_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "MOST_READ", 10)
    found = parses("f(1);\n", "f(1;\n" * 3, "a.js")
    assert found == Check("parses", ok=True, detail="not checked: the file is very large")


def test_what_takes_too_long_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "_SECONDS", -1.0)
    found = parses("f(2);\n" * 500, "f(2;\n" * 500, "a.js")
    assert found == Check("parses", ok=True, detail="not checked: it takes too long to read")


@pytest.mark.parametrize(
    ("path", "good", "after", "why"),
    [
        (
            "a.html",
            "<p>a</p>\n",
            "<p {% if a %}x='1'{% endif %}>a</p\n",
            "it is a template of HTML",
        ),
        ("a.yaml", "a: 1\n", "{{- if .a }}\na: 1\n{{- end }}\n", "it is a template of YAML"),
        ("a.c", "int a;\n", "int a;\nOP(a, b)\n", "only a compiler can read the macros there"),
        (
            "a.h",
            "void f();\n",
            "#define A(x) x\nA(}\n",
            "only a compiler can read the macros there",
        ),
    ],
)
def test_what_another_tool_fills_in_first_is_held_against_no_edit(
    path: str, good: str, after: str, why: str
) -> None:
    assert parses(good, after, path) == Check("parses", ok=True, detail=f"not checked: {why}")


def test_line_ends_and_a_byte_order_mark_make_no_difference() -> None:
    source = "\ufeffset -e\r\ncat <<EOF\r\n$a\r\nEOF\r\n"
    assert parses(source, source.replace("$a", "$b"), "a.sh") == Check("parses", ok=True)


@settings(deadline=None, max_examples=60)
@given(
    path=st.sampled_from([row[0] for row in TABLE]),
    before=st.binary(max_size=200),
    after=st.binary(max_size=200),
)
def test_random_bytes_never_raise(path: str, before: bytes, after: bytes) -> None:
    try:
        texts = Text.from_bytes(before), Text.from_bytes(after)
    except NotText:
        return
    assert run_checks(*texts, path)[0].name == "applies"


@pytest.mark.parametrize(
    ("path", "source"), [("a.json", "[" * 100_000), ("a.toml", "a = " + "[" * 5_000)]
)
def test_very_deep_nesting_never_raises(path: str, source: str) -> None:
    found = parses("", source, path)
    assert found is not None
    assert not found.ok


def test_several_threads_may_check_at_once() -> None:
    sources = [f"function f{number}() {{\n" + "  g(1);\n" * 300 + "}\n" for number in range(24)]
    with ThreadPoolExecutor(4) as pool:
        found = list(
            pool.map(
                lambda source: parses(source, source.replace("g(1)", "g(1", 1), "a.js"), sources
            )
        )
    assert {check.ok for check in found if check} == {False}


def test_every_grammar_that_is_asked_for_is_installed() -> None:
    known = {each for each in syntax.BY_SUFFIX.values() if each.package}
    assert [each.package for each in known if grammar_of(each) is None] == []
