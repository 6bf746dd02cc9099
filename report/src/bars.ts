// bars.ts -- bars made of parts, one under the other on one scale, and the legend that says what the inks stand for.

import { el, svg } from "./dom";
import { areaInk } from "./palette";

/** A bar: its parts with their inks (numbers of the palette) and what pointing at each says, and a text behind its end. */
export interface Bar {
  name: string;
  parts: number[];
  inks: number[];
  titles: string[];
  end: string;
}

const WIDTH = 900;
const LEFT = 260;
const RIGHT = 170;
const ROW = 22;

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** A square of the colour of a part or a group; with `lineInk` of a run. */
export function swatch(place: number, ink: (place: number) => string = areaInk): HTMLElement {
  const s = el("span", { class: "swatch", "aria-hidden": "true" });
  s.style.background = ink(place);
  return s;
}

export function legend(words: string[], inks: number[]): HTMLElement {
  return el("ul", { class: "legend" }, ...words.map((w, k) => el("li", {}, swatch(inks[k]), w)));
}

/** @param most  what a bar of the whole width stands for */
export function barsOf(label: string, bars: Bar[], most: number): HTMLElement {
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${bars.length * ROW + 4}`, class: "bars", role: "img", "aria-label": label });
  bars.forEach((bar, i) => {
    let x = LEFT;
    picture.append(svg("text", { x: LEFT - 8, y: i * ROW + 15, "text-anchor": "end" }, cut(bar.name, 40)));
    bar.parts.forEach((part, k) => {
      const width = (part / (most || 1)) * (WIDTH - LEFT - RIGHT);
      if (!(width > 0)) return;
      const box = svg("rect", { x, y: i * ROW + 3, width, height: ROW - 6 }, svg("title", {}, `${bar.name}: ${bar.titles[k]}`));
      box.style.fill = areaInk(bar.inks[k]);
      picture.append(box);
      x += width;
    });
    picture.append(svg("text", { x: x + 6, y: i * ROW + 15 }, bar.end));
  });
  return el("figure", { class: "chart" }, el("figcaption", {}, label), picture as unknown as HTMLElement);
}
