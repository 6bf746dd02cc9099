#!/usr/bin/env python3
"""batsim_model.py -- what batsched's easy_bf does that easy does not: a reservation is a set of machines.

Runs a Batsim workload of delays through a model of easy_bf and compares the starts with those of a Batsim run:

    batsim_model.py WORKLOAD.json JOBS.csv [--count]

A job takes the lowest machines that are free for as long as it may run. The head of the queue holds a reservation that
is made like this too, so a job that runs past it must find machines outside it: they may be fewer than the processors
that the head leaves over, since the head does not prefer machines that are busy now. With --count the reservation is a
number, as textbooks have it and as `select: easy` has it. The reservation is made again when a job has ended, not when
one arrives; the whole queue is looked at when a job has ended, else only the jobs that have just arrived.
"""
import csv
import json
import sys


class Model:
    def __init__(self, machines, count):
        self.machines, self.count = frozenset(range(machines)), count
        self.running = {}    # job -> (machines, expected end)
        self.reserved = None  # (job, machines, from, to)
        self.queue = []

    def blocks(self):
        all_ = [(m, 0.0, end) for m, end in self.running.values()]
        return all_ + [self.reserved[1:]] if self.reserved else all_

    def free(self, at, until):
        taken = set()
        for machines, begin, end in self.blocks():
            if begin < until and end > at:
                taken |= machines
        return sorted(self.machines - taken)

    def first_fit(self, job, now):
        """(start, machines): the earliest at which enough machines are free for the walltime."""
        for at in sorted({now} | {end for _, _, end in self.blocks() if end > now}):
            free = self.free(at, at + job['walltime'])
            if len(free) >= job['res']:
                return at, frozenset(free[:job['res']])

    def may_pass(self, job, now):
        """Machines on which it starts now, or None."""
        if not self.count or not self.reserved:
            at, machines = self.first_fit(job, now)
            return machines if at == now else None
        head, _, shadow, _ = self.reserved
        free = self.machines - frozenset().union(*(m for m, _ in self.running.values()))
        if len(free) < job['res']:
            return None
        if now + job['walltime'] > shadow:
            later = sum(len(m) for m, end in self.running.values() if end > shadow)
            if job['res'] > len(self.machines) - later - head['res']:
                return None
        return frozenset(sorted(free)[:job['res']])

    def start(self, job, machines, now, started):
        self.running[job['id']] = (machines, now + job['walltime'])
        self.queue.remove(job)
        started.append((job, machines))

    def reserve_head(self, now, started):
        self.reserved = None
        while self.queue:
            head = self.queue[0]
            at, machines = self.first_fit(head, now)
            if at > now:
                self.reserved = (head, machines, at, at + head['walltime'])
                return
            self.start(head, machines, now, started)

    def decide(self, now, ended, arrived):
        started = []
        for job in ended:
            del self.running[job['id']]
        self.queue += arrived
        if ended or not self.reserved:
            self.reserve_head(now, started)
        for job in list(self.queue[1:] if ended else arrived):
            if job in self.queue and job is not self.queue[0]:
                machines = self.may_pass(job, now)
                if machines:
                    self.start(job, machines, now, started)
        return started


def length(profiles, name):
    return float(profiles[name]['delay'])


def simulate(workload, count):
    jobs = sorted(workload['jobs'], key=lambda j: (j['subtime'], j['id']))
    model, ends, starts, i = Model(workload['nb_res'], count), [], {}, 0
    while i < len(jobs) or ends:
        now = min([j['subtime'] for j in jobs[i:i + 1]] + [end for end, _ in ends])
        ended = [job for end, job in ends if end == now]
        ends = [(end, job) for end, job in ends if end != now]
        arrived = []
        while i < len(jobs) and jobs[i]['subtime'] == now:
            arrived.append(jobs[i])
            i += 1
        for job, _ in model.decide(now, ended, arrived):
            starts[job['id']] = now
            ends.append((now + min(length(workload['profiles'], job['profile']), job['walltime']), job))
    return starts


def main():
    workload = json.load(open(sys.argv[1], encoding='utf-8'))
    ours = simulate(workload, '--count' in sys.argv)
    with open(sys.argv[2], encoding='utf-8') as f:
        theirs = {int(r['job_id']): float(r['starting_time']) for r in csv.DictReader(f)}
    differ = sum(abs(ours[job] - at) > 0.1 for job, at in theirs.items())
    print(f'{differ} of {len(theirs)} starts differ by more than 0.1 s')


if __name__ == '__main__':
    main()
