# %% [markdown]
# # A site's own records
#
# From accounting records to what would have happened. The records are those of [the five questions](../howto/five-questions.md): 443
# made jobs of eight days, 16 nodes and four with GPUs, with the site's `slurm.conf`.

# %%
import hindcast
import pandas

site = hindcast.run("examples/site.yaml")
{"jobs": int(site.figures["tasks"]), "mean wait, h": round(site.figures["wait_mean"] / 3600, 1)}

# %% [markdown]
# Each job as a row. Users, accounts and partitions are names where the records have them.

# %%
jobs = site.tasks.to_pandas()
jobs["wait_h"] = jobs["wait"].dt.total_seconds() / 3600
jobs.groupby("user")["wait_h"].describe(percentiles=[0.5, 0.95])[["count", "mean", "50%", "95%"]].round(2)

# %% [markdown]
# What if the site scheduled otherwise? `policy` is a key like any other; the records, the machine and the limits stay.

# %%
def row(result):
    return {name: round(result.figures[name], 2) for name in ("wait_mean", "wait_p95", "utilisation", "makespan")}


others = {name: hindcast.run("examples/site.yaml", policy=name) for name in ("easy", "fcfs")}
pandas.DataFrame({"Slurm, as configured": row(site)} | {name: row(result) for name, result in others.items()}).T

# %% [markdown]
# And the same question of one setting of Slurm: how far the backfill looks.

# %%
looks = {}
for window in (60, 1440, 10080):  # minutes
    result = hindcast.run("examples/site.yaml", policy__scheduler_parameters=f"bf_window={window}")
    looks[window] = row(result)
pandas.DataFrame(looks).T.rename_axis("bf_window, min")

# %% [markdown]
# Whether such a difference is to be believed is what `hindcast whatif` asks first: how well does the model explain the recorded
# starts? See [what if?](../whatif.md).
