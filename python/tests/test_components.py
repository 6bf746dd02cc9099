"""Policies and orders in Python make the schedules of their twins in C, bit for bit; and fail well."""

import traceback
import unittest
from fractions import Fraction

import hindcast
from support import LOGS, Easy, log


class PythonEasy(Easy, hindcast.Policy):
    pass


class PythonShortest(hindcast.Order):
    "shortest estimate first"

    asks = ("needs_estimate",)

    def key(self, task):
        return task.estimate


class PythonDrf(hindcast.Policy):
    """the user with the least dominant share starts the first of its tasks that fits

    Ghodsi et al., NSDI 2011, as the policy `fair` has it: ties go to the user whose first task came first.
    """

    asks = ("ignores_time",)

    def decide(self, view, plan):
        capacity = [view.capacity(d) for d in range(view.dimensions)]
        used, queues = {}, {}
        for task in view.running:
            for _, _, amounts in task.held:
                self.add(used, task.user, amounts)
        for task in view.queue():
            queues.setdefault(task.user, []).append(task)

        def share(user):
            of = used.get(user, [0] * len(capacity))
            return max(Fraction(u, c) for u, c in zip(of, capacity) if c), user

        while queues:
            user = min(queues, key=share)
            task = next((t for t in queues[user] if t.fits), None)
            if task is None:
                del queues[user]
                continue
            parts = max(task.slots, 1) if task.slots else task.units
            self.add(used, user, [task.demand(d) * parts for d in range(len(capacity))])
            plan.start(task)
            queues[user].remove(task)
            if not queues[user]:
                del queues[user]

    def add(self, used, user, amounts):
        of = used.setdefault(user, [0] * len(amounts))
        for d, amount in enumerate(amounts):
            of[d] += amount


HOSTS = {"use": "hosts", "classes": [{"count": 32, "name_prefix": "h", "cpus": 4}]}


class Twins(unittest.TestCase):
    def same(self, ours, theirs, **more):
        for path in LOGS:
            with self.subTest(log=path.name):
                one = hindcast.run(log(path, 2000), policy=ours, **more)
                other = hindcast.run(log(path, 2000), policy=theirs, **more)
                self.assertEqual(one.schedule_digest, other.schedule_digest)
                self.assertTrue(one.verify())

    def test_easy(self):
        self.same(PythonEasy, "easy")

    def test_easy_on_hosts(self):
        self.same(PythonEasy, "easy", cell=HOSTS)

    def test_shortest_first(self):
        self.same({"use": "batch", "order": PythonShortest, "select": "scan"}, "sjf+scan")

    def test_shortest_first_under_easy(self):
        self.same({"use": PythonEasy, "order": PythonShortest}, "sjf+easy")

    def test_drf(self):
        self.same(PythonDrf, "fair")

    def test_drf_of_two_resources(self):
        jobs = {
            "use": "mixture",
            "jobs": 300,
            "interval": "exponential(20)",
            "run": "lognormal(100 1) from 10 to 1000",
            "tasks_per_job": "uniform(1 4)",
            "cpu": "uniform(1 4)",
            "memory": "uniform(1GB 8GB)",
            "users": 5,
        }
        cell = {"use": "hosts", "classes": [{"count": 8, "name_prefix": "h", "cpus": 8, "memory": "16GiB"}]}
        one, other = (hindcast.run({"source": jobs, "cell": cell}, policy=p) for p in (PythonDrf, "fair"))
        self.assertEqual(one.schedule_digest, other.schedule_digest)


class PythonScan(hindcast.Policy):
    "whatever fits, in order"

    asks = ("ignores_time",)

    def decide(self, view, plan):
        for task in view.queue():
            if task.fits:
                plan.start(task)


