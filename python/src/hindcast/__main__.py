"""python -m hindcast export RESULT FILE: a table of a result as Parquet, or in Arrow's IPC format."""

from __future__ import annotations

import argparse
import sys

from . import Error, open_result
from .studies import Study

TABLES = ("tasks", "series", "points")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m hindcast", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    export = commands.add_parser("export", help="write a table of a result, or the points of a study")
    export.add_argument("result", help="a stored result, or the store of a study (--table points)")
    export.add_argument("file", help="what is written: FILE.parquet, or FILE.arrow")
    export.add_argument("--table", choices=TABLES, default="tasks", help="which table; default: tasks")
    said = parser.parse_args()
    if not said.file.endswith((".parquet", ".arrow")):
        parser.error(f"{said.file}: name it .parquet or .arrow; `hindcast export` writes other formats")
    try:
        if said.table == "points":
            table = Study(said.result).points
        else:
            table = getattr(open_result(said.result), said.table)
        if said.file.endswith(".parquet"):
            table.to_parquet(said.file)
        else:
            table.to_ipc(said.file)
    except (Error, OSError) as e:
        print(f"hindcast: {e}", file=sys.stderr)
        return 2
    except ImportError:
        print(
            "hindcast: pyarrow writes these formats, and is not installed: pip install pyarrow",
            file=sys.stderr,
        )
        return 2
    print(f"{said.file}: {len(table):,} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
