// worker.ts -- the engine in a worker of the page: it unpacks nothing, knows no page, and runs one run at a time.
//
// It stands behind examples/embed.js, which makes an object of the module (build.mjs puts the two together). The page
// ends the worker to cancel a run. An engine for each base is kept from run to run, with the base's inputs in it.

import type { Answer, Question } from "./engine";

interface Embedded {
  text(name: string, content: string | Uint8Array): void;
  configure(name: string): void;
  set(assignment: string): void;
  reset(): void;
  begin(): void;
  step(instants: number): boolean;
  progress(): number;
  figure(name: string, scope?: string): number;
  digest(scheduleOnly?: boolean): string;
  export(format: string, setting?: string | null): string;
}

declare function load(bytes: Uint8Array): Promise<{ make(): Embedded }>;

const INSTANTS = 4096; // a step: about 10 ms
const TOLD_EVERY = 50; // ms

let hindcast: Promise<{ make(): Embedded }>;
let inputs: [string, Uint8Array][] = [];
const engines = new Map<number, Embedded>();

const answer = (a: Answer): void => postMessage(a);

async function engineOf(base: number, which: number[]): Promise<Embedded> {
  let x = engines.get(base);
  if (!x) {
    x = (await hindcast).make();
    for (const i of which) x.text(...inputs[i]);
    engines.set(base, x);
  }
  return x;
}

async function run(q: Extract<Question, { kind: "run" }>): Promise<void> {
  const x = await engineOf(q.base, q.inputs);
  const began = performance.now();
  let told = began;
  x.reset();
  x.text(q.file, q.config);
  x.configure(q.file);
  for (const a of q.assignments) x.set(a);
  x.begin();
  while (x.step(INSTANTS)) {
    const now = performance.now();
    if (now - told < TOLD_EVERY) continue;
    told = now;
    answer({ kind: "progress", share: x.progress() });
  }
  const took = performance.now() - began;
  const figures: Record<string, number> = {};
  for (const name of q.figures) figures[name] = x.figure(name);
  answer({ kind: "done", schedule: x.digest(true), digest: x.digest(), figures, columns: x.export("columns"), took });
}

onmessage = (e: MessageEvent<Question>): void => {
  const q = e.data;
  if (q.kind === "load") {
    inputs = q.inputs;
    hindcast = load(q.engine);
    hindcast.catch(() => {}); // the run says so
    return;
  }
  run(q).catch((error: unknown) => {
    // What the engine refuses is an Error with its text; a trap leaves the module in no state to go on.
    const dead = error instanceof WebAssembly.RuntimeError || error instanceof WebAssembly.CompileError;
    answer({ kind: "failed", text: error instanceof Error ? error.message : String(error), dead });
  });
};
