# study_page.py -- docs/fairness-study.md: DSLab's fairness experiment.
import csv
import io
import os

from common import by_count, claim_row, of, spread, table, worst_of

KNOBS = ["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"]
CLUSTERS = ("67", "40")
CPU, MEMORY, MAKESPAN = "trimmed.host_load_cpu", "trimmed.host_load_memory", "makespan"
SHARE, RATIO = "trimmed.user_share_", "trimmed.user_share_ratio_of_"
MILD, HALF = 0.75, (0.4, 0.6)
CONTENDED = ("kind=program", "measured=contended")


def sweep(w, store, measured):
    rows = []
    got = {}
    for c in CLUSTERS:
        for f in (CPU, MEMORY, SHARE + "least", SHARE + "gap", SHARE + "until", MAKESPAN):
            got[c, f] = w.cells(store, f, "cluster", "knob", "kind=program", "measured=" + measured, "cluster=" + c)
    for c in CLUSTERS:
        for k in KNOBS:
            cell = lambda f: got[c, f].get((c, k))
            rows.append([c, k, of(cell(CPU), 100), of(cell(MEMORY), 100), of(cell(SHARE + "least"), 100),
                         of(cell(SHARE + "gap"), 100), of(cell(SHARE + "until")), of(cell(MAKESPAN))])
    return table(["hosts", "f", "CPU %", "memory %", "least mean share %", "gap %", "window ends, s", "makespan, s"], rows,
                 range(1, 8))


def steps_of(w, store, figure, cluster, kind):
    """{f: step to it from its fairer neighbour}. The roundings part at 0.7 only, so below 0.6 the program's are the paper's."""
    step = {}
    for fair, pack in zip(KNOBS[:0:-1], KNOBS[-2::-1]):
        where = ("measured=contended", "kind=" + (kind if float(pack) >= 0.6 else "program"))
        step[pack] = w.differences(store, figure, "knob", fair, *where, "cluster=" + cluster)[pack]
    return step


def steps(w, store):
    """Differences between neighbours of the knob; and for CPU and memory whether that at 0.8 is the greatest: by both roundings."""
    rows, verdicts = [], []
    for f, word, kind in ((CPU, "CPU", "program"), (MEMORY, "memory", "program"), (CPU, "CPU", "paper"), (MEMORY, "memory", "paper")):
        found, texts = [], []
        for c in CLUSTERS:
            step = steps_of(w, store, f, c, kind)
            rows.append([c, kind, word] + [spread(step[k][0], step[k][1], 100) for k in KNOBS[-2::-1]])
            jump, others = step["0.8"], {k: x for k, x in step.items() if k != "0.8"}
            if all(jump[0] - jump[1] > d + h for d, h in others.values()):
                found.append("confirmed")
            else:
                found.append("not confirmed" if any(d - h > jump[0] + jump[1] for d, h in others.values()) else "undecidable")
            rest = max(others, key=lambda k: others[k][0])
            texts.append(f"{c} hosts: {spread(*jump, 100)} points, the next, at {rest}, {spread(*others[rest], 100)}")
        verdicts.append([f"1c, {word}, {kind}", f"At f = 0.8 {word} use jumps; taken as: that step is the greatest of all (rounding `{kind}`)",
                         f"**{worst_of(found)}**", "; ".join(texts)])
    head = ["hosts", "rounding", "points of"] + [f"{a} → {b}" for a, b in zip(KNOBS[:0:-1], KNOBS[-2::-1])]
    return table(head, rows, range(3, 13)), verdicts


def ratios(w, store, measured="contended"):
    """{cluster: {knob: {user: cell}}} of shares over the median."""
    found = {c: {k: {} for k in KNOBS} for c in CLUSTERS}
    for u in range(10):
        for (c, k), cell in w.cells(store, RATIO + str(u), "cluster", "knob", "kind=program", "measured=" + measured).items():
            found[c][k][u] = cell
    return found


def ratio_table(found):
    rows = [[c, k] + [of(found[c][k][u]) for u in range(10)] for c in CLUSTERS for k in ("1", "0.8", "0.7", "0.6", "0.5", "0")]
    return table(["hosts", "f"] + [f"user{u}" for u in range(10)], rows, range(1, 12))


def mild(users):
    low = {u: x for u, x in users.items() if x["low"] < MILD}
    verdict = "confirmed" if not low else "not confirmed" if any(x["high"] < MILD for x in low.values()) else "undecidable"
    worst = min(users, key=lambda u: users[u]["mean"])
    return verdict, f"user{worst} has {of(users[worst])} of the median, {sum(x['high'] < MILD for x in users.values())} users surely below {MILD}"


def halves(users):
    surely = [u for u, x in users.items() if x["low"] >= HALF[0] and x["high"] <= HALF[1]]
    maybe = [u for u, x in users.items() if x["high"] >= HALF[0] and x["low"] <= HALF[1]]
    verdict = "undecidable" if len(surely) <= 2 <= len(maybe) else "not confirmed"
    if len(surely) == 2 == len(maybe):
        verdict = "confirmed"
    least = sorted(users, key=lambda u: users[u]["mean"])[:4]
    return verdict, "least four: " + ", ".join(f"user{u} {of(users[u])}" for u in least)


def worst_off(w, store):
    """How often user9 has least."""
    out = {}
    for c in CLUSTERS:
        for m in ("contended", "fixed"):
            s = w.samples(store, SHARE + "worst_off", "knob", "kind=program", "measured=" + m, "cluster=" + c)
            for k in ("0.6", "0.5"):
                out[c, m, k] = (sum(x == 9 for x in s[k]), len(s[k]))
    return out


