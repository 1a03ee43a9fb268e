"""Which key does what: the widgets' bindings, with the user's own `[keys]` in their place.

`Keymap` checks the user's keys and answers for every action by its id. `written` spells a key as
people do (Ctrl+R, PgDn, ]).
"""

import re  # noqa: TID251 - reads names and settings
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import chain, combinations
from types import MappingProxyType

from textual.binding import Binding, BindingType
from textual.keys import Keys, _character_to_key, key_to_character

from spark_tui.errors import Problems, UsageError

_ALIASES = {
    "esc": "escape",
    "return": "enter",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "del": "delete",
    "ins": "insert",
}
_MODIFIERS = ("ctrl", "alt", "shift", "super")
# Textual's own names, without modifiers and without names such as <any> that are no keys.
_NAMED = frozenset(
    key.value for key in Keys if "+" not in key.value and not key.value.startswith("<")
) | {"space"}
_WRITTEN = {
    "escape": "Esc",
    "enter": "Enter",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "delete": "Del",
    "question_mark": "?",
    "space": "Space",
    "slash": "/",
    "minus": "-",
}
_MOST_NEAR = 3
"""The most actions to suggest for an unknown one."""
_NEAR = 0.75
"""The least likeness of a suggested action, from 0 to 1."""
_PLACE = re.compile(r"\{([\w.]+)\}")
_EXCLUSIVE = frozenset({"diff", "prompt"})
"""Scopes of which only one has the focus: a key may mean something else in each."""

Scopes = Mapping[str, Sequence[BindingType]]

_NO_KEY = "no-key."
"""The prefix of a key that no keyboard has, for an action whose key the user took away.

Textual would take "" for the built-in key.
"""


class Keymap:
    """The keys in force, by the id of their action.

    Args:
        scopes: The bindings, by the name of the part of the screen that has the focus.
        own: The user's own keys, by the id of the action.
        sources: Where each of these was set, as `Settings.sources` has it.
        problems: Collects what is wrong; without it, `UsageError` is raised.
        optional: The actions that need no key, because the palette offers them.
        edits: By scope, the keys that edit text: while text is typed, they never reach an action of
            that scope.

    Raises:
        UsageError: An unknown id, an unknown key, or one key for two actions. The message lists
            all problems, where each was set, and what to do.
    """

    def __init__(
        self,
        scopes: Scopes,
        own: Mapping[str, str] = MappingProxyType({}),
        sources: Mapping[str, str] | None = None,
        problems: Problems | None = None,
        *,
        optional: Collection[str] = frozenset(),
        edits: Mapping[str, Collection[str]] = MappingProxyType({}),
    ) -> None:
        self._sources = sources or {}
        self.optional = optional
        self._edits = edits
        self._bound: dict[str, dict[str, tuple[str, ...]]] = {}
        """The built-in keys, by scope and action."""
        self.does: dict[str, str] = {}
        """What each action does, in words."""
        for scope, bindings in scopes.items():
            self._bound[scope] = {}
            for binding in bindings:
                if isinstance(binding, Binding) and binding.id:
                    self._bound[scope][binding.id] = tuple(_split(binding.key))
                    self.does[binding.id] = binding.description
        self.own: dict[str, tuple[str, ...]] = {}
        """The user's own keys, by action."""
        self._clashes: set[tuple[str, str]] = set()
        wrong = Problems() if problems is None else problems
        # First all keys, then conflicts: whether one key is free depends on the others.
        for action, keys in own.items():
            with wrong.collected():
                self.own[action] = self._keys(action, keys)
        for action in self.own:
            with wrong.collected():
                self._refuse_conflicts(action)
        if problems is None:
            wrong.tell()

    @property
    def for_textual(self) -> dict[str, str]:
        """The user's own keys as `App.set_keymap` takes them."""
        return {action: ",".join(keys) or f"{_NO_KEY}{action}" for action, keys in self.own.items()}

    def keys(self, action: str) -> tuple[str, ...]:
        """The names of the keys of an action; none if there is no such action."""
        if action in self.own:
            return self.own[action]
        return self._built_in(action)

    def _built_in(self, action: str) -> tuple[str, ...]:
        return next((bound[action] for bound in self._bound.values() if action in bound), ())

    def shown(self, action: str, *, most: int = 9) -> str:
        """The first keys of an action, as they are written for people."""
        return " ".join(written(key) for key in self.keys(action)[:most])

    def key(self, action: str) -> str:
        """The first key of an action, which notices and questions name.

        An action without a key is reached through the palette, so its key is the palette's.
        """
        return self.shown(action, most=1) or self.shown("palette", most=1)

    def action(self, scope: str, character: str) -> str:
        """The action of a character's key in a scope, by its id, or ""."""
        key = _character_to_key(character)
        return next(
            (action for action in self._bound.get(scope, ()) if key in self.keys(action)), ""
        )

    def fill(self, text: str, *, most: int = 9, without: str | None = None) -> str:
        """Replace each {action} in a text by the keys of the action.

        Args:
            without: What to put for an action without a key; by default the key of the palette.
        """
        other = self.shown("palette", most=1) if without is None else without
        return _PLACE.sub(lambda match: self.shown(match[1], most=most) or other, text)

    def _keys(self, action: str, keys: str) -> tuple[str, ...]:
        where = self._where(action)
        if action not in self.does:
            near = " or ".join(map(repr, _nearest(action, self.does)))
            raise UsageError(
                f"{where}: unknown action {action!r}; did you mean {near}? `spark doctor "
                f"--keys` lists all"
            )
        names = tuple(_checked(name, where) for name in _split(keys))
        if not (names or action in self.optional):
            advice = ""
            if self.optional:
                advice = f"; only what {self.key('palette')} offers, too, say quit, needs none"
            raise UsageError(f"{where}: {action} needs a key{advice}")
        for name in names:
            self._refuse_text(action, name, where)
        return names

    def _refuse_text(self, action: str, key: str, where: str) -> None:
        """Refuse a key that edits text, for an action that has to work while text is typed."""
        scopes = [
            scope
            for scope, bound in self._bound.items()
            if action in bound and self._acts_in_prompt(scope, action)
        ]
        if not scopes:
            return
        why = ""
        # A key that types a character, or one that edits text, would never reach the action.
        if key == "space" or len(written(key)) == 1:
            why = f"{written(key)} writes"
        elif any(key in self._edits.get(scope, ()) for scope in scopes):
            why = f"{written(key)} is for the text"
        if why and key not in self._built_in(action):
            raise UsageError(
                f"{where}: {why} in the prompt, where {action} must work; give it another key, "
                f"such as F9"
            )

    def _acts_in_prompt(self, scope: str, action: str) -> bool:
        """Whether an action of a scope acts while text is typed.

        An action of another scope does not if the prompt takes all of its built-in keys first.
        """
        if scope in {"prompt", "diff"}:
            return scope == "prompt"
        prompt_keys = set(chain.from_iterable(self._bound.get("prompt", {}).values()))
        return not prompt_keys.issuperset(self._bound[scope][action])

    def _refuse_conflicts(self, action: str) -> None:
        """Refuse keys of an action that another action has in a scope where both can act.

        Keys that both have from the start are no conflict.
        """
        # Every two scopes can be in force together, but diff and prompt; each one also with itself.
        pairs = [*combinations(self._bound, 2), *((scope, scope) for scope in self._bound)]
        for scope, other_scope in pairs:
            if {scope, other_scope} == _EXCLUSIVE:
                continue
            if action in self._bound[scope]:
                self._refuse_shared(action, self._bound[other_scope])
            if action in self._bound[other_scope]:
                self._refuse_shared(action, self._bound[scope])

    def _refuse_shared(self, action: str, others: Iterable[str]) -> None:
        """Refuse keys that an action shares with others.

        A clash of two actions is reported for one of them.
        """
        for other in others:
            if (other, action) in self._clashes:
                continue
            built_in = set(self._built_in(action)) & set(self._built_in(other))
            shared = set(self.keys(action)) & set(self.keys(other)) - built_in
            if shared and other != action:
                self._clashes.add((action, other))
                taken = f"{written(min(shared))} does {other} already ({self.does[other]})"
                raise UsageError(f"{self._where(action)}: {taken}; give one of them another key")

    def _where(self, action: str) -> str:
        return self._sources.get(f"keys.{action}", self._sources.get("keys", "[keys]"))


