# packing_page.py -- docs/yt-packing.md: table 4.3 of the thesis on packing in YTsaurus, and what it hangs on.
import csv
import io
import json
import math
import os
from concurrent.futures import ThreadPoolExecutor

from common import claim_row, of, spread, table

WORLD = "cell.seed+seed"
# The published numbers: the only ones here that no run gives.
PUBLISHED = {"window_load_cpu": ("CPU %", 92.2, 96.7), "window_useful_cpu": ("CPU % without lost work", 90.6, 93.9),
             "window_load_memory": ("memory %", 91.5, 96.4)}
KIND = {1: "1 core, 1 GiB", 9: "1 core, 3 GiB", 13: "1 core, 10 GiB", 19: "1 core, 20 GiB", 21: "5 cores, 3 GiB", 23: "6 cores, 4 GiB"}
# Who comes: so many users are there, the newcomer's weight, tasks of one of their operations; what it is due.
NEWCOMERS = ((23, 1, 5000, "1/24"), (11, 1, 10000, "1/12"), (7, 1, 12000, "1/8"), (3, 1, 25000, "1/4"), (2, 1, 30000, "1/3"),
             (1, 1, 60000, "1/2"), (1, 3, 60000, "3/4"))
MODES = {"always": "nobody refuses", "all": "all refuse", "bare": "all refuse, no fallback", "alone": "only the newcomer refuses"}
COMES, LATE = 1800, 3000


def of_one(half, n):
    """Half width of the prediction interval of one more sample, t s sqrt(1 + 1/n), from that of the mean's, t s / sqrt(n)."""
    return half * math.sqrt(n + 1)


def main_table(w, store):
    rows = []
    for f, (word, without, with_it) in PUBLISHED.items():
        c = one(w, store, f, "packing")
        d, h = w.differences(store, f, "packing", "no", over=WORLD)["yes"]
        published = with_it - without
        one_more = of_one(h, c["yes"]["count"])
        inside = "yes" if abs(100 * d - published) <= 100 * one_more else "no"
        rows.append([word, without, of(c["no"], 100), with_it, of(c["yes"], 100), f"{published:+.1f}", spread(d, h, 100),
                     f"{100 * (d - one_more):.1f} to {100 * (d + one_more):.1f}", inside])
    head = ["", "without: published", "here", "with: published", "here", "effect: published", "here, mean", "here, one cluster",
            "published effect within that"]
    return table(head, rows, range(1, 9))


def one(w, store, figure, axis, *where):
    """{level: cell} of one axis, over the worlds."""
    text = w.ask("study", "table", store, "-f", figure, "--rows", axis, "--over", WORLD, "--csv",
                 *(a for x in where for a in ("--where", x)))
    return {c["row"]: {k: float(c[k] or "nan") for k in ("mean", "half_width", "low", "high", "count")}
            for c in csv.DictReader(io.StringIO(text)) if c["mean"]}


def rates(w, store):
    rows = []
    for p, word in (("no", "without"), ("yes", "with")):
        get = lambda f: one(w, store, f, "packing").get(p)
        starts, forced, stopped = get("yt_starts"), get("yt_fallbacks"), get("yt_preempted")
        rows.append([word, of(starts), f'{100 * forced["mean"] / starts["mean"]:.1f}', of(get("refused_share"), 100) if p == "yes" else "–",
                     f'{100 * stopped["mean"] / starts["mean"]:.1f}', of(get("window_stopped_share"), 100),
                     of(get("user_share_least"), 100), of(get("user_share_satisfaction_mean"))])
    head = ["packing", "starts in 5 h", "of them because all refused, %", "offers refused, %", "stopped, of starts, %",
            "stopped in the window, of its starts, %", "least user's share, %", "mean satisfaction"]
    return table(head, rows, range(1, 8))


def sensitivity(w, store):
    figures = ("window_load_cpu", "window_load_memory", "window_useful_cpu", "window_stopped_share", "refused_share",
               "yt_fallbacks", "yt_starts")
    got = {f: one(w, store, f, "setting") for f in figures}
    rows = []
    for s in got["window_load_cpu"]:
        base = s.split(",")[0] if s.endswith(",none") else s
        packs = s != "none" and not s.endswith(",none")
        shown = f"`{base}`" if packs else f"`{base}` without" if s != "none" else "`thesis` without"
        row = [shown] + [of(got[f][s], 100) for f in figures[:4]]
        row += [of(got["refused_share"][s], 100), f'{100 * got["yt_fallbacks"][s]["mean"] / got["yt_starts"][s]["mean"]:.1f}'] if packs \
            else ["–", "–"]
        rows.append(row)
    head = ["setting", "CPU %", "memory %", "CPU % without lost work", "stopped, of starts, %", "offers refused, %", "starts because all refused, %"]
    return table(head, rows, range(1, 7))


