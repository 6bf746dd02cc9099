"""What is kept longer than it is of use, and calls that come while another is under way, are errors."""

import gc
import threading
import unittest

import hindcast
from hindcast import _native
from support import log

OUTSIDE = {"use": "outside", "asks": ["needs_estimate"]}


class Ends:
    """a number, and a list of one host, whose reading ends the call that it is given to"""

    def __init__(self, run):
        self.run = run

    def __index__(self):
        self.run.decide()
        return 0

    def __len__(self):
        return 1

    def __getitem__(self, i):
        self.run.decide()
        return i


class Lifetimes(unittest.TestCase):
    def test_a_queue_of_an_earlier_call(self):
        said = []

        class Keeps(hindcast.Policy):
            "goes on with the queue of its first call"

            asks = ("ignores_time",)
            queue = None

            def __getstate__(self):
                return {}

            def decide(self, view, plan):
                self.queue = self.queue or view.queue()
                try:
                    said.append(next(self.queue, None))
                except RuntimeError as e:
                    said.append(str(e))
                plan.start_heads()

        hindcast.run(log(tasks=5), policy=Keeps)
        self.assertEqual(set(said[1:]), {"a queue is of use during the call that has shown it"})

    def test_a_view_and_a_plan_outlive_their_run(self):
        run = hindcast.Run(log(tasks=5), policy=OUTSIDE)
        view, plan = run.wait_decision()
        task = next(view.queue())
        del run
        gc.collect()
        for ask in (lambda: view.now, lambda: task.units, lambda: plan.start(task), plan.mark):
            self.assertRaises(RuntimeError, ask)

    def test_an_argument_ends_the_call(self):
        """Its number is read first, and what then is no view any more is not asked."""
        asks = {
            "least_free": lambda v, p, t, x: v.least_free(0, x),
            "earliest": lambda v, p, t, x: v.earliest(t, x),
            "queue": lambda v, p, t, x: v.queue(max_units=x),
            "start": lambda v, p, t, x: p.start(t, x),
            "wake": lambda v, p, t, x: p.wake(x),
            "reserve": lambda v, p, t, x: p.reserve(t, x),
            "power": lambda v, p, t, x: p.power(0, True, x),
            "stop": lambda v, p, t, x: p.stop(t, grace=x),
            "resize": lambda v, p, t, x: p.resize(t, x),
        }
        for name, ask in asks.items():
            run = hindcast.Run(log(tasks=5), policy=OUTSIDE)
            view, plan = run.wait_decision()
            task = next(view.queue())
            with self.subTest(call=name), self.assertRaises(RuntimeError):
                ask(view, plan, task, Ends(run))

    def test_no_column_of_nothing(self):
        with self.assertRaises(TypeError):
            _native.Column()

    def test_hosts_that_there_are_not(self):
        cell = {"use": "hosts", "classes": [{"count": 32, "name_prefix": "h", "cpus": 4}]}
        run = hindcast.Run({**log(tasks=5), "cell": cell}, policy=OUTSIDE)
        view, plan = run.wait_decision()
        task = next(view.queue())
        self.assertIsNone(view.host_free(2**32))
        for hosts in ([2**32], [(2**32, 1)], [(0, 2**32)]):
            self.assertRaises(ValueError, plan.start, task, hosts)
        self.assertRaises(OverflowError, plan.start, task, [(-1, 1)])


