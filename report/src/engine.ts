// engine.ts -- the engine of a page: a worker that is asked for runs, and for what the command says of their parts.
//
// The command put an engine and inputs into the page. They are unpacked when the first question is asked. Questions are
// answered one after the other; the worker is ended to cancel one, and the next begins with a new one. Every value goes
// to the engine as a text, which it reads as the command reads it; what it refuses comes back in its words.

import { bytesOf, unpacked, type Packing, type StoryLine } from "./data";

declare const WORKER: string; // the text of the worker: build.mjs

/** What a run is of. */
export interface RunOf {
  /** Name and text of the run file. */
  file: string;
  config: string;
  /** Places of inputs among those of the engine. */
  inputs: number[];
  assignments: string[];
}

export type Question =
  | { kind: "load"; engine: Uint8Array; inputs: [string, Uint8Array][] }
  | { kind: "input"; input: [string, Uint8Array] }
  /** @param lesson  of runs of at most so many tasks the stories of all are told */
  | { kind: "run"; of: RunOf; lesson: number }
  | { kind: "keys"; of: RunOf }
  | { kind: "why"; of: RunOf; serial: number }
  | { kind: "export"; of: RunOf; format: string; setting: string | null }
  | { kind: "describe"; word: string; json: boolean };

export interface Done {
  kind: "done";
  tasks: number;
  schedule: string;
  digest: string;
  /** The exports `columns` and `json`. */
  columns: string;
  result: string;
  stories: { serial: number; lines: StoryLine[] }[];
  /** ms */
  took: number;
}

export type Answer = { kind: "progress"; share: number } | Done | { kind: "said"; value: unknown } | { kind: "failed"; text: string; dead: boolean };

async function unpack(id: string): Promise<Uint8Array> {
  const script = document.getElementById(id)!;
  return unpacked(bytesOf(script.textContent!.trim()), script.dataset.packing as Packing);
}

export class Engine {
  private worker: Worker | null = null;
  private unpacked: Promise<[Uint8Array, [string, Uint8Array][]]> | null = null;
  private readonly added: [string, Uint8Array][] = [];
  private stop: ((why: string) => void) | null = null;
  private turn: Promise<unknown> = Promise.resolve();

  /** @param names  of the inputs that the page has */
  constructor(private readonly names: string[]) {}

  private async start(): Promise<Worker> {
    this.unpacked ??= Promise.all([unpack("engine"), Promise.all(this.names.map(async (name, i): Promise<[string, Uint8Array]> => [name, await unpack(`input-${i}`)]))]);
    const [engine, inputs] = await this.unpacked;
    const address = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
    const worker = new Worker(address);
    URL.revokeObjectURL(address);
    worker.postMessage({ kind: "load", engine, inputs: [...inputs, ...this.added] } satisfies Question);
    return worker;
  }

  /** One more input. @return its place */
  add(name: string, content: Uint8Array): number {
    this.added.push([name, content]);
    this.worker?.postMessage({ kind: "input", input: [name, content] } satisfies Question);
    return this.names.length + this.added.length - 1;
  }

  private async answer(q: Question, progress: (share: number) => void): Promise<Answer> {
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
        else if (a.kind !== "failed") done(a);
        else if (a.dead) this.stop!(`the engine stopped: ${a.text}; the next run begins with a new one`);
        else failed(new Error(a.text));
      };
      worker.postMessage(q);
    });
  }

  private ask(q: Question, progress: (share: number) => void = () => {}): Promise<Answer> {
    const mine = this.turn.then(() => this.answer(q, progress)).finally(() => (this.stop = null));
    this.turn = mine.catch(() => {});
    return mine;
  }

  private async said<T>(q: Question): Promise<T> {
    return ((await this.ask(q)) as { value: T }).value;
  }

  /** One run. Rejects with the engine's text, or when it is cancelled. */
  async run(of: RunOf, lesson: number, progress: (share: number) => void): Promise<Done> {
    return (await this.ask({ kind: "run", of, lesson }, progress)) as Done;
  }

  /** Paths, values and origins of all keys. Rejects with what is wrong in the run file. */
  keys(of: RunOf): Promise<[string, string, string][]> {
    return this.said({ kind: "keys", of });
  }

  /** Why a task waited. The run is made again if the engine has made another since. */
  why(of: RunOf, serial: number): Promise<StoryLine[]> {
    return this.said({ kind: "why", of, serial });
  }

  export(of: RunOf, format: string, setting: string | null = null): Promise<string> {
    return this.said({ kind: "export", of, format, setting });
  }

  /** What `hindcast describe` prints. */
  describe(word: string, json = false): Promise<string> {
    return this.said({ kind: "describe", word, json });
  }

  cancel(): void {
    this.stop?.("cancelled");
  }
}
