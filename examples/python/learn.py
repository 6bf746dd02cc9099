"""Learn which queued task to start next, on the first half of a log, and try it on the second.

    python3 examples/python/learn.py LOG [MINUTES]

The agent scores each queued task by a weighted sum of what it observes and starts the one with the highest
score that fits; the cross-entropy method (Rubinstein, 1999) finds the weights: draw forty, keep the best
eight, draw around these. Printed is the mean bounded slowdown over episodes of 256 tasks that it was not
trained on, beside rules that start whatever fits in the order of arrival, of the run time that may be
believed (SJF), and of its logarithm times the processors. Needs numpy and gymnasium.
"""

import sys
import time

import numpy as np
from playing import RULES, by, play, tell

from hindcast.gym import Batch

WIDTH = 6


def features(tasks):
    """log10 of: waited, estimate, share; their products with the share of the machine."""
    waited, estimate, share = tasks[:, 0], tasks[:, 1], tasks[:, 2]
    columns = [waited, estimate, share, np.log10(share + 1e-9), waited * share, estimate * share]
    return np.stack(columns, axis=1)


def scored_by(weights):
    return by(lambda tasks: features(tasks) @ weights)


def learn(env, starts, seconds, draws):
    mean, width, until = np.zeros(WIDTH), np.ones(WIDTH), time.monotonic() + seconds
    while time.monotonic() < until:
        tried = mean + width * draws.standard_normal((40, WIDTH))
        batch = draws.choice(starts, 4)
        costs = [np.mean([np.log(play(env, scored_by(w), s)) for s in batch]) for w in tried]
        best = tried[np.argsort(costs)[:8]]
        mean, width = best.mean(axis=0), best.std(axis=0) + 0.02
    return mean


def main():
    log, minutes = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 1
    env = Batch({"source": log}, window=64, episode=256)
    half = (env.job_count - 256) // 2
    weights = learn(env, np.arange(0, half - 256), 60 * minutes, np.random.default_rng(1))
    tell(env, RULES | {"learned": scored_by(weights)}, half, "bounded slowdown")


if __name__ == "__main__":
    main()
