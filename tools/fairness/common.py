# common.py -- what the three pages of tools/fairness_pages share: asking hindcast, tables, pictures, markers, verdicts.
#
# Every number comes from a store by way of the command; nothing is remembered from an earlier run. Standard library only;
# same stores, same bytes.
import csv
import io
import json
import math
import os
import subprocess
import sys

TOOLS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TOOLS)
from curves import draw  # noqa: E402

WORDS = ("confirmed", "not confirmed", "undecidable")


class Work:
    """Where things are: the command, the directory of stores, that of pages, and how many workers."""

    def __init__(self, hindcast, stores, docs, jobs, short):
        self.hindcast, self.stores, self.docs, self.jobs, self.short = hindcast, stores, docs, jobs, short
        self.tree = os.path.dirname(TOOLS)

    def ask(self, *arguments):
        done = subprocess.run([self.hindcast, *arguments], capture_output=True, text=True, cwd=self.tree)
        if done.returncode != 0:
            sys.exit(f"fairness_pages: hindcast {' '.join(arguments)}: {done.stderr.strip() or done.returncode}")
        return done.stdout

    def example(self, name):
        return os.path.join("examples", "fairness", name)

    def store(self, name):
        return os.path.join(self.stores, name + ".db")

    def study(self, name, file, *shorter):
        """The store of a study, carried out if it is not there; in short with these lines (old, new) changed."""
        out = self.store(name)
        if not os.path.exists(out):
            path = self.example(file)
            if self.short:
                text = open(os.path.join(self.tree, path)).read()
                for old, new in shorter:
                    if old not in text:
                        sys.exit(f"fairness_pages: {path} has no `{old}`")
                    text = text.replace(old, new)
                text = text.replace("$here", os.path.dirname(os.path.join(self.tree, path)))
                path = os.path.join(self.stores, name + ".yaml")
                with open(path, "w") as f:
                    f.write(text)
            verb = "resume" if os.path.exists(out + ".points") else "run"
            self.ask("study", verb, path, "--out", out, "-j", str(self.jobs), "--quiet")
        return out

    def cells(self, store, figure, rows, columns, *where, over=None):
        """{(row, column): dict of a cell} of `study table`."""
        extra = [a for w in where for a in ("--where", w)] + (["--over", over] if over else [])
        text = self.ask("study", "table", store, "-f", figure, "--rows", rows, "--columns", columns, *extra, "--csv")
        found = {}
        for c in csv.DictReader(io.StringIO(text)):
            if c["mean"]:
                found[c["row"], c["column"]] = {k: float(c[k]) if c[k] else float("nan")
                                               for k in ("mean", "half_width", "low", "high", "count")}
        return found

    def samples(self, store, figure, columns, *where):
        """{column: values, one a replication}."""
        found = {}
        for (_, column), c in self.cells(store, figure, "replication", columns, *where).items():
            found.setdefault(column, []).append(c["mean"])
        return found

    def differences(self, store, figure, axis, baseline, *where, over=None):
        """{choice: (difference, half width)} against a baseline, in pairs."""
        extra = [a for w in where for a in ("--where", w)] + (["--over", over] if over else [])
        text = self.ask("study", "compare", store, "--axis", axis, "--baseline", baseline, "-f", figure, *extra, "--csv")
        return {c["choice"]: (float(c["difference"]), float(c["half_width"] or "nan"))
                for c in csv.DictReader(io.StringIO(text)) if c["difference"]}

    def check(self, store, claims):
        return json.loads(self.ask("study", "check", store, self.example(claims), "--json", "--all"))["claims"]

    def plot(self, name, series, figure, unit="1", **options):
        """A picture of curves {name: [(x, mean, low, high)]} as docs/fairness/NAME.svg."""
        out = io.StringIO()
        w = csv.writer(out, lineterminator="\n")
        w.writerow(["figure", "unit", "row", "column", "mean", "low", "high"])
        for key, points in series.items():
            for p in points:
                w.writerow([figure, unit, key, *(repr(float(v)) for v in p)])
        path = os.path.join(self.docs, "fairness")
        os.makedirs(path, exist_ok=True)
        draw(self.hindcast, os.path.join(path, name + ".svg"), out.getvalue(), y=f"{figure} ({unit})", **options)

    def fill(self, page, made):
        """Put what was made between the markers of a page."""
        path = os.path.join(self.docs, page)
        text = open(os.path.join(self.tree, "docs", page)).read()
        for name, body in made.items():
            begin, end = f"<!-- made: {name} -->\n", "<!-- end -->"
            before, found, rest = text.partition(begin)
            if not found:
                sys.exit(f"fairness_pages: docs/{page} has no marker for {name}")
            text = before + begin + "\n" + body + "\n\n" + end + rest.partition(end)[2]
        for line in text.split("\n"):
            if line.startswith("<!-- made: ") and line[11:-4] not in made:
                sys.exit(f"fairness_pages: nothing was made for {line[11:-4]} of docs/{page}")
        with open(path, "w") as f:
            f.write(text)
        print(f"written: {path}")


def spread(mean, half, scale=1.0):
    """Mean and half width, both to the half width's second digit; "mean" alone where there is no spread."""
    mean, half = mean * scale, half * scale
    if not half > 0:
        return f"{mean:,.6g}"
    digits = max(0, 1 - int(f"{half:e}".split("e")[1]))
    return f"{mean:,.{digits}f} ± {half:,.{digits}f}"


def of(cell, scale=1.0):
    return spread(cell["mean"], cell["half_width"], scale) if cell else "–"


def table(head, rows, right=()):
    rule = ["--:" if i in right else "---" for i in range(len(head))]
    return "\n".join("| " + " | ".join(str(c) for c in r) + " |" for r in [head, rule, *rows])


def binomial_tail(n, k):
    """P(X >= k) of n fair coins."""
    return sum(math.comb(n, i) for i in range(k, n + 1)) / 2.0 ** n


def by_count(hits, n):
    """More often than not? A sign test at 5 %, both ways."""
    if binomial_tail(n, hits) < 0.025:
        return "confirmed"
    return "not confirmed" if binomial_tail(n, n - hits) < 0.025 else "undecidable"


def worst_of(verdicts):
    """Of several parts: one refuted refutes, one open leaves it open."""
    if "not confirmed" in verdicts:
        return "not confirmed"
    return "undecidable" if "undecidable" in verdicts else "confirmed"


def claim_row(c, most=2):
    """id, text, verdict, and the numbers of a claim that `study check` decided: what refutes it, else what it holds by least."""
    lines = c["comparisons"]
    tally = [sum(x["verdict"] == w for x in lines) for w in WORDS]
    contrary = [x for x in lines if x["verdict"] == "not confirmed"] or [x for x in lines if x["verdict"] == "undecidable"]
    show = contrary or sorted(lines, key=lambda x: -(x["p_for"] if x["p_for"] is not None else 0))
    parts = []
    for x in show[:most]:
        where = ", ".join(w.replace("==", "=") for w in x["where"].split(", ") if "==" in w)
        figure = x["figure"].replace("trimmed.", "")
        parts.append(f'`{figure}`{" (" + where + ")" if where else ""}: {x["left"]} {x["mean_left"]:.4g} {x["relation"]} '
                     f'{x["right"]} {x["mean_right"]:.4g}, difference {x["difference"]:.3g} [{x["low"]:.3g}, {x["high"]:.3g}]')
    text = "; ".join(parts) or c["missing"] or ""
    return [c["id"], c["text"], f'**{c["verdict"]}**', f'{"/".join(map(str, tally))}. {text}']
