"""hosts.py -- a cell of hosts: a vector of amounts and devices each, and placements that choose among them.

Definitions: docs/hosts.md, docs/reference/cell.md, class.md, place.md. Amounts are whole numbers:
thousandths of a core and of a GPU, bytes, units. A grant is a list of pieces (host, amounts, {device: part of
it}, whole), one a slot, and the licences that the task holds once.
"""
import re
from fractions import Fraction

MILLI = ("cpu", "gpu")
KEYS = {"cpu_per_node": "cpu", "memory_per_node": "memory", "cpus": "cpu", "gpus": "gpu"}


def amount(name, value):
    return int(Fraction(str(value)) * (1000 if name in MILLI else 1))


class Need:
    """What one slot asks for. Hosts that are named without cores, memory or GPUs are taken whole (manual,
    Hosts)."""

    def __init__(self, resources, exist):
        asked = {KEYS.get(k, k): amount(KEYS.get(k, k), v) for k, v in resources.items() if k != "nodes_count"}
        self.asked = frozenset((d, a) for d, a in asked.items() if a)
        self.amounts = {d: a for d, a in self.asked if d in exist}
        self.whole = not any(asked.get(d) for d in ("cpu", "memory", "gpu"))


def holds(host, text):
    """Constraints, joined by &: ssd, !ssd, kernel>=5, gpu_model=V100|A100. What is not there is not so."""
    for part in filter(None, text.split("&")):
        m = re.fullmatch(r"\s*(!?)(\w+)\s*(?:(>=|<=|=|>|<)\s*(\S+))?\s*", part)
        no, name, sign, value = m.groups()
        have = host.attributes.get(name)
        if sign is None:
            so = have is not None
        elif have is None:
            so = False
        elif sign == "=":
            so = str(have) in value.split("|")
        else:
            so = {">=": int(have) >= int(value), "<=": int(have) <= int(value), ">": int(have) > int(value),
                  "<": int(have) < int(value)}[sign]
        if so == bool(no):
            return False
    return True


