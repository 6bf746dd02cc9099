// study.ts -- a study: a figure over an axis, a line for each level of another one, with bands of its intervals; the
// same as a table whose cells are shaded; paired differences; verdicts of statements. All numbers are the command's.

import type { StudyCells, StudyHead, Table } from "./data";
import { button, el, nameText, svg } from "./dom";
import { lineOf, dashOf, isDark, onThemeChange } from "./palette";
import { tableOf } from "./table";

const W = 900;
const H = 420;
const LEFT = 76;
const RIGHT = 170;
const TOP = 14;
const FOOT = 46;

interface Point {
  x: number;
  mean: number;
  low: number;
  high: number;
  text: string;
  label: string;
}

interface Line {
  name: string;
  points: Point[];
}

/** A figure for people: "wait_mean (s)". */
function figureTitle(f: { name: string; unit: string }): string {
  return f.unit && f.unit !== "1" ? `${f.name} (${f.unit})` : f.name;
}

/** Numbers of an axis, if all of its labels are some; else its levels stand side by side. */
function numbersOf(labels: string[]): number[] | null {
  const numbers = labels.map((l) => (l.trim() === "" ? NaN : Number(l)));
  return numbers.every((n) => Number.isFinite(n)) && new Set(numbers).size === labels.length ? numbers : null;
}

function niceStep(range: number, most: number): number {
  const power = 10 ** Math.floor(Math.log10(range / most));
  return [1, 2, 5, 10].map((f) => f * power).find((s) => range / s <= most) ?? 10 * power;
}

function tickText(x: number): string {
  if (x !== 0 && (Math.abs(x) >= 1e6 || Math.abs(x) < 1e-3)) return x.toExponential(1).replace("e+", "e");
  return Number(x.toPrecision(6)).toLocaleString("en-US", { maximumFractionDigits: 6 });
}

/** Where the values of a picture lie: from a round number to a round number, or by powers. */
function scaleOf(values: number[], logarithmic: boolean): { y(v: number): number; ticks: number[] } {
  const known = values.filter((v) => v === v && (!logarithmic || v > 0));
  let low = Math.min(...known);
  let high = Math.max(...known);
  if (!(high >= low)) [low, high] = [0, 1];
  const field = H - TOP - FOOT;
  if (logarithmic) {
    const a = Math.floor(Math.log10(low) * 3) / 3;
    const b = Math.max(Math.ceil(Math.log10(high) * 3) / 3, a + 1 / 3);
    const ticks: number[] = [];
    for (let p = Math.floor(a); p <= b; p++) {
      for (const f of b - a > 3 ? [1] : [1, 2, 5]) {
        const t = f * 10 ** p;
        if (Math.log10(t) >= a - 1e-9 && Math.log10(t) <= b + 1e-9) ticks.push(t);
      }
    }
    return { y: (v) => TOP + field * (1 - (Math.log10(Math.max(v, 10 ** a)) - a) / (b - a)), ticks };
  }
  if (low > 0 && low < 0.6 * high) low = 0;
  const step = niceStep(high - low || Math.abs(high) || 1, 6);
  const a = Math.floor(low / step + 1e-9) * step;
  const b = Math.max(Math.ceil(high / step - 1e-9) * step, a + step);
  const ticks: number[] = [];
  for (let i = 0; a + i * step <= b + step / 2; i++) ticks.push(a + i * step);
  return { y: (v) => TOP + field * (1 - (Math.min(Math.max(v, a), b) - a) / (b - a)), ticks };
}

const shapes = ["circle", "square", "up", "diamond", "down", "cross", "star", "plus"];

