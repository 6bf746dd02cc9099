// lost.ts -- why the machine stood idle while tasks were queued, of runs with the metric lost_capacity: a bar by cause for the
// whole run, which is the command's figures, and areas over the time that all pictures show, from the rows that it kept.

import { barsOf, legend } from "./bars";
import type { KeptTable, RunHead } from "./data";
import { el, nameText, svg } from "./dom";
import { share, type Calendar } from "./format";
import { sample } from "./kept";
import { areaInk } from "./palette";
import { tableOf } from "./table";

const TABLE = "lost_capacity";

/** Causes in the order in which they are split off: src/metric/family/lost_capacity.c. */
const causes: [name: string, words: string][] = [
  ["away", "hosts that are away"],
  ["surplus", "more than all queued tasks ask for"],
  ["size", "each queued task asks for more than is idle"],
  ["fragments", "enough is idle in all, but on hosts no queued task finds room"],
  ["thinking", "a scheduler thinks, or its next pass is not due"],
  ["reserved", "open windows of advance reservations"],
  ["planned", "promised starts, and what else such a policy holds back"],
  ["rules", "the policy's order, limits, partitions or placement"],
];

const WIDTH = 900;
const HEIGHT = 120;
const LEFT = 44;
const PIECES = 300;

interface Run {
  head: RunHead;
  table: KeptTable | undefined;
  place: number;
  later: number;
  end: number;
}

function figure(run: RunHead, cause: string): number {
  return run.figures[`${TABLE}_${cause}`] ?? 0;
}

/** A bar for each run, on one scale. */
function bars(runs: RunHead[]): HTMLElement {
  const all = (r: RunHead): number => r.figures[TABLE] ?? 0;
  return barsOf(
    "Share of the machine that stood idle while tasks were queued, by cause",
    runs.map((r) => ({
      name: r.name,
      parts: causes.map(([cause]) => figure(r, cause)),
      inks: causes.map((_, k) => k),
      titles: causes.map(([cause, words]) => `${share(figure(r, cause))}: ${words}`),
      end: share(all(r)),
    })),
    Math.max(...runs.map(all)),
  );
}

function tableBy(runs: RunHead[]): HTMLElement {
  const number = (x: number): [string, string] => [String(x), share(x)];
  return tableOf(
    {
      title: "share of the machine that stood idle while tasks were queued, by cause",
      columns: [{ name: "cause", title: "cause", right: false }, ...runs.map((r) => ({ name: r.name, title: r.name, right: true }))],
      rows: [
        ...causes.filter(([cause]) => runs.some((r) => figure(r, cause) > 0)).map(([cause, words]): [string, string][] => [[cause, words], ...runs.map((r) => number(figure(r, cause)))]),
        [[TABLE, "all of it"], ...runs.map((r) => number(r.figures[TABLE] ?? 0))],
      ],
    },
    "lost capacity by cause",
  );
}

/** Areas on one another, of [from, to) seconds. */
function areas(run: Run, most: number, calendar: Calendar, from: number, to: number, means: number[][]): SVGElement {
  const x = (i: number): string => (LEFT + (i / PIECES) * (WIDTH - LEFT)).toFixed(1);
  const y = (v: number): string => (HEIGHT - (v / most) * HEIGHT + 6).toFixed(1);
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT + 26}`, class: "bars", role: "img", "aria-label": `${run.head.name}: share of the machine that stood idle while tasks were queued, by cause, over time` });
  for (const v of [0, most / 2, most]) {
    picture.append(
      svg("line", { x1: LEFT, x2: WIDTH, y1: y(v), y2: y(v), class: "grid" }),
      svg("text", { x: LEFT - 6, y: Number(y(v)) + 4, "text-anchor": "end" }, `${Number((100 * v).toPrecision(3))} %`),
    );
  }
  const below = new Float64Array(PIECES);
  means.forEach((v, k) => {
    const sum = v.reduce((a, b) => a + b, 0);
    if (!(sum > 0)) return;
    let path = "";
    for (let i = 0; i < PIECES; i++) path += `${i ? "L" : "M"}${x(i)} ${y(below[i] + v[i])}L${x(i + 1)} ${y(below[i] + v[i])}`;
    for (let i = PIECES - 1; i >= 0; i--) path += `L${x(i + 1)} ${y(below[i])}L${x(i)} ${y(below[i])}`;
    const area = svg("path", { d: `${path}Z` }, svg("title", {}, `${causes[k][1]}: ${share(sum / PIECES)} in view`));
    area.style.fill = areaInk(k);
    picture.append(area);
    for (let i = 0; i < PIECES; i++) below[i] += v[i];
  });
  const { step, at } = calendar.ticks(from, to, 8);
  for (const t of at) {
    const px = LEFT + ((t - from) / (to - from)) * (WIDTH - LEFT);
    picture.append(svg("text", { x: Math.min(px, WIDTH - 24), y: HEIGHT + 22, "text-anchor": "middle" }, calendar.label(t, step)));
  }
  return picture;
}

export interface Lost {
  parts: HTMLElement[];
  draw(from: number, to: number): void;
}

/** Nothing is drawn before the first call of `draw`.
 *  @param runs  of each run that is shown: its number, how much later than the first one it begins, when it ends, s
 *  @return null: no run has the metric */
export function lostOver(tables: KeptTable[], heads: RunHead[], runs: { number: number; later: number; end: number }[], calendar: Calendar): Lost | null {
  const all: Run[] = runs
    .map((r, i) => ({ head: heads[i], table: tables.find((t) => t.run === r.number && t.name === TABLE && t.rows.length > 0), place: r.number, later: r.later, end: r.end }))
    .filter((r) => r.head.figures[TABLE] != null);
  if (all.length === 0) return null;
  const met = causes.map((_, k) => k).filter((k) => all.some((r) => figure(r.head, causes[k][0]) > 0));
  const drawn = all.filter((r) => r.table).map((run) => ({ run, holder: el("div") }));
  return {
    parts: [
      el("p", { class: "quiet" }, "Share of the machine that stood idle while at least one task was queued, split so that the causes add up to all of it (metric lost_capacity)."),
      legend(met.map((k) => `${causes[k][0]}: ${causes[k][1]}`), met),
      bars(all.map((r) => r.head)),
      tableBy(all.map((r) => r.head)),
      ...drawn.map(({ run, holder }) => el("figure", { class: "chart" }, el("figcaption", {}, nameText(run.head.name), ", over the time that all pictures show"), holder)),
    ],
    draw(from, to) {
      const of = drawn.map(({ run }) => causes.map(([cause]) => sample(run.table, cause, run.later, run.end, from, to, PIECES).map((x) => x ?? 0)));
      let most = 1e-9;
      for (const m of of) for (let i = 0; i < PIECES; i++) most = Math.max(most, m.reduce((sum, v) => sum + v[i], 0));
      const high = [0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1].find((x) => x >= most) ?? most;
      drawn.forEach(({ run, holder }, i) => holder.replaceChildren(areas(run, high, calendar, from, to, of[i])));
    },
  };
}
