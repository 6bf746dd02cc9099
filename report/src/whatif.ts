// whatif.ts -- what can be changed of a run, the run that is then made in the page, and what came of each.
//
// The panel is that of a report that runs again (a change of one of its runs) and of the page that is the whole command (a
// change of the run file that is written there: try.ts). Figures of such a run are the engine's; nothing of it is kept.

import type { RunHead, Story, Table } from "./data";
import { button, copyButton, el, nameText, saveButton } from "./dom";
import { Engine, type Done, type RunOf } from "./engine";
import { count, human, span } from "./format";
import { STEPS_MOST } from "./steps";

/** A run that changes are made of. */
export interface Base {
  /** Name and text of its run file, and its inputs. */
  file: string;
  config: string;
  /** What a run without a change is called. */
  name: string;
  inputs: number[];
  /** Digest of its schedule, as the command computed it, and which run that is; null: it is not known. */
  known: { schedule: string; name: string } | null;
  processors: number;
  /** Paths and values of its configuration. */
  keys: [string, string][];
}

/** What there is to choose from, and what is set over each configuration. */
export interface Parts {
  settings: string[];
  inputs: string[];
  policies: [string, string][];
  orders: [string, string][];
  selects: [string, string][];
}

/** In a report that runs again. */
interface WhatIf extends Parts {
  file: string;
  bases: { run: number; schedule: string; processors: number; config: string; inputs: number[]; keys: [string, string][] }[];
}

/** One more run of the page. */
export interface Made {
  head: RunHead;
  columns: string;
  stories: Omit<Story, "run">[];
  processors: number;
  /** What is run again to ask more of it. */
  of: RunOf;
}

/** What the page does with what comes of a run. */
export interface Stage {
  add(made: Made): Promise<void>;
  remove(made: Made): Promise<void>;
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

export interface Change {
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
  return { name: words.join(", ") || base.name, assignments };
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

/** The same of runs that were all made here: whatever figure one of them has. */
export function figuresOf(made: RunHead[]): Table {
  const rows = new Map<string, string>();
  for (const r of made) for (const name of Object.keys(r.figures)) rows.set(name, r.units?.[name] ?? "");
  const columns = [
    { name: "figure", title: "figure", right: false },
    { name: "unit", title: "unit", right: false },
  ];
  return withFigures({ title: "Figures", columns, rows: [...rows].map(([name, unit]): [string, string][] => [[name, name], [unit, unit]]) }, made);
}

interface Found {
  hindcast: Record<string, string>;
  summary: { all?: Record<string, { value: number | null; unit: string }> };
}

/** What the result of a run says of itself: the export `json`. */
function headOf(name: string, d: Done): { head: RunHead; processors: number } {
  const { hindcast: facts, summary } = JSON.parse(d.result) as Found;
  const all = Object.entries(summary.all ?? {});
  const head: RunHead = {
    name,
    path: `${name}.db`,
    digest: d.digest,
    tasks: d.tasks,
    verified: { state: "open", text: "made in this page; the command verifies schedules" },
    unix_start: facts["unix_start"] === undefined ? null : Number(facts["unix_start"]),
    zone: facts["zone"] ?? null,
    zone_offset: Number(facts["zone_offset"] ?? 0),
    figures: Object.fromEntries(all.map(([k, f]) => [k, f.value])),
    units: Object.fromEntries(all.map(([k, f]) => [k, f.unit])),
    columns: null,
  };
  return { head, processors: Number(facts["processors"] ?? 0) };
}

/** The fields, the button and the list of runs. */
export class Panel {
  readonly nodes: (HTMLElement | null)[];
  private readonly fields: Fields;
  private readonly keys = el("select", { id: "what-if-keys", "aria-label": "a key of the configuration, to change" });
  private readonly progress = el("progress", { max: "1", value: "0", hidden: "", "aria-label": "how far the run is" });
  private readonly said = el("p", { role: "status", class: "quiet" });
  private readonly failed = el("pre", { role: "alert", class: "refuted" });
  private readonly list = el("ol", { class: "made" });
  private readonly go = button("run", () => void this.carryOut(), "make the run with these changes");
  private readonly cancel = button("cancel", () => this.engine.cancel(), "end the run that is being made");
  private readonly names = new Map<string, number>();
  private readonly made = new Map<Made, HTMLElement>();

