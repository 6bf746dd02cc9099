// gantt.ts -- the schedule of one run on a canvas: a lane for each processor or part of a host, and time.
//
// Near enough, each task is its rectangles. Where more than FEW of them are in view a pixel holds many tasks, and the
// last one drawn would hide the others: then each column of pixels shows how much of the machine each group has, as
// areas that are stacked. Of a view with more than MANY rectangles these areas come from BINS that are counted once.

import { areaOf, isDark } from "./palette";
import { OTHERS, type Grouping } from "./groups";
import { known, type Schedule } from "./data";
import type { Calendar } from "./format";
import type { Tasks } from "./tasks";
import type { View } from "./view";

const FEW = 20000;
const MANY = 400000;
const BINS = 8192;
const BLOCK = 512;
const CLASSES = OTHERS + 1;

// Kinds of rectangles: src/output/rectangles.h of the project.
const STOPPED = 1;
const HELD = 2;

const AXIS = 22;
const LEFT = 56;

export class Gantt {
  readonly canvas: HTMLCanvasElement;
  private readonly context: CanvasRenderingContext2D;
  /** The greatest end up to each block of rectangles: what lies before a view is passed over a block at a time. */
  private readonly latest: Float64Array;
  private bins: Float64Array[] | null = null;
  private width = 0;
  private height = 0;
  /** Rows of rectangles that are drawn as such; false: areas are. */
  isDetailed = false;
  grouping: Grouping;

  constructor(
    readonly schedule: Schedule,
    private readonly tasks: Tasks,
    private readonly view: View,
    private readonly calendar: Calendar,
    grouping: Grouping,
    label: string,
  ) {
    this.grouping = grouping;
    this.canvas = document.createElement("canvas");
    this.canvas.className = "gantt";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", label);
    this.context = this.canvas.getContext("2d")!;
    const r = schedule.rect;
    this.latest = new Float64Array(Math.ceil(r.count / BLOCK));
    for (let b = 0; b < this.latest.length; b++) {
      let end = -Infinity;
      for (let i = b * BLOCK; i < Math.min((b + 1) * BLOCK, r.count); i++) if (r.end[i] > end) end = r.end[i];
      this.latest[b] = end;
    }
    this.listen();
  }

  setGrouping(g: Grouping): void {
    this.grouping = g;
    this.bins = null;
  }

  /** Seconds to pixels. */
  private x(t: number): number {
    return LEFT + ((t - this.view.from) / (this.view.to - this.view.from)) * (this.width - LEFT);
  }

  /** Pixels to seconds. */
  timeAt(x: number): number {
    return this.view.from + ((x - LEFT) / (this.width - LEFT)) * (this.view.to - this.view.from);
  }

  private field(): number {
    return this.height - AXIS;
  }

  /** The upper edge of lanes: hosts stand as in a list, the first on top; processor 0 is the lowest. */
  private top(first: number, count: number): number {
    const lane = this.field() / this.schedule.lanes;
    return this.schedule.hostLane ? first * lane : this.field() - (first + count) * lane;
  }

  /** The first rectangle that starts at `t` ticks or later. */
  private firstFrom(t: number): number {
    const start = this.schedule.rect.start;
    let low = 0;
    let high = start.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (start[middle] < t) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Each rectangle that overlaps a stretch of ticks. Return false to stop. */
  private each(from: number, to: number, f: (i: number) => boolean | void): void {
    const r = this.schedule.rect;
    const end = this.firstFrom(to);
    for (let b = 0; b * BLOCK < end; b++) {
      if (this.latest[b] <= from) continue;
      const stop = Math.min((b + 1) * BLOCK, end);
      for (let i = b * BLOCK; i < stop; i++) if (r.end[i] > from && f(i) === false) return;
    }
  }

  private count(from: number, to: number): number {
    let n = 0;
    this.each(from, to, () => (n++ < MANY ? undefined : false));
    return n;
  }

  draw(): void {
    const ratio = devicePixelRatio || 1;
    const box = this.canvas.getBoundingClientRect();
    if (box.width === 0) return;
    this.width = box.width;
    this.height = box.height;
    if (this.canvas.width !== Math.round(box.width * ratio) || this.canvas.height !== Math.round(box.height * ratio)) {
      this.canvas.width = Math.round(box.width * ratio);
      this.canvas.height = Math.round(box.height * ratio);
    }
    const c = this.context;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, this.width, this.height);
    c.fillStyle = isDark() ? "#1d1f22" : "#f6f6f4";
    c.fillRect(LEFT, 0, this.width - LEFT, this.field());
    const from = this.view.from / this.schedule.tick;
    const to = this.view.to / this.schedule.tick;
    this.drawAxis();
    this.drawShades();
    const n = this.count(from, to);
    this.isDetailed = n <= FEW;
    c.save();
    c.beginPath();
    c.rect(LEFT, 0, this.width - LEFT, this.field());
    c.clip();
    if (this.isDetailed) this.drawRectangles(from, to);
    else this.drawAreas(from, to, n > MANY);
    this.drawLit();
    c.restore();
    this.drawLanes();
  }