def effects(w, store):
    """The effect of packing under each setting that has a twin without."""
    found = one(w, store, "window_load_cpu", "setting")
    names, rows = list(found), []
    for s in names:
        twin = "none" if s == "thesis" else s + ",none"
        if twin not in names:
            continue
        row = [f"`{s}`"]
        for f, (_, without, with_it) in PUBLISHED.items():
            d, h = w.differences(store, f, "setting", twin, over=WORLD)[s]
            more = of_one(h, found[s]["count"])
            inside = abs(100 * d - (with_it - without)) <= 100 * more
            row.append(f"{spread(d, h, 100)} ({100 * (d - more):.1f} to {100 * (d + more):.1f}{', published within' if inside else ''})")
        rows.append(row)
    head = [f"{word}: effect (published {with_it - without:+.1f})" for word, without, with_it in PUBLISHED.values()]
    return table(["setting", *head], rows, (1, 2, 3))


def gains(w, store):
    rows = []
    for t in ("thesis", "strict"):
        for u, word in KIND.items():
            f = f"user_share_of_{u}"
            base = one(w, store, f, "never", "tolerance=" + t, f"never=nobody,{u}")
            d, h = w.differences(store, f, "never", "nobody", "tolerance=" + t, over=WORLD)[str(u)]
            refused = one(w, store, f"refused_share_of_{u}", "never", "tolerance=" + t, "never=nobody")["nobody"]
            rows.append([t, f"user{u}", word, of(refused, 100), of(base["nobody"], 100), of(base[str(u)], 100), spread(d, h, 100)])
    return table(["tolerances", "user", "its tasks", "of its offers refused, %", "share %, refusing", "never refusing", "gain, points"], rows,
                 range(3, 7))


def refusal_rates(w, store):
    rows, verdicts = [], []
    for t in ("thesis", "strict"):
        got = {u: one(w, store, f"refused_share_of_{u}", "never", "tolerance=" + t, "never=nobody")["nobody"] for u in range(1, 25)}
        least, most = (f(got, key=lambda u: got[u]["mean"]) for f in (min, max))
        rows.append([t, f"user{least}", of(got[least], 100), f"user{most}", of(got[most], 100)])
        apart = got[most]["low"] - got[least]["high"]
        verdicts.append(("not equal" if apart > 0 else "equal within chance", 100 * apart))
    return table(["tolerances", "least", "refused, %", "most", "refused, %"], rows, (2, 4)), verdicts


def newcomer_run(w, job):
    users, weight, batch, _, mode, seed = job
    out = os.path.join(w.stores, f"newcomer-{users}-{weight}-{mode}-{seed}.db")
    more = {"always": ["--set", "policy.accept=always"], "all": [], "bare": ["--set", "policy.fallback=none"],
            "alone": ["--set", "policy.accept.never_users=[" + ",".join(map(str, range(1, users + 1))) + "]"]}[mode]
    w.ask("run", w.example("newcomer.yaml"), "--seed", str(seed), "--set", f"cell.seed={seed}", "--set", f"source.0.users={users}", "--set",
          f"source.0.batch={batch}", "--set", "source.1.batch=40000", "--set", f"policy.weights=[100={weight}]", *more, "--output",
          out, "--quiet")
    text = w.ask("export", out, "--format", "dslab", "--set", "table=share")
    os.remove(out)
    series = [(float(r["time"]), float(r["share"])) for r in csv.DictReader(io.StringIO(text)) if r["user"] == "100"]
    late = [s for t, s in series if t > LATE]
    return {"job": list(job), "share": sum(late) / len(late), "series": [x for x in series if x[0] > COMES]}


def newcomers(w):
    path = os.path.join(w.stores, "newcomer.json")
    if not os.path.exists(path):
        chosen, seeds = (NEWCOMERS[5:6], (1,)) if w.short else (NEWCOMERS, (1, 2, 3))
        jobs = [(*n, m, s) for n in chosen for m in MODES for s in seeds]
        with ThreadPoolExecutor(w.jobs) as pool:
            found = list(pool.map(lambda j: newcomer_run(w, j), jobs))
        with open(path, "w") as f:
            json.dump(found, f)
    by = {tuple(r["job"]): r for r in json.load(open(path))}
    rows, ends = [], {}
    for users, weight, batch, due in NEWCOMERS:
        seeds = sorted({j[5] for j in by if j[:2] == (users, weight)})
        if not seeds:
            continue
        row = [due, f"{1 / part_of(due):.1f}"]
        for m in MODES:
            ends[due, m], when = ending(by, (users, weight, batch, due), m, seeds)
            share = 100 * sum(by[users, weight, batch, due, m, s]["share"] for s in seeds) / len(seeds)
            row += [f"{share:.1f}" if m == "always" else f"{min(ends[due, m]):.0f} to {max(ends[due, m]):.0f}", when]
        rows.append(row)
    head = ["due", "offers a completion", "nobody refuses: share %", "90 % after"]
    head += [x for m in list(MODES)[1:] for x in (MODES[m] + ": % of that", "90 % after")]
    pictures(w, by)
    return table(head, rows, range(1, len(head))), ends


