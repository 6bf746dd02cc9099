// main.ts -- the page: what the command found at the top, then pictures over one axis of time, then tables.
//
// Everything that a log says is text (dom.ts); the page loads nothing, sends nothing, and keeps nothing.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import { readSchedule, taskName, nameOf, known, type Head, type KeptTable, type RunHead, type RunsPage, type Schedule, type Story, type StudyPage } from "./data";
import { swatch } from "./bars";
import { button, copyButton, el, nameText } from "./dom";
import { Calendar, count, share, span } from "./format";
import type { Engine } from "./engine";
import { Gantt } from "./gantt";
import { curvesOf, keptOver, sample } from "./kept";
import { lostOver, type Lost } from "./lost";
import { groupings, makeGrouping, OTHERS, type Grouping } from "./groups";
import { forgetPictures, lineInk, onThemeChange } from "./palette";
import { distribution, overTime, powers, sparkline, timeTicks, waitsByClass, weekOf } from "./charts";
import { schedulers } from "./schedulers";
import { steps } from "./steps";
import { Stories } from "./stories";
import { withPaired } from "./paired";
import { quantile, seriesOf, sortedSlowdowns, sortedWaits } from "./series";
import { curves, differences } from "./study";
import { tableOf } from "./table";
import { Tasks, type Task } from "./tasks";
import { tryOut, type TryPage } from "./try";
import { View } from "./view";
import { figuresOf, whatIf, withFigures, type Made, type Stage } from "./whatif";

const COLUMNS = 900; // of pictures over time

interface Run {
  head: RunHead;
  schedule: Schedule | null;
  place: number;
  /** It was made in the page. */
  made?: Made;
}

/** Asks the engine why a task of a run that it made had to wait; null: it did not make it. */
type Asker = (run: Run, serial: number) => Promise<Story> | null;

function section(id: string, title: string, ...children: (Node | string | null)[]): HTMLElement {
  return el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title), ...children);
}

// ---- the first screen ----

function badges(run: RunHead): HTMLElement {
  return el(
    "ul",
    { class: "badges" },
    el("li", { class: run.verified.state, title: run.verified.text }, run.verified.state === "holds" ? "verified" : run.verified.state === "refuted" ? "refuted" : "not verified"),
    el("li", { title: "checksum of the whole result (hindcast digest)" }, `digest ${run.digest.slice(0, 8)}`),
    el("li", {}, `${count(run.tasks)} tasks`),
  );
}

function card(run: Run, kept: KeptTable[]): HTMLElement {
  const used = run.head.figures["utilisation"];
  const queue = run.head.figures["queue_mean"];
  const sparks = el("div", { class: "sparks" });
  const s = run.schedule;
  const own = kept.find((t) => t.run === run.place && t.name === "run" && t.rows.length > 1);
  if (s || own) {
    const draw = (): void => {
      const d = s ? seriesOf(s, s.first * s.tick, s.last * s.tick, 140) : curvesOf(own!, 140);
      sparks.replaceChildren(
        el("figure", {}, sparkline(d.utilisation, 1, run.place, "utilisation over time") as unknown as Node, el("figcaption", {}, used == null ? "used" : `used ${share(used)}`)),
        el("figure", {}, sparkline(d.queue, d.queue.reduce((a, b) => Math.max(a, b), 1), run.place, "waiting tasks over time") as unknown as Node, el("figcaption", {}, queue == null ? "queue" : `queue ${queue < 100 ? queue.toFixed(1) : count(queue)}`)),
        el("figure", {}, sparkline(d.running, d.running.reduce((a, b) => Math.max(a, b), 1), run.place, "running tasks over time") as unknown as Node, el("figcaption", {}, "running")),
      );
    };
    draw();
    onThemeChange(draw);
  }
  const wait = run.head.figures["wait_mean"];
  return el(
    "article",
    { class: "card" },
    el("h2", {}, swatch(run.place, lineInk), nameText(run.head.name)),
    el("p", { class: "big" }, wait == null ? "-" : span(wait), el("span", { class: "quiet" }, " mean wait")),
    sparks,
    badges(run.head),
  );
}

/** At the next frame after the width of an element changed: what is drawn anew may change its height. */
function whenResized(e: HTMLElement, f: () => void): void {
  let width = -1;
  new ResizeObserver(() => {
    if (e.clientWidth === width) return;
    width = e.clientWidth;
    requestAnimationFrame(f);
  }).observe(e);
}

// ---- pictures over time ----

interface Pictures {
  view: View;
  gantts: { run: Run; gantt: Gantt }[];
}

