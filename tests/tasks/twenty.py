"""Twenty small tasks over four small repositories, each with a test that fails until it is done."""

from dataclasses import dataclass

from tests.tasks.scripts import edit

SHAPES = {
    "shapes/__init__.py": "from shapes.area import area\nfrom shapes.perimeter import perimeter\n",
    "shapes/area.py": (
        'def area(w, h):\n    """The area of a rectangle."""\n    return w + h\n\n\n'
        "def square(w):\n    return area(w, w)\n"
    ),
    "shapes/perimeter.py": "def perimeter(w, h):\n    return 2 * w + h\n",
    "README.md": "# shapes\n\nAreas of rectangles.\n",
}
WORDS = {
    "text/slug.py": (
        "def slug(title):\n    return title.replace(' ', '-')\n\n\n"
        "def unslug(name):\n    return name.replace('-', ' ')\n"
    ),
    "text/count.py": (
        "from text.slug import slug\n\n\ndef count(words):\n    numbers = {}\n"
        "    for word in words:\n        numbers[word] = 1\n    return numbers\n\n\n"
        "def names(titles):\n    return [slug(title) for title in titles]\n"
    ),
    "text/wrap.py": "def shorten(line, width):\n    return line[:width]\n",
    "notes.txt": "first\nsecond\n",
}
STORE = {
    "store/item.py": (
        "class Item:\n    def __init__(self, name, price):\n        self.name = name\n"
        "        self.price = price\n\n    def __repr__(self):\n        return self.name\n"
    ),
    "store/cart.py": (
        "from store.item import Item\n\n\nclass Cart:\n    items = []\n\n"
        "    def add(self, name, price):\n        self.items.append(Item(name, price))\n\n"
        "    def total(self):\n        return sum(item.price for item in self.items)\n"
    ),
    "store/report.py": (
        "import os\n\n\ndef lines(cart):\n"
        "    return [item.name + ' ' + str(item.price) for item in cart.items]\n\n\n"
        "def target(folder):\n    return os.path.join(folder, 'report.txt')\n"
    ),
    "old.py": "print('unused')\n",
}
CLOCK = {
    "clock/parse.py": (
        "def seconds(text):\n    hours, minutes = text.split(':')\n"
        "    return int(hours) * 3600 + int(minutes)\n"
    ),
    "clock/show.py": (
        "def show(seconds):\n    return f'{seconds // 3600}:{seconds % 3600 // 60}'\n"
    ),
    "main.py": (
        "import sys\n\nfrom clock.parse import seconds\n\n\ndef main(words):\n"
        "    return sum(seconds(word) for word in words)\n\n\n"
        "if __name__ == '__main__':\n    print(main(sys.argv[1:]))\n"
    ),
}


@dataclass(frozen=True, slots=True)
class SmallTask:
    """A task.

    Attributes:
        files: The repository, without the test.
        path: The file that it is mainly about.
        test: What must hold in the end, as a script.
        right: The edit that does it.
        wrong: An edit that applies and does not do it.
    """

    name: str
    files: dict[str, str]
    words: str
    path: str
    test: str
    right: str
    wrong: str

    @property
    def repository(self) -> dict[str, str]:
        """The files of the repository, with the test."""
        return {**self.files, f"test_{self.name}.py": self.test}

    @property
    def check(self) -> str:
        """The command that fails before and passes behind it."""
        return f"python3 test_{self.name}.py"


