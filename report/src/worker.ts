// worker.ts -- the engine in a worker of the page: it unpacks nothing, knows no page, and answers one question at a time.
//
// It stands behind examples/embed.js, which makes an object of the module (build.mjs puts the two together). The page
// ends the worker to cancel a run. An engine for each choice of inputs is kept from run to run, with these in it.

import type { StoryLine } from "./data";
import type { Answer, Question, RunOf } from "./engine";

interface Embedded {
  text(name: string, content: string | Uint8Array): void;
  configure(name: string): void;
  set(assignment: string): void;
  reset(): void;
  begin(): void;
  step(instants: number): boolean;
  progress(): number;
  digest(scheduleOnly?: boolean): string;
  export(format: string, setting?: string | null): string;
  why(serial: number): StoryLine[];
  keys(): [string, string, string][];
  describe(word: string, asJson?: boolean): string;
  free(): void;
}

declare function load(bytes: Uint8Array): Promise<{ make(): Embedded }>;

const INSTANTS = 4096; // a step: about 10 ms
const TOLD_EVERY = 50; // ms
const KEPT = 4; // engines

let hindcast: Promise<{ make(): Embedded }>;
let inputs: [string, Uint8Array][] = [];
const engines = new Map<string, Embedded>();
/** The run whose result an engine has. */
let made = "";

const answer = (a: Answer): void => postMessage(a);

async function engineOf(which: number[]): Promise<Embedded> {
  const key = which.join();
  let x = engines.get(key);
  if (!x) {
    for (const [old, engine] of engines) {
      if (engines.size < KEPT) break;
      engine.free();
      engines.delete(old);
    }
    x = (await hindcast).make();
    for (const i of which) x.text(...inputs[i]);
    engines.set(key, x);
  }
  return x;
}

async function configure(of: RunOf): Promise<Embedded> {
  const x = await engineOf(of.inputs);
  made = "";
  x.reset();
  x.text(of.file, of.config);
  x.configure(of.file);
  for (const a of of.assignments) x.set(a);
  return x;
}

/** An engine that has the result of this run, made now if it was not the last one. */
async function run(of: RunOf): Promise<Embedded> {
  const key = JSON.stringify(of);
  if (made === key) return engineOf(of.inputs);
  const x = await configure(of);
  let told = performance.now();
  x.begin();
  while (x.step(INSTANTS)) {
    const now = performance.now();
    if (now - told < TOLD_EVERY) continue;
    told = now;
    answer({ kind: "progress", share: x.progress() });
  }
  made = key;
  return x;
}

/** Of a run that is small enough for a lesson, why each task waited. A closed world does not tell. */
function stories(x: Embedded, count: number, most: number): { serial: number; lines: StoryLine[] }[] {
  if (count > most) return [];
  const { tasks } = JSON.parse(x.export("json", "tasks=true")) as { tasks: { serial: number }[] };
  try {
    return tasks.map(({ serial }) => ({ serial, lines: x.why(serial) }));
  } catch {
    return [];
  }
}

async function carryOut(q: Question): Promise<Answer> {
  if (q.kind === "describe") return { kind: "said", value: (await engineOf([])).describe(q.word, q.json) };
  if (q.kind === "keys") return { kind: "said", value: (await configure(q.of)).keys() };
  if (q.kind === "why") return { kind: "said", value: (await run(q.of)).why(q.serial) };
  if (q.kind === "export") return { kind: "said", value: (await run(q.of)).export(q.format, q.setting) };
  if (q.kind !== "run") throw new Error(q.kind);
  const began = performance.now();
  made = ""; // what is asked for is made, however often
  const x = await run(q.of);
  const took = performance.now() - began;
  const columns = x.export("columns");
  const tasks = Number(/"tasks": (\d+)/.exec(columns)![1]); // whatever metrics the run has
  return { kind: "done", tasks, schedule: x.digest(true), digest: x.digest(), columns, result: x.export("json"), stories: stories(x, tasks, q.lesson), took };
}

onmessage = (e: MessageEvent<Question>): void => {
  const q = e.data;
  if (q.kind === "load") {
    inputs = q.inputs;
    hindcast = load(q.engine);
    hindcast.catch(() => {}); // the run says so
    return;
  }
  if (q.kind === "input") {
    inputs.push(q.input);
    return;
  }
  carryOut(q).then(answer, (error: unknown) => {
    // What the engine refuses is an Error with its text; a trap leaves the module in no state to go on.
    const dead = error instanceof WebAssembly.RuntimeError || error instanceof WebAssembly.CompileError;
    answer({ kind: "failed", text: error instanceof Error ? error.message : String(error), dead });
  });
};
