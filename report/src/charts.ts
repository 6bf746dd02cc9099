// charts.ts -- lines over time and distributions, by uPlot; small pictures as SVG.

import uPlot from "uplot";
import { lineOf, dashOf, isDark } from "./palette";
import { el, svg } from "./dom";
import { quantile } from "./series";
import type { Calendar } from "./format";
import { count, span } from "./format";

function ink(): string {
  return isDark() ? "#b9bcc2" : "#55585e";
}

function axis(extra: Partial<uPlot.Axis> = {}): uPlot.Axis {
  return {
    stroke: ink,
    grid: { stroke: () => (isDark() ? "#33363b" : "#e6e6e2"), width: 1 },
    ticks: { stroke: () => (isDark() ? "#33363b" : "#e6e6e2"), width: 1 },
    font: "11px system-ui, sans-serif",
    ...extra,
  } as uPlot.Axis;
}

/** @param places  in the order of colours, of each; none: as they stand */
function lines(names: string[], value: (x: number) => string, places?: number[]): uPlot.Series[] {
  return names.map((label, i) => ({
    label,
    stroke: () => lineOf(places?.[i] ?? i),
    width: 1.6,
    dash: dashOf(places?.[i] ?? i),
    points: { show: false },
    value: (_u: uPlot, x: number | null) => (x == null ? "-" : value(x)),
  }));
}

export interface OverTime {
  box: HTMLElement;
  /** Show other numbers: of each run one array, over the same times. */
  set(at: Float64Array, values: (Float64Array | (number | null)[])[], from: number, to: number): void;
  resize(): void;
}

/** Lines of the runs over time. A drag across it shows that stretch in all pictures.
 *  @param most   where the axis ends; null: above what is shown, and above `least` */