def actions_in(text: str) -> list[str]:
    """The actions whose keys a text has places for."""
    return _PLACE.findall(text)


def written(key: str) -> str:
    """A key as people write it: Ctrl+R, PgDn, ]."""
    *modifiers, name = key.split("+") if len(key) > 1 else [key]
    character = key_to_character(name)
    if name in _WRITTEN:
        shown = _WRITTEN[name]
    elif character and character.isprintable():
        shown = character
    else:
        shown = name.capitalize()
    # People write Ctrl+R, although no Shift is pressed.
    if modifiers and len(shown) == 1:
        shown = shown.upper()
    return "+".join([*(modifier.capitalize() for modifier in modifiers), shown])


def _nearest(action: str, known: Iterable[str]) -> list[str]:
    """The known actions that the user probably meant, the likeliest first.

    A name without a dot is compared with the last part of each action.
    """
    names = list(known)
    if "." in action:
        near_names = get_close_matches(action, names, n=_MOST_NEAR, cutoff=_NEAR)
        return near_names or get_close_matches(action, names, n=1, cutoff=0.0)
    ends = [name.rpartition(".")[2] for name in names]
    near = get_close_matches(action, ends, n=1, cutoff=0.0)[0]
    return [name for name, end in zip(names, ends, strict=True) if end == near][:_MOST_NEAR]


def _split(keys: str) -> list[str]:
    """Split keys at commas or blanks; a lone comma is a key."""
    if keys.strip() == ",":
        return ["comma"]
    return [_named(name) for name in re.split(r"[,\s]+", keys.strip()) if name]


def _named(key: str) -> str:
    """Turn a key as users write it into Textual's name for it."""
    if len(key) == 1:
        return _character_to_key(key)
    *modifiers, name = key.split("+")
    lower = name.lower()
    return "+".join([*(modifier.lower() for modifier in modifiers), _ALIASES.get(lower, lower)])


def _checked(key: str, where: str) -> str:
    """Return a key if it exists.

    Raises:
        UsageError: There is no such key.
    """
    *modifiers, name = key.split("+") if len(key) > 1 else [key]
    known_names = _NAMED | set(_WRITTEN)
    # Textual takes Unicode's names of characters for keys, too; no keyboard has a banana.
    known = (
        (len(name) == 1 and name.isprintable())
        or name in known_names
        or (key_to_character(name) or "é").isascii()
    )
    if known and all(modifier in _MODIFIERS for modifier in modifiers):
        return key
    candidates = [*_NAMED, *(f"ctrl+{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")]
    near = get_close_matches(key, candidates, n=1, cutoff=0.0)
    raise UsageError(f"{where}: there is no key {key!r}; the nearest is {near[0]!r}")
