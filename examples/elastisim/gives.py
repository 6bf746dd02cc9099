"""First come, first served with ElastiSim's library for Python, where malleable jobs that run give nodes up for the
first job that waits. They do so at their next scheduling point, where that job starts. Recorded from

    hindcast run examples/elastisim-algorithm.yaml \\
        --set 'policy={replay: null, url: "ipc:///tmp/elastisim.ipc", record: session.txt}'
"""

import sys

from elastisim_python import InvocationType, JobState, JobType, NodeState, pass_algorithm

RUNS = (JobState.RUNNING, JobState.PENDING_RECONFIGURATION)


def least_and_most(job):
    return (job.num_nodes,) * 2 if job.type == JobType.RIGID else (job.num_nodes_min, job.num_nodes_max)


def given_up(job, nodes):
    """Nodes that it has until its next point."""
    return [node for node in nodes if job.identifier in node.assigned_job_ids and node not in job.assigned_nodes]


def schedule(jobs, nodes, system):
    free = [node for node in nodes if node.state == NodeState.FREE]
    if system["invocation_type"] == InvocationType.INVOKE_SCHEDULING_POINT:
        free += given_up(system["job"], nodes)
    for job in (job for job in jobs if job.state == JobState.PENDING):
        least, most = least_and_most(job)
        if least <= len(free):
            job.assign(free[:most])
            free = free[most:]
            continue
        giving = [other for other in jobs if other.type == JobType.MALLEABLE and other.state in RUNS]
        missing = least - len(free) - sum(len(given_up(other, nodes)) for other in giving)
        for other in giving:
            spare = min(missing, len(other.assigned_nodes) - other.num_nodes_min)
            if spare > 0:
                other.remove(other.assigned_nodes[-spare:])
                missing -= spare
        break


if __name__ == "__main__":
    pass_algorithm(schedule, sys.argv[1] if len(sys.argv) > 1 else "ipc:///tmp/elastisim.ipc")