  // ---- one by one ----

  private drawRectangles(from: number, to: number): void {
    const c = this.context;
    const s = this.schedule;
    const r = s.rect;
    const of = this.grouping.classes.get(s)!;
    const lane = this.field() / s.lanes;
    const paths: Path2D[] = Array.from({ length: CLASSES }, () => new Path2D());
    const held: Path2D[] = Array.from({ length: CLASSES }, () => new Path2D());
    const stopped = new Path2D();
    this.each(from, to, (i) => {
      const x = this.x(r.start[i] * s.tick);
      const w = this.x(r.end[i] * s.tick) - x;
      const y = this.top(r.lane[i], r.lanes[i]);
      const h = r.lanes[i] * lane;
      const gap = w > 3 && h > 3 ? 0.5 : 0;
      const path = r.kind[i] === STOPPED ? stopped : (r.kind[i] === HELD ? held : paths)[of[r.row[i]]];
      path.rect(x, y + gap, Math.max(w - gap, 0.6), Math.max(h - gap, 0.6));
    });
    paths.forEach((path, k) => {
      c.globalAlpha = this.view.lit.group >= 0 && this.view.lit.group !== k ? 0.15 : 1;
      c.fillStyle = areaOf(k);
      c.fill(path);
      c.globalAlpha *= 0.35; // suspended: it has its lanes, and does nothing
      c.fill(held[k]);
    });
    c.globalAlpha = 0.45;
    c.fillStyle = isDark() ? "#fff" : "#000";
    c.fill(stopped);
    c.globalAlpha = 1;
  }

  // ---- as areas ----

  /** How much of a column each class has, from rectangles: with attempts that were stopped, as utilisation is. */
  private columnsOf(from: number, to: number, columns: number): Float64Array[] {
    const out = Array.from({ length: CLASSES }, () => new Float64Array(columns + 1));
    const s = this.schedule;
    const r = s.rect;
    const of = this.grouping.classes.get(s)!;
    const scale = columns / (to - from);
    this.each(from, to, (i) => {
      addSpan(out[of[r.row[i]]], (r.start[i] - from) * scale, (r.end[i] - from) * scale, r.lanes[i]);
    });
    for (const sums of out) settle(sums);
    return out;
  }

  /** The same from bins of the whole run, which are counted once. */
  private columnsOfBins(from: number, to: number, columns: number): Float64Array[] {
    const s = this.schedule;
    this.bins ??= this.columnsOf(s.first, s.last, BINS);
    const scale = BINS / (s.last - s.first);
    return this.bins.map((bins) => {
      const out = new Float64Array(columns + 1);
      for (let x = 0; x < columns; x++) {
        const a = (from + ((to - from) * x) / columns - s.first) * scale;
        const b = (from + ((to - from) * (x + 1)) / columns - s.first) * scale;
        let sum = 0;
        const low = Math.max(Math.floor(a), 0);
        const high = Math.min(Math.max(Math.ceil(b), low + 1), BINS);
        for (let i = low; i < high; i++) sum += bins[i];
        out[x] = high > low ? sum / (high - low) : 0;
      }
      return out;
    });
  }

  private drawAreas(from: number, to: number, fromBins: boolean): void {
    const c = this.context;
    const columns = Math.max(Math.round(this.width - LEFT), 1);
    const of = fromBins ? this.columnsOfBins(from, to, columns) : this.columnsOf(from, to, columns);
    const scale = this.field() / this.schedule.lanes;
    const base = new Float64Array(columns);
    for (let k = 0; k < CLASSES; k++) {
      c.globalAlpha = this.view.lit.group >= 0 && this.view.lit.group !== k ? 0.15 : 1;
      c.fillStyle = areaOf(k);
      c.beginPath();
      for (let x = 0; x < columns; x++) {
        const h = of[k][x] * scale;
        if (h <= 0) continue;
        c.rect(LEFT + x, this.field() - base[x] - h, 1, h);
        base[x] += h;
      }
      c.fill();
    }
    c.globalAlpha = 1;
  }

  // ---- what is around and behind ----