class Meetings(unittest.TestCase):
    """What else a run has beside a policy in Python: its twin in C makes the same schedule there too."""

    MORE = {
        "thinking": {"architecture": {"use": "monolithic", "think": "3m"}},
        "a clock": {"architecture": {"use": "monolithic", "call": "period", "period": "10m"}},
        "several schedulers": {
            "cell": HOSTS,
            "architecture": {
                "use": "shared_state",
                "schedulers": [{"name": "a", "takes": "units > 8000", "think_job": "200s"}, {"name": "b"}],
            },
        },
        "hosts that report": {"cell": HOSTS, "architecture": {"use": "heartbeat", "period": "1m"}},
        "hosts that fail": {
            "cell": HOSTS,
            "host_loss": "requeue",
            "events": {"use": "drawn", "up_time": "5d", "down_time": "1h"},
            "until": "60d",
        },
        "two sources": {
            "source": [{"use": "swf", "file": str(LOGS[0])}, {"use": "lublin", "tasks": 200, "procs": 128}],
            "cell": {"procs": 128},
        },
        "two threads": {"threads": 2},
        "energy": {
            "cell": HOSTS,
            "power": {"use": "linear", "idle": 95, "peak": 190},
            "metrics": ["wait", "energy"],
        },
        "reservations": {
            "cell": {"procs": 128},
            "reservations": [{"units": 64, "users": [1], "start": "1d", "end": "2d"}],
        },
    }

    def test_beside(self):
        for name, more in self.MORE.items():
            with self.subTest(beside=name):
                base = {**log(tasks=400), **more}
                one, other = (hindcast.run(base, policy=p) for p in (PythonScan, "scan"))
                self.assertEqual(one.schedule_digest, other.schedule_digest)
                self.assertEqual(one.config("policy"), "python_scan")
                self.assertTrue(one.verify())

    def test_beside_and_restored(self):
        for name, more in self.MORE.items():
            with self.subTest(beside=name):
                r = hindcast.Run({**log(tasks=400), **more}, policy=PythonScan)
                r.advance(instants=200)
                later = r.fork()
                for run in (r, later):
                    run.advance()
                self.assertEqual(r.finish().digest, later.finish().digest)


class Controllers(unittest.TestCase):
    """Classes that take or refuse the hosts that a policy offers."""

    OFFERS = {
        "source": {
            "use": "mixture",
            "jobs": 120,
            "interval": "exponential(5)",
            "run": "uniform(10 100)",
            "cpu": "uniform(1 4)",
            "users": 4,
        },
        "cell": {"use": "hosts", "classes": [{"count": 4, "name_prefix": "h", "cpus": 8}]},
        "architecture": {"use": "heartbeat", "period": "5s"},
        "policy": {"use": "fair", "fallback": "all_refused"},
    }

    def run_with(self, accept, **more):
        return hindcast.Run({**self.OFFERS, "policy": {**self.OFFERS["policy"], "accept": accept}, **more})

    def test_what_takes_everything_is_always(self):
        class Everything(hindcast.Accept):
            "takes everything"

            def accepts(self, offer):
                return True

        run = self.run_with(Everything)
        run.advance()
        theirs = hindcast.run(self.OFFERS).export("batsim")
        self.assertEqual(run.finish().export("batsim"), theirs)

    def test_what_it_is_told(self):
        heard = []

        class Listens(hindcast.Accept):
            "refuses the first offer of each member"

            def __init__(self):
                self.met = set()

            def accepts(self, offer):
                new = offer.member not in self.met
                self.met.add(offer.member)
                heard.append((new, offer))
                for name in ("need", "free", "capacity"):
                    assert len(getattr(offer, name)) == 1
                assert 1000 <= offer.need[0] <= 4000 and offer.capacity == (32000,)
                assert offer.need[0] <= offer.free[0] <= 8000 and 0 <= offer.host < 4
                assert offer.submitted <= offer.now and offer.queued > 0 and offer.round == 0
                return not new

            def noted(self, offer, started):
                if not offer.forced:
                    assert started is not heard[-1][0]

            def forget(self, member):
                self.met.discard(member)

        run = self.run_with(Listens)
        run.advance()
        self.assertTrue(run.finish().verify())
        self.assertGreater(sum(new for new, _ in heard), 1)
        with self.assertRaisesRegex(RuntimeError, "during the call"):
            heard[0][1].free  # noqa: B018

    def test_its_state_is_saved(self):
        class Every(hindcast.Accept):
            "refuses every third offer"

            def __init__(self):
                self.offers = 0

            def accepts(self, offer):
                self.offers += 1
                return self.offers % 3 != 0

        run = self.run_with(Every)
        run.advance(instants=60)
        other = run.fork()
        for r in (run, other):
            r.advance()
        self.assertEqual(run.finish().digest, other.finish().digest)

    def test_an_exception_ends_the_run(self):
        class Fails(hindcast.Accept):
            "divides by zero"

            def accepts(self, offer):
                return 1 / (offer.serial - 3) > 0

        with self.assertRaises(ZeroDivisionError) as raised:
            self.run_with(Fails).advance()
        self.assertIn("accept fails, at t =", raised.exception.__notes__[0])

    def test_what_was_not_declared(self):
        class Asks(hindcast.Accept):
            "asks for an estimate that is not kept"

            def accepts(self, offer):
                return offer.job is None

        with self.assertRaisesRegex(hindcast.Error, "HC_ASKS_JOBS"):
            self.run_with(Asks).advance()

    def test_one_without_its_method(self):
        class Empty(hindcast.Accept):
            "has no method"

        with self.assertRaisesRegex(NotImplementedError, "accepts"):
            self.run_with(Empty).advance()


