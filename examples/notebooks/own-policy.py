# %% [markdown]
# # A policy of one's own
#
# A class with one method is a policy. This one is first come first served with a second look: behind a head that does not fit it
# starts tasks that end before the head could start, and it keeps a share of the machine for heads.

# %%
import hindcast
import pandas

log = "tests/oracles/swf/lub5k_128_l85_over5pct.swf.zst"


class Careful(hindcast.Policy):
    "EASY that lets tasks pass a head only while the machine has room to spare"

    asks = ("needs_estimate", "needs_timeline", "makes_reservations", "asks_harmless")
    params = {"spare": hindcast.Param(0.0, "Share of the machine that tasks which pass a head leave free.", type="real")}

    def __init__(self, spare):
        self.spare = spare

    def decide(self, view, plan):
        plan.unreserve_all()
        head = plan.start_heads()
        if head is None:
            return
        slot = view.earliest(head)
        if slot:
            plan.reserve(head, slot[0])
        for task in view.queue(after=head):
            if view.free_units - task.units < self.spare * view.capacity(0):
                continue
            if task.fits and task.harmless:
                plan.start(task)


# %% [markdown]
# With nothing to spare it is EASY backfilling, and it makes the schedule of the library's own, bit for bit: the checksums of the
# schedules are equal.

# %%
easy = hindcast.run({"source": log}, policy="easy")
same = hindcast.run({"source": log}, policy=Careful)
assert same.schedule_digest == easy.schedule_digest
same.schedule_digest

# %% [markdown]
# What it costs to spare:

# %%
rows = {}
for spare in (0.0, 0.1, 0.25, 0.5):
    result = hindcast.run({"source": log}, policy={"use": Careful, "spare": spare})
    rows[spare] = {name: round(result.figures[name], 2) for name in ("wait_mean", "bounded_slowdown_mean", "utilisation")}
pandas.DataFrame(rows).T.rename_axis("spare")

# %% [markdown]
# A run is a value: it can be stopped, looked at, and gone on with in two ways.

# %%
run = hindcast.Run({"source": log}, policy={"use": Careful, "spare": 0.1})
run.advance(until=10 * hindcast.DAY)
other = run.fork()
assert other.digest() == run.digest()
run.progress

# %% [markdown]
# The first forty jobs as a picture: processors upwards, time to the right.

# %%
first = hindcast.run({"source": log, "transforms": [{"use": "first", "count": 40}]}, policy={"use": Careful, "spare": 0.1})
first.gantt(width=900, height=300)
