// kept.ts -- what the runs' metrics kept over time: a choice of any of it, drawn on the axis of the schedules.

import { overTime, type OverTime } from "./charts";
import type { KeptTable } from "./data";
import { el } from "./dom";
import { count, size, type Calendar } from "./format";

interface Quantity {
  table: string;
  column: string;
  unit: string;
}

function titleOf(q: Quantity): string {
  return `${q.table}: ${q.column}${q.unit && q.unit !== "1" ? ` (${q.unit})` : ""}`;
}

function valueOf(unit: string): (x: number) => string {
  if (unit === "B") return size;
  return (x) => (Math.abs(x) >= 1000 ? count(x) : String(Number(x.toPrecision(3))));
}

function quantities(tables: KeptTable[]): Quantity[] {
  const met = new Map<string, Quantity>();
  for (const t of tables) for (const [column, unit] of t.columns) met.set(`${t.name}\n${column}`, { table: t.name, column, unit });
  return [...met.values()];
}

/** Means over `columns` equal parts of [from, to) seconds; null where the run kept nothing.
 *  @param later  how much later than the page's first run this one begins, s */
export function sample(t: KeptTable | undefined, column: string, later: number, end: number, from: number, to: number, columns: number): (number | null)[] {
  const sums = new Float64Array(columns);
  const weights = new Float64Array(columns);
  const k = t?.columns.findIndex(([name]) => name === column) ?? -1;
  const width = (to - from) / columns;
  for (const row of k < 0 ? [] : t!.rows) {
    const value = row[k + 2];
    const begin = row[0]! + later;
    const until = row[1] === null ? end : row[1] + later;
    if (value === null || until <= from || begin >= to) continue;
    const high = Math.min(Math.ceil((until - from) / width), columns);
    for (let x = Math.max(Math.floor((begin - from) / width), 0); x < high; x++) {
      const part = Math.min(until, from + (x + 1) * width) - Math.max(begin, from + x * width);
      if (part <= 0) continue;
      sums[x] += value * part;
      weights[x] += part;
    }
  }
  return Array.from(sums, (s, x) => (weights[x] > 0 ? s / weights[x] : null));
}

/** What a run without rows kept of itself, over equal parts of its time. */
export function curvesOf(t: KeptTable, columns: number): { utilisation: Float64Array; queue: Float64Array; running: Float64Array } {
  const from = t.rows[0][0]!;
  const to = t.rows[t.rows.length - 1][0]!;
  const of = (name: string): Float64Array => Float64Array.from(sample(t, name, 0, to, from, to, columns), (x) => x ?? 0);
  return { utilisation: of("utilisation"), queue: of("waiting"), running: of("running") };
}

export interface Kept {
  box: HTMLElement;
  draw(at: Float64Array, from: number, to: number): void;
  resize(): void;
}

/** @param runs  of each run that is shown: its number, how much later than the first one it begins, when it ends, s
 *  @return null: no run kept anything */
export function keptOver(
  tables: KeptTable[],
  names: string[],
  runs: { number: number; later: number; end: number }[],
  calendar: Calendar,
  show: (from: number, to: number) => void,
  changed: () => void,
  places?: number[],
): Kept | null {
  const all = quantities(tables.filter((t) => t.rows.length > 0 && runs.some((r) => r.number === t.run)));
  if (all.length === 0) return null;
  const choice = el("select", { id: "kept" }, ...all.map((q, i) => el("option", { value: String(i) }, titleOf(q))));
  const holder = el("div");
  let chosen = all[0];
  let chart: OverTime;
  const choose = (): void => {
    chosen = all[+choice.value];
    chart = overTime(titleOf(chosen), names, calendar, valueOf(chosen.unit), null, show, 1e-12, places);
    holder.replaceChildren(chart.box);
  };
  choose();
  choice.addEventListener("change", () => {
    choose();
    chart.resize();
    changed();
  });
  return {
    box: el("div", {}, el("p", { class: "controls" }, el("label", { for: "kept" }, "What the metrics kept over time "), choice), holder),
    draw(at, from, to) {
      const of = runs.map((r) => sample(tables.find((t) => t.run === r.number && t.name === chosen.table), chosen.column, r.later, r.end, from, to, at.length));
      chart.set(at, of, from, to);
    },
    resize: () => chart.resize(),
  };
}