  private drawAxis(): void {
    const c = this.context;
    const { step, at } = this.calendar.ticks(this.view.from, this.view.to, Math.max(Math.floor((this.width - LEFT) / 80), 2));
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "alphabetic";
    c.textAlign = "center";
    for (const t of at) {
      const x = Math.round(this.x(t)) + 0.5;
      c.strokeStyle = isDark() ? "#3a3d42" : "#dcdcd8";
      c.beginPath();
      c.moveTo(x, 0);
      c.lineTo(x, this.field());
      c.stroke();
      c.fillStyle = isDark() ? "#b9bcc2" : "#55585e";
      if (x > LEFT + 20 && x < this.width - 20) c.fillText(this.calendar.label(t, step), x, this.height - 7);
    }
  }

  /** Advance reservations, and hosts that were away. */
  private drawShades(): void {
    const c = this.context;
    const s = this.schedule;
    const lane = this.field() / s.lanes;
    const box = (from: number, to: number, first: number, count: number, style: string): void => {
      const x = Math.max(this.x(from * s.tick), LEFT);
      const end = Math.min(known(to) ? this.x(to * s.tick) : this.width, this.width);
      if (end <= x) return;
      c.fillStyle = style;
      c.fillRect(x, this.top(first, count), end - x, count * lane);
    };
    const reserved = s.columns.get("reserved_from");
    for (let i = 0; reserved && i < reserved.length; i++) {
      const of = (name: string): number => s.columns.get(name)![i];
      const style = of("reserved_kind") === 1 ? (isDark() ? "#3b3b3b" : "#d0d0d0") : isDark() ? "#24384d" : "#d5e4f3";
      if (of("reserved_count") === 0 || !s.hostLane) {
        const units = Math.min(of("reserved_units"), s.lanes);
        box(of("reserved_from"), of("reserved_to"), s.lanes - units, units, style);
      }
      for (let h = of("reserved_first"); s.hostLane && h < of("reserved_first") + of("reserved_count"); h++) {
        box(of("reserved_from"), of("reserved_to"), s.hostLane[h], s.hostLanes![h], style);
      }
    }
    const away = s.columns.get("away_from");
    for (let i = 0; away && s.hostLane && i < away.length; i++) {
      const host = s.columns.get("away_host")![i];
      const drains = s.columns.get("away_kind")![i] === 1;
      const style = drains ? (isDark() ? "#33312a" : "#e8e4d8") : isDark() ? "#4a4a4a" : "#c4c4c4";
      box(away[i], s.columns.get("away_to")![i], s.hostLane[host], s.hostLanes![host], style);
    }
  }

  private drawLanes(): void {
    const c = this.context;
    const s = this.schedule;
    c.fillStyle = isDark() ? "#b9bcc2" : "#55585e";
    c.font = "11px system-ui, sans-serif";
    c.textAlign = "right";
    if (!s.hostLane || !s.hostLanes || !this.isDetailed) {
      c.fillText(s.lanes.toLocaleString("en-US"), LEFT - 6, 11);
      c.fillText("0", LEFT - 6, this.field() - 2);
      return;
    }
    let free = -3;
    for (let h = 0; h < s.hosts.length; h++) {
      const middle = this.top(s.hostLane[h] + s.hostLanes[h] / 2, 0) + 4;
      if (middle < free + 12 || middle > this.field()) continue;
      free = middle;
      const name = s.hosts[h];
      c.fillText(name.length > 8 ? `${name.slice(0, 7)}…` : name, LEFT - 6, middle);
    }
  }

  /** The task that is lit: its wait as a line, its run as a frame. */
  private drawLit(): void {
    const task = this.view.lit.task;
    const s = this.schedule;
    const row = task ? this.tasks.rowIn(s, task) : -1;
    if (row < 0) return;
    const c = this.context;
    const lane = this.field() / s.lanes;
    const r = s.rect;
    const ink = isDark() ? "#ffffff" : "#000000";
    let top = this.field() / 2;
    c.strokeStyle = ink;
    c.lineWidth = 2;
    this.each(s.submit[row], (known(s.end[row]) ? s.end[row] : s.last) + 1, (i) => {
      if (r.row[i] !== row) return;
      const x = this.x(r.start[i] * s.tick);
      const y = this.top(r.lane[i], r.lanes[i]);
      c.strokeRect(x, y, Math.max(this.x(r.end[i] * s.tick) - x, 2), Math.max(r.lanes[i] * lane, 2));
      top = y + (r.lanes[i] * lane) / 2;
    });
    const begin = this.x(s.submit[row] * s.tick);
    const end = known(s.start[row]) ? this.x(s.start[row] * s.tick) : this.width;
    c.setLineDash([4, 3]);
    c.beginPath();
    c.moveTo(begin, top);
    c.lineTo(end, top);
    c.stroke();
    c.setLineDash([]);
    c.beginPath();
    c.arc(begin, top, 3, 0, 7);
    c.fillStyle = ink;
    c.fill();
    c.lineWidth = 1;
  }

