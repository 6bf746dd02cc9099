"""The environments: Gymnasium's own checks, and schedules that are those of known policies."""

import importlib.util
import subprocess
import sys
import threading
import unittest
import weakref

import hindcast
from support import LOG, ROOT, log

try:
    import gymnasium
    import numpy as np
    from gymnasium.utils.env_checker import check_env
    from gymnasium.vector import SyncVectorEnv
    from hindcast.gym import Batch, CQGym, DeepRM, IRMaSim, Place, Refuse, RLScheduler
    from hindcast.gym_vector import Batches
except ImportError:
    gymnasium = None


@unittest.skipUnless(gymnasium, "gymnasium and numpy are not installed")
class Environments(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.env = Batch(log(tasks=600), window=32, episode=128)

    def play(self, env, choose, **options):
        obs, info = env.reset(options=options)
        total, steps, over = 0.0, 0, False
        while not over:
            obs, reward, over, _, info = env.step(choose(obs))
            total += reward
            steps += 1
        return total, info, steps

    @staticmethod
    def in_order(obs):
        """First come, first served: the first, or none."""
        return 0 if obs["mask"][0] else len(obs["mask"]) - 1

    @staticmethod
    def whatever_fits(obs):
        return int(np.flatnonzero(obs["mask"])[0])

    def policy_on_the_same(self, env, start, policy):
        rows = env._jobs[start : start + env.episode]

        class Same(hindcast.Source):
            "the jobs of an episode"

            processors = env._processors

            def jobs(self):
                return ({**row, "submit": row["submit"] - rows[0]["submit"]} for row in rows)

        return hindcast.run({"source": Same}, policy=policy)

    def test_gymnasium_checks_it(self):
        env = gymnasium.make("hindcast/Batch-v0", source=log(tasks=300), episode=64)
        check_env(env.unwrapped, skip_render_check=True)

    def test_rules_make_the_schedules_of_their_policies(self):
        for choose, policy in ((self.in_order, "fcfs"), (self.whatever_fits, "scan")):
            for start in (0, 100, 472):
                with self.subTest(policy=policy, start=start):
                    total, info, _ = self.play(self.env, choose, start=start)
                    theirs = self.policy_on_the_same(self.env, start, policy)
                    self.assertEqual(info["schedule_digest"], theirs.schedule_digest)
                    self.assertEqual(total, -theirs.figures["bounded_slowdown_mean"])

    def test_dense_rewards_add_up_to_the_mean_wait(self):
        env = Batch(log(tasks=600), window=32, episode=128, reward="wait", dense=True)
        total, info, _ = self.play(env, self.in_order, start=300)
        self.assertAlmostEqual(total * 3600, -info["figures"]["wait_mean"], places=6)
        self.assertGreater(-total, 0)

    def test_an_agent_that_only_waits_still_ends(self):
        _, info, _ = self.play(self.env, lambda obs: 32, start=0)
        self.assertEqual(info["figures"]["tasks"], 128)
        _, info, _ = self.play(self.env, lambda obs: 31, start=0)
        self.assertGreater(info["invalid"], 0)

    def test_seeds(self):
        starts = [self.env.reset(seed=7)[1]["start"] for _ in range(2)]
        self.assertEqual(starts[0], starts[1])

    def test_what_is_refused(self):
        with self.assertRaisesRegex(ValueError, "reward"):
            Batch(log(tasks=300), reward="happiness")
        with self.assertRaisesRegex(ValueError, "dense"):
            Batch(log(tasks=300), dense=True)
        with self.assertRaisesRegex(ValueError, "300 tasks"):
            Batch(log(tasks=300), episode=301)
        with self.assertRaisesRegex(ValueError, "start"):
            self.env.reset(options={"start": 10**6})
        self.env.reset(seed=1)
        for action in (-1, 33):
            with self.assertRaisesRegex(ValueError, "an action from 0 to 32"):
                self.env.step(action)
        with self.assertRaisesRegex(ValueError, "processors"):
            cell = {"use": "hosts", "classes": [{"count": 128, "name_prefix": "h", "cpus": 1}]}
            Batch({**log(tasks=300), "cell": cell})


def play(env, choose, **options):
    """An episode. @return what it earned, and the last info"""
    seen, info = env.reset(options=options)
    total, over = 0.0, False
    while not over:
        seen, reward, over, _, info = env.step(choose(seen))
        total += reward
    return total, info


#: jobs of several tasks, of cores and memory, on hosts of two kinds
MIXED = {
    "source": {
        "use": "mixture",
        "jobs": 150,
        "interval": "exponential(8)",
        "run": "lognormal(100 1) from 10 to 1000",
        "tasks_per_job": "uniform(1 4)",
        "cpu": "uniform(1 4)",
        "memory": "uniform(1GB 8GB)",
        "users": 5,
    },
    "cell": {
        "use": "hosts",
        "classes": [
            {"count": 4, "name_prefix": "a", "cpus": 8, "memory": "16GiB"},
            {"count": 3, "name_prefix": "b", "cpus": 16, "memory": "24GiB", "speed": 2},
        ],
    },
    "metrics": ["tasks", "makespan", "wait", "bounded_slowdown"],
}
#: tasks of many slots of a core
WIDE = {
    **log(tasks=200),
    "cell": {"use": "hosts", "classes": [{"count": 32, "name_prefix": "h", "cpus": 4}]},
}


def first_fit(seen):
    return int(seen["mask"].argmax())


def best_fit(seen):
    """The host on which least is left, the sum over resources of what is free less the need, of what the host
    has; the lowest of equal ones."""
    d = (seen["hosts"].shape[1] - 3) // 2
    free, of = seen["hosts"][:, :d].astype(float), seen["hosts"][:, d : 2 * d].astype(float)
    left = ((free - seen["task"][:d]) / of).sum(axis=1).round(6)
    left[seen["mask"][:-1] == 0] = np.inf
    return int(left.argmin()) if seen["mask"][:-1].any() else len(left)


@unittest.skipUnless(gymnasium, "gymnasium and numpy are not installed")
class Placing(unittest.TestCase):
    """An agent that follows the rule of a placement makes its schedule, bit for bit."""

    def same(self, config, choose, place, select="blocking", seed=1, **more):
        total, info = play(Place({**config, **more}, select=select), choose, seed=seed)
        policy = {"use": "batch", "select": select, "place": place}
        theirs = hindcast.run({**config, **more}, policy=policy, seed=seed)
        self.assertEqual(info["invalid"], 0)
        self.assertEqual(info["schedule_digest"], theirs.schedule_digest)
        self.assertEqual(total, -theirs.figures["bounded_slowdown_mean"])
        return info["schedule_digest"]

    def test_gymnasium_checks_it(self):
        check_env(gymnasium.make("hindcast/Place-v0", source=MIXED).unwrapped, skip_render_check=True)

    def test_first_fit(self):
        for seed in (1, 2):
            for select in ("blocking", "scan"):
                with self.subTest(seed=seed, select=select):
                    self.same(MIXED, first_fit, "first_fit", select, seed)

    def test_best_fit(self):
        for select in ("blocking", "scan"):
            with self.subTest(select=select):
                one = self.same(MIXED, best_fit, "best_fit", select)
                self.assertNotEqual(one, self.same(MIXED, first_fit, "first_fit", select))

    def test_slot_by_slot(self):
        self.same(WIDE, first_fit, "first_fit")
        self.same(WIDE, best_fit, "best_fit")

    MORE = {
        "thinking": {"architecture": {"use": "monolithic", "think": "3m"}},
        "a clock": {"architecture": {"use": "monolithic", "call": "period", "period": "10m"}},
        "hosts that fail": {
            "host_loss": "requeue",
            "events": {"use": "drawn", "up_time": "1h", "down_time": "10m"},
            "until": "60d",
        },
        "energy": {
            "power": {"use": "linear", "idle": 95, "peak": 190},
            "metrics": ["bounded_slowdown", "energy"],
        },
    }

    def test_beside(self):
        for name, more in self.MORE.items():
            with self.subTest(beside=name):
                self.same(MIXED, first_fit, "first_fit", **more)

    def test_reservations(self):
        reservations = [
            {"count": 2, "users": [1], "start": "100s", "end": "600s"},
            {"hosts": "b-0", "users": [2], "start": "200s", "end": "900s"},
        ]
        for select in ("blocking", "scan"):
            self.same(MIXED, first_fit, "first_fit", select, reservations=reservations)
        changes = [{"at": 300, "hosts": "b-1", "change": "drain", "until": 900, "announced": 0}]
        self.same(MIXED, first_fit, "first_fit", events={"use": "list", "changes": changes})

    def test_several_schedulers(self):
        schedulers = [{"name": "a", "takes": "units > 2000", "think_job": "20s"}, {"name": "b"}]
        architecture = {"use": "shared_state", "schedulers": schedulers}
        self.same(MIXED, first_fit, "first_fit", architecture=architecture)

    def test_gpus(self):
        """Halves and wholes of GPUs: what is free in all does not say whether a whole one is."""

        class Gpus(hindcast.Source):
            "tasks of half a GPU and of one"

            def jobs(self):
                for i in range(80):
                    run = (60 + 37 * i % 200) * hindcast.SECOND
                    yield {
                        "submit": i * hindcast.SECOND,
                        "run": run,
                        "cpu": 1,
                        "gpu": 0.5 if i % 3 else 1,
                        "hosts": 1,
                    }

        cell = {"use": "hosts", "classes": [{"count": 4, "name_prefix": "g", "cpus": 16, "gpus": 2}]}
        config = {"source": Gpus, "cell": cell, "metrics": ["bounded_slowdown"]}
        for select in ("blocking", "scan"):
            self.same(config, first_fit, "first_fit", select)

    def test_what_is_seen(self):
        """Two hosts, of 4 cores and 2; the first task takes 3 of the first for 100 s, the second needs 1."""

        class Two(hindcast.Source):
            "two tasks"

            def jobs(self):
                yield {
                    "submit": 0,
                    "run": 100 * hindcast.SECOND,
                    "limit": 100 * hindcast.SECOND,
                    "cpu": 3,
                    "hosts": 1,
                }
                yield {
                    "submit": 10 * hindcast.SECOND,
                    "run": 1,
                    "limit": 99 * hindcast.SECOND,
                    "cpu": 1,
                    "hosts": 1,
                }

        classes = [
            {"count": 1, "name_prefix": "a", "cpus": 4},
            {"count": 1, "name_prefix": "b", "cpus": 2, "speed": 2},
        ]
        env = Place({"source": Two, "cell": {"use": "hosts", "classes": classes}}, reward="makespan")
        seen, _ = env.reset()
        self.assertEqual(seen["mask"].tolist(), [1, 0, 1])
        self.assertEqual(seen["hosts"].tolist(), [[1, 1, 1, 0, 0], [0.5, 0.5, 2, 0, 0]])
        np.testing.assert_allclose(seen["task"], [0.75, 1, 0, np.log10(101), np.log10(2)], rtol=1e-6)
        seen, _, over, _, _ = env.step(0)
        self.assertFalse(over)
        self.assertEqual(seen["mask"].tolist(), [1, 1, 1])
        np.testing.assert_allclose(
            seen["hosts"], [[0.25, 1, 1, 1, np.log10(91)], [0.5, 0.5, 2, 0, 0]], rtol=1e-6
        )
        np.testing.assert_allclose(seen["task"], [0.25, 1, 0, 2, np.log10(2)], rtol=1e-6)
        seen, reward, over, _, info = env.step(2)  # it waits for the end of the first
        self.assertFalse(over)
        np.testing.assert_allclose(seen["task"][2], np.log10(91), rtol=1e-6)
        seen, reward, over, _, info = env.step(2)  # nothing runs: it is placed
        self.assertTrue(over)
        self.assertEqual(info["invalid"], 0)
        self.assertAlmostEqual(reward, -100, places=6)

    def test_an_agent_that_only_waits_still_ends(self):
        _, info = play(Place(MIXED), lambda seen: len(seen["mask"]) - 1, seed=1)
        self.assertEqual(
            info["figures"]["tasks"], hindcast.run(MIXED, policy="fcfs", seed=1).figures["tasks"]
        )
        _, info = play(Place(MIXED), lambda seen: int(seen["mask"].argmin()))
        self.assertGreater(info["invalid"], 0)

    def test_episodes_and_seeds(self):
        env = Place(MIXED, episode=40)
        _, info = play(env, first_fit, start=10)
        self.assertEqual(info["figures"]["tasks"], 40)
        drawn = [env.reset(seed=3)[1]["start"] for _ in range(2)]
        self.assertEqual(drawn[0], drawn[1])

    def test_what_is_refused(self):
        with self.assertRaisesRegex(ValueError, "cells of hosts"):
            Place(log(tasks=50))
        with self.assertRaisesRegex(ValueError, "select"):
            Place(MIXED, select="easy")
        with self.assertRaisesRegex(TypeError, "as a dict"):
            Place("run.yaml")
        with self.assertRaisesRegex(ValueError, "leave out `policy`"):
            Place({**MIXED, "policy": "easy"})
        with self.assertRaisesRegex(ValueError, "leave out `changes`"):
            Place({**MIXED, "changes": [{"at": "1h", "set": "policy.order=sjf"}]})
        with self.assertRaisesRegex(ValueError, "power"):
            Place(MIXED, reward="energy")
        with self.assertRaisesRegex(hindcast.Error, "plans cannot come from outside"):
            Place({**MIXED, "architecture": {"use": "heartbeat"}})


SHARED = {
    **MIXED,
    "architecture": {"use": "heartbeat", "period": "5s"},
    "policy": {"use": "fair", "fallback": "all_refused"},
}
#: the numbers of the thesis
THESIS = {
    "use": "refusal",
    "metric": "angle_length",
    "at_first": 5,
    "window": 15,
    "better": 2,
    "age": "20m",
    "absolute": 0.05,
    "relative": 1.5,
}


def by_the_rule(seen):
    """The rule of the thesis, out of what is observed and of nothing else."""

    def measure(free):
        dot = d = f = 0.0
        for a, b in zip(seen["need"].tolist(), free.tolist()):
            dot, d, f = dot + a * b, d + a * a, f + b * b
        return (1 - min(dot / (d * f) ** 0.5, 1.0)) * (f / d) ** 0.5 if f > 0 else np.inf

    now, better = measure(seen["free"]), 0
    for there, ago, *free in seen["past"]:
        free = np.array(free)
        if there and ago <= 1200 and (seen["need"] <= free).all():
            better += measure(free) < min(now - 0.05, now / 1.5)
    return int(seen["facts"][1] >= 5 and better <= 2)


@unittest.skipUnless(gymnasium, "gymnasium and numpy are not installed")
class Refusing(unittest.TestCase):
    """An agent that follows the written rule makes the schedule of its twin, bit for bit."""

    def twin(self, config=SHARED, seed=1, **accept):
        policy = {**config["policy"], "accept": {**THESIS, **accept}}
        return hindcast.run({**config, "metrics": ["makespan", "tasks"]}, policy=policy, seed=seed)

    def same(self, env, theirs):
        """Their schedules are equal, task by task and host by host; `theirs` has more figures."""
        self.assertEqual(env.result.export("batsim"), theirs.export("batsim"))

    def test_gymnasium_checks_it(self):
        for choose in ("offer", "knob"):
            env = gymnasium.make("hindcast/Refuse-v0", source=SHARED, choose=choose)
            check_env(env.unwrapped, skip_render_check=True)
            env.close()

    def test_offers(self):
        env = Refuse(SHARED)
        for seed in (1, 2, 3):
            with self.subTest(seed=seed):
                total, info = play(env, by_the_rule, seed=seed)
                theirs = self.twin(seed=seed)
                self.same(env, theirs)
                self.assertEqual(total, -theirs.figures["makespan"])
                self.assertEqual(info["refused"], theirs.figures["offers_refused"])
                self.assertGreater(info["refused"], 0)

    def test_operations_of_yt(self):
        config = {**SHARED, "policy": {"use": "yt", "fallback": "all_refused"}}
        env = Refuse(config)
        _, info = play(env, by_the_rule, seed=1)
        self.same(env, self.twin(config))
        self.assertGreater(info["refused"], 0)

    def test_two_rounds(self):
        config = {**SHARED, "policy": {"use": "fair", "fallback": "all_refused", "rounds": 2}}
        env = Refuse(config)
        play(env, by_the_rule, seed=1)
        self.same(env, self.twin(config, relaxed=2))

    def test_who_takes_everything(self):
        env = Refuse(SHARED)
        _, info = play(env, lambda seen: 1, seed=1)
        self.assertEqual(info["refused"], 0)
        self.same(env, hindcast.run(SHARED, seed=1))

    def test_a_knob_that_stays(self):
        env = Refuse(SHARED, choose="knob", interval=30)
        for k in (0, 2, 15):
            with self.subTest(k=k):
                play(env, lambda seen, k=k: k, seed=1)
                self.same(env, self.twin(better=k))

    def test_a_knob_that_turns(self):
        turned = Refuse(SHARED, choose="knob", interval=30)
        taken = []
        _, info = play(turned, lambda seen: taken.append(seen["facts"]) or len(taken) % 2 * 15, seed=1)
        self.assertGreater(len(taken), 10)
        self.assertEqual(sum(f[0] for f in taken) <= info["offers"], True)
        self.assertAlmostEqual(taken[2][3], 1 / 16)
        ours = turned.result.export("batsim")
        self.assertNotIn(ours, [self.twin(better=k).export("batsim") for k in (0, 15)])

    def test_an_episode_that_is_left(self):
        env = Refuse(SHARED)
        for _ in range(3):
            env.reset(seed=1)
            env.step(1)
        env.close()
        with self.assertRaisesRegex(RuntimeError, "reset"):
            env.step(1)
        env.reset(seed=1)
        threads, gone = threading.active_count(), weakref.ref(env)
        del env
        self.assertIsNone(gone())
        self.assertEqual(threading.active_count(), threads - 1)

    def test_what_is_refused(self):
        with self.assertRaisesRegex(ValueError, "choose"):
            Refuse(SHARED, choose="everything")
        with self.assertRaisesRegex(ValueError, "policy.accept"):
            Refuse({**SHARED, "policy": {"use": "fair", "accept": "refusal"}})
        with self.assertRaisesRegex(ValueError, "action"):
            env = Refuse(SHARED)
            env.reset()
            env.step(2)


class Few(hindcast.Source):
    "four processors: 3 of them for 100 s, then tasks of 2, 1 and 1 that are believed to take 50, 200 and 60 s"

    processors = 4

    def jobs(self):
        for at, run, processors, user in ((0, 100, 3, 2), (10, 50, 2, 1), (20, 200, 1, 4), (30, 60, 1, 4)):
            yield {
                "submit": at * hindcast.SECOND,
                "run": run * hindcast.SECOND,
                "limit": run * hindcast.SECOND,
                "processors": processors,
                "user": user,
            }


def walk(rows, processors, choose, backfill):
    """RLScheduler's schedule, written without a simulator: starts by row."""
    starts, running, queue, free, chosen, earliest, t = {}, [], [], processors, None, 0, 0
    come = list(range(len(rows)))
    limit = [row["limit"] or row["run"] for row in rows]

    def start(i):
        nonlocal free
        free -= rows[i]["processors"]
        starts[i] = t
        queue.remove(i)
        running.append((t + min(rows[i]["run"], limit[i]), i))

    while come or queue or running:
        t = min([end for end, _ in running] + [rows[i]["submit"] for i in come[:1]])
        for end, i in [x for x in running if x[0] == t]:
            running.remove((end, i))
            free += rows[i]["processors"]
        while come and rows[come[0]]["submit"] == t:
            queue.append(come.pop(0))
        while queue:
            if chosen is None:
                chosen = choose(queue, rows)
                room, earliest = free, t
                for at, units in sorted((starts[i] + limit[i], rows[i]["processors"]) for _, i in running):
                    if room >= rows[chosen]["processors"]:
                        break
                    room, earliest = room + units, at
            if rows[chosen]["processors"] > free:
                for i in list(queue) if backfill else ():
                    if rows[i]["processors"] <= free and t + limit[i] < earliest and i != chosen:
                        start(i)
                break
            start(chosen)
            chosen = None
    return [starts[i] for i in range(len(rows))]


@unittest.skipUnless(gymnasium, "gymnasium and numpy are not installed")
class Others(unittest.TestCase):
    """The spaces of other systems."""

    @staticmethod
    def on_the_same(env, start, policy):
        rows = env._rows.jobs[start : start + env.episode]

        class Same(hindcast.Source):
            "the jobs of an episode"

            processors = env.processors

            def jobs(self):
                return ({**row, "submit": row["submit"] - rows[0]["submit"]} for row in rows)

        return hindcast.run({"source": Same}, policy=policy)

    def test_gymnasium_checks_them(self):
        for name, source in (
            ("DeepRM", log(tasks=200)),
            ("RLScheduler", log(tasks=200)),
            ("CQGym", log(tasks=200)),
            ("IRMaSim", MIXED),
        ):
            with self.subTest(name=name):
                more = {} if name == "IRMaSim" else {"episode": 32}
                env = gymnasium.make(f"hindcast/{name}-v0", source=source, **more)
                check_env(env.unwrapped, skip_render_check=True)

    # ---- RLScheduler ----

    def test_rlscheduler_sees(self):
        env = RLScheduler({"source": Few}, window=3, episode=4)
        seen, _ = env.reset()
        none = [0, 1, 1, 1, 1, 1, 1, 0]
        most = 1 - 1e-5
        row = [0, 0.5, 0.75, 1, 0.5, 1, 1, most]
        np.testing.assert_allclose(seen["jobs"].reshape(3, 8), [row, none, none], rtol=1e-6)
        self.assertEqual(seen["mask"].tolist(), [1, 0, 0])
        seen, *_ = env.step(0)  # it starts; 10 s later there is one that does not fit
        row = [0, 0.25, 0.5, 1, 0.25, 1, 1, 1e-5]
        np.testing.assert_allclose(seen["jobs"].reshape(3, 8), [row, none, none], rtol=1e-6)
        seen, *_ = env.step(0)  # it is chosen: nothing else is until it starts, at 100 s
        rows = [
            [80 / 43200, most, 0.25, 1, most, 1, 1, most],
            [70 / 43200, 0.3, 0.25, 1, most, 1, 1, most],
            none,
        ]
        np.testing.assert_allclose(seen["jobs"].reshape(3, 8), rows, rtol=1e-6)

    def test_rlscheduler_backfills(self):
        """Chosen at 10 s, earliest start 100 s. The one of 200 s would end later; that of 60 s ends at 90 s."""
        env = RLScheduler({"source": Few}, window=3, episode=4, backfill=True, reward="makespan")
        env.reset()
        env.step(0)
        seen, *_ = env.step(0)
        self.assertEqual(seen["mask"].tolist(), [1, 0, 0])
        _, reward, over, _, _ = env.step(0)  # at 100 s, for 200 s
        self.assertTrue(over)
        self.assertEqual(reward, -300)

    def test_rlscheduler_in_order_is_fcfs(self):
        env = RLScheduler(log(tasks=600), episode=128)
        for start in (0, 300):
            total, info = play(env, lambda seen: 0, start=start)
            theirs = self.on_the_same(env, start, "fcfs")
            self.assertEqual(info["schedule_digest"], theirs.schedule_digest)
            self.assertEqual(total, -theirs.figures["bounded_slowdown_mean"])

    def test_rlscheduler_is_the_walk(self):
        def shortest(seen):
            estimates = np.where(seen["mask"] > 0, seen["jobs"].reshape(-1, 8)[:, 1], np.inf)
            return int(estimates.argmin())

        def of(queue, rows):
            return min(queue, key=lambda i: (np.float32(rows[i]["limit"] / longest), i))

        for backfill in (False, True):
            env = RLScheduler(log(tasks=600), episode=128, backfill=backfill, reward="wait")
            longest = env._longest
            for start in (0, 250, 472):
                with self.subTest(backfill=backfill, start=start):
                    rows = env._rows.jobs[start : start + 128]
                    rows = [{**row, "submit": row["submit"] - rows[0]["submit"]} for row in rows]
                    starts = walk(rows, env.processors, of, backfill)
                    waits = [at - row["submit"] for at, row in zip(starts, rows, strict=True)]
                    total, _ = play(env, shortest, start=start)
                    self.assertAlmostEqual(total, -sum(waits) / 128 / hindcast.SECOND, places=6)

    # ---- CQGym ----

    def test_cqgym_sees(self):
        env = CQGym({"source": Few}, window=2, episode=4)
        seen, _ = env.reset()
        free = [[1, 0]] * 4
        self.assertEqual(seen["state"].tolist(), [[[3, 100], [0, 0], [0, 0], [0, 0], *free]])
        seen, *_ = env.step(0)
        nodes = [[0, 90], [0, 90], [0, 90], [1, 0]]
        self.assertEqual(seen["state"].tolist(), [[[2, 50], [0, 0], [0, 0], [0, 0], *nodes]])
        seen, *_ = env.step(0)  # reserved for 100 s, and nothing to backfill; at 20 s there are two
        nodes = [[0, 80], [0, 80], [0, 80], [1, 0]]
        self.assertEqual(seen["state"].tolist(), [[[2, 50], [0, 10], [1, 200], [0, 0], *nodes]])
        seen, *_ = env.step(0)  # around it the second may start: 2 of 4 are to spare then
        self.assertEqual(seen["state"].tolist(), [[[1, 200], [0, 0], [0, 0], [0, 0], *nodes]])
        self.assertEqual(seen["mask"].tolist(), [1, 0])
        seen, *_ = env.step(0)
        nodes = [[0, 70], [0, 70], [0, 70], [0, 190]]
        self.assertEqual(seen["state"].tolist(), [[[2, 50], [0, 20], [1, 60], [0, 0], *nodes]])

    def test_cqgym_in_order_is_easy(self):
        def shortest(seen):
            estimates = np.where(seen["mask"] > 0, seen["state"][0, : 2 * len(seen["mask"]) : 2, 1], np.inf)
            return int(estimates.argmin())

        env = CQGym(log(tasks=600), window=128, episode=128)
        for choose, policy in ((lambda seen: 0, "easy"), (shortest, "sjf+easy")):
            for start in (0, 300, 472):
                with self.subTest(policy=policy, start=start):
                    total, _ = play(env, choose, start=start)
                    theirs = self.on_the_same(env, start, policy)
                    self.assertEqual(total, -theirs.figures["wait_mean"])
                    self.assertEqual(env.result.export("batsim"), theirs.export("batsim"))

    # ---- IRMaSim ----

    def test_irmasim_rules_are_those_of_policies(self):
        class Emptiest(hindcast.Placement):
            "most free memory"

            def score(self, host):
                return host.free[1]

        class Widest(hindcast.Placement):
            "most free cores"

            def score(self, host):
                return host.free[0]

        env = IRMaSim(MIXED)
        for job, order in (("first", "fcfs"), ("shortest", "sjf"), ("smallest", "smallest")):
            for node, place in (("high_gflops", "fastest"), ("high_cores", Widest), ("high_mem", Emptiest)):
                with self.subTest(job=job, node=node):
                    action = 6 * env.JOBS.index(job) + env.NODES.index(node)
                    total, _ = play(env, lambda seen, k=action: k, seed=3)
                    policy = {"use": "batch", "order": order, "select": "blocking", "place": place}
                    theirs = hindcast.run(MIXED, policy=policy, seed=3)
                    self.assertEqual(env.result.export("batsim"), theirs.export("batsim"))
                    self.assertEqual(total, -theirs.figures["makespan"])

    def test_irmasim_on_gpus(self):
        class Gpus(hindcast.Source):
            "tasks of half a GPU and of one"

            def jobs(self):
                for i in range(40):
                    run = (60 + 37 * i % 200) * hindcast.SECOND
                    yield {
                        "submit": 0,
                        "run": run,
                        "limit": run,
                        "cpu": 1,
                        "gpu": 0.5 if i % 3 else 1,
                        "hosts": 1,
                    }

        cell = {"use": "hosts", "classes": [{"count": 4, "name_prefix": "g", "cpus": 16, "gpus": 2}]}
        env = IRMaSim({"source": Gpus, "cell": cell})
        play(env, lambda seen: 8)
        self.assertTrue(env.result.verify())

    def test_irmasim_masks_what_is_not_known(self):
        seen, _ = IRMaSim(MIXED).reset(seed=1)
        usable = [[1, 1, 1, 1, 0, 0]] * 5 + [[0] * 6]
        self.assertEqual(seen["mask"].tolist(), [*np.ravel(usable), 1])
        seen, _ = IRMaSim(WIDE).reset(seed=1)
        usable = [[1, 1, 1, 0, 0, 0]] * 4 + [[0] * 6] * 2
        self.assertEqual(seen["mask"].tolist(), [*np.ravel(usable), 1])

    def test_irmasim_sees(self):
        """Queued at 10 s are tasks of 4, 2 and 2 cores, of 8 in all, for 100, 50 and 25 s; 4 of memory each."""

        class Three(hindcast.Source):
            "three tasks, and one before them that fills the machine"

            def jobs(self):
                for at, run, cpu in ((0, 100, 8), (10, 100, 4), (10, 50, 2), (10, 25, 2)):
                    time = run * hindcast.SECOND
                    yield {
                        "submit": at * hindcast.SECOND,
                        "run": time,
                        "limit": time,
                        "cpu": cpu,
                        "memory": 4 << 30,
                        "hosts": 1,
                    }

        cell = {"use": "hosts", "classes": [{"count": 1, "name_prefix": "h", "cpus": 8, "memory": "16GiB"}]}
        env = IRMaSim({"source": Three, "cell": cell})
        seen, _ = env.reset()
        np.testing.assert_allclose(seen["state"], [1] * 10 + [0.25] * 5 + [0] * 5 + [1])
        seen, *_ = env.step(7)
        time = [0.25, 0.375, 0.5, 0.75, 1]
        np.testing.assert_allclose(
            seen["state"], time + [0.25, 0.25, 0.25, 0.375, 0.5] + [0.25] * 5 + [0] * 5 + [1]
        )
        seen, *_ = env.step(36)  # they wait until 100 s, and are as many
        self.assertEqual(seen["state"][20], 0.5)

    # ---- DeepRM ----

    def test_deeprm_sees(self):
        """Steps of 50 s, a column a processor: 3 for 2 steps, then slots of 2 for 1 step, of 1 for 4 and 2."""
        env = DeepRM(
            {"source": Few}, slots=2, horizon=4, columns=4, backlog=4, step=50, episode=4, reward="makespan"
        )
        seen, _ = env.reset()
        image = np.zeros((4, 14))
        image[:2, 4:7] = 1
        np.testing.assert_array_equal(seen["image"], image)
        self.assertEqual(seen["mask"].tolist(), [1, 0, 1])
        env.step(0)  # allocated; the next decision is that of the next arrival, at 10 s
        image = np.zeros((4, 14))
        image[:2, :3] = 1
        image[:1, 4:6] = 1
        np.testing.assert_array_equal(env._seen["image"], image)
        seen, *_ = env.step(2)  # a step goes by: 60 s, and there are three
        image = np.zeros((4, 14))
        image[:1, :3] = 1
        image[:1, 4:6] = 1
        image[:4, 8:9] = 1
        image[0, 12] = 1
        image[:, 13] = 30 / 50 / 4
        np.testing.assert_allclose(seen["image"], image, rtol=1e-6)
        self.assertEqual(seen["mask"].tolist(), [1, 1, 1])
        seen, *_ = env.step(0)  # at the earliest from 100 s on, and the last takes its slot
        image[0, 12] = 0
        image[:2, 4:6] = 0
        image[:2, 4:5] = 1
        image[0, :4] = 1
        np.testing.assert_allclose(seen["image"], image, rtol=1e-6)
        env.step(1)
        _, reward, over, _, info = env.step(0)  # 200 s from 60 s on; and 60 s from 100 s on
        self.assertTrue(over)
        self.assertEqual(info["invalid"], 0)
        self.assertEqual(reward, -260)

    def test_deeprm_still_ends(self):
        _, info = play(DeepRM(log(tasks=200), episode=64), lambda seen: 10, start=30)
        self.assertEqual(info["figures"]["tasks"], 64)

    def test_what_is_refused(self):
        with self.assertRaisesRegex(ValueError, "cells of hosts"):
            IRMaSim(log(tasks=50))
        with self.assertRaisesRegex(ValueError, "leave out `policy`"):
            IRMaSim({**MIXED, "policy": "easy"})
        with self.assertRaisesRegex(ValueError, "processors"):
            CQGym(WIDE)
        for kind in (CQGym, DeepRM, RLScheduler):
            with self.assertRaisesRegex(ValueError, "leave out `architecture`"):
                kind({**log(tasks=300), "architecture": {"use": "monolithic", "think": "3m"}})


@unittest.skipUnless(gymnasium, "gymnasium and numpy are not installed")
class SideBySide(unittest.TestCase):
    """Many environments in C do what as many of their own do."""

    def same(self, n, steps, threads=1, source=None, **how):
        source = source or log(tasks=300)
        singles = SyncVectorEnv([lambda: Batch(source, **how) for _ in range(n)])
        many = gymnasium.make_vec(
            "hindcast/Batch-v0",
            num_envs=n,
            vectorization_mode="vector_entry_point",
            source=source,
            threads=threads,
            **how,
        )
        self.assertEqual(many.observation_space, singles.observation_space)
        self.assertEqual(many.metadata["autoreset_mode"], singles.metadata["autoreset_mode"])
        draws, episodes = np.random.default_rng(5), 0
        seen, info = many.reset(seed=11)
        theirs, their_info = singles.reset(seed=11)
        for _ in range(steps):
            for name in seen:
                np.testing.assert_array_equal(seen[name], theirs[name])
            np.testing.assert_array_equal(info["start"], their_info["start"])
            chances = seen["mask"] * draws.random(seen["mask"].shape)
            actions = np.where(draws.random(n) < 0.05, 3, chances.argmax(axis=1))
            seen, rewards, over, cut, info = many.step(actions)
            theirs, their_rewards, their_over, _, their_info = singles.step(actions)
            np.testing.assert_array_equal(rewards, their_rewards)
            np.testing.assert_array_equal(over, their_over)
            self.assertFalse(cut.any())
            if over.any():
                at = np.flatnonzero(over)
                np.testing.assert_array_equal(info["invalid"][at], their_info["invalid"][at])
            episodes += over.sum()
        self.assertGreater(episodes, n)
        many.close()
        singles.close()

    def test_they_are_the_same(self):
        for threads in (1, 3):
            for how in ({"reward": "makespan"}, {"reward": "wait", "dense": True}, {}):
                with self.subTest(threads=threads, **how):
                    self.same(5, 400, threads, window=16, episode=32, **how)

    def test_beside_energy(self):
        power = {"power": {"use": "linear", "idle": 95, "peak": 190}}
        self.same(2, 150, source={**log(tasks=200), **power}, window=8, episode=16, reward="edp")

    def test_what_is_refused(self):
        many = Batches(2, source=log(tasks=100), episode=50)
        with self.assertRaisesRegex(RuntimeError, "reset"):
            many.step([0, 0])
        many.reset(seed=1)
        with self.assertRaisesRegex(ValueError, "an action from 0 to 64"):
            many.step([0, 65])
        with self.assertRaisesRegex(ValueError, "another shape"):
            many.step([0])
        with self.assertRaisesRegex(ValueError, "start"):
            many.reset(options={"start": 51})
        with self.assertRaisesRegex(hindcast.Error, "no plan can come from outside"):
            source = {**log(tasks=100), "architecture": {"use": "monolithic", "call": "per_event"}}
            Batches(2, source=source, episode=50).reset()


@unittest.skipUnless(gymnasium, "gymnasium and numpy are not installed")
class Examples(unittest.TestCase):
    """The programs that learn go on to their table."""

    def learns(self, name, *needs):
        for module in needs:
            if importlib.util.find_spec(module) is None:
                self.skipTest(f"{module} is not installed")
        command = [sys.executable, str(ROOT / "examples/python" / name), str(LOG), "0.01"]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        rows = {line[:20].strip(): line[20:].split() for line in said.splitlines()}
        self.assertLess(float(rows["SJF"][0]), float(rows["in order of arrival"][0]))
        self.assertGreater(float(rows["learned"][0]), 0)

    def test_learn(self):
        self.learns("learn.py")

    def test_ppo(self):
        self.learns("ppo.py", "torch")

    def test_sb3(self):
        self.learns("sb3.py", "sb3_contrib")


@unittest.skipUnless(gymnasium, "gymnasium and numpy are not installed")
class Outside(unittest.TestCase):
    """Plans from outside a policy, without an environment."""

    def test_the_runs_own_policy_decides_meanwhile(self):
        r = hindcast.Run(log(tasks=300), policy="easy")
        while (decision := r.wait_decision()) is not None:
            r.decide_by_policy()
        theirs = hindcast.run(log(tasks=300), policy="easy")
        self.assertEqual(r.finish().schedule_digest, theirs.schedule_digest)


if __name__ == "__main__":
    unittest.main()
