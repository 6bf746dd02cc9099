"""model.py -- the life of tasks: instants, rounds and phases (docs/time.md).

A case is a run file as a dict, with the native tasks as a list under "tasks". simulate(case) returns the
tasks and figures.
"""
import copy
from fractions import Fraction

import architectures
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
        self.joined = self.seen = self.not_before  # order.md: fcfs; waits of orders count from then
        self.run = ns(row["delay"])
        self.dropped = self.run == 0 and run.get("zero_length") == "drop"   # run.md: zero_length
        if self.run == 0 and run.get("zero_length") == "second":
            self.run = NS
        self.priority, self.user = row.get("priority", 0), row.get("user", 0)
        self.procs = row.get("procs", 1)
        self.attempts, self.has_arrived, self.tries, self.in_vain = 0, False, 0, True
        job = row.get("collection_id")
        self.name = (job, self.id)  # a task goes by its id within its job
        self.waits_for = [(kind, (job, i)) for kind in ("start_after", "after_ok", "after_not_ok", "after_start")
                          for i in row.get(kind, [])]
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
        """What it asks of hosts (manual, Hosts): slots, each with a need; a batch task a core a processor,
        wherever they are; nodes_count slots on hosts that are all different."""
        asked = self.row.get("resources")
        groups = asked if isinstance(asked, list) else [asked] if asked else []
        self.spread = self.row.get("spread", bool(groups))
        self.asks_licences = {d: a for g in groups for d, a in g.items() if d in cell.licences}
        exist = {d for h in cell.hosts for d, c in h.has.items() if c} | {"gpu"}
        self.slots = []
        core = {"cpu": 1, "memory": self.row.get("memory_per_proc", 0), "nodes_count": self.row.get("procs", 1)}
        for g in groups or [core]:
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

    def shape(self):
        """What it asks for: how often what of a host, by the first of its needs; or how many processors."""
        first = self.slots[0] if hasattr(self, "slots") else None
        if not first:
            return self.procs
        return self.slots.count(first), first.asked, first.whole, frozenset(self.asks_licences.items())

    def may_use(self, host):
        named = self.row.get("hosts")
        return hosts.holds(host, self.row.get("constraints", "")) and (named is None or host.name in named)