function tip(): { show(text: string[], x: number, y: number): void; hide(): void } {
  const box = el("div", { class: "tip", hidden: "", role: "status" });
  document.body.append(box);
  return {
    show(text, x, y) {
      box.replaceChildren(...text.map((t) => el("div", {}, nameText(t, 80))));
      box.hidden = false;
      box.style.left = `${Math.min(x + 14, innerWidth - 320)}px`;
      box.style.top = `${y + 16}px`;
    },
    hide() {
      box.hidden = true;
    },
  };
}

function seconds(s: Schedule, ticks: number): number {
  return known(ticks) ? ticks * s.tick : NaN;
}

function tipOf(s: Schedule, row: number): string[] {
  const user = s.columns.get("user");
  const held = known(s.end[row]) ? ` for ${span(seconds(s, s.end[row] - s.start[row]))}` : ", and did not end";
  return [
    `task ${taskName(s, row)}${user ? `, ${s.titles["user"]} ${nameOf(s, "user", user[row])}` : ""}`,
    `${count(s.units[row] / s.unitsAProcessor)} processors${held}`,
    `waited ${span(seconds(s, s.start[row] - s.submit[row]))}`,
  ];
}

/** Of a run that was made in the page: its engine says why a task waited, by running it again. */
function askButton(run: Run, serial: number, stories: Stories, tell: () => HTMLElement | null, ask: Asker): HTMLElement | null {
  if (!run.made) return null;
  const b = button(`why, by ${run.head.name.slice(0, 30)}`, () => {
    b.disabled = true;
    ask(run, serial)!.then(
      (story) => {
        stories.add(story);
        const told = tell();
        if (told) b.replaceWith(told);
      },
      (e: unknown) => (b.textContent = e instanceof Error ? e.message : String(e)),
    );
  }, "make the run again up to the task's start, and hear what is in its way");
  return b;
}

/** What each run did with the task that is lit. */
function detailsOf(runs: Run[], tasks: Tasks, task: Task, calendar: Calendar, stories: Stories, ask: Asker): HTMLElement {
  const { schedule: s, row } = task;
  const facts = ["user", "group", "account", "partition", "queue", "qos", "executable"]
    .filter((k) => s.columns.has(k) && known(s.columns.get(k)![row]))
    .map((k) => `${s.titles[k] ?? k} ${nameOf(s, k, s.columns.get(k)![row])}`);
  const limit = s.columns.get("limit");
  const id = taskName(s, row);
  const table = el("table", {}, el("thead", {}, el("tr", {}, ...["run", "start", "wait", "end", "bounded slowdown", "marks", "why"].map((t) => el("th", { scope: "col" }, t)))));
  const body = el("tbody");
  const told: (HTMLElement | null)[] = [];
  for (const run of runs) {
    const of = run.schedule;
    const i = of ? tasks.rowIn(of, task) : -1;
    if (!of || i < 0) continue;
    const held = seconds(of, of.end[i] - of.start[i]);
    const slowdown = Math.max(1, seconds(of, of.end[i] - of.submit[i]) / Math.max(held, 10));
    const flags = of.columns.get("flags")?.[i] ?? 0;
    const words = [flags & 1 ? "backfilled" : "", flags & 8 ? "was stopped" : "", flags & 64 ? "resized" : ""].filter((w) => w);
    const command = `hindcast why ${quoted(run.head.path)} ${quoted(id)}`;
    body.append(
      el(
        "tr",
        {},
        el("th", { scope: "row" }, swatch(run.place, lineInk), nameText(run.head.name, 30)),
        el("td", {}, known(of.start[i]) ? calendar.full(of.start[i] * of.tick) : "never"),
        el("td", { class: "right" }, span(seconds(of, of.start[i] - of.submit[i]))),
        el("td", {}, known(of.end[i]) ? calendar.full(of.end[i] * of.tick) : "-"),
        el("td", { class: "right" }, slowdown === slowdown ? slowdown.toFixed(2) : "-"),
        el("td", {}, words.join(", ")),
        el("td", {}, copyButton("copy command", () => command, command)),
      ),
    );
    const tell = (): HTMLElement | null => stories.tell(run.place, run.head, of, i, calendar, laterThan(runs[0].head, run.head));
    told.push(tell() ?? askButton(run, of.columns.get("serial")![i], stories, tell, ask));
  }
  table.append(body);
  return el(
    "div",
    {},
    el("h3", {}, "Task ", nameText(id)),
    el(
      "p",
      {},
      `Submitted ${calendar.full(seconds(s, s.submit[row]))}; ${count(s.units[row] / s.unitsAProcessor)} processors`,
      limit && known(limit[row]) ? `, asked for ${span(seconds(s, limit[row]))}` : "",
      ". ",
      nameText(facts.join(", "), 160),
    ),
    table,
    ...told,
  );
}

