"""Write a test from examples."""

import ast
from random import Random
from typing import ClassVar

from spark_tui.editing.code import is_receiver, parameters
from spark_tui.editing.codemods.test_skeleton import test_names, with_test
from spark_tui.editing.snippet import Snippet
from spark_tui.editing.told import names_used
from spark_tui.training.kinds import pools
from spark_tui.training.kinds.base import Edit, Kind


class ExampleTest(Kind):
    """`assert add(2, 3) == 5` in a `test_add` below the function.

    Slots: {example} is the only one, in parts {call} and {outcome}; {named} too when the test's name {test} is told;
    {a} and {b} are two, {x}, {y} and {z} three; {func} is the function.
    """

    name: ClassVar[str] = "test_skeleton"
    skeletons: ClassVar[str] = """
    <add> a <test>: {example}
    <add> a <test> [that|where|for|checking|asserting] {example}
    <add> a <test> for {func}: {example}
    <add> a <test> for {func}, {example}
    <write> a <test>: {example}
    <write> a <test> [that|where|for|asserting|checking that] {example}
    <write> a <test> for {func} [with|using|from] {example}
    <write> a [small|simple|little|quick] test [for {func}|]: {example}
    test that {example}
    test {func}: {example}
    test {func} with {example}
    test for {func}: {example}
    unit test [for {func}|]: {example}
    [a|one] <test> [with|for] {example}
    <check> in a test that {example}
    cover {func} [with|by] a test, {example}
    cover {example} with a test
    assert {example} in a test
    [create|make|start] a test function [for {func}|] with {example}
    <put> a <test> below[:| with| for] {example}
    [the|a] <test> <should> [check|assert|say|verify] that {example}
    <want> a <test> [that says|which checks|for|with] {example}
    there is no test [for {func}|yet], <add> one: {example}
    {func} has no test, [e.g.|for example|say|start with] {example}
    {func} is untested, [e.g.|for example|say|start with] {example}
    where is the test for {func}? {example} [for example|would do|is one]
    is {func} tested? <add> {example}
    make sure [that|] {example}, [in|with] a test
    example for a test: {example}
    test case {example}
    regression test: {example}
    pytest for {func}: {example}
    <review>: [needs|please add] a test[, e.g.|:|, say] {example}
    <test> {example}
    {example} as a test
    {example} [should|must] be [tested|a test|covered by a test]
    {example}, <add> a test [for that|]
    {example} needs a test
    turn {example} into a test
    <add> a <test>: {call} <should> be {outcome}
    <add> a <test>: {call} <should> return {outcome}
    <add> a <test> [that|where] {call} [is|gives|returns|equals] {outcome}
    <write> a <test>, {call} [is|gives|returns|equals] {outcome}
    <write> a <test> [checking|asserting] that {call} [is|returns|gives] {outcome}
    test that {call} [is|gives|returns|equals] {outcome}
    test that {call} <should> be {outcome}
    {call} <should> be {outcome}, <add> a test [for that|]
    {call} <should> return {outcome}, test [that|it]
    {call} [returns|gives|is] {outcome}, [add|write] a test [for that|]
    test: {call} -> {outcome}
    test: {call} => {outcome}
    <test> [for {func}|]: {call} [returns|gives] {outcome}
    a test [for {func}|] with {call} -> {outcome}
    <check> with a test that {call} [returns|is] {outcome}
    <add> a <test> called {test}: {named}
    <write> {test} [with|checking|:] {named}
    <add> {test}: {named}
    [a|the] <test> {test} [with|for|where] {named}
    {test}: {named}
    name the test {test}: {named}
    <add> <test>s for {func}: {a} and {b}
    <add> a <test>: {a} and {b}
    <add> a <test> [with|for] {a} and {b}
    <write> a <test> for {func}: {a}, {b}
    <write> tests[:| for] {a}, {b}
    test that {a} and {b}
    test {func} with {a} and {b}
    test {a} and {b}
    test cases: {a}, {b}
    tests for {func}: {a}; {b}
    [the|a] <test> <should> [check|assert] {a} and {b}
    <check> {a} and {b} in a test
    {a} and {b}, <write> a test [for that|]
    examples: {a}, {b}; <write> the test
    <want> a <test> with {a} and {b}
    cover {func} with a test: {a} and also {b}
    <add> a <test> for {func}: {x}, {y} and {z}
    <write> a <test>: {x}, {y}, {z}
    test {func}: {x}, {y}, {z}
    test that {x}, {y} and {z}
    <add> a <test> with {x}, {y} and {z}
    examples for the test: {x}, {y}, {z}
    @test this[:|, e.g.|,] {example}
    @<add> a <test> for this: {example}
    @<write> a <test> for it, {example}
    @this needs a test, {example}
    {example} - as a regression test
    {example} must not break again
    {example} has to stay that way, test
    make sure {example} stays true
    pin down {example}
    lock this in: {example}
    nobody tests {func}, {example}
    coverage says {func} isn't tested, {example}
    coverage 0% for {func}: {example}
    no test at all, {example}
    {func} without a test? {example}
    tdd: {example}
    first test for {func}: {example}
    smoke test: {example}
    sanity check as a test: {example}
    happy path: {example}
    edge case [in a test|test|]: {example}
    corner case for a test: {example}
    add to the tests: {example}
    bug report says otherwise, test {example}
    before i refactor: test with {example}
    so i dare to refactor {func}, test: {example}
    doctest-ish but as a pytest: {example}
    assert {example}, in a test of its own
    def test_...: assert {example}
    e.g. {example}, as a unit test
    the spec says {example}. test please
    prove that {example} with a test
    expected: {example}, [where's the|no] test
    safety net: {example}
    {example} <- test
    can you pytest {example}
    unit test, {example}
    one assert is enough: {example}
    {example} isn't tested anywhere
    the example from the docs as a test: {example}
    {call} -> {outcome}, test
    {call} gives {outcome}. pin that down in a test
    {call} is {outcome} again, keep it so with a test
    {call} equals {outcome}, as a test
    i expect that {call} gives {outcome}, [test that|is that tested?]
    make sure with a test: {call} yields {outcome}
    {call} => {outcome} should be tested
    regression: {call} must be {outcome}, it was wrong once, test it
    test input {call}, expected {outcome}
    given {call} expect {outcome}, test
    in: {call} out: {outcome}, [test|pytest]
    as a test, {call} and we want {outcome}
    when i call {call} i expect {outcome}. test
    expected: {call} == {outcome}, write that test
    {call} should be {outcome}, of course, put that in a test
    def {test}(): {named}
    {test} => {named}
    test function {test}, {named}
    under the name {test}: {named}
    {named} in a test called {test}
    call the test {test}, it checks {named}
    {named}, [as|test name] {test}
    {a}, {b}
    {a}; {b}, both as asserts in a test
    both {a} and {b} tested
    two asserts: {a}, {b}
    no test for {func}. {a} and {b}
    pin down {a} and {b} in a test
    edge cases for a test: {a}, {b}
    {func} isn't tested: {a}, also {b}
    regression test, {a} and {b}
    given these: {a}, {b}, write the test
    once {a} and once {b}, as a test
    {a} but {b}, test both
    coverage for {func}: {a} / {b}
    test table: {a}, {b}
    {a} as well as {b} belong in a test
    {x}, {y}, {z} as asserts in a test
    three asserts: {x}, {y}, {z}
    pin down {x}, {y} and {z}
    test table for {func}: {x}, {y}, {z}
    {func} isn't tested. {x}, {y}, {z}
    all of these should hold, test: {x}, {y}, {z}
    {x}; {y}; {z} - test that
    edge cases: {x}, {y}, {z}, make that a test
    given {x}, {y}, {z}, write a test
    regression tests: {x}, {y}, {z}
    @no test yet, {example}
    @untested: {example}
    @pin this down: {example}
    @{example}, as a test
    @coverage! {example}
    """

    def propose(self, snippet: Snippet, rng: Random) -> Edit | None:
        """One to three made-up examples of a function."""
        fit = [one for one in snippet.tree.body if isinstance(one, ast.FunctionDef) and _is_plain(one)]
        if not fit or snippet.margin:
            return None
        function = rng.choice(fit)
        count = rng.choice([1, 1, 1, 2, 2, 3])
        found = list(dict(_example(function, rng) for _ in range(count)).items())
        texts = [
            f"{call} {rng.choice(['==', '==', '==', '->', 'is', 'returns', '='])} {value}" for call, value in found
        ]
        slots = {"func": function.name}
        if len(found) == 1:
            slots |= {"example": texts[0], "call": found[0][0], "outcome": found[0][1]}
        else:
            slots |= dict(zip("ab" if len(found) == 2 else "xyz", texts, strict=True))
        name = test_names("", function.name)[0]
        if len(found) == 1 and rng.random() < 0.15:
            name = f"test_{pools.variable_name(rng)}"
            slots = {"func": function.name, "named": texts[0], "test": name}
        if name in names_used(snippet):
            return None
        after = with_test(snippet, function, name, found)
        rows = (function.lineno - 1, (function.end_lineno or function.lineno) - 1)
        selected = rows if rng.random() < 0.15 else None
        return Edit.between(snippet, after, slots, selected) if after != list(snippet.lines) else None


