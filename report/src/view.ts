// view.ts -- the stretch of time that all pictures of the page show, and which task and which group are lit.

import type { Task } from "./tasks";

export interface Lit {
  /** The task that is lit in all runs, as a row of one of them; null: none. */
  task: Task | null;
  /** Class of the colouring that is lit; -1: all. */
  group: number;
}

type Listener = () => void;

/** Times are in seconds from the origin of the runs. */
export class View {
  from: number;
  to: number;
  readonly lit: Lit = { task: null, group: -1 };
  private readonly listeners: Listener[] = [];
  private waiting = false;

  constructor(
    readonly first: number,
    readonly last: number,
  ) {
    this.from = first;
    this.to = last;
  }

  on(f: Listener): void {
    this.listeners.push(f);
  }

  /** Say that something changed: everything is drawn anew once, at the next frame. */
  changed(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      for (const f of this.listeners) f();
    });
  }

  /** Show another stretch, kept within all there is. */
  show(from: number, to: number): void {
    const all = this.last - this.first;
    const least = Math.min(all, 1);
    const width = Math.min(Math.max(to - from, least), all);
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(middle - width / 2, this.first), this.last - width);
    this.to = this.from + width;
    this.changed();
  }

  /** Zoom by a factor around a time. */
  zoom(factor: number, at = (this.from + this.to) / 2): void {
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  pan(share: number): void {
    const by = (this.to - this.from) * share;
    this.show(this.from + by, this.to + by);
  }

  reset(): void {
    this.show(this.first, this.last);
  }
}