function quoted(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** @param painters  out: what marks the groups that are lit, to be called at each change of the view */
function legendOf(g: Grouping, view: View, painters: (() => void)[]): HTMLElement {
  const box = el("ul", { class: "legend", "aria-label": `colours by ${g.title}` }, el("li", { class: "quiet" }, `${g.title}, share of the time used:`));
  const entry = (place: number, text: string, name: string): HTMLElement => {
    const b = button("", () => {
      view.lit.group = view.lit.group === place ? -1 : place;
      view.changed();
    }, `show ${name} alone`);
    b.append(swatch(place), nameText(name, 24), el("span", { class: "quiet" }, ` ${text}`));
    painters.push(() => b.setAttribute("aria-pressed", String(view.lit.group === place)));
    return el("li", {}, b);
  };
  g.groups.forEach((x, i) => box.append(entry(i, share(x.share), x.name)));
  if (g.others > 0) box.append(entry(OTHERS, "", `${count(g.others)} others`));
  return box;
}

/** The rows whose task, or whose user, group and so on, is called so, in order of submission: "7" is task 7 or whatever
 *  has 7 for its name, "user 7" that user. */
function search(s: Schedule, text: string): number[] {
  const wanted = text.trim().toLowerCase();
  const out: number[] = [];
  if (!wanted) return out;
  const lists = Object.entries(s.titles)
    .filter(([kind]) => s.columns.has(kind))
    .map(([kind, title]) => {
      const column = s.columns.get(kind)!;
      const is = new Map<number, boolean>(); // by number
      return (row: number): boolean => {
        const n = column[row];
        let found = is.get(n);
        if (found === undefined && known(n)) {
          const name = nameOf(s, kind, n).toLowerCase();
          is.set(n, (found = `${title} ${name}` === wanted || (s.names.has(kind) && name === wanted)));
        }
        return found ?? false;
      };
    });
  for (let i = 0; i < s.tasks && out.length < 10000; i++) {
    if (taskName(s, i).toLowerCase() === wanted || lists.some((is) => is(i))) out.push(i);
  }
  return out;
}

/** Light a task, and show the time from its submission to its end. */
function light(view: View, task: Task): void {
  const { schedule: s, row } = task;
  const middle = seconds(s, known(s.start[row]) ? (s.submit[row] + s.start[row]) / 2 : s.submit[row]);
  const width = Math.max(seconds(s, s.end[row] - s.submit[row]) * 2 || 0, Math.min(view.to - view.from, 2 * 86400));
  view.lit.task = task;
  view.show(middle - width / 2, middle + width / 2);
}

function controls(p: Pictures, runs: Run[], calendar: Calendar, regroup: (kind: string) => void): HTMLElement {
  const { view } = p;
  const first = runs.find((r) => r.schedule)!.schedule!;
  const by = el("select", { id: "colour-by" });
  for (const g of groupings(first)) by.append(el("option", { value: g.kind }, g.title));
  by.addEventListener("change", () => regroup(by.value));
  const found = el("output", { class: "quiet" });
  const box = el("input", { type: "search", placeholder: "task or name", "aria-label": "search a task, a user or a group" });
  let at = -1;
  let rows: number[] = [];
  let asked = "";
  const next = (): void => {
    if (box.value !== asked) {
      asked = box.value;
      rows = search(first, asked);
      at = -1;
    }
    if (rows.length === 0) {
      found.textContent = asked ? "nothing is called so" : "";
      return;
    }
    at = (at + 1) % rows.length;
    found.textContent = `${at + 1} of ${count(rows.length)}`;
    light(view, { schedule: first, row: rows[at] });
  };
  box.addEventListener("keydown", (e) => {
    if (e.key === "Enter") next();
  });
  const where = el("output", { class: "quiet", "aria-live": "off" });
  const say = (): void => {
    where.textContent = `${calendar.full(view.from)} to ${calendar.full(view.to)}`;
  };
  view.on(say);
  say();
  return el(
    "div",
    { class: "controls" },
    el("label", { for: "colour-by" }, "Colour by "),
    by,
    button("-", () => view.zoom(2), "show twice as much time (key -)"),
    button("+", () => view.zoom(0.5), "show half as much time (key +)"),
    button("‹", () => view.pan(-0.5), "earlier (left arrow)"),
    button("›", () => view.pan(0.5), "later (right arrow)"),
    button("all", () => view.reset(), "show all (key 0)"),
    box,
    button("find", next, "the next of them (Enter)"),
    found,
    where,
  );
}

/** Of runs without schedules: what their metrics kept over time. */
function keptSection(runs: Run[], page: RunsPage): HTMLElement[] {
  const all = page.kept.filter((t) => t.rows.length > 0);
  if (all.length === 0) return [];
  const first = runs[0].head;
  const shown = runs.map((r) => {
    const later = laterThan(first, r.head);
    const times = all.filter((t) => t.run === r.place).flatMap((t) => [t.rows[0][0]!, t.rows[t.rows.length - 1][1] ?? t.rows[t.rows.length - 1][0]!]);
    return { number: r.place, later, begin: Math.min(...times) + later, end: Math.max(...times) + later };
  });
  const view = new View(Math.min(...shown.map((r) => r.begin)), Math.max(...shown.map((r) => r.end)));
  const calendar = new Calendar(first.unix_start, first.zone, first.zone_offset);
  const kept = keptOver(all, runs.map((r) => r.head.name), shown, calendar, (a, b) => view.show(a, b), () => view.changed())!;
  view.on(() => kept.draw(Float64Array.from({ length: COLUMNS }, (_, i) => view.from + ((i + 0.5) / COLUMNS) * (view.to - view.from)), view.from, view.to));
  whenResized(kept.box, () => {
    kept.resize();
    view.changed();
  });
  const lost = lostOver(all, runs.map((r) => r.head), shown, calendar);
  lost?.draw(view.from, view.to);
  view.on(() => lost?.draw(view.from, view.to));
  return [section("time", "Over time", button("all", () => view.reset(), "show all of the time"), kept.box), ...lostSection(lost)];
}

function lostSection(lost: Lost | null): HTMLElement[] {
  return lost ? [section("lost", "Why the machine stood idle while tasks were queued", ...lost.parts)] : [];
}

/** When the last piece of a table begins, s: as far as it is known. */
function lastBegin(t: KeptTable): number {
  return t.rows[t.rows.length - 1][0]!;
}

function timeSection(runs: Run[], page: RunsPage, stories: Stories, ask: Asker): HTMLElement[] {
  const shown = runs.filter((r) => r.schedule);
  if (shown.length === 0) return keptSection(runs, page);
  const schedules = shown.map((r) => r.schedule!);
  const head = shown[0].head;
  const calendar = new Calendar(head.unix_start, head.zone, head.zone_offset);
  const view = new View(Math.min(...schedules.map((s) => s.first * s.tick)), Math.max(...schedules.map((s) => s.last * s.tick)));
  const tasks = new Tasks(schedules);
  const kinds = groupings(schedules[0]);
  let grouping = makeGrouping(kinds[0].kind, kinds[0].title, schedules);
  const pictures: Pictures = { view, gantts: [] };
  let painters: (() => void)[] = [];
  const legend = el("div", {}, legendOf(grouping, view, painters));
  view.on(() => painters.forEach((paint) => paint()));
  const mode = el("p", { class: "quiet" });
  const details = el("aside", { class: "details", hidden: "", "aria-live": "polite", "aria-label": "the task that is lit" });
  const pointer = tip();
  const strips = el("div", { class: "strips" });
  for (const run of shown) {
    const gantt = new Gantt(run.schedule!, tasks, view, calendar, grouping, `schedule of ${run.head.name}: ${count(run.schedule!.tasks)} tasks on ${count(run.schedule!.lanes)} lanes`);
    pictures.gantts.push({ run, gantt });
    strips.append(el("figure", { class: "strip" }, el("figcaption", {}, swatch(run.place, lineInk), nameText(run.head.name)), gantt.canvas));
    gantt.canvas.addEventListener("point", (e) => {
      const { row, x, y } = (e as CustomEvent<{ row: number | null; x: number; y: number }>).detail;
      if (row === null) pointer.hide();
      else pointer.show(tipOf(gantt.schedule, row), x, y);
    });
    gantt.canvas.addEventListener("choose", (e) => {
      const { row } = (e as CustomEvent<{ row: number | null }>).detail;
      view.lit.task = row === null ? null : { schedule: gantt.schedule, row };
      view.changed();
    });
  }
  const names = shown.map((r) => r.head.name);
  // Runs without a row for every task have no schedule here, but the curves that each run keeps.
  const bare = runs
    .filter((r) => !r.schedule)
    .map((run) => ({ run, table: page.kept.find((t) => t.run === run.place && t.name === "run" && t.rows.length > 1) }))
    .filter((x) => x.table !== undefined);
  const drawnNames = [...names, ...bare.map((x) => x.run.head.name)];
  const places = [...shown, ...bare.map((x) => x.run)].map((r) => r.place);
  const used = overTime("Share of the machine in use", drawnNames, calendar, share, 1, (a, b) => view.show(a, b), 1, places);
  const queue = overTime("Waiting tasks", drawnNames, calendar, count, null, (a, b) => view.show(a, b), 1, places);
  const bareOver = (column: string): (number | null)[][] =>
    bare.map(({ run, table }) => {
      const later = laterThan(head, run.head);
      return sample(table, column, later, lastBegin(table!) + later, view.from, view.to, COLUMNS);
    });
  const over = [
    ...shown.map((r) => ({ number: r.place, later: laterThan(head, r.head), end: r.schedule!.last * r.schedule!.tick })),
    ...bare.map(({ run, table }) => ({ number: run.place, later: laterThan(head, run.head), end: lastBegin(table!) + laterThan(head, run.head) })),
  ];
  const lost = lostOver(page.kept, [...shown, ...bare.map((x) => x.run)].map((r) => r.head), over, calendar);
  lost?.draw(view.from, view.to); // at once: a page that is not shown has no frame in which it would be drawn
  const kept = keptOver(page.kept, drawnNames, over, calendar, (a, b) => view.show(a, b), () => view.changed(), places);
  let task: Task | null = null;
  const draw = (): void => {
    for (const { gantt } of pictures.gantts) gantt.draw();
    const of = schedules.map((s) => seriesOf(s, view.from, view.to, COLUMNS));
    used.set(of[0].at, [...of.map((s) => s.utilisation), ...bareOver("utilisation")], view.from, view.to);
    queue.set(of[0].at, [...of.map((s) => s.queue), ...bareOver("waiting")], view.from, view.to);
    kept?.draw(of[0].at, view.from, view.to);
    lost?.draw(view.from, view.to);
    mode.textContent = pictures.gantts.every((x) => x.gantt.isDetailed)
      ? "Each rectangle is a task. Point at one, or click it to light it in all runs; drag to move, Ctrl and wheel or + and - to zoom."
      : "So many tasks are in view that areas show how much of the machine each group has; zoom in (double click, Ctrl and wheel, +) to see tasks.";
    if (view.lit.task !== task) {
      task = view.lit.task;
      details.hidden = task === null;
      details.replaceChildren(
        ...(task === null ? [] : [button("×", () => {
          view.lit.task = null;
          view.changed();
        }, "close"), detailsOf(shown, tasks, task, calendar, stories, ask)]),
      );
    }
  };
  view.on(draw);
  const resize = (): void => {
    used.resize();
    queue.resize();
    kept?.resize();
    view.changed();
  };
  whenResized(strips, resize);
  onThemeChange(() => view.changed());
  const regroup = (kind: string): void => {
    grouping = makeGrouping(kind, kinds.find((k) => k.kind === kind)!.title, schedules);
    for (const { gantt } of pictures.gantts) gantt.setGrouping(grouping);
    painters = [];
    legend.replaceChildren(legendOf(grouping, view, painters));
    view.lit.group = -1;
    view.changed();
  };
  const time = section("time", "What ran when", controls(pictures, shown, calendar, regroup), stories.list(runs.map((r) => r.schedule), (t) => light(view, t)), legend, mode, strips, details, used.box, queue.box, kept?.box ?? null);
  return [time, ...lostSection(lost)];
}

// ---- a lesson ----

function lessonSection(runs: Run[], stories: Stories): HTMLElement | null {
  const shown = runs.filter((r) => r.schedule);
  if (shown.length === 0) return null;
  const head = shown[0].head;
  const lessons = shown.map((r) => ({ head: r.head, schedule: r.schedule!, place: r.place, later: laterThan(head, r.head) }));
  const parts = steps(lessons, new Calendar(head.unix_start, head.zone, head.zone_offset), stories);
  return parts && section("steps", "Step by step", ...parts);
}

// ---- distributions ----

function waitSection(runs: Run[]): HTMLElement | null {
  const shown = runs.filter((r) => r.schedule);
  if (shown.length === 0) return null;
  const names = shown.map((r) => r.head.name);
  const schedules = shown.map((r) => r.schedule!);
  const waits = distribution("Share of tasks that wait up to so long (below a second: 1 s)", names, schedules.map(sortedWaits), 1, span, timeTicks);
  const slowdowns = distribution("Share of tasks with a bounded slowdown (10 s) up to so much", names, schedules.map(sortedSlowdowns), 1, count, powers);
  const sizes = makeGrouping("size", "size", schedules);
  const classes = sizes.groups.map((g) => `${g.name} proc.`);
  const byClass = (): HTMLElement =>
    waitsByClass(
      "Waits by size: half of the tasks wait up to the dot, nine of ten up to the end of the line",
      names,
      classes,
      schedules.map((s) => {
        const lists: number[][] = classes.map(() => []);
        const of = sizes.classes.get(s)!;
        for (let i = 0; i < s.tasks; i++) if (known(s.start[i]) && of[i] < classes.length) lists[of[i]].push((s.start[i] - s.submit[i]) * s.tick);
        return lists.map((l) => Float64Array.from(l).sort());
      }),
    );
  const sizesBox = el("div", {}, byClass());
  onThemeChange(() => sizesBox.replaceChildren(byClass()));
  const head = shown[0].head;
  const calendar = new Calendar(head.unix_start, head.zone, head.zone_offset);
  const weeks = el("div", { class: "row" });
  if (head.unix_start !== null) {
    const of = schedules.map((s) => {
      const sums = new Float64Array(168);
      const counts = new Float64Array(168);
      for (let i = 0; i < s.tasks; i++) {
        if (!known(s.start[i])) continue;
        const [d, h] = calendar.hourOfWeek(s.submit[i] * s.tick)!;
        sums[d * 24 + h] += (s.start[i] - s.submit[i]) * s.tick;
        counts[d * 24 + h]++;
      }
      return { means: sums.map((x, i) => (counts[i] > 0 ? x / counts[i] : 0)), counts };
    });
    const met = of.flatMap((x) => [...x.means].filter((_, i) => x.counts[i] > 0));
    const high = quantile(Float64Array.from(met).sort(), 0.98);
    of.forEach((x, i) => weeks.append(weekOf(`${names[i]}: mean wait by the hour of submission (darkest: ${span(high)})`, x.means, x.counts, high)));
  }
  const box = section("waits", "How long tasks wait", el("div", { class: "row" }, waits.box, slowdowns.box), sizesBox, weeks);
  whenResized(box, () => {
    waits.resize();
    slowdowns.resize();
  });
  return box;
}

// ---- tables ----

const waitDifference = { mean: "wait_difference", half: "wait_half_width", direction: -1 };

function groupSection(head: RunsPage): HTMLElement | null {
  if (head.groups.length === 0) return null;
  const tabs = el("div", { class: "controls", role: "group", "aria-label": "by what tasks are grouped" });
  const body = el("div");
  const words = [...new Set(head.groups.map((g) => g.word))];
  const buttons = words.map((word) => {
    const b = button(`by ${head.groups.find((g) => g.word === word)!.title}`, () => show(word));
    tabs.append(b);
    return b;
  });
  function show(word: string): void {
    buttons.forEach((b, i) => b.setAttribute("aria-pressed", String(words[i] === word)));
    body.replaceChildren(
      ...head.groups
        .filter((g) => g.word === word)
        .flatMap((g) => [
          el("h3", {}, nameText(g.against)),
          el("p", {}, g.counts),
          tableOf(g.table, `${g.against} by ${g.title}: differences of waits, task by task`, waitDifference, ["slowdown_difference", "slowdown_half_width"]),
        ]),
    );
  }
  show(words[0]);
  return section("groups", "Which groups win and which lose", el("p", { class: "quiet" }, head.groups[0].table.note ?? ""), tabs, body);
}

function figureSection(head: RunsPage): HTMLElement {
  return section(
    "figures",
    "Figures",
    tableOf(head.figures, "figures of the runs"),
    head.paired ? el("h3", {}, head.paired.title) : null,
    head.paired ? tableOf(head.paired, head.paired.title, waitDifference) : null,
    head.alone ? el("h3", {}, head.alone.title) : null,
    head.alone ? tableOf(head.alone, head.alone.title) : null,
  );
}

function madeBy(head: Head): HTMLElement {
  return el("p", { class: "quiet" }, "Written by ", head.made, ": ", el("code", {}, nameText(head.command, 500)), copyButton("copy", () => head.command, "copy the command"));
}

function honestySection(head: RunsPage): HTMLElement {
  return section(
    "honesty",
    "What this rests on",
    ...head.honesty.map((h) =>
      el("div", {}, el("h3", {}, h.title), ...(h.text ?? []).map((t) => el("p", {}, nameText(t, 2000))), h.table ? tableOf(h.table, h.title) : null),
    ),
    el("h3", {}, "For a paper"),
    ...head.methods.flatMap((m, i) => [
      el("p", {}, el("b", {}, nameText(head.runs[i].name)), ": ", nameText(m, 4000)),
      el("p", { class: "tools" }, copyButton("copy the paragraph", () => m, `what hindcast cite ${head.runs[i].path} prints`)),
    ]),
    madeBy(head),
  );
}

// ---- a study ----

function studySections(page: StudyPage): HTMLElement[] {
  const s = page.study;
  const out: HTMLElement[] = [];
  if (s.claims) out.push(section("claims", "Statements", tableOf(s.claims, "verdicts of statements")));
  if (s.tables.length > 0) out.push(section("curves", "Figures over the axes", curves(s)));
  if (s.differences.length > 0) out.push(section("differences", "Which choice is better", ...differences(s)));
  out.push(section("honesty", "What this rests on", madeBy(page)));
  return out;
}

// ---- all of it ----

/** For a talk: a part a screen, in large type; keys Page Up and Page Down go from one to the next. */
function talkButton(): HTMLElement {
  const b = button("for a talk", () => {
    const root = document.documentElement;
    root.classList.toggle("talk");
    b.setAttribute("aria-pressed", String(root.classList.contains("talk")));
    window.dispatchEvent(new Event("resize"));
  }, "a part a screen, in large type; Page Up and Page Down");
  document.addEventListener("keydown", (e) => {
    if (!document.documentElement.classList.contains("talk") || (e.key !== "PageDown" && e.key !== "PageUp")) return;
    e.preventDefault();
    const parts = [...document.querySelectorAll<HTMLElement>("header, section")];
    const at = parts.findIndex((s) => s.getBoundingClientRect().bottom > 80);
    parts[Math.min(Math.max(at + (e.key === "PageDown" ? 1 : -1), 0), parts.length - 1)].scrollIntoView();
  });
  return b;
}

function themeButton(): HTMLElement {
  const b = button("light or dark", () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
    document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
    document.dispatchEvent(new Event("themechange"));
  });
  return b;
}

