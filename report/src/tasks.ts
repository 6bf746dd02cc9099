// tasks.ts -- which rows of several schedules are one task, by the rule by which the command compares them
// (src/cli/compare_match.c of the project): row by row where all serials and ids are the same; else by id, and of
// several with one id in order of submission.

import { known, type Schedule } from "./data";

export interface Task {
  schedule: Schedule;
  row: number;
}

const NONE = -1;

function idOf(s: Schedule, row: number): number {
  const id = s.columns.get("id")?.[row];
  return id !== undefined && known(id) ? id : -1;
}

function areAlike(a: Schedule, b: Schedule): boolean {
  if (a.tasks !== b.tasks) return false;
  const x = a.columns.get("serial");
  const y = b.columns.get("serial");
  for (let i = 0; i < a.tasks; i++) if (x?.[i] !== y?.[i] || idOf(a, i) !== idOf(b, i)) return false;
  return true;
}

/** Rows by id; rows of one id stay in order, which is that of submission. */
function byId(s: Schedule): Uint32Array {
  const ids = Float64Array.from({ length: s.tasks }, (_, i) => idOf(s, i));
  return Uint32Array.from(ids.keys()).sort((a, b) => ids[a] - ids[b] || a - b);
}

/** For each row of `a` that of the same task in `b`, and the other way round. */
function pair(a: Schedule, b: Schedule): [Int32Array, Int32Array] {
  const there = new Int32Array(a.tasks).fill(NONE);
  const back = new Int32Array(b.tasks).fill(NONE);
  const x = byId(a);
  const y = byId(b);
  for (let i = 0, j = 0; i < x.length && j < y.length; ) {
    const by = idOf(a, x[i]) - idOf(b, y[j]);
    if (by === 0) {
      there[x[i]] = y[j];
      back[y[j]] = x[i];
    }
    if (by <= 0) i++;
    if (by >= 0) j++;
  }
  return [there, back];
}

/** The tasks of several schedules, each matched with the first of them. */
export class Tasks {
  /** Of a schedule: rows of the first to its own, and back. None: they are the same. */
  private readonly pairs = new Map<Schedule, [Int32Array, Int32Array]>();

  constructor(readonly schedules: Schedule[]) {
    for (const s of schedules.slice(1)) if (!areAlike(schedules[0], s)) this.pairs.set(s, pair(schedules[0], s));
  }

  /** The row that a task has in a schedule; -1: it has none. */
  rowIn(s: Schedule, task: Task): number {
    if (s === task.schedule) return task.row;
    const first = this.pairs.get(task.schedule)?.[1][task.row] ?? task.row;
    return first === NONE ? NONE : (this.pairs.get(s)?.[0][first] ?? first);
  }
}
