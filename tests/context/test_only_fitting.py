import pytest

from spark_tui.context.regions import find_region
from spark_tui.errors import UsageError
from tests.context.test_regions import code

FILES = {
    "jobs.py": code(
        """
        import asyncio
        import time


        def loop(queue):
            while queue:
                queue.pop().run()
                time.sleep(1)


        async def retry(get, path, attempts):
            for attempt in range(attempts):
                if get(path):
                    return True
                asyncio.sleep(attempt)


        async def poll(ready):
            while not ready():
                await asyncio.sleep(1)


        def stop(queue):
            queue.clear()


        def size(queue):
            return len(queue)
        """
    ),
    "texts.py": code(
        """
        def slugify(title):
            return title.replace(" ", "-")


        def test_slug(slugify):
            assert slugify("a b") == "a-b", slugify("leaves")


        def median(values):
            return sorted(values)[len(values) // 2]
        """
    ),
    "reading.py": code(
        """
        def digest(path, make):
            found = make()
            with open(path, "rb") as file:
                while chunk := file.read(4096):
                    found.update(chunk)
            return found


        def load(path, read):
            return read(path)
        """
    ),
}


@pytest.mark.parametrize(
    ("instruction", "symbol"),
    [
        ("RuntimeWarning: coroutine 'sleep' was never awaited", "retry"),  # only there something lacks an await
        ("slugify leaves dashes at the end", "slugify"),
        ("median of an even number of values is off", "median"),
        ("read larger chunks when making the digest", "digest"),
    ],
)
def test_a_place_is_found_by_its_edit_by_what_is_said_of_it_and_by_a_lead(instruction: str, symbol: str) -> None:
    assert find_region(instruction, FILES, FILES.__getitem__).symbol == symbol


@pytest.mark.parametrize("instruction", ["wait a second less", "values come out wrong"])
def test_words_that_no_place_leads_in_stay_unclear(instruction: str) -> None:
    with pytest.raises(UsageError):
        find_region(instruction, FILES, FILES.__getitem__)