function headerOf(head: Head, cards: HTMLElement | null): HTMLElement {
  return el(
    "header",
    {},
    el("p", { class: "theme" }, talkButton(), " ", themeButton()),
    el("h1", {}, nameText(head.title, 120)),
    ...head.sentence.map((s, i) => el("p", { class: i === 0 ? "sentence" : "second" }, nameText(s, 2000))),
    cards,
  );
}

/** After the next frame; a page that is not shown has none, and is not kept waiting. */
function frame(): Promise<void> {
  return new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, 100);
  });
}

function text(id: string): string {
  return document.getElementById(id)!.textContent!;
}

/** Put the page in the place of what was there for readers without JavaScript. */
function replacePlain(links: HTMLElement, body: HTMLElement): void {
  document.getElementById("plain")?.remove();
  document.body.append(links, body);
}

function addLinks(links: HTMLElement, body: HTMLElement): void {
  for (const s of body.querySelectorAll("section")) links.append(el("a", { href: `#${s.id}` }, s.querySelector("h2")!.textContent));
}

/** How much later than another a run begins, s: runs with dates are on one calendar, others begin together. */
function laterThan(first: RunHead, run: RunHead): number {
  return first.unix_start === null || run.unix_start === null ? 0 : run.unix_start - first.unix_start;
}