class Placements(unittest.TestCase):
    CELL = {
        "use": "hosts",
        "classes": [
            {"count": 20, "name_prefix": "a", "cpus": 4},
            {"count": 12, "name_prefix": "b", "cpus": 4, "speed": 2},
        ],
    }

    def test_twins(self):
        class Quickest(hindcast.Placement):
            "the fastest host"

            def score(self, host):
                return host.speed

        class Emptiest(hindcast.Placement):
            "the host of which most is free, as least_allocated has it"

            def score(self, host):
                parts = [
                    (f - n) / c for f, n, c in zip(host.free, host.need, host.capacity, strict=True) if c
                ]
                return 100 * sum(parts) / len(parts)

        for ours, theirs in ((Quickest, "fastest"), (Emptiest, "least_allocated")):
            for policy in ("fcfs", "easy"):
                with self.subTest(place=theirs, policy=policy):
                    one, other = (
                        hindcast.run(log(tasks=600), cell=self.CELL, policy=policy, policy__place=place)
                        for place in (ours, theirs)
                    )
                    self.assertEqual(one.schedule_digest, other.schedule_digest)
                    self.assertTrue(one.verify())

    def test_its_exception(self):
        class Failing(hindcast.Placement):
            def score(self, host):
                raise IndexError(host.host)

        with self.assertRaises(IndexError) as caught:
            hindcast.run(log(tasks=20), cell=self.CELL, policy="fcfs", policy__place=Failing)
        self.assertIn("in the place failing", caught.exception.__notes__[0])


class Counting(hindcast.Policy):
    """heads until one does not fit, at most so many a decision"""

    asks = ("ignores_time",)
    params = {
        "most": hindcast.Param(5, "Tasks that are started in a decision.", least=1, most=1000, unit="tasks"),
        "pause": hindcast.Param("90s", "Time until the next.", type="time"),
        "loud": hindcast.Param(False, "Says it."),
        "share": hindcast.Param(0.5, "A part."),
        "word": hindcast.Param("some", "A text."),
    }

    def __init__(self, **given):
        self.given = given
        self.started = 0

    def decide(self, view, plan):
        for task, _ in zip(view.queue(), range(self.given["most"])):
            if not task.fits:
                return
            plan.start(task)
            self.started += 1
        if view.queued:
            plan.wake(view.now + self.given["pause"])


