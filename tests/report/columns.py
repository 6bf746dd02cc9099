"""columns.py -- a reader of the exporter `columns`, which shares nothing with the writer, and what it must find:
columns.py RESULT.db COLUMNS.json

Every number of every task is the store's. Rectangles are those of the tasks: each lies within its task's time, no two
hold a lane at once (but where hosts are overcommitted), and those of a task have as many lanes as it held. A task that
still ran when the run ended has them until then.
"""
import base64
import json
import sqlite3
import sys
import zlib

UNKNOWN = -(2**63)


def numbers(column):
    """The numbers of a column; None is not known."""
    data = base64.b64decode(column["data"])
    if column["deflated"]:
        data = zlib.decompress(data)
    count, width = column["count"], column["width"]
    assert len(data) == count * width, column["name"]
    out, before = [], 0
    for i in range(count):
        code = sum(data[plane * count + i] << (8 * plane) for plane in range(width))
        if column["delta"]:
            before += code // 2 if code % 2 == 0 else -(code + 1) // 2
            x = before
        else:
            x = column["low"] + code
        out.append(None if column["missing"] and x == column["low"] else x)
    return out


def read(path):
    with open(path, encoding="utf-8") as f:
        document = json.load(f)
    assert document["format"] == "hindcast columns 1"
    return document, {c["name"]: numbers(c) for c in document["columns"]}


def check_tasks(document, of, tasks):
    tick = document["tick"]

    def times(name):
        return of.get(name, [None] * len(tasks))

    def minus(a, b):
        return None if a is None or b is None else a - b

    for i, t in enumerate(tasks):
        assert of["serial"][i] == t["serial"]
        for name, value in (
            ("submit", t["submit"]),
            ("wait", minus(t["start"], t["submit"])),
            ("held", minus(t["end"], t["start"])),
        ):
            found = times(name)[i]
            assert (None if found is None else found * tick) == value, (name, i, found, value)
        assert of["units"][i] == t["units"], i
        assert of["state"][i] == t["final"], i
        for name, key in (("user", "user"), ("group", "grp"), ("queue", "queue"), ("partition", "partition")):
            value = None if t[key] in (-1, None) else t[key]
            assert times(name)[i] == value, (name, i)


def rectangle(document, of, tasks, k):
    """When a rectangle begins and ends: told from its task's start and end, or from its submission and the run's end."""
    t, tick = tasks[of["row"][k]], document["tick"]
    begin = t["submit"] if t["start"] is None else t["start"]
    end = document["end"] * tick if t["end"] is None else t["end"]
    return begin + of["from"][k] * tick, end + of["to"][k] * tick


def check_rectangles(document, of, tasks, db):
    rows, lanes = of["row"], of["lanes"]
    run_end = document["end"] * document["tick"]
    held, events = {}, []
    for k, row in enumerate(rows):
        t = tasks[row]
        begin, end = rectangle(document, of, tasks, k)
        assert end > begin, (k, begin, end)
        assert 0 <= of["lane"][k] and of["lane"][k] + lanes[k] <= document["lanes"], k
        if of["kind"][k] != 1:
            assert t["start"] <= begin and end <= (run_end if t["end"] is None else t["end"]), k
            held[row] = held.get(row, 0) + lanes[k] * (end - begin)
        events.append((end, 0, k))
        events.append((begin, 1, k))
    holder = {}
    for _, begins, k in sorted(events):
        for lane in range(of["lane"][k], of["lane"][k] + lanes[k]):
            if begins:
                assert lane not in holder, (lane, k, holder[lane])
                holder[lane] = k
            else:
                assert holder.pop(lane) == k
    # What a task held, over time, in what the result counts in; it holds nothing while a plan suspended it so.
    has_rates = db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'rates'").fetchone()[0]
    idle = {}
    if has_rates:
        by_serial = {t["serial"]: t for t in tasks}
        since = {}
        for serial, at, _, holds in db.execute("SELECT serial, at, rate, holds FROM rates ORDER BY serial, rowid"):
            at = max(at, by_serial[serial]["start"])
            if serial in since:
                idle[serial] = idle.get(serial, 0) + at - since.pop(serial)
            if not holds:
                since[serial] = at
        for serial, at in since.items():
            end = by_serial[serial]["end"]
            idle[serial] = idle.get(serial, 0) + (run_end if end is None else end) - at
    hosts = {r[0] for r in db.execute("SELECT DISTINCT host FROM hosts")}
    for i, t in enumerate(tasks):
        end = run_end if t["end"] is None else t["end"]
        if t["start"] is None or end <= t["start"]:
            assert i not in held
        elif not hosts and not t["flags"] & 64:  # of resized tasks `units` are a mean
            spent = end - t["start"] - idle.get(t["serial"], 0)
            assert held.get(i, 0) == t["units"] * spent, (i, held.get(i), t["units"], spent)
    return len(rows)


def check_hosts(document, of, db):
    """When hosts were away (0) or drained (1), from the table of their changes: 0 up, 1 down, 2 drain, 3 resize."""
    expected, since = [], {}
    for at, host, change in db.execute("SELECT at, host, change FROM host_changes ORDER BY rowid"):
        if change == 3:
            continue
        if host in since and at > since[host][0]:
            expected.append((*since[host], at, host))
        since.pop(host, None)
        if change != 0:
            since[host] = (at, int(change == 2))
    expected += [(*x, None, host) for host, x in since.items()]
    tick = document["tick"]
    found = [
        (a * tick, k, None if b is None else b * tick, h)
        for a, k, b, h in zip(*(of.get("away_" + n, []) for n in ("from", "kind", "to", "host")))
    ]
    def key(x):
        return x[3], x[0]

    assert sorted(found, key=key) == sorted(expected, key=key), (found, expected)
    return len(found)


def main():
    document, of = read(sys.argv[2])
    db = sqlite3.connect(sys.argv[1])
    db.row_factory = sqlite3.Row
    tasks = db.execute("SELECT * FROM tasks ORDER BY submit, serial").fetchall()
    assert document["tasks"] == len(tasks)
    check_tasks(document, of, tasks)
    count = check_rectangles(document, of, tasks, db)
    away = check_hosts(document, of, db)
    print(f"{sys.argv[1]}: {len(tasks)} tasks, {count} rectangles, hosts away {away} times")


if __name__ == "__main__":
    main()
