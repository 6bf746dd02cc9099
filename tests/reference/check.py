"""check -- random cases through the reference simulator and through `hindcast run`; a disagreement shrinks
itself.

usage: check HINDCAST [--cases N] [--first SEED] [--seconds S]     (--cases 0: as long as the seconds last)
"""
import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cases
import model

STATES = ["completed", "killed", "rejected", "withdrawn", "waiting", "running", "lost", "held"]


class Hindcast:
    """The command, run on a case in a directory of its own; what it found, in the words of model.simulate."""

    def __init__(self, command, directory):
        self.command, self.directory = command, directory

    def path(self, name):
        return os.path.join(self.directory, name)

    def __call__(self, case):
        run = dict(case["run"], name="case", output=self.path("case.db"),
                   source={"use": "native", "file": self.path("tasks.json")},
                   metrics=["wait", "response", "bounded_slowdown", "makespan"])
        with open(self.path("tasks.json"), "w") as f:
            f.write("[" + ",\n".join(map(json.dumps, case["tasks"])) + "]\n")
        with open(self.path("run.json"), "w") as f:
            json.dump(run, f)
        self.licences = [t.split("=")[0] for t in run["cell"].get("licences", [])]
        if os.path.exists(self.path("case.db")):
            os.remove(self.path("case.db"))
        done = subprocess.run([self.command, "run", "--quiet", self.path("run.json")], capture_output=True, text=True)
        if done.returncode != 0:
            return None, done.stderr.strip()
        return self.read()

    def read(self):
        db = sqlite3.connect(self.path("case.db"))
        rows, places = {}, {}
        for serial, first, count in db.execute("SELECT serial, first, count FROM placements"):
            places.setdefault(serial, []).extend(range(first, first + count))
        said = db.execute("SELECT * FROM hindcast WHERE key LIKE 'dimension_%'")
        names = {int(key[len("dimension_"):]): name for key, name in said}
        for serial, host, slots, devices, *amounts in db.execute("SELECT * FROM grants"):
            place = places.setdefault(serial, {}).setdefault(host, [0, 0, {}])  # a host may have several rows
            place[0], place[1] = place[0] + slots, place[1] | devices
            for i, name in names.items():
                place[2][name] = place[2].get(name, 0) + (amounts[i] or 0)
        for serial, where in places.items():
            if isinstance(where, dict):
                amounts = lambda held: tuple(sorted(x for x in held.items() if x[1] and x[0] not in self.licences))
                places[serial] = [(h, s, v, amounts(held))
                                  for h, (s, v, held) in where.items()]
        for serial, id, start, end, final in db.execute('SELECT serial, id, start, "end", final FROM tasks'):
            rows[id] = (STATES[final], start, end, sorted(places[serial]) if serial in places else None)
        figures = dict(db.execute("SELECT name, value FROM summary WHERE scope = 'all'"))
        db.close()
        return rows, figures


def differences(case, hindcast):
    """Text of what differs, or None."""
    theirs, said = hindcast(case)
    if theirs is None:
        return "hindcast: " + said
    ours, figures = model.simulate(case)
    lines = []
    for id in sorted(set(ours) | set(theirs)):
        a, b = ours.get(id), theirs.get(id)
        if a != b:
            lines.append((id, a, b))
    if lines:
        return table(case, ours, theirs)
    for name, value in figures.items():
        if name not in said or said[name] is None or abs(float(value) - said[name]) > 1e-9 * max(1, abs(value)):
            return f"{name}: reference {float(value)!r}, hindcast {said.get(name)!r}"
    return None


def seconds(t):
    return "-" if t is None else f"{t / 1e9:g}"


def table(case, ours, theirs):
    out = [f"{'task':>5}  {'reference':<36}  hindcast"]
    for id in sorted(set(ours) | set(theirs)):
        sides = []
        for side in (ours.get(id), theirs.get(id)):
            if side is None:
                sides.append("no such task")
            else:
                state, start, end, where = side
                sides.append(f"{state} {seconds(start)} {seconds(end)}" + (f" on {where}" if where is not None else ""))
        out.append(f"{id:>5}  {sides[0]:<36}  {sides[1]}" + ("" if sides[0] == sides[1] else "   <--"))
    return "\n".join(out)


def shrink(case, hindcast, tries=3000):
    """The smallest case found that still disagrees: take any smaller one that does, until none does."""
    again = True
    while again and tries > 0:
        again = False
        for other in cases.smaller(case):
            tries -= 1
            try:
                found = differences(other, hindcast)
            except Exception:
                found = None
            if found and not found.startswith("hindcast: "):
                case, again = other, True
                break
            if tries <= 0:
                break
    return case


def script(case):
    """The case as a shell script that runs it."""
    run = dict(case["run"], source={"use": "native", "file": "tasks.json"}, name="case", output="case.db")
    rows = ",\n ".join(map(json.dumps, case["tasks"]))
    return (f"cat >tasks.json <<'END'\n[{rows}]\nEND\ncat >run.json <<'END'\n{json.dumps(run)}\nEND\n"
            "hindcast run run.json && sqlite3 case.db 'SELECT id, start, \"end\", state FROM task'")


def coverage(first, n):
    """How many of n cases have each two features together."""
    counts = {}
    for seed in range(first, first + n):
        found = sorted(cases.features(cases.case(seed)))
        for i, a in enumerate(found):
            for b in found[i:]:
                counts[a, b] = counts.get((a, b), 0) + 1
    names = sorted({a for a, _ in counts})
    for a in names:
        print(f"{a} {counts[a, a]}: " + ", ".join(f"{b} {counts[tuple(sorted((a, b)))]}" for b in names
                                                   if b != a and tuple(sorted((a, b))) in counts))
    return 0


def main():
    args = argparse.ArgumentParser()
    args.add_argument("hindcast")
    args.add_argument("--cases", type=int, default=2000)
    args.add_argument("--first", type=int, default=1)
    args.add_argument("--seconds", type=float)
    args.add_argument("--most", type=int, default=3)
    args.add_argument("--coverage", action="store_true", help="count cases by pairs of features, and run none")
    args = args.parse_args()
    if args.coverage:
        return coverage(args.first, args.cases)
    begin, failed, n = time.time(), 0, 0
    with tempfile.TemporaryDirectory(prefix="hc-reference-") as directory:
        hindcast = Hindcast(os.path.abspath(args.hindcast), directory)
        seed = args.first
        while (not args.cases or n < args.cases) and (args.seconds is None or time.time() - begin < args.seconds):
            case = cases.case(seed)
            found = differences(case, hindcast)
            n += 1
            if found:
                failed += 1
                print(f"== seed {seed}: disagreement")
                if not found.startswith("hindcast: "):
                    case = shrink(case, hindcast)
                    found = differences(case, hindcast)
                print(script(case))
                print(found)
                if failed >= args.most:
                    break
            seed += 1
    print(f"{n} cases, {failed} disagree, {time.time() - begin:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