  /** @param base  what changes are of just now
   *  @param chosen  a key was chosen from the list */
  constructor(
    private readonly engine: Engine,
    private readonly parts: Parts,
    private readonly stage: Stage,
    private readonly base: () => Base,
    chosen: (path: string) => void = () => {},
  ) {
    this.fields = {
      policy: choice("what-if-policy", "policy", "as it is", parts.policies),
      order: choice("what-if-order", "order of the queue", "order as it is", parts.orders),
      select: choice("what-if-select", "who may start", "selector as it is", parts.selects),
      machine: factor("what-if-machine", "size of the machine, as a factor"),
      load: factor("what-if-load", "load, as a factor"),
      lines: el("textarea", { id: "what-if-lines", rows: "3", spellcheck: "false", "aria-label": "keys, PATH=VALUE, one a line", placeholder: "any key of the run, one a line: policy.select.depth=8" }),
    };
    const { fields, keys } = this;
    this.go.id = "what-if-run";
    this.cancel.id = "what-if-cancel";
    this.cancel.disabled = true;
    fields.lines.addEventListener("change", () => this.listKeys());
    fields.policy.addEventListener("change", () => this.show());
    for (const box of [fields.policy, fields.order, fields.select]) box.addEventListener("change", () => box.value && chosen(box === fields.policy ? `policy/${box.value}` : box === fields.order ? `order/${box.value}` : `select/${box.value}`));
    keys.addEventListener("change", () => {
      if (!keys.value) return;
      chosen(keys.value.slice(0, keys.value.indexOf("=")));
      fields.lines.value = `${fields.lines.value.trimEnd()}${fields.lines.value.trim() ? "\n" : ""}${keys.value}`;
      this.listKeys(); // the next transform has the next place
      fields.lines.focus();
    });
    const label = (text: string, box: HTMLElement): HTMLElement => el("label", {}, `${text} `, box);
    this.nodes = [
      el("div", { class: "changes" }, label("policy", fields.policy), fields.order, fields.select),
      el("div", { class: "changes" }, label("machine ×", fields.machine), label("load ×", fields.load), keys),
      fields.lines,
      el("div", { class: "changes" }, this.go, this.cancel, this.progress),
      this.said,
      this.failed,
      this.list,
    ];
    this.refresh();
  }

  /** The base is another one, or has other keys. */
  refresh(): void {
    this.show();
    this.listKeys();
  }

  /** Nothing is changed any more. */
  clear(): void {
    const { policy, order, select, machine, load, lines } = this.fields;
    for (const box of [policy, order, select, lines]) box.value = "";
    machine.value = load.value = "1";
    this.say("");
    this.refuse("");
  }

  say(text: string): void {
    this.said.textContent = text;
  }

  refuse(text: string): void {
    this.failed.textContent = text;
  }

  private show(): void {
    const { fields } = this;
    const base = this.base();
    const isBatch = fields.policy.value === "batch" || (!fields.policy.value && (valueOf(base, "policy") === "batch" || base.keys.length === 0));
    for (const box of [fields.order, fields.select]) {
      box.disabled = !isBatch;
      if (!isBatch) box.value = "";
    }
    const sizes = sizesOf(base);
    fields.machine.disabled = sizes === null;
    fields.machine.title = sizes === null ? "this machine is described in a file; a key below may change it" : sizes.map(([p, n]) => `${p} ${count(n)}`).join(", ");
    if (sizes === null) fields.machine.value = "1";
  }

  private listKeys(): void {
    const base = this.base();
    const further = furtherOf(base, this.fields.lines.value).map(([line, what]) => el("option", { value: line }, what));
    this.keys.replaceChildren(el("option", { value: "" }, "a limit, a key ..."), el("optgroup", { label: "changes of the workload" }, ...further), ...base.keys.map(([p, v]) => el("option", { value: `${p}=${v}` }, `${p} = ${v.length > 40 ? `${v.slice(0, 39)}…` : v}`)));
  }

  /** One name for one run: a second of the same name has a number. */
  private nameFor(change: Change): string {
    const n = (this.names.get(change.name) ?? 0) + 1;
    this.names.set(change.name, n);
    return n === 1 ? change.name : `${change.name} (${n})`;
  }

  /** Take runs out of the page. */
  async takeAway(which: (m: Made) => boolean): Promise<number> {
    let n = 0;
    for (const [made, item] of this.made) {
      if (!which(made)) continue;
      this.made.delete(made);
      item.remove();
      await this.stage.remove(made);
      n++;
    }
    return n;
  }