class Simulation:
    def __init__(self, case):
        self.case, self.run_file = case, case["run"]
        policy = self.run_file["policy"]
        select = policy.get("select", "blocking")
        self.select_options = select if isinstance(select, dict) else {"use": select}
        self.order = policy.get("order", "fcfs")
        self.cell = self.make_cell(self.run_file["cell"], policy.get("place", "first_fit"))
        if policy.get("use") == "fair":
            self.select = policies.Fair(policy, self.cell)
        else:
            self.select = policies.SELECTORS[self.select_options["use"]](self.select_options)
        architecture = self.run_file.get("architecture")
        self.schedulers = architectures.Schedulers(architecture, self.cell, ns) if architecture else None
        self.running, self.waiting, self.held, self.deferred = [], [], [], []
        self.timers, self.now, self.ended_early, self.shrunk = set(), 0, False, set()
        self.plans_ahead = self.select_options["use"] == "conservative" and self.select_options.get("ahead", True)
        self.changes = self.read_changes(self.run_file.get("events", []))
        tasks = [Task(row, i, self.run_file) for i, row in enumerate(case["tasks"])]
        if isinstance(self.cell, hosts.Hosts):
            for task in tasks:
                task.on_hosts(self.cell)
        used = [t for t in tasks if self.cell.could(t) and not t.dropped]   # too_large: reject
        self.tasks = sorted(used, key=lambda t: (t.submit, t.id, t.number))
        for serial, task in enumerate(self.tasks):
            task.serial = serial
            if self.plans_ahead:
                task.joined = task.seen = task.submit  # manual, Known before it may start
        self.by_name = {t.name: t for t in self.tasks}

    @staticmethod
    def make_cell(cell, place):
        if isinstance(place, dict):
            place = place["use"] + ("_best" if place.get("choose") == "best" else "")
        if cell["use"] == "count":
            return cells.Count(cell["procs"])
        if cell["use"] == "hosts":
            return hosts.Hosts(cell, place)
        return cells.Intervals(cell["procs"], place)

    def read_changes(self, events):
        """[(time, rank, host, kind, amounts)]: changes of one instant as written, and of one change in order
        of host."""
        out = []
        for change in events and events["changes"]:
            for host in self.cell.hosts:
                if host.name in change["hosts"]:
                    amounts = {hosts.KEYS.get(n, n): hosts.amount(hosts.KEYS.get(n, n), a)
                               for n, a in (x.split("=") for x in change.get("amounts", []))}
                    out.append((ns(change["at"]), len(out), host.number, change.get("change", "down"), amounts))
                    if "until" in change:
                        out.append((ns(change["until"]), len(out), host.number, "up", {}))
        return sorted(out, key=lambda c: c[:2])

    # -- what a selector asks and does --

    def queue(self):
        return policies.sort(self.waiting, self.order, self.now)

    def queue_of(self, user):
        return [t for t in self.queue() if t.user == user]

    def find(self, task):
        return self.cell.find(task)

    def expected_end(self, task):
        """time.md, past the estimate: any moment now, one second from whenever the question is asked."""
        if task.estimate == NEVER:
            return NEVER
        end = task.start + self.at_speed(task.estimate, task.grant)
        return end if end > self.now or task.start == self.now else self.now + NS

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
        grant = self.cell.as_now(grant)
        return grant if self.cell.room_for(grant) else None

    def is_void(self, grant):
        """Promised on a host that went away, drains, or shrank (manual, Hosts)."""
        if not isinstance(self.cell, hosts.Hosts):
            return False
        there = [self.cell.hosts[p[0]] for p in grant[0]]
        return any(not h.up or h.draining or h.number in self.shrunk for h in there)

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
        self.arrivals, self.again = list(self.tasks), False
        while True:
            times = [t.due for t in self.running] + [t.submit for t in self.arrivals[:1]] + sorted(self.timers)[:1]
            if self.waiting or self.held or self.deferred or times:  # events are not played behind the last task
                times += [c[0] for c in self.changes[:1]]
            if not times and not self.again:
                for task in self.held:
                    task.state = "held"
                return
            if not self.again:
                self.now = min(times)
            called, self.again = self.again, False
            for task in sorted((t for t in self.running if t.due == self.now), key=lambda t: t.serial):
                self.finish(task)
                called = True
            while self.changes and self.changes[0][0] == self.now:
                self.change(*self.changes.pop(0)[2:])
                called = True
            while self.arrivals and self.arrivals[0].submit == self.now:
                task = self.arrivals.pop(0)
                task.has_arrived = True
                self.held.append(task)
            called = self.release() or called  # who is held calls for no decision
            for task in [t for t in self.deferred if t.not_before == self.now]:
                self.deferred.remove(task)
                self.waiting.append(task)
            if self.now in self.timers:
                self.timers.discard(self.now)
                called = True
            if self.schedulers:
                self.schedulers.decide(self)
            elif called and self.waiting:
                self.select(self, self.select_options)
                self.ended_early, self.shrunk = False, set()
            self.again = self.release()  # who waited for a start: the next round

    def release(self):
        """Tasks that wait for others join the queue when none is left to wait for; who needs an outcome that
        did not come ends as held (manual, Jobs and their order). @return did any join?"""
        joined, again = False, True
        while again:
            again = False
            for task in list(self.held):
                said = [self.outcome(task, kind, name) for kind, name in task.waits_for]
                if "never" in said:
                    task.state, again = "held", True
                    self.held.remove(task)
                    continue
                elif "wait" in said:
                    continue
                elif task.not_before > self.now and not self.plans_ahead:
                    self.deferred.append(task)
                    self.timers.add(task.not_before)
                    self.held.remove(task)
                    continue
                else:
                    if task.not_before > self.now:
                        self.timers.add(task.not_before)
                    self.waiting.append(task)
                self.held.remove(task)
                joined = again = True
        return joined

    def outcome(self, task, kind, name):
        """Of a predecessor: `yes`, `wait` or `never`. One that is not there when all tasks of the instant
        have arrived is missing: it need not be waited for (missing_predecessor: satisfied)."""
        other = self.by_name.get(name)
        if other is None or not other.has_arrived:
            return "yes"
        ended = other.state in ("completed", "killed", "lost", "held")
        if kind == "start_after":
            return "yes" if ended else "wait"
        if kind == "after_start":
            return "yes" if ended or other.start is not None or other.attempts else "wait"
        if not ended:
            return "wait"
        return "yes" if (kind == "after_ok") == (other.state == "completed") else "never"

    def finish(self, task):
        self.running.remove(task)
        self.cell.give(task.grant)
        task.end, task.state = self.now, task.final
        if self.now < task.start + self.at_speed(task.estimate, task.grant):
            self.ended_early = True

    # -- what happens to hosts: docs/reference/change.md; manual, Hosts change --

    def change(self, number, kind, amounts):
        host = self.cell.hosts[number]
        self.ended_early = True  # plans are made better as after an early end
        if kind == "down":
            host.up = False
            for task in [t for t in self.running if any(p[0] == number for p in t.grant[0])]:
                self.lose(task)
        elif kind == "drain":
            host.draining = True
        elif kind == "up":
            host.up, host.draining = True, False
        else:
            for d, a in amounts.items():
                if a < host.has[d]:
                    self.shrunk.add(number)
                host.free[d] += a - host.has[d]
                host.has[d] = a

    def lose(self, task):
        """host_loss: lost: its end; requeue: it waits again at its place; restart: at the end of the queue."""
        how = self.run_file.get("host_loss", "requeue")
        self.running.remove(task)
        self.cell.give(task.grant)
        task.attempts += 1
        if how == "lost" or task.attempts >= self.run_file.get("attempts", 100):
            task.end, task.state = self.now, "lost"
            return
        task.state, task.start, task.grant = "waiting", None, None
        if how == "restart":
            task.joined = task.seen = self.now
        self.waiting.append(task)


def figures(sim):
    """metric.md, over tasks that started and ended: wait_mean, response_mean, bounded_slowdown_mean with tau
    = 10 s, makespan."""
    ran = [t for t in sim.tasks if t.state in ("completed", "killed")]
    if not ran:
        return {}
    mean = lambda of: Fraction(sum(of), len(ran))
    return {
        "wait_mean": mean(t.start - t.submit for t in ran) / NS,
        "response_mean": mean(t.end - t.submit for t in ran) / NS,
        "bounded_slowdown_mean": mean(
            max(Fraction(1), Fraction(t.end - t.submit, max(t.end - t.start, 10 * NS))) for t in ran),
        "makespan": Fraction(max(t.end for t in ran) - min(t.submit for t in ran), NS),
    }


def simulate(case):
    sim = Simulation(case)
    sim.simulate()
    where = lambda t: sim.cell.named(t.grant) if t.grant is not None else None
    rows = {t.id: (t.state, t.start, t.end, where(t)) for t in sim.tasks}
    return rows, figures(sim)
