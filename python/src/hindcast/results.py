"""Results: figures, tables, checks and charts of a finished run."""

from __future__ import annotations

import html
import math
import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from . import _native
from .units import SECOND


class Verdict(NamedTuple):
    """What `Result.verify` says: true if the schedule holds."""

    holds: bool
    #: each violation: rule, at (ns), id of the task, text
    violations: list[dict[str, Any]]
    #: how many things were held to each rule
    checked: dict[str, int]

    def __bool__(self) -> bool:
        return self.holds


class Table:
    """A table of columns, in Arrow's layout.

    pandas, polars, DuckDB and pyarrow take it as it is and without a copy (`pyarrow.table(t)`,
    `polars.DataFrame(t)`, `duckdb.from_arrow(t)`), and so do `t.to_pandas()` and `t.to_polars()`; `t["wait"]`
    is a column as a memoryview, which `numpy.asarray` takes. Times are durations in ns.
    """

    def __init__(self, native: _native.Columns) -> None:
        self._native = native

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return self._native.__arrow_c_array__(requested_schema)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    @property
    def types(self) -> dict[str, str]:
        """Columns in their order, each int, duration (ns), real or text."""
        return self._native.types()

    @property
    def columns(self) -> list[str]:
        return list(self._native.types())

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, key: str | int) -> Any:
        """A column of numbers by its name, as a memoryview that is not a copy; a row by its number, as a
        dict.

        Where a row has no value the memoryview has a number of its own there: `t.list(name)` has None.
        """
        if isinstance(key, str):
            return self._native.buffer(key)
        return self._native.row(key + len(self) if key < 0 else key)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self._native.row(i) for i in range(len(self)))

    def list(self, name: str) -> list[Any]:
        """A column as a list; None: there is no value."""
        return self._native.list(name)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame (by pyarrow)."""
        import pyarrow

        return pyarrow.table(self).to_pandas()

    def to_polars(self) -> Any:
        """A polars.DataFrame."""
        import polars

        return polars.DataFrame(self)

    def to_arrow(self) -> Any:
        """A pyarrow.Table."""
        import pyarrow

        return pyarrow.table(self)

    def to_parquet(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Write a Parquet file (by pyarrow)."""
        import pyarrow.parquet

        pyarrow.parquet.write_table(self.to_arrow(), os.fspath(path), **options)

    def to_ipc(self, path: str | os.PathLike[str]) -> None:
        """Write a file of Arrow's IPC format, which is also Feather's (by pyarrow)."""
        import pyarrow

        table = self.to_arrow()
        with pyarrow.OSFile(os.fspath(path), "wb") as f, pyarrow.ipc.new_file(f, table.schema) as writer:
            writer.write_table(table)

    def __repr__(self) -> str:
        return f"<table of {len(self):,} rows: {', '.join(self.columns)}>"


