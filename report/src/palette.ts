// palette.ts -- the inks of src/output/palette.c, so that a report and a figure of one thing have one colour: the eight
// series of Okabe and Ito (2008) as lines, which are darker on white where that is too faint, and as areas. Runs and
// groups take them in order, each with a dash for grey print; what has none is grey. A test compares the two lists.

type Pair = [light: string, dark: string];

const lines: Pair[] = [
  ["#0072b2", "#0072b2"],
  ["#d55e00", "#d55e00"],
  ["#009e73", "#009e73"],
  ["#cc79a7", "#cc79a7"],
  ["#0399fd", "#56b4e9"],
  ["#502603", "#e69f00"],
  ["#000000", "#f2f2f2"],
  ["#66561a", "#f0e442"],
];

const areas: Pair[] = [
  ["#0072b2", "#0072b2"],
  ["#d55e00", "#d55e00"],
  ["#009e73", "#009e73"],
  ["#cc79a7", "#cc79a7"],
  ["#56b4e9", "#56b4e9"],
  ["#e69f00", "#e69f00"],
  ["#4a4f57", "#f2f2f2"],
  ["#f0e442", "#f0e442"],
];

const rest: Pair = ["#9aa1a9", "#6f7781"];

const dashes: number[][] = [[], [7, 3], [2, 3], [9, 3, 2, 3], [4, 2], [12, 4], [6, 2, 1, 2, 1, 2], [1, 2]];

/** How many series there are. */
export const SERIES = lines.length;

const darkQuery = matchMedia("(prefers-color-scheme: dark)");

export function isDark(): boolean {
  const forced = document.documentElement.dataset.theme;
  return forced ? forced === "dark" : darkQuery.matches;
}

let painters: (() => void)[] = [];
const paintAll = (): void => painters.forEach((f) => f());
darkQuery.addEventListener("change", paintAll);
document.addEventListener("themechange", paintAll);

export function onThemeChange(f: () => void): void {
  painters.push(f);
}

/** Before all pictures are made anew: what drew the old ones goes with them. */
export function forgetPictures(): void {
  painters = [];
}

function shown(p: Pair): string {
  return p[isDark() ? 1 : 0];
}

/** The colour of the line of a place in the order; beyond the last one grey. */
export function lineOf(place: number): string {
  return shown(lines[place] ?? rest);
}

/** The colour of its area as CSS, which follows the theme by itself. */
export function areaInk(place: number): string {
  return `light-dark(${(areas[place] ?? rest).join(", ")})`;
}

/** That of its line. */
export function lineInk(place: number): string {
  return `light-dark(${(lines[place] ?? rest).join(", ")})`;
}

/** The colour of its area. */
export function areaOf(place: number): string {
  return shown(areas[place] ?? rest);
}

export function dashOf(place: number): number[] {
  return dashes[place] ?? [];
}
