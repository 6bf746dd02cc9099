// drive.mjs -- a report in a real browser: node test/drive.mjs REPORT.html [--shots FOLDER] [--large]
//
// Opens the file from disk with the network off; nothing may be logged as an error and nothing asked of a network.
// Zooms, points, clicks, searches, sorts, prints; runs axe-core; takes pictures (light, dark, 400 pixels wide, print).
// Of a study the curves are asked in place of schedules.
// --large: says how long the first paint took and how many frames a second come while panning, and holds both to
// the bounds of a million tasks: 2 s and 30.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { open } from "./opened.mjs";

const args = process.argv.slice(2);
const large = args.includes("--large");
const { page, shots, began, step, say, end } = await open(args);
await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const ready = Date.now() - began;
const painted = await page.evaluate(() => Math.round(performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0));

const shot = async (name) => shots && page.screenshot({ path: `${shots}/${name}.png`, fullPage: true });
/** A step that only pages with schedules have. */
const stepOfRuns = (name, f) => (hasRuns ? step(name, f) : undefined);
const hasRuns = await page.evaluate(() => document.querySelector(".gantt") !== null);
const range = () => say(() => document.querySelector(".controls output:last-of-type").textContent);

await step("opens", async () => {
  assert.equal(await say(() => document.documentElement.dataset.failed ?? null), null);
  if (large) assert.ok(painted <= 2000, `first paint after ${painted} ms`);
  return `first paint after ${painted} ms, all pictures after ${ready} ms`;
});
await step("says its title and its sentence", async () => {
  assert.ok((await page.title()).length > 0);
  assert.ok((await say(() => document.querySelector(".sentence").textContent)).length > 20);
});
await shot("light");
await stepOfRuns("zooms by keys and buttons, and back", async () => {
  const all = await range();
  await page.focus(".gantt");
  for (let i = 0; i < 6; i++) await page.keyboard.press("+");
  await page.waitForFunction((t) => document.querySelector(".controls output:last-of-type").textContent !== t, {}, all);
  await shot("zoomed");
  await page.keyboard.press("0");
  await page.waitForFunction((t) => document.querySelector(".controls output:last-of-type").textContent === t, {}, all);
});
await stepOfRuns("finds a task and lights it in all runs", async () => {
  const id = await say(() => JSON.parse(document.getElementById("head").textContent).runs.length > 0 && "1");
  await page.type(".controls input", id);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".details:not([hidden]) tbody tr");
  const rows = await say(() => document.querySelectorAll(".details tbody tr").length);
  const runs = await say(() => document.querySelectorAll(".gantt").length);
  assert.equal(rows, runs);
  await page.evaluate(() => document.querySelector(".strips").scrollIntoView());
  if (shots) await page.screenshot({ path: `${shots}/found.png` });
  return `${rows} rows`;
});
await stepOfRuns("points at a task, and chooses it by a click", async () => {
  const box = await say(() => {
    document.querySelector(".gantt").scrollIntoView({ block: "center" });
    const r = document.querySelector(".gantt").getBoundingClientRect();
    return { x: r.x, y: r.y, w: r.width, h: r.height };
  });
  let tip = false;
  for (let i = 1; i < 60 && !tip; i++) {
    await page.mouse.move(box.x + 60 + ((box.w - 60) * i) / 60, box.y + (box.h - 30) * (0.3 + 0.6 * ((i * 7) % 10) / 10));
    tip = await say(() => !document.querySelector(".tip").hidden);
  }
  assert.ok(tip, "no task under the pointer");
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForSelector(".details:not([hidden])");
  return say(() => document.querySelector(".tip").textContent);
});
const hasLesson = await page.evaluate(() => document.getElementById("steps") !== null);
if (hasLesson) {
  await step("goes through a small run step by step", async () => {
    const instants = await say(() => +document.querySelector("#steps input").max + 1);
    for (let i = 0; i < instants; i++) {
      const sums = await say(() => [...document.querySelectorAll("#steps li")].map((li) => li.textContent).filter((t) => t.startsWith("Free: ")));
      for (const text of sums) {
        const [left, right] = text.slice(6).split(" = ");
        const terms = left.replaceAll(/\([^)]*\)|,/g, "").split(" - ").map(Number);
        assert.equal(terms.slice(1).reduce((a, b) => a - b, terms[0]), parseFloat(right), text);
        assert.ok(parseFloat(right) >= 0, text);
      }
      await say(() => [...document.querySelectorAll("#steps button")].find((b) => b.textContent === "step ›").click());
    }
    return `${instants} instants`;
  });
}
await stepOfRuns("colours by something else", async () => {
  const kinds = await say(() => [...document.querySelectorAll("#colour-by option")].map((o) => o.value));
  await page.select("#colour-by", kinds[kinds.length - 1]);
  await page.waitForFunction((k) => document.querySelector(".legend").getAttribute("aria-label").includes(k), {}, "size");
});
await stepOfRuns("sorts a table by its numbers", async () => {
  await say(() => document.querySelector("#figures thead th:nth-child(2) button").click());
  assert.ok(await say(() => document.querySelector("#figures th[aria-sort]") !== null));
});
if (!hasRuns) {
  await step("shows another figure over another axis", async () => {
    const title = () => say(() => document.querySelector("#curves figcaption").textContent);
    const before = await title();
    for (const id of ["#figure", "#x-axis", "#scale"]) {
      const values = await say((s) => [...document.querySelectorAll(`${s} option`)].map((o) => o.value), id);
      await page.select(id, values[values.length - 1]);
    }
    assert.notEqual(await title(), before);
    assert.ok(await say(() => document.querySelectorAll("svg.study path, svg.study circle").length > 0));
    return title();
  });
  await step("shows two axes as a surface, crossed where work stayed unscheduled", async () => {
    const axes = await say(() => [...document.querySelectorAll("#x-axis option")].map((o) => o.value));
    if (axes.length < 2) return "there is one axis";
    await page.select("#x-axis", axes[0]);
    await page.select("#by-axis", axes[1]);
    await page.select("#form", "surface");
    const cells = await say(() => document.querySelectorAll("svg.surface g > rect").length);
    assert.ok(cells > 0);
    await shot("surface");
    // Those whose figure of the same scheduler (what stands behind its stem) is above 0, by the page's own numbers.
    const expected = await say(() => {
      const s = JSON.parse(document.getElementById("head").textContent).study;
      const [figure, x, y] = ["figure", "x-axis", "by-axis"].map((id) => +document.getElementById(id).value);
      const stem = "tasks_unscheduled_share";
      const marks = s.figures.findIndex((f) => f.name.startsWith(stem) && s.figures[figure].name.endsWith(f.name.slice(stem.length)));
      const of = (f) => s.tables.find((t) => t.figure === f && ((t.rows === x && t.columns === y) || (t.rows === y && t.columns === x)));
      if (marks < 0) return 0;
      const log = document.getElementById("scale").value === "log";
      return of(marks).cells.filter((c, i) => c[1] > 0 && of(figure).cells[i][0] > 0 && (!log || of(figure).cells[i][1] > 0)).length;
    });
    const crossed = await say(() => [...document.querySelectorAll("svg.surface title")].filter((t) => t.textContent.endsWith("work stayed unscheduled")).length);
    assert.equal(crossed, expected);
    return `${cells} cells, ${crossed} of them crossed`;
  });
}
await stepOfRuns("is reached by keyboard", async () => {
  await page.focus("nav a");
  const met = new Set();
  for (let i = 0; i < 60 && !met.has("CANVAS"); i++) {
    await page.keyboard.press("Tab");
    met.add(await say(() => document.activeElement.tagName));
  }
  for (const tag of ["A", "BUTTON", "SELECT", "INPUT", "CANVAS"]) assert.ok(met.has(tag), `${tag} was not met`);
});
await step("axe-core finds nothing", async () => {
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  const found = await say(async () => (await window.axe.run(document, { resultTypes: ["violations"] })).violations.map((v) => `${v.id} (${v.nodes.length}): ${v.nodes[0].html.slice(0, 120)}`));
  assert.deepEqual(found, []);
});
await step("is dark where that is wanted", async () => {
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  await say(() => new Promise((done) => setTimeout(done, 200)));
  await shot("dark");
  const found = await say(async () => (await window.axe.run(document, { runOnly: ["color-contrast"] })).violations.map((v) => `${v.id} (${v.nodes.length}): ${v.nodes[0].html.slice(0, 120)}`));
  assert.deepEqual(found, []);
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
});
await step("fits a screen 400 pixels wide", async () => {
  await page.setViewport({ width: 400, height: 900 });
  await say(() => new Promise((done) => setTimeout(done, 300)));
  await shot("narrow");
  const wide = await say(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 400, `${wide} pixels`);
  await page.setViewport({ width: 1280, height: 900 });
});
await step("is shown to a room, a part a screen", async () => {
  await say(() => [...document.querySelectorAll(".theme button")].find((b) => b.textContent === "for a talk").click());
  await page.keyboard.press("PageDown");
  await say(() => new Promise((done) => setTimeout(done, 300)));
  const top = await say(() => document.querySelector("section").getBoundingClientRect().top);
  assert.ok(Math.abs(top) < 60, `the first part begins at ${top}`);
  if (shots) await page.screenshot({ path: `${shots}/talk.png` });
  await say(() => [...document.querySelectorAll(".theme button")].find((b) => b.textContent === "for a talk").click());
});
await step("prints", async () => {
  const pdf = await page.pdf({ format: "A4", path: shots ? `${shots}/print.pdf` : undefined });
  assert.ok(pdf.length > 10000);
});
await stepOfRuns("pans smoothly", async () => {
  await say(() => window.scrollTo(0, 0));
  const fps = await say(async () => {
    const canvas = document.querySelector(".gantt");
    const press = (key) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    press("+");
    press("+");
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    await frame();
    await frame();
    let frames = 0;
    const from = performance.now();
    while (performance.now() - from < 2000) {
      press(frames % 40 < 20 ? "ArrowRight" : "ArrowLeft");
      await frame();
      frames++;
    }
    return (frames * 1000) / (performance.now() - from);
  });
  if (large) assert.ok(fps >= 30, `${fps.toFixed(1)} frames a second`);
  return `${fps.toFixed(1)} frames a second`;
});
await end();
