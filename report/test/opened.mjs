// opened.mjs -- a report opened from disk in a real browser, with the network off, and the steps of a test of it.
//
// Whatever is logged as an error, or asked of a network, is gathered from the first byte on; end() fails if there was
// any, and if a step failed. CHROMIUM names the browser (default: chromium).

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import puppeteer from "puppeteer-core";

/** Open FILE of the arguments: FILE [--shots FOLDER] ... */
export async function open(args) {
  const shots = args.includes("--shots") ? resolve(args[args.indexOf("--shots") + 1]) : null;
  if (shots) await mkdir(shots, { recursive: true });
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--hide-scrollbars"],
    protocolTimeout: 600000,
  });
  const page = await browser.newPage();
  const errors = [];
  const asked = [];
  let failed = 0;
  page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
  page.on("pageerror", (e) => errors.push(e.message));
  page.on("request", (r) => ["file://", "data:", "blob:"].some((s) => r.url().startsWith(s)) || asked.push(r.url()));
  await page.setViewport({ width: 1280, height: 900 });
  await page.setOfflineMode(true);
  const began = Date.now();
  await page.goto(`file://${resolve(args[0])}`, { waitUntil: "domcontentloaded" });
  await page.waitForSelector("html[data-ready], html[data-failed]", { timeout: 60000 });

  async function step(name, f) {
    try {
      const said = await f();
      console.log(`ok   ${name}${said ? `: ${said}` : ""}`);
    } catch (e) {
      failed++;
      console.log(`FAIL ${name}: ${e.message}`);
    }
  }

  return {
    browser,
    page,
    shots,
    began, // ms: when the file was asked for
    step,
    /** A function carried out in the page. */
    say: (f, ...a) => page.evaluate(f, ...a),
    async end() {
      await step("nothing was logged as an error", () => assert.deepEqual(errors, []));
      await step("nothing was asked of a network", () => assert.deepEqual(asked, []));
      await browser.close();
      process.exit(failed ? 1 : 0);
    },
  };
}
