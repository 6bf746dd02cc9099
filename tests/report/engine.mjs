// engine.mjs PAGE.html -- the engine of a page that runs again, in Node: takes engine, inputs and configurations out of the
// page as its script does, makes each run, and prints a line of each: its place, and the digest of its schedule.
import { taken } from "./taken.mjs";

const { unpack, json, hindcast } = await taken(process.argv[2]);
const what = json("what-if");
for (const base of what.bases) {
  const x = hindcast.make();
  for (const i of base.inputs) x.text(what.inputs[i], unpack(`input-${i}`));
  x.text(what.file, base.config);
  x.configure(what.file);
  for (const setting of what.settings) x.set(setting);
  x.begin();
  while (x.step(4096));
  console.log(base.run, x.digest(true));
  x.free();
}
