"""kept.py -- what a page shows of the metrics' tables over time against the store: kept.py PAGE.html RESULT.db...

A table is over time if its rows, or those of the table that it is a part of, say until when they hold; `series` is. Up to 2,000
rows are the store's to the last digit; of more, groups of rows have their mean by time.
"""
import collections
import json
import math
import re
import sqlite3
import sys

PIECES = 2000


def tables(db):
    out = collections.defaultdict(lambda: collections.defaultdict(dict))
    names = collections.defaultdict(list)
    for tab, key, name, value in db.execute("SELECT tab, key, name, value FROM cells WHERE scope = 'all' ORDER BY rowid"):
        out[tab][key][name] = value
        if name not in names[tab]:
            names[tab].append(name)
    timed = {tab for tab in out if "until" in names[tab] or tab == "series"}
    return {tab: (out[tab], names[tab]) for tab in out if tab.split(":")[0] in timed}


def grouped(rows, names):
    """[from, until, values...] of each group of rows."""
    keys = sorted(rows)
    size = -(-len(keys) // PIECES)
    lengths = [b - a for a, b in zip(keys, keys[1:])]
    lengths.append(lengths[-1] if lengths else 1)
    out = []
    for first in range(0, len(keys), size):
        group = range(first, min(first + size, len(keys)))
        after = keys[group[-1] + 1] if group[-1] + 1 < len(keys) else None
        row = [keys[first], rows[keys[group[-1]]]["until"] if "until" in names else after]
        for name in names:
            have = [(rows[keys[i]][name], lengths[i]) for i in group if name in rows[keys[i]]]
            if name != "until":
                row.append(sum(v * l for v, l in have) / sum(l for _, l in have) if have else None)
        out.append(row)
    return out


def check_curves(db, head, run):
    """The table `curves` against the tasks, in thousandths; and the page against the table."""
    curves = db.execute("SELECT at, busy, capacity, waiting, running FROM curves ORDER BY at").fetchall()
    found = [t for t in head["kept"] if t["run"] == run and t["name"] == "run"]
    assert len(found) == 1 and len(curves) <= 512
    ends = [c[0] for c in curves[1:]] + [None]
    for row, (at, busy, capacity, waiting, running), until in zip(found[0]["rows"], curves, ends, strict=True):
        assert row == [at / 1e9, until and until / 1e9, busy / capacity, waiting / 1000, running / 1000], row
    tasks = db.execute('SELECT submit, start, "end", units FROM tasks').fetchall()
    if not tasks:
        return 0
    last = max(end for _, _, end, _ in tasks)
    changes = collections.Counter(), collections.Counter(), collections.Counter()  # busy, waiting, running
    for submit, start, end, units in tasks:
        for of, begin, stop, by in ((0, start, end, units), (1, submit, start, 1), (2, start, end, 1)):
            changes[of][begin] += by
            changes[of][stop] -= by
    edges = [c[0] for c in curves] + [last]
    for of, column in ((0, 1), (1, 3), (2, 4)):
        level, total, at, k = 0, 0, edges[0], 0
        steps = sorted(changes[of].items()) + [(last, 0)]
        sums = []
        for edge in edges[1:]:
            while k < len(steps) and steps[k][0] < edge:
                total += level * (steps[k][0] - at)
                level, at, k = level + steps[k][1], steps[k][0], k + 1
            total += level * (edge - at)
            sums.append(total)
            total, at = 0, edge
        for piece, (a, b, total) in zip(curves, zip(edges, edges[1:], sums)):
            assert abs(1000 * total / (b - a) - piece[column]) <= 0.5 + 1e-6, (of, piece, total)
    return len(curves)


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        head = json.loads(re.search(r'<script type="application/json" id="head">(.*?)</script>', f.read(), re.S).group(1))
    count = 0
    for run, path in enumerate(sys.argv[2:]):
        db = sqlite3.connect(path)
        if db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'curves'").fetchone()[0]:
            count += check_curves(db, head, run)
        truth = tables(db)
        found = {t["name"]: t for t in head["kept"] if t["run"] == run and t["name"] != "run"}
        assert set(found) == set(truth), (set(found), set(truth))
        for name, (rows, names) in truth.items():
            assert [c[0] for c in found[name]["columns"]] == [n for n in names if n != "until"]
            expected = grouped(rows, names)
            assert len(found[name]["rows"]) == len(expected) <= PIECES
            for a, b in zip(found[name]["rows"], expected):
                for x, y in zip(a, b):
                    exact = len(rows) <= PIECES
                    assert x == y or (not exact and math.isclose(x, y, rel_tol=1e-12)), (name, a, b)
            count += len(expected)
    assert count > 0
    print(f"{sys.argv[1]}: {len(head['kept'])} tables, {count} pieces")


if __name__ == "__main__":
    main()
