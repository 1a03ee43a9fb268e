"""What a context takes is known before it is set aside, and refused where the machine has not
so much left.
"""

import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_tui.engine.kv_cache import KVCache
from spark_tui.engine.machine import available_bytes, cache_bytes, require, require_cache
from spark_tui.engine.weights import weight_bytes
from spark_tui.errors import ModelError
from tests.engine.tiny import CONFIG, random_weights, tiny_model

MEGABYTE = 1 << 20
BIG = replace(
    CONFIG, n_layers=32, n_kv_heads=8, n_heads=32, head_dim=128, max_position_embeddings=131_072
)


def system(root: Path, **files: object) -> Path:
    """Files of /proc and /sys; `__` stands for a slash."""
    for name, content in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{content}\n")
    return root


def machine(root: Path, free: int = 1000 * MEGABYTE) -> Path:
    return system(
        root, proc__meminfo=f"MemTotal: 9999999 kB\nMemFree: 1 kB\nMemAvailable: {free // 1024} kB"
    )


def group(
    root: Path, folder: str, limit: object, used: int, stat: str = "", version: int = 2
) -> None:
    names = {
        2: ("memory.max", "memory.current"),
        1: ("memory.limit_in_bytes", "memory.usage_in_bytes"),
    }[version]
    system(
        root / "sys/fs/cgroup" / folder, **{names[0]: limit, names[1]: used, "memory.stat": stat}
    )


def test_a_cache_takes_the_memory_computed_for_it() -> None:
    tracemalloc.start()
    try:
        cache = KVCache(CONFIG, 90)
        taken = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert cache.room == 90
    assert cache_bytes(CONFIG, 90) <= taken < cache_bytes(CONFIG, 90) + 4096


def test_weights_take_the_memory_computed_for_them() -> None:
    assert weight_bytes(CONFIG) == sum(array.nbytes for array in random_weights().values())
    assert weight_bytes(CONFIG, 0.5) == weight_bytes(CONFIG) // 8


def test_128k_tokens_of_an_8b_model_take_32_gib_as_float32_and_half_of_it_as_float16() -> None:
    assert cache_bytes(BIG, 131_072) == 32 << 30
    assert cache_bytes(BIG, 131_072, item_bytes=2) == 16 << 30


def test_a_context_that_does_not_fit_is_refused_with_the_one_that_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("spark_tui.engine.machine.available_bytes", lambda: 10 << 30)
    require_cache(BIG, 40_960)
    with pytest.raises(ModelError) as caught:
        require_cache(BIG, 131_072)
    assert str(caught.value) == (
        "a context of 131,072 tokens takes 34.36 GB of memory and 10.74 GB is left; ask for at "
        "most 40,960 tokens"
    )


def test_a_model_sets_no_cache_aside_that_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model()
    monkeypatch.setattr("spark_tui.engine.machine.available_bytes", lambda: cache_bytes(CONFIG, 50))
    assert model.new_cache(50).capacity == 50
    with pytest.raises(ModelError, match="ask for at most 50 tokens"):
        model.new_cache(51)


@given(free=st.integers(0, 1 << 40), tokens=st.integers(1, 1 << 20))
def test_the_context_named_in_a_refusal_is_the_longest_that_is_taken(
    free: int, tokens: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spark_tui.engine.machine.available_bytes", lambda: free)
        fitting = free // cache_bytes(BIG, 1)
        if tokens <= fitting:
            require_cache(BIG, tokens)
            return
        advice = f"at most {fitting:,} tokens" if fitting else "name a smaller model"
        with pytest.raises(ModelError, match=advice):
            require_cache(BIG, tokens)


def test_a_machine_that_does_not_tell_refuses_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert available_bytes(tmp_path) is None
    monkeypatch.setattr("spark_tui.engine.machine.available_bytes", lambda: None)
    require(1 << 60, "everything")
    require_cache(BIG, 1 << 20)


def test_this_machine_tells() -> None:
    assert (available_bytes() or 1 << 30) > MEGABYTE


def test_without_groups_the_machine_decides(tmp_path: Path) -> None:
    assert available_bytes(machine(tmp_path)) == 1000 * MEGABYTE


def test_the_tightest_group_around_the_process_decides(tmp_path: Path) -> None:
    system(machine(tmp_path), proc__self__cgroup="0::/user/session")
    group(tmp_path, "user", 500 * MEGABYTE, 100 * MEGABYTE)
    group(tmp_path, "user/session", 450 * MEGABYTE, 100 * MEGABYTE)
    group(tmp_path, "other", MEGABYTE, MEGABYTE)
    assert available_bytes(tmp_path) == 350 * MEGABYTE
    group(tmp_path, "user/session", "max", 100 * MEGABYTE)
    assert available_bytes(tmp_path) == 400 * MEGABYTE


def test_files_a_group_keeps_in_memory_for_nobody_are_not_in_the_way(tmp_path: Path) -> None:
    system(machine(tmp_path), proc__self__cgroup="0::/user")
    stat = f"anon 5\ninactive_file {30 * MEGABYTE}\nactive_file 7"
    group(tmp_path, "user", 100 * MEGABYTE, 90 * MEGABYTE, stat)
    assert available_bytes(tmp_path) == 40 * MEGABYTE


@pytest.mark.parametrize("folder", ["memory/box", "memory"])
def test_groups_of_the_older_kind_count_whether_their_path_is_the_hosts_or_ours(
    tmp_path: Path, folder: str
) -> None:
    system(machine(tmp_path), proc__self__cgroup="5:devices:/box\n4:cpu,memory:/box\n0::/")
    group(
        tmp_path,
        folder,
        200 * MEGABYTE,
        50 * MEGABYTE,
        "total_inactive_file 0\ninactive_file 9999",
        version=1,
    )
    assert available_bytes(tmp_path) == 150 * MEGABYTE


def test_a_group_over_its_limit_leaves_nothing_rather_than_less(tmp_path: Path) -> None:
    system(machine(tmp_path), proc__self__cgroup="0::/user")
    group(tmp_path, "user", MEGABYTE, 2 * MEGABYTE)
    assert available_bytes(tmp_path) == 0
