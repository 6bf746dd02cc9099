// build.mjs -- dist/page.html: the page in one file, with marks where the command puts a title, a text and data.
//
// Style and script are named in the page's Content-Security-Policy by their checksums: nothing else runs, nothing is
// loaded, nothing is sent. The same sources give the same bytes.

import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { build } from "vite";

const { output } = (
  await build({
    logLevel: "warn",
    configFile: false,
    build: {
      write: false,
      target: "es2022",
      cssCodeSplit: false,
      modulePreload: false,
      rollupOptions: { input: "src/main.ts", output: { format: "iife" } },
    },
  })
);
const chunk = output.find((o) => o.type === "chunk");
const asset = output.find((o) => o.type === "asset" && o.fileName.endsWith(".css"));
if (!chunk || !asset) throw new Error("the build has no script or no style");

const licence = (await readFile("node_modules/uplot/LICENSE", "utf8")).trim();
const script = `/* with uPlot:\n${licence}\n*/\n${chunk.code.replaceAll("</script", "<\\/script").trim()}`;
const style = String(asset.source).trim();
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data: blob:; base-uri 'none'; form-action 'none'`;

const template = await readFile("index.html", "utf8");
const page = template
  .replace("{{policy}}", () => policy)
  .replace("{{style}}", () => style)
  .replace("{{script}}", () => script);
await mkdir("dist", { recursive: true });
await writeFile("dist/page.html", page);
console.log(`dist/page.html: ${page.length} bytes (script ${script.length}, style ${style.length})`);
