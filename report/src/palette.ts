// palette.ts -- colours that people with any sight tell apart: the eight of Okabe and Ito (2008), in an order in
// which neighbours differ most, each with a dash for grey print. Runs and groups take them in order; what has none is
// grey. Yellow and sky blue are too light for thin lines on white, so lines have darker ones there.

export interface Colour {
  /** Of an area, on a light ground and on a dark one. */
  light: string;
  dark: string;
  dash: number[];
}

export const colours: Colour[] = [
  { light: "#0072b2", dark: "#3a9bd9", dash: [] },
  { light: "#d55e00", dark: "#e8772a", dash: [7, 3] },
  { light: "#009e73", dark: "#1fb98c", dash: [2, 3] },
  { light: "#cc79a7", dark: "#d991b8", dash: [9, 3, 2, 3] },
  { light: "#56b4e9", dark: "#56b4e9", dash: [4, 2] },
  { light: "#e69f00", dark: "#e69f00", dash: [12, 4] },
  { light: "#7a6a00", dark: "#f0e442", dash: [1, 2] },
  { light: "#333333", dark: "#dddddd", dash: [6, 2, 1, 2, 1, 2] },
];

export const rest = { light: "#b8b8b8", dark: "#6a6a6a" };

const darkQuery = matchMedia("(prefers-color-scheme: dark)");

export function isDark(): boolean {
  const forced = document.documentElement.dataset.theme;
  return forced ? forced === "dark" : darkQuery.matches;
}

export function onThemeChange(f: () => void): void {
  darkQuery.addEventListener("change", f);
  document.addEventListener("themechange", f);
}

/** The colour of a place in the order; beyond the last one grey. */
export function colourOf(place: number): string {
  const c = colours[place] ?? rest;
  return isDark() ? c.dark : c.light;
}

export function dashOf(place: number): number[] {
  return colours[place]?.dash ?? [];
}

export function restColour(): string {
  return isDark() ? rest.dark : rest.light;
}
