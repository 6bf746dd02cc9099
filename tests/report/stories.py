"""stories.py -- the stories of a page against `hindcast why`, and their tasks against the store:
stories.py HINDCAST PAGE.html RESULT.db...

Each story is what `why` prints, cut in the middle. The tasks that wait longest in the first result, and those whose waits
differ most, take turns; each is told of every result.
"""
import json
import re
import sqlite3
import subprocess
import sys

FIRST, LAST = 20, 20


def waits(path):
    db = sqlite3.connect(path)
    return {serial: start - submit for serial, submit, start in db.execute("SELECT serial, submit, start FROM tasks")}


def expected(paths, count):
    of = [waits(p) for p in paths]
    longest = sorted(of[0], key=lambda s: (-of[0][s], s))
    apart = {s: max((abs(o[s] - of[0][s]) for o in of[1:] if s in o), default=0) for s in of[0]}
    differ = [s for s in sorted(apart, key=lambda s: (-apart[s], s)) if apart[s] > 0]
    out = []
    for pair in zip(longest, differ + [None] * len(longest)):
        for serial in pair:
            if serial is not None and serial not in out and len(out) < count:
                out.append(serial)
    return [(run, s) for s in out for run in range(len(paths)) if s in of[run]]


def said(line):
    """Time and text; a line that says when the task is promised its start has that as a number, too."""
    words = re.search(r"; promised from ([\d.]+) s on|planned for (?:t=)?([\d.]+) s", line[1])
    assert (len(line) == 3) == bool(words), line
    assert not words or line[2] == float(words.group(1) or words.group(2)), line
    return line[:2]


def main():
    hindcast, page, paths = sys.argv[1], sys.argv[2], sys.argv[3:]
    with open(page, encoding="utf-8") as f:
        head = json.loads(re.search(r'<script type="application/json" id="head">(.*?)</script>', f.read(), re.S).group(1))
    stories = head["stories"]
    assert stories
    told = [(s["run"], s["serial"]) for s in stories]
    assert told == expected(paths, len({s for _, s in told})), (told, expected(paths, 3))
    for s in stories:
        command = [hindcast, "why", paths[s["run"]], f"#{s['serial']}", "--limit", "1000000", "--json"]
        truth = [[x["time"], x["text"]] for x in json.loads(subprocess.check_output(command))["story"]]
        for part in ("first", "last"):
            s[part] = [said(line) for line in s[part]]
        cut = max(len(truth) - FIRST - LAST, 0)
        assert s["cut"] == cut
        assert s["first"] + s["last"] == (truth[:FIRST] + truth[-LAST:] if cut else truth), s["serial"]
    print(f"{page}: {len(stories)} stories, {sum(s['cut'] > 0 for s in stories)} of them cut")


if __name__ == "__main__":
    main()
