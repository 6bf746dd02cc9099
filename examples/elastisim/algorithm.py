"""First come, first served with ElastiSim's library for Python: each job starts with its most nodes, on the first
that are free, and has what it asks for where that is free. Run it beside

    hindcast run examples/elastisim/configuration.json --policy elastisim
"""

import sys

from elastisim_python import InvocationType, JobState, JobType, NodeState, pass_algorithm


def schedule(jobs, nodes, system):
    free = [node for node in nodes if node.state == NodeState.FREE]
    if system["invocation_type"] == InvocationType.INVOKE_EVOLVING_REQUEST:
        job, wants = system["job"], system["evolving_request"]
        held = sorted(job.assigned_nodes, key=lambda node: node.identifier)
        if wants < len(held):
            job.remove(held[wants:])
            free = sorted(free + held[wants:], key=lambda node: node.identifier)
        elif wants - len(held) <= len(free):
            job.assign(free[: wants - len(held)])
            free = free[wants - len(held) :]
    for job in jobs:
        if job.state != JobState.PENDING:
            continue
        size = job.num_nodes if job.type == JobType.RIGID else job.num_nodes_max
        if size > len(free):
            break
        job.assign(free[:size])
        free = free[size:]


if __name__ == "__main__":
    pass_algorithm(schedule, sys.argv[1] if len(sys.argv) > 1 else "ipc:///tmp/elastisim.ipc")