def _is_plain(function: ast.FunctionDef) -> bool:
    named = [one for one in parameters(function) if not is_receiver(function, one)]
    return not function.decorator_list and len(named) <= 4 and not function.name.startswith("test")


def _example(function: ast.FunctionDef, rng: Random) -> tuple[str, str]:
    """A call and its result."""
    values = [_value(rng) for _ in function.args.args]
    if function.args.defaults and rng.random() < 0.4:
        values = values[: len(values) - len(function.args.defaults)]
    given = ", ".join(values)
    if function.args.args and values and rng.random() < 0.1:
        given = ", ".join([*values[:-1], f"{function.args.args[len(values) - 1].arg}={values[-1]}"])
    return f"{function.name}({given})", _value(rng)


def _value(rng: Random) -> str:
    roll = rng.random()
    if roll < 0.45:
        return pools.number(rng)
    if roll < 0.7:
        return pools.string(rng, rng.choice("\"'"))
    if roll < 0.85:
        return rng.choice(["None", "True", "False", "''", "[]", "{}", "()"])
    inner = ", ".join(str(rng.randrange(10)) for _ in range(rng.choice([2, 3])))
    return rng.choice(
        [f"[{inner}]", f"({inner})", f"{{{inner}}}", f"[{pools.string(rng)}]", f"{{{pools.string(rng)}: 1}}"]
    )