export function overTime(
  title: string,
  names: string[],
  calendar: Calendar,
  value: (x: number) => string,
  most: number | null,
  show: (from: number, to: number) => void,
  least = 1,
  places?: number[],
): OverTime {
  const box = el("figure", { class: "chart" });
  box.append(el("figcaption", {}, title));
  const plot = new uPlot(
    {
      width: 600,
      height: 150,
      legend: { live: true },
      cursor: { drag: { x: true, y: false, setScale: false }, sync: { key: "time" } },
      scales: { x: { time: false }, y: { range: (_u, low, high) => [Math.min(low * 1.05, 0), most ?? Math.max(high * 1.05, least)] } },
      axes: [
        axis({
          splits: (u) => calendar.ticks(u.scales.x.min!, u.scales.x.max!, Math.max(Math.floor(u.width / 90), 2)).at,
          values: (u, at) => {
            const { step } = calendar.ticks(u.scales.x.min!, u.scales.x.max!, Math.max(Math.floor(u.width / 90), 2));
            return at.map((t) => calendar.label(t, step));
          },
        }),
        axis({ size: 56, values: (_u, at) => at.map(value) }),
      ],
      series: [{ label: "time", value: (_u, t) => (t == null ? "-" : calendar.full(t)) }, ...lines(names, value, places)],
      hooks: {
        setSelect: [
          (u) => {
            if (u.select.width < 4) return;
            show(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
      },
    },
    [[0, 1], ...names.map(() => [0, 0])],
    box,
  );
  return {
    box,
    set(at, values, from, to) {
      plot.setData([at, ...values], false);
      plot.setScale("x", { min: from, max: to });
    },
    resize() {
      plot.setSize({ width: Math.max(box.clientWidth, 200), height: 150 });
    },
  };
}

/** The share of tasks up to each value, of sorted values of each run, on an axis of powers. */
export function distribution(
  title: string,
  names: string[],
  sorted: Float64Array[],
  least: number,
  value: (x: number) => string,
  ticks: number[],
): { box: HTMLElement; resize(): void } {
  const box = el("figure", { class: "chart" });
  box.append(el("figcaption", {}, title));
  const high = Math.max(...sorted.map((v) => v[v.length - 1] ?? least), least * 10);
  const points = 400;
  const at = Array.from({ length: points + 1 }, (_, i) => least * (high / least) ** (i / points));
  const shares = sorted.map((v) => {
    let below = 0;
    return at.map((x) => {
      while (below < v.length && v[below] <= x * (1 + 1e-12)) below++;
      return v.length ? below / v.length : 0;
    });
  });
  const plot = new uPlot(
    {
      width: 400,
      height: 220,
      scales: { x: { time: false, distr: 3 }, y: { range: [0, 1] } },
      axes: [
        axis({ splits: () => ticks.filter((x) => x <= high), filter: (_u, xs) => xs, values: (_u, xs) => xs.map(value) }),
        axis({ size: 48, values: (_u, ys) => ys.map((y) => `${Math.round(100 * y)} %`) }),
      ],
      series: [{ label: "up to", value: (_u, x) => (x == null ? "-" : value(x)) }, ...lines(names, (y) => `${(100 * y).toFixed(1)} %`)],
    },
    [at, ...shares],
    box,
  );
  return {
    box,
    resize() {
      plot.setSize({ width: Math.max(box.clientWidth, 200), height: 220 });
    },
  };
}

/** Where axes of powers have ticks: of times, of numbers. */
export const timeTicks = [1, 10, 60, 600, 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400, 365 * 86400];
export const powers = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];

/** A line without axes. */
export function sparkline(values: Float64Array, most: number, place: number, label: string): SVGElement {
  const w = 140;
  const h = 28;
  const points = Array.from(values, (v, i) => `${((i / Math.max(values.length - 1, 1)) * w).toFixed(1)},${(h - 1 - (Math.min(v, most) / (most || 1)) * (h - 2)).toFixed(1)}`);
  return svg(
    "svg",
    { width: w, height: h, viewBox: `0 0 ${w} ${h}`, class: "sparkline", role: "img", "aria-label": label },
    svg("polyline", { points: points.join(" "), fill: "none", stroke: lineOf(place), "stroke-width": 1.3 }),
  );
}

/** How long tasks of each class wait: half of them less than the dot, nine of ten less than the end of the line. */
export function waitsByClass(title: string, names: string[], classes: string[], waits: Float64Array[][]): HTMLElement {
  const row = 18;
  const gap = 8;
  const left = 110;
  const w = 560;
  const least = 1;
  const high = Math.max(...waits.flat().map((v) => quantile(v, 0.9)).filter((x) => x === x), 10);
  const x = (v: number): number => left + (Math.log(Math.max(v, least) / least) / Math.log(high / least)) * (w - left - 90);
  const shown = classes.map((name, k) => ({ name, k })).filter(({ k }) => waits.some((run) => run[k].length > 0));
  const height = shown.length * (names.length * row + gap) + 24;
  const picture = svg("svg", { viewBox: `0 0 ${w} ${height}`, class: "classes", role: "img", "aria-label": title });
  let y = 0;
  for (const t of [1, 60, 3600, 86400, 604800]) {
    if (t > high) continue;
    picture.append(
      svg("line", { x1: x(t), x2: x(t), y1: 0, y2: height - 18, class: "grid" }),
      svg("text", { x: x(t), y: height - 5, "text-anchor": "middle" }, span(t)),
    );
  }
  for (const { name, k } of shown) {
    picture.append(svg("text", { x: left - 8, y: y + (names.length * row) / 2 + 4, "text-anchor": "end" }, name));
    waits.forEach((run, i) => {
      const v = run[k];
      const middle = y + i * row + row / 2;
      if (v.length > 0) {
        const half = quantile(v, 0.5);
        const most = quantile(v, 0.9);
        picture.append(
          svg("line", { x1: x(half), x2: x(most), y1: middle, y2: middle, stroke: lineOf(i), "stroke-width": 3 }),
          svg("circle", { cx: x(half), cy: middle, r: 4.5, fill: lineOf(i) }, svg("title", {}, `${names[i]}, ${name}: half of ${count(v.length)} tasks wait up to ${span(half)}, nine of ten up to ${span(most)}`)),
          svg("text", { x: x(most) + 6, y: middle + 4, class: "quiet" }, span(most)),
        );
      }
    });
    y += names.length * row + gap;
  }
  return el("figure", { class: "chart" }, el("figcaption", {}, title), picture as unknown as HTMLElement);
}

const days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** A square for each hour of the week, the darker the longer tasks wait that come then. */
export function weekOf(title: string, means: Float64Array, counts: Float64Array, high: number): HTMLElement {
  const size = 15;
  const left = 32;
  const picture = svg("svg", { viewBox: `0 0 ${left + 24 * size} ${7 * size + 18}`, class: "week", role: "img", "aria-label": title });
  for (let d = 0; d < 7; d++) {
    picture.append(svg("text", { x: left - 5, y: d * size + 11, "text-anchor": "end" }, days[d]));
    for (let h = 0; h < 24; h++) {
      const n = counts[d * 24 + h];
      const mean = means[d * 24 + h];
      const share = n > 0 && high > 0 ? Math.sqrt(mean / high) : 0;
      picture.append(
        svg(
          "rect",
          { x: left + h * size, y: d * size, width: size - 1, height: size - 1, class: "hour", "fill-opacity": n > 0 ? 0.08 + 0.92 * Math.min(share, 1) : 0 },
          svg("title", {}, `${days[d]} ${h}:00: ${n > 0 ? `${span(mean)} on average, of ${count(n)} tasks` : "no tasks"}`),
        ),
      );
    }
  }
  for (let h = 0; h < 24; h += 6) picture.append(svg("text", { x: left + h * size, y: 7 * size + 13 }, `${h}:00`));
  return el("figure", { class: "chart small" }, el("figcaption", {}, title), picture as unknown as HTMLElement);
}
