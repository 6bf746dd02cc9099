"""Runs and results: the command's figures and digests, tables, errors with a place."""

import array
import math
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import hindcast
from support import HINDCAST, LOG, command, log


class Runs(unittest.TestCase):
    @unittest.skipUnless(HINDCAST, "HINDCAST names no command")
    def test_the_command_comes_to_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/command.db"
            command("run", str(LOG), "--set", "policy=easy", "--quiet", "--output", path)
            theirs, ours = hindcast.open_result(path), hindcast.run(log(), policy="easy")
            self.assertEqual(ours.digest, command("digest", path).split()[0])
            self.assertEqual(ours.digest, theirs.digest)
            self.assertEqual(ours.figures, theirs.figures)

    def test_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "kept.db"
            r = hindcast.run(log(tasks=200), policy="easy", output=path)
            again = hindcast.open_result(path)
            self.assertEqual((again.digest, again.figures, again.counts), (r.digest, r.figures, r.counts))
            self.assertEqual(again.tasks.list("start"), r.tasks.list("start"))

    def test_a_run_file_and_keys_over_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "run.yaml"
            path.write_text(
                f'source: {{use: swf, file: "{LOG}"}}\n'
                "transforms: [{use: first, count: 100}]\npolicy: fcfs\n"
            )
            self.assertEqual(hindcast.run(path).config("policy.select"), "blocking")
            r = hindcast.run(path, policy="easy", policy__select__depth=2)
            self.assertEqual((r.config("policy.select"), r.config("policy.select.depth")), ("easy", "2"))
            self.assertEqual(r.config("nothing"), None)

    def test_figures_are_those_of_the_tasks(self):
        r = hindcast.run(log(), policy="easy")
        waits = r.tasks["wait"]
        self.assertEqual(len(waits), 5000)
        self.assertTrue(
            math.isclose(r.figures["wait_mean"], sum(waits) / len(waits) / hindcast.SECOND, rel_tol=1e-12)
        )
        self.assertEqual(sum(r.counts.values()), 5000)
        self.assertEqual(r.tasks.list("state").count("killed"), r.counts["killed"])
        self.assertEqual(r.units["wait_mean"], "s")

    def test_steps(self):
        r = hindcast.Run(log(tasks=50), policy="easy")
        steps = 0
        while r.step():
            steps += 1
        self.assertEqual(r.progress["instants"], steps)
        at = hindcast.Run(log(tasks=50), policy="easy")
        self.assertTrue(at.advance(until=hindcast.HOUR))
        self.assertLessEqual(at.now, hindcast.HOUR)
        at.advance()
        self.assertEqual(at.finish().digest, r.finish().digest)

    def test_a_run_that_is_not_over(self):
        r = hindcast.Run(log(tasks=50), policy="easy")
        r.advance(instants=10)
        with self.assertRaisesRegex(RuntimeError, "advance"):
            r.finish()

    def test_threads_run_side_by_side(self):
        digests = []
        work = [
            threading.Thread(target=lambda: digests.append(hindcast.run(log(), policy="conservative").digest))
            for _ in range(4)
        ]
        for w in work:
            w.start()
        for w in work:
            w.join()
        self.assertEqual(len(set(digests)), 1)

    def test_one_run_is_not_for_two_threads(self):
        caught = []

        class Reentrant(hindcast.Policy):
            def decide(self, view, plan):
                try:
                    r.advance()
                except RuntimeError as e:
                    caught.append(str(e))
                plan.start_heads()

        r = hindcast.Run(log(tasks=5), policy=Reentrant)
        r.advance()
        self.assertIn("another thread", caught[0])

    def test_it_is_cancelled(self):
        r = hindcast.Run(log(), policy="easy")
        r.cancel()
        with self.assertRaises(hindcast.Error) as caught:
            r.advance()
        self.assertEqual(caught.exception.code, "HC_ECANCELLED")

    def test_stories(self):
        r = hindcast.run(log(tasks=300), policy="easy", explain=[200])
        self.assertTrue(any("starts" in text for _, text in r.why(200)))
        with self.assertRaises(KeyError):
            r.why(3)

    def test_a_result_outlives_its_run(self):
        tasks = hindcast.run(log(tasks=30), policy="easy").tasks
        ends = tasks["end"]
        del tasks
        self.assertEqual(len(list(ends)), 30)


