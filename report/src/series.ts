// series.ts -- what is drawn over time, counted from tasks: how much of the machine is used, how many tasks wait.

import { addSpan, settle } from "./gantt";
import { known, type Schedule } from "./data";

export interface Series {
  /** Middles of the columns, s. */
  at: Float64Array;
  utilisation: Float64Array;
  queue: Float64Array;
  running: Float64Array;
}

/** Means over `columns` equal parts of [from, to) seconds. */
export function seriesOf(s: Schedule, from: number, to: number, columns: number): Series {
  const a = from / s.tick;
  const b = to / s.tick;
  const scale = columns / (b - a);
  const utilisation = new Float64Array(columns + 1);
  const queue = new Float64Array(columns + 1);
  const running = new Float64Array(columns + 1);
  for (let i = 0; i < s.tasks; i++) {
    const submit = s.submit[i];
    const start = s.start[i];
    const end = known(s.end[i]) ? s.end[i] : s.last; // it ran on, or waited, when the run ended
    const left = known(start) ? start : end;
    if (submit < b && left > a) addSpan(queue, (submit - a) * scale, (left - a) * scale, 1);
    if (known(start) && start < b && end > a) addSpan(running, (start - a) * scale, (end - a) * scale, 1);
  }
  const r = s.rect;
  for (let i = 0; i < r.count; i++) {
    if (r.start[i] >= b) break;
    if (r.end[i] > a) addSpan(utilisation, (r.start[i] - a) * scale, (r.end[i] - a) * scale, r.lanes[i] / s.lanes);
  }
  for (const sums of [utilisation, queue, running]) settle(sums);
  const at = new Float64Array(columns);
  for (let x = 0; x < columns; x++) at[x] = from + ((x + 0.5) / columns) * (to - from);
  return { at, utilisation: utilisation.subarray(0, columns), queue: queue.subarray(0, columns), running: running.subarray(0, columns) };
}

/** Waits of the tasks that started, in seconds, ascending. */
export function sortedWaits(s: Schedule): Float64Array {
  const out = new Float64Array(s.tasks);
  let n = 0;
  for (let i = 0; i < s.tasks; i++) if (known(s.start[i])) out[n++] = (s.start[i] - s.submit[i]) * s.tick;
  return out.subarray(0, n).sort();
}

/** Bounded slowdowns (10 s) of the tasks that ended, ascending. */
export function sortedSlowdowns(s: Schedule): Float64Array {
  const out = new Float64Array(s.tasks);
  let n = 0;
  for (let i = 0; i < s.tasks; i++) {
    if (!known(s.end[i]) || !known(s.start[i])) continue;
    const held = (s.end[i] - s.start[i]) * s.tick;
    out[n++] = Math.max(1, ((s.end[i] - s.submit[i]) * s.tick) / Math.max(held, 10));
  }
  return out.subarray(0, n).sort();
}

/** The value of rank ceil(q n), as the command's quantiles are. */
export function quantile(sorted: Float64Array, q: number): number {
  if (sorted.length === 0) return NaN;
  return sorted[Math.min(Math.max(Math.ceil(q * sorted.length), 1), sorted.length) - 1];
}
