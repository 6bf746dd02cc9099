// data.ts -- what the command put into the page: its head (texts, tables, figures) and the schedules as columns.
//
// Columns are as src/output/packed.h of the project describes them. They are decoded once, into the narrowest typed
// array that holds them; what is not known is `missing` (the lowest number of an Int32Array, NaN of a Float64Array).

import { decompress } from "fzstd";

/** A table as the command prints it: what a program reads and what people read, for each cell. */
export interface Table {
  title: string;
  note?: string;
  columns: { name: string; title: string; right: boolean }[];
  /** Cells: [plain, human]; plain is empty where there is nothing. */
  rows: [string, string][][];
}

export interface RunHead {
  name: string;
  path: string;
  digest: string;
  tasks: number;
  /** Whether the schedule was checked from its records: "holds", "refuted", or why it was not looked at. */
  verified: { state: "holds" | "refuted" | "open"; text: string };
  /** Unix time of virtual time 0, s; null if the log does not say. */
  unix_start: number | null;
  zone: string | null;
  zone_offset: number;
  /** Figures of the summary whose charts need a number. */
  figures: Record<string, number | null>;
  /** Of a run that was made in the page. */
  units?: Record<string, string>;
  columns: string | null;
}

/** Means of a figure by one axis, or by two: the second runs fastest. */
export interface StudyCells {
  figure: number;
  rows: number;
  columns: number | null;
  /** 1: more is better, -1: less is; 0: neither. */
  direction: number;
  /** Samples, mean, bounds of its interval, all of it as text, parts that it is a mean of, points that are missing. */
  cells: [number, number | null, number | null, number | null, string, number, number][];
}

export interface StudyHead {
  /** The figure that is shown first. */
  first: number;
  axes: { name: string; shown: boolean; labels: string[] }[];
  figures: { name: string; unit: string }[];
  tables: StudyCells[];
  differences: Table[];
  claims: Table | null;
}

/** What every page has. */
export interface Head {
  format: string;
  title: string;
  sentence: string[];
  made: string;
  command: string;
}

export interface StudyPage extends Head {
  study: StudyHead;
}

/** Seconds from the run's origin, what happened; and of a line that says for when its start is promised, when: s from there. */
export type StoryLine = [at: number, text: string, promised?: number];

/** Why a task waited, in one of the runs. */
export interface Story {
  run: number;
  serial: number;
  first: StoryLine[];
  /** How many lines were left out between these and the last ones. */
  cut: number;
  last: StoryLine[];
}

/** What a metric of a run kept over time. */
export interface KeptTable {
  run: number;
  name: string;
  /** Name and unit of each value. */
  columns: [string, string][];
  /** From and until when, in seconds from the run's origin (null: until it ended), and the values. */
  rows: (number | null)[][];
}

export interface RunsPage extends Head {
  runs: RunHead[];
  figures: Table;
  paired: Table | null;
  /** null: all runs are made in the page. */
  alone: Table | null;
  stories: Story[];
  kept: KeptTable[];
  groups: { word: string; title: string; against: string; table: Table; counts: string }[];
  honesty: { title: string; text?: string[]; table?: Table }[];
  /** For a paper: a paragraph of each run. */
  methods: string[];
}

interface PackedColumn {
  name: string;
  count: number;
  low: number;
  width: number;
  delta: boolean;
  missing: boolean;
  deflated: boolean;
  data: string;
}

interface PackedSchedule {
  format: string;
  tasks: number;
  tick: number;
  /** When the run ended, in ticks: tasks that still ran are drawn until then. */
  end: number;
  units_a_processor: number;
  lanes: number;
  lane_amount: number;
  dimension: number;
  hosts: string[];
  names: Record<string, [number, string | null][]>;
  titles: Record<string, string>;
  task_names?: (string | null)[];
  columns: PackedColumn[];
}

export type Column = Int32Array | Float64Array;
export const MISSING = -0x80000000;

/** Whether a value of a column is known. */
export function known(x: number): boolean {
  return x === x && x !== MISSING;
}

/** The schedule of one run. Times are in ticks of `tick` seconds from the origin of the page's first run. */
export interface Schedule {
  tasks: number;
  tick: number;
  unitsAProcessor: number;
  lanes: number;
  /** Processors, or what stands for them, that all lanes are. */
  capacity: number;
  hosts: string[];
  hostLane: Column | null;
  hostLanes: Column | null;
  names: Map<string, Map<number, string>>;
  titles: Record<string, string>;
  taskNames: (string | null)[] | null;
  columns: Map<string, Column>;
  submit: Column;
  /** Start of each task; missing if it did not start. */
  start: Column;
  end: Column;
  units: Column;
  /** Rectangles, in the order of their starts. */
  rect: { count: number; row: Column; start: Float64Array; end: Float64Array; lane: Column; lanes: Column; kind: Column };
  first: number;
  last: number;
}

export type Packing = CompressionFormat | "zstd";

