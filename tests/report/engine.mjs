// engine.mjs PAGE.html -- the engine of a page that runs again, in Node: takes engine, inputs and configurations out of the
// page as its script does, makes each run, and prints a line of each: its place, and the digest of its schedule.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync, inflateSync } from "node:zlib";

const { load } = createRequire(import.meta.url)("../../examples/embed.js");
const page = readFileSync(process.argv[2], "utf8");

function unpack(id) {
  const [, packing, text] = new RegExp(`<script type="text/plain" id="${id}" data-packing="(\\w+)">([^<]*)</script>`).exec(page);
  return (packing === "gzip" ? gunzipSync : inflateSync)(Buffer.from(text, "base64"));
}

const what = JSON.parse(/<script type="application\/json" id="what-if">(.*?)<\/script>/s.exec(page)[1]);
const hindcast = await load(unpack("engine"));
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