def ending(by, who, mode, seeds):
    """Parts in % of the share that the newcomer has if nobody refuses, one a seed; and when nine tenths of it are reached."""
    parts, times = [], []
    for s in seeds:
        alone, r = by[(*who, "always", s)]["share"], by[(*who, mode, s)]
        parts.append(100 * r["share"] / alone)
        times.append(next((t - COMES for t, x in r["series"] if x >= 0.9 * alone), None))
    reached = [t for t in times if t is not None]
    return parts, f"{max(reached):.0f} s" if len(reached) == len(times) else "never" if not reached else "not always"


def bound(ends):
    """Is a share reached where there are four offers a completion, and not where there are fewer? All but a twentieth of it."""
    rows = []
    for mode, text in (("alone", "One who alone refuses comes to its share if it gets (n + 1) / (k + 1) = 4 offers for each of its tasks that "
                                 "ends, and not if it gets fewer"),
                       ("all", "Where all refuse, and somebody starts all the same, it breaks for an operation that is due more than half")):
        far = {due: x for (due, m), x in ends.items() if m == mode}
        enough = [x for due, xs in far.items() if part_of(due) <= (0.25 if mode == "alone" else 0.5) for x in xs]
        few = [x for due, xs in far.items() if part_of(due) > (0.25 if mode == "alone" else 0.5) for x in xs]
        ok = all(x >= 95 for x in enough) and all(x < 95 for x in few)
        text_of = lambda xs: f"{min(xs):.0f} to {max(xs):.0f} %" if xs else "not tried"
        word = "undecidable" if not enough or not few else "confirmed" if ok else "not confirmed"
        rows.append([f"8, {'one' if mode == 'alone' else 'all'}", text, f"**{word}**",
                     f"within the bound it ends at {text_of(enough)} of its share, beyond it at {text_of(few)}"])
    return rows


def pictures(w, by):
    for due in ("1/4", "1/2"):
        series = {}
        for job, r in by.items():
            if job[3] == due and job[5] == 1:
                series[MODES[job[4]]] = [(t, 100 * x, 100 * x, 100 * x) for t, x in r["series"] if t <= COMES + 1200]
        if series:
            w.plot("newcomer-" + due.replace("/", "-"), series, "share of the newcomer", "%", title=f"A newcomer who is due {due}",
                   x="time, s; it comes at 1800")


def sweep_k(w, store):
    names = {"k=0": 0, "k=1": 1, "thesis": 2, "k=4": 4, "k=8": 8, "k=12": 12, "k=15": 15}
    series = {}
    for f, (word, _, _) in PUBLISHED.items():
        got = one(w, store, f, "setting")
        series[word.replace(" %", "")] = [(k, *(100 * got[s][x] for x in ("mean", "low", "high"))) for s, k in names.items()]
    w.plot("packing-k", series, "utilisation", "%", title="How many better offers are tolerated, of 15: five clusters", x="k", zero=False)


def part_of(text):
    a, b = text.split("/")
    return int(a) / int(b)


def verdicts(w, main, honesty, sense, apart, ends):
    rows = [claim_row(c) for c in w.check(main, "packing-claims.yaml")]
    rows += [claim_row(c) for c in w.check(honesty, "honesty-claims.yaml")]
    for (word, points), t, text, good in zip(apart, ("with", "without"), (
            "With A and R some users refuse less than others, which is to their advantage: not strategy-proof",
            "Without A and R all refuse equally often, whatever their tasks are: strategy-proof"), ("not equal", "equal within chance")):
        rows.append([f"7, {t}", text, f"**{'confirmed' if word == good else 'not confirmed'}**",
                     f"the intervals of the user who refuses least and of the one who refuses most are {points:.1f} points apart"])
    rows += bound(ends) + [claim_row(c) for c in w.check(sense, "tolerance-claims.yaml")]
    return table(["", "statement", "verdict", "hold/contrary/open, and numbers"], rows)


def make(w):
    def shorter(worlds, until):
        return (f"to: {worlds}, step: 1", "to: 2, step: 1"), (f"until: {until}", "until: 8m"), ("from: 1h", "from: 4m")
    main = w.study("packing", "yt-packing.yaml", *shorter(30, "5h"))
    honesty = w.study("honesty", "yt-honesty.yaml", *shorter(10, "2h"))
    sense = w.study("sensitivity", "yt-sensitivity.yaml", *shorter(5, "2h"))
    rate_table, apart = refusal_rates(w, honesty)
    come, ends = newcomers(w)
    sweep_k(w, sense)
    w.fill("yt-packing.md", {
        "main": main_table(w, main), "verdicts": verdicts(w, main, honesty, sense, apart, ends), "rates": rates(w, main),
        "effects": effects(w, sense), "sensitivity": sensitivity(w, sense), "gains": gains(w, honesty), "refusals": rate_table,
        "newcomers": come})