/** A mark of a line: each has its own shape, so that they are told apart without colours. */
function mark(place: number, x: number, y: number): SVGElement {
  const r = 4;
  const at = { fill: lineOf(place), stroke: "none" };
  const path = (d: string, more: Record<string, string | number> = at): SVGElement => svg("path", { d, ...more });
  const stroke = { fill: "none", stroke: lineOf(place), "stroke-width": 2 };
  switch (shapes[place % shapes.length]) {
    case "square":
      return svg("rect", { x: x - r, y: y - r, width: 2 * r, height: 2 * r, ...at });
    case "up":
      return path(`M${x - r} ${y + r}L${x} ${y - r - 1}L${x + r} ${y + r}Z`);
    case "down":
      return path(`M${x - r} ${y - r}L${x} ${y + r + 1}L${x + r} ${y - r}Z`);
    case "diamond":
      return path(`M${x} ${y - r - 1}L${x + r + 1} ${y}L${x} ${y + r + 1}L${x - r - 1} ${y}Z`);
    case "cross":
      return path(`M${x - r} ${y - r}L${x + r} ${y + r}M${x - r} ${y + r}L${x + r} ${y - r}`, stroke);
    case "star":
      return path(`M${x - r} ${y}L${x + r} ${y}M${x} ${y - r}L${x} ${y + r}M${x - 3} ${y - 3}L${x + 3} ${y + 3}`, stroke);
    case "plus":
      return path(`M${x - r} ${y}L${x + r} ${y}M${x} ${y - r}L${x} ${y + r}`, stroke);
    default:
      return svg("circle", { cx: x, cy: y, r, ...at });
  }
}

/** Labels at the right end of lines, moved apart. */
function labelsOf(lines: Line[], y: (v: number) => number): number[] {
  const order = lines
    .map((l, i) => ({ i, at: y(l.points.filter((p) => p.mean === p.mean).pop()?.mean ?? 0) }))
    .sort((a, b) => a.at - b.at);
  let free = TOP;
  const out: number[] = [];
  for (const o of order) {
    free = Math.max(o.at, free);
    out[o.i] = free;
    free += 15;
  }
  const over = free - 15 - (H - FOOT);
  return over > 0 ? out.map((v) => v - over) : out;
}

