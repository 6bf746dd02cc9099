// engine.ts -- runs again, in the page: what can be changed, the worker that runs it, and what came of each.
//
// There is such a section only where the command put an engine and inputs into the page. They are unpacked when the
// first run is asked for. Every value goes to the engine as a text, which it reads as the command reads `--set`; what it
// refuses is shown in its words. Figures of such a run are the engine's; nothing of it is kept.

import { bytesOf, inflate, type RunHead, type Table } from "./data";
import { button, copyButton, el, nameText } from "./dom";
import { count, span } from "./format";

declare const WORKER: string; // the text of the worker: build.mjs

export type Question =
  | { kind: "load"; engine: Uint8Array; inputs: [string, Uint8Array][] }
  | { kind: "run"; base: number; file: string; config: string; inputs: number[]; assignments: string[]; figures: string[] };

export type Answer =
  | { kind: "progress"; share: number }
  | { kind: "done"; schedule: string; digest: string; figures: Record<string, number>; columns: string; took: number }
  | { kind: "failed"; text: string; dead: boolean };

type Done = Extract<Answer, { kind: "done" }>;

interface Base {
  /** Which run of the page it is. */
  run: number;
  /** Digest of its schedule, as the command computed it. */
  schedule: string;
  processors: number;
  config: string;
  inputs: number[];
  /** Paths and values of its configuration. */
  keys: [string, string][];
}

interface WhatIf {
  file: string;
  settings: string[];
  inputs: string[];
  policies: [string, string][];
  orders: [string, string][];
  selects: [string, string][];
  bases: Base[];
}

/** What the page does with what comes of a run. */
export interface Stage {
  runs(): RunHead[];
  /** Show one more run. @param like  which of the page's runs it is a change of */
  add(head: RunHead, columns: string, like: number): Promise<void>;
  remove(head: RunHead): void;
}

// ---- the worker ----

async function unpack(id: string): Promise<Uint8Array> {
  const script = document.getElementById(id)!;
  return inflate(bytesOf(script.textContent!.trim()), script.dataset.packing as CompressionFormat);
}

class Engine {
  private worker: Worker | null = null;
  private unpacked: Promise<[Uint8Array, [string, Uint8Array][]]> | null = null;
  private stop: ((why: string) => void) | null = null;

  constructor(private readonly what: WhatIf) {}

  private async start(): Promise<Worker> {
    this.unpacked ??= Promise.all([unpack("engine"), Promise.all(this.what.inputs.map(async (name, i): Promise<[string, Uint8Array]> => [name, await unpack(`input-${i}`)]))]);
    const [engine, inputs] = await this.unpacked;
    const address = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
    const worker = new Worker(address);
    URL.revokeObjectURL(address);
    worker.postMessage({ kind: "load", engine, inputs } satisfies Question);
    return worker;
  }

  /** One run. Rejects with the engine's text, or when it is cancelled. */
  async run(base: Base, assignments: string[], figures: string[], progress: (share: number) => void): Promise<Done> {
    let cancelled = false;
    this.stop = () => (cancelled = true);
    const worker = (this.worker ??= await this.start());
    if (cancelled) throw new Error("cancelled");
    return new Promise((done, failed) => {
      this.stop = (why) => {
        worker.terminate();
        this.worker = null;
        failed(new Error(why));
      };
      worker.onerror = (e) => this.stop!(e.message || "the engine could not be started");
      worker.onmessage = (e: MessageEvent<Answer>) => {
        const a = e.data;
        if (a.kind === "progress") progress(a.share);
        else if (a.kind === "done") done(a);
        else if (a.dead) this.stop!(`the engine stopped: ${a.text}; the next run begins with a new one`);
        else failed(new Error(a.text));
      };
      const { file, settings } = this.what;
      const { config, inputs } = base;
      worker.postMessage({ kind: "run", base: base.run, file, config, inputs, assignments: [...settings, ...assignments], figures } satisfies Question);
    });
  }

  cancel(): void {
    this.stop?.("cancelled");
  }
}

// ---- what is changed ----

function valueOf(base: Base, path: string): string {
  return base.keys.find(([p]) => p === path)?.[1] ?? "";
}

