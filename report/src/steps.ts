// steps.ts -- a small run instant by instant, for a lesson: what arrives, starts and ends, who waits and why, how much is
// free and by which sum, and for when a waiting task is promised its start.

import { button, el, nameText, svg } from "./dom";
import { known, taskName, type RunHead, type Schedule } from "./data";
import { count, span, type Calendar } from "./format";
import { areaInk } from "./palette";
import type { Stories } from "./stories";

/** Runs with more tasks are not for a lesson. The command tells the story of every task of such a run: STEPS_MOST. */
export const STEPS_MOST = 30;

const WIDTH = 900;
const LEFT = 8;
const AXIS = 20;

export interface Lesson {
  head: RunHead;
  schedule: Schedule;
  place: number;
  later: number;
}

interface Now {
  t: number;
  waiting: number[];
  running: number[];
  arrives: number[];
  starts: number[];
  ends: number[];
}

function instantsOf(lessons: Lesson[]): number[] {
  const all = new Set<number>();
  for (const { schedule: s } of lessons) {
    for (const column of [s.submit, s.start, s.end, s.rect.start, s.rect.end]) for (const x of column) if (known(x)) all.add(x * s.tick);
  }
  return [...all].sort((a, b) => a - b);
}

/** The state when all of an instant has happened. */
function stateAt(s: Schedule, t: number): Now {
  const now: Now = { t, waiting: [], running: [], arrives: [], starts: [], ends: [] };
  for (let i = 0; i < s.tasks; i++) {
    const submit = s.submit[i] * s.tick;
    const start = known(s.start[i]) ? s.start[i] * s.tick : Infinity;
    const end = known(s.end[i]) ? s.end[i] * s.tick : Infinity;
    if (submit === t) now.arrives.push(i);
    if (start === t) now.starts.push(i);
    if (end === t) now.ends.push(i);
    if (submit <= t && start > t && end > t) now.waiting.push(i);
    if (start <= t && end > t) now.running.push(i);
  }
  return now;
}

/** Lanes that rectangles hold at an instant within [low, high). @param row  of this task alone; null: of all */
function heldLanes(s: Schedule, row: number | null, t: number, low = 0, high = s.lanes): number {
  const r = s.rect;
  let lanes = 0;
  for (let i = 0; i < r.count; i++) {
    if ((row !== null && r.row[i] !== row) || r.start[i] * s.tick > t || r.end[i] * s.tick <= t) continue;
    lanes += Math.max(Math.min(r.lane[i] + r.lanes[i], high) - Math.max(r.lane[i], low), 0);
  }
  return lanes;
}

/** Lanes of hosts that are away and that no task holds. */
function awayLanes(s: Schedule, t: number): number {
  const from = s.columns.get("away_from");
  let lanes = 0;
  for (let i = 0; from && s.hostLane && i < from.length; i++) {
    const to = s.columns.get("away_to")![i];
    if (from[i] * s.tick > t || (known(to) && to * s.tick <= t)) continue;
    const host = s.columns.get("away_host")![i];
    const low = s.hostLane[host];
    const high = low + s.hostLanes![host];
    lanes += high - low - heldLanes(s, null, t, low, high);
  }
  return lanes;
}

function processors(s: Schedule, lanes: number): number {
  return (lanes / s.lanes) * s.capacity;
}

/** What the result counts in. */
function unitOf(s: Schedule, n: number): string {
  const word = s.hosts.length === 0 ? "processor" : s.unitsAProcessor === 1000 ? "core" : "unit";
  return `${count(n)} ${word}${n === 1 ? "" : "s"}`;
}

function colourOf(row: number): string {
  return areaInk(row % 8);
}

