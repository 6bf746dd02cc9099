#!/usr/bin/env python3
"""alea_model.py: a small model of Alea's two backfilling policies, to show where its schedules come from.

It explains the numbers in docs/oracles.md; no test needs it. The rules were learned from Alea's public source and
are told here in other words and other code. They are about *numbered* processors: the planner has a table with the
time at which each of them is expected to be free.

  easy      A start takes a moment, so a burst of starts is a sequence in time, and ends of one second come one by one.
            What processors a running job has is guessed: the first time that the planner looks at it, it gets those
            that the table says are free first. In that one look all of them but the last are entered as if they had
            been free for ever; jobs that are first looked at together are given the same processors, and their
            remaining times are then added up for as long as they run.
  cons      The plan is a list of jobs. In the order of the list each takes the processors that are free first; what
            stays idle before it is a row of gaps. A new job goes before the job behind the first row that is long
            enough, or to the end. The first of the list starts as soon as enough processors are free.
  compress  The same; after an early end the list is built up again, job by job.
  textbook  `easy` with a correct table and starts that take no time.

usage: alea_model.py easy|cons|compress|textbook PROCESSORS INPUT.swf[.zst] SCHEDULE.txt[.zst]
prints the number of jobs whose wait is not that of SCHEDULE; up to a minute: the code is short, not fast."""

import heapq
import subprocess
import sys

MARK = -999.0  # in the table: taken
MOMENT = 1e-6  # what a start takes, s
END, ARRIVAL, CALL, STARTED = range(4)


def lines(path):
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True, text=True).stdout.splitlines()
    with open(path) as f:
        return f.read().splitlines()


class Job:
    def __init__(self, fields):
        self.id, self.submit, self.run, self.procs = (int(fields[i]) for i in (0, 1, 3, 4))
        self.limit = max(int(fields[8]), self.run)
        self.start = None
        self.planned = None  # when it should start, in the list
        self.pes = None  # its processors, as the planner believes
        self.ends = None  # its expected end, as the planner last computed it


