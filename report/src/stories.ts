// stories.ts -- why single tasks waited: what the command heard when it ran the results again.

import { button, el, nameText } from "./dom";
import { taskName, type RunHead, type Schedule, type Story, type StoryLine } from "./data";
import type { Calendar } from "./format";
import type { Task } from "./tasks";

function linesOf(lines: StoryLine[], calendar: Calendar, later: number): HTMLElement[] {
  return lines.map(([at, text]) => el("tr", {}, el("td", { class: "quiet" }, calendar.full(at + later)), el("td", {}, nameText(text, 300))));
}

export class Stories {
  private readonly of = new Map<string, Story>();

  constructor(private readonly stories: Story[]) {
    for (const s of stories) this.of.set(`${s.run} ${s.serial}`, s);
  }

  /** One more, told since. */
  add(story: Story): void {
    this.of.set(`${story.run} ${story.serial}`, story);
  }

  private find(run: number, s: Schedule, row: number): Story | undefined {
    return this.of.get(`${run} ${s.columns.get("serial")![row]}`);
  }

  has(run: number, s: Schedule, row: number): boolean {
    return this.find(run, s, row) !== undefined;
  }

  /** What is said of a task at an instant, or was last: the lines of that time. @param at  s from the run's origin */
  private said(run: number, s: Schedule, row: number, at: number): StoryLine[] {
    const story = this.find(run, s, row);
    const lines = story ? [...story.first, ...story.last].filter(([t]) => t <= at) : [];
    return lines.filter(([t]) => t === lines[lines.length - 1][0]);
  }

  at(run: number, s: Schedule, row: number, at: number): string | null {
    const lines = this.said(run, s, row, at);
    return lines.length > 0 ? lines.map(([, text]) => text).join("; ") : null;
  }

  /** When a task is promised its start, s from the run's origin: what the last lines of that time say in numbers. */
  promised(run: number, s: Schedule, row: number, at: number): number | null {
    return this.said(run, s, row, at).find((line) => line.length > 2)?.[2] ?? null;
  }

  /** @param later  how much later than the page's first run this one begins, s */
  tell(run: number, head: RunHead, s: Schedule, row: number, calendar: Calendar, later: number): HTMLElement | null {
    const story = this.find(run, s, row);
    if (!story) return null;
    return el(
      "details",
      { class: "story" },
      el("summary", {}, "Why, by ", nameText(head.name, 30)),
      el(
        "div",
        { class: "wide", tabindex: "0", role: "region", "aria-label": `why the task waited, by ${head.name}` },
        el(
          "table",
          {},
          el(
            "tbody",
            {},
            ...linesOf(story.first, calendar, later),
            story.cut > 0 ? el("tr", {}, el("td"), el("td", { class: "quiet" }, `${story.cut.toLocaleString("en-US")} lines between are left out; hindcast why --limit shows them`)) : null,
            ...linesOf(story.last, calendar, later),
          ),
        ),
      ),
    );
  }

  /** The tasks that have a story, as buttons. */
  list(schedules: (Schedule | null)[], light: (task: Task) => void): HTMLElement | null {
    const box = el("p", { class: "tools" }, el("span", { class: "quiet" }, "Tasks whose story is told: "));
    const met = new Set<string>();
    for (const story of this.stories) {
      const schedule = schedules[story.run];
      const row = schedule?.columns.get("serial")!.indexOf(story.serial) ?? -1;
      if (!schedule || row < 0) continue;
      const name = taskName(schedule, row);
      if (met.has(name)) continue;
      met.add(name);
      box.append(button(name.length > 24 ? `${name.slice(0, 23)}…` : name, () => light({ schedule, row }), "light it, and say why it waited"));
    }
    return met.size > 0 ? box : null;
  }
}
