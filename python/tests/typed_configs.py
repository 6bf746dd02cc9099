"""Configurations with types, for mypy alone: what is marked with an error has to be one (mypy --strict says unused marks)."""

import hindcast
from hindcast.typed import Run


class Mine(hindcast.Policy):
    """A policy of one's own stands where a name would."""


whole: Run = {
    "source": {"use": "lublin", "tasks": 300},
    "cell": {"use": "hosts", "classes": [{"count": 4, "cpus": 2}]},
    "policy": {"use": "batch", "order": "sjf", "select": {"use": "easy", "depth": 2}},
    "strict": True,
}
default: Run = {"source": "log.swf", "policy": {"order": "sjf"}}
own: Run = {"source": ["a.swf", "b.swf"], "policy": Mine}
key: Run = {"polcy": "easy"}  # type: ignore[typeddict-unknown-key]
word: Run = {"policy": {"use": "batch", "select": {"use": "easy", "window": "wide"}}}  # type: ignore[typeddict-item]
name: Run = {"cell": "host"}  # type: ignore[typeddict-item]
