// try.mjs -- the page that is the whole command, in a real browser: node test/try.mjs PAGE.html LOG.swf SCHEDULE [--shots FOLDER]
//
// PAGE.html was written by tools/try; SCHEDULE is the digest of `hindcast run LOG.swf --policy easy`. Opened from disk with the
// network off: examples have the schedules of the command, and a story for each task of a small one; runs stand beside each
// other; what is wrong in a run file is said with its place; keys are described; a log from disk runs; a result is saved.

import assert from "node:assert/strict";
import { open } from "./opened.mjs";

const args = process.argv.slice(2);
const [, log, schedule] = args;
const { page, shots, step, say, end } = await open(args);

const made = () => say(() => [...document.querySelectorAll(".made li")].map((li) => ({ schedule: li.dataset.schedule, text: li.textContent })));
const text = (selector) => say((s) => document.querySelector(s)?.textContent ?? null, selector);
const idle = () => page.waitForFunction(() => !document.querySelector("#what-if-run").disabled, { timeout: 300000 });

async function set(id, value, event = "change") {
  await say((i, v, e) => {
    const box = document.getElementById(i);
    box.value = v;
    box.dispatchEvent(new Event(e));
  }, id, value, event);
}

async function run() {
  await say(() => document.getElementById("what-if-run").click());
  await idle();
  assert.equal(await text("#again pre[role=alert]"), "");
}

/** After the run file has been looked at once more. */
async function looked(f) {
  const before = await say(() => document.documentElement.dataset.looked ?? "0");
  await f();
  await page.waitForFunction((b) => Number(document.documentElement.dataset.looked) > Number(b), { timeout: 60000 }, before);
}

await step("opens", async () => {
  assert.equal(await say(() => document.documentElement.dataset.failed ?? null), null);
  await page.waitForFunction(() => document.querySelectorAll("#what-if-keys option").length > 50, { timeout: 60000 });
});
await step("the first example has the command's schedule, and a lesson with its reasons", async () => {
  await run();
  const [first] = await made();
  assert.match(first.text, /which is that of the command/);
  for (let i = 0; i < 3; i++) await say(() => [...document.querySelectorAll("#steps button")].find((b) => b.textContent.startsWith("step")).click());
  assert.match(await text("#steps"), /would run to 203/);
  return first.schedule;
});
await step("another policy stands beside it", async () => {
  await set("what-if-select", "easy");
  await page.waitForFunction(() => document.querySelector("#try-page").textContent.includes("EASY backfilling"));
  await run();
  assert.deepEqual(await say(() => [document.querySelectorAll(".gantt").length, document.querySelectorAll(".card").length, document.querySelectorAll("#figures table")[0].querySelectorAll("thead th").length]), [2, 2, 4]);
  assert.match(await text("#figures h3"), /^Task by task against /);
  assert.equal(await say(() => document.querySelectorAll("#figures table")[1].querySelectorAll("tbody tr").length), 1);
  const [a, b] = await made();
  assert.notEqual(a.schedule, b.schedule);
  assert.doesNotMatch(b.text, /which is not that of/);
  if (shots) await page.screenshot({ path: `${shots}/try.png`, fullPage: true });
  return b.text.slice(0, 90);
});
await step("what is wrong in the run file is said with its place", async () => {
  const whole = await say(() => document.getElementById("try-file").value);
  await looked(() => set("try-file", `${whole}polcy: easy\n`, "input"));
  const said = await text("#try-problem");
  assert.match(said, /^examples\/teaching\/five-tasks\.yaml:\d+:1: unknown key "polcy"; did you mean "policy"/);
  assert.equal(await say(() => {
    document.querySelector("#try-problem button").click();
    const box = document.getElementById("try-file");
    return box.value.slice(box.selectionStart, box.selectionEnd);
  }), "polcy: easy");
  await looked(() => set("try-file", whole, "input"));
  assert.equal(await text("#try-problem"), "");
  return said.split("\n")[0];
});
await step("a key is described by the engine", async () => {
  await set("try-word", "believe_running");
  await page.waitForFunction(() => document.querySelector("#try-page").textContent.includes("a key of the run"));
  await set("try-word", "esay");
  await page.waitForFunction(() => document.querySelector("#try-page").textContent.includes('did you mean the select "easy"'));
});
await step("a log of thousands of tasks runs, and a task of it is asked why it waited", async () => {
  await looked(() => set("try-example", "examples/first.yaml"));
  await run();
  const all = await made();
  assert.equal(all.length, 1); // those of other inputs were taken away
  assert.match(all[0].text, /which is that of the command/);
  assert.match(await text("#again p[role=status]"), /taken away \(2\)/);
  await say(() => {
    const box = document.querySelector("#time input[type=search]");
    box.value = "4034";
    box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
  });
  await page.waitForSelector(".details button:nth-of-type(1)");
  await say(() => [...document.querySelectorAll(".details button")].find((b) => b.textContent.startsWith("why")).click());
  await page.waitForSelector(".details .story", { timeout: 60000 });
  return (await text(".details .story")).slice(-60);
});
await step("a packed log from disk runs, with the command's schedule", async () => {
  const input = await page.$("#try-input");
  await looked(() => input.uploadFile(log));
  assert.match(await say(() => document.getElementById("try-file").value), /^source: /m);
  assert.equal(await text("#try-problem"), "");
  await run();
  const [own] = await made();
  assert.equal(own.schedule, schedule);
});
await step("the result is saved", async () => {
  const saved = await say(async () => {
    const real = URL.createObjectURL;
    const kept = new Promise((done) => (URL.createObjectURL = (blob) => {
      void blob.text().then(done);
      return real(blob);
    }));
    [...document.querySelectorAll(".made button")].find((b) => b.textContent === "save the result").click();
    const content = await kept;
    URL.createObjectURL = real;
    return content;
  });
  assert.match(saved, /^[\w,]*serial/);
  return `${saved.length} characters`;
});
await end();