  // ---- hands ----

  /** The row of the task under a point; null where there is none, or areas are drawn. */
  rowAt(x: number, y: number): number | null {
    if (!this.isDetailed || x < LEFT || y > this.field()) return null;
    const s = this.schedule;
    const r = s.rect;
    const t = this.timeAt(x) / s.tick;
    const near = ((this.view.to - this.view.from) / s.tick / (this.width - LEFT)) * 1.5;
    const share = y / this.field();
    const lane = (s.hostLane ? share : 1 - share) * s.lanes;
    let found: number | null = null;
    this.each(t - near, t + near, (i) => {
      if (lane < r.lane[i] || lane >= r.lane[i] + r.lanes[i]) return;
      found = r.row[i];
      if (r.start[i] <= t && r.end[i] > t) return false;
      return;
    });
    return found;
  }

  private listen(): void {
    let drag: { x: number; from: number; to: number; moved: boolean } | null = null;
    const canvas = this.canvas;
    canvas.addEventListener("pointerdown", (e) => {
      drag = { x: e.offsetX, from: this.view.from, to: this.view.to, moved: false };
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener("pointermove", (e) => {
      if (!drag) {
        canvas.dispatchEvent(new CustomEvent("point", { detail: { row: this.rowAt(e.offsetX, e.offsetY), x: e.clientX, y: e.clientY } }));
        return;
      }
      if (Math.abs(e.offsetX - drag.x) > 3) drag.moved = true;
      if (!drag.moved) return;
      const by = ((drag.x - e.offsetX) / (this.width - LEFT)) * (drag.to - drag.from);
      this.view.show(drag.from + by, drag.to + by);
    });
    canvas.addEventListener("pointerup", (e) => {
      if (drag && !drag.moved) canvas.dispatchEvent(new CustomEvent("choose", { detail: { row: this.rowAt(e.offsetX, e.offsetY) } }));
      drag = null;
    });
    canvas.addEventListener("pointerleave", () => canvas.dispatchEvent(new CustomEvent("point", { detail: { row: null, x: 0, y: 0 } })));
    canvas.addEventListener("dblclick", (e) => this.view.zoom(0.25, this.timeAt(e.offsetX)));
    canvas.addEventListener(
      "wheel",
      (e) => {
        if (!e.ctrlKey && !e.metaKey && !e.shiftKey) return; // the page scrolls
        e.preventDefault();
        if (e.shiftKey) this.view.pan((e.deltaY + e.deltaX) / 1000);
        else this.view.zoom(Math.exp(e.deltaY / 300), this.timeAt(e.offsetX));
      },
      { passive: false },
    );
    canvas.addEventListener("keydown", (e) => {
      const keys: Record<string, () => void> = {
        ArrowLeft: () => this.view.pan(-0.2),
        ArrowRight: () => this.view.pan(0.2),
        "+": () => this.view.zoom(0.5),
        "=": () => this.view.zoom(0.5),
        "-": () => this.view.zoom(2),
        "0": () => this.view.reset(),
        Home: () => this.view.reset(),
        Escape: () => {
          this.view.lit.task = null;
          this.view.changed();
        },
      };
      const f = keys[e.key];
      if (!f) return;
      e.preventDefault();
      f();
    });
  }
}

/** Add `height` over [from, to) to a row of columns, by its parts in each. Differences at whole columns are summed up
 *  by settle(). */
export function addSpan(sums: Float64Array, from: number, to: number, height: number): void {
  const n = sums.length - 1;
  const a = Math.max(from, 0);
  const b = Math.min(to, n);
  if (b <= a) return;
  const first = Math.floor(a);
  const last = Math.min(Math.floor(b), n);
  // A step up spread over the column that it is in: (1 - part) there, the rest in the next one.
  sums[first] += height * (first + 1 - a);
  if (first + 1 <= n) sums[first + 1] += height * (a - first);
  if (last < n) {
    sums[last] -= height * (last + 1 - b);
    sums[last + 1] -= height * (b - last);
  }
}

export function settle(sums: Float64Array): void {
  let level = 0;
  for (let i = 0; i < sums.length; i++) sums[i] = level += sums[i];
}
