// paired.ts -- how runs that are made in the page differ from the first, task by task: what `hindcast compare` prints of
// results, by its rules (src/cli/compare_tables.c of the project; intervals by batch means: src/study/estimate.c).

import { known, type Schedule, type Table } from "./data";
import { count, human } from "./format";
import { Tasks } from "./tasks";

export interface Compared {
  name: string;
  schedule: Schedule | null;
}

const BATCHES = 30;
const TAU = 10; // s: threshold of the bounded slowdown
/** Student's t of an interval of 95 %, by degrees of freedom less one. */
const STUDENT = [
  12.7062047362, 4.30265272975, 3.18244630528, 2.7764451052, 2.57058183564, 2.44691185114, 2.36462425159, 2.3060041352, 2.2621571628, 2.22813885199,
  2.20098516009, 2.17881282967, 2.16036865646, 2.14478668792, 2.13144954556, 2.11990529922, 2.10981557783, 2.10092204024, 2.09302405441, 2.08596344727,
  2.07961384473, 2.0738730679, 2.06865761042, 2.06389856163, 2.05953855275, 2.05552943864, 2.05183051648, 2.0484071418, 2.04522964213,
];

const columns: Table["columns"] = [
  { name: "result", title: "result", right: false },
  { name: "tasks", title: "tasks", right: true },
  { name: "unmatched", title: "unmatched", right: true },
  { name: "differ", title: "differ", right: true },
  { name: "wait_difference", title: "wait (s)", right: true },
  { name: "wait_half_width", title: "+/-", right: true },
  { name: "slowdown_difference", title: "bounded slowdown", right: true },
  { name: "slowdown_half_width", title: "+/-", right: true },
];

/** Mean and half width of its interval; NaN where they are not known. */
function estimate(values: number[]): [number, number] {
  const n = Math.min(values.length, BATCHES);
  if (n === 0) return [NaN, NaN];
  const means: number[] = [];
  let at = 0;
  let total = 0;
  for (let b = 0; b < n; b++) {
    const length = Math.floor(values.length / n) + (b < values.length % n ? 1 : 0);
    let sum = 0;
    for (let i = 0; i < length; i++) sum += values[at++];
    total += sum;
    means.push(sum / length);
  }
  const mean = total / values.length;
  if (n < 2) return [mean, NaN];
  const center = means.reduce((a, b) => a + b, 0) / n;
  const squares = means.reduce((a, b) => a + (b - center) * (b - center), 0);
  return [mean, STUDENT[n - 2] * Math.sqrt(squares / (n - 1) / n)];
}

const wait = (s: Schedule, row: number): number => (s.start[row] - s.submit[row]) * s.tick;

function slowdown(s: Schedule, row: number): number {
  const run = (s.end[row] - s.start[row]) * s.tick;
  return Math.max((wait(s, row) + run) / Math.max(run, TAU), 1);
}

/** The rows of `others` in that table. Tasks of a schedule are in order of submission. */
function rows(first: Schedule, others: Compared[]): [string, string][][] {
  const there = others.filter((o): o is { name: string; schedule: Schedule } => o.schedule !== null);
  const tasks = new Tasks([first, ...there.map((o) => o.schedule)]);
  return there.map(({ name, schedule }) => {
    const waits: number[] = [];
    const slowdowns: number[] = [];
    let pairs = 0;
    let differ = 0;
    for (let row = 0; row < first.tasks; row++) {
      const other = tasks.rowIn(schedule, { schedule: first, row });
      if (other < 0) continue;
      pairs++;
      const [a, b] = [first.start[row], schedule.start[other]];
      if (known(a) !== known(b) || (known(a) && a * first.tick !== b * schedule.tick)) differ++;
      if (!known(a) || !known(b) || !known(first.end[row]) || !known(schedule.end[other])) continue;
      waits.push(wait(schedule, other) - wait(first, row));
      slowdowns.push(slowdown(schedule, other) - slowdown(first, row));
    }
    const whole = [pairs, first.tasks + schedule.tasks - 2 * pairs, differ].map((x): [string, string] => [String(x), count(x)]);
    const real = [...estimate(waits), ...estimate(slowdowns)].map((x): [string, string] => (x === x ? [String(x), human(x)] : ["", "-"]));
    return [[name, name], ...whole, ...real];
  });
}

/** The command's table with a row for each run that was made here; of runs that were all made here a table of its own.
 *  null: nothing is compared. */
export function withPaired(table: Table | null, first: Compared | undefined, made: Compared[]): Table | null {
  const others = made.filter((m) => m !== first);
  if (!first?.schedule || others.length === 0) return table;
  const title = `Task by task against ${first.name}: mean difference, 95 % confidence interval (t over ${BATCHES} batch means in order of submission)`;
  return { ...(table ?? { title, columns }), rows: [...(table?.rows ?? []), ...rows(first.schedule, others)] };
}