def verdicts(w, store, jumps, found):
    claims = {c["id"]: claim_row(c) for c in w.check(store, "fairness-claims.yaml")}
    rows = [claims["1a"], claims["1b"], *jumps]
    for c in CLUSTERS:
        v, t = mild(found[c]["0.6"])
        rows.append([f"2, {c}", "At f = 0.6 fairness suffers little while all have tasks: everybody has at least three quarters of "
                     "the median share", f"**{v}**", t])
    for c in CLUSTERS:
        v, t = halves(found[c]["0.5"])
        rows.append([f"3, {c}", f"At f = 0.5 two users get about half of what most get ({HALF[0]} to {HALF[1]} of the median)",
                     f"**{v}**", t])
    last = worst_off(w, store)
    for c in CLUSTERS:
        v = worst_of([by_count(*last[c, "contended", k]) for k in ("0.6", "0.5")])
        t = ", ".join(f"f = {k}: {last[c, 'contended', k][0]} of {last[c, 'contended', k][1]} workloads "
                      f"({last[c, 'fixed', k][0]} from 1000 to 5000 s)" for k in ("0.6", "0.5"))
        rows.append([f"4, {c}", "At f = 0.6 and 0.5 user9 (10 cores, 2 GB) is worst off", f"**{v}**", t])
    rows += [claims["5"], claims["6"], claims["7a"], claims["7b"]]
    for c in CLUSTERS:
        e = {m: w.samples(store, SHARE + "even", "knob", "kind=program", "measured=" + m, "cluster=" + c)["1"]
             for m in ("fixed", "contended")}
        hits = sum(x == 1 for x in e["fixed"])
        rows.append([f"8, {c}", "At f = 1 the shares of users who wait are equal, within one task, once the machine is full (from 1000 s)",
                     f"**{by_count(hits, len(e['fixed']))}**",
                     f"at all times in {hits} of {len(e['fixed'])} workloads; with the filling of the machine, from the first "
                     f"refusal on, {100 * sum(e['contended']) / len(e['contended']):.1f} % of the time"])
    return table(["", "statement", "verdict", "hold/contrary/open, and numbers"], rows)


def kinds(w, store):
    rows = []
    for k in ("1", "0.9", "0.8", "0.7", "0.6"):
        row = [k]
        for kind in ("program", "paper"):
            for f in (CPU, MEMORY, SHARE + "least"):
                row.append(of(w.cells(store, f, "kind", "knob", "kind=" + kind, "measured=contended", "cluster=67")
                              .get((kind, k)), 100))
        rows.append(row)
    head = ["f", *(f"{x}: {y} %" for x in ("program", "paper") for y in ("CPU", "memory", "least share"))]
    return table(head, rows, range(7))


def product(w, store):
    rows = []
    for k in KNOBS:
        row = [k]
        for f in (CPU, MEMORY, SHARE + "least"):
            row.append(of(w.cells(store, f, "kind", "knob", "kind=product", "measured=contended", "cluster=67")
                          .get(("product", k)), 100))
        last = w.samples(store, SHARE + "worst_off", "knob", "kind=product", "measured=contended", "cluster=67")[k]
        who = max(set(last), key=last.count)
        rows.append(row + [f"user{who:.0f} ({last.count(who)} of {len(last)})"])
    return table(["f", "CPU %", "memory %", "least mean share %", "worst off"], rows, range(4))


def curves(w, store):
    for c in CLUSTERS:
        series = {}
        for m, word in (("contended", ""), ("fixed", ", fixed")):
            for f, name in ((CPU, "CPU"), (MEMORY, "memory")):
                cells = w.cells(store, f, "cluster", "knob", "kind=program", "measured=" + m, "cluster=" + c)
                series[name + word] = [(float(k), 100 * x["mean"], 100 * x["low"], 100 * x["high"]) for (_, k), x in cells.items()]
        w.plot("utilisation-" + c, series, "utilisation", "%", title=f"Utilisation against f: {c} hosts", x="f", zero=False)


def shares_over_time(w):
    for k in ("1", "0.6", "0.5", "0"):
        out = os.path.join(w.stores, "shares.db")
        w.ask("run", w.example("dslab.yaml"), "--set", "until=never", "--set", "policy.knob=" + k, "--set",
              "metrics=[tasks, {use: dominant_share, every: 100s}]", "--output", out, "--quiet")
        text = w.ask("export", out, "--format", "dslab", "--set", "table=share")
        series = {}
        for r in csv.DictReader(io.StringIO(text)):
            share = 100 * float(r["share"])
            series.setdefault("user" + r["user"], []).append((float(r["time"]), share, share, share))
        for r in ("", "-journal"):
            if os.path.exists(out + r):
                os.remove(out + r)
        w.plot("shares-" + k, dict(sorted(series.items())), "dominant share", "%", title=f"Dominant shares, f = {k}, 67 hosts",
               x="time, s")


def make(w):
    store = w.study("study", "fairness-study.yaml", ("replications: 30\n", "replications: 2\n"))
    step_table, jumps = steps(w, store)
    found = ratios(w, store)
    curves(w, store)
    shares_over_time(w)
    w.fill("fairness-study.md", {
        "verdicts": verdicts(w, store, jumps, found),
        "sweep": sweep(w, store, "contended"), "steps": step_table, "ratios": ratio_table(found),
        "fixed": sweep(w, store, "fixed"), "kinds": kinds(w, store), "product": product(w, store)})