class Tables(unittest.TestCase):
    def test_columns(self):
        t = hindcast.run(log(tasks=20), policy="easy", until="2h").tasks
        self.assertEqual(t.types["start"], "duration")
        self.assertEqual(len(t.list("id")), len(t))
        self.assertEqual(t[0]["id"], t.list("id")[0])
        self.assertEqual(t[-1], list(t)[-1])
        self.assertIn(None, t.list("executable"))
        self.assertTrue(t["id"].readonly)
        self.assertEqual(array.array("q", t["id"]).tolist(), t.list("id"))
        for wrong in ("no such column", "state"):
            with self.assertRaises((KeyError, TypeError)):
                t[wrong]
        with self.assertRaises(IndexError):
            t[len(t)]

    def test_arrow(self):
        """The capsules have the names and the life of Arrow's PyCapsule interface; what is left is freed."""
        t = hindcast.run(log(tasks=20), policy="easy").tasks
        self.assertIn('"arrow_schema"', repr(t.__arrow_c_schema__()))
        self.assertEqual(
            [repr(c).split('"')[1] for c in t.__arrow_c_array__()], ["arrow_schema", "arrow_array"]
        )
        self.assertIn('"arrow_array_stream"', repr(t.__arrow_c_stream__()))

    def test_others_take_it_without_a_copy(self):
        try:
            import numpy
            import pyarrow
        except ImportError:
            self.skipTest("numpy and pyarrow are not installed")
        t = hindcast.run(log(tasks=200), policy="easy").tasks
        table = pyarrow.table(t)
        self.assertEqual(table.num_rows, 200)
        column = numpy.asarray(t["wait"])
        self.assertEqual(table["wait"].chunk(0).buffers()[1].address, column.__array_interface__["data"][0])
        self.assertEqual(table["executable"].null_count, t.list("executable").count(None))

    def test_others_count_the_same(self):
        t = hindcast.run(log(tasks=200), policy="easy").tasks
        waits = sum(t["wait"])
        counted = 0
        for name, count in (
            ("pandas", lambda pandas: t.to_pandas()["wait"].sum().value),
            (
                "polars",
                lambda polars: int(polars.DataFrame(t)["wait"].sum().total_seconds() * hindcast.SECOND),
            ),
            ("pyarrow", lambda pyarrow: pyarrow.compute.sum(pyarrow.table(t)["wait"].cast("int64")).as_py()),
            (
                "duckdb",
                lambda duckdb: int(duckdb.from_arrow(t).aggregate("sum(epoch(wait))").fetchall()[0][0] * 1e9),
            ),
        ):
            try:
                module = __import__(f"{name}.compute" if name == "pyarrow" else name)
            except ImportError:
                continue
            with self.subTest(package=name):
                self.assertEqual(count(module), waits)
                counted += 1
        if counted == 0:
            self.skipTest("none of pandas, polars, pyarrow and duckdb is installed")

    def test_parquet(self):
        try:
            import pyarrow.parquet
        except ImportError:
            self.skipTest("pyarrow is not installed")
        t = hindcast.run(log(tasks=50), policy="easy").tasks
        with tempfile.TemporaryDirectory() as folder:
            t.to_parquet(f"{folder}/tasks.parquet")
            back = pyarrow.parquet.read_table(f"{folder}/tasks.parquet")
            self.assertEqual(back["wait"].cast("int64").to_pylist(), t.list("wait"))
            r = hindcast.run(log(tasks=50), policy="easy", output=f"{folder}/r.db")
            for table, rows in (("tasks", 50), ("series", len(r.series))):
                done = self.main("export", f"{folder}/r.db", f"{folder}/x.arrow", "--table", table)
                self.assertEqual(done.returncode, 0, done.stderr)
                with pyarrow.OSFile(f"{folder}/x.arrow") as f:
                    self.assertEqual(pyarrow.ipc.open_file(f).read_all().num_rows, rows)

    def main(self, *words):
        return subprocess.run([sys.executable, "-m", "hindcast", *words], capture_output=True, text=True)

    def test_an_export_that_cannot_be(self):
        self.assertIn("name it .parquet or .arrow", self.main("export", "r.db", "x.csv").stderr)
        done = self.main("export", "/nowhere.db", "x.arrow")
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nowhere.db", done.stderr)

    def test_series(self):
        """The mean of busy over the pieces is the work done over the time that they cover."""
        for cell, units in (("count", 1), ("hosts", 1)):
            more = (
                {}
                if cell == "count"
                else {"cell": {"use": "hosts", "classes": [{"count": 32, "name_prefix": "h", "cpus": 4}]}}
            )
            r = hindcast.run({**log(tasks=500), **more}, policy="easy")
            s = r.series
            width = s["at"][1] - s["at"][0]
            work = sum(
                p * (e - b)
                for p, b, e in zip(r.tasks["processors"], r.tasks["start"], r.tasks["end"], strict=True)
            )
            self.assertEqual(set(s.list("capacity")[:-1]), {128.0 * units})
            self.assertLess(abs(sum(s["busy"]) * width - work) / work, 0.01)
            self.assertEqual(s.types["at"], "duration")

    def test_cells(self):
        r = hindcast.run({**log(tasks=300), "metrics": ["wait", "by_user"]}, policy="easy")
        self.assertEqual(r.tables, ["by_user"])
        users = r.table("by_user")
        self.assertEqual(sum(of["tasks"] for of in users.values()), 300)


class Mistakes(unittest.TestCase):
    def test_errors_have_a_place(self):
        for wrong, where, text in (
            ({"source": {"use": "swf", "file": "/nowhere.swf"}}, "/nowhere.swf", ""),
            ({"source": {"use": "lublin", "speed": 3}}, "configuration", "unknown key"),
            ({**log(), "policy": "eazy"}, "configuration", 'did you mean "easy"'),
        ):
            with self.assertRaises(hindcast.Error) as caught:
                hindcast.run(wrong)
            self.assertIn(where, str(caught.exception))
            self.assertIn(text, str(caught.exception))
        self.assertEqual((caught.exception.code, caught.exception.line), ("HC_EUSAGE", 1))

    def test_files_that_are_no_results(self):
        with self.assertRaises(hindcast.Error):
            hindcast.open_result(__file__)
        with self.assertRaises(hindcast.Error):
            hindcast.open_result("/nowhere.db")

    def test_an_output_is_no_input(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "run.yaml"
            path.write_text("source: lublin\n")
            with self.assertRaises(hindcast.Error):
                hindcast.run(path, output=path)
            self.assertEqual(path.read_text(), "source: lublin\n")


class Documents(unittest.TestCase):
    def test_examples_in_the_texts(self):
        import doctest
        import importlib

        for name in (
            "hindcast",
            "hindcast.runs",
            "hindcast.configs",
            "hindcast.units",
            "hindcast.results",
            "hindcast.components",
            "hindcast.tables",
        ):
            with self.subTest(module=name):
                done = doctest.testmod(importlib.import_module(name))
                self.assertEqual(done.failed, 0)


if __name__ == "__main__":
    unittest.main()