class Reentrancy(unittest.TestCase):
    def test_a_state_that_carries_its_run_on(self):
        runs, said = [], []

        class Hostile(hindcast.Policy):
            "asks its run for what its run is asking it for"

            asks = ("ignores_time",)

            def __getstate__(self):
                for run in runs:
                    for call in (run.advance, run.digest, run.snapshot, lambda: run._native.finish()):
                        try:
                            said.append(call())
                        except RuntimeError as e:
                            said.append(str(e).split(",")[0])
                return {}

            def decide(self, view, plan):
                plan.start_heads()

        whole = hindcast.run(log(tasks=50), policy=Hostile)
        runs.append(hindcast.Run(log(tasks=50), policy=Hostile))
        runs[0].advance(instants=5)
        runs[0].digest()
        runs[0].snapshot()
        self.assertEqual(set(said), {"another thread carries this run on"})
        runs[0].advance()
        run = runs.pop()
        self.assertEqual(run.finish().schedule_digest, whole.schedule_digest)

    def test_a_plan_is_closed_while_it_acts(self):
        said = set()

        class Eager(hindcast.Policy):
            "starts a task from within the start of another"

            asks = ("ignores_time",)
            plan = None

            def __getstate__(self):
                return {}

            def decide(self, view, plan):
                self.plan = plan
                plan.start_heads()

            def on_task(self, event, view, task, amounts):
                if event == "dequeued":
                    try:
                        self.plan.start_heads()
                    except RuntimeError as e:
                        said.add(str(e))

        r = hindcast.run(log(tasks=100), policy=Eager)
        self.assertEqual(said, {"a plan is of use during the call that it was given to"})
        self.assertEqual(r.schedule_digest, hindcast.run(log(tasks=100), policy="fcfs").schedule_digest)

    def test_a_result_while_its_run_goes_on(self):
        """The store is written by the run: a result in memory is not read beside it."""
        said = []

        class Looks(hindcast.Metric):
            "reads the result that it is part of"

            figures = {"seen": hindcast.Figure("1", "none", "a number")}
            result = None

            def __getstate__(self):
                return {}

            def finish(self):
                try:
                    said.append(Looks.result.tasks())
                except RuntimeError as e:
                    said.append(str(e))
                return {"seen": 1}

        run = hindcast.Run({**log(tasks=10), "metrics": [Looks]}, policy="easy")
        Looks.result = run._native.result()
        run.advance()
        run.finish()
        Looks.result = None
        self.assertEqual(said, ["another thread reads this result or carries its run on"])

    def test_results_in_threads(self):
        r = hindcast.run(log(tasks=200), policy="easy")
        found, refused = [], []

        def read():
            try:
                found.append(len(r._native.tasks()))
            except RuntimeError as e:
                refused.append(e)

        threads = [threading.Thread(target=read) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(set(found), {200})
        self.assertEqual(len(found) + len(refused), 8)


class Sources(unittest.TestCase):
    def test_an_exception_in_a_thread_of_the_library(self):
        class Bad(hindcast.Source):
            "divides by zero"

            processors = 8

            def jobs(self):
                yield {"submit": 0, "run": hindcast.SECOND, "processors": 3}
                raise ZeroDivisionError("of no use")

        with self.assertRaisesRegex(ZeroDivisionError, "of no use"):
            hindcast.run({"source": Bad, "threads": 1}, policy="fcfs")
        with self.assertRaisesRegex(hindcast.Error, "at job 2: ZeroDivisionError: of no use"):
            hindcast.run({"source": Bad, "threads": 2}, policy="fcfs")
        self.assertEqual(hindcast.run(log(tasks=5), policy="fcfs").counts["completed"], 5)

    def test_amounts_that_are_no_amounts(self):
        cell = {"use": "hosts", "classes": [{"count": 2, "name_prefix": "h", "cpus": 4, "gpus": 1}]}
        for field, amount in (("cpu", float("nan")), ("cpu", float("inf")), ("cpu", -2), ("gpu", 1e300)):

            class Wrong(hindcast.Source):
                "one job"

                row = {"submit": 0, "run": 1, field: amount}

                def jobs(self):
                    yield self.row

            with self.subTest(field=field, amount=amount), self.assertRaisesRegex(ValueError, field):
                hindcast.run({"source": Wrong, "cell": cell}, policy="fcfs")


class States(unittest.TestCase):
    def test_slots(self):
        class Mixed(hindcast.Policy):
            "a class with a slot, beside attributes"

            __slots__ = ("n",)
            asks = ("ignores_time",)

            def __init__(self):
                self.n = 0
                self.seen = []

            def decide(self, view, plan):
                self.n += 1
                self.seen.append(view.now)
                plan.start_heads()

        run = hindcast.Run(log(tasks=50), policy=Mixed)
        run.advance(instants=20)
        other = run.fork()
        self.assertEqual(other.digest(), run.digest())
        self.assertFalse(run.advance() or other.advance())
        self.assertEqual(other.digest(), run.digest())


if __name__ == "__main__":
    unittest.main()
