import pytest

from tests.editing.codemods.results import results


def in_async(body: str) -> str:
    return f"async def f(x):\n    {body}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y = fetch(x)", ["y = await fetch(x)"]),
        ("return fetch(x).text", ["return (await fetch(x)).text"]),
        ("fetch(x)[0] + 1", ["(await fetch(x))[0] + 1"]),
        ("asyncio.create_task(fetch(x))", []),
        ("await asyncio.gather(fetch(x))", ["asyncio.gather(fetch(x))"]),
        ("y = (await len(x)).y", ["y = len(x).y"]),
        ("raise Error(str(x).strip())", []),
        ("y = lambda: fetch(x)", []),
    ],
)
def test_calls_are_awaited_or_no_more(before: str, after: list[str]) -> None:
    assert results("add_await", in_async(before)) == [in_async(one) for one in after]


def test_plain_functions_await_nothing() -> None:
    assert results("add_await", "def f(x):\n    fetch(x)") == []


def test_the_message_tells_which_way() -> None:
    before = in_async("fetch(await x)")
    assert results("add_await", before, "coroutine 'fetch' was never awaited") == [in_async("await fetch(await x)")]
    said = "object int can't be used in 'await' expression"
    assert results("add_await", before, said) == [in_async("fetch(x)")]


def test_loops_and_with_statements_become_async() -> None:
    before = "async def f():\n    with a:\n        for x in y:\n            x()"
    loop, block = before.replace("for x", "async for x"), before.replace("with a", "async with a")
    assert results("add_await", before, "'Stream' object is not iterable")[:2] == [block, loop]
    assert results("add_await", "async def f():\n    for x in range(3):\n        x()", "use async for") == []


def test_a_method_may_be_named_like_a_builtin_function() -> None:
    before = "async def f(rows):\n    return rows.next()"
    assert results("add_await", before) == ["async def f(rows):\n    return await rows.next()"]
