// table.ts -- a table of the head: sorted by a click, the first rows at first, copied as CSV, Markdown or LaTeX.

import type { Table } from "./data";
import { button, copyButton, el, nameText, svg } from "./dom";

const FIRST = 20;

type Cell = [string, string];

function asCsv(t: Table): string {
  const quote = (s: string): string => (/[",\n\r]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s);
  const lines = [t.columns.map((c) => quote(c.name)).join(",")];
  for (const r of t.rows) lines.push(r.map((c) => quote(c[0])).join(","));
  return `${lines.join("\n")}\n`;
}

function asMarkdown(t: Table): string {
  const cell = (s: string): string => s.replaceAll("|", "\\|");
  const lines = [`| ${t.columns.map((c) => cell(c.title)).join(" | ")} |`, `|${t.columns.map((c) => (c.right ? "---:" : "---")).join("|")}|`];
  for (const r of t.rows) lines.push(`| ${r.map((c) => cell(c[1])).join(" | ")} |`);
  return `${lines.join("\n")}\n`;
}

function asLatex(t: Table): string {
  const signs: Record<string, string> = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
  const cell = (s: string): string => s.replace(/[\\~^&%$#_{}]/g, (x) => signs[x] ?? `\\${x}`);
  const lines = [`\\begin{tabular}{${t.columns.map((c) => (c.right ? "r" : "l")).join("")}}`, `${t.columns.map((c) => cell(c.title)).join(" & ")} \\\\ \\hline`];
  for (const r of t.rows) lines.push(`${r.map((c) => cell(c[1])).join(" & ")} \\\\`);
  return `${[...lines, "\\end{tabular}"].join("\n")}\n`;
}

function compare(a: Cell, b: Cell): number {
  const x = a[0];
  const y = b[0];
  if (x === "" || y === "") return x === y ? 0 : x === "" ? 1 : -1;
  const n = Number(x);
  const m = Number(y);
  return n === n && m === m ? n - m : x < y ? -1 : x > y ? 1 : 0;
}

/** What a cell holds beside its text: the interval of a difference as a line. */
export interface Drawing {
  /** Columns of the mean and of the half width. */
  mean: string;
  half: string;
  /** 1: more is better, -1: less is, 0: neither. */
  direction: number;
}

function intervalScale(t: Table, d: Drawing): number {
  const m = t.columns.findIndex((c) => c.name === d.mean);
  const h = t.columns.findIndex((c) => c.name === d.half);
  const ends = t.rows.map((r) => Math.abs(Number(r[m][0])) + (Number(r[h][0]) || 0)).filter((x) => x === x);
  ends.sort((a, b) => a - b);
  return ends[Math.floor(ends.length * 0.9)] || 1; // a few that are far off go out of the picture
}

function drawInterval(mean: number, half: number, scale: number, direction: number): SVGElement {
  const w = 120;
  const x = (v: number): number => Math.min(Math.max(w / 2 + (v / scale) * (w / 2 - 6), 2), w - 2);
  const side = mean - half > 0 ? direction : mean + half < 0 ? -direction : 0;
  const kind = side > 0 ? "better" : side < 0 ? "worse" : "open";
  return svg(
    "svg",
    { width: w, height: 14, class: `interval ${kind}`, "aria-hidden": "true" },
    svg("line", { x1: w / 2, x2: w / 2, y1: 0, y2: 14, class: "zero" }),
    svg("line", { x1: x(mean - half), x2: x(mean + half), y1: 7, y2: 7 }),
    svg("circle", { cx: x(mean), cy: 7, r: 3 }),
  );
}

/** @param caption  what a screen reader says of it
 *  @param hidden   columns that are copied but not shown, so that the others fit */
export function tableOf(t: Table, caption: string, drawing: Drawing | null = null, hidden: string[] = []): HTMLElement {
  const box = el("div", { class: "table" });
  const body = el("tbody");
  const head = el("tr");
  let rows = t.rows;
  let sorted = -1;
  let ascending = true;
  let all = false;
  const at = (name: string): number => t.columns.findIndex((c) => c.name === name);
  const mean = drawing ? at(drawing.mean) : -1;
  const half = drawing ? at(drawing.half) : -1;
  const scale = drawing ? intervalScale(t, drawing) : 1;
  const isHidden = t.columns.map((c) => hidden.includes(c.name));
  const headers = t.columns.map((c, i) => {
    const b = button(c.title, () => sort(i), `sort by ${c.title}`);
    const th = el("th", { scope: "col", class: c.right ? "right" : "" }, b);
    if (!isHidden[i]) head.append(th);
    if (i === half) head.append(el("th", { scope: "col" }, el("span", { class: "quiet" }, "interval")));
    return th;
  });
  const more = button("", () => {
    all = !all;
    fill();
  });

  function sort(i: number): void {
    ascending = sorted === i ? !ascending : !t.columns[i].right;
    sorted = i;
    rows = [...t.rows].sort((a, b) => {
      const c = compare(a[i], b[i]);
      const missing = a[i][0] === "" || b[i][0] === "";
      return ascending || missing ? c : -c;
    });
    headers.forEach((h, k) => {
      if (k === i) h.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      else h.removeAttribute("aria-sort");
    });
    fill();
  }

  function fill(): void {
    body.replaceChildren(
      ...rows.slice(0, all ? rows.length : FIRST).map((r) => {
        const tr = el("tr");
        r.forEach((c, i) => {
          if (isHidden[i]) return;
          tr.append(el(i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : { class: t.columns[i].right ? "right" : "" }, nameText(c[1])));
          if (i !== half) return;
          const m = Number(r[mean][0]);
          const h = Number(c[0]);
          tr.append(el("td", {}, r[mean][0] !== "" && c[0] !== "" && m === m && h === h ? (drawInterval(m, h, scale, drawing!.direction) as unknown as Node) : null));
        });
        return tr;
      }),
    );
    more.hidden = rows.length <= FIRST;
    more.textContent = all ? "show fewer rows" : `show all ${rows.length.toLocaleString("en-US")} rows`;
  }

  fill();
  box.append(
    el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption }, el("table", {}, el("caption", { class: "aside" }, caption), el("thead", {}, head), body)),
    el(
      "p",
      { class: "tools" },
      more,
      copyButton("CSV", () => asCsv(t), "copy all rows as CSV, numbers as stored"),
      copyButton("Markdown", () => asMarkdown(t), "copy all rows as a Markdown table"),
      copyButton("LaTeX", () => asLatex(t), "copy all rows as a tabular of LaTeX"),
    ),
  );
  return box;
}