class Components(unittest.TestCase):
    def test_parameters(self):
        seen = []

        class Seeing(Counting):
            params = Counting.params

            def __init__(self, **given):
                super().__init__(**given)
                seen.append(given)

        r = hindcast.run(
            log(tasks=50), policy={"use": Seeing, "most": 7, "pause": "2m", "loud": True, "word": "a b"}
        )
        self.assertEqual(
            seen[-1], {"most": 7, "pause": 120 * hindcast.SECOND, "loud": True, "share": 0.5, "word": "a b"}
        )
        self.assertEqual(r.config("policy.most"), "7")
        self.assertEqual(r.config("policy.python"), f"{__name__}.{Seeing.__qualname__}")
        with self.assertRaisesRegex(hindcast.Error, "policy.most.*from 1 to 1000"):
            hindcast.run(log(tasks=5), policy={"use": Counting, "most": 0})

    def test_state_is_saved(self):
        whole = hindcast.run(log(tasks=1000), policy=Counting)
        r = hindcast.Run(log(tasks=1000), policy=Counting)
        r.advance(instants=900)
        fork = r.fork()
        self.assertEqual(r.digest(), fork.digest())
        later = r.restore(r.snapshot())
        for one in (r, fork, later):
            self.assertFalse(one.advance())
            self.assertEqual(one.finish().digest, whole.digest)

    def test_an_exception_ends_the_run_with_its_traceback(self):
        class Failing(hindcast.Policy):
            def decide(self, view, plan):
                if view.now > 1000 * hindcast.SECOND:
                    raise KeyError("nothing")

        try:
            hindcast.run(log(tasks=50), policy=Failing)
            self.fail("it raised nothing")
        except KeyError as e:  # assertRaises would drop the traceback
            self.assertIn("in decide", "".join(traceback.format_exception(e)))
            self.assertRegex(e.__notes__[0], r"in the policy failing, at t = \d+ s of the run")

    def test_an_exception_of_an_order(self):
        class Worse(hindcast.Order):
            def key(self, task):
                return 1 // (task.serial - 3)

        with self.assertRaises(ZeroDivisionError) as caught:
            hindcast.run(log(tasks=50), policy={"order": Worse, "select": "blocking"})
        self.assertIn("in the order worse", caught.exception.__notes__[0])

    def test_one_that_cannot_be_made(self):
        class Unborn(hindcast.Policy):
            def __init__(self):
                raise RuntimeError("not today")

        with self.assertRaisesRegex(RuntimeError, "not today"):
            hindcast.run(log(tasks=5), policy=Unborn)

    def test_what_is_refused(self):
        class Greedy(hindcast.Policy):
            asks = ("ignores_time",)

            def decide(self, view, plan):
                for task in view.queue():
                    plan.start(task)

        with self.assertRaises(hindcast.Refused) as caught:
            hindcast.run(log(), policy=Greedy)
        self.assertEqual(caught.exception.code, "HC_EPOLICY")

        class Asking(hindcast.Policy):
            asks = ("ignores_time",)

            def decide(self, view, plan):
                for task in view.queue():
                    view.earliest(task)

        with self.assertRaisesRegex(hindcast.Error, "needs_timeline|NEEDS_TIMELINE"):
            hindcast.run(log(tasks=50), policy=Asking)

    def test_tasks_and_views_end_with_their_call(self):
        kept = []

        class Keeping(hindcast.Policy):
            def decide(self, view, plan):
                for task in view.queue():
                    kept.append((view, plan, task, task.serial))
                plan.start_heads()

        hindcast.run(log(tasks=20), policy=Keeping)
        view, plan, task, _ = kept[-1]
        for use in (
            lambda: view.now,
            lambda: task.units,
            lambda: plan.start(task),
            lambda: list(view.queue()),
        ):
            with self.assertRaisesRegex(RuntimeError, "during the call"):
                use()

    def test_it_hears_of_tasks(self):
        class Hearing(hindcast.Policy):
            asks = ("ignores_time",)
            balance = {}

            def on_task(self, event, view, task, amounts):
                self.balance[event] = self.balance.get(event, 0) + (amounts[0] if amounts else 1)

            def decide(self, view, plan):
                plan.start_heads()

        Hearing.balance.clear()
        r = hindcast.run(log(tasks=300), policy=Hearing)
        self.assertEqual(Hearing.balance["queued"], 300)
        self.assertEqual(Hearing.balance["dequeued"], 300)
        self.assertEqual(Hearing.balance["allocated"], sum(r.tasks["processors"]))
        self.assertEqual(Hearing.balance["released"], Hearing.balance["allocated"])

    def test_a_plan_is_taken_back(self):
        class Wavering(hindcast.Policy):
            asks = ("ignores_time",)

            def decide(self, view, plan):
                mark, free = plan.mark(), view.free_units
                plan.start_heads()
                plan.take_back(mark)
                assert view.free_units == free
                plan.start_heads()

        self.assertEqual(
            hindcast.run(log(tasks=300), policy=Wavering).schedule_digest,
            hindcast.run(log(tasks=300), policy="fcfs").schedule_digest,
        )

    def test_names_that_clash(self):
        def make():
            class Twice(hindcast.Policy):
                pass

            return Twice

        with self.assertRaisesRegex(ValueError, "two classes are called twice"):
            hindcast.run(log(tasks=5), policy=make(), components=[make()])

        class Fair(hindcast.Policy):
            "takes a name of the library's"

        with self.assertRaisesRegex(hindcast.Error, "fair"):
            hindcast.run(log(tasks=5), policy=Fair)


