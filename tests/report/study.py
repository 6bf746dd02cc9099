"""study.py -- a study's report against its store, by code of its own: study.py PAGE.html STUDY.db CHECKED.json

Every mean of every table and its interval (Student's t over the replications) are computed here from the points.
"""
import json
import math
import re
import sqlite3
import sys

T = {1: 12.706204736432095, 2: 4.302652729696142, 3: 3.182446305284263, 4: 2.7764451051977987, 9: 2.2621571627409915}


def estimate(samples):
    n = len(samples)
    mean = sum(samples) / n
    deviation = math.sqrt(sum((x - mean) ** 2 for x in samples) / (n - 1))
    half = T[n - 1] * deviation / math.sqrt(n)
    return mean, mean - half, mean + half


def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1)


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        page = f.read()
    head = json.loads(re.search(r'<script type="application/json" id="head">(.*?)</script>', page, re.S).group(1))
    study = head["study"]
    db = sqlite3.connect(sys.argv[2])
    db.row_factory = sqlite3.Row
    points = db.execute("SELECT * FROM result WHERE state = 'done'").fetchall()
    names = [a["name"] for a in study["axes"]]
    shown = [a["name"] for a in study["axes"] if a["shown"]]
    assert "replication" not in shown
    checked = 0
    for t in study["tables"]:
        figure = study["figures"][t["figure"]]["name"]
        axes = [t["rows"]] + ([] if t["columns"] is None else [t["columns"]])
        labels = [study["axes"][a]["labels"] for a in axes]
        combinations = [(r,) for r in labels[0]] if len(axes) == 1 else [(r, c) for r in labels[0] for c in labels[1]]
        assert len(combinations) == len(t["cells"])
        for wanted, cell in zip(combinations, t["cells"]):
            # a sample is a replication's mean over all other axes
            samples = {}
            for p in points:
                if all(p[names[a]] == w for a, w in zip(axes, wanted)):
                    samples.setdefault(p["replication"], []).append(p[figure])
            assert cell[0] == len(samples), (figure, wanted, cell)
            if not samples:
                continue
            found = estimate([sum(s) / len(s) for s in samples.values()])
            assert all(near(a, b) for a, b in zip(found, cell[1:4])), (figure, wanted, cell, found)
            checked += 1
    assert len(study["differences"]) == len(study["figures"])
    with open(sys.argv[3], encoding="utf-8") as f:
        said = {str(c["id"]): c["verdict"] for c in json.load(f)["claims"]}
    columns = [c["name"] for c in study["claims"]["columns"]]
    shown = {r[columns.index("id")][0]: r[columns.index("verdict")][0] for r in study["claims"]["rows"]}
    assert shown == said, (shown, said)
    print(f"{sys.argv[1]}: {checked} cells, {len(shown)} statements; {head['sentence'][0]}")


if __name__ == "__main__":
    main()
