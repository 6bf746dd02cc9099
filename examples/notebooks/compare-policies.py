# %% [markdown]
# # Which of two policies is better?
#
# Two schedules of one log share their tasks, so that the difference of each task's waits is far surer than the difference of two
# means. This notebook runs a log under several policies, pairs the tasks, and says what is within chance.
#
# The log is 5,000 jobs of the model of Lublin and Feitelson for 128 processors, at a load of 0.85.

# %%
import hindcast
import numpy
import pandas

log = "tests/oracles/swf/lub5k_128_l85_over5pct.swf.zst"
policies = ["fcfs", "easy", "sjf+easy", "conservative"]
results = {policy: hindcast.run({"source": log}, policy=policy) for policy in policies}

# %% [markdown]
# Figures of each run, in seconds where they are times. `Result.units` has the unit of each.

# %%
names = ["wait_mean", "wait_p95", "bounded_slowdown_mean", "utilisation"]
pandas.DataFrame({policy: {name: result.figures[name] for name in names} for policy, result in results.items()}).T.round(2)

# %% [markdown]
# A mean alone does not tell a lead from luck. Tasks are paired by their rows, and the interval of the mean difference comes from
# the means of 30 consecutive batches, because the waits of neighbours are not independent.

# %%
def waits(result):
    return result.tasks.to_pandas()["wait"].dt.total_seconds().to_numpy()


def interval(differences, batches=30):
    """Mean, and half the width of its 95 % interval, by batch means."""
    means = numpy.array([part.mean() for part in numpy.array_split(differences, batches)])
    return differences.mean(), 2.045 * means.std(ddof=1) / batches**0.5  # Student's t with 29 degrees of freedom


rows = {}
for policy in policies:
    if policy != "easy":
        mean, half = interval(waits(results[policy]) - waits(results["easy"]))
        rows[policy] = {"minus EASY, s": round(mean), "from": round(mean - half), "to": round(mean + half)}
pandas.DataFrame(rows).T

# %% [markdown]
# An interval that has zero in it is a tie. The command says the same of stored results: `hindcast compare easy.db sjf.db`.
#
# Which tasks pay? Here by how many processors they ask for:

# %%
tasks = results["easy"].tasks.to_pandas()
pandas.DataFrame(
    {
        "processors": pandas.cut(tasks["processors"], [0, 1, 8, 32, 128], labels=["1", "2 to 8", "9 to 32", "33 to 128"]),
        "EASY, s": waits(results["easy"]),
        "sjf+easy, s": waits(results["sjf+easy"]),
        "conservative, s": waits(results["conservative"]),
    }
).groupby("processors", observed=True).mean().round(0)

# %% [markdown]
# Each schedule is checked by code that shares nothing with the simulator:

# %%
{policy: bool(result.verify()) for policy, result in results.items()}