  private note(made: Made, base: Base, change: Change, d: Done): void {
    const same = base.known !== null && d.schedule === base.known.schedule;
    const sets = change.assignments.map((a) => ` --set ${quoted(a)}`).join("");
    const { head } = made;
    const format = el("select", { "aria-label": "a format of the result" }, ...["csv", "json", "columns", "gantt", "swf"].map((f) => el("option", { value: f }, f)));
    const item = el(
      "li",
      {},
      nameText(head.name, 100),
      `: ${count(head.tasks)} tasks in ${(d.took / 1000).toFixed(2)} s, mean wait ${span(head.figures["wait_mean"] ?? NaN)}, schedule `,
      el("code", { class: "digest" }, d.schedule),
      same ? `, which is that of ${base.known!.name}` : "",
      same || base.known === null || change.assignments.length > 0 ? null : el("b", { class: "refuted" }, `, which is not that of ${base.known.name}: this engine is of another version`),
      ". ",
      copyButton("copy the run file", () => base.config, "the configuration that it is a change of, as `hindcast run` takes it"),
      " ",
      copyButton("copy the command", () => `hindcast run ${quoted(base.file)}${sets}`, "the same by the command, with that run file"),
      " ",
      saveButton("save the run file", () => [base.file.split("/").pop()!, base.config], "the configuration that it is a change of"),
      " ",
      saveButton("save the result", async () => [`${head.name.replace(/[^\w.+-]+/g, "_")}.${format.value === "gantt" ? "svg" : format.value === "columns" ? "json" : format.value}`, await this.engine.export(made.of, format.value)], "the result in this format"),
      format,
      " ",
      button("take away", () => void this.takeAway((m) => m === made), "take this run out of the page"),
    );
    item.dataset.schedule = d.schedule;
    item.dataset.took = String(d.took);
    this.made.set(made, item);
    this.list.append(item);
  }

  private async carryOut(): Promise<void> {
    this.refuse("");
    this.say("");
    this.go.disabled = true;
    this.cancel.disabled = false;
    this.progress.hidden = false;
    this.progress.removeAttribute("value");
    try {
      const base = this.base();
      const change = changeOf(base, this.fields);
      const of: RunOf = { file: base.file, config: base.config, inputs: base.inputs, assignments: [...this.parts.settings, ...change.assignments] };
      const d = await this.engine.run(of, STEPS_MOST, (share) => {
        if (Number.isFinite(share)) this.progress.value = share;
      });
      const stories = d.stories.map(({ serial, lines }) => ({ serial, first: lines, cut: 0, last: [] }));
      const made: Made = { ...headOf(this.nameFor(change), d), columns: d.columns, stories, of };
      this.cancel.disabled = true;
      await this.stage.add(made);
      this.note(made, base, change, d);
    } catch (e) {
      const text = e instanceof Error ? e.message : String(e);
      if (text === "cancelled") this.say("The run was cancelled; nothing of it is shown.");
      else this.refuse(text);
    }
    this.progress.hidden = true;
    this.cancel.disabled = true;
    this.go.disabled = false;
  }
}

/** The section of a report that runs again; null: it has no engine. */
export function whatIf(stage: Stage, runs: RunHead[]): { nodes: (HTMLElement | null)[]; engine: Engine } | null {
  const script = document.getElementById("what-if");
  if (!script) return null;
  const what = JSON.parse(script.textContent!) as WhatIf;
  const bases = el("select", { id: "what-if-base" });
  what.bases.forEach((b, i) => bases.append(el("option", { value: String(i) }, runs[b.run].name)));
  bases.value = "0";
  const of = what.bases.map((b): Base => ({ ...b, file: what.file, name: "as it was", known: { schedule: b.schedule, name: runs[b.run].name } }));
  const engine = new Engine(what.inputs);
  const panel = new Panel(engine, what, stage, () => of[Number(bases.value)]);
  bases.addEventListener("change", () => panel.refresh());
  return {
    engine,
    nodes: [
      el("p", { class: "quiet" }, "This page holds the engine and the inputs: it makes the run again with what is changed here, and shows it beside the others. Nothing is loaded or sent, and nothing is kept when the page is closed."),
      what.bases.length > 1 ? el("div", { class: "changes" }, el("label", {}, "Of ", bases)) : null,
      ...panel.nodes,
    ],
  };
}