const STORY_LINES = 20; // of a story that is longer: so many at its beginning and at its end

/** Runs, and the pictures and figures of them as they now are. */
class Board implements Stage {
  /** Set when there is one. */
  engine: Engine | null = null;
  private drawing = Promise.resolve();
  private shown: HTMLElement[] = [];

  /** @param before  what pictures stand in front of; null: the figures
   *  @param figures  null: there are none yet */
  constructor(
    private readonly head: RunsPage,
    private readonly runs: Run[],
    private readonly body: HTMLElement,
    private readonly cards: HTMLElement,
    private readonly before: HTMLElement | null,
    private figures: HTMLElement | null,
  ) {}

  private readonly ask: Asker = (run, serial) => {
    if (!run.made || !this.engine) return null;
    return this.engine.why(run.made.of, serial).then((lines) => {
      const cut = Math.max(lines.length - 2 * STORY_LINES, 0);
      return { run: run.place, serial, first: cut ? lines.slice(0, STORY_LINES) : lines, cut, last: cut ? lines.slice(-STORY_LINES) : [] };
    });
  };

  private drawFigures(): void {
    const made = this.runs.filter((r) => r.made).map((r) => r.head);
    if (made.length === 0 && !this.figures) return;
    if (this.head.runs.length > 0 && made.length === 0 && this.shown.length === 0) return; // they are what they were
    const [first, ...others] = this.runs.map((r) => ({ name: r.head.name, schedule: r.schedule }));
    const figures = figureSection({
      ...this.head,
      figures: this.head.runs.length > 0 ? withFigures(this.head.figures, made) : figuresOf(made),
      paired: withPaired(this.head.paired ?? null, first, others.slice(Math.max(this.head.runs.length - 1, 0))),
    });
    if (this.figures) this.figures.replaceWith(figures);
    else this.body.insertBefore(figures, document.getElementById("honesty"));
    this.figures = figures;
  }

