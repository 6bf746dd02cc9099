"""cells.py -- what a machine has, and where a task fits.

Three kinds, as docs/reference/cell.md has them: a number of processors (count), processors with ids
(intervals), hosts with a vector each (hosts, in hosts.py). All answer the same questions on a state that can
be copied, so that a selector plans by changing a copy:

  find(task)         what the placement would give the task now, or None
  take, give(grant)  that is held, or free again
  meet(other)        what is free in both states: the least

Slow on purpose: a state is a plain list or set, and whatever is asked is looked for.
"""


class Count:
    """A task fits if enough processors are free. None has an id. (cell.md: count)"""

    def __init__(self, procs):
        self.procs = self.free = procs

    def copy(self):
        other = Count(self.procs)
        other.free = self.free
        return other

    def could(self, task):
        return task.procs <= self.procs

    def find(self, task):
        return task.procs if task.procs <= self.free else None

    def take(self, grant):
        self.free -= grant
        assert self.free >= 0

    def give(self, grant):
        self.free += grant
        assert self.free <= self.procs

    def meet(self, other):
        self.free = min(self.free, other.free)

    def capacity(self):
        return {"cpu": self.procs}

    def held(self, grant):
        return {"cpu": grant}

    def named(self, grant):
        return None


def ranges(ids):
    """[(first, count)] of a set of ids, lowest first."""
    out = []
    for i in sorted(ids):
        if out and out[-1][0] + out[-1][1] == i:
            out[-1][1] += 1
        else:
            out.append([i, 1])
    return out


def lowest(free, n):
    """place.md, first_fit: the free processors with the lowest ids. So do placements that speak of hosts."""
    return sorted(free)[:n] if n <= len(free) else None


def best(free, n):
    """place.md, best_fit: the smallest free range that holds the task. If no range holds it, the largest are
    taken whole, and for what is left the smallest that holds it. Ties go to the lower ids."""
    if n > len(free):
        return None
    got, left = [], set(free)
    while n > 0:
        holds = [r for r in ranges(left) if r[1] >= n]
        smallest, largest = lambda r: (r[1], r[0]), lambda r: (r[1], -r[0])
        first, count = min(holds, key=smallest) if holds else max(ranges(left), key=largest)
        taken = range(first, first + min(n, count))
        got += taken
        left -= set(taken)
        n -= len(taken)
    return got


def contiguous(free, n):
    """place.md, contiguous: one range of consecutive processors, the lowest that is long enough."""
    holds = [r for r in ranges(free) if r[1] >= n]
    return list(range(holds[0][0], holds[0][0] + n)) if holds else None


def contiguous_best(free, n):
    """contiguous with choose: best: the shortest one, the lower of two."""
    holds = [r for r in ranges(free) if r[1] >= n]
    if not holds:
        return None
    first = min(holds, key=lambda r: (r[1], r[0]))[0]
    return list(range(first, first + n))


PROCESSOR_PLACES = {"best_fit": best, "contiguous": contiguous, "contiguous_best": contiguous_best}


class Intervals:
    """Processors with ids from 0, among which a placement chooses. (cell.md: intervals)"""

    def __init__(self, procs, place):
        self.procs, self.place, self.free = procs, place, set(range(procs))

    def copy(self):
        other = Intervals(self.procs, self.place)
        other.free = set(self.free)
        return other

    def could(self, task):
        return task.procs <= self.procs

    def find(self, task):
        return PROCESSOR_PLACES.get(self.place, lowest)(self.free, task.procs)

    def take(self, grant):
        assert self.free.issuperset(grant)
        self.free -= set(grant)

    def give(self, grant):
        assert self.free.isdisjoint(grant)
        self.free |= set(grant)

    def named(self, grant):
        return sorted(grant)

    def counted(self):
        """Selectors that promise times plan by counting (manual, Policies)."""
        other = Count(self.procs)
        other.free = len(self.free)
        return other
