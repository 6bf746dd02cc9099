// build.mjs -- dist/page.html: the page in one file, with marks where the command puts a title, a text and data.
//
// Style and script are named in the page's Content-Security-Policy by their checksums: nothing else runs, nothing is
// loaded, nothing is sent. Behind the script's checksum is the mark where the command puts what an engine may do besides:
// compile WebAssembly, and start a worker out of a Blob. The same sources give the same bytes.

import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { build, transformWithEsbuild } from "vite";

async function bundle(input, define = {}) {
  const { output } = await build({
    logLevel: "warn",
    configFile: false,
    define,
    build: {
      write: false,
      target: "es2022",
      cssCodeSplit: false,
      modulePreload: false,
      rollupOptions: { input, output: { format: "iife" } },
    },
  });
  return output;
}

// The worker of a page that runs again: a text within the script, which makes it a Blob. In front of it stands what makes
// an object of the engine, as it is for everybody.
const embed = await transformWithEsbuild(await readFile("../examples/embed.js", "utf8"), "embed.js", { minify: true, target: "es2022" });
const worker = `${embed.code.trim()}\n${(await bundle("src/worker.ts"))[0].code.trim()}`;
const output = await bundle("src/main.ts", { WORKER: JSON.stringify(worker) });
const chunk = output.find((o) => o.type === "chunk");
const asset = output.find((o) => o.type === "asset" && o.fileName.endsWith(".css"));
if (!chunk || !asset) throw new Error("the build has no script or no style");

const licences = await Promise.all(["uplot", "fzstd"].map(async (name) => `with ${name}:\n${(await readFile(`node_modules/${name}/LICENSE`, "utf8")).trim()}\n`));
const script = `/* ${licences.join("\n")}*/\n${chunk.code.replaceAll("</script", "<\\/script").trim()}`;
const style = String(asset.source).trim();
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = `default-src 'none'; script-src ${hash(script)}{{engine}}; style-src ${hash(style)}; img-src data: blob:; base-uri 'none'; form-action 'none'`;

const template = await readFile("index.html", "utf8");
const page = template
  .replace("{{policy}}", () => policy)
  .replace("{{style}}", () => style)
  .replace("{{script}}", () => script);
await mkdir("dist", { recursive: true });
await writeFile("dist/page.html", page);
console.log(`dist/page.html: ${page.length} bytes (script ${script.length}, style ${style.length})`);