class Late(hindcast.Metric):
    """tasks that waited longer than an objective"""

    params = {"objective": hindcast.Param("1h", "A wait that is long enough.", type="time")}
    figures = {
        "late": hindcast.Figure("tasks", "lower", "tasks that waited longer than the objective"),
        "late_mean": hindcast.Figure("s", "lower", "how much longer, mean over these"),
    }

    def __init__(self, objective):
        self.objective, self.late, self.sum, self.users = objective, 0, 0, {}

    def tasks(self, table):
        for user, wait in zip(table.list("user"), table.list("wait")):
            if wait is not None and wait > self.objective:
                self.late += 1
                self.sum += wait - self.objective
                self.users[user] = self.users.get(user, 0) + 1

    def finish(self):
        return {"late": self.late, "late_mean": self.sum / max(self.late, 1) / hindcast.SECOND}

    def tables(self):
        return {"late_by_user": {user: {"late": n} for user, n in sorted(self.users.items())}}


class Metrics(unittest.TestCase):
    def test_it_counts_what_the_tasks_say(self):
        r = hindcast.run(
            {**log(tasks=2000), "metrics": ["wait", {"use": Late, "objective": "2h"}]}, policy="easy"
        )
        late = [w - 2 * hindcast.HOUR for w in r.tasks.list("wait") if w > 2 * hindcast.HOUR]
        self.assertGreater(len(late), 10)
        self.assertEqual(r.figures["late"], len(late))
        self.assertAlmostEqual(r.figures["late_mean"], sum(late) / len(late) / hindcast.SECOND)
        self.assertEqual(sum(row["late"] for row in r.table("late_by_user").values()), len(late))
        self.assertEqual(r.units["late"], "tasks")

    def test_its_state_is_saved(self):
        source = {**log(tasks=1000), "metrics": [Late]}
        whole = hindcast.run(source, policy="easy")
        r = hindcast.Run(source, policy="easy")
        r.advance(instants=700)
        later = r.fork()
        later.advance()
        self.assertEqual(later.finish().digest, whole.digest)

    def test_what_is_not_declared(self):
        class Silent(hindcast.Metric):
            figures = {"something": hindcast.Figure("1", "none", "a number")}

            def finish(self):
                return {"nothing": 1}

        r = hindcast.Run({**log(tasks=10), "metrics": [Silent]}, policy="easy")
        r.advance()
        with self.assertRaisesRegex(KeyError, "declare it"):
            r.finish()


