"""policies.py -- who runs next: orders and selectors of the policy batch.

Each function states its definition and where that stands. A selector is a generator-free function of the
simulation `sim`: it looks at sim.queue (in order), sim.running, sim.cell and starts tasks by sim.start(task,
grant).
"""
from fractions import Fraction
from math import log2

NEVER = 2**63 - 1
NS = 10**9


# ---- orders: docs/reference/order.md. The lowest key goes first, equal ones by serial. ----

def endless_last(task, key):
    return (1, 0) if task.estimate == NEVER else (0, key)


def endless_first(task, key):
    return (-1, 0) if task.estimate == NEVER else (0, key)


def expansion(task, now, f):
    """Orders that age tasks: an estimate of 0 counts as 1 ns."""
    return f(now - task.seen, max(task.estimate, 1))


def wfp3(task, now):
    """-(wait / estimate)^3 x processors: 0, and so last, without a wait or without an estimate"""
    return 0 if task.estimate == NEVER else expansion(task, now, lambda w, e: -Fraction(w, e)**3 * task.procs)


def unicep(task, now):
    """-wait / (log2(processors) x estimate); one processor: before all others once it has waited"""
    wait, procs = now - task.seen, task.procs / (1000 if hasattr(task, "slots") else 1)  # of hosts: thousandths
    if procs <= 1:
        return (-1, 0) if wait > 0 else (0, 0)
    return (0, 0 if task.estimate == NEVER else -wait / (log2(procs) * max(task.estimate, 1)))


ORDERS = {
    "fcfs": lambda t, now: t.joined,  # submission, or when it was put at the end
    "sjf": lambda t, now: endless_last(t, t.estimate),
    "ljf": lambda t, now: endless_first(t, -t.estimate),
    "smallest": lambda t, now: t.procs,
    "largest": lambda t, now: -t.procs,
    "smallest_area": lambda t, now: endless_last(t, t.procs * t.estimate),
    "largest_area": lambda t, now: endless_first(t, -t.procs * t.estimate),
    "priority": lambda t, now: -t.priority,
    "lxf": lambda t, now: endless_last(t, expansion(t, now, lambda w, e: -Fraction(w + e, e))),
    "wfp3": wfp3,
    "unicep": unicep,
}


def sort(tasks, order, now):
    return sorted(tasks, key=lambda t: (ORDERS[order](t, now), t.serial))


# ---- selectors: docs/reference/select.md ----

def blocking(sim, options):
    """A task that does not fit blocks all behind it."""
    for task in sim.queue():
        grant = sim.find(task)
        if grant is None:
            return
        sim.start(task, grant)


def scan(sim, options):
    """Start whatever fits, in order; nothing is protected."""
    for task in sim.queue():
        grant = sim.find(task)
        if grant is not None:
            sim.start(task, grant)


def later(sim, at):
    """The cell at time `at`, by expected ends: what is held until then is free."""
    state = sim.cell.copy()
    for r in sim.running:
        if sim.expected_end(r) <= at:
            state.give(r.grant)
    return state


def shadow_of(sim, task):
    """The earliest time at which the task finds room, by expected ends; NEVER if none does (easy: shadow)."""
    for at in sorted({sim.expected_end(r) for r in sim.running}):
        if at < NEVER and later(sim, at).find(task) is not None:
            return at
    return NEVER


def easy(sim, options):
    """EASY (Lifka 1995; Mu'alem and Feitelson 2001): start heads while they fit. The first that does not has
    a reservation at its shadow time. A later task starts now if it fits and ends by then, or if the head
    still finds room then beside it (the general form of `processors <= extra`)."""
    strict, extra = options.get("window") == "strict", options.get("extra", True)
    queue = sim.queue()
    while queue and (grant := sim.find(queue[0])) is not None:
        sim.start(queue.pop(0), grant)
    if not queue:
        return
    head, rest = queue[0], queue[1:]
    shadow = shadow_of(sim, head)
    if "candidates" in options:
        rest = sort(rest, options["candidates"], sim.now)
    for task in rest:
        grant = sim.find(task)
        if grant is None:
            continue
        end = sim.ends_if_started(task, grant)
        is_free = not options.get("protect", True) or shadow == NEVER  # nothing is promised: select.md, easy
        if is_free or (end < shadow if strict else end <= shadow):
            sim.start(task, grant)
        elif extra and beside(sim, head, shadow, grant):
            sim.start(task, grant)


