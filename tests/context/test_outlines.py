"""What a file of each language defines, and on which lines."""

import pytest

from spark_tui.context.regions import source_of
from spark_tui.context.symbols import outline_of

TABLE = [
    (
        "a.py",
        "@cache\ndef f():\n    pass\n\nclass A:\n    def g(self): ...",
        "f 1-3, A 5-6, A.g 6-6",
    ),
    (
        "a.js",
        "// b\nfunction f() {\n  function h() {}\n}\nlet g = () => {\n};",
        "f 1-4, f.h 3-3, g 5-6",
    ),
    ("a.mjs", "class A {\n  h() {\n  }\n}", "A 1-4, A.h 2-3"),
    (
        "a.tsx",
        "export interface A {\n  b: string;\n}\nfunction F() {\n  return <b/>;\n}",
        "A 1-3, F 4-6",
    ),
    (
        "a.go",
        "func (a *A) F() {\n}\nfunc (B[T]) G() {}\nfunc () H() {}\ntype A int",
        "A.F 1-2, B.G 3-3, H 4-4, A 5-5",
    ),
    ("a.rs", "struct A {\n}\nimpl A {\n    fn f() {\n    }\n}", "A 1-2, A 3-6, A.f 4-5"),
    ("a.java", "class A {\n  @Override\n  void f() {\n  }\n}", "A 1-5, A.f 2-4"),
    ("a.c", "int *f(int a)\n{\n}\nstruct a {\n  int b;\n};", "f 1-3, a 4-6"),
    ("a.cpp", "namespace n {\nint A::f() {\n}\n}", "n 1-4, n.A.f 2-3"),
    ("a.cs", "class A {\n  int F() {\n  }\n}", "A 1-4, A.F 2-3"),
    ("a.sh", "f() {\n  g\n}", "f 1-3"),
    ("a.rb", "class A\n  def f\n  end\nend", "A 1-4, A.f 2-3"),
    ("a.php", "<?php\nfunction f() {\n}", "f 2-3"),
    ("a.kt", "class A {\n  fun f() {\n  }\n}", "A 1-4, A.f 2-3"),
    ("a.lua", "function f()\nend", "f 1-2"),
    ("a.scala", "trait A {\n  def f: Int\n}", "A 1-3, A.f 2-2"),
    ("a.swift", "struct A {\n  func f() {\n  }\n}", "A 1-4, A.f 2-3"),
    ("a.zig", "pub fn f() void {\n}", "f 1-2"),
    ("a.toml", "x = 1\n[a.b]\ny = [\n  1]\n\n[[c]]  # d\nz = 2", "a.b 2-5, c 6-7"),
    ("a.yml", "a: 1\nb:\n  - c: 2\n# d\ne-f:", "a 1-1, b 2-4, e-f 5-5"),
    (
        "a.ts",
        (
            "export function f(x){return x}\nconst g = (x)=>x\nclass A { h(){} i = () => 2 "
            "}\ncall(function j(){})"
        ),
        "f 1-1, g 2-2, A 3-3, A.h 3-3, A.i 3-3",
    ),
    ("b.tsx", "export const C=()=><p/>\nmap((x) => x)", "C 1-1"),
    (
        "b.js",
        "e.f = () => 1\nvar o = {a(){}, b: function(){}, c: 1}\nfunction* g(){}",
        "e.f 1-1, a 2-2, b 2-2, g 3-3",
    ),
    ("b.go", "type I interface { M() }\nvar f = func() {}\nvar x = 1", "I 1-1, f 2-2"),
    (
        "b.rs",
        "impl A { fn f() {} fn g() {} }\nmod m { fn h() {} }",
        "A 1-1, A.f 1-1, A.g 1-1, h 2-2",
    ),
    ("b.java", "class A { int f() { return 1; } int x; }\nenum E { B }", "A 1-1, A.f 1-1, E 2-2"),
    (
        "b.c",
        "struct a *p;\nstruct a f(void);\nstruct a { int b; };\nint g(int x) { return x; }",
        "a 3-3, g 4-4",
    ),
    (
        "b.cpp",
        "class F;\nclass C { void m() {} int k; };\nauto l = [](int x){ return x; };",
        "C 2-2, C.m 2-2, l 3-3",
    ),
    ("b.cs", "class A { int F() { return 1; } }\nenum E {\n  B,\n}", "A 1-1, A.F 1-1, E 2-4"),
    ("b.rb", "class A; def f; end; end\ng = ->(x) { x }", "A 1-1, A.f 1-1, g 2-2"),
    ("b.php", "<?php class A { function f() {} }\n$g = fn($x) => $x;", "A 1-1, A.f 1-1, g 2-2"),
    (
        "a.sql",
        'CREATE TABLE IF NOT EXISTS "a" (\n  b int);\ncreate unique index i on a (b);\n',
        "a 1-2, i 3-3",
    ),
    ("Makefile", "x := 1\n.PHONY: a\na: b\n\tc d: e\nb/%.o:\n", "a 3-4, b/%.o 5-5"),
    ("a.md", "# A\n\n```\n# b\n```\n## C\nd", "A 1-7, C 6-7"),
]


@pytest.mark.parametrize(("path", "code", "outline"), TABLE)
def test_definitions_are_found_with_what_belongs_to_them(
    path: str, code: str, outline: str
) -> None:
    found = source_of(path, code.encode()).symbols
    assert ", ".join(f"{each.name} {each.start_line}-{each.end_line}" for each in found) == outline


def test_what_lies_outside_of_the_part_that_matters_may_be_left_out() -> None:
    lines = [line for name in "abcd" for line in (f"// {name}", f"function {name}() {{", "}")]
    whole = outline_of("a.js", lines)
    part = outline_of("a.js", lines, (5, 8))
    assert [symbol.name for symbol in part] == ["b", "c"]
    assert set(part) < set(whole)