/** Keys that say how large the machine is, with what they are; null: it is in a file. */
function sizesOf(base: Base): [string, number][] | null {
  const cell = valueOf(base, "cell");
  if (cell === "auto" || cell === "count" || cell === "intervals") return base.processors > 0 ? [["cell.procs", base.processors]] : null;
  if (cell !== "hosts") return null;
  return base.keys.filter(([p]) => /^cell\.classes\.\d+\.count$/.test(p)).map(([p, v]) => [p, Number(v)]);
}

/** The place of one more transform, behind those that there are, in the configuration or in the lines. */
function nextTransform(base: Base, lines: string): string {
  const paths = [...base.keys.map(([p]) => p), ...lines.split("\n")];
  const places = paths.map((p) => /^\s*transforms\.(\d+)/.exec(p)).filter((m) => m !== null);
  return `transforms.${Math.max(-1, ...places.map((m) => Number(m[1]))) + 1}`;
}

/** Changes that no key of the configuration stands for yet. */
function furtherOf(base: Base, lines: string): [string, string][] {
  const next = nextTransform(base, lines);
  return [
    [`${next}={use: clamp, limit: 12h}`, "no limit above 12 h"],
    [`${next}={use: estimates, model: exact}`, "limits that are the run times"],
    [`${next}={use: scale, factor: 1.2, method: run}`, "run times and limits × 1.2"],
  ];
}

interface Change {
  name: string;
  assignments: string[];
}

interface Fields {
  policy: HTMLSelectElement;
  order: HTMLSelectElement;
  select: HTMLSelectElement;
  machine: HTMLInputElement;
  load: HTMLInputElement;
  lines: HTMLTextAreaElement;
}

function factorOf(box: HTMLInputElement): number {
  const x = Number(box.value);
  if (!(x > 0) || !Number.isFinite(x)) throw new Error(`${box.getAttribute("aria-label")}: expected a factor above 0, such as 1.5, got "${box.value}"`);
  return x;
}

/** The assignments that the fields stand for, in the order in which they are laid, and a name for them. */
function changeOf(base: Base, f: Fields): Change {
  const assignments: string[] = [];
  const words: string[] = [];
  const isBatch = valueOf(base, "policy") === "batch";
  const order = f.order.value || (isBatch ? valueOf(base, "policy.order") : "fcfs");
  const select = f.select.value || (isBatch ? valueOf(base, "policy.select") : "easy");
  if (f.policy.value === "batch") {
    assignments.push(`policy={use: batch, order: ${order}, select: ${select}}`);
    words.push(`${order}+${select}`);
  } else if (f.policy.value) {
    assignments.push(`policy=${f.policy.value}`);
    words.push(f.policy.value);
  } else {
    if (f.order.value) assignments.push(`policy.order=${order}`);
    if (f.select.value) assignments.push(`policy.select=${select}`);
    if (f.order.value || f.select.value) words.push(`${order}+${select}`);
  }
  const machine = factorOf(f.machine);
  if (machine !== 1) {
    for (const [path, size] of sizesOf(base) ?? []) assignments.push(`${path}=${Math.max(1, Math.round(size * machine))}`);
    words.push(`machine × ${machine}`);
  }
  for (const line of f.lines.value.split("\n").map((l) => l.trim())) {
    if (!line) continue;
    if (!/^[^=\s]+\s*=/.test(line)) throw new Error(`"${line}": expected PATH=VALUE, such as policy.select=conservative`);
    assignments.push(line.replace(/\s*=\s*/, "="));
    words.push(line);
  }
  const load = factorOf(f.load);
  if (load !== 1) {
    assignments.push(`${nextTransform(base, f.lines.value)}={use: scale, factor: ${load}}`);
    words.push(`load × ${load}`);
  }
  return { name: words.join(", ") || "as it was", assignments };
}

// ---- the section ----

function choice(id: string, label: string, first: string, list: [string, string][]): HTMLSelectElement {
  const box = el("select", { id, "aria-label": label }, el("option", { value: "" }, first));
  for (const [name, summary] of list) box.append(el("option", { value: name, title: summary }, `${name}: ${summary.length > 70 ? `${summary.slice(0, 69)}…` : summary}`));
  return box;
}

