"""perfetto.py -- a reader of the exporter `perfetto`, which shares nothing with the writer, and what it must find:
perfetto.py RESULT.db TRACE COLUMNS.json

The wire format is valid to the last byte. Slices are the rectangles of the exporter `columns`, one each, with their
task, times, lanes and kind; those of a track do not overlap, and tracks of a host are of its lanes. Counters are what
the store says of waiting and running tasks, and what the rectangles hold.
"""
import collections
import sqlite3
import struct
import sys

import columns

BEGIN, END, COUNTER = 1, 2, 4
KINDS = {"run": 0, "stopped": 1, "suspended": 2}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    """Fields of a message: number -> its values, in order. Anything that is no field fails."""
    out, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        assert kind in (0, 1, 2), kind
        if kind == 0:
            value, at = varint(data, at)
        else:
            size = 8
            if kind == 2:
                size, at = varint(data, at)
            value, at = data[at : at + size], at + size
            assert at <= len(data)
        out[key >> 3].append(value)
    return out


def real(data):
    return struct.unpack("<d", data)[0]


def one(message, number, missing=None):
    values = message.get(number, [missing])
    assert len(values) == 1, number
    return values[0]


def read(path):
    """Tracks (id -> name, parent, is a counter), slices (track, begin, end, kind, notes), counters (name -> [(at, value)])."""
    with open(path, "rb") as f:
        trace = fields(f.read())
    assert list(trace) == [1]
    tracks, slices, counters, open_slices, shift = {}, [], collections.defaultdict(list), {}, 0
    last = None
    for packet in map(fields, trace[1]):
        assert one(packet, 10) == 1
        if 6 in packet:
            clocks = [fields(c) for c in fields(one(packet, 6))[1]]
            assert sorted(one(c, 1) for c in clocks) == [1, 6] and len({one(c, 2) for c in clocks}) == 1
            shift = one(clocks[0], 2)
        elif 60 in packet:
            track = fields(one(packet, 60))
            identifier = one(track, 1)
            assert identifier not in tracks and one(track, 5) in {None, *tracks}
            tracks[identifier] = one(track, 2).decode(), one(track, 5), 8 in track
        else:
            event, at = fields(one(packet, 11)), one(packet, 8) - shift
            assert last is None or at >= last
            last, kind, track = at, one(event, 9), one(event, 11)
            name, _, is_counter = tracks[track]
            assert is_counter == (kind == COUNTER)
            if kind == BEGIN:
                assert track not in open_slices, "slices of a track overlap"
                notes = {}
                for note in map(fields, event[4]):
                    value = real(one(note, 5)) if 5 in note else one(note, 4) if 4 in note else one(note, 6).decode()
                    notes[one(note, 10).decode()] = value
                open_slices[track] = track, at, KINDS[one(event, 22).decode()], notes, one(event, 23).decode()
            elif kind == END:
                track, begin, kind, notes, name = open_slices.pop(track)
                slices.append((track, begin, at, kind, notes, name))
            else:
                assert kind == COUNTER
                counters[name].append((at, real(one(event, 44)) if 44 in event else one(event, 30)))
    assert not open_slices, "a slice has no end"
    return tracks, slices, counters, shift


def steps(changes):
    """(at, by) as a counter: its value after each instant at which it changed."""
    sums, total, out = collections.Counter(), 0, []
    for at, by in changes:
        sums[at] += by
    for at in sorted(sums):
        total += sums[at]
        out.append((at, total))
    return out


def values_of(counter, instants):
    """What a counter is at each of some instants."""
    out, i, value = [], 0, 0
    for at in instants:
        while i < len(counter) and counter[i][0] <= at:
            value, i = counter[i][1], i + 1
        out.append(value)
    return out


def rows(db, table, what):
    has = db.execute("SELECT count(*) FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]
    return db.execute(what).fetchall() if has else []


def story(db, tasks):
    """When tasks wait and run, by the store."""
    waiting, running = [], []
    own = {t["serial"]: t["start"] for t in tasks}
    for t in tasks:
        waiting.append((t["submit"], 1))
        left = t["end"] if t["start"] is None else t["start"]
        if left is not None:
            waiting.append((left, -1))
        if t["start"] is not None:
            running.append((t["start"], 1))
            if t["end"] is not None:
                running.append((t["end"], -1))
    lost = rows(db, "attempts", "SELECT serial, start, end FROM attempts")
    for serial, start, end in lost + rows(db, "stops", "SELECT serial, start, end FROM stops WHERE how <> 1"):
        if own[serial] != start:
            waiting += [(start, -1), (end, 1)]
            running += [(start, 1), (end, -1)]
    return steps(waiting), steps(running)


def main():
    db = sqlite3.connect(sys.argv[1])
    db.row_factory = sqlite3.Row
    tasks = [dict(r) for r in db.execute("SELECT * FROM tasks ORDER BY submit, serial")]
    tracks, slices, counters, shift = read(sys.argv[2])
    document, of = columns.read(sys.argv[3])
    lanes = document["lanes"]
    base = db.execute("SELECT value FROM hindcast WHERE key = 'unix_start'").fetchone()
    assert shift in (0, int(base[0]) * 10**9 if base else 0)

    expected = []
    for k, row in enumerate(of["row"]):
        expected.append((tasks[row]["serial"], *columns.rectangle(document, of, tasks, k), of["lanes"][k], of["kind"][k]))
    first = min(t["submit"] for t in tasks)
    off = -first if first < -shift else 0  # a trace that begins before its first date begins at 0
    found = [(n["serial"], begin - off, end - off, n["lanes"], kind) for _, begin, end, kind, n, _ in slices]
    assert len(found) == len(expected) and sorted(found) == sorted(expected)

    # Tracks: those of a host's slices are its own, and as many as slices that it had at once.
    hosts = dict(zip(document["hosts"], zip(of.get("host_lane", []), of.get("host_lanes", []))))
    at_once = collections.defaultdict(list)
    for track, begin, end, *_ in slices:
        at_once[tracks[track][1]] += [(begin, 1), (end, -1)]
    for group, changes in at_once.items():
        most = max(value for _, value in steps(changes))
        assert most == sum(parent == group for _, parent, _ in tracks.values()), (group, most)
        assert tracks[group][0] in hosts or not hosts
    by_row = collections.Counter()
    for k, row in enumerate(of["row"]):
        for name, (low, count) in hosts.items():
            by_row[name] += low <= of["lane"][k] < low + count
    for name, count in by_row.items():
        assert count == sum(tracks[tracks[s[0]][1]][0] == name for s in slices), name

    for name, truth in zip(("waiting tasks", "running tasks"), story(db, tasks)):
        instants = sorted({at for at, _ in truth} | {at - off for at, _ in counters[name]})
        assert values_of([(a - off, v) for a, v in counters[name]], instants) == values_of(truth, instants), name
        assert min(v for _, v in truth) >= 0
    held = steps(x for _, begin, end, count, _ in found for x in ((begin, count), (end, -count)))
    assert len(counters["utilisation"]) <= len(held) + 1
    for (at, value), share in zip(held, values_of([(a - off, v) for a, v in counters["utilisation"]], [a for a, _ in held])):
        assert abs(value / lanes - share) < 1e-12, at
    print(f"{sys.argv[2]}: {len(slices)} slices, {len(tracks)} tracks, {sum(map(len, counters.values()))} counter values")


if __name__ == "__main__":
    main()
