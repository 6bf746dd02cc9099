#!/bin/sh
# python.sh -- the package for Python: what calls of components, tables and steps of an environment cost.
#
#   ./dev bench python         the table; HC_PYTHON_PROGRAM: a Python with numpy, pyarrow and gymnasium
#
# A call is the difference between a run with a component in Python and the same in C, by its calls: a policy
# that starts heads until one does not fit, an order by the estimate. CPU time, the least of HC_TRIES (5) runs.
set -eu
cd "$(dirname "$0")/.."
[ -d build/release/python/hindcast ] || {
  echo "python.sh: no build/release/python: build the release where python3-dev is" >&2
  exit 2
}
PYTHONPATH=$PWD/build/release/python exec "${HC_PYTHON_PROGRAM:-python3}" -B - <<'END'
import os
import tempfile
import time

import hindcast

TRIES = int(os.environ.get("HC_TRIES", "5"))


def least(what):
    times = []
    for _ in range(TRIES):
        before = time.process_time()
        what()
        times.append(time.process_time() - before)
    return min(times)


class Heads(hindcast.Policy):
    "starts heads until one does not fit"
    asks = ("ignores_time",)
    calls = 0

    def decide(self, view, plan):
        Heads.calls += 1
        plan.start_heads()


class Shortest(hindcast.Order):
    "shortest estimate first"
    asks = ("needs_estimate",)
    calls = 0

    def key(self, task):
        Shortest.calls += 1
        return task.estimate


JOBS = {"source": {"use": "lublin", "tasks": 60000}}
hindcast.run(JOBS, policy=Heads)
hindcast.run(JOBS, policy={"order": Shortest, "select": "scan"})
calls, keys = Heads.calls, Shortest.calls
policy = least(lambda: hindcast.run(JOBS, policy=Heads)) - least(lambda: hindcast.run(JOBS, policy="fcfs"))
order = least(lambda: hindcast.run(JOBS, policy={"order": Shortest, "select": "scan"})) - least(
    lambda: hindcast.run(JOBS, policy="sjf+scan"))
print("| | | takes | asked |\n|---|--:|--:|--:|")
print(f"| a policy's call, beyond the policy in C | {calls:,} calls | {policy / calls * 1e6:.2f} us | 2 us |")
print(f"| an order's call, beyond the order in C | {keys:,} calls | {order / keys * 1e6:.2f} us | |")

with tempfile.TemporaryDirectory() as folder:
    path = folder + "/m.db"
    hindcast.run({"source": {"use": "lublin", "tasks": 1000000}}, policy="fcfs", output=path)
    stored = least(lambda: len(hindcast.open_result(path).tasks))
    print(f"| columns of a stored result | 1,000,000 tasks | {stored:.2f} s | 1 s |")
whole = hindcast.run({"source": {"use": "lublin", "tasks": 1000000}}, policy="fcfs")
print(f"| columns of a result in memory | 1,000,000 tasks | {least(lambda: whole._native.tasks()):.2f} s | |")
try:
    import pyarrow

    taken = least(lambda: pyarrow.table(whole.tasks))
    print(f"| the same columns, as a table of pyarrow | 1,000,000 tasks | {taken * 1e6:.0f} us | no copy |")
except ImportError:
    print("| pyarrow is not installed | | | |")
try:
    from hindcast.gym import Batch

    env = Batch({"source": {"use": "lublin", "tasks": 5000}}, window=64, episode=256)
    steps = 0

    def play():
        global steps
        steps = 0
        for seed in range(40):
            seen, _ = env.reset(seed=seed)
            over = False
            while not over:
                seen, _, over, _, _ = env.step(int(seen["mask"].argmax()))
                steps += 1

    took = least(play)
    pace = f"{steps / took:,.0f} a second"
    print(f"| steps of hindcast/Batch-v0, resets included | {steps:,} steps | {pace} | 100,000 |")

    from hindcast.gym_vector import Batches

    many = Batches(64, source={"source": {"use": "lublin", "tasks": 5000}}, copy=False)

    def play_many():
        seen, _ = many.reset(seed=1)
        for _ in range(2000):
            seen = many.step(seen["mask"].argmax(axis=1))[0]

    took = least(play_many)
    pace = f"{64 * 2000 / took:,.0f} a second"
    print(f"| the same of 64 side by side, in one thread | {64 * 2000:,} steps | {pace} | 100,000 |")
except ImportError:
    print("| gymnasium is not installed | | | |")
END
