"""architectures.py -- who decides when: schedulers that each take one job after another and think about it.

Definitions: docs/architectures.md, docs/reference/architecture.md, scheduler.md; Schwarzkopf et al.,
EuroSys 2013, sections 3.1 to 3.4. `multi_path` and `partitions` decide at the end of a thought, on the live
cell; `shared_state` decides on the cell as it was when the thought began, and what does not fit any more at
its end is refused. What is left of a job joins the end of its line after `retry`. Jobs here are tasks of one
collection that arrive together, or a task of none.
"""
from policies import NS


class Desk:
    def __init__(self, record, number):
        self.number, self.record = number, record
        self.line, self.job, self.until, self.plan = [], None, None, []
        owns = record.get("hosts")
        self.hosts = None if owns is None else {int(x) for x in owns}

    def takes(self, task):
        words = self.record.get("takes", "priority >= 0").split()  # `priority >= N`, and nothing else
        return task.priority >= int(words[2])


class Desks:
    def __init__(self, options, cell, ns):
        self.kind, self.retry, self.ns = options["use"], ns(options.get("retry", 1)), ns
        records = options.get("schedulers", [{"name": "all"}])
        self.desks = [Desk(r, i) for i, r in enumerate(records)]
        self.all_or_nothing = options.get("commit") == "all_or_nothing"
        if self.kind == "partitions" and all(d.hosts is None for d in self.desks):   # equal parts, by number
            n, k = len(cell.hosts), len(self.desks)
            for d in self.desks:
                d.hosts = set(range(n * d.number // k, n * (d.number + 1) // k))
        self.seen, self.resting, self.begun = set(), [], 0  # resting: (time, job)

    def decide(self, sim):
        jobs = {}
        for task in sorted((t for t in sim.waiting if t not in self.seen), key=lambda t: t.serial):
            self.seen.add(task)
            jobs.setdefault(task.row.get("collection_id", ("alone", task.serial)), []).append(task)
        for job in jobs.values():
            desk = next(d for d in self.desks if d.takes(job[0]))
            for task in job:
                task.kind = desk.record
            (self.desks[0] if self.kind == "multi_path" else desk).line.append(job)  # one of several kinds
        for rest in sorted((r for r in self.resting if r[0] <= sim.now), key=lambda r: r[0]):
            self.resting.remove(rest)
            rest[1].line.append(rest[2])
        over = [d for d in self.desks if d.job and d.until == sim.now]
        for desk in sorted(over, key=lambda d: d.since):                    # who began first ends first
            self.finish(sim, desk)
        for desk in self.desks:
            if not desk.job and desk.line:
                self.begin(sim, desk)

    def begin(self, sim, desk):
        """t_decision = think_job + think_task x tasks that have not started."""
        desk.job = desk.line.pop(0)
        kind = desk.job[0].kind
        think = self.ns(kind.get("think_job", 0.1)) + self.ns(kind.get("think_task", 0.005)) * len(desk.job)
        desk.until, desk.since, self.begun = sim.now + think, self.begun, self.begun + 1
        sim.wake(desk.until)
        if self.kind == "shared_state":
            desk.plan = self.look(sim, desk)

    def look(self, sim, desk):
        """[(task, grant)] for each task of the job that finds room, one after the other."""
        state, plan = sim.cell.copy(), []
        if desk.hosts is not None:
            for host in state.hosts:
                host.draining |= host.number not in desk.hosts
        for task in desk.job:
            grant = state.find(task)
            if grant is not None:
                state.take(grant)
                plan.append((task, grant))
        return plan

    def finish(self, sim, desk):
        plan = desk.plan if self.kind == "shared_state" else self.look(sim, desk)
        if self.all_or_nothing and not all_fit(sim, plan):
            plan = []
        for task, grant in plan:
            if sim.cell.room_for(grant):                                    # else a conflict
                sim.start(task, grant)
        left = [t for t in desk.job if t in sim.waiting]
        for task in desk.job:
            task.tries += 1
            task.in_vain = task.in_vain and len(left) == len(desk.job)
        if left and left[0].tries >= (100 if left[0].in_vain else 1000):  # attempts(_in_vain): given up
            for task in left:
                task.state = "rejected"
                sim.waiting.remove(task)
        elif left:
            self.resting.append((sim.now + self.retry, desk, left))
            sim.wake(sim.now + self.retry)
        desk.job, desk.plan = None, []


def all_fit(sim, plan):
    state = sim.cell.copy()
    for _, grant in plan:
        if not state.room_for(grant):
            return False
        state.take(grant)
    return True