class Host:
    def __init__(self, number, record, index):
        self.number, self.class_name, self.name = number, record["name_prefix"], f"{record['name_prefix']}-{index}"
        self.has = {"cpu": amount("cpu", record.get("cpus", 0)), "memory": record.get("memory", 0),
                    "disk": record.get("disk", 0), "gpu": 1000 * record.get("gpus", 0)}
        for text in record.get("amounts", []):
            name, value = text.split("=")
            self.has[name] = int(value)
        self.free = dict(self.has)
        self.devices = [1000] * record.get("gpus", 0)                      # free part of each
        self.attributes = {f: True for f in record.get("features", [])}
        self.attributes.update(a.split("=") for a in record.get("attributes", []))
        self.speed = Fraction(str(record.get("speed", 1)))
        self.up, self.draining, self.whole = True, False, False  # whole: taken whole, nothing else fits
        self.slots = self.crowd = 0  # slots here; tasks, as the placement spread counts

    def copy(self):
        other = Host.__new__(Host)
        other.__dict__.update(self.__dict__)
        other.free, other.devices = dict(self.free), list(self.devices)
        return other

    def idle(self):
        return self.slots == 0

    def devices_for(self, part):
        """Which devices a slot gets: whole ones, the lowest; of a part, one device: see place.md."""
        if part % 1000 == 0:
            return {i: 1000 for i in [i for i, f in enumerate(self.devices) if f == 1000][:part // 1000]} \
                if sum(f == 1000 for f in self.devices) >= part // 1000 else None
        fitting = [i for i, f in enumerate(self.devices) if f >= part]
        return {min(fitting, key=lambda i: (self.devices[i], i)): part} if fitting else None

    def fits(self, need):
        """The piece that a slot would get here, or None."""
        if not self.up or self.draining or self.whole or min(self.free.values()) < 0:
            return None
        if need.whole:
            ok = self.idle() and all(self.has.get(d, 0) >= a for d, a in need.amounts.items())
            return (self.number, dict(self.has), {i: 1000 for i in range(len(self.devices))}, True) if ok else None
        if any(self.free.get(d, 0) < a for d, a in need.amounts.items()):
            return None
        devices = self.devices_for(need.amounts.get("gpu", 0))
        return (self.number, need.amounts, devices, False) if devices is not None else None

    def change(self, piece, sign):
        for d, a in piece[1].items():
            self.free[d] -= sign * a
        for i, part in piece[2].items():
            self.devices[i] -= sign * part
        self.slots += sign
        if piece[3]:
            self.whole = sign > 0


# ---- placements on hosts: score(host, need amounts), the highest wins, the lower host of equal ones (place.md) ----

def dims(host):
    return [d for d, c in host.has.items() if c > 0]


def left(host, need):
    """(free - need) / capacity, over the dimensions that the host has"""
    return [Fraction(host.free[d] - need.get(d, 0), host.has[d]) for d in dims(host)]


def drfh(host, need):
    first = next(d for d in host.has if need.get(d, 0) > 0)
    share = lambda x, d: Fraction(x, host.has[d])
    n1, f1 = share(need[first], first), share(host.free[first], first)
    return -sum(abs(share(need.get(d, 0), d) / n1 - share(host.free[d], d) / f1) for d in dims(host))


def variance(host, need):
    used = [1 - x for x in left(host, need)]
    mean = sum(used) / len(used)
    return sum((u - mean)**2 for u in used) / len(used)


SCORES = {
    "first_fit": lambda h, n: 0,
    "best_fit": lambda h, n: -sum(left(h, n)),
    "worst_fit": lambda h, n: sum(left(h, n)),
    "least_allocated": lambda h, n: sum(left(h, n)) / len(dims(h)),
    "most_allocated": lambda h, n: sum(1 - x for x in left(h, n)) / len(dims(h)),
    "balanced": lambda h, n: -variance(h, n),  # 1 - deviation, which orders alike
    "dot_product": lambda h, n: sum(Fraction(n.get(d, 0) * h.free[d], h.has[d]**2) for d in dims(h)),
    "l2_norm": lambda h, n: -sum(x * x for x in left(h, n)),
    "drfh": drfh,
    "stranding": lambda h, n: -(sum(left(h, n)) + max(left(h, n)) - min(left(h, n))),
    "fastest": lambda h, n: h.speed,
    "spread": lambda h, n: (-h.crowd, -sum(left(h, n))),  # hosts are the domains; by: best_fit
}


class Hosts:
    def __init__(self, cell, place):
        self.place, self.last, self.hosts = place, -1, []
        for record in cell["classes"]:
            for index in range(record.get("count", 1)):
                self.hosts.append(Host(len(self.hosts), record, index))
        self.licences = {t.split("=")[0]: int(t.split("=")[1]) for t in cell.get("licences", [])}

    def copy(self):
        other = Hosts.__new__(Hosts)
        other.__dict__.update(self.__dict__)
        other.hosts, other.licences = [h.copy() for h in self.hosts], dict(self.licences)
        return other

    def could(self, task):
        """By hosts as they are declared, all of them up and empty, each of several needs by itself."""
        return all(self.find(alone) is not None for alone in task.by_need())

    def find(self, task):
        """One slot after the other, each by the placement; on hosts all different, if the task is spread.
        next_fit fills a host with slots of one need before it goes on. The crowd (spread) is the one before
        the task."""
        licences = task.asks_licences
        if any(a > self.licences[d] for d, a in licences.items()):
            return None
        state, pieces = self.copy(), []
        for need in task.slots:
            taken = {p[0] for p in pieces} if task.spread else ()
            if pieces and need.amounts is not pieces[-1][1] and not need.whole:
                state.last = pieces[-1][0]
            piece = state.choose(task, need, taken)
            if piece is None:
                return None
            state.hosts[piece[0]].change(piece, 1)
            pieces.append(piece)
        return pieces, licences

    def choose(self, task, need, taken):
        fitting = []
        for host in self.hosts:
            if host.number not in taken and task.may_use(host):
                piece = host.fits(need)
                if piece is not None:
                    fitting.append((host, piece))
        if not fitting:
            return None
        if self.place == "next_fit":
            return min(fitting, key=lambda x: (x[0].number <= self.last, x[0].number))[1]
        return max(fitting, key=lambda x: (SCORES[self.place](x[0], x[1][1]), -x[0].number))[1]

    def take(self, grant):
        self.change(grant, 1)

    def give(self, grant):
        self.change(grant, -1)

    def change(self, grant, sign):
        for piece in grant[0]:
            self.hosts[piece[0]].change(piece, sign)
            if sign > 0:
                self.last = piece[0]
        # spread: a task counts once on a host for each of its needs, or for each slot that has a part of a GPU
        shared = [p for p in grant[0] if p[1].get("gpu", 0) % 1000]
        for number, _ in {(p[0], id(p[1])) for p in grant[0] if p not in shared}:
            self.hosts[number].crowd += sign
        for piece in shared:
            self.hosts[piece[0]].crowd += sign
        for d, a in grant[1].items():
            self.licences[d] -= sign * a

    def meet(self, other):
        for a, b in zip(self.hosts, other.hosts):
            a.free = {d: min(x, b.free[d]) for d, x in a.free.items()}
            a.devices = [min(x, y) for x, y in zip(a.devices, b.devices)]
            a.slots, a.crowd = max(a.slots, b.slots), max(a.crowd, b.crowd)
            a.up, a.draining, a.whole = a.up and b.up, a.draining or b.draining, a.whole or b.whole
        self.licences = {d: min(x, other.licences[d]) for d, x in self.licences.items()}

    def room_for(self, grant):
        """Is there room for this very grant now?"""
        state = self.copy()
        state.take(grant)
        on = [state.hosts[p[0]] for p in grant[0]]
        return all(min(h.free.values()) >= 0 and min(h.devices, default=0) >= 0 for h in on) and \
            all(self.hosts[p[0]].idle() for p in grant[0] if p[3]) and \
            all(h.up and not h.draining for h in on) and not any(self.hosts[p[0]].whole for p in grant[0]) and \
            all(a >= 0 for a in state.licences.values())

    def as_now(self, grant):
        """A host that is taken whole is taken with what it has now."""
        return [(p[0], dict(self.hosts[p[0]].has), p[2], True) if p[3] else p for p in grant[0]], grant[1]

    def speed(self, grant):
        return min(self.hosts[p[0]].speed for p in grant[0])

    def capacity(self):
        names = {d for h in self.hosts for d in h.has}
        return self.licences | {d: sum(h.has.get(d, 0) for h in self.hosts) for d in names}

    def held(self, grant):
        out = dict(grant[1])
        for piece in grant[0]:
            for d, a in piece[1].items():
                out[d] = out.get(d, 0) + a
        return out

    def named(self, grant):
        """[(host, slots, devices, amounts)] as the table `grants` of a result has it."""
        out = {}
        for number, amounts, devices, _ in grant[0]:
            slots, held, bits = out.get(number, (0, {}, 0))
            for d, a in amounts.items():
                held[d] = held.get(d, 0) + a
            for i in devices:
                bits |= 1 << i
            out[number] = (slots + 1, held, bits)
        amounts = lambda held: tuple(sorted((d, a) for d, a in held.items() if a))
        return [(host, slots, bits, amounts(held)) for host, (slots, held, bits) in sorted(out.items())]