  private async drawOnce(): Promise<void> {
    const { head, runs, body } = this;
    const stories = new Stories([...head.stories, ...runs.flatMap((r, run) => (r.made?.stories ?? []).map((s) => ({ ...s, run })))]);
    runs.forEach((run, place) => (run.place = place));
    this.cards.replaceChildren(...runs.map((r) => card(r, head.kept)));
    this.drawFigures();
    for (const old of [...this.shown, ...document.querySelectorAll(".tip")]) old.remove();
    forgetPictures();
    const pictures = timeSection(runs, head, stories, this.ask);
    const counted = schedulers(runs.map((r) => r.head));
    if (counted.length > 0) pictures.push(section("schedulers", "Schedulers", ...counted));
    for (const part of pictures) body.insertBefore(part, this.before ?? this.figures);
    const lesson = lessonSection(runs, stories);
    if (lesson) body.insertBefore(lesson, this.before ?? this.figures);
    await frame();
    const waits = waitSection(runs);
    if (waits) body.insertBefore(waits, this.figures);
    this.shown = [...pictures, lesson, waits].filter((s) => s !== null);
  }

  draw(): Promise<void> {
    return (this.drawing = this.drawing.then(() => this.drawOnce()));
  }

  /** Times are told from the first run: of all that were made, where that is one of these. */
  private async read(run: Run): Promise<void> {
    const first = (this.runs.find((r) => r.head.columns) ?? this.runs[0]).head;
    run.schedule = await readSchedule(run.made!.columns, laterThan(first, run.head));
  }