function picture(title: string, lines: Line[], xTitle: string, yTitle: string, labels: string[], numbers: number[] | null, logarithmic: boolean): SVGElement {
  const field = W - LEFT - RIGHT;
  const low = numbers ? Math.min(...numbers) : 0;
  const high = numbers ? Math.max(...numbers) : labels.length - 1;
  const pad = numbers ? 10 : field / (2 * labels.length);
  const x = (v: number): number => LEFT + pad + (high > low ? (v - low) / (high - low) : 0.5) * (field - 2 * pad);
  const { y, ticks } = scaleOf(lines.flatMap((l) => l.points.flatMap((p) => [p.mean, p.low, p.high])), logarithmic);
  const ink = isDark() ? "#b9bcc2" : "#55585e";
  const grid = isDark() ? "#33363b" : "#e6e6e2";
  const text = (content: string, at: Record<string, string | number>): SVGElement => svg("text", { fill: ink, "font-size": 12, ...at }, content);
  const out = svg("svg", { viewBox: `0 0 ${W} ${H}`, class: "study", role: "img", "aria-label": title, xmlns: "http://www.w3.org/2000/svg", "font-family": "sans-serif" });
  for (const t of ticks) {
    out.append(
      svg("line", { x1: LEFT, x2: W - RIGHT, y1: y(t), y2: y(t), stroke: grid }),
      text(tickText(t), { x: LEFT - 8, y: y(t) + 4, "text-anchor": "end" }),
    );
  }
  const every = Math.ceil(labels.length / 12);
  labels.forEach((l, i) => {
    if (i % every !== 0) return;
    const at = x(numbers ? numbers[i] : i);
    out.append(svg("line", { x1: at, x2: at, y1: H - FOOT, y2: H - FOOT + 5, stroke: ink }));
    out.append(text(l.length > 14 ? `${l.slice(0, 13)}…` : l, { x: at, y: H - FOOT + 18, "text-anchor": "middle" }));
  });
  out.append(text(xTitle, { x: LEFT + field / 2, y: H - 8, "text-anchor": "middle" }));
  out.append(text(yTitle, { x: 14, y: TOP + (H - TOP - FOOT) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${TOP + (H - TOP - FOOT) / 2})` }));
  const ends = labelsOf(lines, y);
  lines.forEach((line, i) => {
    const shift = numbers ? 0 : (i - (lines.length - 1) / 2) * Math.min(12, (1.4 * pad) / lines.length);
    const known = line.points.filter((p) => p.mean === p.mean);
    const banded = known.filter((p) => p.low === p.low && p.high === p.high);
    if (numbers && banded.length > 1) {
      const below = [...banded].reverse();
      const d = [...banded.map((p) => `${x(p.x)} ${y(p.high)}`), ...below.map((p) => `${x(p.x)} ${y(p.low)}`)].join("L");
      out.append(svg("path", { d: `M${d}Z`, fill: lineOf(i), "fill-opacity": 0.13 }));
    }
    for (const p of numbers ? [] : banded) {
      out.append(svg("line", { x1: x(p.x) + shift, x2: x(p.x) + shift, y1: y(p.low), y2: y(p.high), stroke: lineOf(i), "stroke-width": 2 }));
    }
    if (numbers && known.length > 1) {
      const d = known.map((p) => `${x(p.x)} ${y(p.mean)}`).join("L");
      out.append(svg("path", { d: `M${d}`, fill: "none", stroke: lineOf(i), "stroke-width": 2, "stroke-dasharray": dashOf(i).join(" ") }));
    }
    for (const p of known) {
      const m = mark(i, x(p.x) + shift, y(p.mean));
      m.append(svg("title", {}, `${line.name ? `${line.name}, ` : ""}${p.label}: ${p.text}`));
      out.append(m);
    }
    if (!line.name) return;
    const label = text(line.name.length > 22 ? `${line.name.slice(0, 21)}…` : line.name, { x: W - RIGHT + 22, y: ends[i] + 4 });
    label.append(svg("title", {}, line.name));
    out.append(mark(i, W - RIGHT + 12, ends[i]), label);
  });
  return out;
}

/** Stems of figures that say how much work stayed behind; they end as those of the same scheduler do (src/plot/chart/heat.c). */
const behind = ["tasks_unscheduled_share", "jobs_given_up", "tasks_given_up"];

/** The figure that marks the cells of another one: work that stayed unscheduled, of the same scheduler. */
function markFigure(s: StudyHead, figure: number): number | null {
  const shown = s.figures[figure].name;
  for (const stem of behind) {
    const found = s.figures.findIndex(({ name }) => name.startsWith(stem) && (name === stem || (shown.length > name.length - stem.length && shown.endsWith(name.slice(stem.length)))));
    if (found >= 0) return found;
  }
  return null;
}

function tableAt(s: StudyHead, figure: number, x: number, b: number | null): StudyCells | undefined {
  return s.tables.find((c) => c.figure === figure && (b === null ? c.rows === x && c.columns === null : (c.rows === x && c.columns === b) || (c.rows === b && c.columns === x)));
}

/** A cell of a table of two axes, by their levels. */
function cellAt(t: StudyCells, s: StudyHead, x: number, i: number, b: number, k: number): StudyCells["cells"][number] {
  return t.rows === x ? t.cells[i * s.axes[b].labels.length + k] : t.cells[k * s.axes[x].labels.length + i];
}

/** Two axes as a field of cells, darker where there is more, with a cross where work stayed unscheduled. */
function surface(title: string, t: StudyCells, s: StudyHead, x: number, b: number, logarithmic: boolean): SVGElement {
  const marks = markFigure(s, t.figure);
  const marked = marks === null ? undefined : tableAt(s, marks, x, b);
  const across = s.axes[x].labels;
  const upward = s.axes[b].labels;
  const width = (W - LEFT - 60) / across.length;
  const height = Math.min(Math.max((H - TOP - FOOT) / upward.length, 14), 60);
  const foot = TOP + height * upward.length;
  const ink = isDark() ? "#b9bcc2" : "#55585e";
  const value = (v: number): number => (logarithmic ? Math.log10(v) : v);
  const means = t.cells.map((c) => c[1]).filter((m): m is number => m !== null && (!logarithmic || m > 0));
  const low = value(logarithmic ? Math.min(...means) : Math.min(...means, 0));
  const high = value(Math.max(...means));
  const text = (content: string, at: Record<string, string | number>): SVGElement => svg("text", { fill: ink, "font-size": 12, ...at }, content);
  const out = svg("svg", { viewBox: `0 0 ${W} ${foot + FOOT + 24}`, class: "study surface", role: "img", "aria-label": title, xmlns: "http://www.w3.org/2000/svg", "font-family": "sans-serif" });
  const cross = (cx: number, cy: number, r: number): SVGElement => {
    const d = `M${cx - r} ${cy - r}L${cx + r} ${cy + r}M${cx - r} ${cy + r}L${cx + r} ${cy - r}`;
    return svg("g", { class: "cross", fill: "none" }, svg("path", { d, stroke: isDark() ? "#131416" : "#ffffff", "stroke-width": 4 }), svg("path", { d, stroke: isDark() ? "#ffffff" : "#1c1e21", "stroke-width": 1.6 }));
  };
  let crossed = false;
  upward.forEach((name, k) => {
    const y = TOP + height * k;
    out.append(text(name.length > 10 ? `${name.slice(0, 9)}…` : name, { x: LEFT - 8, y: y + height / 2 + 4, "text-anchor": "end" }));
    across.forEach((label, i) => {
      const [n, mean, , , shown] = cellAt(t, s, x, i, b, k);
      if (n === 0 || mean === null || (logarithmic && mean <= 0)) return;
      const share = high > low ? (value(mean) - low) / (high - low) : 1;
      const stays = marked ? (cellAt(marked, s, x, i, b, k)[1] ?? 0) > 0 : false;
      const cell = svg("g", {}, svg("rect", { x: LEFT + width * i, y, width: width - 1, height: height - 1, fill: isDark() ? "#6cb8ec" : "#0a2f5c", "fill-opacity": 0.06 + 0.9 * share }));
      if (stays) cell.append(cross(LEFT + width * (i + 0.5), y + height / 2, Math.min(width, height) * 0.22));
      cell.append(svg("title", {}, `${s.axes[b].name} ${name}, ${s.axes[x].name} ${label}: ${shown}${stays ? "; work stayed unscheduled" : ""}`));
      crossed ||= stays;
      out.append(cell);
    });
  });
  const every = Math.ceil(across.length / 14);
  across.forEach((l, i) => i % every === 0 && out.append(text(l.length > 12 ? `${l.slice(0, 11)}…` : l, { x: LEFT + width * (i + 0.5), y: foot + 16, "text-anchor": "middle" })));
  out.append(text(s.axes[x].name, { x: LEFT + (W - LEFT - 60) / 2, y: foot + 34, "text-anchor": "middle" }));
  out.append(text(s.axes[b].name, { x: 14, y: TOP + (foot - TOP) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${TOP + (foot - TOP) / 2})` }));
  if (crossed) out.append(cross(LEFT + 6, foot + FOOT + 10, 5), text(`${s.figures[marks!].name} above 0: work stayed unscheduled`, { x: LEFT + 20, y: foot + FOOT + 14 }));
  return out;
}

