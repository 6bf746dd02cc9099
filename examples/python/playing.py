"""What the examples of learning share: an episode, rules that are written by hand, and the table of how all did.

An agent is a function from what it sees to an action of `hindcast/Batch-v0`. Needs numpy.
"""

import numpy as np


def play(env, choose, start):
    """What an episode costs: less the sum of its rewards."""
    seen, _ = env.reset(options={"start": start})
    over, total = False, 0.0
    while not over:
        seen, reward, over, _, _ = env.step(choose(seen))
        total -= reward
    return total


def by(score):
    """Start what fits and scores highest; nothing, if nothing fits."""

    def choose(seen):
        fits = seen["mask"][:-1] > 0
        return int(np.where(fits, score(seen["tasks"]), -np.inf).argmax()) if fits.any() else len(fits)

    return choose


RULES = {
    "in order of arrival": by(lambda tasks: -np.arange(len(tasks))),
    "SJF": by(lambda tasks: -tasks[:, 1]),
    "log time x share": by(lambda tasks: -tasks[:, 1] * tasks[:, 2]),
}


def tell(env, agents, first, cost):
    """The mean cost of each agent over thirty episodes from the job `first` on."""
    starts = np.linspace(first, env.unwrapped.job_count - env.unwrapped.episode - 1, 30).astype(int)
    print(f"{'rule':<20} {cost:>16}   (mean of {len(starts)} episodes after the training)")
    for name, choose in agents.items():
        print(f"{name:<20} {np.mean([play(env, choose, s) for s in starts]):>16.2f}")