def beside(sim, head, shadow, grant):
    """Does the head still find room at its shadow time if the grant is held then?"""
    if shadow == NEVER:
        return True
    state = later(sim, shadow)
    state.take(grant)
    return state.find(head) is not None


class Plan:
    """What is free when: what runs until its expected end, and promises (start, end, grant)."""

    def __init__(self, sim, promises):
        self.sim, self.now, self.promises = sim, sim.now, promises
        self.ends = sorted((sim.expected_end(r), r.serial, r.grant) for r in sim.running)

    def at(self, time):
        state = self.sim.plan_cell()
        for end, _, grant in self.ends:
            if end <= time:
                state.give(self.sim.plan_grant(grant))
        for start, end, grant in self.promises:
            if start <= time < end:
                state.take(grant)
        return state

    def earliest(self, task):
        """The first time from now on at which the task has room for as long as it is believed to run."""
        turns = {self.now} | {e for e, _, _ in self.ends if self.now < e < NEVER}
        turns |= {x for s, e, _ in self.promises for x in (s, e) if self.now < x < NEVER}
        if task.not_before > self.now:
            turns.add(task.not_before)
        turns = sorted(turns)
        for start in turns:
            if start < task.not_before:
                continue
            least = self.at(start)
            for other in turns:
                if start < other < start + task.estimate:
                    least.meet(self.at(other))
            grant = least.find(task)
            if grant is not None:
                return start, start + task.estimate, grant
        return NEVER, NEVER, None


class Conservative:
    """Each task is promised the earliest start that the promises before it allow (Mu'alem and Feitelson
    2001). `replan` says what follows from an early end: everything anew in queue order (full; always: at
    every decision), one task after the other moves earlier (compress), or nothing (none)."""

    def __init__(self, options):
        self.replan = options.get("replan", "full")
        self.promised = {}                                                  # task -> (start, end, grant)

    def __call__(self, sim, options):
        queue = sim.queue()
        holds = lambda t, p: t in queue and p[0] < NEVER and not sim.is_void(p[2])
        self.promised = {t: p for t, p in self.promised.items() if holds(t, p)}
        ahead = any(t not in self.promised for t in queue[:len(self.promised)])
        if self.replan == "always" or (self.replan == "full" and (sim.ended_early or ahead)):
            self.promised = {}
        for task in queue:
            if task not in self.promised or (self.replan == "compress" and sim.ended_early):
                self.promised.pop(task, None)
                self.promised[task] = Plan(sim, list(self.promised.values())).earliest(task)
        for task in queue:
            if self.promised[task][0] <= sim.now:
                grant = sim.find_promised(task, self.promised[task][2])
                if grant is not None:
                    sim.start(task, grant)
                    del self.promised[task]
        for start, _, _ in self.promised.values() if self.replan != "always" else ():  # select.md, replan
            sim.wake(start)


class Fair:
    """The user with the least starts the first of its tasks that fits (policy.md, fair; Ghodsi et al., NSDI 2011,
    algorithm 1). Who has nothing that fits is passed over until the next decision. Ties go to the lower user."""

    def __init__(self, policy, cell):
        self.share = policy.get("share", "drf")
        self.weights = {int(u): int(w) for u, w in (x.split("=") for x in policy.get("weights", []))}
        self.capacity = cell.capacity()

    def has(self, sim, user):
        """drf: max_r used_r / (capacity_r weight); max_min: of the first dimension alone; fifo: whose first
        task is first."""
        if self.share == "fifo":
            first = sim.queue_of(user)[0]
            return first.joined, first.serial
        used = {}
        for task in sim.running:
            if task.user == user:
                for d, a in sim.cell.held(task.grant).items():
                    used[d] = used.get(d, 0) + a
        of = ["cpu"] if self.share == "max_min" else used
        shares = [Fraction(used.get(d, 0), self.capacity[d]) for d in of if self.capacity.get(d)]
        return max(shares, default=0) / self.weights.get(user, 1), 0

    def __call__(self, sim, options):
        passed = set()
        while users := {t.user for t in sim.waiting} - passed:
            user = min(users, key=lambda u: (self.has(sim, u), u))
            tried, found = set(), None
            for task in sim.queue_of(user):  # of those with equal demands the first
                grant = sim.find(task) if task.shape() not in tried else None
                tried.add(task.shape())
                if grant is not None:
                    found = task, grant
                    break
            if found is None:
                passed.add(user)
            else:
                sim.start(*found)


SELECTORS = {"blocking": lambda o: blocking, "scan": lambda o: scan, "easy": lambda o: easy,
             "conservative": Conservative}
