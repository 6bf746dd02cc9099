"""The environments: Gymnasium's own checks, and schedules that are those of known policies."""

import unittest

import hindcast
from support import log

try:
    import gymnasium
    import numpy as np
    from gymnasium.utils.env_checker import check_env

    from hindcast.gym import Batch
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