function factor(id: string, label: string): HTMLInputElement {
  return el("input", { id, type: "number", min: "0.01", step: "any", value: "1", "aria-label": label, class: "factor" });
}

function quoted(text: string): string {
  return /^[\w./@:+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A number of a figure as tables of the page have them. */
function human(x: number): string {
  if (Number.isInteger(x)) return count(x);
  const digits = Math.abs(x) >= 1000 ? 1 : Math.abs(x) >= 10 ? 2 : 4;
  return x.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** The table of figures with a column for each run that was made here, in front of the unit. */
export function withFigures(t: Table, made: RunHead[]): Table {
  const at = t.columns.length - 1;
  const insert = <T>(list: T[], items: T[]): T[] => [...list.slice(0, at), ...items, ...list.slice(at)];
  return {
    ...t,
    columns: insert(t.columns, made.map((r) => ({ name: r.name, title: r.name, right: true }))),
    rows: t.rows.map((row) =>
      insert(row, made.map((r): [string, string] => {
        const x = r.figures[row[0][0]];
        return x === undefined || x === null || !Number.isFinite(x) ? ["", ""] : [String(x), human(x)];
      })),
    ),
  };
}

function headOf(name: string, like: RunHead, d: Done): RunHead {
  return {
    ...like,
    name,
    path: `${name}.db`,
    digest: d.digest,
    tasks: d.figures["tasks"],
    verified: { state: "open", text: "made in this page; the command verifies schedules" },
    figures: Object.fromEntries(Object.entries(d.figures).map(([k, x]) => [k, Number.isFinite(x) ? x : null])),
    columns: null,
  };
}

/** The section, or null where the page has no engine. */
export function whatIf(stage: Stage): HTMLElement[] | null {
  const script = document.getElementById("what-if");
  if (!script) return null;
  const what = JSON.parse(script.textContent!) as WhatIf;
  const engine = new Engine(what);
  const first = stage.runs();
  let base = what.bases[0];
  const names = new Map<string, number>();
  const bases = el("select", { id: "what-if-base" });
  what.bases.forEach((b, i) => bases.append(el("option", { value: String(i) }, first[b.run].name)));
  const fields: Fields = {
    policy: choice("what-if-policy", "policy", "as it was", what.policies),
    order: choice("what-if-order", "order of the queue", "order as it was", what.orders),
    select: choice("what-if-select", "who may start", "selector as it was", what.selects),
    machine: factor("what-if-machine", "size of the machine, as a factor"),
    load: factor("what-if-load", "load, as a factor"),
    lines: el("textarea", { id: "what-if-lines", rows: "3", spellcheck: "false", "aria-label": "keys, PATH=VALUE, one a line", placeholder: "any key of the run, one a line: policy.select.depth=8" }),
  };
  const keys = el("select", { id: "what-if-keys", "aria-label": "a key of the configuration, to change" });
  const progress = el("progress", { max: "1", value: "0", hidden: "", "aria-label": "how far the run is" });
  const said = el("p", { role: "status", class: "quiet" });
  const failed = el("p", { role: "alert", class: "refuted" });
  const made = el("ol", { class: "made" });
  const go = button("run", () => void carryOut(), "make the run again with these changes");
  const cancel = button("cancel", () => engine.cancel(), "end the run that is being made");
  go.id = "what-if-run";
  cancel.id = "what-if-cancel";
  cancel.disabled = true;

  function show(): void {
    base = what.bases[Number(bases.value)];
    const isBatch = fields.policy.value === "batch" || (!fields.policy.value && valueOf(base, "policy") === "batch");
    for (const box of [fields.order, fields.select]) {
      box.disabled = !isBatch;
      if (!isBatch) box.value = "";
    }
    const sizes = sizesOf(base);
    fields.machine.disabled = sizes === null;
    fields.machine.title = sizes === null ? "this machine is described in a file; a key below may change it" : sizes.map(([p, n]) => `${p} ${count(n)}`).join(", ");
    if (sizes === null) fields.machine.value = "1";
  }
  function listKeys(): void {
    const further = furtherOf(base, fields.lines.value).map(([line, what]) => el("option", { value: line }, what));
    keys.replaceChildren(el("option", { value: "" }, "a limit, a key ..."), el("optgroup", { label: "changes of the workload" }, ...further), ...base.keys.map(([p, v]) => el("option", { value: `${p}=${v}` }, `${p} = ${v.length > 40 ? `${v.slice(0, 39)}…` : v}`)));
  }
  fields.lines.addEventListener("change", listKeys);
  bases.addEventListener("change", () => {
    show();
    listKeys();
  });
  fields.policy.addEventListener("change", show);
  keys.addEventListener("change", () => {
    if (!keys.value) return;
    fields.lines.value = `${fields.lines.value.trimEnd()}${fields.lines.value.trim() ? "\n" : ""}${keys.value}`;
    listKeys(); // the next transform has the next place
    fields.lines.focus();
  });
  bases.value = "0";
  show();
  listKeys();

  /** One name for one run: a second of the same name has a number. */
  function nameFor(change: Change): string {
    const n = (names.get(change.name) ?? 0) + 1;
    names.set(change.name, n);
    return n === 1 ? change.name : `${change.name} (${n})`;
  }

  function note(head: RunHead, like: Base, change: Change, d: Done): void {
    const same = d.schedule === like.schedule;
    const sets = change.assignments.map((a) => ` --set ${quoted(a)}`).join("");
    const item = el(
      "li",
      {},
      nameText(head.name, 100),
      `: ${count(head.tasks)} tasks in ${(d.took / 1000).toFixed(2)} s, mean wait ${span(d.figures["wait_mean"])}, schedule `,
      el("code", { class: "digest" }, d.schedule),
      same ? `, which is that of ${first[like.run].name}` : "",
      same || change.assignments.length > 0 ? null : el("b", { class: "refuted" }, `, which is not that of ${first[like.run].name}: this engine is of another version`),
      ". ",
      copyButton("copy the run file", () => like.config, "the configuration that it is a change of, as `hindcast run` takes it"),
      " ",
      copyButton("copy the command", () => `hindcast run ${quoted(what.file)}${sets}`, "the same by the command, with that run file"),
      " ",
      button("take away", () => {
        stage.remove(head);
        item.remove();
      }, "take this run out of the page"),
    );
    item.dataset.schedule = d.schedule;
    item.dataset.took = String(d.took);
    made.append(item);
  }

  async function carryOut(): Promise<void> {
    failed.textContent = "";
    said.textContent = "";
    go.disabled = true;
    cancel.disabled = false;
    progress.hidden = false;
    progress.removeAttribute("value");
    try {
      const like = base;
      const change = changeOf(like, fields);
      const d = await engine.run(like, change.assignments, Object.keys(first[like.run].figures), (share) => {
        if (Number.isFinite(share)) progress.value = share;
      });
      const head = headOf(nameFor(change), first[like.run], d);
      cancel.disabled = true;
      await stage.add(head, d.columns, like.run);
      note(head, like, change, d);
    } catch (e) {
      const text = e instanceof Error ? e.message : String(e);
      if (text === "cancelled") said.textContent = "The run was cancelled; nothing of it is shown.";
      else failed.textContent = text;
    }
    progress.hidden = true;
    cancel.disabled = true;
    go.disabled = false;
  }

  const label = (text: string, box: HTMLElement): HTMLElement => el("label", {}, `${text} `, box);
  return [
    el("p", { class: "quiet" }, "This page holds the engine and the inputs: it makes the run again with what is changed here, and shows it beside the others. Nothing is loaded or sent, and nothing is kept when the page is closed."),
    el("div", { class: "changes" }, what.bases.length > 1 ? label("Of", bases) : null, label("policy", fields.policy), fields.order, fields.select),
    el("div", { class: "changes" }, label("machine ×", fields.machine), label("load ×", fields.load), keys),
    fields.lines,
    el("div", { class: "changes" }, go, cancel, progress),
    said,
    failed,
    made,
  ];
}