  async add(made: Made): Promise<void> {
    const run: Run = { head: made.head, schedule: null, place: this.runs.length, made };
    this.runs.push(run);
    await this.read(run);
    await this.draw();
  }

  async remove(made: Made): Promise<void> {
    const at = this.runs.findIndex((r) => r.made === made);
    this.runs.splice(at, 1);
    if (at === 0) for (const run of this.runs) await this.read(run);
    await this.draw();
  }
}

/** The sentence and the tables are there at once; pictures follow when the schedules are unpacked. */
async function showRuns(head: RunsPage, links: HTMLElement): Promise<void> {
  const runs: Run[] = head.runs.map((run, place) => ({ head: run, schedule: null, place }));
  const cards = el("div", { class: "cards" }, ...runs.map((r) => card(r, head.kept)));
  const groups = groupSection(head);
  const figures = figureSection(head);
  const body = el("main", { id: "main" }, headerOf(head, cards), groups, figures, honestySection(head));
  replacePlain(links, body);
  await frame();
  const first = (runs.find((r) => r.head.columns) ?? runs[0]).head;
  for (const run of runs) {
    const script = run.head.columns ? document.getElementById(run.head.columns) : null;
    if (!script) continue;
    run.schedule = await readSchedule(script.textContent!, laterThan(first, run.head));
    script.remove(); // its text is as large as all else together
  }
  const board = new Board(head, runs, body, cards, groups, figures);
  await board.draw();
  const again = whatIf(board, head.runs);
  board.engine = again?.engine ?? null;
  if (again) body.insertBefore(section("again", "What if", ...again.nodes), body.querySelector("section"));
  addLinks(links, body);
}