/** The schedule up to an instant: solid what has run, pale what still will, dashed what is promised. */
function picture(lesson: Lesson, now: Now, promised: Map<number, number>, first: number, last: number, calendar: Calendar): SVGElement {
  const s = lesson.schedule;
  const height = Math.min(Math.max(s.lanes * 16, 90), 260);
  const lane = height / s.lanes;
  const x = (t: number): number => LEFT + ((t - first) / (last - first || 1)) * (WIDTH - 2 * LEFT);
  const top = (from: number, lanes: number): number => (s.hostLane ? from * lane : height - (from + lanes) * lane);
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${height + AXIS}`, class: "lesson", role: "img", "aria-label": `${lesson.head.name} at ${calendar.full(now.t)}` });
  picture.append(svg("rect", { x: LEFT, y: 0, width: WIDTH - 2 * LEFT, height, class: "ground" }));
  const box = (from: number, to: number, i: number, colour: string, extra: Record<string, string | number>): void => {
    const r = s.rect;
    const e = svg("rect", { x: x(from), y: top(r.lane[i], r.lanes[i]) + 0.5, width: Math.max(x(to) - x(from), 0.5), height: Math.max(r.lanes[i] * lane - 1, 1), ...extra });
    e.style.fill = colour; // as a text of the page the policy would not let it be
    picture.append(e);
  };
  for (let i = 0; i < s.rect.count; i++) {
    const row = s.rect.row[i];
    const from = s.rect.start[i] * s.tick;
    const to = s.rect.end[i] * s.tick;
    const at = promised.get(row);
    if (from > now.t) {
      if (at !== undefined && s.start[row] * s.tick === from) box(at, at + (to - from), i, "none", { class: "promised" });
      continue;
    }
    box(from, to, i, colourOf(row), { "fill-opacity": 0.3 });
    box(from, Math.min(to, now.t), i, colourOf(row), {});
    if (to > from) picture.append(svg("text", { x: x(from) + 3, y: top(s.rect.lane[i], s.rect.lanes[i]) + Math.min(lane * s.rect.lanes[i] - 3, 13) }, taskName(s, row).slice(0, 12)));
  }
  picture.append(svg("line", { x1: x(now.t), x2: x(now.t), y1: 0, y2: height, class: "now" }));
  const { step, at } = calendar.ticks(first, last, 9);
  for (const t of at) picture.append(svg("text", { x: Math.min(Math.max(x(t), 30), WIDTH - 30), y: height + 15, "text-anchor": "middle", class: "quiet" }, calendar.label(t, step)));
  return picture;
}

function sized(s: Schedule, row: number): string {
  const limit = s.columns.get("limit")?.[row];
  const asked = limit !== undefined && known(limit) ? `, for up to ${span(limit * s.tick)}` : "";
  return `${taskName(s, row)} (${unitOf(s, s.units[row] / s.unitsAProcessor)}${asked})`;
}

function sentence(what: string, s: Schedule, rows: number[]): HTMLElement | null {
  if (rows.length === 0) return null;
  return el("li", {}, el("b", {}, `${what} `), ...rows.flatMap((row, i) => [i > 0 ? ", " : "", nameText(sized(s, row), 80)]));
}

/** "Free: 8 - 4 (task 1) - 2 (task 3) = 2 processors". */
function sum(s: Schedule, now: Now): HTMLElement {
  const away = processors(s, awayLanes(s, now.t));
  const terms: [number, string][] = now.running.map((row) => [processors(s, heldLanes(s, row, now.t)), taskName(s, row).slice(0, 12)]);
  if (away > 0) terms.push([away, "away"]);
  const free = terms.reduce((left, [held]) => left - held, s.capacity);
  return el("li", {}, el("b", {}, "Free: "), `${count(s.capacity)}${terms.map(([held, of]) => ` - ${count(held)} (${of})`).join("")} = ${unitOf(s, free)}`);
}

/** Advance reservations that hold at an instant. */
function reserved(s: Schedule, now: Now, calendar: Calendar): HTMLElement | null {
  const from = s.columns.get("reserved_from");
  const texts: string[] = [];
  for (let i = 0; from && i < from.length; i++) {
    const to = s.columns.get("reserved_to")![i];
    if (from[i] * s.tick > now.t || (known(to) && to * s.tick <= now.t)) continue;
    const hosts = s.columns.get("reserved_count")![i];
    const what = hosts > 0 ? `${count(hosts)} hosts` : unitOf(s, s.columns.get("reserved_units")![i] / s.unitsAProcessor);
    texts.push(`${what}${known(to) ? ` until ${calendar.full(to * s.tick)}` : ""}`);
  }
  return texts.length > 0 ? el("li", {}, el("b", {}, "Reserved in advance: "), texts.join("; ")) : null;
}

function queueOf(lesson: Lesson, now: Now, stories: Stories): HTMLElement | null {
  if (now.waiting.length === 0) return null;
  const s = lesson.schedule;
  return el(
    "li",
    {},
    el("b", {}, "Waiting: "),
    el("ol", {}, ...now.waiting.map((row) => el("li", {}, nameText(sized(s, row), 80), ": ", nameText(stories.at(lesson.place, s, row, now.t - lesson.later) ?? "waits", 300)))),
  );
}

function panel(lesson: Lesson, t: number, first: number, last: number, calendar: Calendar, stories: Stories): HTMLElement {
  const s = lesson.schedule;
  const now = stateAt(s, t);
  const promised = new Map<number, number>();
  for (const row of now.waiting) {
    const at = stories.promised(lesson.place, s, row, t - lesson.later);
    if (at !== null) promised.set(row, at + lesson.later);
  }
  return el(
    "figure",
    { class: "strip" },
    el("figcaption", {}, nameText(lesson.head.name)),
    picture(lesson, now, promised, first, last, calendar) as unknown as Node,
    el("ul", { class: "plain" }, sentence("Ends:", s, now.ends), sentence("Arrives:", s, now.arrives), sentence("Starts:", s, now.starts), sum(s, now), reserved(s, now, calendar), queueOf(lesson, now, stories)),
  );
}

/** @return null: some run is too large for a lesson */
export function steps(lessons: Lesson[], calendar: Calendar, stories: Stories): HTMLElement[] | null {
  if (lessons.length === 0 || lessons.some((l) => l.schedule.tasks > STEPS_MOST || l.schedule.tasks === 0)) return null;
  const instants = instantsOf(lessons);
  const first = instants[0];
  const last = Math.max(...lessons.map((l) => l.schedule.last * l.schedule.tick));
  const body = el("div", { "aria-live": "polite" });
  const where = el("output", { class: "quiet" });
  const slider = el("input", { type: "range", min: "0", max: String(instants.length - 1), value: "0", "aria-label": "instant" });
  let at = 0;
  const show = (to: number): void => {
    at = Math.min(Math.max(to, 0), instants.length - 1);
    slider.value = String(at);
    where.textContent = `instant ${at + 1} of ${instants.length}: ${calendar.full(instants[at])}`;
    body.replaceChildren(...lessons.map((l) => panel(l, instants[at], first, last, calendar, stories)));
  };
  slider.addEventListener("input", () => show(+slider.value));
  show(0);
  return [
    el("p", { class: "controls" }, button("‹ back", () => show(at - 1), "the instant before"), button("step ›", () => show(at + 1), "the next instant"), slider, where),
    el("p", { class: "quiet" }, "Each rectangle is a task: full colour up to now, pale what it will still take, dashed where a waiting task is promised its start. A line for each thing that happens at this instant, then the sum of what is free, and the queue with what is in its way.", lessons.some((l) => l.schedule.hostLane) ? " A host whose amounts are changed for a while counts with all of them." : ""),
    body,
  ];
}
