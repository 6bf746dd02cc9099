# %% [markdown]
# # Learning an order
#
# `hindcast/Batch-v0` is an environment of Gymnasium: an agent chooses which queued task starts next. Here a weighted sum of what
# is known of a task is learned on the first half of a log, and tried on the second.

# %%
import hindcast.gym
import numpy
import pandas

log = "tests/oracles/swf/lub5k_128_l85_over5pct.swf.zst"
env = hindcast.gym.Batch({"source": log}, window=32, episode=128)
seen, _ = env.reset(seed=1)
{name: numpy.asarray(part).shape for name, part in seen.items()}


# %% [markdown]
# Of each of the first 32 queued tasks it sees how long it has waited, its estimate (both as logarithms), its share of the machine,
# and which of them fit now; the last action starts nothing. An episode is 128 tasks, and what it earns is less the mean bounded
# slowdown.

# %%
def play(score, start):
    """The mean bounded slowdown of an episode of an agent that starts the task with the highest score that fits."""
    seen, _ = env.reset(options={"start": start})
    over = False
    while not over:
        fits = seen["mask"][:-1]
        action = int(numpy.where(fits, score(seen["tasks"]), -numpy.inf).argmax()) if fits.any() else env.window
        seen, reward, over, _, _ = env.step(action)
    return -reward


def weighted(weights):
    return lambda tasks: tasks[:, :3] @ weights


# %% [markdown]
# The cross-entropy method: draw some weights, keep the best, draw around these.

# %%
draws = numpy.random.default_rng(1)
mean, width = numpy.zeros(3), numpy.ones(3)
history = []
for _ in range(8):
    tried = mean + width * draws.standard_normal((16, 3))
    starts = draws.integers(0, 2200, 3)
    costs = numpy.array([numpy.mean([numpy.log(play(weighted(w), int(s))) for s in starts]) for w in tried])
    best = tried[costs.argsort()[:4]]
    mean, width = best.mean(axis=0), best.std(axis=0) + 0.02
    history.append(round(float(numpy.exp(costs.min())), 1))
history

# %% [markdown]
# On 20 episodes of the second half, which it has not seen, beside two written rules. Whether it is better than these is what comes
# out, and with so few episodes a difference of some percent is none.

# %%
rules = {
    "in order of arrival": lambda tasks: -numpy.arange(len(tasks)),
    "shortest estimate first": lambda tasks: -tasks[:, 1],
    "learned": weighted(mean),
}
held_out = numpy.linspace(2500, 4800, 20).astype(int)
costs = {name: [play(score, int(s)) for s in held_out] for name, score in rules.items()}
pandas.DataFrame({name: {"mean bounded slowdown": numpy.mean(c), "median": numpy.median(c)} for name, c in costs.items()}).T.round(1)
