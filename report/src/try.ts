// try.ts -- the page that is the whole command: a run file to write, examples, inputs that are dropped on it, what
// `describe` says, and the panel that makes runs of it.
//
// tools/try puts engine, examples and their inputs into a page of `hindcast report`. The run file is looked at as it is
// written: what is wrong in it is said as the command says it, with its place.

import { button, el, nameText } from "./dom";
import { Engine } from "./engine";
import { count } from "./format";
import { Panel, type Base, type Made, type Parts, type Stage } from "./whatif";
import { unpacked } from "./data";

interface Example {
  file: string;
  title: string;
  config: string;
  inputs: number[];
  /** Digest of its schedule, as the command computed it. */
  schedule: string;
}

export interface TryPage extends Parts {
  examples: Example[];
}

interface Parameter {
  name: string;
  type: string;
  unit: string | null;
  default: string | null;
  choices?: string[];
  help: string;
}

interface Page {
  kind: string;
  name: string;
  parameters: Parameter[];
}

const LOOKED_AT_AFTER = 400; // ms without a key
const OWN = "run.yaml";
const MOST = 96 * 1024 * 1024; // bytes of an input, as in a report that runs again

// ---- inputs ----

const startsWith = (bytes: Uint8Array, magic: number[]): boolean => magic.every((b, i) => bytes[i] === b);

