"""architectures.py -- who decides when: schedulers that each take one job after another and think about it.

Definitions: docs/architectures.md, docs/reference/architecture.md, scheduler.md; Schwarzkopf et al.,
EuroSys 2013, sections 3.1 to 3.4. `multi_path` and `partitions` decide at the end of a thought, on the live
cell; `shared_state` decides on the cell as it was when the thought began, and what does not fit any more at
its end is refused. What is left of a job joins the end of its line after `retry`. Jobs here are tasks of one
collection that arrive together, or a task of none.
"""
from policies import NS


class Scheduler:
    def __init__(self, record, number):
        self.number, self.record = number, record
        self.line, self.job, self.until, self.plan = [], None, None, []
        owns = record.get("hosts")
        self.hosts = None if owns is None else {int(x) for x in owns}

    def takes(self, task):
        words = self.record.get("takes", "priority >= 0").split()  # `priority >= N`, and nothing else
        return task.priority >= int(words[2])


class Schedulers:
    def __init__(self, options, cell, ns):
        self.kind, self.retry, self.ns = options["use"], ns(options.get("retry", 1)), ns
        records = options.get("schedulers", [{"name": "all"}])
        self.schedulers = [Scheduler(r, i) for i, r in enumerate(records)]
        self.all_or_nothing = options.get("commit") == "all_or_nothing"
        if self.kind == "partitions" and all(d.hosts is None for d in self.schedulers):
            # equal parts, by number
            n, k = len(cell.hosts), len(self.schedulers)
            for d in self.schedulers:
                d.hosts = set(range(n * d.number // k, n * (d.number + 1) // k))
        self.seen, self.resting, self.begun = set(), [], 0  # resting: (time, job)

    def decide(self, sim):
        jobs = {}
        for task in sorted((t for t in sim.waiting if t not in self.seen), key=lambda t: t.serial):
            self.seen.add(task)
            jobs.setdefault(task.row.get("collection_id", ("alone", task.serial)), []).append(task)
        for job in jobs.values():
            scheduler = next(d for d in self.schedulers if d.takes(job[0]))
            for task in job:
                task.kind = scheduler.record
            # multi_path: one of several kinds
            (self.schedulers[0] if self.kind == "multi_path" else scheduler).line.append(job)
        for rest in sorted((r for r in self.resting if r[0] <= sim.now), key=lambda r: r[0]):
            self.resting.remove(rest)
            rest[1].line.append(rest[2])
        over = [d for d in self.schedulers if d.job and d.until == sim.now]
        for scheduler in sorted(over, key=lambda d: d.since):                    # who began first ends first
            self.finish(sim, scheduler)
        for scheduler in self.schedulers:
            if not scheduler.job and scheduler.line:
                self.begin(sim, scheduler)

    def begin(self, sim, scheduler):
        """t_decision = think_job + think_task x tasks that have not started."""
        scheduler.job = scheduler.line.pop(0)
        kind = scheduler.job[0].kind
        task = self.ns(kind.get("think_task", 0.005))
        think = self.ns(kind.get("think_job", 0.1)) + task * len(scheduler.job)
        scheduler.until, scheduler.since, self.begun = sim.now + think, self.begun, self.begun + 1
        sim.wake(scheduler.until)
        if self.kind == "shared_state":
            scheduler.plan = self.look(sim, scheduler)

    def look(self, sim, scheduler):
        """[(task, grant)] for each task of the job that finds room, one after the other."""
        state, plan = sim.cell.copy(), []
        if scheduler.hosts is not None:
            for host in state.hosts:
                host.draining |= host.number not in scheduler.hosts
        for task in scheduler.job:
            grant = state.find(task)
            if grant is not None:
                state.take(grant)
                plan.append((task, grant))
        return plan

    def finish(self, sim, scheduler):
        plan = scheduler.plan if self.kind == "shared_state" else self.look(sim, scheduler)
        if self.all_or_nothing and not all_fit(sim, plan):
            plan = []
        for task, grant in plan:
            if sim.cell.room_for(grant):                                    # else a conflict
                sim.start(task, grant)
        left = [t for t in scheduler.job if t in sim.waiting]
        for task in scheduler.job:
            task.tries += 1
            task.in_vain = task.in_vain and len(left) == len(scheduler.job)
        if left and left[0].tries >= (100 if left[0].in_vain else 1000):  # attempts(_in_vain): given up
            for task in left:
                task.state = "rejected"
                sim.waiting.remove(task)
        elif left:
            self.resting.append((sim.now + self.retry, scheduler, left))
            sim.wake(sim.now + self.retry)
        scheduler.job, scheduler.plan = None, []


def all_fit(sim, plan):
    state = sim.cell.copy()
    for _, grant in plan:
        if not state.room_for(grant):
            return False
        state.take(grant)
    return True