TASKS = (
    SmallTask(
        "area",
        SHAPES,
        "mend the area",
        "shapes/area.py",
        "from shapes import area\nassert area(2, 5) == 10\n",
        edit("shapes/area.py", "    return w + h\n", "    return w * h\n"),
        edit("shapes/area.py", "    return w + h\n", "    return w - h\n"),
    ),
    SmallTask(
        "perimeter",
        SHAPES,
        "the perimeter counts h only once",
        "shapes/perimeter.py",
        "from shapes import perimeter\nassert perimeter(2, 5) == 14\n",
        edit("shapes/perimeter.py", "    return 2 * w + h\n", "    return 2 * (w + h)\n"),
        edit("shapes/perimeter.py", "    return 2 * w + h\n", "    return w + h\n"),
    ),
    SmallTask(
        "circle",
        SHAPES,
        "add a module shapes/circle.py with the area of a circle of radius r",
        "shapes/circle.py",
        "from shapes.circle import circle\nassert round(circle(1), 2) == 3.14\n",
        edit(
            "shapes/circle.py",
            "",
            "from math import pi\n\n\ndef circle(r):\n    return pi * r * r\n",
        ),
        edit("shapes/circle.py", "", "def circle(r):\n    return 3 * r\n"),
    ),
    SmallTask(
        "negative",
        SHAPES,
        "area should refuse negative sides with a ValueError",
        "shapes/area.py",
        "from shapes import area\ntry:\n    area(-1, 2)\nexcept ValueError:\n    pass\n"
        "else:\n    raise SystemExit('no error')\n",
        edit(
            "shapes/area.py",
            "    return w + h\n",
            "    if min(w, h) < 0:\n        raise ValueError('negative side')\n    return w + h\n",
        ),
        edit(
            "shapes/area.py",
            "    return w + h\n",
            "    if w < 0:\n        return 0\n    return w + h\n",
        ),
    ),
    SmallTask(
        "readme",
        SHAPES,
        "the readme should say that there are perimeters, too",
        "README.md",
        "assert 'perimeters' in open('README.md').read()\n",
        edit("README.md", "Areas of rectangles.\n", "Areas and perimeters of rectangles.\n"),
        edit("README.md", "Areas of rectangles.\n", "Areas of all rectangles.\n"),
    ),
    SmallTask(
        "slug",
        WORDS,
        "slugs should be lower case",
        "text/slug.py",
        "from text.slug import slug\nassert slug('My Title') == 'my-title'\n",
        edit(
            "text/slug.py",
            "    return title.replace(' ', '-')\n",
            "    return title.lower().replace(' ', '-')\n",
        ),
        edit(
            "text/slug.py",
            "    return title.replace(' ', '-')\n",
            "    return title.upper().replace(' ', '-')\n",
        ),
    ),
    SmallTask(
        "count",
        WORDS,
        "count always says 1",
        "text/count.py",
        "from text.count import count\nassert count(['a', 'b', 'a']) == {'a': 2, 'b': 1}\n",
        edit(
            "text/count.py",
            "        numbers[word] = 1\n",
            "        numbers[word] = numbers.get(word, 0) + 1\n",
        ),
        edit("text/count.py", "        numbers[word] = 1\n", "        numbers[word] = 2\n"),
    ),
    SmallTask(
        "shorten",
        WORDS,
        "shorten should end a cut line with three dots, within the width",
        "text/wrap.py",
        "from text.wrap import shorten\nassert shorten('abcdefgh', 6) == 'abc...'\n"
        "assert shorten('abc', 6) == 'abc'\n",
        edit(
            "text/wrap.py",
            "    return line[:width]\n",
            "    if len(line) <= width:\n        return line\n"
            "    return line[: width - 3] + '...'\n",
        ),
        edit("text/wrap.py", "    return line[:width]\n", "    return line[:width] + '...'\n"),
    ),
    SmallTask(
        "rename",
        WORDS,
        "rename slug to slugify everywhere",
        "text/slug.py",
        "from text.count import names\nfrom text.slug import slugify\nimport text.slug\n"
        "assert names(['a b']) == [slugify('a b')]\nassert not hasattr(text.slug, 'slug')\n",
        edit("text/slug.py", "def slug(title):\n", "def slugify(title):\n")
        + edit(
            "text/count.py",
            "from text.slug import slug\n",
            "from text.slug import slugify\n",
        )
        + edit(
            "text/count.py",
            "    return [slug(title) for title in titles]\n",
            "    return [slugify(title) for title in titles]\n",
        ),
        edit("text/slug.py", "def slug(title):\n", "def slugify(title):\n"),
    ),
    SmallTask(
        "notes",
        WORDS,
        "add a third line to the notes",
        "notes.txt",
        "assert open('notes.txt').read().splitlines() == ['first', 'second', 'third']\n",
        edit("notes.txt", "second\n", "second\nthird\n"),
        edit("notes.txt", "second\n", "third\n"),
    ),
    SmallTask(
        "shared",
        STORE,
        "two carts share their items",
        "store/cart.py",
        "from store.cart import Cart\nCart().add('a', 1)\nassert Cart().total() == 0\n",
        edit(
            "store/cart.py",
            "    items = []\n",
            "    def __init__(self):\n        self.items = []\n",
        ),
        edit("store/cart.py", "    items = []\n", "    items: list = []\n"),
    ),
    SmallTask(
        "quantity",
        STORE,
        "an item should have a quantity, by default 1, and the total should count it",
        "store/item.py",
        "from store.cart import Cart\ncart = Cart()\ncart.add('a', 2, quantity=3)\n"
        "cart.add('b', 1)\nassert cart.total() == 7\n",
        edit(
            "store/item.py",
            "    def __init__(self, name, price):\n",
            "    def __init__(self, name, price, quantity=1):\n        self.quantity = quantity\n",
        )
        + edit(
            "store/cart.py",
            "    def add(self, name, price):\n        self.items.append(Item(name, price))\n",
            "    def add(self, name, price, quantity=1):\n"
            "        self.items.append(Item(name, price, quantity))\n",
        )
        + edit(
            "store/cart.py",
            "        return sum(item.price for item in self.items)\n",
            "        return sum(item.price * item.quantity for item in self.items)\n",
        ),
        edit(
            "store/item.py",
            "    def __init__(self, name, price):\n",
            "    def __init__(self, name, price, quantity=1):\n",
        ),
    ),
    SmallTask(
        "repr",
        STORE,
        "the repr of an item should have the price, as in Item('a', 1)",
        "store/item.py",
        "from store.item import Item\nassert repr(Item('a', 1)) == \"Item('a', 1)\"\n",
        edit(
            "store/item.py",
            "        return self.name\n",
            "        return f'Item({self.name!r}, {self.price!r})'\n",
        ),
        edit(
            "store/item.py",
            "        return self.name\n",
            "        return f'{self.name} {self.price}'\n",
        ),
    ),
    SmallTask(
        "pathlib",
        STORE,
        "use pathlib in the report",
        "store/report.py",
        "from pathlib import Path\nfrom store.report import target\n"
        "assert target(Path('x')) == Path('x/report.txt')\n"
        "assert 'import os' not in open('store/report.py').read()\n",
        edit("store/report.py", "import os\n", "from pathlib import Path\n")
        + edit(
            "store/report.py",
            "    return os.path.join(folder, 'report.txt')\n",
            "    return Path(folder) / 'report.txt'\n",
        ),
        edit("store/report.py", "import os\n", "from pathlib import Path\n"),
    ),
    SmallTask(
        "unused",
        STORE,
        "remove the module that nobody uses",
        "old.py",
        "import os\nassert not os.path.exists('old.py')\n",
        "old.py\n<<<<<<< DELETE\n",
        edit("old.py", "print('unused')\n", "pass\n"),
    ),
    SmallTask(
        "minutes",
        CLOCK,
        "minutes count as seconds",
        "clock/parse.py",
        "from clock.parse import seconds\nassert seconds('1:30') == 5400\n",
        edit(
            "clock/parse.py",
            "    return int(hours) * 3600 + int(minutes)\n",
            "    return int(hours) * 3600 + int(minutes) * 60\n",
        ),
        edit(
            "clock/parse.py",
            "    return int(hours) * 3600 + int(minutes)\n",
            "    return int(hours) * 3600 + int(minutes) * 6\n",
        ),
    ),
    SmallTask(
        "padded",
        CLOCK,
        "show minutes with two digits",
        "clock/show.py",
        "from clock.show import show\nassert show(3900) == '1:05'\n",
        edit(
            "clock/show.py",
            "    return f'{seconds // 3600}:{seconds % 3600 // 60}'\n",
            "    return f'{seconds // 3600}:{seconds % 3600 // 60:02}'\n",
        ),
        edit(
            "clock/show.py",
            "    return f'{seconds // 3600}:{seconds % 3600 // 60}'\n",
            "    return f'{seconds // 3600:02}:{seconds % 3600 // 60}'\n",
        ),
    ),
    SmallTask(
        "thirds",
        CLOCK,
        "read seconds behind a second colon, too",
        "clock/parse.py",
        "from clock.parse import seconds\nassert seconds('0:00:07') == 7\nseconds('1:00')\n",
        edit(
            "clock/parse.py",
            "    hours, minutes = text.split(':')\n    return int(hours) * 3600 + int(minutes)\n",
            "    hours, minutes, *rest = text.split(':')\n"
            "    return int(hours) * 3600 + int(minutes) + sum(map(int, rest))\n",
        ),
        edit(
            "clock/parse.py",
            "    hours, minutes = text.split(':')\n",
            "    hours, minutes, _ = text.split(':')\n",
        ),
    ),
    SmallTask(
        "option",
        CLOCK,
        "add an option --show to main.py that shows the sum as hours and minutes",
        "main.py",
        "from main import main\nassert main(['--show', '1:00', '2:00']) == '3:0'\n"
        "assert main(['1:00']) == 3600\n",
        edit(
            "main.py",
            "from clock.parse import seconds\n",
            "from clock.parse import seconds\nfrom clock.show import show\n",
        )
        + edit(
            "main.py",
            "    return sum(seconds(word) for word in words)\n",
            "    total = sum(seconds(word) for word in words if word != '--show')\n"
            "    return show(total) if '--show' in words else total\n",
        ),
        edit(
            "main.py",
            "    return sum(seconds(word) for word in words)\n",
            "    words = [word for word in words if word != '--show']\n"
            "    return sum(seconds(word) for word in words)\n",
        ),
    ),
    SmallTask(
        "empty",
        CLOCK,
        "an empty text should be 0 seconds",
        "clock/parse.py",
        "from clock.parse import seconds\nassert seconds('') == 0\n",
        edit(
            "clock/parse.py",
            "def seconds(text):\n",
            "def seconds(text):\n    if not text:\n        return 0\n",
        ),
        edit("clock/parse.py", "def seconds(text):\n", "def seconds(text='0:0'):\n"),
    ),
)