/** Name and bytes of a file, unpacked. */
async function inputOf(file: File): Promise<[string, Uint8Array]> {
  if (file.size > MOST) throw new Error(`${file.name}: it holds more than ${count(MOST)} bytes; take a part of it (hindcast trace split)`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (startsWith(bytes, [0x1f, 0x8b])) return [file.name.replace(/\.gz$/i, ""), await unpacked(bytes, "gzip")];
  if (startsWith(bytes, [0x28, 0xb5, 0x2f, 0xfd])) return [file.name.replace(/\.zst$/i, ""), await unpacked(bytes, "zstd")];
  if (startsWith(bytes, [0xfd, 0x37, 0x7a, 0x58])) throw new Error(`${file.name}: a page unpacks gzip and zstd; unpack it first (xz -d)`);
  return [file.name, bytes];
}

function isRunFile(name: string, text: string): boolean {
  return /\.(ya?ml|json)$/i.test(name) && /^["{\s]*(source|policy|cell|name)"?\s*:/m.test(text) && /\bsource\b|\bworld\b/.test(text);
}

function stem(name: string): string {
  return name.split("/").pop()!.replace(/\.[^.]*$/, "");
}

// ---- what `describe` says ----

function parameterText(p: Parameter): string {
  const facts = [p.type, p.unit && p.unit !== "1" ? p.unit : "", p.choices ? `one of ${p.choices.join(", ")}` : "", p.default === null ? "" : `default ${p.default}`].filter((t) => t);
  return `${p.name}: ${facts.join("; ")}\n  ${p.help}`;
}

class Describer {
  readonly nodes: HTMLElement[];
  private readonly box = el("input", { id: "try-word", type: "search", list: "try-words", placeholder: "easy, order/sjf, run, policy.select.depth", "aria-label": "what to describe" });
  private readonly words = el("datalist", { id: "try-words" });
  private readonly page = el("pre", { id: "try-page", tabindex: "0", role: "region", "aria-label": "what describe says", "aria-live": "polite" });

  constructor(
    private readonly engine: Engine,
    private readonly keys: () => [string, string][],
    atCursor: () => string,
  ) {
    this.box.addEventListener("keydown", (e) => e.key === "Enter" && void this.describe(this.box.value));
    this.box.addEventListener("change", () => void this.describe(this.box.value));
    this.nodes = [
      el("div", { class: "changes" }, el("label", { for: "try-word" }, "describe "), this.box, this.words, button("describe", () => void this.describe(this.box.value), "what hindcast describe prints"), button("the word at the cursor", () => void this.describe(atCursor()), "of the run file (F1)")),
      this.page,
    ];
  }

  async list(): Promise<void> {
    const all = JSON.parse(await this.engine.describe("", true)) as { kind: string; name: string; summary: string }[];
    this.words.replaceChildren(...all.map((c) => el("option", { value: `${c.kind}/${c.name}` }, c.summary)));
  }

  /** The component whose parameter a path is, or that the path has: of policy.select.depth what policy.select is. */
  private async componentOf(path: string): Promise<[Page, Parameter | null]> {
    const parts = path.split(".").filter((p) => !/^\d+$/.test(p));
    const leaf = parts[parts.length - 1];
    const value = (of: string): string => this.keys().find(([k]) => k === of)?.[1] ?? "";
    const pageOf = async (word: string): Promise<Page> => (JSON.parse(await this.engine.describe(word, true)) as Page[])[0];
    for (let above = path; above.includes("."); ) {
      above = above.slice(0, above.lastIndexOf("."));
      const name = value(above);
      if (!name) continue;
      const kind = above.split(".").filter((p) => !/^\d+$/.test(p)).pop()!;
      for (const word of [`${kind}/${name}`, name]) {
        const page = await pageOf(word).catch(() => null);
        const found = page?.parameters?.find((p) => p.name === leaf);
        if (found) return [page!, found];
      }
    }
    const run = await pageOf("run");
    return [run, run.parameters.find((p) => p.name === leaf) ?? null];
  }

  async describe(word: string): Promise<void> {
    const wanted = word.trim().replace(/[:,]+$/, "");
    if (!wanted) return;
    this.box.value = wanted;
    try {
      const whole = await this.engine.describe(wanted).catch((e: unknown) => e as Error);
      if (typeof whole === "string" && !wanted.includes(".")) {
        this.page.textContent = whole;
        return;
      }
      const [page, parameter] = await this.componentOf(wanted);
      if (!parameter) throw whole instanceof Error ? whole : new Error(wanted);
      this.page.textContent = `${parameterText(parameter)}\n\n  a key of ${page.kind === "run" ? "the run" : `${page.kind} ${page.name}`}${page.kind === "run" ? "" : `\n\n${await this.engine.describe(`${page.kind}/${page.name}`)}`}`;
    } catch (e) {
      this.page.textContent = e instanceof Error ? e.message : String(e);
    }
  }
}

// ---- all of it ----

/** The word of a run file that the cursor is in: of `key: value` the key or the value. */
function wordAt(box: HTMLTextAreaElement): string {
  const before = /[\w./]*$/.exec(box.value.slice(0, box.selectionStart))![0];
  const after = /^[\w./]*/.exec(box.value.slice(box.selectionStart))![0];
  return before + after;
}

export function tryOut(stage: Stage, what: TryPage): { nodes: (HTMLElement | null)[]; engine: Engine } {
  const engine = new Engine(what.inputs);
  const dropped = new Map<string, number>();
  let example: Example | null = what.examples[0];
  let keys: [string, string][] = [];
  let processors = 0;
  const box = el("textarea", { id: "try-file", rows: "16", spellcheck: "false", "aria-label": "the run file" });
  const choose = el("select", { id: "try-example", "aria-label": "an example" });
  const problem = el("pre", { id: "try-problem", class: "refuted", role: "status" });
  const there = el("ul", { class: "badges", "aria-label": "inputs" });
  const files = el("input", { id: "try-input", type: "file", multiple: "", "aria-label": "files from disk" });

  /** An input that was dropped stands in place of an example's of the same name. */
  const places = (): number[] => [...(example?.inputs ?? []).filter((i) => !dropped.has(what.inputs[i])), ...dropped.values()];
  const base = (): Base => ({
    file: example?.file ?? OWN,
    name: keys.find(([k]) => k === "name")?.[1] || stem(example?.file ?? OWN),
    config: box.value,
    inputs: places(),
    known: example && box.value === example.config && dropped.size === 0 ? { schedule: example.schedule, name: "the command" } : null,
    processors,
    keys,
  });

  const goTo = (text: string): void => {
    const { file } = base();
    const place = text.startsWith(`${file}:`) ? /^:(\d+)(?::(\d+))?/.exec(text.slice(file.length)) : null;
    problem.textContent = text;
    if (!place) return;
    const lines = box.value.split("\n");
    const at = lines.slice(0, Number(place[1]) - 1).reduce((n, l) => n + l.length + 1, 0);
    problem.append(" ", button("go there", () => {
      box.focus();
      box.setSelectionRange(at + Number(place[2] ?? 1) - 1, at + (lines[Number(place[1]) - 1] ?? "").length);
    }, `line ${place[1]}`));
  };

  const alone: Stage = {
    async add(made: Made) {
      const gone = await panel.takeAway((m) => m.of.file !== made.of.file || m.of.inputs.join() !== made.of.inputs.join());
      if (gone > 0) panel.say(`Runs of other inputs were taken away (${gone}).`);
      processors = made.processors;
      await stage.add(made);
      panel.refresh();
    },
    remove: (made) => stage.remove(made),
  };
  const describer = new Describer(engine, () => keys, () => wordAt(box));
  const panel: Panel = new Panel(engine, what, alone, base, (path) => void describer.describe(path));

  let looks = 0;
  async function look(): Promise<void> {
    const mine = ++looks;
    const { file, config, inputs } = base();
    try {
      const found = await engine.keys({ file, config, inputs, assignments: what.settings });
      if (mine !== looks) return;
      keys = found.map(([path, value]): [string, string] => [path, value]).filter(([path]) => !["output", "rejected", "threads", "task_rows"].includes(path));
      problem.textContent = "";
      panel.refresh();
    } catch (e) {
      if (mine === looks) goTo(e instanceof Error ? e.message : String(e));
    }
    document.documentElement.dataset.looked = String(mine); // what tests wait for
  }
  function show(): void {
    there.replaceChildren(
      ...places().map((i) => {
        const own = [...dropped].find(([, place]) => place === i)?.[0];
        return el("li", {}, nameText(own ?? what.inputs[i], 60), own ? button("×", () => {
          dropped.delete(own);
          show();
          void look();
        }, `take ${own} away`) : null);
      }),
    );
  }
  function begin(of: Example | null, config: string): void {
    example = of;
    box.value = config;
    processors = 0;
    keys = [];
    panel.clear();
    panel.refresh();
    choose.value = of ? of.file : "";
    show();
    void look();
  }

  for (const x of what.examples) choose.append(el("option", { value: x.file }, x.title));
  choose.append(el("option", { value: "" }, "your own"));
  choose.addEventListener("change", () => {
    const of = what.examples.find((x) => x.file === choose.value) ?? null;
    begin(of, of ? of.config : box.value);
  });
  let timer = 0;
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void look(), LOOKED_AT_AFTER);
  });
  box.addEventListener("keydown", (e) => {
    if (e.key !== "F1") return;
    e.preventDefault();
    void describer.describe(wordAt(box));
  });

  async function take(list: Iterable<File>): Promise<void> {
    try {
      for (const file of list) {
        const [name, bytes] = await inputOf(file);
        const text = bytes.length < 1 << 20 ? new TextDecoder().decode(bytes) : "";
        if (isRunFile(name, text)) {
          begin(null, text);
          continue;
        }
        dropped.set(name, engine.add(name, bytes));
        const isOwn = example === null || box.value !== example.config;
        if (!isOwn || !box.value.trim()) begin(null, `name: ${JSON.stringify(stem(name))}\nsource: ${/^[\w.-]+$/.test(name) ? name : JSON.stringify(name)}\npolicy: {order: fcfs, select: easy}\n`);
        else panel.say(`${name} is there: the run file can name it.`);
      }
      show();
      await look();
    } catch (e) {
      problem.textContent = e instanceof Error ? e.message : String(e);
    }
  }
  files.addEventListener("change", () => void take(files.files ?? []));
  document.addEventListener("dragover", (e) => e.preventDefault());
  document.addEventListener("drop", (e) => {
    e.preventDefault();
    void take(e.dataTransfer?.files ?? []);
  });
  begin(example, example.config);
  void describer.list().catch(() => {}); // what is wrong with the engine, a run says

  return {
    engine,
    nodes: [
      el("p", { class: "quiet" }, "A run file, as the command takes it: write one, take an example, or drop files here (a run file; a log as SWF, CSV or another format; what a run file names; gzip is unpacked). Choose what to change, and run: each run stands beside the others below. Nothing is loaded or sent, and nothing is kept when the page is closed."),
      el("div", { class: "changes" }, el("label", { for: "try-example" }, "example "), choose, el("label", { for: "try-input" }, "files "), files),
      el("div", { class: "two" }, el("div", {}, box, there, problem), el("div", {}, ...describer.nodes)),
      ...panel.nodes,
      el("p", { class: "changes" }, button("take all away", () => void panel.takeAway(() => true), "take all runs out of the page")),
    ],
  };
}
