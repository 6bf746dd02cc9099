// try.mjs PAGE.html -- the page that is the whole command, in Node: each example, made of the run file and the inputs that the
// page holds, has the schedule that the command gave it; and what else the page asks of its engine.
import assert from "node:assert/strict";
import { taken } from "./taken.mjs";

const { unpack, json, hindcast } = await taken(process.argv[2]);
const what = json("head").try;
const inputs = what.inputs.map((name, i) => [name, unpack(`input-${i}`)]);

/** An engine with a run file and its inputs. */
function configured(of, config = of.config) {
  const x = hindcast.make();
  for (const i of of.inputs) x.text(...inputs[i]);
  x.text(of.file, config);
  x.configure(of.file);
  for (const setting of what.settings) x.set(setting);
  return x;
}

function run(x) {
  x.begin();
  while (x.step(4096));
}

let wrong = 0;
for (const of of what.examples) {
  try {
    const x = configured(of);
    run(x);
    assert.equal(x.digest(true), of.schedule);
    x.free();
  } catch (e) {
    wrong++;
    console.log(`${of.file}: ${e.message}`);
  }
}
assert.equal(wrong, 0, `${wrong} of ${what.examples.length} examples are not as the command made them`);
console.log(`${what.examples.length} examples: schedules of the page are the command's`);

// Of five tasks conservative backfilling keeps the fourth back: it would run to 203, and the third is promised all ten at 150
// (examples/teaching/five-tasks.yaml).
const five = what.examples.find((x) => x.file.endsWith("five-tasks.yaml"));
const x = configured(five);
const keys = new Map(x.keys().map(([path, value]) => [path, value]));
assert.equal(keys.get("cell.procs"), "10");
run(x);
assert.match(x.why(3).map(([, text]) => text).join("\n"), /203/);
assert.match(JSON.parse(x.export("json")).summary.all.makespan.unit, /s/);
x.free();
assert.match(hindcast.make().describe("select/easy"), /^easy \(select\)/);
assert.throws(() => configured(five, `${five.config}polcy: easy\n`).keys(), new RegExp(`^Error: ${five.file}:\\d+:1: unknown key "polcy"; did you mean "policy"`));
console.log("keys, a story, a page, and an error with its place");
