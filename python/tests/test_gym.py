"""The environments: Gymnasium's own checks, and schedules that are those of known policies."""

import unittest

import hindcast
from support import log

try:
    import gymnasium
    import numpy as np
    from gymnasium.utils.env_checker import check_env

    from hindcast.gym import Batch, Place, Refuse
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
        with self.assertRaisesRegex(ValueError, "leave out `policy`"):
            Place({**MIXED, "policy": "easy"})
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
        self.assertEqual(env._aside.result.export("batsim"), theirs.export("batsim"))

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
        ours = turned._aside.result.export("batsim")
        self.assertNotIn(ours, [self.twin(better=k).export("batsim") for k in (0, 15)])

    def test_an_episode_that_is_left(self):
        env = Refuse(SHARED)
        for _ in range(3):
            env.reset(seed=1)
            env.step(1)
        env.close()
        with self.assertRaisesRegex(RuntimeError, "reset"):
            env.step(1)

    def test_what_is_refused(self):
        with self.assertRaisesRegex(ValueError, "choose"):
            Refuse(SHARED, choose="everything")
        with self.assertRaisesRegex(ValueError, "policy.accept"):
            Refuse({**SHARED, "policy": {"use": "fair", "accept": "refusal"}})
        with self.assertRaisesRegex(ValueError, "action"):
            env = Refuse(SHARED)
            env.reset()
            env.step(2)


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