class Sources(unittest.TestCase):
    class Steady(hindcast.Source):
        """jobs of one size, one after another"""

        params = {"count": hindcast.Param(20, "Jobs.", least=1, most=1000)}
        processors = 4

        def __init__(self, count):
            self.count = count

        def jobs(self):
            for i in range(self.count):
                yield {
                    "submit": i * 10 * hindcast.SECOND,
                    "run": 30 * hindcast.SECOND,
                    "limit": hindcast.MINUTE,
                    "processors": 2,
                    "user": ("ann", "ben", "cay")[i % 3],
                }

    def test_a_closed_form(self):
        """Two at a time, each of 30 s, one every 10 s: job i starts at 15 (i - i % 2) + 10 (i % 2) s."""
        r = hindcast.run({"source": self.Steady}, policy="fcfs")
        starts = [t / hindcast.SECOND for t in r.tasks.list("start")]
        self.assertEqual(sorted(starts), [30 * (i // 2) + 10 * (i % 2) for i in range(20)])
        self.assertEqual(r.machine["capacity"], 4)
        self.assertEqual(set(r.tasks.list("user")), {"ann", "ben", "cay"})

    def test_it_goes_on_from_a_snapshot(self):
        jobs = {"source": {"use": self.Steady, "count": 300}, "sort_window": 4}  # few are read ahead
        whole = hindcast.run(jobs, policy="easy")
        for cut in (3, 151, 200):  # wherever it stands, names have the numbers that they had
            r = hindcast.Run(jobs, policy="easy")
            r.advance(instants=cut)
            later = r.restore(r.snapshot())
            later.advance()
            self.assertEqual(later.finish().digest, whole.digest)

    def test_hosts(self):
        class Wide(hindcast.Source):
            "a job of two slots on hosts"

            def jobs(self):
                yield {"submit": 0, "run": hindcast.HOUR, "hosts": 2, "cpu": 1.5, "memory": 2**30}

        cell = {"use": "hosts", "classes": [{"count": 1, "name": "a", "cpus": 4, "memory": "4GiB"}]}
        r = hindcast.run({"source": Wide, "cell": cell}, policy="fcfs")
        self.assertEqual(r.tasks[0]["processors"], 3.0)

    def test_jobs_that_are_wrong(self):
        for job, error, text in (
            ({"submit": 0}, ValueError, "job 1: it has no submit or no run"),
            ({"submit": 0, "run": 1, "size": 3}, KeyError, "job 1: there is no field size"),
            ({"submit": 0, "run": "long"}, TypeError, ""),
            (3, TypeError, "a job is a dict"),
        ):

            class Wrong(hindcast.Source):
                "a wrong one"

                processors = 4
                row = job

                def jobs(self):
                    yield self.row

            with self.subTest(job=job), self.assertRaisesRegex(error, text):
                hindcast.run({"source": Wrong}, policy="fcfs")


class Transforms(unittest.TestCase):
    class Twice(hindcast.Transform):
        "each runs twice as long; those of one processor are left out"

        def apply(self, task):
            if task.processors == 1:
                return False
            task.run *= 2
            task.limit = None if task.limit is None else task.limit * 2

    def test_it_changes_and_leaves_out(self):
        plain = hindcast.run(log(tasks=500), policy="fcfs").tasks
        source = log(tasks=500)
        source["transforms"] = [*source["transforms"], self.Twice]
        changed = hindcast.run(source, policy="fcfs").tasks
        runs = {
            i: run for i, run, p in zip(plain.list("id"), plain.list("run"), plain["processors"]) if p > 1
        }
        self.assertEqual(
            dict(zip(changed.list("id"), changed.list("run"))), {i: 2 * run for i, run in runs.items()}
        )


if __name__ == "__main__":
    unittest.main()