/** The table of a figure by two axes, or by one, whose cells are the darker the worse (or the greater) they are. */
function shaded(t: StudyCells, s: StudyHead, rows: number, columns: number | null): HTMLElement {
  const flip = t.rows !== rows;
  const R = s.axes[rows].labels;
  const C = columns === null ? ["mean"] : s.axes[columns].labels;
  const at = (r: number, c: number): StudyCells["cells"][number] => (flip ? t.cells[c * R.length + r] : t.cells[r * C.length + c]);
  const means = t.cells.map((c) => c[1]).filter((m): m is number => m !== null);
  const low = Math.min(...means);
  const high = Math.max(...means);
  const body = el("tbody");
  R.forEach((label, r) => {
    const tr = el("tr", {}, el("th", { scope: "row" }, nameText(label, 30)));
    C.forEach((_, c) => {
      const cell = at(r, c);
      const share = cell[1] === null || high === low ? 0 : (cell[1] - low) / (high - low);
      const td = el("td", { class: "right" }, cell[0] > 0 ? cell[4] : "-");
      td.style.background = `color-mix(in srgb, var(--accent) ${Math.round(35 * (t.direction > 0 ? 1 - share : share))}%, transparent)`;
      if (cell[6] > 0) td.append(el("span", { class: "quiet", title: `${cell[6]} points are missing` }, " *"));
      tr.append(td);
    });
    body.append(tr);
  });
  const head = el("tr", {}, el("th", { scope: "col" }, nameText(s.axes[rows].name)), ...C.map((l) => el("th", { scope: "col", class: "right" }, nameText(l, 20))));
  return el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "the same as a table" }, el("table", {}, el("thead", {}, head), body));
}

function select(id: string, label: string, options: [string, string][], changed: () => void): [HTMLElement, HTMLSelectElement] {
  const s = el("select", { id }, ...options.map(([value, text]) => el("option", { value }, text)));
  s.addEventListener("change", changed);
  return [el("label", { for: id }, label, " ", s), s];
}

