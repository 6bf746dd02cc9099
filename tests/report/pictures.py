"""pictures.py -- what is drawn of lost capacity and of schedulers, as Chromium has it, against the stores:
pictures.py DOM.html RESULT.db...

Bars are as long as the figures of the summary are large, on one scale. An area over time is as large as the integral of its
cause over the rows that the metric kept, in the window that is shown: the whole time of all runs.
"""
import math
import re
import sqlite3
import sys

CAUSES = ["away", "surplus", "size", "fragments", "thinking", "reserved", "planned", "rules"]
WIDTH, HEIGHT, LEFT = 900, 120, 44  # report/src/lost.ts
# What becomes of offers: a picture for those whose second figure (or only one) a run has.
OFFERS = {
    "Offers of hosts to frameworks": ["offers", "offers_returned", "offers_withdrawn", "hoards"],
    "Offers of hosts that reported": ["offers", "offers_in_vain"],
    "Hosts on which a task would have fitted": ["offers_taken", "offers_refused", "offers_forced"],
    "Hosts offered to users' operations": ["yt_offers"],
}


def section(dom, name):
    found = re.search(rf'<section id="{name}".*?</section>', dom, re.S)
    return found.group(0) if found else ""


def figures(db):
    return dict(db.execute("SELECT name, value FROM summary WHERE scope = 'all'"))


def bars(part, label):
    """Of the picture with this label: rows of widths, by their height."""
    picture = next(p for p in re.findall(r"<svg.*?</svg>", part, re.S) if label in p.split(">")[0])
    rows = {}
    for y, width in re.findall(r'<rect x="[^"]*" y="([^"]*)" width="([^"]*)"', picture):
        rows.setdefault(float(y), []).append(float(width))
    return rows


def check_scale(rows, truth):
    """Every bar in proportion: rows that have none are those whose figures are all 0."""
    drawn = [rows[y] for y in sorted(rows)]
    wanted = [[x for x in row if x > 0] for row in truth]
    wanted = [row for row in wanted if row]
    assert [len(r) for r in drawn] == [len(r) for r in wanted], (drawn, wanted)
    scale = drawn[0][0] / wanted[0][0]
    for a, b in zip(drawn, wanted):
        for x, y in zip(a, b):
            assert math.isclose(x, scale * y, rel_tol=1e-9, abs_tol=1e-9), (x, scale * y)
    return sum(len(r) for r in wanted)


def polygon(path):
    p = [tuple(map(float, xy)) for xy in re.findall(r"[ML]([-\d.e]+) ([-\d.e]+)", path)]
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(p, p[1:] + p[:1]))) / 2


def rows_of(db):
    out = {}
    for key, name, value in db.execute("SELECT key, name, value FROM cells WHERE scope = 'all' AND tab = 'lost_capacity'"):
        out.setdefault(key, {})[name] = value
    return out


def check_areas(part, dbs):
    """The window begins at the first submission of all and ends at the last end."""
    window = [db.execute('SELECT min(submit), max("end") FROM tasks').fetchone() for db in dbs]
    first, last = min(w[0] for w in window) / 1e9, max(w[1] for w in window) / 1e9
    pictures = [p for p in re.findall(r"<svg.*?</svg>", part, re.S) if "over time" in p.split(">")[0]]
    assert len(pictures) == len(dbs)
    count = 0
    for db, picture in zip(dbs, pictures):
        high = max(float(t) for t in re.findall(r">([\d.]+) %</text>", picture)) / 100
        areas = [polygon(d) for d in re.findall(r'<path d="([^"]*)"', picture)]
        truth = []
        for cause in CAUSES:
            total = sum(r[cause] * max(min(r["until"], last) - max(k, first), 0) for k, r in rows_of(db).items())
            if total > 0:
                truth.append(total / (last - first) / high * HEIGHT * (WIDTH - LEFT))
        assert len(areas) == len(truth), (areas, truth)
        for a, b in zip(areas, truth):
            assert abs(a - b) <= 0.06 * (WIDTH - LEFT), (a, b)  # a tenth of a pixel is where a corner may lie beside
            count += 1
    return count


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        dom = f.read()
    dbs = [sqlite3.connect(p) for p in sys.argv[2:]]
    all_figures = [figures(db) for db in dbs]
    said = []
    if any("lost_capacity" in f for f in all_figures):
        part = section(dom, "lost")
        n = check_scale(bars(part, "by cause"), [[f[f"lost_capacity_{c}"] for c in CAUSES] for f in all_figures])
        said.append(f"{n} causes, {check_areas(part, dbs)} areas")
    if any(k.startswith("busyness") for f in all_figures for k in f):
        part = section(dom, "schedulers")
        truth = []
        for f in all_figures:
            for key in f:
                if key.startswith("busyness_useful"):
                    end = key[len("busyness_useful"):]
                    useful, wasted = f[key], f["busyness_wasted" + end]
                    truth.append([useful, wasted, max(f["busyness" + end] - useful - wasted, 0)])
        said.append(f"{check_scale(bars(part, 'Busyness'), truth)} parts of busyness")
    for title, kind in OFFERS.items():
        offers = [[f[k]] for f in all_figures if kind[min(1, len(kind) - 1)] in f for k in kind if k in f]
        if offers:
            said.append(f"{check_scale(bars(section(dom, 'schedulers'), title), offers)} kinds of {title.lower()}")
    assert said
    print(f"{sys.argv[1]}: {'; '.join(said)}")


if __name__ == "__main__":
    main()
