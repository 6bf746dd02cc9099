"""Jobs out of tables: what is in them becomes what a source of the configuration would have said."""

import datetime
import json
import tempfile
import unittest

import hindcast
from hindcast import SECOND, from_table
from support import LOG

try:
    import pandas
    import polars
    import pyarrow
except ImportError:
    pandas = None

JOBS = {
    "submit": [10, 0, 20],
    "elapsed": [50, 100, 50],
    "processors": [2, 4, 2],
    "user": ["ben", "ann", "ann"],
}


def waits(table, **said):
    return hindcast.run(
        {"source": from_table(table, run="elapsed", machine=4, **said)}, policy="fcfs"
    ).tasks.list("wait")


class Plain(unittest.TestCase):
    """Dicts of lists, which need no package."""

    def test_rows_come_by_submission(self):
        # The first holds all four processors until 100 s; the others fit together.
        self.assertEqual(waits(JOBS), [0, 90 * SECOND, 80 * SECOND])

    def test_units_and_fractions(self):
        self.assertEqual(
            waits({"submit": [0, 0.25], "elapsed": [1.5, 1], "processors": [4, 4]}), [0, 1_250_000_000]
        )
        self.assertEqual(
            waits({"submit": [0, 1], "elapsed": [2, 2], "processors": [4, 4]}, unit="min"), [0, 60 * SECOND]
        )

    def test_dates_count_from_the_first_second(self):
        day = datetime.datetime(2024, 3, 1, 12)
        table = {
            "submit": [day + datetime.timedelta(milliseconds=10_500), day],
            "elapsed": [datetime.timedelta(seconds=50)] * 2,
            "processors": [4, 4],
        }
        result = hindcast.run({"source": from_table(table, run="elapsed", machine=4)}, policy="fcfs")
        self.assertEqual(result.tasks.list("submit"), [0, 10_500_000_000])
        begun = int(json.loads(result.export("json"))["hindcast"]["unix_start"])
        self.assertEqual(begun, int(day.replace(tzinfo=datetime.UTC).timestamp()))

    def test_a_log_through_its_columns(self):
        easy = hindcast.run({"source": str(LOG)}, policy="easy")
        tasks = easy.tasks
        table = {name: tasks.list(name) for name in ("submit", "run", "limit", "processors", "user", "id")}
        again = hindcast.run({"source": from_table(table, unit="ns")}, policy="easy", cell={"procs": 128})
        self.assertEqual(again.tasks.list("start"), tasks.list("start"))

    def test_a_run_goes_on_from_a_snapshot(self):
        source = from_table(JOBS, run="elapsed", machine=4)
        run = hindcast.Run({"source": source}, policy="fcfs")
        run.advance(until=15 * SECOND)
        other = run.restore(run.snapshot())
        self.assertFalse(run.advance() or other.advance())
        self.assertEqual(other.finish().digest, run.finish().digest)

    def test_refused(self):
        for table, said, error in (
            ({"submit": [1], "run": ["soon"]}, {}, "run, row 0: 'soon' is no time"),
            ({"submit": [1, 2], "run": [1]}, {}, "the columns have 1 to 2 values"),
            ({"submit": [None], "run": [1]}, {}, "row 0: it has no time of submission"),
            ({"submit": [1]}, {}, "there is no column 'run', for run; there are submit"),
            ({"submit": [1], "run": [1]}, {"run": "elapsed"}, "there is no column 'elapsed'"),
            ({"submit": [1], "run": [1]}, {"unit": "day"}, "'day' is none of s, ms"),
            ({"submit": [1], "run": [datetime.datetime(2024, 1, 1)]}, {}, "run: a date"),
            ("jobs.csv", {}, "name it .parquet or .arrow"),
        ):
            with self.subTest(error), self.assertRaisesRegex(ValueError, error.replace("(", r"\(")):
                from_table(table, **said)
        with self.assertRaisesRegex(TypeError, "'procs' is nothing of a job"):
            from_table({"submit": [1], "run": [1]}, procs="n")


@unittest.skipIf(pandas is None, "no pandas, polars and pyarrow")
class Frames(unittest.TestCase):
    def test_all_say_the_same(self):
        frame = pandas.DataFrame(JOBS)
        frame["submit"] = pandas.to_datetime(frame["submit"], unit="s")
        frame["elapsed"] = pandas.to_timedelta(frame["elapsed"], unit="s")
        with tempfile.TemporaryDirectory() as folder:
            frame.to_parquet(folder + "/jobs.parquet")
            frame.to_feather(folder + "/jobs.arrow")
            for table in (
                frame,
                polars.from_pandas(frame),
                pyarrow.Table.from_pandas(frame),
                folder + "/jobs.parquet",
                folder + "/jobs.arrow",
            ):
                self.assertEqual(waits(table), waits(JOBS))

    def test_what_is_missing_is_not_known(self):
        frame = pandas.DataFrame(
            {"submit": [0, 1], "elapsed": [5, 5], "processors": [4, 4], "limit": [10, None]}
        )
        result = hindcast.run({"source": from_table(frame, run="elapsed", machine=4)}, policy="fcfs")
        self.assertEqual(result.tasks.list("limit"), [10 * SECOND, None])


if __name__ == "__main__":
    unittest.main()
