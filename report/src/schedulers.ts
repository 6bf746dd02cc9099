// schedulers.ts -- what schedulers did, of runs that count it: how busy each was, and which part of that was useful, for a
// conflict or in vain; how many of its decisions met one; what became of the offers. All of it is the command's figures.

import { barsOf, legend } from "./bars";
import type { RunHead } from "./data";
import { count, share } from "./format";
import { tableOf } from "./table";

interface Busy {
  run: RunHead;
  name: string;
  parts: number[];
  busyness: number;
  conflicts: number | null;
  decisions: number | null;
  share: number | null;
  /** Refused decisions per useful one, as the Omega paper has it. */
  fraction: number | null;
}

const parts = ["useful: nothing was refused and something started", "for a conflict: something was refused", "in vain: no place was found"];

/** Figures are busyness_NAME, where one is of all together busyness alone; busyness_useful_NAME and so on beside it. */
function busyOf(run: RunHead): Busy[] {
  const f = run.figures;
  const out: Busy[] = [];
  for (const key of Object.keys(f)) {
    if (!key.startsWith("busyness_useful")) continue;
    const end = key.slice("busyness_useful".length); // with its _
    const all = f[`busyness${end}`];
    const useful = f[key];
    const wasted = f[`busyness_wasted${end}`];
    if (all == null || useful == null || wasted == null) continue;
    out.push({
      run,
      name: end.slice(1) || "all",
      busyness: all,
      parts: [useful, wasted, Math.max(all - useful - wasted, 0)],
      conflicts: f[`conflicts${end}`] ?? null,
      decisions: f[`decisions${end}`] ?? null,
      share: f[`conflict_share${end}`] ?? null,
      fraction: f[`conflict_fraction${end}`] ?? null,
    });
  }
  if (out.length === 0 && f["busyness"] != null) {
    out.push({ run, name: "the scheduler", busyness: f["busyness"], parts: [f["busyness"], 0, 0], conflicts: null, decisions: f["decisions"] ?? null, share: null, fraction: null });
  }
  return out;
}

function nameOf(many: boolean, run: RunHead, name: string): string {
  return many ? `${run.name}: ${name}` : name;
}

function busyness(runs: RunHead[]): HTMLElement[] {
  const all = runs.flatMap(busyOf);
  if (all.length === 0) return [];
  const many = runs.length > 1;
  const names = all.map((b) => nameOf(many, b.run, b.name));
  const number = (x: number | null, text: (x: number) => string): [string, string] => (x === null ? ["", ""] : [String(x), text(x)]);
  const precise = (x: number): string => String(Number(x.toPrecision(3)));
  return [
    legend(parts, [0, 1, 6]),
    barsOf(
      "Busyness: the share of the time in which each scheduler thinks",
      all.map((b, i) => ({
        name: names[i],
        parts: b.parts,
        inks: [0, 1, 6],
        titles: parts.map((w, k) => `${share(b.parts[k])} ${w}`),
        end: b.conflicts === null ? share(b.busyness) : `${share(b.busyness)}, ${count(b.conflicts)} conflicts`,
      })),
      Math.max(...all.map((b) => b.busyness)),
    ),
    tableOf(
      {
        title: "schedulers",
        columns: [
          { name: "scheduler", title: "scheduler", right: false },
          ...["busyness", "useful", "for conflicts", "in vain", "decisions", "with a conflict", "share of them", "per useful one"].map((t) => ({ name: t.replaceAll(" ", "_"), title: t, right: true })),
        ],
        rows: all.map((b, i): [string, string][] => [
          [names[i], names[i]],
          number(b.busyness, share),
          ...b.parts.map((p): [string, string] => number(p, share)),
          number(b.decisions, count),
          number(b.conflicts, count),
          number(b.share, precise),
          number(b.fraction, precise),
        ]),
      },
      "busyness and conflicts of schedulers",
    ),
  ];
}

/** What is made and what becomes of it; `whole`: the parts come to all of them. */
const offerKinds: { title: string; figures: [string, string][] }[] = [
  { title: "Offers of hosts to frameworks", figures: [["offers", "made"], ["offers_returned", "given back, used or not"], ["offers_withdrawn", "withdrawn after their time"], ["hoards", "kept, as too few for a job"]] },
  { title: "Offers of hosts that reported", figures: [["offers", "made"], ["offers_in_vain", "after which nothing started"]] },
  { title: "Hosts on which a task would have fitted", figures: [["offers_taken", "taken, and a task started"], ["offers_refused", "refused"], ["offers_forced", "started without asking"]] },
  { title: "Hosts offered to users' operations", figures: [["yt_offers", "where a queued task could fit"]] },
];

function offers(runs: RunHead[]): HTMLElement[] {
  const out: HTMLElement[] = [];
  for (const { title, figures } of offerKinds) {
    const with2 = runs.filter((r) => r.figures[figures[figures.length > 1 ? 1 : 0][0]] != null);
    if (with2.length === 0) continue;
    const lines = with2.flatMap((r) => figures.filter(([f]) => r.figures[f] != null).map(([f, words], k) => ({ r, x: r.figures[f]!, words, k })));
    out.push(
      barsOf(
        title,
        lines.map((l) => ({ name: nameOf(runs.length > 1, l.r, l.words), parts: [l.x], inks: [l.k], titles: [`${count(l.x)} ${l.words}`], end: count(l.x) })),
        Math.max(...lines.map((l) => l.x)),
      ),
    );
  }
  return out;
}

/** @return nothing if no run counts any of it */
export function schedulers(runs: RunHead[]): HTMLElement[] {
  return [...busyness(runs), ...offers(runs)];
}
