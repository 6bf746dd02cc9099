"""page.py -- what a report holds, read by code of its own: page.py PAGE.html RESULT.db...

Nothing runs in the page but its one script, which its policy names by its checksum. Figures are the store's to the last
digit. The sentence's means and intervals are computed here from the task rows.
"""
import base64
import hashlib
import json
import math
import re
import sqlite3
import sys

T_29 = 2.045229642132703  # 0.975 quantile of Student's t with 29 degrees of freedom
BATCHES = 30


def span(seconds):
    """As people read it: the rule of cli_report_span."""
    s, sign = abs(seconds), "-" if seconds < 0 else ""

    def two(n, ratio, greater, lesser):
        if n % ratio == 0:
            return f"{sign}{n // ratio} {greater}"
        return f"{sign}{n} {lesser}" if n < ratio else f"{sign}{n // ratio} {greater} {n % ratio} {lesser}"

    if s < 9.95:
        tenths = math.floor(s * 10 + 0.5)
        whole = f"{tenths // 10}" if tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10}"
        return f"{sign if tenths else ''}{whole} s"
    if s < 299.5:
        return two(math.floor(s + 0.5), 60, "min", "s")
    if s < 86370:
        return two(math.floor(s / 60 + 0.5), 60, "h", "min")
    if s < 863000:
        return two(math.floor(s / 3600 + 0.5), 24, "d", "h")
    return f"{sign}{math.floor(s / 86400 + 0.5)} d"


def estimate(values):
    """Mean, and the half width of its interval by batch means."""
    n = min(BATCHES, len(values))
    means, at = [], 0
    for b in range(n):
        length = len(values) // n + (b < len(values) % n)
        means.append(sum(values[at : at + length]) / length)
        at += length
    mean = sum(means) / n
    variance = sum((m - mean) ** 2 for m in means) / (n - 1)
    return sum(values) / len(values), T_29 * math.sqrt(variance / n)


def checksum(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def check_security(page, runs):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page).group(1)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.S)
    styles = re.findall(r"<style>(.*?)</style>", page, re.S)
    assert len(scripts) == 1 and len(styles) == 1
    assert f"script-src {checksum(scripts[0])};" in policy
    assert f"style-src {checksum(styles[0])};" in policy
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy
    data = page.replace(scripts[0], "").replace(styles[0], "")
    assert data.count("<script") == runs + 2, "data, the head, and the script"
    for tag in ("img", "iframe", "object", "embed", "link", "svg", "a "):
        assert f"<{tag}" not in data, tag
    for address in re.findall(r'(?:src|href)="([^"]*)"', data):
        raise AssertionError(address)


def check_figures(run, db):
    rows = db.execute("SELECT name, value FROM summary WHERE scope = 'all' AND value IS NOT NULL").fetchall()
    assert rows
    for name, value in rows:
        assert run["figures"][name] == value, (name, run["figures"].get(name), value)


def waits_of(db):
    return dict(
        (serial, (start - submit) / 1e9)
        for serial, submit, start in db.execute(
            'SELECT serial, submit, start FROM tasks WHERE start IS NOT NULL AND "end" IS NOT NULL ORDER BY submit, serial'
        )
    )


def check_sentence(head, dbs):
    waits = [waits_of(db) for db in dbs]
    sentence = head["sentence"][0]
    names = [r["name"] for r in head["runs"]]
    mean, half = estimate(list(waits[0].values()))
    assert f" {span(mean)} on average" in sentence, (sentence, span(mean))
    if len(dbs) == 1:
        assert f"(95 %: {span(max(mean - half, 0))} to {span(mean + half)})" in sentence, sentence
        return
    for name, of in list(zip(names, waits))[1:]:
        both = [s for s in waits[0] if s in of]
        mean, half = estimate([of[s] - waits[0][s] for s in both])
        if mean - half <= 0 <= mean + half:
            said = f"{name} no other wait that could be told (95 %: {span(half - mean)} less to {span(mean + half)} more)"
        else:
            low, high = (mean - half, mean + half) if mean > 0 else (-mean - half, half - mean)
            word = "more" if mean > 0 else "less"
            said = f"{name} {span(abs(mean))} {word} (95 %: {span(low)} to {span(high)})"
        if all(of[s] == waits[0][s] for s in both):
            said = f"{name} the same, start by start"
        assert said in sentence, (said, sentence)


def check_groups(head):
    for g in head["groups"]:
        names = [c["name"] for c in g["table"]["columns"]]
        verdicts = [r[names.index("verdict")][0] for r in g["table"]["rows"]]
        tasks = sum(int(r[names.index("tasks")][0]) for r in g["table"]["rows"])
        assert f"losing {verdicts.count('loses'):,}, gaining {verdicts.count('gains'):,}" in g["counts"], g["counts"]
        assert f"Of {tasks:,} tasks" in g["counts"], g["counts"]


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        page = f.read()
    dbs = [sqlite3.connect(path) for path in sys.argv[2:]]
    check_security(page, len(dbs))
    head = json.loads(re.search(r'<script type="application/json" id="head">(.*?)</script>', page, re.S).group(1))
    assert head["format"] == "hindcast report 1" and len(head["runs"]) == len(dbs)
    for i, (run, db) in enumerate(zip(head["runs"], dbs)):
        check_figures(run, db)
        columns = re.search(rf'<script type="application/json" id="columns-{i}">(.*?)</script>', page, re.S).group(1)
        assert run["tasks"] == db.execute("SELECT sum(count) FROM finals").fetchone()[0]
        assert json.loads(columns)["tasks"] == db.execute("SELECT count(*) FROM tasks").fetchone()[0]
        assert run["digest"] in head["methods"][i], "what a paper has to say names the digest"
    check_sentence(head, dbs)
    check_groups(head)
    print(f"{sys.argv[1]}: {len(dbs)} runs; {head['sentence'][0]}")


if __name__ == "__main__":
    main()