class Model:
    def __init__(self, jobs, procs, policy):
        self.jobs = sorted(jobs, key=lambda j: (j.submit, j.id))
        self.policy, self.procs, self.free = policy, procs, procs
        self.offset = 16.0  # of Alea's clock
        self.table = [0.0] * procs
        self.queue, self.running, self.gaps, self.events = [], [], [], []
        self.pushed, self.starting = 0, False

    # ---- events ----

    def push(self, time, kind, job=None):
        heapq.heappush(self.events, (time, self.pushed, kind, job))
        self.pushed += 1

    def simulate(self):
        self.push(self.offset + self.jobs[0].submit, ARRIVAL, 0)
        while self.events:
            t, _, kind, what = heapq.heappop(self.events)
            if kind == END:
                self.free += what.procs
                self.running.remove(what)
                self.ended(t, what)
            elif kind == ARRIVAL:
                self.arrived(t, self.jobs[what])
                if what + 1 < len(self.jobs):
                    self.push(max(t, self.offset + self.jobs[what + 1].submit), ARRIVAL, what + 1)
            elif kind == STARTED:
                what.start = t
                self.push(t + what.run, END, what)
                self.starting = False
            if kind == STARTED or (kind == CALL and not self.starting):
                self.select(t)
            elif kind != CALL and not self.starting:
                self.push(t, CALL)

    def ended(self, t, job):
        if self.policy == "compress" and job.ends - t > 10:
            old, self.queue = self.queue, []
            self.plan(t)
            for j in old:
                self.insert(j)
                self.plan(t)
        elif self.policy != "compress" and job.ends > t:
            self.plan(t)

    def arrived(self, t, job):
        job.ends = t + job.limit
        if self.policy in ("easy", "textbook"):
            self.queue.append(job)
        else:
            self.plan(t)
            self.insert(job)
            self.plan(t)
            self.plan(t)

    # ---- the table ----

    def earliest(self, n):
        """The n processors that are free first; all but the last of them are marked."""
        chosen = sorted((f, k) for k, f in enumerate(self.table) if f > MARK + 1)[:n]
        pes = [k for _, k in chosen]
        for k in pes if len(pes) < n else pes[:-1]:
            self.table[k] = MARK
        return pes + [pes[-1] if pes else 0] * (n - len(pes))

    def look_at_running(self, t):
        self.table = [t] * self.procs
        if self.policy == "textbook":
            held = [t + max(0.0, j.limit - (t - j.start)) for j in self.running for _ in range(j.procs)]
            self.table[:len(held)] = held
            return
        for j in self.running:
            if j.pes is None:
                j.pes = sorted(self.earliest(j.procs))
            if j.start is None:
                at = max(0.0, max(self.table[k] for k in j.pes))
                for k in j.pes:
                    self.table[k] = at + j.limit
            else:
                for k in j.pes:
                    self.table[k] += max(0.0, j.limit - (t - j.start))
            j.ends = self.table[j.pes[0]]

    def plan(self, t):
        """Running jobs, then, where there is a plan, the list; the idle time before each is gaps."""
        self.look_at_running(t)
        if self.policy in ("easy", "textbook"):
            return
        self.gaps = []
        for j in self.queue:
            chosen = sorted((f, k) for k, f in enumerate(self.table))[:j.procs]
            for size in range(1, len(chosen)):
                if chosen[size - 1][0] != chosen[size][0]:
                    self.gaps.append((chosen[size - 1][0], chosen[size][0], size, j))
            j.planned = chosen[-1][0]
            if j.pes and all(self.table[k] <= j.planned for k in j.pes):  # it keeps the processors that it had
                j.planned = max(self.table[k] for k in j.pes)
            else:
                j.pes = sorted(k for _, k in chosen)
            j.ends = j.planned + j.limit
            for k in j.pes:
                self.table[k] = j.ends
        first, last = min(self.table), max(self.table)
        if last > first:
            self.gaps.append((first, last, self.table.count(first), None))
        self.gaps.append((last, float("inf"), self.procs, None))
        self.queue.sort(key=lambda j: j.planned)

    def insert(self, job):
        """Before the owner of the first gap of the first row of gaps that is long enough."""
        first, left, until, i = None, float(job.limit), float("inf"), 0
        while i < len(self.gaps):
            begin, end, size, owner = self.gaps[i]
            if size >= job.procs and begin <= until:
                first = first or self.gaps[i]
                if left <= end - begin:
                    at = len(self.queue) if first[3] is None else self.queue.index(first[3])
                    self.queue.insert(at, job)
                    return
                left, until, i = left - (end - begin), end, i + 1
                continue
            again = size >= job.procs
            first, left, until, i = None, float(job.limit), float("inf"), i if again else i + 1
        raise AssertionError("the last gap has no end")

    # ---- decisions ----

    def select(self, t):
        if self.policy != "textbook" and any(j.ends <= t + 0.1 for j in self.running):
            self.plan(t)
        at = self.candidate(t) if self.free > 0 and self.queue else None
        if at is None:
            return
        job = self.queue.pop(at)
        self.free -= job.procs
        self.running.append(job)
        self.starting = True
        if self.policy == "textbook":
            job.start = t
        self.push(t if self.policy == "textbook" else t + MOMENT, STARTED, job)

    def candidate(self, t):
        if self.queue[0].procs <= self.free:
            return 0
        if self.policy not in ("easy", "textbook") or len(self.queue) == 1:
            return None
        self.look_at_running(t)
        last = self.earliest(self.queue[0].procs)[-1]
        shadow = self.table[last]
        self.table[last] = MARK
        extra = self.table.count(shadow)
        for at, j in enumerate(self.queue):
            if at > 0 and j.procs <= self.free and (t + j.limit < shadow or j.procs <= extra):
                return at
        return None


def main():
    policy, procs, path, schedule = sys.argv[1:]
    jobs = [Job(line.split()) for line in lines(path) if line and not line.startswith(";")]
    theirs = {}
    for fields in (line.split() for line in lines(schedule)[1:]):
        theirs[int(fields[0])] = round(float(fields[2]) - float(fields[1]))
    model = Model(jobs, int(procs), policy)
    model.simulate()
    differ = sum(round(j.start - model.offset) - j.submit != theirs.get(j.id) for j in jobs)
    print(f"{differ} of {len(jobs)} jobs differ")


if __name__ == "__main__":
    main()
