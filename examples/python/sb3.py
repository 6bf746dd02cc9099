"""Learn which queued task to start next with stable-baselines3 and the masks of sb3-contrib.

    python3 examples/python/sb3.py LOG [MINUTES]

MaskablePPO (Huang and Ontanon, 2022, arXiv 2006.14171) on hindcast/Batch-v0: the first half of a log for the
training, 30 episodes of the second to try it. A network that is the same for each queued task makes features
of it; the policy is linear in these. Needs stable-baselines3, sb3-contrib, torch, numpy and gymnasium.
"""

import sys
import time

import gymnasium
import numpy as np
import torch
from playing import tell
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecNormalize
from torch import nn

from hindcast.gym import Batch

WINDOW, EPISODE = 16, 256


class Plain(gymnasium.ObservationWrapper):
    """The queue as a vector of numbers near 1: waited, estimate, share and whether it fits, and the cell."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gymnasium.spaces.Box(-1, 100, (4 * WINDOW + 2,), np.float32)

    def observation(self, seen):
        tasks = seen["tasks"][:, :4] / np.array([6, 6, 1, 1], np.float32)
        return np.concatenate([tasks.ravel(), seen["cell"] / np.array([1, 3], np.float32)])

    def action_masks(self):
        return self.env.unwrapped.action_masks()


class Scores(BaseFeaturesExtractor):
    """A score of each task, by one network for all of them, and the cell."""

    def __init__(self, space):
        super().__init__(space, WINDOW + 2)
        self.score = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, seen):
        tasks, cell = seen[:, : 4 * WINDOW].reshape(-1, WINDOW, 4), seen[:, 4 * WINDOW :]
        rows = torch.cat([tasks, tasks[..., 1:2] * tasks[..., 2:3]], -1)
        return torch.cat([self.score(rows).squeeze(-1), cell], -1)


class Until(BaseCallback):
    """Stop when so many seconds have passed."""

    def __init__(self, seconds):
        super().__init__()
        self.until = time.monotonic() + seconds

    def _on_step(self):
        return time.monotonic() < self.until


def main():
    torch.set_num_threads(1)
    log, minutes = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 1
    env = Plain(Batch({"source": log}, window=WINDOW, episode=EPISODE, reward="wait"))
    half = env.unwrapped.job_count // 2
    first = {"source": log, "transforms": [{"use": "first", "count": half}]}
    make = lambda: Plain(Batch(first, window=WINDOW, episode=EPISODE, reward="wait", dense=True))  # noqa: E731
    model = MaskablePPO(
        "MlpPolicy",
        VecNormalize(make_vec_env(make, 8, seed=1), norm_obs=False, gamma=1.0),
        n_steps=512,
        batch_size=1024,
        gamma=1.0,
        gae_lambda=0.97,
        learning_rate=1e-3,
        policy_kwargs={"features_extractor_class": Scores, "net_arch": {"pi": [], "vf": [64]}},
        seed=1,
    )
    model.learn(10**9, callback=Until(60 * minutes))

    def learned(seen):
        return int(model.predict(seen, action_masks=env.action_masks(), deterministic=True)[0])

    def of(score):
        def choose(seen):
            fits = env.action_masks()[:-1]
            return int(np.where(fits, score(seen), -np.inf).argmax()) if fits.any() else WINDOW

        return choose

    rules = {
        "in order of arrival": of(lambda seen: -np.arange(WINDOW)),
        "SJF": of(lambda seen: -seen[1 : 4 * WINDOW : 4]),
        "learned": learned,
    }
    print(f"{model.num_timesteps} steps of training, of a queue of {WINDOW}")
    tell(env, rules, half, "mean wait, s")


if __name__ == "__main__":
    main()