class Result:
    """What a run came to. `hindcast.run` returns one, `hindcast.open_result` reads a stored one."""

    def __init__(
        self,
        native: _native.Result,
        path: str | None = None,
        stories: Mapping[int, list[tuple[int, str]]] | None = None,
    ) -> None:
        self._native = native
        self._stories = dict(stories or {})
        self._tasks: Table | None = None
        #: the file that it is stored in; None: it is in memory alone
        self.path = path

    # ---- figures ----

    @property
    def figures(self) -> dict[str, float]:
        """Figures of the summary over all tasks, by name: `result.figures["wait_mean"]`."""
        return self.summary("all")

    def summary(self, scope: str = "all") -> dict[str, float]:
        """Figures by name, over all tasks or over those that a trim keeps ("trimmed")."""
        return {
            name: math.nan if value is None else float(value)
            for of, name, _, value in self._native.rows("summary", 4)
            if of == scope
        }

    @property
    def units(self) -> dict[str, str]:
        """The unit of each figure."""
        return {name: unit for _, name, unit, _ in self._native.rows("summary", 4)}

    def table(self, name: str, scope: str = "all") -> dict[int, dict[str, float]]:
        """A table of figures, such as by_user: figures by name for each key."""
        out: dict[int, dict[str, float]] = {}
        for of, tab, key, figure, _, value in self._native.rows("cells", 6):
            if of == scope and tab == name:
                out.setdefault(int(key), {})[figure] = math.nan if value is None else float(value)
        return out

    @property
    def tables(self) -> list[str]:
        """The names of its tables of figures."""
        return list(dict.fromkeys(row[1] for row in self._native.rows("cells", 6)))

    @property
    def counts(self) -> dict[str, int]:
        """How many tasks ended in each state."""
        return {state: int(n) for state, n in self._native.rows("finals", 2)}

    # ---- tasks ----

    @property
    def tasks(self) -> Table:
        """A row for each task: serial, id, submit, start, end, wait, response, processors, limit, estimate,
        run, user, group, executable, queue, partition, state, flags. Times are ns from the run's origin."""
        if self._tasks is None:
            self._tasks = Table(self._native.tasks())
        return self._tasks

    @property
    def series(self) -> Table:
        """Use and queue over time: at, busy, capacity (processors, or cores), waiting, running (tasks).

        Means over pieces of time that begin at `at` and cover the run, at most 512."""
        return Table(self._native.series())

    def why(self, serial: int) -> list[tuple[int, str]]:
        """Why a task waited: what was said of it, times in ns. run(..., explain=[serial]) asks for it."""
        if serial not in self._stories:
            raise KeyError(f"no story of task {serial} was kept: run(..., explain=[{serial}])")
        return self._stories[serial]

    # ---- what it was, and whether it holds ----

    def config(self, key: str) -> str | None:
        """A key of its configuration, as text."""
        return self._native.config(key)

    @property
    def configuration(self) -> dict[str, str]:
        """Every key as resolved."""
        return {row[0]: row[1] for row in self._native.rows("configuration", 3)}

    @property
    def machine(self) -> dict[str, Any]:
        """Its capacity, the units of a core, when its origin is (Unix time) and in which zone."""
        return self._native.facts()

    @property
    def digest(self) -> str:
        """Checksum of what was computed, from what: `hindcast digest` prints the same."""
        return self._native.digest()

    @property
    def schedule_digest(self) -> str:
        """Checksum of what happened alone."""
        return self._native.schedule_digest()

    def verify(self) -> Verdict:
        """Check the schedule from its records alone, with code that shares nothing with the engine."""
        return Verdict(*self._native.verify())

    # ---- other formats ----

    def export(self, format: str, **settings: Any) -> bytes:
        """The result in another format: `result.export("csv", table="tasks")`."""
        return self._native.export(format, *(f"{k}={'' if v is None else v}" for k, v in settings.items()))

    def gantt(self, **settings: Any) -> str:
        """The schedule as a chart: an SVG."""
        return self.export("gantt", **settings).decode()

    def _shown(self) -> list[tuple[str, float, str]]:
        usual = ("tasks", "wait_mean", "bounded_slowdown_mean", "utilisation", "makespan")
        figures, units = self.figures, self.units
        return [(name, figures[name], units[name].replace("1", "")) for name in usual if name in figures]

    def __repr__(self) -> str:
        said = ", ".join(f"{name} {value:.6g} {unit}".rstrip() for name, value, unit in self._shown())
        return f"<result of {self.config('policy')}: {said}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td style='text-align:right'>{value:,.6g}</td>"
            f"<td>{html.escape(unit)}</td></tr>"
            for name, value, unit in self._shown()
        )
        title = html.escape(self.config("policy") or "")
        return f"<table><caption>{title}</caption>{rows}</table>"


def open_result(path: str | os.PathLike[str]) -> Result:
    """A stored result."""
    name = os.fspath(path)
    return Result(_native.Result(_native.Registry(), name), name)


__all__ = ["SECOND", "Result", "Table", "Verdict", "open_result"]
