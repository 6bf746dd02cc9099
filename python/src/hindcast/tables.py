"""Jobs out of a table: a DataFrame of pandas or polars, a table of pyarrow, a file of Parquet or Arrow, a dict of lists."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator, Mapping
from typing import Any

from .components import Source
from .units import SECOND

TIMES = ("submit", "run", "limit", "wait", "not_before")
KEYS = (
    *TIMES,
    *("processors", "id", "user", "group", "executable", "queue", "partition", "priority", "job"),
    *("hosts", "cpu", "gpu", "memory", "disk"),
)
UNITS = {
    "s": SECOND,
    "ms": SECOND // 1000,
    "us": SECOND // 1_000_000,
    "ns": 1,
    "min": 60 * SECOND,
    "h": 3600 * SECOND,
}


def _columns(table: Any) -> Mapping[str, Any]:
    """Its columns by name: each a sequence, or a column of pyarrow."""
    if isinstance(table, str | os.PathLike):
        path = os.fspath(table)
        if path.endswith(".parquet"):
            import pyarrow.parquet

            table = pyarrow.parquet.read_table(path)
        elif path.endswith((".arrow", ".ipc", ".feather")):
            import pyarrow.feather

            table = pyarrow.feather.read_table(path)
        else:
            raise ValueError(
                f"{path}: name it .parquet or .arrow; other files are sources of the configuration"
            )
    if isinstance(table, Mapping):
        lengths = {len(column) for column in table.values()}
        if len(lengths) > 1:
            raise ValueError(
                f"the columns have {min(lengths)} to {max(lengths)} values; they are to have the same number"
            )
        return table
    import pyarrow

    whole = table if isinstance(table, pyarrow.Table) else pyarrow.table(table)
    return {name: whole.column(name) for name in whole.column_names}


def _values(column: Any, name: str, scale: int | None) -> tuple[list[Any], bool]:
    """What a column holds, times in ns; and whether these are dates, told from 1970."""
    is_date = False
    if hasattr(column, "combine_chunks"):  # of pyarrow: exact, whatever its unit is
        import pyarrow

        if scale is not None and (
            pyarrow.types.is_timestamp(column.type) or pyarrow.types.is_duration(column.type)
        ):
            is_date = pyarrow.types.is_timestamp(column.type)
            whole = pyarrow.timestamp("ns", column.type.tz) if is_date else pyarrow.duration("ns")
            return column.cast(whole).cast(pyarrow.int64()).to_pylist(), is_date
        column = column.to_pylist()
    values = []
    for row, x in enumerate(column):
        if x is None or x != x:  # NaN: nothing is known
            x = None
        elif scale is None:
            x = x.item() if hasattr(x, "item") else x
            x = int(x) if isinstance(x, float) and x.is_integer() else x  # a column in which something is missing
        elif isinstance(x, datetime.timedelta):
            x = (x.days * 86400 + x.seconds) * SECOND + x.microseconds * 1000
        elif isinstance(x, datetime.datetime):
            since = x.replace(tzinfo=x.tzinfo or datetime.UTC) - datetime.datetime(
                1970, 1, 1, tzinfo=datetime.UTC
            )
            x, is_date = (since.days * 86400 + since.seconds) * SECOND + since.microseconds * 1000, True
        else:
            try:
                x = x * scale if isinstance(x, int) else round(float(x) * scale)
            except (TypeError, ValueError, OverflowError):
                raise ValueError(
                    f"{name}, row {row}: {x!r} is no time; it wants a number, a duration or a date"
                ) from None
        values.append(x)
    return values, is_date


def from_table(table: Any, *, unit: str = "s", machine: int | None = None, **columns: str) -> type[Source]:
    """A source out of a table with a row for each job: `hindcast.run({"source": hindcast.from_table(jobs, run="elapsed")})`.

    The keys are those of `Source`; each is the column of its name, or the one that an argument names (`submit`
    and `run` have to be there). Times are durations, dates, or numbers in `unit` (s, ms, us, ns, min, h); dates
    count from the first submission, whose date the run gets. Rows may be in any order; of a value that is
    missing nothing is known. `machine`: the processors of the machine, if the configuration does not say it.
    What a table has of a job is kept as one dict of Python, so that a million rows take about a gigabyte: a
    log of that size is read sooner by a reader of the library.

    >>> import hindcast
    >>> jobs = {"submit": [0, 10, 20], "elapsed": [100, 50, 50], "processors": [4, 2, 2], "user": ["ann", "ben", "ann"]}
    >>> source = hindcast.from_table(jobs, run="elapsed", machine=4)
    >>> hindcast.run({"source": source, "policy": "fcfs"}).tasks.list("wait")
    [0, 90000000000, 80000000000]
    """
    if unit not in UNITS:
        raise ValueError(f"unit: {unit!r} is none of {', '.join(UNITS)}")
    if unknown := set(columns) - set(KEYS):
        raise TypeError(f"{sorted(unknown)[0]!r} is nothing of a job; there are {', '.join(KEYS)}")
    there = _columns(table)
    read: dict[str, list[Any]] = {}
    dates = set()
    for key in KEYS:
        name = columns.get(key, key)
        if name in there:
            read[key], is_date = _values(there[name], name, UNITS[unit] if key in TIMES else None)
            dates |= {key} if is_date else set()
        elif key in columns or key in ("submit", "run"):
            raise ValueError(
                f"there is no column {name!r}, for {key}; there are {', '.join(map(str, there))}"
            )
    submits = read["submit"]
    if None in submits:
        raise ValueError(f"row {submits.index(None)}: it has no time of submission; leave such rows out")
    if (
        dates - {"submit", "not_before"}
        or ("not_before" in dates) != ("submit" in dates)
        and "not_before" in read
    ):
        raise ValueError(
            f"{sorted(dates)[0]}: a date; submit and not_before are both dates or both no dates, all else is no date"
        )
    first = min(submits, default=0) // SECOND * SECOND if "submit" in dates else 0
    for key in dates:
        read[key] = [None if x is None else x - first for x in read[key]]
    order = sorted(range(len(submits)), key=read["submit"].__getitem__)

    class FromTable(Source):
        """jobs out of a table of Python"""

        processors = machine
        unix_start = first // SECOND if "submit" in dates else None

        def jobs(self) -> Iterator[Mapping[str, Any]]:
            for row in order:
                yield {key: values[row] for key, values in read.items() if values[row] is not None}

    return FromTable