/** What was packed. Browsers unpack deflate and gzip; zstd, in which an engine takes a tenth less, is unpacked by the page. */
export async function unpacked(bytes: Uint8Array<ArrayBuffer>, packing: Packing): Promise<Uint8Array> {
  if (packing === "zstd") return decompress(bytes);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(packing));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  // Browsers of 2025 and later have it built in, ten times as fast.
  const builtIn = (Uint8Array as unknown as { fromBase64?: (t: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (builtIn) return builtIn.call(Uint8Array, text);
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

/** What is written of each number: its bytes, lowest first, lie in planes. */
function codes(bytes: Uint8Array, n: number, width: number): Float64Array | Uint32Array {
  if (width > 4) {
    const out = new Float64Array(n);
    for (let p = width - 1; p >= 0; p--) for (let i = 0, b = p * n; i < n; i++) out[i] = out[i] * 256 + bytes[b + i];
    return out;
  }
  const out = new Uint32Array(n);
  for (let p = 0; p < width; p++) {
    const factor = 256 ** p;
    for (let i = 0, b = p * n; i < n; i++) out[i] += bytes[b + i] * factor;
  }
  return out;
}

/** Numbers of a column; exact up to 2^53. */
async function decode(c: PackedColumn): Promise<Column> {
  const n = c.count;
  const packed = bytesOf(c.data);
  const bytes = c.deflated ? await unpacked(packed, "deflate") : packed;
  if (bytes.length !== n * c.width) throw new Error(`column ${c.name}: ${bytes.length} bytes for ${n} numbers`);
  const code = codes(bytes, n, c.width);
  const out = new Float64Array(n);
  let high = -Infinity;
  let low = Infinity;
  let x = 0;
  for (let i = 0; i < n; i++) {
    const k = code[i];
    if (c.delta) x += k % 2 === 0 ? k / 2 : -(k + 1) / 2;
    else x = k + c.low;
    out[i] = x;
    if (x > high) high = x;
    if (x < low) low = x;
  }
  const narrow = low >= -0x7fffffff && high <= 0x7fffffff;
  if (c.missing) for (let i = 0; i < n; i++) if (out[i] === c.low) out[i] = narrow ? MISSING : NaN;
  return narrow ? Int32Array.from(out) : out;
}

/** Sum of two columns, or of a column and a number; missing where one of them is. */
function plus(a: Column, b: Column | number): Float64Array {
  const out = new Float64Array(a.length);
  for (let i = 0; i < a.length; i++) {
    const by = typeof b === "number" ? b : b[i];
    out[i] = known(a[i]) && known(by) ? a[i] + by : NaN;
  }
  return out;
}

function zeros(n: number): Int32Array {
  return new Int32Array(n);
}

/** The columns that are times, but for those of tasks and rectangles that are told from another time. */
const instants = ["submit", "away_from", "away_to", "reserved_from", "reserved_to"];

/** @param later  how much later than the page's first run this one begins, s */
export async function readSchedule(text: string, later: number): Promise<Schedule> {
  const p = JSON.parse(text) as PackedSchedule;
  const shift = later / (p.tick / 1e9);
  const columns = new Map<string, Column>();
  for (const c of p.columns) {
    const column = await decode(c);
    columns.set(c.name, shift !== 0 && instants.includes(c.name) ? plus(column, shift) : column);
    c.data = "";
  }
  const runEnd = p.end + shift;
  const of = (name: string, count: number): Column => columns.get(name) ?? zeros(count);
  const none = (): Float64Array => new Float64Array(p.tasks).fill(NaN);
  const submit = of("submit", p.tasks);
  const start = columns.has("wait") ? plus(submit, of("wait", p.tasks)) : none();
  const end = columns.has("held") ? plus(start, of("held", p.tasks)) : none();
  const row = of("row", 0);
  const count = row.length;
  const from = of("from", count);
  const to = of("to", count);
  const rectStart = new Float64Array(count);
  const rectEnd = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const task = row[i];
    rectStart[i] = (known(start[task]) ? start[task] : submit[task]) + from[i];
    rectEnd[i] = (known(end[task]) ? end[task] : runEnd) + to[i];
  }
  let first = Infinity;
  for (let i = 0; i < p.tasks; i++) if (known(submit[i]) && submit[i] < first) first = submit[i];
  const names = new Map<string, Map<number, string>>();
  for (const [kind, list] of Object.entries(p.names)) {
    names.set(kind, new Map(list.map(([number, name]) => [number, name ?? String(number)])));
  }
  return {
    tasks: p.tasks,
    tick: p.tick / 1e9,
    unitsAProcessor: p.units_a_processor,
    lanes: Math.max(p.lanes, 1),
    capacity: (p.lanes * p.lane_amount) / p.units_a_processor,
    hosts: p.hosts,
    hostLane: columns.get("host_lane") ?? null,
    hostLanes: columns.get("host_lanes") ?? null,
    names,
    titles: p.titles,
    taskNames: p.task_names ?? null,
    columns,
    submit,
    start,
    end,
    units: of("units", p.tasks),
    rect: { count, row, start: rectStart, end: rectEnd, lane: of("lane", count), lanes: of("lanes", count), kind: of("kind", count) },
    first: Number.isFinite(first) ? first : 0,
    last: p.tasks > 0 ? runEnd : 1,
  };
}

/** What a number of a column is called. */
export function nameOf(s: Schedule, kind: string, number: number): string {
  if (!known(number)) return "not known";
  return s.names.get(kind)?.get(number) ?? String(number);
}

export function taskName(s: Schedule, row: number): string {
  const name = s.taskNames?.[row];
  if (name) return name;
  const id = s.columns.get("id")?.[row];
  return id !== undefined && known(id) ? String(id) : `#${s.columns.get("serial")?.[row] ?? row}`;
}
