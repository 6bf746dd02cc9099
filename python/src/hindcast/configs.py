"""Configurations: what a dict, a file or an argument by name says, laid into the library's layers."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from . import _native
from .components import Component, is_component

Source = Mapping[str, Any] | str | os.PathLike[str]


class Collected:
    """A registry, and the classes of Python that are added to it as they are met."""

    def __init__(self) -> None:
        self.registry = _native.Registry()
        self.classes: dict[tuple[str, str], type[Component]] = {}

    def name_of(self, cls: type[Component]) -> str:
        have = self.classes.setdefault((cls.kind, cls.name), cls)
        if have is not cls:
            raise ValueError(f"two classes are called {cls.name}: {have.__qualname__} and {cls.__qualname__}")
        return cls.name

    def plain(self, value: Any) -> Any:
        """What JSON can say: a class in place of a component is its name."""
        if is_component(value):
            return self.name_of(value)
        if isinstance(value, Mapping):
            return {str(k): self.plain(v) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.plain(v) for v in value]
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        if hasattr(value, "item") and not isinstance(value, (str, bytes)):
            return value.item()  # numbers of numpy
        return value


def configure(
    source: Source, components: tuple[type[Component], ...], overrides: Mapping[str, Any]
) -> tuple[_native.Registry, _native.Config]:
    """A configuration of a dict or a run file, under keys that are set one by one; and its components."""
    collected = Collected()
    for cls in components:
        collected.name_of(cls)
    text = json.dumps(collected.plain(source)) if isinstance(source, Mapping) else os.fspath(source)
    settings = {key.replace("__", "."): collected.plain(value) for key, value in overrides.items()}
    for cls in collected.classes.values():
        collected.registry.add(cls)
    config = _native.Config(collected.registry)
    if isinstance(source, Mapping):
        config.text(text, "configuration")
    else:
        config.file(text)
    for key, value in settings.items():
        config.set(f"{key}={json.dumps(value)}")
    return collected.registry, config


def components(kind: str | None = None) -> dict[str, str] | list[str]:
    """The components of a kind with what each is; without one, the kinds.

    >>> components("order")["sjf"]
    'shortest estimate first'
    """
    registry = _native.Registry()
    return registry.kinds() if kind is None else dict(registry.components(kind))


def describe(source: Source, /, **overrides: Any) -> dict[str, str]:
    """Every key of a configuration as resolved.

    >>> describe({"source": "lublin", "policy": "easy"})["policy.select"]
    'easy'
    """
    return {path: value for path, value, _ in configure(source, (), overrides)[1].keys()}
