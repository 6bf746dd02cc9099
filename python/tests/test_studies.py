"""Studies: the same bytes by the command, from here and by a pool of processes."""

import pathlib
import tempfile
import unittest
from concurrent.futures import ProcessPoolExecutor

import hindcast
from support import HINDCAST, LOG, ROOT, command

STUDY = {
    "study": {
        "name": "policies",
        "base": {"source": str(LOG), "transforms": [{"use": "first", "count": 500}]},
        "axes": {"policy": ["fcfs", "easy", "sjf+easy"]},
        "keep": ["wait_mean", "bounded_slowdown_mean"],
    }
}


class Studies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_points_are_runs(self):
        seen = []
        points = hindcast.study(STUDY, self.folder / "s.db", progress=lambda p: seen.append(p["done"])).points
        self.assertEqual(points.list("policy"), ["fcfs", "easy", "sjf+easy"])
        self.assertEqual(points.list("state"), ["done"] * 3)
        for policy, wait in zip(points.list("policy"), points.list("wait_mean"), strict=True):
            self.assertEqual(hindcast.run(STUDY["study"]["base"], policy=policy).figures["wait_mean"], wait)
        self.assertTrue(seen == sorted(seen) and seen[-1] <= 3)

    @unittest.skipUnless(HINDCAST, "HINDCAST names no command")
    def test_the_same_bytes(self):
        path = ROOT / "examples/studies/backfilling.yaml"
        command("study", "run", str(path), "--out", str(self.folder / "command.db"), "--quiet")
        hindcast.study(path, self.folder / "here.db", jobs=2)
        with ProcessPoolExecutor(2) as executor:
            hindcast.study(path, self.folder / "pool.db", executor=executor, shards=5)
        stores = {p.read_bytes() for p in self.folder.glob("*.db")}
        self.assertEqual(len(stores), 1)

    def test_it_is_stopped_and_goes_on(self):
        out = self.folder / "s.db"
        whole = hindcast.study(STUDY, self.folder / "whole.db")
        with self.assertRaises(hindcast.Error) as caught:
            hindcast.study(STUDY, out, progress=lambda p: False)
        self.assertEqual(caught.exception.code, "HC_ECANCELLED")
        with self.assertRaisesRegex(hindcast.Error, "resume"):
            hindcast.study(STUDY, out)
        self.assertEqual(
            hindcast.study(STUDY, out, resume=True).points.list("wait_mean"), whole.points.list("wait_mean")
        )

    def test_what_is_refused(self):
        class Mine(hindcast.Policy):
            "not for other processes"

        wrong = {"study": {**STUDY["study"], "axes": {"policy": [Mine, "easy"]}}}
        with self.assertRaisesRegex(ValueError, "not classes of Python"):
            hindcast.study(wrong, self.folder / "s.db")
        with self.assertRaisesRegex(hindcast.Error, "unknown key"):
            hindcast.study({"study": {"axis": 3}}, self.folder / "s.db")


if __name__ == "__main__":
    unittest.main()
