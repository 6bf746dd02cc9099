"""paje.py -- what pj_dump makes of an export in Paje's format: paje.py RESULT.db DUMP

Each host is a container, its states follow each other without a gap from 0 to the end, and it is busy while a task has
any of it, by the grants of the store.
"""
import collections
import csv
import sqlite3
import sys


def union(spans):
    """How long some of the spans last."""
    total, until = 0, None
    for start, end in sorted(spans):
        if until is None or start > until:
            total, until = total + end - start, end
        elif end > until:
            total, until = total + end - until, end
    return total


def main():
    db = sqlite3.connect(sys.argv[1])
    hosts = dict(db.execute("SELECT host, name FROM hosts"))
    spans = collections.defaultdict(list)
    held = "SELECT host, start, end FROM grants JOIN tasks USING (serial) WHERE start < end AND slots > 0"
    for host, start, end in db.execute(held):
        spans[hosts[host]].append((start, end))
    busy, until, containers = collections.Counter(), collections.defaultdict(float), set()
    with open(sys.argv[2], encoding="utf-8", newline="") as f:
        for row in csv.reader(f, skipinitialspace=True):
            if row[0] == "Container" and row[2] == "Host":
                containers.add(row[6])
            elif row[0] == "State":
                _, host, _, start, end, _, _, state = row
                assert float(start) == until[host], row
                until[host] = float(end)
                busy[host] += (state == "busy") * (float(end) - float(start))
    assert containers == set(hosts.values())
    away = {hosts[h] for h, in db.execute("SELECT host FROM host_changes")}
    for host in containers - away:
        assert abs(busy[host] - union(spans[host]) / 1e9) < 1e-5 * (1 + len(spans[host])), host
    assert len(set(until.values())) == 1
    print(f"{sys.argv[2]}: {len(containers)} hosts, busy for {sum(busy.values()):.3f} s")


if __name__ == "__main__":
    main()
