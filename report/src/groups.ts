// groups.ts -- what tasks are coloured by: the eight groups that have most of the machine's time have a colour each,
// the same in every run; all others are grey.

import { SERIES } from "./palette";
import { known, nameOf, type Schedule } from "./data";

export interface Group {
  number: number;
  name: string;
  /** Its part of the machine's time in the first run. */
  share: number;
}

export interface Grouping {
  kind: string;
  title: string;
  groups: Group[];
  /** How many further groups share the last colour. */
  others: number;
  /** Class of each task of a schedule: 0 to 7, or 8 for the others. */
  classes: Map<Schedule, Uint8Array>;
}

export const OTHERS = SERIES;

const sizes: [number, string][] = [
  [1, "1"],
  [4, "2 to 4"],
  [16, "5 to 16"],
  [64, "17 to 64"],
  [256, "65 to 256"],
  [1024, "257 to 1,024"],
  [Infinity, "above 1,024"],
];

function sizeClass(s: Schedule, row: number): number {
  const processors = s.units[row] / s.unitsAProcessor;
  return sizes.findIndex(([most]) => processors <= most);
}

/** What the runs can be coloured by: columns that hold more than one value, and size. */
export function groupings(s: Schedule): { kind: string; title: string }[] {
  const out: { kind: string; title: string }[] = [];
  for (const kind of ["user", "group", "account", "partition", "queue", "qos", "executable"]) {
    const column = s.columns.get(kind);
    if (!column) continue;
    const first = column[0];
    let many = false;
    for (let i = 1; i < column.length && !many; i++) many = column[i] !== first;
    if (many) out.push({ kind, title: s.titles[kind] ?? kind });
  }
  out.push({ kind: "size", title: "size" });
  return out;
}

export function makeGrouping(kind: string, title: string, schedules: Schedule[]): Grouping {
  const first = schedules[0];
  const numberOf = (s: Schedule, row: number): number =>
    kind === "size" ? sizeClass(s, row) : (s.columns.get(kind)?.[row] ?? NaN);
  const nameIn = (s: Schedule, number: number): string => (kind === "size" ? sizes[number][1] : nameOf(s, kind, number));
  const areas = new Map<number, number>();
  let all = 0;
  for (let i = 0; i < first.tasks; i++) {
    const held = first.end[i] - first.start[i];
    const area = held === held ? held * first.units[i] : 0;
    const n = numberOf(first, i);
    const key = known(n) ? n : NaN;
    areas.set(key, (areas.get(key) ?? 0) + area);
    all += area;
  }
  const order =
    kind === "size"
      ? [...areas].sort((a, b) => a[0] - b[0])
      : [...areas].sort((a, b) => (b[1] !== a[1] ? b[1] - a[1] : a[0] - b[0]));
  const shown = order.slice(0, OTHERS);
  // A log that is another one may number the same names otherwise.
  const classOf = new Map(shown.map(([n], i) => [nameIn(first, n), i]));
  const classes = new Map<Schedule, Uint8Array>();
  for (const s of schedules) {
    const of = new Uint8Array(s.tasks);
    const met = new Map<number, number>();
    for (let i = 0; i < s.tasks; i++) {
      const n = numberOf(s, i);
      let place = met.get(n);
      if (place === undefined) met.set(n, (place = classOf.get(nameIn(s, n)) ?? OTHERS));
      of[i] = place;
    }
    classes.set(s, of);
  }
  return {
    kind,
    title,
    groups: shown.map(([number, area]) => ({
      number,
      name: nameIn(first, number),
      share: all > 0 ? area / all : 0,
    })),
    others: Math.max(order.length - OTHERS, 0),
    classes,
  };
}
