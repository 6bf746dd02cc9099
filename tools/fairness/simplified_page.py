# simplified_page.py -- docs/simplified-yt.md: the simplified simulator of the thesis on packing in YTsaurus.
from common import claim_row, of, spread, table

WORLD = "cell.seed+seed"
METRICS = ("angle", "angle_length", "dot", "drfh")
CPU, MEMORY = "host_load_cpu", "host_load_memory"
LEAST, MEAN = "user_share_satisfaction_least", "user_share_satisfaction_mean"
HOWS = (["fair"] + [f"{k}_{m}" for k in ("tetris_0.75", "tetris_0.5", "tetris_0.25", "tetris_0", "batch_2", "batch_4", "batch_8",
                                         "batch_16") for m in METRICS] +
        [f"refusal_{k}_{m}" for k in ("thesis", "strict") for m in METRICS + ("cosine",)])
REFUSALS = "how=" + ",".join(h for h in HOWS if h.startswith("refusal"))


def all_ways(w, store, setting):
    got = {f: {h: c for (h, _), c in w.cells(store, f, "how", "operations", "operations=" + setting, over=WORLD).items()}
           for f in (CPU, MEMORY, LEAST, MEAN)}
    for f in ("offers_refused", "offers_forced"):
        got[f] = {h: c for (h, _), c in w.cells(store, f, "how", "operations", "operations=" + setting, REFUSALS, over=WORLD).items()}
    rows = []
    for h in HOWS:
        refused = h.startswith("refusal")
        rows.append([f"`{h}`", of(got[CPU][h], 100), of(got[MEMORY][h], 100), of(got[LEAST][h]), of(got[MEAN][h]),
                     of(got["offers_refused"][h]) if refused else "–", of(got["offers_forced"][h]) if refused else "–"])
    head = ["how", "CPU %", "memory %", "least satisfaction", "mean satisfaction", "refusals", "fallbacks"]
    return table(head, rows, range(1, 7))


def pairs():
    for k in ("batch_2", "batch_4", "batch_8", "batch_16", "tetris_0.75", "tetris_0.5", "tetris_0.25", "tetris_0",
              "refusal_strict", "refusal_thesis"):
        yield k


def distances(w, store):
    """How far the other measures are from the angle, in points: paired differences."""
    rows = []
    for setting in ("table", "drawn"):
        for k in pairs():
            row = [setting, f"`{k}`"]
            for f, scale in ((CPU, 100), (MEMORY, 100), (MEAN, 100)):
                d = w.differences(store, f, "how", k + "_angle", "operations=" + setting, over=WORLD)
                row += [spread(*d[f"{k}_{m}"], scale) for m in ("drfh", "angle_length", "dot")]
            rows.append(row)
    head = ["operations", "approach"] + [f"{m}: {x}" for x in ("CPU", "memory", "satisfaction") for m in ("drfh", "angle_length", "dot")]
    return table(head, rows, range(2, 11))


def two_servers(w):
    store = w.study("two", "two-servers.yaml", ("replications: 10\n", "replications: 2\n"))
    got = {f: w.cells(store, f, "how", "replication") for f in (CPU, MEMORY)}
    hows = list(dict.fromkeys(h for h, _ in got[CPU]))
    rows = []
    for h in hows:
        values = [sorted({round(c["mean"], 9) for (x, _), c in got[f].items() if x == h}) for f in got]
        rows.append([f"`{h}`"] + [" or ".join(f"{100 * v:g}" for v in x) for x in values])
    return table(["how", "CPU %", "memory %"], rows, (1, 2))


def frontier(w, store):
    """Packing against fairness: each way a point."""
    out = []
    for setting in ("table", "drawn"):
        cpu, memory, least = ({h: c["mean"] for (h, _), c in
                               w.cells(store, f, "how", "operations", "operations=" + setting, over=WORLD).items()}
                              for f in (CPU, MEMORY, LEAST))
        packed = {h: (cpu[h] + memory[h]) / 2 for h in HOWS}
        best = [h for h in HOWS if not any(packed[x] >= packed[h] and least[x] >= least[h] and
                                           (packed[x], least[x]) != (packed[h], least[h]) for x in HOWS)]
        best.sort(key=lambda h: packed[h])
        out += [[setting, f"`{h}`", f"{100 * packed[h]:.1f}", f"{least[h]:.3f}"] for h in best]
    return table(["operations", "how", "mean of CPU % and memory %", "least satisfaction"], out, (2, 3))


def curves(w, store):
    """Packing against the strength of two approaches, a curve for each measure."""
    for kind, strengths, x in (("batch", ("2", "4", "8", "16"), "servers in a batch"), ("tetris", ("0", "0.25", "0.5", "0.75"), "f")):
        got = {h: c for (h, _), c in w.cells(store, CPU, "how", "operations", "operations=table", over=WORLD).items()}
        series = {m: [(float(s), *(100 * got[f"{kind}_{s}_{m}"][k] for k in ("mean", "low", "high"))) for s in strengths] for m in METRICS}
        w.plot("simplified-" + kind, series, "CPU", "%", title=f"Use of CPU: {kind}, operations of table 4.1", x=x, zero=False)


def make(w):
    store = w.study("simplified", "simplified-yt.yaml", ("to: 30, step: 1", "to: 2, step: 1"))
    curves(w, store)
    w.fill("simplified-yt.md", {
        "verdicts": table(["", "statement", "verdict", "hold/contrary/open, and numbers"],
                          [claim_row(c) for c in w.check(store, "simplified-claims.yaml")]),
        "table": all_ways(w, store, "table"), "drawn": all_ways(w, store, "drawn"), "distances": distances(w, store),
        "frontier": frontier(w, store), "two": two_servers(w)})
