// taken.mjs -- the engine of a page and what stands beside it, taken out of the file as the page's script takes it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync, inflateSync } from "node:zlib";

const { load } = createRequire(import.meta.url)("../../examples/embed.js");

export async function taken(path) {
  const page = readFileSync(path, "utf8");
  const unpack = (id) => {
    const [, packing, text] = new RegExp(`<script type="text/plain" id="${id}" data-packing="(\\w+)">([^<]*)</script>`).exec(page);
    return (packing === "gzip" ? gunzipSync : inflateSync)(Buffer.from(text, "base64"));
  };
  const json = (id) => JSON.parse(new RegExp(`<script type="application/json" id="${id}">(.*?)</script>`, "s").exec(page)[1]);
  return { unpack, json, hindcast: await load(unpack("engine")) };
}