function save(picture: SVGElement, name: string): void {
  const blob = new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" });
  const a = el("a", { href: URL.createObjectURL(blob), download: `${name}.svg` });
  a.click();
  URL.revokeObjectURL(a.href);
}

/** Figures over axes, chosen by the reader. */
export function curves(s: StudyHead): HTMLElement {
  const shown = s.axes.map((a, i) => ({ ...a, i })).filter((a) => a.shown);
  const box = el("div");
  const place = el("div");
  const names = shown.map((a): [string, string] => [String(a.i), a.name]);
  const numeric = shown.find((a) => numbersOf(a.labels)) ?? shown[0];
  const [figureBox, figure] = select("figure", "Figure", s.figures.map((f, i) => [String(i), figureTitle(f)]), () => draw());
  const [xBox, xAxis] = select("x-axis", "over", names, () => draw());
  const [byBox, by] = select("by-axis", "a line for each", [["", "(all together)"], ...names], () => draw());
  const [logBox, log] = select("scale", "scale", [["linear", "linear"], ["log", "powers"]], () => draw());
  const [formBox, form] = select("form", "as", [["lines", "lines"], ["surface", "a surface"]], () => draw());
  let last: SVGElement | null = null;

  function draw(): void {
    const f = +figure.value;
    const x = +xAxis.value;
    if (by.value === xAxis.value) by.value = "";
    const b = by.value === "" ? null : +by.value;
    const t = tableAt(s, f, x, b);
    if (!t) {
      place.replaceChildren(el("p", {}, "These two axes have too many levels together."));
      return;
    }
    const labels = s.axes[x].labels;
    const numbers = numbersOf(labels);
    const cellOf = (i: number, k: number): StudyCells["cells"][number] => (t.rows === x ? t.cells[i * (b === null ? 1 : s.axes[b].labels.length) + k] : t.cells[k * labels.length + i]);
    const lines = (b === null ? [""] : s.axes[b].labels).map((name, k): Line => ({
      name,
      points: labels.map((label, i) => {
        const [n, mean, low, high, text] = cellOf(i, k);
        return { x: numbers ? numbers[i] : i, mean: n > 0 && mean !== null ? mean : NaN, low: low ?? NaN, high: high ?? NaN, text, label };
      }),
    }));
    if (numbers) for (const l of lines) l.points.sort((p, q) => p.x - q.x);
    const better = t.direction > 0 ? ", more is better" : t.direction < 0 ? ", less is better" : "";
    const title = `${figureTitle(s.figures[f])} over ${s.axes[x].name}${b === null ? "" : ` by ${s.axes[b].name}`}${better}; 95 % intervals`;
    formBox.hidden = b === null; // of one axis there is no surface
    last =
      form.value === "surface" && b !== null
        ? surface(title.replace("; 95 % intervals", ""), t, s, x, b, log.value === "log")
        : picture(title, lines, s.axes[x].name, figureTitle(s.figures[f]), labels, numbers, log.value === "log");
    place.replaceChildren(el("figure", { class: "chart" }, el("figcaption", {}, title), last as unknown as HTMLElement), shaded(t, s, x, b));
  }

  figure.value = String(s.first);
  if (numeric) xAxis.value = String(numeric.i);
  const other = shown.filter((a) => a.i !== numeric?.i).pop();
  if (other && other.labels.length <= 12) by.value = String(other.i);
  box.append(el("div", { class: "controls" }, figureBox, xBox, byBox, logBox, formBox, button("save as SVG", () => last && save(last, figure.options[figure.selectedIndex].text.replace(/\W+/g, "-")), "save the picture as a file")), place);
  draw();
  onThemeChange(draw);
  return box;
}

/** Which way a figure of a table of differences is better. */
function directionOf(s: StudyHead, t: Table): number {
  const name = t.rows[0]?.[0]?.[0];
  const figure = s.figures.findIndex((f) => f.name === name);
  return s.tables.find((c) => c.figure === figure)?.direction ?? 0;
}

export function differences(s: StudyHead): HTMLElement[] {
  const hidden = ["figure", "baseline", "p_sign", "p_wilcoxon"];
  return s.differences.flatMap((t) => [
    el("h3", {}, nameText(t.title, 300)),
    tableOf(t, t.title, { mean: "difference", half: "half_width", direction: directionOf(s, t) }, hidden),
  ]);
}
