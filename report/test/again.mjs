// again.mjs -- a page that runs again, in a real browser:
// node test/again.mjs REPORT.html SCHEDULE [--shots FOLDER] [--time] [--compared ASSIGNMENT FILE]
//
// REPORT.html was written by `hindcast report --interactive` of one batch run, SCHEDULE is the digest of its schedule as the
// command computed it. Opened from disk with the network off: the run as it was has that digest; a change joins the
// page as one more run; what the engine refuses is shown in its words; a run is cancelled, and the next one runs; a run
// is taken away. --time: says how long the first run and those after it take. --compared: FILE is what `hindcast compare`
// prints of the run and of the same with ASSIGNMENT, whose differences task by task the page has to have.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { open } from "./opened.mjs";

const args = process.argv.slice(2);
const schedule = args[1];
const { page, shots, step, say, end } = await open(args);

const made = () => say(() => [...document.querySelectorAll(".made li")].map((li) => ({ schedule: li.dataset.schedule, took: Number(li.dataset.took), text: li.textContent })));
const alert = () => say(() => document.querySelector("#again [role=alert]").textContent);
const idle = () => page.waitForFunction(() => !document.querySelector("#what-if-run").disabled, { timeout: 300000 });

/** Fill the fields, press the button, and wait until it can be pressed again. */
async function run({ policy = "", machine = "1", load = "1", lines = "" } = {}) {
  await say(
    (fields) => {
      for (const [id, value] of Object.entries(fields)) {
        const box = document.getElementById(`what-if-${id}`);
        box.value = value;
        box.dispatchEvent(new Event("change"));
      }
      document.getElementById("what-if-run").click();
    },
    { policy, machine, load, lines },
  );
  await idle();
}

await step("opens", async () => assert.equal(await say(() => document.documentElement.dataset.failed ?? null), null));
await step("the run as it was has the command's schedule", async () => {
  await run();
  assert.equal(await alert(), "");
  const [first] = await made();
  assert.equal(first.schedule, schedule);
  assert.ok(first.text.includes("which is that of"), first.text);
  return `${first.schedule} in ${(first.took / 1000).toFixed(2)} s`;
});
if (args.includes("--time")) {
  await step("takes so long", async () => {
    for (let i = 0; i < 4; i++) await run();
    const all = await made();
    for (const m of all) assert.equal(m.schedule, schedule);
    return `${all.map((m) => (m.took / 1000).toFixed(2)).join(" s, ")} s`;
  });
  await end();
}
if (args.includes("--compared")) {
  const [assignment, file] = args.slice(args.indexOf("--compared") + 1);
  await step("differences task by task are those of the command", async () => {
    const expected = readFileSync(file, "utf8").split("\n\n").at(-1).trim().split("\n").at(-1).trim().split(/  +/).slice(1);
    await run({ lines: assignment });
    assert.equal(await alert(), "");
    const rows = await say(() => [...document.querySelectorAll("#figures table")[1].querySelectorAll("tbody tr")].map((tr) => [...tr.querySelectorAll("td")].filter((td) => !td.querySelector("svg")).map((td) => td.textContent)));
    assert.deepEqual(rows[0].slice(2, 4), ["0", "0"]); // the run as it was
    assert.deepEqual(rows[1], expected);
    await say(() => [...document.querySelectorAll(".made li:nth-child(2) button")].at(-1).click());
    await page.waitForFunction(() => document.querySelectorAll(".gantt").length === 2);
    return expected.join(" ");
  });
}
await step("changes join the page as runs", async () => {
  await run({ policy: "batch", machine: "1.5" });
  assert.equal(await alert(), "");
  const all = await made();
  assert.match(all[1].text, /^fcfs\+\w+, machine × 1.5: /);
  assert.notEqual(all[1].schedule, schedule);
  const shown = await say(() => ({
    gantts: document.querySelectorAll(".gantt").length,
    cards: document.querySelectorAll(".card").length,
    columns: document.querySelectorAll("#figures table")[0].querySelectorAll("thead th").length,
    tips: document.querySelectorAll(".tip").length,
  }));
  assert.deepEqual(shown, { gantts: 3, cards: 3, columns: 5, tips: 1 });
  if (shots) await page.screenshot({ path: `${shots}/again.png`, fullPage: true });
  return all[1].text.slice(0, 120);
});
await step("what is chosen from the list, and a load, change the run by a transform each", async () => {
  await page.select("#what-if-keys", await say(() => document.querySelector("#what-if-keys optgroup option").value));
  const line = await say(() => document.getElementById("what-if-lines").value);
  assert.match(line, /^transforms\.\d+=\{use: clamp, limit: 12h\}$/);
  await run({ load: "0.9", lines: line });
  assert.equal(await alert(), "");
  const both = (await made())[2];
  assert.match(both.text, /load × 0.9/);
  assert.ok(!(await made()).slice(0, 2).some((m) => m.schedule === both.schedule));
  await say(() => [...document.querySelectorAll(".made li:nth-child(3) button")].at(-1).click());
  await page.waitForFunction(() => document.querySelectorAll(".gantt").length === 3);
  return line;
});
await step("what the engine refuses is said in its words", async () => {
  await run({ lines: "policy.select=eazy" });
  assert.match(await alert(), /easy/);
  const text = await alert();
  await run({ lines: "no equals sign" });
  assert.match(await alert(), /PATH=VALUE/);
  await run({ machine: "-1" });
  assert.match(await alert(), /factor above 0/);
  assert.equal((await made()).length, 2);
  return text;
});
await step("a run is cancelled, and the next one runs", async () => {
  // A hundred times the log: long enough to be met.
  const long = await say(() => {
    const lines = document.getElementById("what-if-lines");
    lines.value = "transforms.9={use: repeat, times: 200}";
    const what = JSON.parse(document.getElementById("what-if").textContent);
    const places = what.bases[0].keys.filter(([p]) => /^transforms\.\d+$/.test(p)).length;
    lines.value = `transforms.${places}={use: repeat, times: 200}`;
    document.getElementById("what-if-machine").value = "1";
    document.getElementById("what-if-policy").value = "";
    document.getElementById("what-if-run").click();
    return lines.value;
  });
  await page.waitForFunction(() => document.querySelector("#again progress").value > 0 || document.querySelector("#again [role=alert]").textContent, { timeout: 60000 });
  assert.equal(await alert(), "");
  await say(() => document.getElementById("what-if-cancel").click());
  await idle();
  assert.match(await say(() => document.querySelector("#again [role=status]").textContent), /cancelled/);
  assert.equal((await made()).length, 2);
  await run();
  const all = await made();
  assert.equal(all[2].schedule, schedule);
  return long;
});
await step("a run is taken away", async () => {
  await say(() => [...document.querySelectorAll(".made li:nth-child(2) button")].at(-1).click());
  await page.waitForFunction(() => document.querySelectorAll(".gantt").length === 3);
  assert.equal((await made()).length, 2);
});
await end();
