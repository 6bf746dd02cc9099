"""model.py -- the life of tasks: instants, rounds and phases (docs/time.md).

A case is a run file as a dict, with the native tasks as a list under "tasks". simulate(case) returns the tasks and figures.
"""
import copy
from fractions import Fraction

import cells
import hosts
import policies
from policies import NEVER, NS


def ns(seconds):
    """Trace times are read exactly, decimals included. (time.md)"""
    return int(Fraction(str(seconds)) * NS)


class Task:
    def __init__(self, row, number, run):
        self.row, self.id, self.number = row, row["id"], number
        self.submit = ns(row["submit_time"])
        self.not_before = max(self.submit, ns(row.get("schedule_after", 0)))
        self.joined = self.not_before                                       # order.md: fcfs
        self.run = ns(row["delay"])
        self.dropped = self.run == 0 and run.get("zero_length") == "drop"   # run.md: zero_length
        if self.run == 0 and run.get("zero_length") == "second":
            self.run = NS
        self.priority = row.get("priority", 0)
        self.procs = row.get("procs", 1)
        self.attempts = 0
        self.limit = ns(row["wall_time_limit"]) if "wall_time_limit" in row else None
        self.believe(run)
        self.start = self.end = self.grant = None
        self.state = "waiting"

    def believe(self, run):
        """run.md: no_limit, overrun: how long it runs, how it ends, and what a policy is told."""
        if self.limit is None:
            how = run.get("no_limit", "run")
            self.limit = {"run": self.run, "endless": NEVER, "assume": ns(run.get("assumed_limit", 0))}[how]
        overrun, self.estimate, self.held, self.final = run.get("overrun", "kill"), self.limit, self.run, "completed"
        if self.run > self.limit:
            if overrun in ("kill", "kill_planned_long"):
                self.held, self.final = self.limit, "killed"
            if overrun in ("extend", "kill_planned_long"):
                self.estimate = self.run


    def on_hosts(self, cell):
        """What it asks of hosts (manual, Hosts): slots, each with a need; a batch task a core a processor, wherever they are;
        nodes_count slots on hosts that are all different."""
        asked = self.row.get("resources")
        groups = asked if isinstance(asked, list) else [asked] if asked else []
        self.spread = self.row.get("spread", bool(groups))
        self.asks_licences = {d: a for g in groups for d, a in g.items() if d in cell.licences}
        exist = {d for h in cell.hosts for d, c in h.has.items() if c} | {"gpu"}
        self.slots = []
        for g in groups or [{"cpu": 1, "memory": self.row.get("memory_per_proc", 0), "nodes_count": self.row.get("procs", 1)}]:
            need = hosts.Need({k: v for k, v in g.items() if k not in cell.licences}, exist)
            self.slots += [need] * g.get("nodes_count", 1)
        # units: of the first dimension; of a host that is taken whole those of the least host
        least = min(h.has["cpu"] for h in cell.hosts)
        self.procs = sum(least if n.whole else n.amounts.get("cpu", 0) for n in self.slots)

    def by_need(self):
        for need in set(self.slots):
            alone = copy.copy(self)
            alone.slots = [n for n in self.slots if n is need]
            yield alone

    def may_use(self, host):
        named = self.row.get("hosts")
        return hosts.holds(host, self.row.get("constraints", "")) and (named is None or host.name in named)


