"""Proximal policy optimisation in one file, on many environments side by side: which queued task is next?

    python3 examples/python/ppo.py LOG [MINUTES]

The agent is trained on the first half of a log and tried on episodes of the second, beside rules that start
whatever fits in the order of arrival, of the run time that may be believed (SJF), and of its product with the
processors. A network that is the same for each task gives it a score; another one guesses what is still to
be waited. It is in the manner of CleanRL (Huang et al., JMLR 2022): Schulman et al. 2017 (arXiv 1707.06347)
with masks of what fits, no classes, no framework. The reward is the wait, step by step. Needs torch, numpy
and gymnasium.
"""

import sys
import time

import numpy as np
import torch
from playing import RULES, tell
from torch import nn

from hindcast.gym import Batch
from hindcast.gym_vector import Batches

LANES, STEPS, WINDOW, EPISODE = 32, 128, 32, 256
EPOCHS, PARTS, CLIP, LAMBDA, ENTROPY, RATE = 4, 4, 0.2, 0.97, 0.003, 1e-3


class Agent(nn.Module):
    """Scores of the queued tasks and of waiting, and the value of the state."""

    def __init__(self):
        super().__init__()
        self.score = nn.Sequential(
            nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1)
        )
        self.value = nn.Sequential(nn.Linear(10, 64), nn.Tanh(), nn.Linear(64, 1))
        self.wait = nn.Parameter(torch.tensor(-2.0))

    def forward(self, tasks, cell, mask):
        tasks = tasks[..., :4] / torch.tensor([6.0, 6.0, 1.0, 1.0])
        cell = cell / torch.tensor([1.0, 3.0])
        there = (tasks[..., 2:3] > 0).float()
        product = tasks[..., 1:2] * tasks[..., 2:3]
        beside = cell.unsqueeze(1).expand(-1, tasks.shape[1], -1)
        rows = torch.cat([tasks, product, tasks[..., 0:1] - tasks[..., 1:2], beside], -1)
        scores = torch.cat([self.score(rows).squeeze(-1), self.wait.expand(len(tasks), 1)], -1)
        mean = (rows * there).sum(1) / there.sum(1).clamp(min=1)
        value = self.value(torch.cat([mean, cell], -1)).squeeze(-1)
        return torch.distributions.Categorical(logits=scores.masked_fill(mask == 0, -1e9)), value


def tensors(seen):
    return [torch.as_tensor(seen[name]) for name in ("tasks", "cell", "mask")]


def collect(agent, env, seen, done):
    """STEPS of all lanes. @return what was seen, done and earned, and where it goes on"""
    rows = []
    for _ in range(STEPS):
        state = tensors(seen)
        with torch.no_grad():
            law, value = agent(*state)
        action = law.sample()
        seen, reward, over, _, _ = env.step(action.numpy())
        rows.append(
            (
                *state,
                action,
                law.log_prob(action),
                value,
                torch.as_tensor(reward).float(),
                torch.as_tensor(done),
            )
        )
        done = over
    return [torch.stack(x) for x in zip(*rows, strict=True)], seen, done


def advantages(agent, reward, value, done, seen, ended):
    """By generalised advantage estimation (Schulman et al., 2016), without a discount. The step after the end
    of an episode begins the next one: it is no step of either, and is left out by `done`."""
    with torch.no_grad():
        after = agent(*tensors(seen))[1] * (1 - torch.as_tensor(ended).float())
    out, last = torch.zeros_like(reward), torch.zeros(reward.shape[1])
    for t in reversed(range(len(reward))):
        over = torch.as_tensor(ended).float() if t == len(reward) - 1 else done[t + 1].float()
        last = reward[t] + (1 - over) * after - value[t] + LAMBDA * (1 - over) * last
        out[t], after = last, value[t]
    return out


def learn(agent, env, seconds):
    best = torch.optim.Adam(agent.parameters(), RATE)
    seen, _ = env.reset(seed=1)
    done, until, steps = np.zeros(LANES, bool), time.monotonic() + seconds, 0
    while time.monotonic() < until:
        (tasks, cell, mask, action, log, value, reward, before), seen, done = collect(agent, env, seen, done)
        gain = advantages(agent, reward, value, before, seen, done)
        back = gain + value
        of = [x.flatten(0, 1)[~before.flatten()] for x in (tasks, cell, mask, action, log, gain, back)]
        steps += len(of[0])
        for _ in range(EPOCHS):
            for part in torch.randperm(len(of[0])).chunk(PARTS):
                tasks, cell, mask, action, log, gain, back = (x[part] for x in of)
                law, value = agent(tasks, cell, mask)
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                ratio = (law.log_prob(action) - log).exp()
                loss = -torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
                loss = loss + 0.5 * nn.functional.smooth_l1_loss(value, back) - ENTROPY * law.entropy().mean()
                best.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                best.step()
    return steps


def learned(agent):
    def choose(seen):
        with torch.no_grad():
            return int(agent(*(x.unsqueeze(0) for x in tensors(seen)))[0].probs.argmax())

    return choose


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    log, minutes = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 1
    env = Batch({"source": log}, window=WINDOW, episode=EPISODE, reward="wait")
    half = env.job_count // 2
    first = {"source": log, "transforms": [{"use": "first", "count": half}]}
    many = Batches(LANES, source=first, window=WINDOW, episode=EPISODE, reward="wait", dense=True)
    agent = Agent()
    steps = learn(agent, many, 60 * minutes)
    print(f"{steps} steps of training")
    tell(env, RULES | {"learned": learned(agent)}, half, "mean wait, s")


if __name__ == "__main__":
    main()
