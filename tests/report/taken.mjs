// taken.mjs -- the engine of a page and what stands beside it, taken out of the file as the page's script takes it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { execFileSync } from "node:child_process";
import { inflateSync } from "node:zlib";

const { load } = createRequire(import.meta.url)("../../examples/embed.js");

export async function taken(path) {
  const page = readFileSync(path, "utf8");
  const unpack = (id) => {
    const [, packing, text] = new RegExp(`<script type="text/plain" id="${id}" data-packing="(\\w+)">([^<]*)</script>`).exec(page);
    const bytes = Buffer.from(text, "base64");
    return packing === "zstd" ? execFileSync("zstd", ["-dc"], { input: bytes, maxBuffer: 1 << 26 }) : inflateSync(bytes);
  };
  const json = (id) => JSON.parse(new RegExp(`<script type="application/json" id="${id}">(.*?)</script>`, "s").exec(page)[1]);
  return { unpack, json, hindcast: await load(unpack("engine")) };
}