class Simulation:
    def __init__(self, case):
        self.case, self.run_file = case, case["run"]
        policy = self.run_file["policy"]
        select = policy.get("select", "blocking")
        self.select_options = select if isinstance(select, dict) else {"use": select}
        self.select = policies.SELECTORS[self.select_options["use"]](self.select_options)
        self.order = policy.get("order", "fcfs")
        self.cell = self.make_cell(self.run_file["cell"], policy.get("place", "first_fit"))
        self.running, self.waiting, self.timers, self.now, self.ended_early = [], [], set(), 0, False
        tasks = [Task(row, i, self.run_file) for i, row in enumerate(case["tasks"])]
        if isinstance(self.cell, hosts.Hosts):
            for task in tasks:
                task.on_hosts(self.cell)
        used = [t for t in tasks if self.cell.could(t) and not t.dropped]   # too_large: reject
        self.tasks = sorted(used, key=lambda t: (t.submit, t.id, t.number))
        for serial, task in enumerate(self.tasks):
            task.serial = serial

    @staticmethod
    def make_cell(cell, place):
        if isinstance(place, dict):
            place = place["use"] + ("_best" if place.get("choose") == "best" else "")
        if cell["use"] == "count":
            return cells.Count(cell["procs"])
        if cell["use"] == "hosts":
            return hosts.Hosts(cell, place)
        return cells.Intervals(cell["procs"], place)

    # -- what a selector asks and does --

    def queue(self):
        return policies.sort(self.waiting, self.order, self.now)

    def find(self, task):
        return self.cell.find(task)

    def expected_end(self, task):
        """time.md, past the estimate: any moment now, one second from whenever the question is asked."""
        if task.estimate == NEVER:
            return NEVER
        end = task.start + self.at_speed(task.estimate, task.grant)
        return end if end > self.now else self.now + NS

    def ends_if_started(self, task, grant):
        return NEVER if task.estimate == NEVER else self.now + self.at_speed(task.estimate, grant)

    def at_speed(self, time, grant):
        """On a host of speed 2 a task runs for half its time, and its limit is half as long (manual, Hosts)."""
        return int(time / self.cell.speed(grant)) if isinstance(self.cell, hosts.Hosts) else time

    def plan_cell(self):
        return self.cell.counted() if isinstance(self.cell, cells.Intervals) else self.cell.copy()

    def find_promised(self, task, grant):
        """On hosts a task whose time has come starts on those that it was promised (select.md, conservative)."""
        if not isinstance(self.cell, hosts.Hosts):
            return self.find(task)
        return grant if self.cell.room_for(grant) else None

    def plan_grant(self, grant):
        return len(grant) if isinstance(grant, list) else grant

    def start(self, task, grant):
        self.cell.take(grant)
        task.start, task.grant, task.state = self.now, grant, "running"
        task.due = self.now + self.at_speed(task.held, grant)
        self.waiting.remove(task)
        self.running.append(task)

    def wake(self, at):
        if self.now < at < NEVER:
            self.timers.add(at)

    # -- the rounds of time.md --

    def simulate(self):
        arrivals = list(self.tasks)
        while True:
            times = [t.due for t in self.running] + [t.submit for t in arrivals[:1]] + sorted(self.timers)[:1]
            if not times:
                return
            self.now = min(times)
            called = False
            for task in sorted((t for t in self.running if t.due == self.now), key=lambda t: t.serial):
                self.finish(task)
                called = True
            while arrivals and arrivals[0].submit == self.now:
                task = arrivals.pop(0)
                if task.not_before > self.now:
                    self.timers.add(task.not_before)
                self.waiting.append(task)
                called = True
            if self.now in self.timers:
                self.timers.discard(self.now)
                called = True
            if called and self.waiting:
                self.select(self, self.select_options)
                self.ended_early = False

    def finish(self, task):
        self.running.remove(task)
        self.cell.give(task.grant)
        task.end, task.state = self.now, task.final
        if self.now < task.start + self.at_speed(task.estimate, task.grant):
            self.ended_early = True


def figures(sim):
    """metric.md: wait_mean, utilisation, makespan."""
    ran = [t for t in sim.tasks if t.start is not None]
    out = {}
    if ran:
        out["wait_mean"] = Fraction(sum(t.start - t.submit for t in ran), len(ran) * NS)
    return out


def simulate(case):
    sim = Simulation(case)
    sim.simulate()
    rows = {t.id: (t.state, t.start, t.end, sim.cell.named(t.grant) if t.grant is not None else None) for t in sim.tasks}
    return rows, figures(sim)