/** The page that is the whole command: no run is there until it is made. */
function showTry(head: RunsPage, what: TryPage, links: HTMLElement): void {
  const cards = el("div", { class: "cards" });
  const body = el("main", { id: "main" }, headerOf(head, null));
  const board = new Board(head, [], body, cards, null, null);
  const tried = tryOut(board, what);
  board.engine = tried.engine;
  body.append(section("again", "Run", ...tried.nodes), cards, section("honesty", "What this rests on", ...head.honesty.flatMap((h) => (h.text ?? []).map((t) => el("p", {}, nameText(t, 2000)))), madeBy(head)));
  replacePlain(links, body);
  addLinks(links, body);
}

function showStudy(page: StudyPage, links: HTMLElement): void {
  const body = el("main", { id: "main" }, headerOf(page, null), ...studySections(page));
  addLinks(links, body);
  replacePlain(links, body);
}

async function main(): Promise<void> {
  const head = JSON.parse(text("head")) as RunsPage | StudyPage;
  const links = el("nav", { "aria-label": "parts of the page" });
  document.title = head.title;
  if ("study" in head) showStudy(head, links);
  else if ("try" in head) showTry(head, head.try as TryPage, links);
  else await showRuns(head, links);
  document.documentElement.dataset.ready = "yes"; // what tests wait for
}

window.addEventListener("error", (e) => {
  document.documentElement.dataset.failed = String(e.message);
});
main().catch((e: unknown) => {
  document.documentElement.dataset.failed = String(e);
  document.body.append(el("p", { class: "refuted" }, `The page could not be shown: ${String(e)}`));
});
