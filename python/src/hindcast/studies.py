"""Studies: many runs from one description, carried out here or wherever an executor has workers."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, as_completed
from typing import Any

from . import _native
from .configs import Collected, Source
from .results import Table


class Study:
    """A stored study: `study` carries one out, and `Study(path)` opens what the command wrote."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._points: Table | None = None

    @property
    def points(self) -> Table:
        """A row for each point: the label of each axis, its state, and its figures."""
        if self._points is None:
            self._points = Table(_native.study_table(self.path))
        return self._points

    def __repr__(self) -> str:
        return f"<study of {len(self.points)} points in {self.path}>"


def _read(source: Source) -> tuple[str, str]:
    """The text of a study, and what errors call it."""
    if isinstance(source, Mapping):
        collected = Collected()
        text = json.dumps(collected.plain(source))
        if collected.classes:
            raise ValueError(
                "a study names components of the library or of a shared object, not classes of Python: "
                "its points are carried out by processes that know nothing of these"
            )
        return text, "study"
    path = os.fspath(source)
    with open(path, encoding="utf-8") as f:
        return f.read(), path


def _shard(text: str, name: str, out: str, shard: int, shards: int) -> None:
    """One part, by a worker of an executor: it has nothing but these words."""
    _native.Study(_native.Registry(), text, name).carry_out(
        out, jobs=1, shard=shard, shards=shards, resume=True
    )


def study(
    source: Source,
    /,
    output: str | os.PathLike[str],
    *,
    jobs: int = 0,
    executor: Executor | Any = None,
    shards: int = 0,
    resume: bool = False,
    again: bool = False,
    progress: Callable[[dict[str, Any]], bool | None] | None = None,
) -> Study:
    """Carry a study out, and store it in `output`.

    `source` is a dict with the key `study`, or the path of a study file (docs/studies.md). Points are carried
    out by `jobs` processes (0: one a core), or, with an `executor` that has the interface of
    concurrent.futures (a process pool, Dask's, Ray's), as so many shards of it, whose workers have to see the
    folder of `output`. The store is the same to the byte however it was carried out, and the command reads
    it. `resume` goes on with one that was begun, `again` forgets it. `progress` is told some ten times a
    second how far it is; False from it stops it, and what is done is kept.
    """
    text, name = _read(source)
    out = os.fspath(output)
    registry = _native.Registry()
    whole = _native.Study(registry, text, name)
    if executor is None:
        whole.carry_out(out, jobs=jobs, resume=resume, again=again, tell=progress)
        return Study(out)
    points = whole.facts()["points"]
    count = min(points, shards or 4 * (getattr(executor, "_max_workers", None) or os.cpu_count() or 1))
    parts = [f"{out}.points-{k}-of-{count}" for k in range(1, count + 1)]
    if not resume:
        for part in parts:
            if os.path.exists(part):
                if not again:
                    raise FileExistsError(f"{part}: this study was begun before; resume=True goes on with it")
                os.remove(part)
    waiting = [executor.submit(_shard, text, name, out, k, count) for k in range(1, count + 1)]
    for n, one in enumerate(as_completed(waiting), 1):
        one.result()
        if progress is not None and progress({"shards": count, "done": n}) is False:
            for other in waiting:
                other.cancel()
            raise KeyboardInterrupt("the study was stopped; resume=True goes on with it")
    _native.merge_study(registry, out, parts)
    for part in parts:
        os.remove(part)
    return Study(out)
